//! What may begin at a position: an unmatched closer, or the candidates of a contest.

use super::Scanner;
use crate::options::Evidence;
use crate::parser::boundary::reads_beyond;
use crate::parser::bytes::ByteBits;
use crate::parser::catalog::{CandidateRole, FenceLabel, Strength};
use crate::parser::element::opens_element;
use crate::parser::engine::Engine;
use crate::parser::markdown::Quoting;
use crate::view::{NotYet, View};

impl Scanner {
    /// Returns the end of an unmatched closer: one of reasoning, or a repeated one of the last call.
    pub(super) fn orphan(&mut self, engine: &Engine, view: View<'_>) -> Result<Option<usize>, NotYet> {
        let mut end = engine.catalog.closers.stands(view, self.at)?;
        if !self.seen.tried_call {
            let stray = engine.catalog.strays.stands(view, self.at)?;
            end = match stray {
                Some(stray) if !self.is_amid_prose(view, stray)? => end.max(Some(stray)),
                _ => end,
            };
        }
        if end.is_some() && self.place.quoting(view, self.at)? == Quoting::Quoted {
            end = None;
        }
        if !self.place.is_fresh() {
            return Ok(end);
        }
        if self.last.is_some() {
            end = end.max(engine.catalog.spent().stands(view, self.at)?);
        }
        for closer in &self.named_closers {
            if view.starts_with(self.at, closer)? {
                end = end.max(Some(self.at + closer.len()));
            }
        }
        Ok(end)
    }

    /// Returns whether a marker is in the middle of a line of text: prose about it.
    fn is_amid_prose(&self, view: View<'_>, end: usize) -> Result<bool, NotYet> {
        if self.place.is_line_start() {
            return Ok(false);
        }
        let behind = if view.byte(end)? == Some(b' ') { end + 1 } else { end };
        Ok(view.byte(behind)?.is_some_and(|byte| byte.is_ascii_alphanumeric() || b".,;:!?)".contains(&byte)))
    }

    /// Returns the calls of the last call's dialect that open here, if only these may compete for now: directly after it, no
    /// others can win if one of these does.
    pub(super) fn kin(&mut self, engine: &Engine, view: View<'_>) -> Result<Vec<usize>, NotYet> {
        let shows_all = !engine.catalog.is_auto() || engine.options.careful || self.trace.is_some();
        let Some(last) = self.last.filter(|_| !shows_all && self.place.is_fresh()) else { return Ok(Vec::new()) };
        let amid_run = view.byte(self.at)?.is_some_and(|first| self.place.is_amid_run(first));
        if amid_run || self.place.quoting(view, self.at)? != Quoting::None {
            return Ok(Vec::new());
        }
        engine.catalog.calls_of(last, view, self.at, engine.reads_weak && self.place.is_line_start())
    }

    /// Returns the candidates that may compete here, the highest rank first.
    pub(super) fn entrants(&mut self, engine: &Engine, view: View<'_>) -> Result<Vec<usize>, NotYet> {
        let catalog = &engine.catalog;
        let mut entrants = Vec::with_capacity(16);
        if view.byte(self.at)?.is_some_and(|first| self.place.is_amid_run(first)) {
            return Ok(entrants);
        }
        let weak = engine.reads_weak && self.place.is_line_start();
        catalog.opened(view, self.at, weak, &mut entrants)?;
        if !weak && self.place.is_fresh() && engine.options.evidence != Evidence::Strict {
            catalog.headers.find(view, self.at, &mut entrants)?;
        }
        if engine.options.evidence != Evidence::Strict && opens_element(engine, view, self.at)? {
            entrants.extend_from_slice(&catalog.dynamic);
        }
        if weak
            && !self.is_indented(view)
            && let Some(behind) = engine.behind_name(view, self.at)?
        {
            // A fence may precede the arguments, and a longer name here.
            let continues = |bytes: &ByteBits| bytes.contains(behind) || b"`.:/-".contains(&behind);
            entrants.extend(catalog.named.iter().filter(|named| continues(&named.1)).map(|named| named.0));
        }
        if self.no_reasoning {
            entrants.retain(|number| catalog.candidates[*number].role != CandidateRole::Reasoning);
        }
        if !self.place.is_fresh() {
            entrants.retain(|number| !catalog.is_opaque(*number));
        }
        if catalog.is_auto() && !self.place.is_fresh() {
            let eager = engine.options.evidence == Evidence::Eager;
            // After a call and more text is another version of it, or what the model continues to dream.
            let repeats = |number: usize| self.last.is_some() && catalog.candidates[number].evidence == Strength::Weak;
            let quotes = |number: usize| catalog.candidates[number].fence == Some(FenceLabel::Code);
            let shown = !eager && self.is_shown(engine, view)?;
            let shows = |number: usize| shown && catalog.candidates[number].evidence == Strength::Weak;
            entrants.retain(|number| if eager { !repeats(*number) } else { !quotes(*number) && !shows(*number) });
        }
        if entrants.is_empty() {
            return Ok(entrants);
        }
        let mut quoting = self.place.quoting(view, self.at)?;
        if quoting == Quoting::Quoted
            && (self.follows_closer(engine, view, &entrants) || self.spans_into_call(engine, view, &entrants)?)
        {
            self.place.leave_quotes();
            quoting = Quoting::None;
        }
        self.quotes_opener = quoting == Quoting::Quoted;
        match quoting {
            Quoting::None => {}
            Quoting::Quoted => entrants.clear(),
            Quoting::OpeningFence => entrants.retain(|number| catalog.candidates[*number].evidence != Strength::Weak),
        }
        catalog.rank(&mut entrants);
        entrants.dedup();
        // A message is of one dialect: what says it most exactly comes first only among the calls of others.
        if let Some(last) = self.last {
            entrants.sort_by_key(|number| !catalog.is_call_of(last, *number));
        }
        Ok(entrants)
    }

