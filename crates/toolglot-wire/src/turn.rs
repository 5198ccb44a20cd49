//! One answer of a model server on its way to the client.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::said::{Finish, Usage};

/// How the bytes of an answer ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum Ended {
    /// As they should, by the transport's rules.
    Over,
    /// They broke off.
    Cut(Fault),
}

/// What a turn was like, for logs and metrics.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The dialect of the first call that was written as text.
    pub dialect: Option<String>,
    /// Calls that went to the client.
    pub calls: usize,
    /// Of them, those that had been written as text.
    pub text_calls: usize,
    /// Of them, those that were read with repairs.
    pub repaired: usize,
    /// Calls that did not: cut off, broken, or unwanted.
    pub dropped: usize,
    /// Diagnostics by their code.
    pub diagnostics: BTreeMap<&'static str, usize>,
    /// Bytes that are held back now.
    pub held: usize,
    /// Text held the closer of a reasoning region that nothing had opened: the prompt opens it.
    pub orphan_reasoning_closer: bool,
    /// Why the first alternative ended.
    pub finish: Option<Finish>,
    /// Tokens, if the server counted them.
    pub usage: Option<Usage>,
}

/// Turns the bytes of one answer into bytes for the client.
pub struct Turn {
    over: bool,
}

impl Turn {
    pub(crate) fn new() -> Self {
        Self { over: false }
    }

    /// Whether the prompt opened a reasoning region, so that the answer begins inside it.
    #[must_use]
    pub fn with_reasoning_open(self, reasoning_open: bool) -> Self {
        let _ = reasoning_open;
        self
    }

    /// Takes bytes of the server's stream, gives bytes of the client's.
    pub fn push(&mut self, upstream_bytes: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(upstream_bytes);
    }

    /// Ends the stream.
    pub fn finish(&mut self, ended: Ended, out: &mut Vec<u8>) {
        let _ = (ended, out);
        self.over = true;
    }

    /// Turns a whole answer into the client's.
    ///
    /// # Errors
    /// If the server answered with an error, or with what is no answer.
    pub fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        Ok(body.to_vec())
    }

    /// Returns what to send while nothing is said.
    pub fn keep_alive(&self) -> &'static [u8] {
        b": keepalive\n\n"
    }

    /// Says whether no more of the server's answer is wanted.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns what the turn was like so far.
    pub fn report(&self) -> Report {
        Report::default()
    }
}
