//! The input as it arrives: the bytes that are still needed, assembled UTF-8, and spans in bytes of the input.

use std::ops::Range;

use crate::marks::Marks;
use crate::view::{BEHIND, View};

/// The part of the input that is still needed, and the positions of its bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Input {
    text: String,
    base: usize,
    /// No more will arrive.
    pub(crate) closed: bool,
    /// The beginning of a character whose other bytes have not arrived.
    pub(super) partial: Vec<u8>,
    /// Where positions in the text and the input start to differ, and by how much.
    shifts: Vec<Shift>,
    /// The positions of special tokens, if the caller marks them.
    marks: Option<Box<Marks>>,
}

/// From `text` on, a position of the text is a position of the input plus `by`.
#[derive(Clone, Copy, Debug, Default)]
struct Shift {
    text: usize,
    by: isize,
}

impl Input {
    pub(crate) fn new(marks: Option<Marks>) -> Self {
        Self { marks: marks.map(Box::new), ..Self::default() }
    }

    /// Resets everything except the buffers.
    pub(crate) fn renew(&mut self) {
        let (mut text, mut marks) = (std::mem::take(&mut self.text), self.marks.take());
        text.clear();
        marks.as_mut().into_iter().for_each(|marks| marks.clear());
        *self = Self { text, marks, ..Self::default() };
    }

    /// Appends a special token.
    pub(crate) fn push_special(&mut self, token: &str) -> Option<Range<usize>> {
        let invalid = self.push(token);
        let end = self.end();
        if let Some(marks) = &mut self.marks {
            marks.add(end - token.len()..end);
        }
        invalid
    }

    /// Returns what readers may see.
    pub(crate) fn view(&self) -> View<'_> {
        View::new(&self.text, self.base, self.closed).with_marks(self.marks.as_deref())
    }

    pub(crate) fn end(&self) -> usize {
        self.base + self.text.len()
    }

    /// Appends text. If an incomplete character precedes it, its bytes are invalid now; returns their position.
    pub(crate) fn push(&mut self, text: &str) -> Option<Range<usize>> {
        let invalid = if self.partial.is_empty() { None } else { self.drop_partial() };
        self.text.push_str(text);
        invalid
    }

    /// Appends bytes; returns the positions of those that are not UTF-8, in the text.
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) -> Vec<Range<usize>> {
        if let (true, Ok(text)) = (self.partial.is_empty(), std::str::from_utf8(bytes)) {
            self.text.push_str(text);
            return Vec::new();
        }
        let mut joined = std::mem::take(&mut self.partial);
        joined.extend_from_slice(bytes);
        let mut invalid = Vec::new();
        let mut rest = &joined[..];
        while let Some(chunk) = rest.utf8_chunks().next() {
            self.text.push_str(chunk.valid());
            let bad = chunk.invalid().len();
            rest = &rest[chunk.valid().len()..];
            if bad == rest.len() && is_cut(rest) {
                break;
            }
            if bad > 0 {
                invalid.push(self.replace(bad));
            }
            rest = &rest[bad..];
        }
        self.partial = rest.to_vec();
        invalid
    }

    /// Gives up waiting for the rest of an incomplete character.
    pub(crate) fn drop_partial(&mut self) -> Option<Range<usize>> {
        if self.partial.is_empty() {
            return None;
        }
        let length = std::mem::take(&mut self.partial).len();
        Some(self.replace(length))
    }

    /// Returns whether there is enough text to make it worthwhile to drop some of it.
    pub(crate) fn is_long(&self) -> bool {
        self.text.len() >= 4096
    }

    /// Drops everything more than [`BEHIND`] bytes before `decided`, if that is worth moving the rest.
    pub(crate) fn forget(&mut self, decided: usize) {
        let mut gone = decided.saturating_sub(BEHIND).saturating_sub(self.base).saturating_sub(1);
        if gone < 4096 && gone < self.text.len() / 2 || gone == 0 {
            return;
        }
        while !self.text.is_char_boundary(gone) {
            gone -= 1;
        }
        self.text.drain(..gone);
        self.base += gone;
        if let Some(marks) = &mut self.marks {
            marks.forget(self.base);
        }
        if self.shifts.len() > SHIFT_LIMIT {
            let passed = self.shifts.partition_point(|shift| shift.text <= self.base);
            self.shifts.drain(..passed.saturating_sub(1));
        }
    }

    /// Converts a span of the text to bytes of the input.
    #[inline(always)]
    pub(crate) fn span(&self, text: &Range<usize>) -> Range<usize> {
        if self.shifts.is_empty() {
            return text.clone();
        }
        self.place(text.start)..self.place(text.end)
    }

    fn place(&self, at: usize) -> usize {
        let passed = self.shifts.partition_point(|shift| shift.text <= at);
        let by = passed.checked_sub(1).map_or(0, |last| self.shifts[last].by);
        let place = at.saturating_add_signed(-by);
        // What represents a byte is longer than the byte: no place within it is after that.
        self.shifts.get(passed).map_or(place, |next| place.min(next.text.saturating_add_signed(-next.by)))
    }

    /// Replaces `bytes` bytes that are not UTF-8 by U+FFFD.
    fn replace(&mut self, bytes: usize) -> Range<usize> {
        let start = self.end();
        self.text.push(char::REPLACEMENT_CHARACTER);
        let grown = char::REPLACEMENT_CHARACTER.len_utf8() as isize - bytes as isize;
        let by = self.shifts.last().map_or(0, |shift| shift.by) + grown;
        self.shifts.push(Shift { text: self.end(), by });
        start..self.end()
    }
}

/// Differences between text and input that are remembered for spans that point back. A message of only invalid
/// UTF-8 has one for each byte; beyond this many, those before the visible text are dropped, and only diagnostics
/// that point further back lose precision.
const SHIFT_LIMIT: usize = 4096;

/// Returns whether bytes could still become a character if more arrived.
fn is_cut(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_the_text_are_places_in_the_input() {
        let mut input = Input::new(None);
        input.push_bytes(b"a\xffb\xff");
        assert_eq!(input.end(), 8);
        let places: Vec<usize> = (0..=8).map(|at| input.span(&(at..at)).start).collect();
        assert_eq!(places, [0, 1, 2, 2, 2, 3, 4, 4, 4]);
    }
}
