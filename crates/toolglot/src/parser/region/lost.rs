//! Openers at which no call began: where the same bytes stand again, as models that go round in circles write them, none does
//! either.

use crate::parser::contest::NEAR;
use crate::view::{NotYet, View};

/// So many are kept. What goes round in circles has a few openers in each.
const KEPT: usize = 4;

/// Whether a call begins is known by so many bytes: those of its heads, and those of its body.
const REACH: usize = 2 * NEAR;

/// The last openers at which no call began.
#[derive(Clone, Debug, Default)]
pub(super) struct LostOpeners {
    kept: Vec<LostOpener>,
    /// The number of the next to be kept.
    next: usize,
}

/// An opener by what the decision depends on, and what it cost.
#[derive(Clone, Debug)]
struct LostOpener {
    bytes: Vec<u8>,
    /// So much had been read ahead in vain that less was looked at.
    exhausted: bool,
    in_vain: usize,
}

impl LostOpeners {
    /// Returns how much was read in vain for the same bytes as at `at`, if they are known; waits for the few that may tell.
    pub(super) fn again(&self, view: View<'_>, at: usize, exhausted: bool) -> Result<Option<usize>, NotYet> {
        let rest = view.rest(at);
        let mut alike = self.kept.iter().filter(|lost| lost.exhausted == exhausted);
        if let Some(known) = alike.clone().find(|lost| rest.starts_with(&lost.bytes)) {
            return Ok(Some(known.in_vain));
        }
        if alike.any(|lost| lost.bytes.starts_with(rest)) { view.final_end().map(|_| None) } else { Ok(None) }
    }

    /// Keeps an opener, unless the end of the input or what is a special token may have decided.
    pub(super) fn keep(&mut self, view: View<'_>, at: usize, exhausted: bool, in_vain: usize) {
        let rest = view.rest(at);
        if view.has_marks() || rest.len() < REACH && view.final_end().is_ok() {
            return;
        }
        let lost = LostOpener { bytes: rest[..rest.len().min(REACH)].to_vec(), exhausted, in_vain };
        if self.kept.len() < KEPT {
            self.kept.push(lost);
        } else {
            self.kept[self.next] = lost;
        }
        self.next = (self.next + 1) % KEPT;
    }
}
