//! The members of an object with a call: classifies the text at a position inside it.

use std::borrow::Cow;
use std::ops::Range;

use super::call_context::CallContext;
use super::head::HeadText;
use super::whole::{WholeArguments, arguments_of, read_value};
use crate::diagnostic::Code;
use crate::dialect::Dialect;
use crate::json::{ENTITY_QUOTES, KEY, Markers, ValuePosition, comment_end, key_ahead};
use crate::view::{NotYet, View, is_blank};

/// Member names that every dialect accepts, in addition to its own.
const NAMES: [&str; 7] = ["name", "tool_name", "tool", "function", "function_name", "tool_call", "function_call"];
const ARGUMENTS: [&str; 8] =
    ["arguments", "parameters", "args", "input", "params", "tool_input", "action_input", "argument"];
/// A member that names the tool only if a declared tool has that name, since it is used for many things.
const ACTION: &str = "action";
/// Members that may hold the object that carries the call.
const WRAPPERS: [&str; 4] = ["function", "tool", "tool_call", "function_call"];
const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];
/// Members with the kind of the call.
const KINDS: [&str; 3] = ["type", "index", "function"];

/// A position inside a call object, and what has been read before it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallObjectPosition {
    pub(crate) at: usize,
    /// The number of open objects around the name and arguments.
    pub(crate) depth: usize,
    pub(crate) named: bool,
    pub(crate) has_arguments: bool,
    /// A member was read, and no comma after it.
    pub(crate) unjoined: bool,
    /// The arguments are members of the call object itself.
    pub(crate) flat: bool,
}

/// The text at a position inside a call object.
pub(crate) enum CallMember {
    Name(HeadText),
    Id(String, usize),
    Arguments(GivenArguments),
    /// Any other member: where its value starts, its key, and whether calls never have that key.
    Other {
        start: usize,
        key: HeadText,
        foreign: bool,
    },
    /// The object that carries the call begins or ends, one level down.
    Descend(usize),
    Ascend(usize),
    Comma(usize),
    /// A comment ends here.
    Comment(usize),
    /// An unmatched bracket precedes the object's brace.
    Stray(usize),
    End(usize),
    /// A marker of the dialect, where a bracket is missing.
    Stop(usize),
    Bad(usize),
    Over(usize),
}

/// The form of the arguments.
pub(crate) enum GivenArguments {
    Object(usize),
    /// Read whole, from a place to a place.
    Whole(WholeArguments, usize, usize),
    Bad(usize),
}

/// Classifies the text at a spot. Pure: it changes nothing and may be repeated.
pub(crate) fn member(spot: CallObjectPosition, context: &CallContext<'_>) -> Result<CallMember, NotYet> {
    let view = context.view;
    let at = context.gap(spot.at)?;
    match view.byte(at)? {
        None => return Ok(CallMember::Over(at)),
        Some(b'}') if spot.depth > 0 => return Ok(CallMember::Ascend(at + 1)),
        Some(b'}') => return Ok(CallMember::End(at + 1)),
        Some(b',') => return Ok(CallMember::Comma(at + 1)),
        Some(b'/') if context.engine.options.repairs.allow(Code::Comment) => {
            let end = comment_end(view, at, &context.json(None))?;
            return Ok(end.map_or(CallMember::Bad(at), CallMember::Comment));
        }
        Some(b']' | b')') if spot.has_arguments && closes_nothing(at, context)? => {
            return Ok(CallMember::Stray(at + 1));
        }
        _ => {}
    }
    if spot.has_arguments && context.stop(view, at)?.is_some() {
        return Ok(CallMember::Stop(at));
    }
    if spot.has_arguments && spot.unjoined && !matches!(view.byte(at)?, Some(b'"' | b'\'')) {
        return Ok(CallMember::Bad(at));
    }
    let Some((key, end)) = key(view, at)? else { return Ok(CallMember::Bad(at)) };
    let colon = context.gap(end)?;
    if !matches!(view.byte(colon)?, Some(b':' | b'=')) {
        return Ok(CallMember::Bad(at));
    }
    let value = context.gap(colon + 1)?;
    value_of(&key, at..end, CallObjectPosition { at: value, ..spot }, context)
}

