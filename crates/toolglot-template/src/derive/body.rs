//! Finds a call's arguments in a turn, and their notation.

use std::ops::Range;

use toolglot::{Dialect, Dialects, Options, Tools};
use toolglot_json::{Map, Value};

use super::{ID_MARK, KEY, NAME, arguments};
use crate::alike::{common_end, common_start};
use crate::markers::{whole_before, whole_behind};
use crate::probe::{Probes, TEXTS};

/// The bodies of the calls of a turn.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) kind: BodyKind,
    pub(super) cores: Vec<Core>,
}

/// The kind of a body, with everything that its file must declare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BodyKind {
    /// One JSON object with the name; the names of its members.
    Call { name: String, arguments: String, id: Option<String> },
    /// One JSON object.
    Arguments,
    /// `key=literal`.
    Kwargs,
    /// Relaxed braces, and the token around strings.
    Object { quote: String },
    /// The patterns of a parameter, and the words of `{type}`.
    Params { params: Vec<String>, types: Option<Types> },
}

/// The words of `{type}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Types {
    pub(super) string: String,
    pub(super) integer: String,
    pub(super) other: String,
}

/// A call in the text: the positions of its name and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Core {
    pub(super) name: Range<usize>,
    pub(super) body: Range<usize>,
}

impl Core {
    pub(super) fn start(&self) -> usize {
        self.name.start.min(self.body.start)
    }

    pub(super) fn end(&self) -> usize {
        self.name.end.max(self.body.end)
    }
}

/// Finds a call of the probe from a place on.
type Locate<'t> = dyn Fn(usize, usize) -> Option<(BodyKind, Core)> + 't;

/// Returns every notation that explains all calls of the text.
pub(super) fn found(text: &str, probes: &Probes) -> Vec<Found> {
    let calls = if text.contains(TEXTS[3].1) { 2 } else { 1 };
    let all = |find: &Locate<'_>| {
        let (mut kind, mut cores, mut at) = (None, Vec::new(), 0);
        for call in 0..calls {
            let (next, core) = find(at, call)?;
            at = core.end();
            cores.push(core);
            kind.get_or_insert(next);
        }
        Some(Found { kind: kind?, cores })
    };
    let kinds: [&Locate<'_>; 4] = [
        &|at, call| call_object(text, at, call),
        &|at, call| arguments_object(text, at, call),
        &|at, call| kwargs(text, at, call),
        &|at, call| object(text, at, call),
    ];
    let mut found: Vec<Found> = kinds.into_iter().filter_map(all).collect();
    let is_json = |found: &Found| matches!(found.kind, BodyKind::Call { .. } | BodyKind::Arguments);
    if !found.iter().any(is_json) {
        found.extend(params(text, calls, probes));
    }
    found
}

/// Every JSON object from a place on.
fn objects(text: &str, from: usize) -> impl Iterator<Item = (Range<usize>, Map)> {
    text[from..].match_indices('{').filter_map(move |(at, _)| {
        let start = from + at;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match values.next() {
            Some(Ok(Value::Object(object))) => Some((start..start + values.byte_offset(), object)),
            _ => printed(&text[start..]).map(|(length, object)| (start..start + length, object)),
        }
    })
}

/// A dictionary as Python prints it, and its length.
fn printed(text: &str) -> Option<(usize, Map)> {
    text[1..].trim_start().strip_prefix('\'')?;
    let (mut depth, mut quote, mut escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{') => depth += 1,
            (None, '}') if depth == 1 => {
                let none = Dialects::from_iter(std::iter::empty::<Dialect>());
                let strict = toolglot::repair(&text[..=at], &none, &Tools::default(), &Options::default());
                return Some((at + 1, serde_json::from_str(&strict.arguments?).ok()?));
            }
            (None, '}') => depth -= 1,
            _ => {}
        }
    }
    None
}

fn is_arguments(value: &Value, call: usize) -> bool {
    let text = value.as_str().and_then(|text| toolglot_json::from_str(text).ok());
    let value = text.as_ref().unwrap_or(value);
    let members = arguments(call);
    value.as_object().is_some_and(|object| object.len() == members.len())
        && members.iter().all(|(key, member)| value[*key] == **member)
}

