//! Where something may begin: found by its first byte, told from most of what it is not by its second, then by four.
//!
//! ```text
//!   a < b    no second byte fits: passed over      <div>    no text begins so: nothing stands here
//!   end <    the second byte is not there yet      <tool    a text may still come to stand here
//! ```

use std::ops::Range;

use super::bytes::ByteSet;
use crate::lead::Lead;
use crate::view::{NotYet, View};

/// Texts with which something begins.
#[derive(Clone, Debug, Default)]
pub(crate) struct Starts {
    first: ByteSet,
    /// Of each first byte and each byte behind it, the number of the group of texts that go on so, from 1; 0 if none does.
    second: Vec<[u16; 256]>,
    groups: Vec<Group>,
    /// Sorted; none of them begins with another, which would stand wherever it does.
    texts: Vec<StartText>,
    /// Of each text its first bytes, and which of them there are.
    heads: Vec<(u128, u128)>,
    /// How the texts of the groups begin, and which of them do so.
    leads: Vec<(Lead, Range<usize>)>,
    /// So do closing tags that have the name of the call or of the parameter.
    named: bool,
    /// So does any tag.
    tags: bool,
}

/// A text, and as bits the kinds of what begins with it.
#[derive(Clone, Debug)]
struct StartText {
    text: Vec<u8>,
    kinds: u8,
}

/// How many bytes of a text are compared at once.
pub(crate) const HEAD: usize = size_of::<u128>();

/// Returns the first bytes of a text, and which of them there are.
fn head(text: &[u8]) -> (u128, u128) {
    let (mut head, length) = ([0; HEAD], text.len().min(HEAD));
    head[..length].copy_from_slice(&text[..length]);
    (u128::from_le_bytes(head), u128::MAX >> (8 * (HEAD - length)))
}

/// How the texts begin that share their first two bytes, or that are all told by their first.
#[derive(Clone, Debug, Default)]
struct Group {
    leads: Range<usize>,
    texts: Range<usize>,
}

impl<T: AsRef<[u8]> + Into<Vec<u8>>> FromIterator<T> for Starts {
    fn from_iter<I: IntoIterator<Item = T>>(texts: I) -> Self {
        Self::of_kinds(texts.into_iter().map(|text| (text, 1)))
    }
}

impl Starts {
    /// Returns where something of several kinds begins, each a bit.
    pub(crate) fn of_kinds<T: AsRef<[u8]> + Into<Vec<u8>>>(texts: impl IntoIterator<Item = (T, u8)>) -> Self {
        let mut texts: Vec<(T, u8)> = texts.into_iter().filter(|(text, _)| !text.as_ref().is_empty()).collect();
        texts.sort_by(|(one, _), (other, _)| one.as_ref().cmp(other.as_ref()));
        texts.dedup_by(|(one, kinds), (other, all)| {
            let within = one.as_ref().starts_with(other.as_ref());
            *all |= if within { *kinds } else { 0 };
            within
        });
        let texts: Vec<StartText> =
            texts.into_iter().map(|(text, kinds)| StartText { text: text.into(), kinds }).collect();
        let mut starts = Self::default();
        for (number, StartText { text, .. }) in texts.iter().enumerate() {
            starts.add(number, text);
        }
        let heads = texts.iter().map(|start| head(&start.text)).collect();
        Self { texts, heads, ..starts }
    }

