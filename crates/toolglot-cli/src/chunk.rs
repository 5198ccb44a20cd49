//! Splits a text into pieces, to show that the split does not change the result.

use std::ops::Range;
use std::str::FromStr;

/// How a text is cut; pieces end between characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Chunk {
    /// Not at all.
    #[default]
    Whole,
    /// Pieces of this many bytes, up to three more to complete a character.
    Bytes(usize),
    /// Pieces of random sizes; the same seed gives the same sizes.
    Random(u64),
}

impl Chunk {
    /// Returns the pieces as ranges; they tile the input.
    pub(crate) fn cuts(self, input: &[u8]) -> impl Iterator<Item = Range<usize>> {
        let (mut sizes, mut start) = (self, 0);
        std::iter::from_fn(move || {
            let rest = input.len().checked_sub(start).filter(|rest| *rest > 0)?;
            let size = match &mut sizes {
                Self::Whole => rest,
                Self::Bytes(bytes) => *bytes,
                Self::Random(state) => random_size(state),
            };
            let end = character_end(input, start + size.min(rest));
            let piece = start..end;
            start = end;
            Some(piece)
        })
    }
}

impl FromStr for Chunk {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let chunk = match text.strip_prefix("random:") {
            Some(seed) => seed.parse().ok().map(Self::Random),
            None => text.parse().ok().filter(|bytes| *bytes > 0).map(Self::Bytes),
        };
        chunk.ok_or_else(|| "expected a number of bytes such as `4`, or `random:SEED` such as `random:7`".to_owned())
    }
}

/// The first UTF-8 character boundary from `at` on, at most three bytes further whatever the input.
fn character_end(input: &[u8], at: usize) -> usize {
    let inside = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let skip = input.get(at..).unwrap_or_default().iter().take(3).take_while(inside).count();
    at + skip
}

/// A random size: mostly small, since what is cut is markers; now and then up to a few hundred bytes.
fn random_size(state: &mut u64) -> usize {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let mixed = mixed ^ (mixed >> 27);
    let bound = 1 << (1 + (mixed >> 60) / 2);
    1 + (mixed & 0xFFFF) as usize % bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_tile_the_text_and_keep_characters_whole() {
        let text = "naïve 全角 🦀 text".repeat(40);
        for chunk in [Chunk::Whole, Chunk::Bytes(1), Chunk::Bytes(5), Chunk::Random(1), Chunk::Random(2)] {
            let pieces = chunk.cuts(text.as_bytes()).map(|piece| text.get(piece).expect("a character was cut"));
            assert_eq!(pieces.collect::<String>(), text);
        }
        assert_eq!(Chunk::Bytes(1).cuts(text.as_bytes()).count(), text.chars().count());
    }

    #[test]
    fn stray_continuation_bytes_do_not_join_everything() {
        assert_eq!(Chunk::Bytes(1).cuts(&[0x80; 9]).collect::<Vec<_>>(), [0..4, 4..8, 8..9]);
    }

    #[test]
    fn reads_from_text() {
        assert_eq!("3".parse(), Ok(Chunk::Bytes(3)));
        assert_eq!("random:7".parse(), Ok(Chunk::Random(7)));
        for wrong in ["0", "", "random", "random:", "random:x", "-1"] {
            assert!(wrong.parse::<Chunk>().is_err(), "{wrong}");
        }
    }
}
