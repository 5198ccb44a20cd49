//! Where things stand in the first call of a message, and the message with something else there.

use std::ops::Range;

use crate::ends::home::{Home, StringStyle};
use crate::ends::message::{Calling, Meant};
use crate::ends::tools::SCHEMAS;
use crate::ends::writing::{Part, What, Written};

/// The first call of a message.
pub(super) struct Place<'m> {
    pub(super) home: &'m Home,
    pub(super) text: &'m str,
    pub(super) call: &'m Calling,
    /// What stands before the name, and the name.
    pub(super) opener: Range<usize>,
    pub(super) name: Range<usize>,
    pub(super) arguments: Range<usize>,
    /// The text after the arguments, or after the last value.
    pub(super) closer: Range<usize>,
    pub(super) parts: Vec<&'m Part>,
    /// The tool takes no parameter that it does not declare.
    is_closed: bool,
}

impl<'m> Place<'m> {
    pub(super) fn new(home: &'m Home, meant: &'m Meant, written: &'m Written) -> Option<Self> {
        let (text, call) = (written.text.as_str(), meant.calls.first()?);
        // Only of a text it is known where it ends.
        let last = call.members.last()?;
        if home.kind == StringStyle::Raw && !last.value.is_string() {
            return None;
        }
        let (name, arguments) = (*written.names.first()?, written.arguments.first()?.clone());
        let closer = home.closer_of(last.key).len();
        let end = (arguments.end + closer).min(text.len());
        Some(Self {
            home,
            text,
            call,
            opener: written.start(home, 0)..name,
            name: name..name + call.name.len(),
            closer: arguments.end..text.is_char_boundary(end).then_some(end)?,
            arguments,
            is_closed: SCHEMAS[meant.tools] != Some(true),
            parts: written.parts.iter().filter(|part| part.call == 0).collect(),
        })
    }

    /// Returns the place if the tool takes no parameter that it does not declare: else another key is another parameter.
    pub(super) fn closed(&self) -> Option<&Self> {
        self.is_closed.then_some(self)
    }

    pub(super) fn is(&self, kind: StringStyle) -> bool {
        self.home.kind == kind
    }

    /// Returns the message with another text in a place.
    pub(super) fn with(&self, at: Range<usize>, put: &str) -> String {
        [&self.text[..at.start], put, &self.text[at.end..]].concat()
    }

    /// Returns the message with a text put in.
    pub(super) fn put(&self, at: usize, put: &str) -> String {
        self.with(at..at, put)
    }

    /// Returns the message with other arguments.
    pub(super) fn with_arguments(&self, change: impl FnOnce(&str) -> String) -> Option<String> {
        let old = self.text.get(self.arguments.clone())?;
        Some(self.with(self.arguments.clone(), &change(old)))
    }

    /// Returns the first marker before the name, from `<` or `[` to its end.
    pub(super) fn first_marker(&self) -> Option<Range<usize>> {
        marker(self.text, self.opener.clone(), str::find)
    }

    /// Returns the last marker behind the arguments.
    pub(super) fn last_marker(&self) -> Option<Range<usize>> {
        let found = marker(self.text, self.closer.clone(), str::rfind)?;
        (self.text[found.end..self.closer.end].trim().is_empty()).then_some(found)
    }

    /// Returns where the text of the first member stands that is a string of the call's own.
    pub(super) fn string(&self) -> Option<(&'static str, Range<usize>)> {
        self.strings().next()
    }

    /// Returns where the texts stand that are strings of the call's own, each with its key.
    fn strings(&self) -> impl DoubleEndedIterator<Item = (&'static str, Range<usize>)> {
        let own = self.parts.iter().filter(|part| part.what == What::Text && part.pointer.matches('/').count() == 1);
        own.map(|part| (self.call.members[part.member].key, part.span.clone()))
    }

    /// Returns where the key of a member stands in JSON or before `=`, without quotes.
    pub(super) fn key(&self) -> Option<Range<usize>> {
        let (key, value) = self.string()?;
        let at = self.text[self.arguments.start..value.start].rfind(key)? + self.arguments.start;
        Some(at..at + key.len())
    }

    /// Returns where the key of the first raw value stands.
    pub(super) fn raw_key(&self) -> Option<Range<usize>> {
        self.raw_keys().next()
    }

    /// Returns where the key of the last raw value stands.
    pub(super) fn last_raw_key(&self) -> Option<Range<usize>> {
        self.raw_keys().next_back()
    }

    /// Returns where the keys of raw values stand.
    pub(super) fn raw_keys(&self) -> impl DoubleEndedIterator<Item = Range<usize>> {
        self.parts.iter().filter(|part| part.what == What::Key).map(|part| part.span.clone())
    }

    /// Returns where the closer of the first raw value stands: what the file has between a value and the next key.
    pub(super) fn value_closer(&self) -> Option<Range<usize>> {
        self.closer_after(self.string()?)
    }

    /// Returns where the closer of the last raw text stands.
    pub(super) fn last_value_closer(&self) -> Option<Range<usize>> {
        self.closer_after(self.strings().next_back()?)
    }

    fn closer_after(&self, (key, value): (&str, Range<usize>)) -> Option<Range<usize>> {
        self.is(StringStyle::Raw).then_some(())?;
        let end = self.home.end_of(key);
        let at = self.text[value.end..self.closer.end].find(&end).filter(|_| !end.is_empty())? + value.end;
        Some(at..at + end.len())
    }
}

/// Returns the first or last marker in a part of a text.
fn marker(text: &str, within: Range<usize>, find: fn(&str, char) -> Option<usize>) -> Option<Range<usize>> {
    let inside = text.get(within.clone())?;
    let (at, end) = match find(inside, '<') {
        Some(at) => (at, '>'),
        None => (find(inside, '[')?, ']'),
    };
    let length = inside[at..].find(end)? + 1;
    (length > 2).then_some(within.start + at..within.start + at + length)
}
