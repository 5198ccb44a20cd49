//! A set of bytes to search for, and the fastest way to find one of them.

/// The width of a vector register on any machine: this many bytes are compared at once, and below this length a plain loop
/// is faster than setting up a vector search.
pub(crate) const SHORT: usize = 16;

/// The WebAssembly module has no vectors, so that it runs everywhere; without them, comparing a byte with each member is slow.
const VECTORS: bool = !cfg!(target_family = "wasm");

/// A set of bytes.
#[derive(Clone)]
pub(crate) struct ByteSet {
    /// The index of each byte among the members, counted from 1; 0 for other bytes.
    pub(super) places: Box<[u8; 256]>,
    members: Vec<u8>,
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ByteSet({:?})", String::from_utf8_lossy(&self.members))
    }
}

impl Default for ByteSet {
    fn default() -> Self {
        Self { places: Box::new([0; 256]), members: Vec::new() }
    }
}

impl FromIterator<u8> for ByteSet {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::default();
        bytes.into_iter().for_each(|byte| set.insert(byte));
        set
    }
}

impl ByteSet {
    pub(crate) fn insert(&mut self, byte: u8) {
        // The last of 256 members has no place that fits a byte; nobody asks for it then.
        if !self.contains(byte) {
            self.members.push(byte);
            self.places[usize::from(byte)] = u8::try_from(self.members.len()).unwrap_or(u8::MAX);
        }
    }

    pub(crate) fn members(&self) -> &[u8] {
        &self.members
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.places[usize::from(byte)] != 0
    }

    /// Returns a member's place among the members.
    pub(crate) fn place(&self, byte: u8) -> Option<usize> {
        usize::from(self.places[usize::from(byte)]).checked_sub(1)
    }

    /// Returns whether a text holds no member.
    #[inline]
    pub(crate) fn is_absent(&self, text: &[u8]) -> bool {
        if text.len() < SHORT { !text.iter().any(|byte| self.contains(*byte)) } else { self.find(text).is_none() }
    }

    /// Returns where the first member is in `text`.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        match *self.members {
            _ if text.len() < SHORT => text.iter().position(|byte| self.contains(*byte)),
            [] => None,
            [a] => find_in_block([a], text).or_else(|| memchr::memchr(a, text)),
            [a, b] => find_in_block([a, b], text).or_else(|| memchr::memchr2(a, b, text)),
            [a, b, c] => find_in_block([a, b, c], text).or_else(|| memchr::memchr3(a, b, c, text)),
            [a, b, c, d] => self.find_in_blocks([a, b, c, d], text),
            [a, b, c, d, e] => self.find_in_blocks([a, b, c, d, e], text),
            [a, b, c, d, e, f] => self.find_in_blocks([a, b, c, d, e, f], text),
            [a, b, c, d, e, f, g] => self.find_in_blocks([a, b, c, d, e, f, g], text),
            [a, b, c, d, e, f, g, h] => self.find_in_blocks([a, b, c, d, e, f, g, h], text),
            _ => text.iter().position(|byte| self.contains(*byte)),
        }
    }

    #[inline]
    fn find_in_blocks<const N: usize>(&self, members: [u8; N], text: &[u8]) -> Option<usize> {
        let (blocks, rest) = if VECTORS { text.as_chunks::<SHORT>() } else { (&[][..], text) };
        for (number, block) in blocks.iter().enumerate() {
            if let Some(at) = find_in_block(members, block) {
                return Some(number * SHORT + at);
            }
        }
        rest.iter().position(|byte| self.contains(*byte)).map(|at| text.len() - rest.len() + at)
    }
}

/// Compares each byte of the first block with all members, which compilers do with vectors.
/// If members are close to each other, this is faster than a search for long texts.
#[inline]
fn find_in_block<const N: usize>(members: [u8; N], text: &[u8]) -> Option<usize> {
    let block: &[u8; SHORT] = text.first_chunk().filter(|_| VECTORS)?;
    let mut hits = [0; SHORT];
    for (hit, byte) in hits.iter_mut().zip(block) {
        *hit = members.iter().fold(0, |hit, member| hit | if byte == member { 0xff } else { 0 });
    }
    let hits = u128::from_le_bytes(hits);
    (hits != 0).then(|| hits.trailing_zeros() as usize / 8)
}

/// A set of bytes as bits: small enough for a table of many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteBits([u64; 4]);

impl FromIterator<u8> for ByteBits {
    fn from_iter<I: IntoIterator<Item = u8>>(bytes: I) -> Self {
        let mut set = Self::default();
        set.extend(bytes);
        set
    }
}

