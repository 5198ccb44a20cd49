//! A set of bytes to look for, and the fastest way to find one of them.

/// Below this length a plain loop is faster than setting up a vector search.
pub(crate) const SHORT: usize = 32;

/// A set of bytes.
#[derive(Clone)]
pub(crate) struct ByteSet {
    table: Box<[bool; 256]>,
    members: Vec<u8>,
}

impl std::fmt::Debug for ByteSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ByteSet({:?})", String::from_utf8_lossy(&self.members))
    }
}

impl Default for ByteSet {
    fn default() -> Self {
        Self { table: Box::new([false; 256]), members: Vec::new() }
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
        if !self.contains(byte) {
            self.table[usize::from(byte)] = true;
            self.members.push(byte);
        }
    }

    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.table[usize::from(byte)]
    }

    /// Says whether a short text holds no member.
    pub(crate) fn is_absent(&self, text: &[u8]) -> bool {
        !text.iter().any(|byte| self.contains(*byte))
    }

    /// Returns where the first member stands in `text`.
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        match *self.members {
            _ if text.len() < SHORT => text.iter().position(|byte| self.contains(*byte)),
            [] => None,
            [a] => memchr::memchr(a, text),
            [a, b] => memchr::memchr2(a, b, text),
            [a, b, c] => memchr::memchr3(a, b, c, text),
            _ => text.iter().position(|byte| self.contains(*byte)),
        }
    }
}
