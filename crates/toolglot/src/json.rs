//! JSON: one streaming reader that accepts what models write and emits strict JSON, one writer.
//!
//! Valid JSON passes byte for byte. What deviates is read by a named repair,
//! if that repair is switched on; otherwise the value is broken from there.
//! What is the own language of a place is no repair: Python literals in the
//! arguments of a Python call, bare words in a dialect with its own quote.
//!
//! # Which reading wins
//! Where several repairs could claim the same bytes, the first row that fits
//! decides. "Key" means a quoted or bare key with its separator.
//!
//! | bytes | where | reading |
//! |---|---|---|
//! | quote, then a closing bracket that something open wants | value | the string ends |
//! | the same, but that bracket touches another such quote, and the string had an inner quote | value | inner quote |
//! | quote that touches a quote which can end the string | object, array | inner quote |
//! | quote, `,`, key or closing bracket | object | the string ends |
//! | quote, `,`, start of a value or closing bracket | array | the string ends |
//! | quote, key | object | missing comma |
//! | quote, string that ends well in an array | array | missing comma |
//! | quote, blank, string that ends well | object, keyword | concatenation |
//! | quote, marker outside strings, or end of input | any | the string ends |
//! | quote, anything else | any | inner quote |
//! | marker, and the next quote of the string can close it | string | data |
//! | marker, then only markers and a call or the end | string | unterminated string |
//! | `]` or `}` of the wrong kind, exactly enough brackets follow | any | wrong bracket |
//! | the same, too many brackets or a comma follow | outermost | extra closer |
//! | three equal quotes | value | triple quotes, never an empty string and a quote |
//! | `r` or `f` and the like before a quote | value | string prefix, never a bare string |
//! | scalar, hexadecimal or decimal form | value | number repairs before bare string |
//! | `{{` | value | double braces |
//! | `"{…}"` where the schema wants no string | value | double encoding before coercion |

mod bracket;
mod entity;
mod escape;
mod follow;
mod hold;
mod key;
mod lines;
mod look;
mod reader;
mod scalar;
mod stops;
mod swift;
mod text;
mod value;
mod write;

#[cfg(test)]
mod tests;

use crate::diagnostic::{Code, Diagnostic};
use crate::options::Options;
use crate::schema::{NodeId, Schema};
use crate::sink::Sink;
use crate::view::{NotYet, View};

pub(crate) use entity::ENTITIES;
use hold::Level;
pub(crate) use hold::WRAPPERS;
pub(crate) use key::is_bare_key;
pub(crate) use look::key_ahead;
pub(crate) use reader::Reader;
pub(crate) use value::excerpt;
pub(crate) use write::{decode, needs_escape, write_escaped, write_string};