/// Returns whether a key is that of a call's name.
pub(crate) fn is_name_key(key: &str, dialect: &Dialect) -> bool {
    NAMES.contains(&key) || dialect.members.name.iter().any(|own| own == key)
}

/// Returns whether a key is that of a call's arguments.
pub(crate) fn is_arguments_key(key: &str, dialect: &Dialect) -> bool {
    ARGUMENTS.contains(&key) || dialect.members.arguments.iter().any(|own| own == key)
}

/// Returns whether a key is one that call objects have.
pub(crate) fn is_call_key(key: &str, context: &CallContext<'_>) -> bool {
    let dialect = context.dialect();
    let known = is_name_key(key, dialect) || is_arguments_key(key, dialect) || is_id_key(key, context);
    known || KINDS.contains(&key) || context.engine.tools.is_declared(key)
}

/// Returns whether a key is that of a call's id.
pub(crate) fn is_id_key(key: &str, context: &CallContext<'_>) -> bool {
    IDS.contains(&key) || context.dialect().members.id.iter().any(|own| own == key)
}

/// Returns whether the object's brace follows the bracket at `at`, and its list continues after that.
fn closes_nothing(at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let brace = context.gap(at + 1)?;
    if context.view.byte(brace)? != Some(b'}') {
        return Ok(false);
    }
    let next = context.gap(brace + 1)?;
    Ok(matches!(context.view.byte(next)?, Some(b',' | b';' | b']'))
        || context.any(next, &context.pattern().tail)?.is_some())
}

/// Classifies the member `key` whose value is at the spot.
fn value_of(
    key: &str,
    span: Range<usize>,
    spot: CallObjectPosition,
    context: &CallContext<'_>,
) -> Result<CallMember, NotYet> {
    let CallObjectPosition { at, depth, named, has_arguments, .. } = spot;
    let (first, names) = (context.view.byte(at)?, names_call(span.start, context));
    let member = |foreign| CallMember::Other { start: at, key: HeadText::new(key, span.clone()), foreign };
    if spot.flat && !names && context.declares(key) {
        return Ok(member(true));
    }
    let members = &context.dialect().members;
    let is = |own: &[String], common: &[&str]| own.iter().any(|name| name == key) || common.contains(&key);
    let is_action =
        key == ACTION && !named && string(context.view, at)?.is_some_and(|(name, _)| context.engine.knows(&name));
    let (is_name, is_arguments) = (is_action || is(&members.name, &NAMES), is(&members.arguments, &ARGUMENTS));
    let is_own_name = || names_call(at, context);
    let known = || is_name || is_arguments || is_own_name() || KINDS.contains(&key) || WRAPPERS.contains(&key);
    let other = || member(!known());
    if WRAPPERS.contains(&key) && first == Some(b'{') && depth == 0 {
        return Ok(CallMember::Descend(at + 1));
    }
    if is_name && matches!(first, Some(b'"' | b'\'' | b'&')) && !named {
        return Ok(string(context.view, at)?
            .map_or(CallMember::Bad(at), |(name, end)| CallMember::Name(HeadText::new(&name, at..end))));
    }
    let declared = || context.engine.knows(key);
    let single = first == Some(b'{') && if named { names } else { declared() };
    if (is_arguments || single) && !has_arguments {
        return Ok(CallMember::Arguments(given(at, first, depth, context)?));
    }
    if is_id_key(key, context) {
        return Ok(id(context.view, at)?.map_or_else(other, |(id, end)| CallMember::Id(id.into_owned(), end)));
    }
    Ok(other())
}

/// Whether a member belongs to the call itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OwnMember {
    No,
    Yes,
    /// Ambiguous: a parameter may have that name.
    Perhaps,
}

