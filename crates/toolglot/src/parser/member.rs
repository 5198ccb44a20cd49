//! The members of an object that carries a call: what stands at a place inside it.

use std::borrow::Cow;

use super::head::Said;
use super::scene::Scene;
use super::whole::{Whole, arguments_of, read_value};
use crate::diagnostic::Code;
use crate::json::{Markers, Place, key_ahead};
use crate::view::{NotYet, View, is_blank};

/// Member names that every dialect reads, beside its own.
const NAMES: [&str; 4] = ["name", "tool_name", "tool", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];
/// Members that say what kind of call it is.
const KINDS: [&str; 3] = ["type", "index", "function"];

/// A place inside a call object, and what has been read before it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub(crate) at: usize,
    /// How many objects around the name and arguments are open.
    pub(crate) depth: usize,
    pub(crate) named: bool,
    pub(crate) has_arguments: bool,
    /// A member was read and no comma since.
    pub(crate) unjoined: bool,
}

/// What stands at a place inside a call object.
pub(crate) enum Member {
    Name(Said),
    Id(String, usize),
    Arguments(Given),
    /// Any other member; its value starts here, and its key if that is foreign to calls.
    Other {
        start: usize,
        foreign: Option<String>,
    },
    /// The object that carries the call begins or ends, one level down.
    Descend(usize),
    Ascend(usize),
    Comma(usize),
    /// A bracket that closes nothing stands before the object's brace.
    Stray(usize),
    End(usize),
    /// A marker of the dialect stands where a bracket is missing.
    Stop(usize),
    Bad(usize),
    Over(usize),
}

/// How the arguments were given.
pub(crate) enum Given {
    Object(usize),
    /// Read whole, from a place to a place.
    Whole(Whole, usize, usize),
    Bad(usize),
}

/// Says what stands at a spot. Pure: it changes nothing and may be asked again.
pub(crate) fn member(spot: Spot, scene: &Scene<'_>) -> Result<Member, NotYet> {
    let view = scene.view;
    let at = scene.gap(spot.at)?;
    match view.byte(at)? {
        None => return Ok(Member::Over(at)),
        Some(b'}') if spot.depth > 0 => return Ok(Member::Ascend(at + 1)),
        Some(b'}') => return Ok(Member::End(at + 1)),
        Some(b',') => return Ok(Member::Comma(at + 1)),
        Some(b']' | b')') if spot.has_arguments && closes_nothing(at, scene)? => return Ok(Member::Stray(at + 1)),
        _ => {}
    }
    if spot.has_arguments && scene.stop(view, at)?.is_some() {
        return Ok(Member::Stop(at));
    }
    if spot.has_arguments && spot.unjoined && !matches!(view.byte(at)?, Some(b'"' | b'\'')) {
        return Ok(Member::Bad(at));
    }
    let Some((key, end)) = key(view, at)? else { return Ok(Member::Bad(at)) };
    let colon = scene.gap(end)?;
    if !matches!(view.byte(colon)?, Some(b':' | b'=')) {
        return Ok(Member::Bad(at));
    }
    let value = scene.gap(colon + 1)?;
    value_of(&key, Spot { at: value, ..spot }, scene)
}

/// Says whether the object's brace follows the bracket at `at` and its list goes on behind that.
fn closes_nothing(at: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    let brace = scene.gap(at + 1)?;
    if scene.view.byte(brace)? != Some(b'}') {
        return Ok(false);
    }
    let next = scene.gap(brace + 1)?;
    Ok(matches!(scene.view.byte(next)?, Some(b',' | b';' | b']')) || scene.any(next, &scene.pattern().tail)?.is_some())
}

