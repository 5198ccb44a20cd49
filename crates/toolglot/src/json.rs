//! JSON: a streaming reader that accepts what models write and emits strict JSON, and a writer.
//!
//! Valid JSON passes byte for byte. Deviations are read by a named repair, if that repair is enabled; otherwise
//! the value is broken from there. A place's own syntax is not a repair: Python literals in the arguments
//! of a Python call, bare words in a dialect with its own quote.
//!
//! # Which reading wins
//! Where several repairs could claim the same bytes, the first row that fits
//! decides. "Key" means a quoted or bare key with its separator.
//!
//! | bytes | where | reading |
//! |---|---|---|
//! | quote, then a closing bracket that matches an open one | value | the string ends |
//! | the same, but that bracket touches another such quote, and the string had an inner quote | value | inner quote |
//! | quote that touches a quote which can end the string | object, array | inner quote |
//! | quote, `,`, key or closing bracket | object | the string ends |
//! | quote, `,`, start of a value or closing bracket | array | the string ends |
//! | quote, key | object | missing comma |
//! | quote, string that ends well in an array | array | missing comma |
//! | quote, blank, string that ends well | object, keyword | concatenation |
//! | the same, both in JSON's own quotes, in a call, with no plus between them | object | broken: it may be one string |
//! | quote, marker outside strings, or end of input | any | the string ends |
//! | quote, anything else | any | inner quote |
//! | marker, and the next quote of the string can close it | string | data |
//! | marker, and no quote can | string | all ends are searched for at once; if there is none, the call is broken |
//! | `]` or `}` of the wrong kind, exactly enough brackets follow | any | wrong bracket |
//! | the same, too many brackets or a comma follow | outermost | extra closer |
//! | three equal quotes | value | triple quotes, never an empty string and a quote |
//! | `r` or `f` and the like before a quote | value | string prefix, never a bare string |
//! | scalar, hexadecimal or decimal form | value | number repairs before bare string |
//! | `{{` | value | double braces |
//! | `"{…}"` where the schema declares no string | value | double encoding before coercion |

mod bracket;
mod close;
mod code;
mod cursor;
mod deferred;
mod emit;
mod entity;
mod escape;
mod fast_members;
mod fast_path;
mod follow;
mod key;
mod lines;
mod look;
mod quote;
mod reader;
mod readings;
mod scalar;
mod state;
mod stops;
mod strict;
mod string_end;
mod text;
mod unquoted;
mod value;
mod write;

use crate::diagnostic::{Code, Diagnostic};
use crate::given::GivenNames;
use crate::options::Options;
use crate::schema::{NodeId, Schema};
use crate::sink::Sink;
use crate::view::{NotYet, View};

pub(crate) use close::close;
use deferred::Unwrapped;
pub(crate) use deferred::{LEVELS, WRAPPERS};
pub(crate) use entity::{ENTITIES, ENTITY_QUOTES};
pub(crate) use fast_members::{MEMBERS, plain_object};
pub(crate) use fast_path::plain_content;
pub(crate) use key::{is_bare_key, last_word, spelled_otherwise};
pub(crate) use look::{KEY, comment_end, key_ahead};
pub(crate) use reader::JsonReader;
pub(crate) use readings::QUOTED;
pub(crate) use scalar::{is_number, is_token};
pub(crate) use strict::{members, string_end, tokens};
pub(crate) use write::{clean_run, decode, needs_escape, write_escaped, write_string};

/// The text around a value: the markers of the dialect that may end it from outside. A value alone has none.
pub(crate) trait Markers {
    /// Returns the end of a marker at `at` outside a string; called where a bracket is missing.
    fn stop(&self, _: View<'_>, _: usize) -> Result<Option<usize>, NotYet> {
        Ok(None)
    }

    /// Returns the name of the called tool.
    fn callee(&self) -> Option<&str> {
        None
    }

    /// Returns whether the names of the call, and therefore its strings, have Markdown escapes.
    fn is_markdown(&self) -> bool {
        false
    }

    /// Returns whether a marker may begin with a byte; strings skip all other bytes.
    fn may_begin(&self, _: u8) -> bool {
        false
    }

    /// Returns the bytes for which [`Markers::may_begin`] is true, and perhaps others.
    fn first_bytes(&self) -> &[u8] {
        &[]
    }

