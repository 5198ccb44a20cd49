//! The last places at which nothing began, each with its bytes and the state before them: models in a loop
//! write the same bytes again, with the same result.

use crate::view::{NotYet, View};

/// Places that are kept. Each round of a loop has a few openers: those of a section, of a call, of a parameter.
const KEPT: usize = 4;

/// A few places, each with the state before it and the result.
#[derive(Clone, Debug)]
pub(crate) struct RecentPlaces<K, F> {
    kept: Vec<RecentPlace<K, F>>,
    /// The number of the next to be kept.
    next: usize,
}

/// A place with its bytes.
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

    /// Stores a place instead of the oldest; returns its index.
    pub(crate) fn keep(&mut self, bytes: &[u8], known: K, found: F) -> usize {
        let (number, place) = (self.next, RecentPlace { bytes: bytes.to_vec(), known, found });
        match self.kept.get_mut(number) {
            Some(oldest) => *oldest = place,
            None => self.kept.push(place),
        }
        self.next = (number + 1) % KEPT;
        number
    }

    /// Returns the bytes of a place, and the result.
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<(&[u8], &mut F)> {
        self.kept.get_mut(number).map(|place| (&*place.bytes, &mut place.found))
    }

    /// Returns the result of an earlier place with the same bytes and state; waits for the few bytes that decide.
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
