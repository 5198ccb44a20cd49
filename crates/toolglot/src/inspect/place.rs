//! Finds the bytes of a word of the message: spelled the same, or as JSON that decodes to it.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::ByteKind;

/// A word to find.
#[derive(Clone, Debug)]
pub(super) struct Word<'w> {
    pub(super) kind: ByteKind,
    /// Its spelling in JSON.
    pub(super) json: &'w str,
    /// Its beginning is before the bytes that are searched.
    pub(super) continues: bool,
    /// Its end is after them.
    pub(super) is_open: bool,
}

/// Fewer bytes than this are between two words: markers and white space.
const GAP: usize = 4 << 10;

/// Candidates that are judged before the best of them is taken.
const PLACES: usize = 16;

impl Word<'_> {
    /// Finds the word in `raw` at or after `from`. If it occurs several times, the occurrence that looks most like a whole
    /// word, and that `next` follows, is taken.
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

    /// A word without its beginning is at the start of the bytes, one without its end at their end.
    fn touching(&self, raw: &[u8], from: usize, spelling: &str) -> Option<Range<usize>> {
        let rest = raw.get(from..)?;
        if self.continues && rest.starts_with(spelling.as_bytes()) {
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

/// The order of candidates: whether the next word is missing, and how little the place looks like a whole word.
pub(super) type Rank = (bool, u8);

/// Rates a place: 0 in quotes or after a sign, up to 3 for a part of a longer word.
pub(super) fn looks(kind: ByteKind, raw: &[u8], place: &Range<usize>) -> u8 {
    let before = place.start.checked_sub(1).and_then(|at| raw.get(at).copied());
    let behind = raw.get(place.end).copied();
    let edge = |at: usize| raw.get(at).is_some_and(|byte| is_word(*byte));
    let cuts = |beside: Option<u8>, own: bool| own && beside.is_some_and(is_word);
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

/// Returns the decoded contents of a JSON string, or of a part of one; unchanged if they cannot be decoded.
pub(super) fn unescaped(json: &str) -> Cow<'_, str> {
    if !json.contains('\\') {
        return Cow::Borrowed(json);
    }
    serde_json::from_str::<String>(&format!("\"{json}\"")).map_or(Cow::Borrowed(json), Cow::Owned)
}