/// Returns whether the member `key` is the call's own, and not a declared parameter of the same name.
pub(crate) fn own_member(key: &str, value: usize, context: &CallContext<'_>) -> Result<OwnMember, NotYet> {
    if names_call(value, context) {
        return Ok(OwnMember::Yes);
    }
    if key == "type" {
        let is_kind = string(context.view, value)?
            .is_some_and(|(kind, _)| CALL_KINDS.iter().any(|start| kind.starts_with(start)));
        return Ok(if is_kind { OwnMember::Yes } else { OwnMember::No });
    }
    Ok(if is_id_key(key, context) { OwnMember::Perhaps } else { OwnMember::No })
}

/// The beginnings of the values of `type` in a call: `function`, `function_call`, `tool_call`.
const CALL_KINDS: [&str; 2] = ["function", "tool"];

/// Returns whether the call has its name from the key or the value at `at`.
fn names_call(at: usize, context: &CallContext<'_>) -> bool {
    context.head.name.as_ref().is_some_and(|name| name.span.start == at)
}

/// Reads arguments that are not a bare object completely. One level down, as in OpenAI's API, they are text by definition.
fn given(at: usize, first: Option<u8>, depth: usize, context: &CallContext<'_>) -> Result<GivenArguments, NotYet> {
    if first == Some(b'{') {
        let opens = key_ahead(context.view, at + 1, None)?;
        return Ok(if opens { GivenArguments::Object(at) } else { GivenArguments::Bad(at) });
    }
    let Some((json, end)) = read_value(at, ValuePosition::Value, None, context)? else {
        return Ok(GivenArguments::Bad(at));
    };
    let by_rule = |code: &Code| depth > 0 && *code == Code::DoubleEncoded;
    Ok(match arguments_of(&json, context.tool(), &context.engine.options) {
        Some(whole) => GivenArguments::Whole(
            WholeArguments { repair: whole.repair.filter(|code| !by_rule(code)), ..whole },
            at,
            end,
        ),
        None => GivenArguments::Bad(at),
    })
}

/// Returns the key of the member at `at` if it is the tool's name: `{"search": {…}}`.
pub(crate) fn single_key(at: usize, context: &CallContext<'_>) -> Result<Option<HeadText>, NotYet> {
    let at = context.gap(at)?;
    let key = key(context.view, at)?.map(|(key, end)| HeadText::new(&key, at..end));
    Ok(key.filter(|key| !is_arguments_key(&key.text, context.dialect())))
}

/// Returns the first key of the object at `at` if the object begins like the schema of a tool's parameters.
pub(crate) fn schema_key(at: usize, context: &CallContext<'_>) -> Result<Option<&'static str>, NotYet> {
    let view = context.view;
    let member = |at| member_head(at, context);
    if !may_open_schema(context.gap(at + 1)?, view)? {
        return Ok(None);
    }
    let Some((first, value)) = member(at + 1)? else { return Ok(None) };
    if first == "properties" {
        let is_object = view.byte(value)? == Some(b'{');
        let described = if is_object { member(value + 1)? } else { None };
        let is_schema = match described {
            Some((_, value)) => view.byte(value)? == Some(b'{'),
            None => is_object,
        };
        return Ok(is_schema.then_some("properties"));
    }
    let Some((kind, end)) = (if first == "type" { string(view, value)? } else { None }) else { return Ok(None) };
    let comma = context.gap(end)?;
    if !matches!(kind.as_ref(), "object" | "dict") || view.byte(comma)? != Some(b',') {
        return Ok(None);
    }
    let next = member(comma + 1)?;
    Ok(next.filter(|(key, _)| matches!(key.as_ref(), "properties" | "required")).map(|_| "type"))
}

/// Returns the key of the member that begins at `at` or after a gap there, and where its value begins.
pub(super) fn member_head<'v>(at: usize, context: &CallContext<'v>) -> Result<Option<(Cow<'v, str>, usize)>, NotYet> {
    let Some((key, end)) = key(context.view, context.gap(at)?)? else { return Ok(None) };
    let colon = context.gap(end)?;
    Ok(if context.view.byte(colon)? == Some(b':') { Some((key, context.gap(colon + 1)?)) } else { None })
}

