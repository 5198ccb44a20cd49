//! The candidates at a position, one by one: the first in rank order that does not die wins once it is ready.

use super::{ContestOutcome, ScanFound, Scanner};
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Literal, Pattern};
use crate::options::Evidence;
use crate::parser::catalog::{CandidateRole, Strength, skipped};
use crate::parser::contest::{Company, HeadResult, SectionHead, Trial, TrialContext, go_on, heads, try_body, try_call};
use crate::parser::engine::Engine;
use crate::parser::head::{Head, nodes, skip_line_break};
use crate::sink::Sink;
use crate::trace::Action;
use crate::view::{NotYet, View};

/// Heads of candidates that others share.
#[derive(Default)]
struct SharedHeads {
    /// Complete heads, of at most two kinds.
    whole: [Option<(usize, HeadResult)>; 2],
    /// The end of a section's head.
    section: Option<(usize, usize)>,
}

impl Scanner {
    /// Lets candidates continue reading.
    pub(super) fn compete(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        sink: &mut Sink,
    ) -> Result<ContestOutcome, NotYet> {
        let mut shared = SharedHeads::default();
        while let Some(&number) = self.contest.as_ref().and_then(|alive| alive.first()) {
            let candidate = &engine.catalog.candidates[number];
            let literal = || skipped(engine.catalog.dialect(candidate), candidate).map_or("", String::as_str);
            let found = match candidate.role {
                CandidateRole::Skip if !self.may_skip(engine, view, literal())? => None,
                CandidateRole::TurnEnd if !self.may_end(engine, view, number)? => None,
                CandidateRole::TurnStart => {
                    // It is text, and remembered.
                    self.seen.quotes_turns |= view.starts_with(self.at, literal())?;
                    None
                }
                CandidateRole::Skip | CandidateRole::TurnEnd => {
                    let length = literal().len();
                    sink.markup(self.at + length);
                    self.resume_after(self.at + length);
                    return Ok(ContestOutcome::Skipped);
                }
                CandidateRole::Call if sink.started >= engine.options.limits.calls => {
                    if !std::mem::replace(&mut self.told_limit, true) {
                        let message = "too many calls (limit `calls`); treated as text";
                        sink.diagnose(Code::LimitCalls, self.at..self.at, message);
                    }
                    None
                }
                CandidateRole::Call => self.try_candidate(engine, view, number, sink, &mut shared)?,
                CandidateRole::Reasoning | CandidateRole::Content => match engine.catalog.pattern(candidate) {
                    Some(pattern) if !engine.catalog.dialect(candidate).is_proven_by_closer(pattern) => {
                        self.try_region(view, number, pattern)?
                    }
                    Some(pattern) if self.whole_region(view, engine.catalog.dialect(candidate), pattern, sink)? => {
                        return Ok(ContestOutcome::Skipped);
                    }
                    _ => None,
                },
            };
            self.knows_reasoning |= found.is_some() && candidate.role == CandidateRole::Reasoning;
            if let Some(found) = found {
                return Ok(ContestOutcome::Won(found));
            }
            if self.rejected.is_some() {
                return Ok(ContestOutcome::Lost);
            }
            if let Some(alive) = &mut self.contest {
                alive.remove(0);
            }
        }
        Ok(ContestOutcome::Lost)
    }

    fn try_candidate(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        number: usize,
        sink: &Sink,
        shared: &mut SharedHeads,
    ) -> Result<Option<ScanFound>, NotYet> {
        let candidate = &engine.catalog.candidates[number];
        let pattern_ref = candidate.pattern_ref();
        let weak = candidate.evidence == Strength::Weak;
        let fence = candidate.fence.is_some() && engine.pattern(pattern_ref).kind() == Some(BodyKind::Kwargs);
        let element = self.element(engine, view, number)?;
        let asks = element.is_some_and(|company| company != Company::Anything);
        let unopened = candidate.section.is_none() && engine.pattern(pattern_ref).is_unopened();
        let prove = weak && (unopened || fence && engine.catalog.is_auto() || self.must_prove(engine)) || asks;
        let context = TrialContext {
            weak: weak || candidate.evidence == Strength::Dynamic,
            company: match element {
                _ if !prove => None,
                _ if candidate.is_named => Some(Company::Nothing),
                Some(Company::Anything) if self.is_bare_amid_text(engine, view)? => Some(Company::Objects),
                element => element,
            },
            calls: sink.started,
            worst: self.worst(sink),
            named: candidate.is_named,
            fence,
            fresh: self.place.is_fresh(),
            exhausted: self.is_exhausted(),
            held: self.may_be_draft(engine, candidate.evidence),
            ..TrialContext::new(engine, view, self.at, pattern_ref)
        };
        let trial = if candidate.is_barred {
            Trial::Dead { why: "not opened by a special token", read: self.at }
        } else if element.is_none() {
            Trial::Dead { why: "an element of ordinary markup", read: self.at }
        } else if let Some(begun) = self.proof.take() {
            go_on(&context, begun, &mut self.proof)?
        } else {
            let heads = self.heads_of(&context, number, shared)?;
            try_body(&context, heads, &mut self.proof)?
        };
        let trial = self.unless_draft(engine, view, trial)?;
        self.settle(&context, trial)
    }

