//! Aligns a piece of arguments with the bytes that it was read from.

use std::ops::Range;

use super::ByteKind;
use super::members::Member;
use super::place::Word;

/// Some bytes, and the part of a piece of arguments that they became; either may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) kind: ByteKind,
    /// In the input.
    pub(super) raw: Range<usize>,
    /// In the piece.
    pub(super) json: Range<usize>,
}

/// Aligns a piece with its bytes. `told` are the spans of diagnostics in these bytes; if it is empty, only text with the
/// same spelling is searched for.
pub(super) fn align(raw: &[u8], piece: &str, members: &[Member], told: Option<&[Range<usize>]>) -> Vec<Pair> {
    let same = raw == piece.as_bytes();
    let mut pairs = Pairs { raw, piece, pairs: Vec::new(), raw_at: 0, json_at: 0 };
    for (number, member) in members.iter().enumerate() {
        let place = if same { Some(member.json.clone()) } else { pairs.place(members, number, told) };
        if let Some(place) = place {
            pairs.add(member.kind, place, member.json.clone());
        }
    }
    pairs.fill(raw.len(), piece.len());
    pairs.pairs
}

/// The pairs so far, and their end in both texts.
struct Pairs<'p> {
    raw: &'p [u8],
    piece: &'p str,
    pairs: Vec<Pair>,
    raw_at: usize,
    json_at: usize,
}

impl Pairs<'_> {
    fn word(&self, member: &Member) -> Word<'_> {
        let json = self.piece.get(member.json.clone()).unwrap_or_default();
        Word { kind: member.kind, json, continues: member.continues, is_open: member.is_open }
    }

    /// Finds the bytes of a key or value: the same spelling, otherwise the span of a diagnostic, otherwise the rest.
    fn place(&self, members: &[Member], number: usize, told: Option<&[Range<usize>]>) -> Option<Range<usize>> {
        let member = members.get(number)?;
        let next = members.get(number + 1).map(|next| self.word(next));
        let found = self.word(member).find(self.raw, self.raw_at, next.as_ref());
        found.or_else(|| self.guess(next.as_ref(), told?)).filter(|place| !place.is_empty())
    }

    fn guess(&self, next: Option<&Word<'_>>, told: &[Range<usize>]) -> Option<Range<usize>> {
        let next = next.and_then(|next| next.find(self.raw, self.raw_at, None));
        let gap = self.raw_at..next.map_or(self.raw.len(), |next| next.start);
        let inside = |place: &&Range<usize>| gap.start <= place.start && place.end <= gap.end && !place.is_empty();
        told.iter().find(inside).cloned().or_else(|| {
            let left = self.raw.get(gap.clone())?;
            let start = left.iter().position(|byte| !is_separator(*byte))?;
            let end = left.iter().rposition(|byte| !is_separator(*byte))? + 1;
            let end = left[start..end].iter().position(|byte| *byte == b'<').map_or(end, |tag| start + tag);
            Some(gap.start + start..gap.start + end)
        })
    }

    fn add(&mut self, kind: ByteKind, raw: Range<usize>, json: Range<usize>) {
        self.fill(raw.start, json.start);
        (self.raw_at, self.json_at) = (raw.end, json.end);
        self.pairs.push(Pair { kind, raw, json });
    }

    /// Pairs the text between keys and values; it belongs to the dialect unless any JSON could contain it.
    fn fill(&mut self, raw: usize, json: usize) {
        let (raw, json) = (self.raw_at..raw.max(self.raw_at), self.json_at..json.max(self.json_at));
        if raw.is_empty() && json.is_empty() {
            return;
        }
        let plain = self.raw.get(raw.clone()).unwrap_or_default().iter().all(|byte| is_separator(*byte));
        let kind = if plain { ByteKind::Punctuation } else { ByteKind::Marker };
        (self.raw_at, self.json_at) = (raw.end, json.end);
        self.pairs.push(Pair { kind, raw, json });
    }
}

fn is_separator(byte: u8) -> bool {
    byte.is_ascii_whitespace() || br#"{}[]()":,='\;"#.contains(&byte)
}
