//! Contests that were lost: models in a loop write the same bytes again, and all are lost
//! again.
//!
//! What happens to a contest depends on the bytes from its opener on, and on what is known of the text before. A contest
//! that was decided by the bytes that are near is therefore kept by these.

use super::{ContestOutcome, Scanner, TextSeen};
use crate::parser::catalog::Strength;
use crate::parser::engine::Engine;
use crate::parser::markdown::TextBefore;
use crate::parser::recent::RecentPlaces;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Bytes by which a contest may be decided: those of an opener and what it opens, and those of the longest fields in heads.
const NEAR: [usize; 2] = [64, 512];

/// Bytes that a message may read ahead in vain before what it has already passed counts, too: a quarter of the
/// default held text. Then look-ahead is bounded by twice the text that has gone by, so the total stays linear
/// however often an opener leads nowhere.
const WASTED_LOOKAHEAD: usize = 1 << 18;

/// Contests that were lost since the last call or region.
#[derive(Clone, Debug, Default)]
pub(super) struct LostContests {
    /// One was lost, kept or not.
    any: bool,
    /// What was known, and what had been read in vain, when the current one began, if it may be kept.
    began: Option<(Standing, usize)>,
    kept: RecentPlaces<Standing, LostContest>,
    /// The number of the one that was kept last, and its place, until the scanner stops again.
    last: Option<(usize, usize)>,
}

/// What a contest left that was lost.
#[derive(Clone, Copy, Debug)]
struct LostContest {
    seen: TextSeen,
    /// Bytes read ahead in vain.
    wasted: usize,
    /// How far after its place the scanner stops again, if its bytes say so and no mark of Markdown is between.
    stop: Option<usize>,
}

/// What a contest may learn of the text before it, where no code quotes it and no call or region came between.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Standing {
    before: TextBefore,
    seen: TextSeen,
    /// A call may be a draft.
    drafts: bool,
    /// So much was read ahead in vain that less is looked at.
    exhausted: bool,
}

impl LostContests {
    pub(super) fn clear(&mut self) {
        (self.any, self.last) = (false, None);
        self.kept.clear();
    }
}

impl Scanner {
    /// Lets contests be decided anew; false if that changes nothing.
    pub(crate) fn forget_lost(&mut self) -> bool {
        let waits = self.contest.is_none() && !self.lost.kept.is_empty();
        self.lost.clear();
        waits
    }

    /// Decides a contest, by what is near once one was lost: the same bytes need not be asked again.
    pub(super) fn decide_near(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        sink: &mut Sink,
    ) -> Result<ContestOutcome, NotYet> {
        let begins = self.contest.is_none();
        if begins {
            let keeps = self.lost.any && self.may_repeat(engine, view, sink);
            self.lost.began = keeps.then(|| (self.standing(engine), self.wasted_lookahead));
        }
        for reach in NEAR {
            let near = view.limited(self.at + reach);
            // What was sought further away is not to be sought in less.
            if !begins || self.lost.began.is_none() || near.end() == view.end() || self.sought.to > near.end() {
                break;
            }
            match self.decide(engine, near, sink) {
                Err(NotYet) => {}
                Ok(ContestOutcome::Lost) => {
                    self.keep_lost(engine, near, sink);
                    return Ok(ContestOutcome::Lost);
                }
                decided => return decided,
            }
        }
        let found = self.decide(engine, view, sink)?;
        if matches!(found, ContestOutcome::Lost) {
            // What is decided before the input's end depends on what is visible.
            if view.final_end().is_err() && view.end() - self.at <= NEAR[1] {
                self.keep_lost(engine, view, sink);
            }
            self.lost.any |= self.looks_ahead;
        }
        Ok(found)
    }

    /// Keeps the contest that was lost here by the bytes of `near`.
    fn keep_lost(&mut self, engine: &Engine, near: View<'_>, sink: &Sink) {
        let Some((before, wasted)) =
            self.lost.began.filter(|_| self.looks_ahead && self.may_repeat(engine, near, sink))
        else {
            return;
        };
        let lost = LostContest { seen: self.seen, wasted: self.wasted_lookahead - wasted, stop: None };
        let number = self.lost.kept.keep(near.rest(self.at), before, lost);
        self.lost.last = Some((number, self.at));
    }

    /// Notes where the scanner stops next after the contest that was kept last.
    pub(super) fn note_next_stop(&mut self, engine: &Engine, view: View<'_>) {
        let Some((number, place)) = self.lost.last.take() else { return };
        let end = self.lost.kept.get_mut(number).map_or(0, |(bytes, _)| place + bytes.len());
        let stop = if self.at < end { self.next_stop(engine, view.limited(end)) } else { None };
        if let Some((bytes, lost)) = self.lost.kept.get_mut(number) {
            lost.stop =
                stop.map(|stop| stop - place).filter(|stop| memchr::memchr2(b'`', b'~', &bytes[..*stop]).is_none());
        }
    }

    /// Passes what begins here as a contest did that was lost, as often as that repeats; false if nothing does. Waits where a
    /// few bytes more tell.
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

    /// Returns whether the contest that begins here was lost before, and where the scanner then stops next, if that is known.
    fn lost_again(&mut self, engine: &Engine, view: View<'_>, sink: &Sink) -> Result<Option<Option<usize>>, NotYet> {
        if self.lost.kept.is_empty() || self.contest.is_some() || !self.may_repeat(engine, view, sink) {
            return Ok(None);
        }
        let Some(lost) = self.lost.kept.again(view, self.at, &self.standing(engine))? else { return Ok(None) };
        self.wasted_lookahead += lost.wasted;
        self.seen = lost.seen;
        Ok(Some(lost.stop))
    }

    /// Returns whether a contest here depends on only what is kept of it.
    fn may_repeat(&self, engine: &Engine, view: View<'_>, sink: &Sink) -> bool {
        let careful = engine.options.careful || view.has_marks();
        let asked = careful || self.trace.is_some() || self.rejected.is_some();
        !asked && sink.started < engine.options.limits.calls && self.place.is_unquoted()
    }

    /// Returns whether so much was read ahead in vain that candidates which need more of it die: before this contest, or far more
    /// in it. So a short one reads the same from its first candidate to its last.
    pub(super) fn is_exhausted(&self) -> bool {
        self.is_exhausted_by(self.wasted_before)
            || self.is_exhausted_by(self.wasted_lookahead.saturating_sub(WASTED_LOOKAHEAD))
    }

    pub(super) fn is_exhausted_by(&self, wasted: usize) -> bool {
        wasted > 2 * self.at + WASTED_LOOKAHEAD
    }

    #[inline]
    fn standing(&self, engine: &Engine) -> Standing {
        Standing {
            before: self.place.text_before(),
            seen: self.seen,
            drafts: self.may_be_draft(engine, Strength::Weak),
            exhausted: self.is_exhausted_by(self.wasted_lookahead),
        }
    }
}

/// Returns whether there are candidates, and none of them asks for the bytes before it.
pub(super) fn looks_ahead(engine: &Engine, entrants: &[usize]) -> bool {
    let back = |number: &usize| engine.catalog.candidates[*number].evidence == Strength::Dynamic;
    !entrants.is_empty() && !entrants.iter().any(back)
}
