//! The scanner: passes text, and starts contests at openers.

use std::ops::Range;
use std::sync::Arc;

use super::catalog::{CandidateRole, Strength};
use super::contest::{Proof, Rejection, Winner};
use super::engine::Engine;
use super::head::Head;
use super::markdown::MarkdownState;
use crate::diagnostic::Code;
use crate::event::Outcome;
use crate::options::{Options, ReasoningOpen};
use crate::sink::Sink;
use crate::trace::{Action, Step};
use crate::view::{NotYet, View};
use drafts::CloserSearch;
use lost::{LostContests, looks_ahead};
use turns::TurnChain;

mod drafts;
mod entrants;
mod lost;
mod markup;
mod plain;
mod proven;
mod stop;
mod trials;
mod turns;

/// Reads text up to the next call or region.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scanner {
    /// Everything before has been decided.
    pub(super) at: usize,
    place: MarkdownState,
    /// The dialect of the last call: its closers may be repeated.
    last: Option<usize>,
    seen: TextSeen,
    turns: TurnChain,
    /// The last call's closers that repeat its name.
    named_closers: Vec<String>,
    /// No more reasoning regions open: one of them never closed.
    pub(crate) no_reasoning: bool,
    /// Reasoning has occurred: no call after it is a draft.
    knows_reasoning: bool,
    sought: CloserSearch,
    /// The tool of a draft that was the whole reasoning.
    drafted: Option<Arc<str>>,
    /// The candidates that are alive at `at`, the highest rank first.
    contest: Option<Vec<usize>>,
    /// They are of the last call's dialect; others may compete if all of them die.
    kin_alone: bool,
    /// The proof of the first of them.
    proof: Option<Box<Proof>>,
    lost: LostContests,
    /// There are candidates at `at`, and none of them needs the bytes before it.
    looks_ahead: bool,
    /// A call that parsed but was rejected; no other reading may replace it.
    rejected: Option<Rejection>,
    /// What was read of calls that could not begin: they may quote what opens there.
    unread: Range<usize>,
    /// How far the contest here read of them.
    unread_here: usize,
    /// Bytes of look-ahead for candidates that died.
    wasted_lookahead: usize,
    /// How many those were when the contest began.
    wasted_before: usize,
    /// The current or last fence or code span contains an opener.
    quotes_opener: bool,
    /// It has been reported that there are too many calls.
    told_limit: bool,
    /// The position at which a call would begin if text could spell special tokens.
    forged: Option<Range<usize>>,
    /// All such text before this has been reported.
    told_forged: usize,
    pub(crate) trace: Option<Vec<Step>>,
}

/// Facts about the text so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct TextSeen {
    /// It quotes a turn's start, so it quotes the ends of turns, too.
    quotes_turns: bool,
    /// Something that could be a call began: closers after it may belong to it.
    tried_call: bool,
}

/// The result of a contest.
enum ContestOutcome {
    Won(ScanFound),
    /// A literal without meaning was here.
    Skipped,
    Lost,
}

/// What the scanner found.
#[derive(Debug)]
pub(crate) enum ScanFound {
    Call(Box<Winner>),
    /// A complete call that has been emitted; text continues at `at`.
    Said {
        dialect: usize,
        at: usize,
    },
    /// A region whose text starts here.
    Region {
        candidate: usize,
        head: Box<Head>,
        at: usize,
    },
    /// The end of the input.
    End,
}

impl Scanner {
    pub(crate) fn new(options: &Options) -> Self {
        let knows_reasoning = options.reasoning_open == ReasoningOpen::Yes;
        Self { place: MarkdownState::start(), knows_reasoning, ..Self::default() }
    }

    /// Continues at `at`, after a call; its closers may be repeated.
    pub(crate) fn resume_after_call(&mut self, at: usize, dialect: usize, named_closers: Vec<String>) {
        (self.last, self.named_closers) = (Some(dialect), named_closers);
        self.resume_after(at);
    }

