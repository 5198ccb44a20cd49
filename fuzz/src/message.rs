//! An input that is a message: how it is read, and its bytes.

use std::ops::Range;

use arbitrary::{Arbitrary, Unstructured};

use crate::pieces;
use crate::random::Random;
use crate::setup::{Head, Setup, dialect};

/// A message and how it is read.
pub(crate) struct MessageInput {
    pub(crate) setup: Setup,
    pub(crate) cuts: u64,
    pub(crate) message: Vec<u8>,
    /// Where special tokens stand, which some servers mark.
    pub(crate) special: Vec<Range<usize>>,
}

impl MessageInput {
    pub(crate) fn new(data: &[u8], small: bool) -> Option<Self> {
        let mut rest = Unstructured::new(data);
        let head = Head::arbitrary(&mut rest).ok()?;
        let setup = head.setup(small);
        let message = pieces::message(rest.take_rest(), setup.home);
        let special = if head.marks_tokens() { special(&message, setup.home, head.cuts) } else { Vec::new() };
        Some(Self { cuts: head.cuts.into(), setup, message, special })
    }

    /// Returns the text for a person, and for a case file.
    pub(crate) fn shown(&self) -> String {
        let Self { setup, cuts, special, .. } = self;
        format!("{setup:?}\ncuts {cuts}, special tokens {special:?}\ninput {}", shown(&self.message))
    }
}

/// Returns most of the places where a message spells special tokens of a dialect.
fn special(message: &[u8], home: usize, seed: u16) -> Vec<Range<usize>> {
    let (dialect, mut random) = (dialect(home), Random::new(seed.into()));
    let (mut found, mut at) = (Vec::new(), 0);
    while at < message.len() {
        let token = dialect.special().iter().find(|token| message[at..].starts_with(token.as_bytes()));
        let length = token.map_or(1, String::len);
        if token.is_some() && !random.one_in(5) {
            found.push(at..at + length);
        }
        at += length;
    }
    found
}

/// Shows bytes as one line that a case file or a program can hold.
pub(crate) fn shown(bytes: &[u8]) -> String {
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    bytes.utf8_chunks().map(|chunk| format!("{:?}{}", chunk.valid(), escaped(chunk.invalid()))).collect()
}