    /// Adds a text to its group; texts come in order, so that those of a group follow each other.
    fn add(&mut self, number: usize, text: &[u8]) {
        let fresh = Group { leads: self.leads.len()..self.leads.len(), texts: number..number };
        // Pairs of bytes in UTF-8 are fewer than what the number can count.
        let next = u16::try_from(self.groups.len() + 1).unwrap_or(u16::MAX);
        let (row, second) = (self.row(text[0]), text.get(1).copied());
        let known = row[usize::from(second.unwrap_or(0))];
        if known == 0 {
            match second {
                Some(second) => row[usize::from(second)] = next,
                None => *row = [next; 256],
            }
            self.groups.push(fresh);
        }
        let number_of_group = if known == 0 { next } else { known };
        let Some(group) = self.groups.get_mut(usize::from(number_of_group) - 1) else { return };
        group.texts.end = number + 1;
        match self.leads[group.leads.clone()].last_mut() {
            Some((lead, texts)) if *lead == Lead::of(text) => texts.end = number + 1,
            _ => {
                self.leads.push((Lead::of(text), number..number + 1));
                group.leads.end = self.leads.len();
            }
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

    /// Adds closing tags of which only the caller can tell whether they have the right name.
    pub(crate) fn with_named_closers(self) -> Self {
        Self { named: true, ..self.with_byte(b'<') }
    }

    /// Adds a byte with which something begins that only the caller can tell.
    pub(crate) fn with_byte(mut self, first: u8) -> Self {
        self.row(first);
        self
    }

    /// Returns the texts.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.texts.iter().map(|start| start.text.as_slice())
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
        let [first, second, ..] = *text else { return text.first().is_none_or(|first| self.first.contains(*first)) };
        self.tags && first == b'<' && may_begin_tag(second) || self.has_pair(first, second)
    }

    fn has_pair(&self, first: u8, second: u8) -> bool {
        self.group(first, second) != 0
    }

    /// Returns the number of the group whose texts begin with two bytes, counted from 1; 0 if there is none.
    fn group(&self, first: u8, second: u8) -> u16 {
        self.first.place(first).map_or(0, |place| self.second[place][usize::from(second)])
    }

    /// Returns the bytes with which something may begin.
    pub(crate) fn first(&self) -> &ByteSet {
        &self.first
    }

    /// Returns the first place in `text` where something may begin.
    #[inline]
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

    /// Returns the first place in `text` with a byte of `bytes`, but for those that the [`HEAD`] bytes there rule out.
    #[inline]
    pub(crate) fn find_near(&self, bytes: &ByteSet, text: &[u8]) -> Option<usize> {
        let mut from = 0;
        loop {
            from += bytes.find(&text[from..])?;
            if !self.rules_out(&text[from..]) {
                return Some(from);
            }
            from += 1;
        }
    }

    /// Says whether a text begins here as one of the texts does, and its first [`HEAD`] bytes tell that none stands there.
    #[inline]
    fn rules_out(&self, text: &[u8]) -> bool {
        let Some(head) = text.first_chunk() else { return false };
        let Some(place) = self.first.place(head[0]) else { return false };
        let Some(group) = usize::from(self.second[place][usize::from(head[1])]).checked_sub(1) else { return true };
        let head = u128::from_le_bytes(*head);
        self.heads[self.groups[group].texts.clone()].iter().all(|(own, there)| (own ^ head) & there != 0)
    }

    /// Says whether one of the texts stands at `at`, or a closing tag that may count; waits while one may come to.
    pub(crate) fn stands(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        self.kinds(view, at).map(|kinds| kinds != 0)
    }

    /// Returns the kinds of what may begin at `at`: those of the text that stands there, all at a closing tag that may count.
    pub(crate) fn kinds(&self, view: View<'_>, at: usize) -> Result<u8, NotYet> {
        if self.named && view.starts_with(at, "</")? {
            return Ok(u8::MAX);
        }
        self.spelled_kinds(view, at)
    }

    /// Says whether one of the texts stands at `at`; waits while one may come to.
    #[inline]
    pub(crate) fn spells(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        self.spelled_kinds(view, at).map(|kinds| kinds != 0)
    }

    #[inline]
    fn spelled_kinds(&self, view: View<'_>, at: usize) -> Result<u8, NotYet> {
        match *view.rest(at) {
            [first, second, ..] => match self.group(first, second) {
                0 => Ok(0),
                group => self.kinds_of(&self.groups[usize::from(group) - 1], view, at),
            },
            _ => spelled(&self.texts, view, at),
        }
    }

    /// Returns the kinds of a group's text that stands at `at`: their first bytes tell most of what does not.
    fn kinds_of(&self, group: &Group, view: View<'_>, at: usize) -> Result<u8, NotYet> {
        let lead = Lead::of(view.rest(at));
        for (_, texts) in self.leads[group.leads.clone()].iter().filter(|(text, _)| text.fits(lead)) {
            let kinds = spelled(&self.texts[texts.clone()], view, at)?;
            if kinds != 0 {
                return Ok(kinds);
            }
        }
        Ok(0)
    }
}

/// Texts of which each is compared; of more, the one is searched for that may stand.
const FEW: usize = 4;

/// Returns the kinds of the text that stands at `at`, of some sorted ones; waits while one may come to.
fn spelled(texts: &[StartText], view: View<'_>, at: usize) -> Result<u8, NotYet> {
    let rest = view.rest(at);
    let near = if texts.len() > FEW {
        // The one that stands is the last that comes no later; one that begins with all that is there is the next.
        let next = texts.partition_point(|start| start.text.as_slice() <= rest);
        &texts[next.saturating_sub(1)..(next + 1).min(texts.len())]
    } else {
        texts
    };
    let mut waits = false;
    for StartText { text, kinds } in near {
        // A marker that breaks off is told by its last byte.
        match rest.get(..text.len()) {
            None => waits |= text.starts_with(rest),
            Some(near) if near.last() == text.last() && near == text => return Ok(*kinds),
            Some(_) => {}
        }
    }
    if waits { view.final_end().map(|_| 0) } else { Ok(0) }
}

/// Says whether a byte can stand behind the `<` of a tag.
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