/// Says what the member `key` is whose value stands at the spot.
fn value_of(key: &str, spot: Spot, scene: &Scene<'_>) -> Result<Member, NotYet> {
    let Spot { at, depth, named, has_arguments, .. } = spot;
    let first = scene.view.byte(at)?;
    let members = &scene.dialect().members;
    let is = |own: &[String], common: &[&str]| own.iter().any(|name| name == key) || common.contains(&key);
    let (is_name, is_arguments) = (is(&members.name, &NAMES), is(&members.arguments, &ARGUMENTS));
    let known = is_name || is_arguments || KINDS.contains(&key);
    let other = || Member::Other { start: at, foreign: (!known).then(|| key.to_owned()) };
    if matches!(key, "function" | "tool") && first == Some(b'{') && depth == 0 {
        return Ok(Member::Descend(at + 1));
    }
    if is_name && matches!(first, Some(b'"' | b'\'' | b'&')) && !named {
        return Ok(
            string(scene.view, at)?.map_or(Member::Bad(at), |(name, end)| Member::Name(Said::new(&name, at..end)))
        );
    }
    let single = !named && first == Some(b'{') && scene.engine.callee(key).is_some_and(|callee| callee.tool.is_some());
    if (is_arguments || single) && !has_arguments {
        return Ok(Member::Arguments(given(at, first, depth, scene)?));
    }
    if is(&members.id, &IDS) {
        return Ok(id(scene.view, at)?.map_or_else(other, |(id, end)| Member::Id(id.into_owned(), end)));
    }
    Ok(other())
}

/// Reads arguments that are no bare object whole. One level down, as OpenAI's API has them, they are text by rule.
fn given(at: usize, first: Option<u8>, depth: usize, scene: &Scene<'_>) -> Result<Given, NotYet> {
    if first == Some(b'{') {
        let opens = key_ahead(scene.view, at + 1, None)?;
        return Ok(if opens { Given::Object(at) } else { Given::Bad(at) });
    }
    let Some((json, end)) = read_value(at, Place::Value, None, scene)? else { return Ok(Given::Bad(at)) };
    let by_rule = |code: &Code| depth > 0 && *code == Code::DoubleEncoded;
    Ok(match arguments_of(&json, scene.tool(), &scene.engine.options) {
        Some(whole) => Given::Whole(Whole { repair: whole.repair.filter(|code| !by_rule(code)), ..whole }, at, end),
        None => Given::Bad(at),
    })
}

/// Returns the key of the member at `at`, where that key is the tool's name: `{"search": {…}}`.
pub(crate) fn single_key(at: usize, scene: &Scene<'_>) -> Result<Option<Said>, NotYet> {
    let at = scene.gap(at)?;
    let key = key(scene.view, at)?.map(|(key, end)| Said::new(&key, at..end));
    let own = &scene.dialect().members.arguments;
    Ok(key.filter(|key| !ARGUMENTS.contains(&key.text.as_str()) && !own.contains(&key.text)))
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

/// Returns the quote that stands at `at`; JSON that was encoded for XML has entities.
fn quote(view: View<'_>, at: usize) -> Result<Option<&'static str>, NotYet> {
    for quote in ["\"", "'", "&quot;", "&#34;"] {
        if view.starts_with(at, quote)? {
            return Ok(Some(quote));
        }
    }
    Ok(None)
}

/// The longest string that is read as a key, a name or an id, with its first quote.
const STRING: usize = 256;

/// Reads a string of one line; returns its content and its end.
fn string(view: View<'_>, at: usize) -> Result<Option<(Cow<'_, str>, usize)>, NotYet> {
    let Some(quote) = quote(view, at)? else { return Ok(None) };
    let start = at + quote.len();
    let plain = |byte: &&u8| !matches!(**byte, b'\n' | b'\\') && **byte != quote.as_bytes()[0];
    let mut end = start;
    while end - at <= STRING {
        end += view.rest(end).iter().take(STRING - (end - at)).take_while(plain).count();
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

/// Decodes the escapes of a string's content, if it has any.
fn decode(content: &str) -> Cow<'_, str> {
    let decoded = content.contains('\\').then(|| serde_json::from_str(&format!("\"{content}\"")).ok());
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
