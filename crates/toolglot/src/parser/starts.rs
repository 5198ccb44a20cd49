//! Possible starts: found by their first byte, mostly ruled out by the second, then by more.
//!
//! ```text
//!   a < b    no second byte matches: skipped       <div>    no text begins so: nothing is here
//!   end <    the second byte is not there yet      <tool    a text may still come to stand here
//! ```

use std::ops::Range;

use super::bytes::ByteSet;
use crate::lead::{Lead, matching};
use crate::view::{NotYet, View};

/// The texts with which something begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    first: ByteSet,
    /// For each pair of a first and a second byte, the number of the group of texts that begin so, from 1; 0 if there is none.
    second: Vec<[u16; 256]>,
    /// The texts of each group: they share their first two bytes, or have only one.
    groups: Vec<Range<usize>>,
    /// Sorted; none of them is a prefix of another, which would match wherever it does.
    texts: Vec<StartText>,
    /// Closing tags with the name of the call or the parameter also count.
    named: bool,
    /// Any tag also counts.
    tags: bool,
}

/// A text, and the kinds of markers that begin with it, as bits.
#[derive(Clone, Debug)]
struct StartText {
    lead: Lead,
    text: Vec<u8>,
    kinds: u8,
}

impl<T: AsRef<[u8]> + Into<Vec<u8>>> FromIterator<T> for Starts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        Self::of_kinds(texts.into_iter().map(|text| (text, 1)))
    }
}

impl Starts {
    /// Returns the possible starts of several kinds, each of them a bit.
    pub(crate) fn of_kinds<T: AsRef<[u8]> + Into<Vec<u8>>>(texts: impl IntoIterator<Item = (T, u8)>) -> Self {
        let mut texts: Vec<(T, u8)> = texts.into_iter().filter(|(text, _)| !text.as_ref().is_empty()).collect();
        texts.sort_by(|(one, _), (other, _)| one.as_ref().cmp(other.as_ref()));
        texts.dedup_by(|(one, kinds), (other, all)| {
            let within = one.as_ref().starts_with(other.as_ref());
            *all |= if within { *kinds } else { 0 };
            within
        });
        let mut starts = Self::default();
        for (text, kinds) in texts {
            starts.add(text.as_ref());
            starts.texts.push(StartText { lead: Lead::of(text.as_ref()), text: text.into(), kinds });
        }
        starts
    }

    /// Adds the next text to its group; the texts are sorted, so those of a group are adjacent.
    fn add(&mut self, text: &[u8]) {
        let number = self.texts.len();
        // Pairs of bytes in UTF-8 are fewer than what the number can count.
        let next = u16::try_from(self.groups.len() + 1).unwrap_or(u16::MAX);
        let (row, second) = (self.row(text[0]), text.get(1).copied());
        let known = row[usize::from(second.unwrap_or(0))];
        match second {
            _ if known != 0 => self.groups[usize::from(known) - 1].end = number + 1,
            Some(second) => row[usize::from(second)] = next,
            None => *row = [next; 256],
        }
        if known == 0 {
            self.groups.push(number..number + 1);
        }
    }

    fn row(&mut self, first: u8) -> &mut [u16; 256] {
        self.first.insert(first);
        self.second.resize(self.first.members().len(), [0; 256]);
        let last = self.second.len() - 1;
        &mut self.second[self.first.place(first).unwrap_or(last)]
    }

    /// Adds all tags: `<` and a slash or the first byte of any name.
    pub(crate) fn with_tags(self) -> Self {
        Self { tags: true, ..self.with_byte(b'<') }
    }

    /// Adds closing tags whose name only the caller can check.
    pub(crate) fn with_named_closers(self) -> Self {
        Self { named: true, ..self.with_byte(b'<') }
    }

    /// Adds a byte with which something begins that only the caller can check.
    pub(crate) fn with_byte(mut self, first: u8) -> Self {
        self.row(first);
        self
    }

