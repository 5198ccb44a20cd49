//! The first four bytes of a text, compared at once: they tell nearly all that does not stand at a place.

/// The first bytes of a text, at most four.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Lead {
    bytes: u32,
    /// Which of the four there are, as bits.
    there: u32,
}

impl Lead {
    #[inline]
    pub(crate) fn of(text: &[u8]) -> Self {
        if let Some(four) = text.first_chunk() {
            return Self { bytes: u32::from_le_bytes(*four), there: u32::MAX };
        }
        let shift = |byte: u8, at: usize| u32::from(byte) << (8 * at);
        text.iter().enumerate().fold(Self::default(), |lead, (at, byte)| Self {
            bytes: lead.bytes | shift(*byte, at),
            there: lead.there | shift(0xff, at),
        })
    }

    /// Says whether two texts are the same as far as both go, or may be behind their fourth bytes.
    #[inline]
    pub(crate) fn fits(self, other: Self) -> bool {
        (self.bytes ^ other.bytes) & self.there & other.there == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_texts_apart_by_what_both_have_of_four_bytes() {
        let fits = |one: &str, other: &str| Lead::of(one.as_bytes()).fits(Lead::of(other.as_bytes()));
        let same = [("", "x"), ("<t", "<tool"), ("</par", "</pat"), ("abcdx", "abcdy")];
        assert!(same.iter().all(|(one, other)| fits(one, other) && fits(other, one)));
        assert!(!fits("<t", "<s") && !fits("</p", "</q") && !fits("abc", "abd") && !fits("<tool", "<top"));
    }
}
