//! The first bytes of a text, compared at once: they rule out nearly all texts that are not at a position.

/// The first sixteen bytes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Lead {
    bytes: u128,
    /// Which of them are present, as bits.
    there: u128,
}

impl Lead {
    /// A lead has this many bytes.
    pub(crate) const BYTES: usize = size_of::<u128>();

    #[inline]
    pub(crate) fn of(text: &[u8]) -> Self {
        text.first_chunk().map_or_else(|| Self::of_short(text), Self::of_all)
    }

    /// Returns the lead of a text that is at least this long.
    #[inline]
    pub(crate) fn of_all(text: &[u8; Self::BYTES]) -> Self {
        Self { bytes: u128::from_be_bytes(*text), there: u128::MAX }
    }

    fn of_short(text: &[u8]) -> Self {
        let mut bytes = [0; Self::BYTES];
        bytes[..text.len()].copy_from_slice(text);
        Self { bytes: u128::from_be_bytes(bytes), there: !(u128::MAX >> (8 * text.len())) }
    }

    /// Returns a number that sorts like the text; texts with the same number need a full comparison.
    #[inline]
    pub(crate) fn order(self) -> u128 {
        self.bytes
    }

    /// Returns whether two texts are equal as far as both are known.
    #[inline]
    pub(crate) fn fits(self, other: Self) -> bool {
        (self.bytes ^ other.bytes) & self.there & other.there == 0
    }
}

/// Texts that are compared one by one; with more of them, a binary search finds the place of a lead.
const FEW: usize = 8;

/// Returns those of some sorted texts that may match a lead, now or with more bytes: they are next to it in order.
///
/// No text may be a proper prefix of another.
#[inline]
pub(crate) fn matching<T>(sorted: &[T], lead: Lead, lead_of: impl Fn(&T) -> Lead + Copy) -> impl Iterator<Item = &T> {
    let fits = move |text: &&T| lead_of(text).fits(lead);
    let mut matching = sorted;
    if sorted.len() > FEW {
        let next = sorted.partition_point(|text| lead_of(text).order() <= lead.order());
        let before = sorted[..next].iter().rev().take_while(fits).count();
        matching = &sorted[next - before..sorted.len().min(next + 1)];
    }
    matching.iter().filter(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_texts_apart_by_what_is_known_of_both() {
        let fits = |one: &str, other: &str| Lead::of(one.as_bytes()).fits(Lead::of(other.as_bytes()));
        let same = [("", "x"), ("<t", "<tool"), ("</par", "</parameter>"), ("0123456789abcdefx", "0123456789abcdefy")];
        assert!(same.iter().all(|(one, other)| fits(one, other) && fits(other, one)));
        let apart =
            [("<t", "<s"), ("</p", "</q"), ("abcdx", "abcdy"), ("<｜tool▁call▁begin｜>", "<｜tool▁calls▁begin｜>")];
        assert!(!apart.iter().any(|(one, other)| fits(one, other) || fits(other, one)));
    }

    #[test]
    fn finds_what_may_stand_or_come_to_stand_in_order() {
        let few = ["</par", "<tool_call_begin|x>", "<tool_call_begin|y>", "<tools>"];
        let many = [&["!", "#", "$", "%", "&"], &few[..], &["{", "|", "}"]].concat();
        for sorted in [&few[..], &many] {
            let matching = |text: &str| {
                matching(sorted, Lead::of(text.as_bytes()), |known| Lead::of(known.as_bytes()))
                    .copied()
                    .collect::<Vec<_>>()
            };
            assert_eq!(matching("</parameter>"), ["</par"]);
            assert_eq!(matching("<tool_call_begin|y> and more"), ["<tool_call_begin|x>", "<tool_call_begin|y>"]);
            assert!(matching("<tool").contains(&"<tool_call_begin|x>"));
            assert_eq!(matching("<tools> x"), ["<tools>"]);
            assert!(matching("<td>").is_empty());
        }
    }
}
