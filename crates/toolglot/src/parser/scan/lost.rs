//! Lost contests: models in a loop write the same bytes again, and all of their contests are lost
//! again.
//!
//! The outcome of a contest depends on the bytes from its opener on, and on the state before it. A contest
//! that nearby bytes decided is therefore stored with these bytes.

use super::{ContestOutcome, Scanner, TextSeen};
use crate::event::Outcome;
use crate::parser::catalog::Strength;
use crate::parser::engine::Engine;
use crate::parser::markdown::TextBefore;
use crate::parser::recent::RecentPlaces;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Bytes that may decide a contest: those of an opener and what it opens, and those of the longest fields in heads.
const REACHES: [usize; 2] = [64, 512];

/// Bytes of futile look-ahead before the limit also depends on the text so far: a quarter of the
/// default held text. From then on, look-ahead is bounded by twice the passed text, so the total stays linear
/// however often an opener leads nowhere.
const WASTED_LOOKAHEAD: usize = 1 << 18;

/// Contests that were lost since the last call or region.
#[derive(Clone, Debug, Default)]
pub(super) struct LostContests {
    /// One was lost, stored or not.
    any: bool,
    /// The state at the beginning of the current one, if it may be stored.
    began: Option<(Standing, usize)>,
    kept: RecentPlaces<Standing, LostContest>,
    /// The index and position of the one that was stored last, until the scanner stops again.
    last: Option<(usize, usize)>,
}

/// The result of a lost contest.
#[derive(Clone, Copy, Debug)]
struct LostContest {
    seen: TextSeen,
    /// Bytes of futile look-ahead, and those of calls that could not begin.
    wasted: usize,
    unread: usize,
    /// The distance to the scanner's next stop, if the bytes determine it and no mark of Markdown is in between.
    stop: Option<usize>,
}

/// The parts of the state that a contest may depend on, outside code and without a call or region in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    before: TextBefore,
    seen: TextSeen,
    /// A call may be a draft.
    drafts: bool,
    worst: Outcome,
    /// Futile look-ahead has used up its limit, so the look-ahead is restricted.
    exhausted: bool,
}

impl LostContests {
    pub(super) fn clear(&mut self) {
        (self.any, self.last) = (false, None);
        self.kept.clear();
    }
}

impl Scanner {
    /// Allows contests to be decided again; false if that changes nothing.
    pub(crate) fn forget_lost(&mut self) -> bool {
        let waits = self.contest.is_none() && !self.lost.kept.is_empty();
        self.lost.clear();
        waits
    }

    /// Decides a contest, by nearby bytes once one was lost: the same bytes need not be tried again.
    pub(super) fn decide_bounded(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        sink: &mut Sink,
    ) -> Result<ContestOutcome, NotYet> {
        let begins = self.contest.is_none();
        if begins {
            let keeps = self.lost.any && self.may_repeat(engine, view, sink);
            self.lost.began = keeps.then(|| (self.standing(engine, sink), self.wasted_lookahead));
        }
        for reach in REACHES {
            let bounded = view.limited(self.at + reach);
            // What was sought further away is not to be sought in less.
            if !begins || self.lost.began.is_none() || bounded.end() == view.end() || self.sought.to > bounded.end() {
                break;
            }
            match self.decide(engine, bounded, sink) {
                Err(NotYet) => {}
                Ok(ContestOutcome::Lost) => {
                    self.keep_lost(engine, bounded, sink);
                    return Ok(ContestOutcome::Lost);
                }
                decided => return decided,
            }
        }
        let found = self.decide(engine, view, sink)?;
        if matches!(found, ContestOutcome::Lost) {
            // What is decided before the input's end depends on what is visible.
            if view.final_end().is_err() && view.end() - self.at <= REACHES[1] {
                self.keep_lost(engine, view, sink);
            }
            self.lost.any |= self.looks_ahead;
        }
        Ok(found)
    }