/// Returns whether the key at `at` may begin a schema.
pub(super) fn may_open_schema(at: usize, view: View<'_>) -> Result<bool, NotYet> {
    if view.byte(at)? != Some(b'"') {
        return Ok(true);
    }
    let length = view.rest(at + 1).iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count();
    let word = view.slice(at + 1, at + 1 + length);
    Ok(view.byte(at + 1 + length)? != Some(b'"') || matches!(word, "properties" | "type"))
}

/// Reads a key: a short string, or a word.
fn key(view: View<'_>, at: usize) -> Result<Option<(Cow<'_, str>, usize)>, NotYet> {
    if quote(view, at)?.is_some() {
        return string(view, at);
    }
    let mut end = at;
    while view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        end += 1;
        if end - at > super::head::NAME_LIMIT {
            return Ok(None);
        }
    }
    Ok((end > at).then(|| (Cow::Borrowed(view.slice(at, end)), end)))
}

/// Returns the quote at `at`; JSON that was encoded for XML has entities.
fn quote(view: View<'_>, at: usize) -> Result<Option<&str>, NotYet> {
    let end = match view.byte(at)? {
        Some(b'"' | b'\'') => Some(at + 1),
        Some(b'&') => view.starts_with_any(at, ENTITY_QUOTES)?,
        _ => None,
    };
    Ok(end.map(|end| view.slice(at, end)))
}

/// Returns the key of a member that begins at `at` or after a gap there, and is a string, and where its colon ends.
pub(super) fn quoted_member<'v>(context: &CallContext<'v>, at: usize) -> Result<Option<(Cow<'v, str>, usize)>, NotYet> {
    let Some((key, end)) = string(context.view, context.gap(at)?)? else { return Ok(None) };
    let colon = context.gap(end)?;
    Ok((context.view.byte(colon)? == Some(b':')).then_some((key, colon + 1)))
}

/// Reads a string of one line; returns its content and its end.
pub(super) fn string(view: View<'_>, at: usize) -> Result<Option<(Cow<'_, str>, usize)>, NotYet> {
    let Some(quote) = quote(view, at)? else { return Ok(None) };
    let start = at + quote.len();
    let plain = |byte: &&u8| !matches!(**byte, b'\n' | b'\\') && **byte != quote.as_bytes()[0];
    let mut end = start;
    while end - at <= KEY {
        end += view.peek(end, KEY - (end - at)).iter().take_while(plain).count();
        match view.byte(end)? {
            None | Some(b'\n') => return Ok(None),
            Some(b'\\') => end += 1 + usize::from(view.byte(end + 1)?.is_some()),
            Some(_) if view.starts_with(end, quote)? => {
                return Ok(Some((decode(view.slice(start, end)), end + quote.len())));
            }
            Some(_) => end += 1,
        }
    }
    Ok(None)
}

/// Decodes the escapes of a string's content, if it has any, JSON's or Markdown's.
fn decode(content: &str) -> Cow<'_, str> {
    let plain = |content: &str| serde_json::from_str(&format!("\"{content}\"")).ok();
    let decoded = content.contains('\\').then(|| plain(content).or_else(|| plain(&content.replace("\\_", "_"))));
    decoded.flatten().map_or(Cow::Borrowed(content), Cow::Owned)
}

/// Reads an id: a short string or a number.
fn id(view: View<'_>, at: usize) -> Result<Option<(Cow<'_, str>, usize)>, NotYet> {
    if quote(view, at)?.is_some() {
        return string(view, at);
    }
    let mut end = at;
    while view.byte(end)?.is_some_and(|byte| byte.is_ascii_digit()) {
        end += 1;
    }
    let over = view.byte(end)?.is_none_or(|byte| is_blank(byte) || matches!(byte, b',' | b'}'));
    Ok((end > at && over).then(|| (Cow::Borrowed(view.slice(at, end)), end)))
}
