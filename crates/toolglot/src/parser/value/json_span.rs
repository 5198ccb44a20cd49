//! The end of JSON in a value: markers in its strings are data.

use super::behind::may_follow_json;
use crate::parser::call_context::CallContext;
use crate::parser::value_context::ValueContext;
use crate::schema::Types;
use crate::view::{NotYet, View};

/// Skips a JSON object or array without keeping it. Strings may contain line breaks.
#[derive(Clone, Debug, Default)]
pub(super) struct JsonSpan {
    at: usize,
    /// The open brackets.
    open: Vec<u8>,
    before: JsonBefore,
}

/// What precedes the place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum JsonBefore {
    /// A bracket that opened, or a separator: a value or a key may follow.
    #[default]
    Separator,
    /// Content of a string.
    Text,
    /// A byte of a number or a word, which may continue.
    Word,
    /// The end of a value or key: only a separator or a bracket may follow.
    Value,
}

/// The state up to which JSON was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum JsonPlace {
    /// Inside a string.
    Quoted,
    /// Between brackets, outside strings.
    Structure,
    /// After the end of the JSON.
    Behind(usize),
    /// It is not valid JSON.
    Broken,
}

/// The rest of a value's JSON after a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JsonRest {
    /// The marker is in one of its strings, and the JSON continues up to here.
    Upto(usize),
    /// It is outside the strings.
    Structure,
    /// The marker counts, and so does each later one. This many bytes were read to find out.
    Nothing(usize),
}

impl JsonSpan {
    /// Starts at `at`, where white space may precede the bracket.
    pub(super) fn new(at: usize) -> Self {
        Self { at, ..Self::default() }
    }

    /// Continues reading at a marker at `at`. JSON with the marker in a string ends where what may follow the value is, or as
    /// much of it as has arrived; if it breaks off, so does the value.
    pub(super) fn behind(&mut self, at: usize, context: &ValueContext<'_>) -> Result<JsonRest, NotYet> {
        let view = context.view;
        match if self.at > at { JsonPlace::Quoted } else { self.read_to(view, at) } {
            JsonPlace::Quoted => {}
            JsonPlace::Structure => return Ok(JsonRest::Structure),
            JsonPlace::Behind(_) | JsonPlace::Broken => return Ok(JsonRest::Nothing(0)),
        }
        let reach = at + context.engine.options.limits.string_ends;
        let end = match self.read_to(view, reach.min(view.end())) {
            JsonPlace::Behind(end) => may_follow_json(end, context)?.then_some(end),
            JsonPlace::Quoted | JsonPlace::Structure if view.end() < reach => {
                let end = view.final_end()?;
                let cut = context.engine.options.is_cut() || !may_be_text(context) && !holds_opener(context, at)?;
                cut.then_some(end)
            }
            _ => None,
        };
        Ok(end.map_or(JsonRest::Nothing(self.at - at), JsonRest::Upto))
    }

    /// Continues reading up to a position, if it has not reached it.
    fn read_to(&mut self, view: View<'_>, upto: usize) -> JsonPlace {
        while let Some(&byte) = view.rest(self.at).first().filter(|_| self.at < upto) {
            if self.is_over() {
                break;
            }
            if self.before == JsonBefore::Text {
                if !self.pass_string(view, upto) {
                    break;
                }
            } else if !self.pass_structure(byte) {
                return JsonPlace::Broken;
            }
        }
        match () {
            () if self.before == JsonBefore::Text => JsonPlace::Quoted,
            () if self.is_over() => JsonPlace::Behind(self.at),
            () => JsonPlace::Structure,
        }
    }

    fn is_over(&self) -> bool {
        self.before == JsonBefore::Value && self.open.is_empty()
    }

    /// Skips the rest of a string or its next escape; false if that has not arrived completely.
    fn pass_string(&mut self, view: View<'_>, upto: usize) -> bool {
        let rest = &view.rest(self.at)[..upto - self.at];
        let Some(ahead) = memchr::memchr2(b'"', b'\\', rest) else {
            self.at = upto;
            return false;
        };
        let closes = rest[ahead] == b'"';
        let length = ahead + if closes { 1 } else { 2 };
        if length > rest.len() {
            self.at += ahead;
            return false;
        }
        self.at += length;
        if closes {
            self.before = JsonBefore::Value;
        }
        true
    }

    /// Takes a byte outside strings; false if it is not allowed there.
    fn pass_structure(&mut self, byte: u8) -> bool {
        let may_begin = self.before == JsonBefore::Separator;
        self.at += 1;
        self.before = match byte {
            b' ' | b'\t' | b'\n' | b'\r' if self.before == JsonBefore::Word => JsonBefore::Value,
            b' ' | b'\t' | b'\n' | b'\r' => self.before,
            b'{' | b'[' if may_begin => {
                self.open.push(byte);
                JsonBefore::Separator
            }
            _ if self.open.is_empty() => return false,
            b'}' | b']' if self.open.pop().is_some_and(|open| open + 2 == byte) => JsonBefore::Value,
            b',' | b':' if !may_begin => JsonBefore::Separator,
            b'"' if may_begin => JsonBefore::Text,
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'+' | b'-' | b'.'
                if may_begin || self.before == JsonBefore::Word =>
            {
                JsonBefore::Word
            }
            _ => return false,
        };
        true
    }
}

/// Returns whether an opener of a call is somewhere after `at`.
fn holds_opener(context: &CallContext<'_>, mut at: usize) -> Result<bool, NotYet> {
    while let Some(ahead) = context.markers().find(context.view.rest(at)) {
        at += ahead;
        if context.opener(at)?.is_some() {
            return Ok(true);
        }
        at += 1;
    }
    Ok(false)
}

/// Returns whether the parameter's value may be text.
pub(super) fn may_be_text(context: &CallContext<'_>) -> bool {
    let node = context.parameter(context.meant(context.head.key()));
    node.is_none_or(|node| node.types().is_open() || node.types().has(Types::STRING))
}
