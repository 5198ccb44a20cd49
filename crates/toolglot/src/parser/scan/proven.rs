//! Reasoning that only its closer proves: a word opens it, glued to its text (`analysisWe need …`), or the half of a header.

use super::Scanner;
use crate::dialect::{Dialect, Pattern};
use crate::parser::head::{Head, nodes, stands};
use crate::sink::Sink;
use crate::view::{NotYet, View};

impl Scanner {
    /// Reads such a region as a whole: prose may begin with the word, and a call with the half header, so only the closer
    /// proves it, with no special token before. All of it is held until then, within the limit `held`.
    pub(super) fn whole_region(
        &mut self,
        view: View<'_>,
        dialect: &Dialect,
        pattern: &Pattern,
        sink: &mut Sink,
    ) -> Result<bool, NotYet> {
        let Some(start) = nodes(view, self.at, &pattern.head, None, &mut Head::default())? else { return Ok(false) };
        let glued = !pattern.opens_with_word() || view.char(start)?.is_some_and(char::is_alphanumeric);
        if !glued || self.is_exhausted() {
            return Ok(false);
        }
        let Some((closer, end)) = closing_word(view, start, pattern)? else {
            self.wasted_lookahead += view.end() - self.at;
            return Ok(false);
        };
        if dialect.special.iter().any(|token| view.slice(start, closer).contains(token.as_str())) {
            return Ok(false);
        }
        sink.markup(start);
        sink.reasoning(closer);
        sink.markup(end);
        self.knows_reasoning = true;
        self.resume_after(end);
        Ok(true)
    }
}

/// Returns where the first closer behind `from` begins and ends.
fn closing_word(view: View<'_>, from: usize, pattern: &Pattern) -> Result<Option<(usize, usize)>, NotYet> {
    let Some(closer) = pattern.tail.first() else { return Ok(None) };
    let mut at = from;
    while view.byte(at)?.is_some() {
        if let Some(end) = stands(view, at, closer, &Head::default())? {
            return Ok(Some((at, end)));
        }
        at += 1;
    }
    Ok(None)
}
