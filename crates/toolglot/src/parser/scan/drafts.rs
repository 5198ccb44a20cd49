//! Drafts: calls in an answer that begins inside reasoning, which only its closer shows.
//!
//! ```text
//!   call … </think>            a draft: text
//!   call … <think>             a call: reasoning only begins here
//!   call … end of the input    a call
//! ```

use super::Scanner;
use crate::diagnostic::Code;
use crate::options::{Options, ReasoningOpen, Validation};
use crate::parser::catalog::{CandidateRole, Strength};
use crate::parser::contest::{Proof, Rejection, Trial, Winner};
use crate::parser::engine::Engine;
use crate::parser::head::{Head, nodes};
use crate::view::{NotYet, View};

/// How far a closer of reasoning has been searched for after a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CloserSearch {
    from: usize,
    pub(super) to: usize,
    /// A string is open at `to`: a quote of its line has no partner.
    in_string: bool,
    /// The byte before `to` is a backslash that escapes the next.
    escapes: bool,
    /// The closer is at `to`, or reasoning opens there.
    found: Option<bool>,
}

impl CloserSearch {
    fn begin(at: usize) -> Self {
        Self { from: at, to: at, ..Self::default() }
    }

    /// Skips bytes at which neither begins.
    fn pass(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.in_string = *byte != b'\n' && self.in_string != (*byte == b'"' && !self.escapes);
            self.escapes = *byte == b'\\' && !self.escapes;
        }
        self.to += bytes.len();
    }
}

impl Scanner {
    /// Returns whether a call here may be a draft: there was no reasoning so far, and its evidence is weak while
    /// dialects compete, or the caller does not know whether the prompt opened reasoning. A strict caller's calls are
    /// judged one by one.
    pub(super) fn may_be_draft(&self, engine: &Engine, evidence: Strength) -> bool {
        let Options { reasoning_open, validation, .. } = engine.options;
        let weak = evidence == Strength::Weak && engine.catalog.is_auto();
        let wanted = weak || reasoning_open == ReasoningOpen::Maybe;
        let unknown = wanted && !self.knows_reasoning && !engine.catalog.closers.is_empty();
        validation != Validation::Strict && (unknown || weak && self.drafted.is_some())
    }

    /// Lets a held call win unless it is a draft.
    pub(super) fn unless_draft(&mut self, engine: &Engine, view: View<'_>, trial: Trial) -> Result<Trial, NotYet> {
        let Trial::Ready(win) = trial else { return Ok(trial) };
        let Some(end) = win.proof.as_ref().map(|proof| proof.reading.anchor()) else { return Ok(Trial::Ready(win)) };
        let in_vain = win.in_vain;
        match self.against(engine, view, end, &win) {
            Err(NotYet) => {
                self.proof = Proof::of(win);
                Err(NotYet)
            }
            Ok(Some(message)) => {
                let message = message.to_owned();
                Ok(Trial::Rejected(Rejection { end, read: end + in_vain, code: Code::CallInReasoning, message }))
            }
            Ok(None) => {
                self.drafted = None;
                Ok(Trial::Ready(win))
            }
        }
    }

    /// Returns why a call is a draft. If a call was the whole reasoning, and the one after it is to another tool,
    /// nothing shows which of them was meant.
    fn against(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        end: usize,
        win: &Winner,
    ) -> Result<Option<&'static str>, NotYet> {
        let tool = &win.callee.name;
        if self.knows_reasoning {
            let other = self.drafted.as_ref().is_some_and(|drafted| drafted != tool);
            return Ok(other.then_some("a call to another tool precedes the end of the reasoning; treated as text"));
        }
        if engine.catalog.closers.is_empty()
            || is_followed(engine, view, end, win.pattern_ref.dialect)?
            || !self.closes_behind(engine, view, end)?
        {
            return Ok(None);
        }
        if self.place.is_fresh() && view.skip_blanks(end)? == self.sought.to {
            self.drafted = Some(tool.clone());
        }
        Ok(Some("a call before reasoning closes is a draft; treated as text"))
    }

    /// Returns whether an unmatched closer of reasoning follows `end`. One in a string of another call is data;
    /// one beyond the limit on held bytes does not count.
    fn closes_behind(&mut self, engine: &Engine, view: View<'_>, end: usize) -> Result<bool, NotYet> {
        if !(self.sought.from..=self.sought.to).contains(&end) {
            self.sought = CloserSearch::begin(end);
        }
        let limit = self.at.saturating_add(engine.options.limits.held);
        loop {
            if let Some(found) = self.sought.found {
                return Ok(found);
            }
            let rest = view.rest(self.sought.to);
            self.sought.pass(&rest[..engine.catalog.stops_in_regions().find(rest).unwrap_or(rest.len())]);
            if self.sought.to >= limit {
                return Ok(false);
            }
            if self.sought.to == view.end() {
                view.final_end()?;
                return Ok(false);
            }
            let at = self.sought.to;
            self.sought.found = if self.sought.in_string { None } else { reasoning_at(engine, view, at)? };
            if self.sought.found.is_none() {
                self.sought.pass(&view.rest(at)[..1]);
            }
        }
    }
}

/// Returns whether another call of the dialect may begin directly after one: a closer of reasoning there may be its data, so the
/// first is not a draft.
fn is_followed(engine: &Engine, view: View<'_>, end: usize, dialect: usize) -> Result<bool, NotYet> {
    let (next, mut opened) = (view.skip_blanks(end)?, Vec::new());
    engine.catalog.opened(view, next, true, &mut opened)?;
    let mut candidates = opened.iter().map(|number| &engine.catalog.candidates[*number]);
    Ok(candidates.any(|candidate| candidate.dialect == dialect && candidate.role == CandidateRole::Call))
}

/// Returns whether reasoning closes at `at`, or opens there.
fn reasoning_at(engine: &Engine, view: View<'_>, at: usize) -> Result<Option<bool>, NotYet> {
    if let Some(end) = engine.catalog.closers.stands(view, at)? {
        let is_quoted = view.rest(at - 1).first() == Some(&b'`') && view.byte(end)? == Some(b'`');
        return Ok((!is_quoted).then_some(true));
    }
    let mut opened = Vec::new();
    engine.catalog.opened(view, at, false, &mut opened)?;
    for candidate in opened.iter().map(|number| &engine.catalog.candidates[*number]) {
        let pattern = engine.catalog.pattern(candidate).filter(|_| candidate.role == CandidateRole::Reasoning);
        if let Some(pattern) = pattern
            && nodes(view, at, &pattern.head, None, &mut Head::default())?.is_some()
        {
            return Ok(Some(false));
        }
    }
    Ok(None)
}