    /// Continues at `at`, after something that was not text.
    pub(crate) fn resume_after(&mut self, at: usize) {
        self.at = at;
        self.place.refresh();
        self.lost.clear();
    }

    /// Returns the worst outcome of the calls before, and of those that could not begin and may quote what opens here.
    fn worst(&self, sink: &Sink) -> Outcome {
        if self.unread.start < self.at && self.at < self.unread.end { Outcome::Broken } else { sink.worst() }
    }

    /// Passes text without openers; false if something needs a decision.
    #[inline]
    pub(crate) fn pass_plain(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> bool {
        if self.contest.is_some() {
            return false;
        }
        let rest = view.rest(self.at);
        if self.place.is_amid_line()
            && (engine.catalog.turns.is_absent(rest) || !self.seen.tried_call && self.place.is_quoted_words(rest))
        {
            self.at = view.end();
            sink.text(self.at);
            return true;
        }
        self.pass_quoted(view, sink);
        if self.at == view.end() {
            return true;
        }
        let next = self.next_stop(engine, view);
        let upto = next.unwrap_or(view.end());
        if upto + 1 < view.end() {
            return false;
        }
        self.pass(view, upto, sink);
        true
    }

    /// Returns whether words pass as they are.
    pub(super) fn is_amid_words(&self) -> bool {
        self.contest.is_none() && self.place.is_amid_line()
    }

    /// Continues reading to the next call or region; text goes to the sink.
    #[inline]
    pub(crate) fn resume(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<ScanFound, NotYet> {
        loop {
            // While candidates compete, the place where they do is known.
            if self.contest.is_none() {
                self.pass_quoted(view, sink);
                let Some(at) = self.next_stop(engine, view) else {
                    self.pass(view, view.end(), sink);
                    view.final_end()?;
                    return Ok(ScanFound::End);
                };
                self.note_next_stop(engine, view);
                self.pass(view, at, sink);
                if self.place.is_in_fence() && !self.seen.tried_call {
                    continue;
                }
                // One byte alone opens nothing, and most that follow say so.
                view.byte(at + 1)?;
            }
            if let Some(found) = self.open(engine, view, sink)? {
                return Ok(found);
            }
        }
    }

    /// Passes what a fence quotes: calls there are not examined, unless the fence may belong to one.
    fn pass_quoted(&mut self, view: View<'_>, sink: &mut Sink) {
        if let Some(mark) = self.place.fence_mark() {
            let marks = view.rest(self.at).iter().take_while(|byte| **byte == mark).count();
            self.pass(view, self.at + marks, sink);
        }
        let passed = if self.seen.tried_call { 0 } else { self.place.pass_fence(view.rest(self.at)) };
        if passed > 0 {
            self.at += passed;
            sink.text(self.at);
        }
    }

    /// Returns bytes up to `upto` as text.
    #[inline(always)]
    fn pass(&mut self, view: View<'_>, upto: usize, sink: &mut Sink) {
        if upto > self.at {
            self.place.pass(&view.rest(self.at)[..upto - self.at]);
            self.at = upto;
            sink.text(upto);
        }
    }

    /// Decides what is at `at`: an unmatched closer, a call, a region, or text.
    fn open(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<Option<ScanFound>, NotYet> {
        let cut = view.limited(self.at.saturating_add(engine.options.limits.held));
        if self.pass_lost(engine, view, sink)? {
            return Ok(None);
        }
        if let Some(said) = self.pass_plain_call(engine, view, sink) {
            return Ok(Some(said));
        }
        let found = match self.decide_bounded(engine, cut, sink) {
            Err(NotYet) if cut.end() < view.end() => {
                self.wasted_lookahead += cut.end() - self.at;
                let message = "not decided within the limit `held`; treated as text";
                sink.diagnose(Code::LimitHeld, self.at..cut.end(), message);
                ContestOutcome::Lost
            }
            decided => decided?,
        };
        let forged = self.forged.take();
        (self.contest, self.proof) = (None, None);
        match found {
            ContestOutcome::Won(found) => return Ok(Some(found)),
            ContestOutcome::Skipped => {}
            ContestOutcome::Lost => {
                // Text that would have been a call is reported once.
                if let Some(forged) = forged.filter(|forged| forged.start >= self.told_forged) {
                    self.told_forged = forged.end;
                    sink.diagnose(Code::MarkerInText, forged, "call not opened by a special token; treated as text");
                }
                self.give_back(view, sink);
            }
        }
        Ok(None)
    }

    /// Determines the candidates at `at`, and lets them compete.
    fn decide(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<ContestOutcome, NotYet> {
        if self.contest.is_none() {
            if let Some(end) = self.orphan(engine, view)? {
                self.knows_reasoning |= engine.catalog.closers.stands(view, self.at)?.is_some();
                sink.diagnose(Code::OrphanCloser, self.at..end, "closing marker without an opening one");
                sink.markup(end);
                self.resume_after(end);
                return Ok(ContestOutcome::Skipped);
            }
            let kin = self.kin(engine, view)?;
            (self.wasted_before, self.unread_here) = (self.wasted_lookahead, 0);
            self.kin_alone = !kin.is_empty();
            let entrants = if kin.is_empty() { self.entrants(engine, view)? } else { kin };
            if self.enter(engine, view, entrants, sink)? {
                return Ok(ContestOutcome::Skipped);
            }
        }
        match self.compete(engine, view, sink)? {
            ContestOutcome::Lost if self.kin_alone && self.rejected.is_none() => {
                let all = self.entrants(engine, view)?;
                if self.enter(engine, view, all, sink)? {
                    return Ok(ContestOutcome::Skipped);
                }
                self.kin_alone = false;
                if let (Some(alive), Some(last)) = (&mut self.contest, self.last) {
                    alive.retain(|number| !engine.catalog.is_call_of(last, *number));
                }
                self.compete(engine, view, sink)
            }
            decided => Ok(decided),
        }
    }

    /// Lets candidates compete; true if an empty section is here.
    fn enter(&mut self, engine: &Engine, view: View<'_>, alive: Vec<usize>, sink: &mut Sink) -> Result<bool, NotYet> {
        if let Some(end) = engine.catalog.empty_section(view, self.at, &alive)? {
            sink.markup(end);
            self.resume_after(end);
            return Ok(true);
        }
        if !alive.is_empty() {
            self.step(Action::Opened, None, self.at..self.at, || format!("{} candidates", alive.len()));
        }
        for candidate in alive.iter().map(|number| &engine.catalog.candidates[*number]) {
            self.seen.tried_call |= candidate.role == CandidateRole::Call;
            // Its fences quote nothing, also where it is damaged.
            if candidate.writes_fence && candidate.evidence == Strength::Strong {
                self.place.ignores_fences = true;
            }
        }
        self.looks_ahead = looks_ahead(engine, &alive) && !self.is_indented(view);
        self.contest = Some(alive);
        Ok(false)
    }

    /// All candidates died: a rejected call is text as a whole, otherwise the next byte may open another.
    fn give_back(&mut self, view: View<'_>, sink: &mut Sink) {
        let Some(rejection) = self.rejected.take() else {
            let next = view.slice(self.at, view.end()).chars().next().map_or(1, char::len_utf8);
            return self.pass(view, self.at + next, sink);
        };
        sink.diagnose(rejection.code, self.at..rejection.end, rejection.message);
        self.place.pass_whole(&view.rest(self.at)[..rejection.end - self.at]);
        self.at = rejection.end;
        sink.text(self.at);
    }

    fn step(&mut self, action: Action, dialect: Option<Arc<str>>, span: Range<usize>, detail: impl FnOnce() -> String) {
        if let Some(trace) = &mut self.trace {
            trace.push(Step { span, action, dialect, detail: detail() });
        }
    }
}
