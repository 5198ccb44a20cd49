//! Eight of the first bytes of a text, compared at once: they tell nearly all that does not stand at a place.

/// The first four bytes of a text, and the last four of its first sixteen: there, markers of full-width letters differ.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Lead {
    bytes: u64,
    /// Which of the eight are known, as bits.
    there: u64,
}

impl Lead {
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Self {
        if let Some([a, b, c, d, .., e, f, g, h]) = text.first_chunk::<16>() {
            return Self { bytes: u64::from_le_bytes([*a, *b, *c, *d, *e, *f, *g, *h]), there: u64::MAX };
        }
        if let Some(four) = text.first_chunk() {
            return Self { bytes: u32::from_le_bytes(*four).into(), there: u32::MAX.into() };
        }
        let shift = |byte: u8, at: usize| u64::from(byte) << (8 * at);
        text.iter().enumerate().fold(Self::default(), |lead, (at, byte)| Self {
            bytes: lead.bytes | shift(*byte, at),
            there: lead.there | shift(0xff, at),
        })
    }

    /// Says whether two texts are the same as far as both are known, or may be elsewhere.
    #[inline]
    pub(crate) fn fits(self, other: Self) -> bool {
        (self.bytes ^ other.bytes) & self.there & other.there == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_texts_apart_by_what_is_known_of_both() {
        let fits = |one: &str, other: &str| Lead::of(one.as_bytes()).fits(Lead::of(other.as_bytes()));
        let same = [("", "x"), ("<t", "<tool"), ("</par", "</pat"), ("abcdx", "abcdy")];
        assert!(same.iter().all(|(one, other)| fits(one, other) && fits(other, one)));
        assert!(!fits("<t", "<s") && !fits("</p", "</q") && !fits("abc", "abd") && !fits("<tool", "<top"));
        assert!(!fits("<｜tool▁call▁begin｜>", "<｜tool▁calls▁begin｜>"));
    }
}
