//! Where a word of the message is in the bytes it was read from: spelt the same, or as JSON unescapes it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::ByteKind;

/// A word that is looked for.
#[derive(Clone, Debug)]
pub(super) struct Word<'w> {
    pub(super) kind: ByteKind,
    /// As JSON spells it.
    pub(super) json: &'w str,
    /// It continues from before the bytes that are searched.
    pub(super) goes_on: bool,
    /// It continues after them.
    pub(super) is_open: bool,
}

/// Bytes between two words are fewer: markers and white space.
const GAP: usize = 4 << 10;

/// Places that are judged before the best of them is taken.
const PLACES: usize = 16;

impl Word<'_> {
    /// Finds the word in `raw` at or after `from`; where it is more than once, the place counts that looks most like
    /// one, and after which `next` is too.
    pub(super) fn find(&self, raw: &[u8], from: usize, next: Option<&Word<'_>>) -> Option<Range<usize>> {
        let plain = unescaped(self.json);
        let spellings = [plain.as_ref(), self.json];
        let spellings = &spellings[..if plain == self.json { 1 } else { 2 }];
        spellings.iter().find_map(|spelling| self.touching(raw, from, spelling)).or_else(|| {
            spellings
                .iter()
                .filter_map(|spelling| self.best(raw, from, spelling, next))
                // Where the next word is only before, this one is part of it, and spelt nowhere itself.
                .filter(|((lost, _), _)| !lost || next.is_none_or(|next| !next.stands_in(raw, from)))
                .min_by_key(|(rank, place)| (*rank, place.start))
                .map(|(_, place)| place)
        })
    }

    /// A word that began before is first, and one that continues is last.
    fn touching(&self, raw: &[u8], from: usize, spelling: &str) -> Option<Range<usize>> {
        let rest = raw.get(from..)?;
        if self.goes_on && rest.starts_with(spelling.as_bytes()) {
            return Some(from..from + spelling.len());
        }
        (self.is_open && rest.ends_with(spelling.as_bytes())).then(|| raw.len() - spelling.len()..raw.len())
    }

    fn best(&self, raw: &[u8], from: usize, spelling: &str, next: Option<&Word<'_>>) -> Option<(Rank, Range<usize>)> {
        let end = raw.len().min(from + spelling.len() + GAP);
        let found = memmem::find_iter(raw.get(from..end)?, spelling.as_bytes()).map(|at| from + at);
        let mut best: Option<(Rank, Range<usize>)> = None;
        for place in found.take(PLACES).map(|at| at..at + spelling.len()) {
            let follows = next.is_none_or(|next| next.stands_in(raw, place.end));
            let rank = (!follows, looks(self.kind, raw, &place));
            if rank == (false, 0) {
                return Some((rank, place));
            }
            if best.as_ref().is_none_or(|(best, _)| rank < *best) {
                best = Some((rank, place));
            }
        }
        best
    }

    fn stands_in(&self, raw: &[u8], from: usize) -> bool {
        let end = raw.len().min(from + self.json.len() + GAP);
        let rest = raw.get(from..end).unwrap_or_default();
        memmem::find(rest, self.json.as_bytes()).is_some()
            || memmem::find(rest, unescaped(self.json).as_bytes()).is_some()
    }
}

/// Whether what comes next is missing, and how little the place looks like a whole word.
pub(super) type Rank = (bool, u8);

/// Returns how little a place looks like that of a word: 0 in quotes or after a sign, 3 for a part of a longer word.
pub(super) fn looks(kind: ByteKind, raw: &[u8], place: &Range<usize>) -> u8 {
    let before = place.start.checked_sub(1).and_then(|at| raw.get(at).copied());
    let behind = raw.get(place.end).copied();
    let edge = |at: usize| raw.get(at).is_some_and(|byte| is_word(*byte));
    let cuts = |near: Option<u8>, own: bool| own && near.is_some_and(is_word);
    if cuts(before, edge(place.start)) || cuts(behind, edge(place.end.saturating_sub(1))) {
        return 3;
    }
    let is_key = || {
        let rest = raw.get(place.end + 1..).unwrap_or_default();
        matches!(behind, Some(b'"' | b'\'')) && rest.trim_ascii_start().first() == Some(&b':')
    };
    match before {
        Some(b'<' | b'/') => 2,
        _ if kind != ByteKind::Key && is_key() => 2,
        None | Some(b'"' | b'\'' | b'=' | b'>' | b'|' | b':' | b'\n') => 0,
        _ => 1,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Returns the contents of a JSON string, or of a part of one, without escapes; unchanged if that cannot be done.
pub(super) fn unescaped(json: &str) -> Cow<'_, str> {
    if !json.contains('\\') {
        return Cow::Borrowed(json);
    }
    serde_json::from_str::<String>(&format!("\"{json}\"")).map_or(Cow::Borrowed(json), Cow::Owned)
}