    /// Returns whether a marker begins at `at` inside a string; then the string's end is doubtful.
    fn interrupts(&self, _: View<'_>, _: usize) -> Result<bool, NotYet> {
        Ok(false)
    }

    /// Returns the end of the call's closers if the value ended right before `at` and all of them follow.
    fn ends_call(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let at = view.skip_blanks(at)?;
        Ok(view.byte(at)?.is_none_or(|byte| byte == b'`').then_some(at))
    }

    /// Returns whether all closers of the wrappers around the value are at `at`, although the call itself is not closed.
    fn ends_section(&self, _: usize) -> Result<bool, NotYet> {
        Ok(true)
    }

    /// Returns whether the call's closers are at `at`, followed by a comma that separates it from the next call.
    fn separates(&self, _: usize) -> Result<bool, NotYet> {
        Ok(false)
    }

    /// Returns the key of a member of the object around the value, which ended right before `at`, if it is a parameter.
    fn parameter_beside(&self, _: usize) -> Result<Option<String>, NotYet> {
        Ok(None)
    }

    /// Returns whether the call may be closed after the value that ended right before `at`, with repairs.
    fn may_end_call(&self, _: usize) -> Result<bool, NotYet> {
        Ok(true)
    }

    /// Returns whether the text after a call that ended at `at` does not suggest that one of its strings continued.
    fn is_over(&self, _: usize) -> Result<bool, NotYet> {
        Ok(true)
    }

    /// Returns whether the value is only examined to find out whether a call begins: string ends are not searched for.
    fn is_bounded(&self) -> bool {
        false
    }

    /// Returns where reading continues after a string at `at` with an unknown end; at most
    /// `upto`.
    fn resume_at(&self, view: View<'_>, _: usize, upto: usize) -> Result<usize, NotYet> {
        if view.end() >= upto { Ok(upto) } else { view.final_end() }
    }

    /// Returns the end of a marker that opens a call and is at `at` inside a string.
    fn opens(&self, _: View<'_>, _: usize) -> Result<Option<usize>, NotYet> {
        Ok(None)
    }

    /// The same, if the beginning of a call follows the marker.
    fn opens_call(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        self.opens(view, at)
    }

    /// Returns whether the head of a call is shortly before a quote at `at` inside a string that is visible from `from` on.
    fn holds_head(&self, _: usize, _: usize) -> Result<bool, NotYet> {
        Ok(false)
    }

    /// Returns whether an object that may be the next call begins at `at` inside a string.
    fn begins_in_string(&self, _: usize) -> Result<bool, NotYet> {
        Ok(false)
    }

    /// Returns what begins at an opener at `at` in the middle of a string.
    fn inner_call(&self, _: usize) -> Result<InnerCall, NotYet> {
        Ok(InnerCall::Data)
    }

    /// Returns the end of a marker that closes a call and is at `at` inside a string.
    fn closes(&self, _: View<'_>, _: usize) -> Result<Option<usize>, NotYet> {
        Ok(None)
    }
}

/// What begins at an opener in the middle of a value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum InnerCall {
    /// No call, or one that needs a repair.
    Data,
    /// The next call: the text after it belongs to no string.
    Alone,
    /// A quoted call that ends here; the value continues after it.
    Quoted(usize),
}

/// No markers: only the value itself determines its end.
pub(crate) struct NoMarkers;

impl Markers for NoMarkers {}

/// The context of a reader; the same at every resume.
pub(crate) struct Context<'c> {
    pub(crate) markers: &'c dyn Markers,
    pub(crate) schema: Option<&'c Schema>,
    pub(crate) options: &'c Options,
    /// The dialect's own string token; strings between two of them are raw.
    pub(crate) quote: Option<&'c str>,
    /// The keyword arguments so far, if the value is one of them.
    pub(crate) given: Option<&'c GivenNames>,
}

/// The position of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ValuePosition {
    /// Alone, or inside JSON that another reader parses.
    #[default]
    Value,
    /// After `name=` in a Python call: it ends before `,` or `)`.
    Keyword,
    /// The arguments object of a call: its members are the tool's parameters.
    Arguments,
}

