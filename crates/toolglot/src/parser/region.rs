//! A region: reasoning or wrapped content, up to its closer.
//!
//! ```text
//!            a call becomes ready (`wait`)             end of input
//!   Inside ───────────────────────────────▶ Held ───────────────────▶ a call; the region ended before it
//!     ▲                                       │
//!     └───────────────────────────────────────┘ the closer: all of it was reasoning
//! ```

use super::catalog::{Candidate, CandidateRole, Catalog};
use super::contest::{REACH, Trial, TrialContext, try_call};
use super::engine::Engine;
use super::head::{Head, stands};
use super::recent::RecentPlaces;
use crate::diagnostic::Code;
use crate::dialect::{Inside, Literal, Pattern};
use crate::options::CallsInReasoning;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads the text of a region.
#[derive(Clone, Debug)]
pub(crate) struct RegionReader {
    /// The candidate that opened it; `None` if the prompt opened it.
    candidate: Option<usize>,
    pub(super) is_reasoning: bool,
    inside: Inside,
    mark: Head,
    /// Everything before has been decided.
    pub(super) scan: usize,
    /// The start of a call that may be a draft.
    pub(super) held: Option<usize>,
    /// Openers at which no call began: whether the look-ahead was restricted, and how much of it was futile.
    lost: RecentPlaces<bool, usize>,
}

/// The end of a region.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RegionExit {
    /// Its closer, which ends here.
    Closed(usize),
    /// The end of input, or text that cannot be inside: text continues here.
    Left(usize),
    /// A call that begins here; it ends the region.
    Call(usize),
    /// A call that begins here; the region continues after it.
    Interlude(usize),
    /// A call began here and the region never closed.
    Unclosed(usize),
}

impl RegionReader {
    pub(crate) fn new(engine: &Engine, number: usize, head: Head, at: usize) -> Self {
        let candidate = &engine.catalog.candidates[number];
        let inside =
            engine.catalog.pattern(candidate).and_then(|pattern| pattern.body.as_ref()).map(|body| body.inside);
        Self {
            candidate: Some(number),
            is_reasoning: candidate.role == CandidateRole::Reasoning,
            inside: inside.unwrap_or_default(),
            mark: head,
            scan: at,
            held: None,
            lost: RecentPlaces::default(),
        }
    }

    /// Returns the reasoning region that the prompt opened.
    pub(crate) fn prefilled(engine: &Engine, at: usize) -> Self {
        let inside = match &engine.catalog.dialects[..] {
            [only] => only.reasoning.first().and_then(|pattern| pattern.body.as_ref()).map(|body| body.inside),
            _ => None,
        };
        let inside = inside.unwrap_or_default();
        let (mark, lost) = (Head::default(), RecentPlaces::default());
        Self { candidate: None, is_reasoning: true, inside, mark, scan: at, held: None, lost }
    }

    /// Passes text without a closer or a call; false if something needs a decision.
    pub(crate) fn pass_plain(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> bool {
        let passes = self.held.is_none() && self.is_reasoning;
        let next = engine.catalog.stops_in_regions().find(view.rest(self.scan));
        let upto = next.map_or(view.end(), |ahead| self.scan + ahead);
        if passes && upto + 1 >= view.end() {
            self.scan = upto;
            sink.reasoning(upto);
            return true;
        }
        false
    }

    /// Continues reading to the region's end.
    pub(crate) fn resume(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<RegionExit, NotYet> {
        loop {
            let Some(ahead) = engine.catalog.stops_in_regions().find(view.rest(self.scan)) else {
                self.scan = view.end();
                self.give_up_holding(engine, sink);
                self.flush(self.scan, sink);
                let end = view.final_end()?;
                self.flush(end, sink);
                return Ok(self.end_of_input(end, engine, sink));
            };
            self.scan += ahead;
            self.give_up_holding(engine, sink);
            self.flush(self.scan, sink);
            // One byte alone is nothing, and most that follow say so.
            view.byte(self.scan + 1)?;
            if let Some(end) = self.closer(engine, view, self.scan)? {
                return Ok(self.close(end, sink));
            }
            self.flush(self.scan, sink);
            if (self.inside == Inside::Opaque || !self.is_reasoning) && self.meets_skip(engine, view, self.scan)? {
                sink.diagnose(Code::MissingCloser, self.scan..self.scan, "region without a closing marker");
                return Ok(RegionExit::Left(self.scan));
            }
            if let Some(exit) = self.call(engine, view, sink)? {
                return Ok(exit);
            }
            self.scan += 1;
        }
    }

    #[inline]
    fn flush(&self, upto: usize, sink: &mut Sink) {
        match (self.held, self.is_reasoning) {
            (Some(_), _) => {}
            (None, true) => sink.reasoning(upto),
            (None, false) => sink.text(upto),
        }
    }

    fn close(&mut self, end: usize, sink: &mut Sink) -> RegionExit {
        if let Some(held) = self.held.take() {
            let message = "a call inside reasoning that closes later is a draft";
            sink.diagnose(Code::CallInReasoning, held..self.scan, message);
        }
        self.flush(self.scan, sink);
        sink.markup(end);
        RegionExit::Closed(end)
    }

    /// Unclosed reasoning ended where a call began; reasoning that a limit cut off was still open.
    fn end_of_input(&mut self, end: usize, engine: &Engine, sink: &mut Sink) -> RegionExit {
        match self.held.take() {
            Some(held) if engine.options.is_cut() => {
                let message = "a call inside reasoning that was cut off is a draft";
                sink.diagnose(Code::CallInReasoning, held..end, message);
                self.flush(end, sink);
                RegionExit::Left(end)
            }
            Some(held) => {
                sink.diagnose(Code::ReasoningUnclosed, held..held, "unclosed reasoning ended where a call began");
                RegionExit::Unclosed(held)
            }
            None => RegionExit::Left(end),
        }
    }

    /// Returns the end of the region's closer at `at`.
    fn closer(&self, engine: &Engine, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        if let Some(closer) = self.own_closer(engine) {
            return stands(view, at, [closer], &self.mark);
        }
        // Reasoning that the prompt opened: any of the caller's dialect closes it, else a strong one of all.
        let Catalog { closers, answers, .. } = &*engine.catalog;
        let end = closers.stands(view, at)?.max(answers.stands(view, at)?);
        let [only] = &engine.catalog.dialects[..] else { return Ok(end) };
        Ok(stands(view, at, only.reasoning.iter().filter_map(|own| own.tail.first()), &self.mark)?.max(end))
    }

    fn own_closer<'e>(&self, engine: &'e Engine) -> Option<&'e Literal> {
        let candidate: &Candidate = &engine.catalog.candidates[self.candidate?];
        engine.catalog.pattern(candidate)?.tail.first()
    }

