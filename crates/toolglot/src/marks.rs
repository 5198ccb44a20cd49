//! The bytes of the input that arrived as special tokens, for callers that mark them.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem;

/// The positions of special tokens, and the texts that must be special tokens to be markers.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    tokens: Arc<[Box<str>]>,
    /// In order; adjacent tokens share one range.
    ranges: Vec<Range<usize>>,
}

impl Marks {
    pub(crate) fn new(tokens: Arc<[Box<str>]>) -> Self {
        Self { tokens, ranges: Vec::new() }
    }

    /// Forgets all positions.
    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Records a special token in a range, which begins at the end of the input.
    pub(crate) fn add(&mut self, range: Range<usize>) {
        match self.ranges.last_mut() {
            Some(last) if last.end == range.start => last.end = range.end,
            _ if range.is_empty() => {}
            _ => self.ranges.push(range),
        }
    }

    /// Forgets positions before `at`.
    pub(crate) fn forget(&mut self, before: usize) {
        let gone = self.ranges.partition_point(|range| range.end <= before);
        self.ranges.drain(..gone);
    }

    /// Returns whether `text`, which begins at `at`, spells a token that did not arrive as one.
    pub(crate) fn is_forged(&self, text: &[u8], at: usize) -> bool {
        let forged = |token: &str| {
            let mut places = memmem::find_iter(text, token.as_bytes());
            places.any(|place| !self.covers(at + place..at + place + token.len()))
        };
        self.tokens.iter().any(|token| forged(token))
    }

    fn covers(&self, range: Range<usize>) -> bool {
        let before = self.ranges.partition_point(|special| special.start <= range.start);
        before.checked_sub(1).is_some_and(|at| self.ranges[at].end >= range.end)
    }
}
