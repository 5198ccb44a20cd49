//! Short pieces in which nothing can begin or end: they pass without looking at anything but their bytes.
//!
//! Models are read token by token, and most tokens are the middle of a text or of a value. For these the state says
//! which bytes would need a decision; if none is there, the piece goes out as the long way round would have said it.

use super::engine::Engine;
use super::{Parser, State};

/// A longer piece is worth the long way round, which finds bytes in long text faster.
const LONGEST: usize = 64;

/// A piece of input that follows everything that has been decided, and what it is read with.
#[derive(Clone, Copy)]
pub(crate) struct Piece<'p> {
    pub(crate) text: &'p str,
    /// Where it starts.
    pub(crate) at: usize,
    /// Where it ends.
    pub(crate) end: usize,
    pub(crate) engine: &'p Engine,
}

impl Parser {
    /// Passes a piece on if no byte of it needs a decision.
    pub(super) fn pass_plain(&mut self, text: &str) -> bool {
        let at = self.input.end();
        if text.len() > LONGEST || text.is_empty() || self.sink.cursor() != at || self.input.is_cut() {
            return false;
        }
        let piece = Piece { text, at, end: at + text.len(), engine: &self.engine };
        let passed = match &mut self.state {
            State::Scanning => self.scanner.pass_plain(&piece, &mut self.sink),
            State::Reading(reading) => reading.pass_plain(&piece, &mut self.sink),
            State::Region(region) => region.pass_plain(&piece, &mut self.sink),
            State::Prefilled | State::Done => false,
        };
        if passed {
            self.input.push(text);
            self.wake = piece.end + 1;
        }
        passed
    }
}
