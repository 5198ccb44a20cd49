//! The last places at which nothing began, each by its bytes and what was known before them: models that go round in circles
//! write the same again, and it comes to nothing again.

use crate::view::{NotYet, View};

/// Places that are kept. What goes round in circles has a few openers in each: those of a section, of a call, of a parameter.
const KEPT: usize = 4;

/// A few places, each with what was known before it and what was found there.
#[derive(Clone, Debug)]
pub(crate) struct RecentPlaces<K, F> {
    kept: Vec<RecentPlace<K, F>>,
    /// The number of the next to be kept.
    next: usize,
}

/// A place by its bytes.
#[derive(Clone, Debug)]
struct RecentPlace<K, F> {
    bytes: Vec<u8>,
    known: K,
    found: F,
}

impl<K, F> Default for RecentPlaces<K, F> {
    fn default() -> Self {
        Self { kept: Vec::new(), next: 0 }
    }
}

impl<K: PartialEq, F> RecentPlaces<K, F> {
    pub(crate) fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.kept.clear();
        self.next = 0;
    }

    /// Keeps a place instead of the oldest; returns its number.
    pub(crate) fn keep(&mut self, bytes: &[u8], known: K, found: F) -> usize {
        let (number, place) = (self.next, RecentPlace { bytes: bytes.to_vec(), known, found });
        match self.kept.get_mut(number) {
            Some(oldest) => *oldest = place,
            None => self.kept.push(place),
        }
        self.next = (number + 1) % KEPT;
        number
    }

    /// Returns the bytes of a place, and what was found there.
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<(&[u8], &mut F)> {
        self.kept.get_mut(number).map(|place| (&*place.bytes, &mut place.found))
    }

    /// Returns what was found where the bytes at `at` stood before and the same was known; waits for the few that may tell.
    #[inline]
    pub(crate) fn again(&self, view: View<'_>, at: usize, known: &K) -> Result<Option<&F>, NotYet> {
        let rest = view.rest(at);
        let stands = |place: &&RecentPlace<K, F>| rest.starts_with(&place.bytes) && place.known == *known;
        if let Some(place) = self.kept.iter().find(stands) {
            return Ok(Some(&place.found));
        }
        let may_stand = |place: &RecentPlace<K, F>| place.bytes.starts_with(rest) && place.known == *known;
        if self.kept.iter().any(may_stand) { view.final_end().map(|_| None) } else { Ok(None) }
    }
}