    /// Returns the texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|start| start.text.as_slice())
    }

    /// Returns whether something may begin with a byte.
    pub(crate) fn contains(&self, first: u8) -> bool {
        self.first.contains(first)
    }

    /// Returns whether something may begin with the first bytes of `text`, of which the second may not have arrived.
    fn may_open(&self, text: &[u8]) -> bool {
        let [first, second, ..] = *text else { return text.first().is_none_or(|first| self.first.contains(*first)) };
        self.tags && first == b'<' && may_begin_tag(second) || self.group(first, second) != 0
    }

    /// Returns whether one of the texts may be at the start of `text`, by a lead's bytes if it has them.
    #[inline]
    fn may_stand(&self, text: &[u8]) -> bool {
        let Some(all) = text.first_chunk() else { return self.may_open(text) };
        let group = self.group(all[0], all[1]).checked_sub(1).map(|group| self.groups[group].clone());
        group.is_some_and(|texts| matching(&self.texts[texts], Lead::of_all(all), |it| it.lead).next().is_some())
    }

    /// Returns the number of the group whose texts begin with two bytes, counted from 1; 0 if there is none.
    fn group(&self, first: u8, second: u8) -> usize {
        self.first.place(first).map_or(0, |place| usize::from(self.second[place][usize::from(second)]))
    }

    /// Returns the bytes with which something may begin.
    pub(crate) fn first_bytes(&self) -> &ByteSet {
        &self.first
    }

    /// Returns the first place in `text` where something may begin.
    #[inline]
    pub(crate) fn find(&self, text: &[u8]) -> Option<usize> {
        find(&self.first, text, |text| self.may_open(text))
    }

    /// Returns the first place in `text` where one of the texts may occur, or that has another byte of `bytes`.
    #[inline]
    pub(crate) fn find_or(&self, bytes: &ByteSet, text: &[u8]) -> Option<usize> {
        find(bytes, text, |text| !self.first.contains(text[0]) || self.may_stand(text))
    }

    /// Returns whether one of the texts is at `at`, or a closing tag that may count; waits while one is still possible.
    pub(crate) fn stands(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        self.kinds(view, at).map(|kinds| kinds != 0)
    }

    /// Returns the kinds of markers that may begin at `at`: those of the text there, or all at a closing tag that may count.
    pub(crate) fn kinds(&self, view: View<'_>, at: usize) -> Result<u8, NotYet> {
        if self.named && view.starts_with(at, "</")? {
            return Ok(u8::MAX);
        }
        self.spelled_kinds(view, at)
    }

    /// Returns the kinds of the text at `at`; waits while one is still possible.
    #[inline]
    pub(crate) fn spelled_kinds(&self, view: View<'_>, at: usize) -> Result<u8, NotYet> {
        match *view.rest(at) {
            [first, second, ..] => match self.group(first, second) {
                0 => Ok(0),
                group => spelled(&self.texts[self.groups[group - 1].clone()], view, at),
            },
            _ => spelled(&self.texts, view, at),
        }
    }
}

/// Returns the first place in `text` with one of some bytes that counts.
#[inline]
fn find(bytes: &ByteSet, text: &[u8], is_meant: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut from = 0;
    loop {
        from += bytes.find(&text[from..])?;
        if is_meant(&text[from..]) {
            return Some(from);
        }
        from += 1;
    }
}

/// Returns the kinds of the text at `at`, out of some sorted texts; waits while one is still possible.
fn spelled(texts: &[StartText], view: View<'_>, at: usize) -> Result<u8, NotYet> {
    let rest = view.rest(at);
    let mut waits = false;
    for start in matching(texts, Lead::of(rest), |it| it.lead) {
        // What is no longer than a lead and fits is the same.
        let text = &start.text;
        if text.len() > rest.len() {
            waits |= rest.len() <= Lead::BYTES || text.starts_with(rest);
        } else if text.len() <= Lead::BYTES || rest.starts_with(text) {
            return Ok(start.kinds);
        }
    }
    if waits { view.final_end().map(|_| 0) } else { Ok(0) }
}

/// Returns whether a byte can follow the `<` of a tag.
fn may_begin_tag(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'/') || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts() -> Starts {
        ["</parameter>", "</p", "<tool", "[TOOL"].into_iter().collect()
    }

    #[test]
    fn finds_what_two_bytes_allow() {
        let cases = [("a < b <td>", Some(6)), ("<div> [1]", None), ("x [TO", Some(2)), ("end <", Some(4)), ("", None)];
        for (text, place) in cases {
            assert_eq!(starts().find(text.as_bytes()), place, "{text}");
        }
        assert_eq!(starts().with_tags().find(b"a < b <div>"), Some(6));
        assert_eq!(starts().with_byte(b'{').find(b"a {"), Some(2));
    }

    #[test]
    fn tells_by_all_letters_and_waits_for_them() {
        let stands = |text: &str| starts().stands(View::new(text, 0, false), 0);
        assert_eq!(
            ["</par", "<tool_call>", "<to", "<td", "</"].map(stands),
            [Ok(true), Ok(true), Err(NotYet), Ok(false), Err(NotYet)]
        );
        assert_eq!(starts().stands(View::whole("<to"), 0), Ok(false));
    }
}
