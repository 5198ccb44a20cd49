//! Reasoning that only its closer proves: a word attached to its text opens it (`analysisWe need …`), or half of a header.

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
        let Some(closer) = pattern.tail.first() else { return Ok(false) };
        let mut at = start;
        let end = loop {
            if let Some(end) = stands(view, at, [closer], &Head::default())? {
                break end;
            }
            let mut is_over = view.byte(at)?.is_none();
            for token in &dialect.special {
                is_over = is_over || view.starts_with(at, token)?;
            }
            if is_over {
                self.wasted_lookahead += at - self.at;
                return Ok(false);
            }
            at += 1;
        };
        sink.markup(start);
        sink.reasoning(at);
        sink.markup(end);
        self.knows_reasoning = true;
        self.resume_after(end);
        Ok(true)
    }
}