    /// Stores the contest that was lost here with the bytes of `bounded`.
    fn keep_lost(&mut self, engine: &Engine, bounded: View<'_>, sink: &Sink) {
        let Some((before, wasted)) =
            self.lost.began.filter(|_| self.looks_ahead && self.may_repeat(engine, bounded, sink))
        else {
            return;
        };
        let (wasted, unread) = (self.wasted_lookahead - wasted, self.unread_here.saturating_sub(self.at));
        let lost = LostContest { seen: self.seen, wasted, unread, stop: None };
        let number = self.lost.kept.keep(bounded.rest(self.at), before, lost);
        self.lost.last = Some((number, self.at));
    }

    /// Records where the scanner stops next after the contest that was stored last.
    pub(super) fn note_next_stop(&mut self, engine: &Engine, view: View<'_>) {
        let Some((number, place)) = self.lost.last.take() else { return };
        let end = self.lost.kept.get_mut(number).map_or(0, |(bytes, _)| place + bytes.len());
        let stop = if self.at < end { self.next_stop(engine, view.limited(end)) } else { None };
        if let Some((bytes, lost)) = self.lost.kept.get_mut(number) {
            lost.stop =
                stop.map(|stop| stop - place).filter(|stop| memchr::memchr2(b'`', b'~', &bytes[..*stop]).is_none());
        }
    }

    /// Skips what begins here like a lost contest, as often as it repeats; false if there is none. Waits if a
    /// few more bytes decide.
    pub(super) fn pass_lost(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<bool, NotYet> {
        let from = self.at;
        while let Some(stop) = self.lost_again(engine, view, sink)? {
            match stop {
                Some(stop) => self.pass(view, self.at + stop, sink),
                None => {
                    self.give_back(view, sink);
                    break;
                }
            }
        }
        Ok(self.at > from)
    }

    /// Returns whether the contest that begins here was lost before, and where the scanner then stops next, if known.
    fn lost_again(&mut self, engine: &Engine, view: View<'_>, sink: &Sink) -> Result<Option<Option<usize>>, NotYet> {
        if self.lost.kept.is_empty() || self.contest.is_some() || !self.may_repeat(engine, view, sink) {
            return Ok(None);
        }
        let Some(lost) = self.lost.kept.again(view, self.at, &self.standing(engine, sink))?.copied() else {
            return Ok(None);
        };
        self.wasted_lookahead += lost.wasted;
        self.seen = lost.seen;
        if lost.unread > 0 {
            self.add_unread(self.at + lost.unread);
        }
        Ok(Some(lost.stop))
    }

    /// Returns whether a contest here depends only on what is stored.
    fn may_repeat(&self, engine: &Engine, view: View<'_>, sink: &Sink) -> bool {
        let careful = engine.options.careful || view.has_marks();
        let asked = careful || self.trace.is_some() || self.rejected.is_some();
        !asked && sink.started < engine.options.limits.calls && self.place.is_unquoted()
    }

    /// Returns whether futile look-ahead has used up its limit, so that candidates that need more die: before this contest, or
    /// by far within it. So a short contest reads the same from its first candidate to its last.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted_by(self.wasted_before)
            || self.is_exhausted_by(self.wasted_lookahead.saturating_sub(WASTED_LOOKAHEAD))
    }

    pub(super) fn is_exhausted_by(&self, wasted: usize) -> bool {
        wasted > 2 * self.at + WASTED_LOOKAHEAD
    }

    /// Records how far a call was read that could not begin here.
    pub(super) fn add_unread(&mut self, read: usize) {
        let from = if self.at < self.unread.end { self.unread.start } else { self.at };
        self.unread = from..read.max(self.unread.end);
        self.unread_here = self.unread_here.max(read);
    }

    #[inline]
    fn standing(&self, engine: &Engine, sink: &Sink) -> Standing {
        Standing {
            before: self.place.text_before(),
            seen: self.seen,
            drafts: self.may_be_draft(engine, Strength::Weak),
            worst: self.worst(sink),
            exhausted: self.is_exhausted_by(self.wasted_lookahead),
        }
    }
}

/// Returns whether there are candidates, and none of them needs the bytes before it.
pub(super) fn looks_ahead(engine: &Engine, entrants: &[usize]) -> bool {
    let back = |number: &usize| engine.catalog.candidates[*number].evidence == Strength::Dynamic;
    !entrants.is_empty() && !entrants.iter().any(back)
}