    /// Reads a candidate's heads, unless they are known; stores them for candidates with equal heads.
    fn heads_of(
        &self,
        context: &TrialContext<'_>,
        number: usize,
        shared: &mut SharedHeads,
    ) -> Result<HeadResult, NotYet> {
        let catalog = &context.engine.catalog;
        let alike =
            |one, other, heads: &HeadResult| catalog.are_alike(one, other, heads.section == SectionHead::Lacking);
        let is_known = |(one, heads): &mut (usize, HeadResult)| alike(*one, number, heads) && !context.exhausted;
        let heads = match shared.whole.iter_mut().find_map(|slot| slot.take_if(is_known)) {
            Some((_, heads)) => heads,
            None => {
                let known = shared.section.filter(|(one, _)| catalog.have_alike_sections(*one, number));
                let section = known.map_or(SectionHead::None, |(_, end)| SectionHead::Plain(end));
                heads(context, Head::default(), section)?
            }
        };
        if let SectionHead::Plain(end) = heads.section {
            shared.section = Some((number, end));
        }
        let mut others = self.contest.iter().flatten().skip(1);
        if others.any(|other| alike(number, *other, &heads))
            && let Some(free) = shared.whole.iter_mut().find(|slot| slot.is_none())
        {
            *free = Some((number, heads.clone()));
        }
        Ok(heads)
    }

    /// Counts and traces the outcome of a candidate; returns it if it is ready.
    fn settle(&mut self, context: &TrialContext<'_>, trial: Trial) -> Result<Option<ScanFound>, NotYet> {
        let dialect = context.engine.dialect(context.pattern_ref).name.clone();
        let source = || &context.engine.pattern(context.pattern_ref).source;
        match trial {
            Trial::Ready(win) => {
                self.wasted_lookahead += win.in_vain;
                let detail = || source().clone().into_owned();
                self.step(Action::Committed, Some(dialect), self.at..win.start.at(), detail);
                return Ok(Some(ScanFound::Call(win)));
            }
            Trial::Rejected(rejection) => {
                self.wasted_lookahead += rejection.read - rejection.end;
                let why = rejection.message.clone();
                self.step(Action::Died, Some(dialect), self.at..rejection.end, || why);
                self.rejected = Some(rejection);
            }
            Trial::Dead { why, read } => {
                let why = if self.forges(context)? { FORGED } else { why };
                self.wasted_lookahead += read.saturating_sub(self.at);
                if context.pattern().opening().is_some_and(Literal::is_strong) {
                    self.add_unread(read);
                }
                let detail = || format!("{}: {why}", source());
                self.step(Action::Died, Some(dialect), self.at..read.clamp(self.at, context.view.end()), detail);
            }
        }
        Ok(None)
    }

    /// Returns whether a bare bracket is here after text: it is an example if more text follows.
    pub(super) fn is_bare_amid_text(&self, engine: &Engine, view: View<'_>) -> Result<bool, NotYet> {
        let object = match view.byte(self.at)? {
            Some(b'[') => view.byte(view.skip_blanks(self.at + 1)?)? == Some(b'{'),
            first => first == Some(b'{'),
        };
        Ok(object && engine.catalog.is_auto() && !self.place.is_fresh())
    }

    /// Returns whether a call would begin here if text could spell special tokens.
    fn forges(&mut self, context: &TrialContext<'_>) -> Result<bool, NotYet> {
        let TrialContext { engine, view, at, pattern_ref, exhausted, .. } = *context;
        if !view.has_marks() || exhausted {
            return Ok(false);
        }
        let plain = TrialContext::nested(engine, view.with_marks(None), at, pattern_ref);
        let Trial::Ready(win) = try_call(&plain, Head::default())? else { return Ok(false) };
        self.forged = Some(self.at..win.start.at());
        Ok(true)
    }

    /// Weak evidence must be proved if dialects compete, or if text precedes it.
    pub(super) fn must_prove(&self, engine: &Engine) -> bool {
        engine.options.evidence != Evidence::Eager && (engine.catalog.is_auto() || !self.place.is_fresh())
    }

    fn try_region(&self, view: View<'_>, number: usize, pattern: &Pattern) -> Result<Option<ScanFound>, NotYet> {
        let mut head = Head::default();
        let end = nodes(view, self.at, &pattern.head, None, &mut head)?;
        let Some(mut at) = end else { return Ok(None) };
        if pattern.body.as_ref().is_some_and(|body| body.line_before) {
            at = skip_line_break(view, at)?;
        }
        Ok(Some(ScanFound::Region { candidate: number, head: Box::new(head), at }))
    }
}

/// Why a call whose markers are spelled correctly is not a call.
const FORGED: &str = "spelled out in text, not a special token";