/// The smallest object with the name and the arguments as its members.
fn call_object(text: &str, from: usize, call: usize) -> Option<(BodyKind, Core)> {
    let fits = |(body, object): (Range<usize>, Map)| {
        let member = |is: &dyn Fn(&Value) -> bool| Some(object.iter().find(|(_, value)| is(value))?.0.clone());
        let name = member(&|value| value.as_str().is_some_and(|text| text.chars().eq([NAME])))?;
        let arguments = member(&|value| is_arguments(value, call))?;
        let id = member(&|value| value.as_str().is_some_and(|text| text.chars().eq([ID_MARK])));
        let kind = BodyKind::Call { name, arguments, id };
        Some((kind, Core { name: body.start..body.start, body }))
    };
    let first = objects(text, from).find_map(fits)?;
    // Inner objects come later; the next call's arguments are others.
    Some(
        objects(text, first.1.body.start + 1)
            .take_while(|(body, _)| body.end <= first.1.body.end)
            .find_map(fits)
            .unwrap_or(first),
    )
}

fn arguments_object(text: &str, from: usize, call: usize) -> Option<(BodyKind, Core)> {
    let (body, _) = objects(text, from).find(|(_, object)| is_arguments(&Value::Object(object.clone()), call))?;
    let is_name = |c| c == NAME;
    let named = text[from..body.start].rfind(is_name).map(|at| from + at);
    // An id may carry the name.
    let named = named.or_else(|| Some(from + text[from..body.start].rfind(ID_MARK)?));
    let name = named.or_else(|| Some(body.end + text[body.end..].find(is_name)?))?;
    Some((BodyKind::Arguments, Core { name: name..name + NAME.len_utf8(), body }))
}

/// `NAME(key=…)`; the parentheses stay outside.
fn kwargs(text: &str, from: usize, call: usize) -> Option<(BodyKind, Core)> {
    let [(first, _), (last, value)] = arguments(call);
    let name = from + text[from..].find(NAME)?;
    let open = name + NAME.len_utf8();
    let start = open + text[open..].find(&format!("{first}="))?;
    if text[open..start].trim() != "(" {
        return None;
    }
    let last = start + text[start..].find(&format!("{last}="))?;
    let end = last + text[last..].find(value)? + value.len();
    let quotes = text[end..].bytes().take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    Some((BodyKind::Kwargs, Core { name: name..open, body: start..end + quotes }))
}

/// `NAME{key:…}`; the braces belong to the body.
fn object(text: &str, from: usize, call: usize) -> Option<(BodyKind, Core)> {
    let [(first, city), (last, value)] = arguments(call);
    let name = from + text[from..].find(NAME)?;
    let open = name + NAME.len_utf8();
    let rest = text[open..].strip_prefix('{')?.strip_prefix(first)?.strip_prefix(':')?;
    let quote = &rest[..rest.find(city)?];
    let last = open + text[open..].find(&format!("{last}:"))?;
    let value_end = last + text[last..].find(value)? + value.len();
    let end = value_end + text[value_end..].find('}')? + 1;
    let fits = text[value_end..end].trim_end_matches('}') == quote;
    fits.then(|| (BodyKind::Object { quote: quote.to_owned() }, Core { name: name..open, body: open..end }))
}

/// Finds the name, the keys and the values of each call.
fn places(text: &str, calls: usize) -> Option<Vec<Place>> {
    let (mut places, mut at) = (Vec::new(), 0);
    for call in 0..calls {
        // The closer of the call before may repeat its name.
        let key = text[at..].find(arguments(call)[0].0).map_or(text.len(), |found| at + found);
        let name = at + text[at..key].rfind(NAME)?;
        at = name + NAME.len_utf8();
        let mut members = Vec::new();
        for (key, value) in arguments(call) {
            let key_at = at + text[at..].find(key)?;
            let value_at = key_at + text[key_at..].find(value)?;
            members.push((key_at..key_at + key.len(), value_at..value_at + value.len()));
            at = value_at + value.len();
        }
        places.push((name..name + NAME.len_utf8(), members));
    }
    Some(places)
}