    /// Returns whether the current quotes belong to a call that never began: its closer precedes the call that opens
    /// here, and no other opener is in them.
    fn follows_closer(&self, engine: &Engine, view: View<'_>, entrants: &[usize]) -> bool {
        let closes = |number: &usize| {
            let candidate = &engine.catalog.candidates[*number];
            let closers = engine.catalog.pattern(candidate).into_iter().flat_map(|pattern| &pattern.tail);
            let mut spellings = closers.flat_map(|closer| &closer.spellings);
            candidate.is_strong_call()
                && spellings.any(|it| it.is_strong() && self.before(view).ends_with(it.plain().as_bytes()))
        };
        self.seen.tried_call && !self.quotes_opener && entrants.iter().any(closes)
    }

    /// Returns the bytes before this place, without white space.
    pub(super) fn before<'v>(&self, view: View<'v>) -> &'v [u8] {
        view.rest(self.at.saturating_sub(BEFORE))[..self.at.min(BEFORE)].trim_ascii_end()
    }

    /// Returns whether the current code span would end inside a call that begins here: then its first back quote is a slip, and
    /// it quotes nothing.
    fn spans_into_call(&mut self, engine: &Engine, view: View<'_>, entrants: &[usize]) -> Result<bool, NotYet> {
        let exhausted = self.is_exhausted_by(self.wasted_lookahead);
        let Some(end) = self.place.span_end().filter(|_| !exhausted) else { return Ok(false) };
        let candidates = entrants.iter().map(|number| &engine.catalog.candidates[*number]);
        let calls = candidates.filter(|it| it.role == CandidateRole::Call && it.evidence == Strength::Strong);
        let mut dialects: Vec<usize> = calls.map(|call| call.dialect).collect();
        dialects.sort_unstable();
        dialects.dedup();
        let mut read_in_all = 0;
        for dialect in dialects {
            let (beyond, read) = reads_beyond(engine, view, self.at, end, dialect)?;
            read_in_all += read;
            if beyond {
                return Ok(true);
            }
        }
        self.wasted_lookahead += read_in_all;
        Ok(false)
    }

    /// Returns whether the text here is indented below other text, like Markdown's code.
    pub(super) fn is_indented(&self, view: View<'_>) -> bool {
        let before = &view.rest(self.at.saturating_sub(INDENT.len()))[..self.at.min(INDENT.len())];
        !self.place.is_fresh() && (before == INDENT || before.ends_with(b"\t"))
    }

    /// Returns whether JSON here is an example, as in a fence: a colon announces it, and it spans several lines, or it is an
    /// element of a list that is.
    fn is_shown(&self, engine: &Engine, view: View<'_>) -> Result<bool, NotYet> {
        let before = self.before(view);
        let ends = |ends: &[&str]| ends.iter().any(|end| before.ends_with(end.as_bytes()));
        let (element, announced) = (ends(&["[", "},"]), ends(&[":", "：", ":**", "**:"]));
        if !element && !announced || !self.is_bare_amid_text(engine, view)? {
            return Ok(false);
        }
        if element {
            return Ok(true);
        }
        let mut at = self.at;
        while matches!(view.byte(at)?, Some(b'[' | b'{' | b' ' | b'\t')) {
            at += 1;
        }
        Ok(matches!(view.byte(at)?, Some(b'\n' | b'\r')))
    }

    /// Returns whether more bytes may turn this into a call with strong evidence.
    pub(crate) fn awaits_call(&self, engine: &Engine) -> bool {
        self.contest.iter().flatten().any(|number| engine.catalog.candidates[*number].is_strong_call())
    }

    /// Returns whether more bytes may turn this into a marker, outside quotes.
    pub(crate) fn awaits_marker(&mut self, engine: &Engine, view: View<'_>) -> bool {
        let at = self.at;
        let opens = || engine.catalog.strong.find(view, at, &mut Vec::new());
        let closes = || engine.catalog.closers.stands(view, at);
        view.has_letters(at)
            && self.place.quoting(view, at) == Ok(Quoting::None)
            && (opens() == Err(NotYet) || closes() == Err(NotYet))
    }
}

/// The minimal indentation of a line of code, unless it is a tab.
const INDENT: &[u8] = b"    ";

/// Bytes before an opener that are examined, for a closer, the colon that announces a bracket, or the tag around an
/// element: indentation is shorter, and more than [`crate::view::BEHIND`] would not be visible.
const BEFORE: usize = 256;
