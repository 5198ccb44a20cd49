//! The part of the input that a reader can see: the bytes so far, whether more can arrive, which of them were tokens.

use crate::marks::Marks;

/// A reader asked for a byte that has not arrived; it must not decide anything until it does.
///
/// Readers pass it on with `?`, and are asked again, from their last decided position, when more bytes have arrived. This
/// is the only way to learn that the visible bytes are exhausted, so no decision can depend on how the input was split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NotYet;

/// Bytes before the reader's position that stay visible: a quote is judged by its line, and lines of code are shorter.
/// Ten times as much would be held for every open string.
pub(crate) const BEHIND: usize = 1 << 10;

/// The visible part of the input. Positions count bytes from the start of the whole input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    text: &'a str,
    base: usize,
    closed: bool,
    /// The positions of special tokens, if the caller marks them.
    marks: Option<&'a Marks>,
}

impl<'a> View<'a> {
    /// Returns a view of `text`, whose first byte has position `base`; `closed` means that no more will arrive.
    pub(crate) fn new(text: &'a str, base: usize, closed: bool) -> Self {
        Self { text, base, closed, marks: None }
    }

    /// Returns a closed view of a whole text.
    pub(crate) fn whole(text: &'a str) -> Self {
        Self::new(text, 0, true)
    }

    /// Returns the byte at a position, `None` at the end of the input.
    #[inline]
    pub(crate) fn byte(self, at: usize) -> Result<Option<u8>, NotYet> {
        match self.text.as_bytes().get(at - self.base) {
            Some(&byte) => Ok(Some(byte)),
            None if self.closed => Ok(None),
            None => Err(NotYet),
        }
    }

    /// Returns the position after the last visible byte.
    pub(crate) fn end(self) -> usize {
        self.base + self.text.len()
    }

    /// Returns the end of the input once it is known.
    pub(crate) fn final_end(self) -> Result<usize, NotYet> {
        if self.closed { Ok(self.end()) } else { Err(NotYet) }
    }

    /// Returns the visible bytes from a position on; none if a reader has looked beyond the end of a truncated message.
    #[inline]
    pub(crate) fn rest(self, at: usize) -> &'a [u8] {
        self.text.as_bytes().get(at - self.base..).unwrap_or_else(nothing)
    }

    /// Returns the visible bytes from a position on, at most `reach` of them.
    #[inline]
    pub(crate) fn peek(self, at: usize, reach: usize) -> &'a [u8] {
        let rest = self.rest(at);
        &rest[..rest.len().min(reach)]
    }

    /// Returns whether letters are visible from a position on.
    pub(crate) fn has_letters(self, at: usize) -> bool {
        self.rest(at).iter().any(u8::is_ascii_alphabetic)
    }

    /// Returns the text between two positions, both on character boundaries.
    #[inline]
    pub(crate) fn slice(self, from: usize, to: usize) -> &'a str {
        &self.text[from - self.base..to - self.base]
    }

    /// Returns whether a visible position is a character boundary.
    pub(crate) fn is_boundary(self, at: usize) -> bool {
        self.text.is_char_boundary(at - self.base)
    }

    /// Returns the character that starts at a position, `None` at the end of the input.
    pub(crate) fn char(self, at: usize) -> Result<Option<char>, NotYet> {
        self.byte(at)?;
        Ok(self.text[at - self.base..].chars().next())
    }

    /// Returns the first position at or after `at` without white space, or the end of the input.
    pub(crate) fn skip_blanks(self, at: usize) -> Result<usize, NotYet> {
        let blank = self.rest(at).iter().take_while(|byte| is_blank(**byte)).count();
        self.byte(at + blank)?;
        Ok(at + blank)
    }

    /// Returns whether `literal` is at a position.
    #[inline]
    pub(crate) fn starts_with(self, at: usize, literal: &str) -> Result<bool, NotYet> {
        let (rest, asked) = (self.rest(at), literal.as_bytes());
        if rest.len() >= asked.len() {
            return Ok(rest.starts_with(asked) && !self.is_forged(at, at + asked.len()));
        }
        self.begins(at, literal)
    }

    /// Returns whether `literal`, which is longer than what is visible from `at` on, can still be there.
    fn begins(self, at: usize, literal: &str) -> Result<bool, NotYet> {
        let (rest, asked) = (self.rest(at), literal.as_bytes());
        if asked.starts_with(rest) { self.final_end().map(|_| false) } else { Ok(false) }
    }

    /// Returns the end of the first of some literals at a position.
    pub(crate) fn starts_with_any<L: AsRef<str>>(
        self,
        at: usize,
        literals: impl IntoIterator<Item = L>,
    ) -> Result<Option<usize>, NotYet> {
        for literal in literals {
            if self.starts_with(at, literal.as_ref())? {
                return Ok(Some(at + literal.as_ref().len()));
            }
        }
        Ok(None)
    }

    /// Returns the view with the special tokens of `marks`.
    pub(crate) fn with_marks(self, marks: Option<&'a Marks>) -> Self {
        Self { marks, ..self }
    }

    /// Returns whether special tokens are known.
    pub(crate) fn has_marks(self) -> bool {
        self.marks.is_some()
    }

    /// Returns whether visible bytes spell a special token that did not arrive as one.
    #[inline]
    pub(crate) fn is_forged(self, from: usize, to: usize) -> bool {
        self.marks.is_some_and(|marks| {
            let from = from.max(self.base);
            marks.is_forged(&self.rest(from)[..to - from], from)
        })
    }

    /// Returns the view truncated at a position: bytes from there on are not visible.
    ///
    /// The truncated view never closes, so a reader that wants more than the limit returns [`NotYet`].
    pub(crate) fn limited(self, end: usize) -> Self {
        if end >= self.end() {
            return self;
        }
        // A character is never cut: it arrives whole, and a view of less than one says nothing of it.
        let mut cut = end - self.base;
        while !self.text.is_char_boundary(cut) {
            cut += 1;
        }
        if cut == self.text.len() {
            return self;
        }
        Self { text: &self.text[..cut], closed: false, ..self }
    }

    /// Returns what was found in a part of this view; anything that needs more bytes is not found.
    pub(crate) fn within<T>(self, part: Self, found: Result<Option<T>, NotYet>) -> Result<Option<T>, NotYet> {
        if part.end() < self.end() { Ok(found.unwrap_or(None)) } else { found }
    }

    /// Returns the view as if the input ended at a position.
    pub(crate) fn closed_at(self, end: usize) -> Self {
        Self { closed: true, ..self.limited(end) }
    }
}

#[cold]
fn nothing<'a>() -> &'a [u8] {
    &[]
}

/// Returns whether a byte is white space in markup: space, tab, line feed, carriage return.
pub(crate) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Returns whether a character is white space, or has no width.
pub(crate) fn is_blank_char(char: char) -> bool {
    char.is_whitespace() || matches!(char, '\u{180e}' | '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}