/// Keys and values between repeated literals.
fn params(text: &str, calls: usize, probes: &Probes) -> Vec<Found> {
    let Some(places) = places(text, calls) else { return Vec::new() };
    let special = &probes.special;
    let (name, members) = &places[0];
    let [(key, value), (next_key, next_value)] = members.as_slice() else { return Vec::new() };
    let middle = &text[key.end..value.start];
    // What is in front of a parameter is what two have in front of them, and likewise after.
    let alike = common_end(&text[name.end..key.start], &text[value.end..next_key.start]);
    let mut open = whole_behind(text, next_key.start - alike, special).max(value.end);
    let behind = text[next_value.end..].replace(arguments(0)[1].0, &KEY.to_string());
    let keyed = |text: &str| text.replace(arguments(0)[0].0, &KEY.to_string());
    let (first_behind, room) = (keyed(&text[value.end..]), keyed(&text[value.end..open.max(next_key.start)]).len());
    let alike = common_start(&first_behind[..room], &behind);
    let close_text = &first_behind[..whole_before(&first_behind, alike, special)];
    let close_length = close_text.replace(KEY, arguments(0)[0].0).len();
    let mut found = Vec::new();
    // What both could be, a line break as a rule, is the closer's; and the other way round.
    let close_end = value.end + close_length;
    let openers = [open.max(close_end), open];
    for from in openers {
        open = from;
        let close = &close_text[..close_length_until(close_text, open - value.end)];
        let separator = &text[(value.end + close.replace(KEY, arguments(0)[0].0).len()).min(open)..open];
        let opener = &text[open..next_key.start];
        let (types, middle) =
            types(probes, key, value, text).map_or((None, middle.to_owned()), |(types, middle)| (Some(types), middle));
        let param = format!("{separator}{opener}{KEY}{middle}\u{e004}{close}");
        let cores = places.iter().filter_map(|(name, members)| {
            let (first, last) = (members.first()?, members.last()?);
            let key = &text[last.0.clone()];
            let start = first.0.start - opener.len();
            let start = if text[..start].ends_with(separator) && !separator.is_empty() && separator.trim().is_empty() {
                start - separator.len()
            } else {
                start
            };
            let end = last.1.end + close.replace(KEY, key).len();
            Some(Core { name: name.clone(), body: start.max(name.end)..end })
        });
        let cores: Vec<Core> = cores.collect();
        let is_whole = cores.iter().all(|core| text.get(core.body.clone()).is_some());
        let fits = is_whole
            && cores.len() == calls
            && !(opener.trim().is_empty() && close.trim().is_empty() && separator.trim().is_empty());
        let next = Found { kind: BodyKind::Params { params: vec![param], types }, cores };
        if fits && !found.iter().any(|other: &Found| other.kind == next.kind) {
            found.push(next);
        }
    }
    found.extend(separated(text, &places, open, probes));
    found
}

/// The positions of a call's parameters: the name, and each key with its value.
type Place = (Range<usize>, Vec<(Range<usize>, Range<usize>)>);

/// Parameters that only the text between two of them delimits; the text before the first may differ.
fn separated(text: &str, places: &[Place], open: usize, probes: &Probes) -> Option<Found> {
    let (name, members) = places.first()?;
    let [(key, value), (next_key, _)] = members.as_slice() else { return None };
    let separator = &text[value.end..next_key.start];
    if separator.trim().is_empty() || separator.contains(arguments(0)[0].0) || open < value.end {
        return None;
    }
    let first = &text[name.end..key.start];
    let (types, middle) = types(probes, key, value, text)
        .map_or((None, text[key.end..value.start].to_owned()), |(types, middle)| (Some(types), middle));
    let mut params = vec![format!("{separator}{KEY}{middle}\u{e004}")];
    if first != separator {
        params.push(format!("{first}{KEY}{middle}\u{e004}"));
    }
    let core = |(name, members): &Place| Some(Core { name: name.clone(), body: name.end..members.last()?.1.end });
    let cores: Vec<Core> = places.iter().filter_map(core).collect();
    Some(Found { kind: BodyKind::Params { params, types }, cores })
}

/// The length of the closer in so many bytes of the text, with keys written out.
fn close_length_until(close: &str, room: usize) -> usize {
    let mut length = 0;
    for (at, c) in close.char_indices() {
        length += if c == KEY { arguments(0)[0].0.len() } else { c.len_utf8() };
        if length > room {
            return at;
        }
    }
    close.len()
}

/// The type's name in the text between key and value, if any, and that text with a hole.
fn types(probes: &Probes, key: &Range<usize>, value: &Range<usize>, text: &str) -> Option<(Types, String)> {
    let string = &text[key.end..value.start];
    let (_, turn) = probes.find("an integer and a boolean")?;
    let behind = |key: &str| Some(&turn.text[turn.text.find(key)? + key.len()..]);
    let integer = behind("qzdays")?;
    let integer = &integer[..integer.find("71")?];
    if integer == string {
        return None;
    }
    let is_word = |c: char| c.is_alphanumeric();
    let alike = common_start(string, integer);
    let start = string[..alike].rfind(|c| !is_word(c)).map_or(0, |at| at + 1);
    let (before, string_word) = (&string[..start], string[start..].split(|c| !is_word(c)).next()?);
    let word = |text: &'_ str| Some(text.strip_prefix(before)?.split(|c| !is_word(c)).next()?.to_owned());
    let (integer, other) = (word(integer)?, word(behind("qzexact")?)?);
    let types = Types { string: string_word.to_owned(), integer, other };
    let own = start..start + string_word.len();
    Some((types, format!("{}\u{e005}{}", &string[..own.start], &string[own.end..])))
}
