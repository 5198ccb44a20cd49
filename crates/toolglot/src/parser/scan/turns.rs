//! Literals between turns and messages: which are markup where they are.

use super::Scanner;
use crate::dialect::is_strong;
use crate::parser::catalog::skipped;
use crate::parser::engine::Engine;
use crate::view::{NotYet, View};

/// Tokens that end a turn, one after another, are gone over once: the first ends at `at`, the last that is known at `last`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TurnChain {
    at: usize,
    last: usize,
}

impl TurnChain {
    /// Returns the chain whose first token ends at `at`: what is left of this one, or another.
    fn behind(mut self, at: usize, engine: &Engine, view: View<'_>) -> Result<Self, NotYet> {
        while self.at < at && at <= self.last {
            let Some(next) = engine.catalog.next_turn_end(view, self.at)? else { break };
            self.at = next;
        }
        Ok(if self.at == at { self } else { Self { at, last: at } })
    }

    /// Goes over what has come since; returns where text continues. A view may end before what another has shown.
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
    /// A skipped literal that is a plain tag may be markup of the text: it counts only where a turn begins or ends. Where
    /// dialects compete, so do tokens: others follow them there, or a line ends.
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

    /// A turn's end is none of the text where it ends the input or is beside a call, in a pinned dialect anywhere.
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