impl Extend<u8> for ByteBits {
    fn extend<I: IntoIterator<Item = u8>>(&mut self, bytes: I) {
        bytes.into_iter().for_each(|byte| self.0[usize::from(byte >> 6)] |= 1 << (byte & 63));
    }
}

impl ByteBits {
    /// The bytes with which a name may begin.
    pub(crate) const LETTERS: Self = {
        let mut letters = Self([0, 0, u64::MAX, u64::MAX]);
        let mut byte = 0u8;
        while byte < 0x80 {
            if byte.is_ascii_alphanumeric() || byte == b'_' {
                letters.0[(byte >> 6) as usize] |= 1 << (byte & 63);
            }
            byte += 1;
        }
        letters
    };

    /// Every byte.
    pub(crate) const ALL: Self = Self([u64::MAX; 4]);

    /// Returns the set without one of its members.
    fn without(mut self, byte: u8) -> Self {
        self.0[usize::from(byte >> 6)] &= !(1 << (byte & 63));
        self
    }

    /// Adds all members of another set.
    pub(crate) fn add(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(own, other)| *own |= other);
    }

    #[inline]
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }

    /// Returns the bytes in order.
    pub(crate) fn members(&self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(|byte| self.contains(*byte))
    }

    /// Returns the member of a set that has just one.
    pub(crate) fn only(&self) -> Option<u8> {
        let count: u32 = self.0.iter().map(|bits| bits.count_ones()).sum();
        let at =
            (0..).step_by(64).zip(self.0).find(|(_, bits)| *bits != 0).map(|(from, bits)| from + bits.trailing_zeros());
        at.filter(|_| count == 1).and_then(|at| u8::try_from(at).ok())
    }
}

/// What may come next, apart from white space: a byte, and another one after `<`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct NextBytes {
    bytes: ByteBits,
    in_tags: ByteBits,
    /// After white space: attributes.
    attributes: bool,
}

impl NextBytes {
    /// Attributes: a name's letters, or after white space the other bytes with which a name may begin.
    pub(crate) fn of_attributes() -> Self {
        Self { bytes: ByteBits::LETTERS.without(b'_'), in_tags: ByteBits::default(), attributes: true }
    }

    /// The beginning of a text.
    pub(crate) fn of_text(text: &str) -> Self {
        let tag = || text.as_bytes().get(1).map_or(ByteBits::ALL, |byte| [*byte].into_iter().collect());
        let in_tags = if text.starts_with('<') { tag() } else { ByteBits::default() };
        Self { bytes: text.bytes().take(1).collect(), in_tags, attributes: false }
    }

    /// Bytes, whatever follows them.
    pub(crate) fn of_bytes(bytes: ByteBits) -> Self {
        let in_tags = if bytes.contains(b'<') { ByteBits::ALL } else { ByteBits::default() };
        Self { bytes, in_tags, attributes: false }
    }

    /// Adds the beginnings of all other continuations.
    pub(crate) fn add(&mut self, other: Self) {
        self.bytes.add(other.bytes);
        self.in_tags.add(other.in_tags);
        self.attributes |= other.attributes;
    }

    /// Returns whether a byte may come next, or `<` and the byte after it.
    #[inline]
    pub(crate) fn contains(&self, [byte, behind]: [u8; 2], apart: bool) -> bool {
        let first = self.bytes.contains(byte) || apart && self.attributes && b"_.:-".contains(&byte);
        first && (byte != b'<' || self.in_tags.contains(behind))
    }

    /// Returns the byte that must come next, if there is just one.
    pub(crate) fn only(&self) -> Option<u8> {
        self.bytes.only().filter(|_| !self.attributes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_say_what_is_in_them() {
        let bits: ByteBits = [0, b'<', 64, 255].into_iter().collect();
        assert_eq!((0..=255).filter(|byte| bits.contains(*byte)).collect::<Vec<_>>(), [0, b'<', 64, 255]);
        assert_eq!(
            [bits, ByteBits::from_iter([b'{']), ByteBits::default()].map(|bits| bits.only()),
            [None, Some(b'{'), None]
        );
    }

    #[test]
    fn finds_the_first_member_of_a_set_of_any_size_anywhere() {
        for size in 0..10 {
            let set: ByteSet = b"<[{\n`~]>x".iter().copied().take(size).collect();
            for length in [0, 5, 15, 16, 40, 100] {
                let mut text = vec![b'.'; length];
                assert_eq!(set.find(&text), None);
                for at in (0..length).rev() {
                    let Some(&member) = set.members().get(at % size.max(1)) else { continue };
                    text[at] = member;
                    assert_eq!((set.find(&text), set.is_absent(&text)), (Some(at), false));
                }
            }
        }
    }
}