/// Where and how a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueOutcome {
    pub(crate) at: usize,
    pub(crate) how: Ended,
}

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Complete.
    Complete,
    /// A marker of the dialect was inside it; open brackets were closed, and a repair was reported.
    Cut,
    /// The input or a limit ended inside it; open brackets and strings stay open.
    Truncated,
    /// Invalid text was inside it; open brackets and strings stay open.
    Broken,
}

/// A whole text that was read as one value.
#[derive(Clone, Debug)]
pub(crate) struct WholeValue {
    pub(crate) json: String,
    pub(crate) repairs: Vec<Diagnostic>,
}

impl WholeValue {
    /// Returns whether this value contains each scalar of another one.
    pub(crate) fn has_scalars_of(&self, other: &Self) -> bool {
        let read = |json: &str| serde_json::from_str::<serde_json::Value>(json);
        let (Ok(own), Ok(others)) = (read(&self.json), read(&other.json)) else { return false };
        let (mut here, mut there) = (Vec::new(), Vec::new());
        scalars(&own, &mut here);
        scalars(&others, &mut there);
        there.iter().all(|scalar| here.contains(scalar))
    }
}

fn scalars<'v>(value: &'v serde_json::Value, found: &mut Vec<&'v serde_json::Value>) {
    match value {
        serde_json::Value::Array(items) => items.iter().for_each(|item| scalars(item, found)),
        serde_json::Value::Object(members) => members.values().for_each(|member| scalars(member, found)),
        scalar => found.push(scalar),
    }
}

/// Reads a whole text that must be one value, with white space around it allowed.
pub(crate) fn read_whole(
    text: &str,
    place: ValuePosition,
    node: Option<NodeId>,
    context: &Context<'_>,
) -> Option<WholeValue> {
    read_at_level(text, place, node, context, Unwrapped::default())
}

/// Reads JSON from inside strings and wrappers.
fn read_at_level(
    text: &str,
    place: ValuePosition,
    node: Option<NodeId>,
    context: &Context<'_>,
    level: Unwrapped,
) -> Option<WholeValue> {
    all_of(text, read_with(JsonReader { level, ..JsonReader::new(0, place, node) }, text, context)?, context)
}

/// Reads the arguments object that begins at `from`; returns what was read, and where and how it ended.
///
/// With `declared_keys`, a quote before an undeclared key does not end a string.
pub(crate) fn read_arguments(
    text: &str,
    from: usize,
    declared_keys: bool,
    context: &Context<'_>,
) -> Option<(WholeValue, ValueOutcome)> {
    let node = context.schema.map(|schema| schema.root().id());
    read_with(JsonReader { declared_keys, ..JsonReader::new(from, ValuePosition::Arguments, node) }, text, context)
}

fn read_with(mut reader: JsonReader, text: &str, context: &Context<'_>) -> Option<(WholeValue, ValueOutcome)> {
    let mut sink = Sink::new(context.options.repairs);
    let end = reader.resume(View::whole(text), context, &mut sink).ok()?;
    Some((WholeValue { json: sink.words, repairs: sink.diagnostics }, end))
}

/// Returns what was read if it is complete and only superfluous closing brackets follow.
pub(crate) fn all_of(
    text: &str,
    (mut whole, end): (WholeValue, ValueOutcome),
    context: &Context<'_>,
) -> Option<WholeValue> {
    let rest = text.get(end.at..)?;
    let blank = rest.trim_start_matches(BLANKS);
    if blank.trim_end_matches(BLANKS) == "," && context.options.repairs.allow(Code::TrailingComma) {
        let span = text.len() - blank.len()..text.len() - blank.len() + 1;
        let message = "dropped a comma after the object".to_owned();
        whole.repairs.push(Diagnostic::new(Code::TrailingComma, span, message));
    } else if !blank.is_empty() {
        let extra = blank.trim_start_matches(['}', ']']).trim_start_matches(BLANKS).is_empty();
        if !extra || !context.options.repairs.allow(Code::ExtraCloser) {
            return None;
        }
        let message = format!("dropped `{}`, which closes nothing", blank.trim_end_matches(BLANKS));
        let span = text.len() - blank.len()..text.trim_end_matches(BLANKS).len();
        whole.repairs.push(Diagnostic::new(Code::ExtraCloser, span, message));
    }
    (end.how == Ended::Complete).then_some(whole)
}

const BLANKS: [char; 4] = [' ', '\t', '\r', '\n'];

#[cfg(test)]
mod tests;
