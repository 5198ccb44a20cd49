//! An input that is a message: how it is read, and its bytes.

use arbitrary::{Arbitrary, Unstructured};

use crate::pieces;
use crate::setup::{Head, Setup};

/// A message and how it is read.
pub(crate) struct Input {
    pub(crate) setup: Setup,
    pub(crate) cuts: u64,
    pub(crate) message: Vec<u8>,
}

impl Input {
    pub(crate) fn new(data: &[u8], small: bool) -> Option<Self> {
        let mut rest = Unstructured::new(data);
        let head = Head::arbitrary(&mut rest).ok()?;
        let setup = head.setup(small);
        let message = pieces::message(rest.take_rest(), setup.home);
        Some(Self { cuts: head.cuts.into(), setup, message })
    }

    /// Returns the text for a person, and for a case file.
    pub(crate) fn shown(&self) -> String {
        format!("{:?}\ncuts {}\ninput {}", self.setup, self.cuts, shown(&self.message))
    }
}

/// Shows bytes as one line that a case file or a program can hold.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    bytes.utf8_chunks().map(|chunk| format!("{:?}{}", chunk.valid(), escaped(chunk.invalid()))).collect()
}
