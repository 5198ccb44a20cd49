//! The role of each byte in a value between markers: plain data, data to be escaped, or doubtful.

use super::starts::Starts;
use crate::json::needs_escape;

/// The role of each byte in a value.
#[derive(Clone, Debug)]
pub(crate) struct DataBytes(Box<[u8; 256]>);

/// The role of a few bytes in a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByteClass {
    AsItStands,
    /// They must be escaped in JSON.
    Escaped,
    /// A marker or the end of CDATA may begin with one of them.
    Undecided,
}

impl DataBytes {
    /// Returns the roles of bytes for these markers; all are doubtful if fragments of markers are searched for.
    pub(super) fn between(markers: &Starts, pieces: &[String]) -> Self {
        let mut kinds = [0; 256];
        for (byte, kind) in (0..=u8::MAX).zip(&mut kinds) {
            let undecided = byte == b']' || !pieces.is_empty() || markers.contains(byte);
            *kind = if undecided {
                ByteClass::Undecided as u8
            } else {
                u8::from(needs_escape(byte)) * ByteClass::Escaped as u8
            };
        }
        Self(Box::new(kinds))
    }

    /// Returns the role of some bytes together.
    #[inline]
    pub(super) fn kind(&self, bytes: &[u8]) -> ByteClass {
        let all = bytes.iter().fold(0, |all, byte| all | self.0[usize::from(*byte)]);
        match all {
            0 => ByteClass::AsItStands,
            _ if all == ByteClass::Escaped as u8 => ByteClass::Escaped,
            _ => ByteClass::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_bytes_are_what_the_most_doubtful_is() {
        let data = DataBytes::between(&["</p", "[x"].into_iter().collect(), &[]);
        let cases = [
            ("plain é", ByteClass::AsItStands),
            ("a\n\"", ByteClass::Escaped),
            ("a\n<", ByteClass::Undecided),
            ("]", ByteClass::Undecided),
        ];
        for (text, kind) in cases {
            assert_eq!(data.kind(text.as_bytes()), kind, "{text}");
        }
    }
}
