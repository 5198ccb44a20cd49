//! Literals between turns and messages: where they are markup.

use super::Scanner;
use crate::dialect::is_strong;
use crate::parser::catalog::skipped;
use crate::parser::engine::Engine;
use crate::view::{NotYet, View};

/// Adjacent tokens that end a turn are examined once: the first ends at `at`, the last known one at `last`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TurnChain {
    at: usize,
    last: usize,
}

impl TurnChain {
    /// Returns the chain whose first token ends at `at`: the rest of this one, or another.
    fn behind(mut self, at: usize, engine: &Engine, view: View<'_>) -> Result<Self, NotYet> {
        while self.at < at && at <= self.last {
            let Some(next) = engine.catalog.next_turn_end(view, self.at)? else { break };
            self.at = next;
        }
        Ok(if self.at == at { self } else { Self { at, last: at } })
    }

    /// Examines what has arrived since; returns where text continues. A view may end before an earlier one did.
    fn go_on(&mut self, engine: &Engine, view: View<'_>) -> Result<usize, NotYet> {
        if self.last > view.end() {
            return Err(NotYet);
        }
        while let Some(end) = engine.catalog.next_turn_end(view, self.last)? {
            self.last = end;
        }
        view.skip_blanks(self.last)
    }
}

impl Scanner {
    /// A skipped literal that is a plain tag may be ordinary markup: it counts only where a turn begins or ends. If
    /// dialects compete, the same holds for tokens: others must follow them, or a line must end.
    pub(super) fn may_skip(&self, engine: &Engine, view: View<'_>, literal: &str) -> Result<bool, NotYet> {
        let name = literal.trim_start_matches(['<', '/']).trim_end_matches('>');
        if !view.starts_with(self.at, literal)? {
            return Ok(false);
        }
        let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if self.place.is_fresh() || !plain && !engine.catalog.is_auto() {
            return Ok(true);
        }
        let behind = self.at + literal.len();
        let next = view.skip_blanks(behind)?;
        Ok(match view.byte(next)? {
            None => true,
            Some(_) if plain => false,
            Some(first) => first == b'<' || view.rest(behind)[..next - behind].contains(&b'\n'),
        })
    }

    /// The end of a turn is markup at the end of the input or next to a call; with a pinned dialect, everywhere.
    pub(super) fn may_end(&mut self, engine: &Engine, view: View<'_>, number: usize) -> Result<bool, NotYet> {
        let candidate = &engine.catalog.candidates[number];
        let Some(literal) = skipped(engine.catalog.dialect(candidate), candidate) else { return Ok(false) };
        if !view.starts_with(self.at, literal)? {
            return Ok(false);
        }
        // A header names a role; a token that stands alone is none of the text's.
        let alone = matches!(view.byte(self.at + literal.len())?, None | Some(b'\n' | b'\r' | b'<'));
        if self.seen.quotes_turns {
            return Ok(false);
        }
        let dialect = engine.catalog.dialect(candidate);
        let plain = literal.starts_with("</") || dialect.turn_start.contains(literal);
        let token = is_strong(literal) && !plain;
        if token && (!engine.catalog.is_auto() || self.last.is_some() && self.place.is_fresh())
            || alone && self.place.is_fresh()
        {
            return Ok(true);
        }
        self.turns = self.turns.behind(self.at + literal.len(), engine, view)?;
        let at = self.turns.go_on(engine, view)?;
        Ok(view.byte(at)?.is_none())
    }
}
