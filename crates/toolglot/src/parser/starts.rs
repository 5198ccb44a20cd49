//! Where something may begin: found by its first byte, told from most of what it is not by its second.
//!
//! ```text
//!   a < b    no second byte fits: passed over      <div>    no text begins so: nothing stands here
//!   end <    the second byte is not there yet      <tool    a text may still come to stand here
//! ```

use super::bytes::ByteSet;
use crate::view::{NotYet, View};

/// Texts with which something begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    first: ByteSet,
    /// Of each first byte, the bytes that may follow it, as bits.
    second: Vec<[u64; 4]>,
    /// Sorted, each once.
    texts: Vec<String>,
    /// So does any tag.
    tags: bool,
}

impl<'t> FromIterator<&'t str> for Starts {
    fn from_iter<I: IntoIterator<Item = &'t str>>(texts: I) -> Self {
        let mut starts = Self::default();
        for text in texts {
            match *text.as_bytes() {
                [first, second, ..] => starts.pair(first, second),
                [first] => (0..=u8::MAX).for_each(|second| starts.pair(first, second)),
                [] => continue,
            }
            starts.texts.push(text.to_owned());
        }
        starts.texts.sort();
        starts.texts.dedup();
        starts
    }
}

impl Starts {
    fn pair(&mut self, first: u8, second: u8) {
        self.first.insert(first);
        self.second.resize(self.first.members().len(), [0; 4]);
        if let Some(seconds) = self.first.place(first).and_then(|place| self.second.get_mut(place)) {
            seconds[usize::from(second >> 6)] |= 1 << (second & 63);
        }
    }

    /// Adds tags: `<` and a slash or the first byte of any name.
    pub(crate) fn with_tags(mut self) -> Self {
        let names = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/') || !byte.is_ascii();
        self.tags = true;
        (0..=u8::MAX).filter(names).for_each(|second| self.pair(b'<', second));
        self
    }

    /// Returns the texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    /// Returns the bytes with which something begins.
    pub(crate) fn first_bytes(&self) -> &[u8] {
        self.first.members()
    }

    /// Says whether something may begin with a byte.
    pub(crate) fn contains(&self, first: u8) -> bool {
        self.first.contains(first)
    }

    /// Says whether something may begin with the first bytes of `text`, of which the second need not be there yet.
    pub(crate) fn may_open(&self, text: &[u8]) -> bool {
        match *text {
            [] => true,
            [first] => self.first.contains(first),
            [first, second, ..] => self
                .first
                .place(first)
                .is_some_and(|place| self.second[place][usize::from(second >> 6)] >> (second & 63) & 1 == 1),
        }
    }

    /// Returns the first place in `text` where something may begin.
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        let mut from = 0;
        loop {
            from += self.first.find(&text[from..])?;
            if self.may_open(&text[from..]) {
                return Some(from);
            }
            from += 1;
        }
    }

    /// Says whether something begins at `at`, for all that is visible.
    pub(crate) fn may_stand(&self, view: View<'_>, at: usize) -> bool {
        let rest = view.rest(at);
        self.may_open(rest) && (self.tags && rest.first() == Some(&b'<') || self.stands(view, at) != Ok(false))
    }

    /// Says whether one of the texts stands at `at`; waits while one may come to.
    pub(crate) fn stands(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        let mut texts = &self.texts[..];
        for depth in 0.. {
            match texts.first() {
                None => break,
                Some(shortest) if shortest.len() == depth => return Ok(true),
                Some(_) => {}
            }
            let Some(byte) = view.byte(at + depth)? else { break };
            texts = going_on(texts, depth, byte, String::as_bytes);
        }
        Ok(false)
    }
}

/// Returns those of sorted rows whose text has a byte at a depth; all are the same before it and longer.
pub(super) fn going_on<R>(rows: &[R], depth: usize, byte: u8, text: impl Fn(&R) -> &[u8]) -> &[R] {
    let start = rows.partition_point(|row| text(row).get(depth).copied() < Some(byte));
    let length = rows[start..].partition_point(|row| text(row).get(depth).copied() == Some(byte));
    &rows[start..start + length]
}