/// What stands around a value: the markers of the dialect that may end it from outside.
pub(crate) trait Markers {
    /// Returns the end of a marker that stands at `at` outside a string; asked where a bracket is missing.
    fn stop(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet>;

    /// Says whether a byte can begin a marker, so that strings can be read past all others.
    fn may_begin(&self, byte: u8) -> bool;

    /// Returns the bytes of which [`Markers::may_begin`] says so, and perhaps others.
    fn first_bytes(&self) -> &[u8];

    /// Says whether a marker begins at `at` inside a string; then the string's end is in doubt.
    fn doubt(&self, view: View<'_>, at: usize) -> Result<bool, NotYet>;

    /// Decides a doubt about a string whose next bare quote cannot close it, or that has none.
    ///
    /// True if, after the closers at `at`, the input ends or a call becomes
    /// ready: then the string was broken and ended before `at`.
    fn ends_string(&self, view: View<'_>, at: usize) -> Result<bool, NotYet>;
}

/// No markers: only the value itself says where it ends.
pub(crate) struct NoMarkers;

impl Markers for NoMarkers {
    fn stop(&self, _: View<'_>, _: usize) -> Result<Option<usize>, NotYet> {
        Ok(None)
    }

    fn first_bytes(&self) -> &[u8] {
        &[]
    }

    fn may_begin(&self, _: u8) -> bool {
        false
    }

    fn doubt(&self, _: View<'_>, _: usize) -> Result<bool, NotYet> {
        Ok(false)
    }

    fn ends_string(&self, _: View<'_>, _: usize) -> Result<bool, NotYet> {
        Ok(false)
    }
}

/// What a reader may consult; the same at every resume.
pub(crate) struct Context<'c> {
    pub(crate) markers: &'c dyn Markers,
    pub(crate) schema: Option<&'c Schema>,
    pub(crate) options: &'c Options,
    /// The dialect's own string token; strings between two of them are raw.
    pub(crate) quote: Option<&'c str>,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Alone, or inside JSON that somebody else reads.
    Value,
    /// Behind `name=` in a Python call: it ends before `,` or `)`.
    Keyword,
    /// It is a call's arguments object: its members are the tool's parameters.
    Arguments,
}

/// Where and how a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct End {
    pub(crate) at: usize,
    pub(crate) how: Ended,
}

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// By itself.
    Complete,
    /// A marker of the dialect stood inside it; open brackets were closed and a repair was reported.
    Cut,
    /// The input or a limit ended inside it; open brackets were closed so that the fragments are JSON.
    Truncated,
    /// Nothing sensible stood there; open brackets were closed if anything had been emitted.
    Broken,
}

/// A whole text that was read as one value.
#[derive(Clone, Debug)]
pub(crate) struct Whole {
    pub(crate) json: String,
    pub(crate) repairs: Vec<Diagnostic>,
}

/// Reads a whole text that must be one value, blanks around it allowed.
pub(crate) fn read_whole(text: &str, place: Place, node: Option<NodeId>, context: &Context<'_>) -> Option<Whole> {
    read_at_level(text, place, node, context, Level::default())
}

/// Reads JSON that stood inside strings and wrappers.
fn read_at_level(text: &str, place: Place, node: Option<NodeId>, context: &Context<'_>, level: Level) -> Option<Whole> {
    all_of(text, read_with(Reader::new(0, place, node).at_level(level), text, context)?, context)
}

/// Reads the arguments object that begins at `from`; returns what was read, and where and how it ended.
///
/// With `declared_keys` a quote before a key that the schema does not declare ends no string.
pub(crate) fn read_arguments(
    text: &str,
    from: usize,
    declared_keys: bool,
    context: &Context<'_>,
) -> Option<(Whole, End)> {
    let node = context.schema.map(|schema| schema.root().id());
    read_with(Reader::new(from, Place::Arguments, node).with_declared_keys(declared_keys), text, context)
}

fn read_with(mut reader: Reader, text: &str, context: &Context<'_>) -> Option<(Whole, End)> {
    let mut sink = Sink::new(context.options.repairs);
    let end = reader.resume(View::whole(text), context, &mut sink).ok()?;
    Some((Whole { json: sink.words, repairs: sink.diagnostics }, end))
}

/// Returns what was read if it is complete and nothing stands behind it but closing brackets too many.
pub(crate) fn all_of(text: &str, (mut whole, end): (Whole, End), context: &Context<'_>) -> Option<Whole> {
    let rest = text.get(end.at..)?;
    let blank = rest.trim_start_matches(BLANKS);
    if !blank.is_empty() {
        let extra = blank.trim_start_matches(['}', ']']).trim_start_matches(BLANKS).is_empty();
        if !extra || !context.options.repairs.allow(Code::ExtraCloser) {
            return None;
        }
        let message = format!("`{}` closes nothing and was dropped", blank.trim_end_matches(BLANKS));
        let span = text.len() - blank.len()..text.trim_end_matches(BLANKS).len();
        whole.repairs.push(Diagnostic { code: Code::ExtraCloser, span, message, dialect: None });
    }
    (end.how == Ended::Complete).then_some(whole)
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];