    /// Returns whether a literal that occurs only between regions and calls is at `at`.
    fn meets_skip(&self, engine: &Engine, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        let Some(number) = self.candidate else { return Ok(false) };
        let dialect = engine.catalog.dialect(&engine.catalog.candidates[number]);
        Ok(view.starts_with_any(at, &dialect.skip)?.is_some())
    }

    /// Decides what a call inside is. While one is held, later ones need no decision.
    fn call(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<Option<RegionExit>, NotYet> {
        let policy = engine.options.calls_in_reasoning;
        let quotes = self.is_reasoning && policy == CallsInReasoning::Quote;
        let has_calls = self.is_reasoning && self.inside != Inside::Opaque || self.inside == Inside::Calls;
        if quotes || !has_calls || self.held.is_some() {
            return Ok(None);
        }
        let at = self.scan;
        let cut = view.limited(at.saturating_add(engine.options.limits.held));
        let number = match self.call_begins(engine, cut, sink) {
            Err(NotYet) if cut.end() < view.end() => {
                let message = "not decided within the limit `held`; not read as a call";
                sink.diagnose(Code::LimitHeld, at..cut.end(), message);
                None
            }
            found => found?,
        };
        let Some(number) = number else { return Ok(None) };
        if !self.is_reasoning {
            return Ok(Some(RegionExit::Interlude(at)));
        }
        if self.inside_of(engine, number) == Inside::Calls {
            return Ok(Some(RegionExit::Interlude(at)));
        }
        if policy == CallsInReasoning::End {
            return Ok(Some(RegionExit::Call(at)));
        }
        self.held = Some(at);
        Ok(None)
    }

    /// Returns the candidate of the call with strong markers that begins here.
    fn call_begins(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<Option<usize>, NotYet> {
        let (at, exhausted, mut found) = (self.scan, sink.is_frugal(self.scan), Vec::new());
        if let Some(in_vain) = self.lost.again(view, at, &exhausted)? {
            sink.in_vain += in_vain;
            return Ok(None);
        }
        engine.catalog.strong.find(view, at, &mut found)?;
        found.retain(|number| engine.catalog.candidates[*number].is_strong_call());
        engine.catalog.rank(&mut found);
        let mut in_vain = 0;
        for number in &found {
            let pattern_ref = engine.catalog.candidates[*number].pattern_ref();
            let trial = TrialContext { exhausted, ..TrialContext::nested(engine, view, at, pattern_ref) };
            match try_call(&trial, Head::default())? {
                Trial::Ready(_) => return Ok(Some(*number)),
                Trial::Dead { read, .. } => in_vain += read - at,
                Trial::Rejected(_) => {}
            }
        }
        if !found.is_empty() {
            sink.in_vain += in_vain;
            self.keep_lost(view, exhausted, in_vain);
        }
        Ok(None)
    }

    /// Stores an opener at which no call began, unless the end of the input or a special token may have decided.
    fn keep_lost(&mut self, view: View<'_>, exhausted: bool, in_vain: usize) {
        // The bytes of its heads and those of its body tell whether a call begins.
        let peeked = view.peek(self.scan, 2 * REACH);
        if !view.has_marks() && (peeked.len() == 2 * REACH || view.final_end().is_err()) {
            self.lost.keep(peeked, exhausted, in_vain);
        }
    }

    /// The rule of the call's own dialect for calls inside such a region; several dialects share one region.
    fn inside_of(&self, engine: &Engine, number: usize) -> Inside {
        let dialect = engine.catalog.dialect(&engine.catalog.candidates[number]);
        let own = self.own_closer(engine);
        let shares = |pattern: &&Pattern| own.is_none_or(|closer| pattern.tail.first() == Some(closer));
        let body = dialect.reasoning.iter().find(shares).and_then(|pattern| pattern.body.as_ref());
        body.map_or(self.inside, |body| body.inside)
    }

    /// A draft that exceeds the limit is a quotation.
    fn give_up_holding(&mut self, engine: &Engine, sink: &mut Sink) {
        let limit = engine.options.limits.held;
        if let Some(held) = self.held.filter(|held| self.scan - held > limit) {
            let message = "call inside reasoning exceeds the limit `held`; treated as reasoning";
            sink.diagnose(Code::LimitHeld, held..held + limit, message);
            self.held = None;
            self.inside = Inside::Opaque;
        }
    }
}
