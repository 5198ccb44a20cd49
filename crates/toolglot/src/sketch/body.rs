//! The bodies that an example may have: where a call's arguments are, and the hole that reads them.

use std::ops::Range;

use serde_json::{Map, Value};

use super::{Found, Meant, escaped, quoted};

/// Looks for a call from a place on.
pub(super) type Find = fn(&str, usize, &Meant) -> Option<Found>;

/// The kinds in the order in which they are tried: what is JSON first.
pub(super) const KINDS: &[Find] = &[call_object, arguments, params, kwargs, lines];

/// What a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FoundBody {
    /// One JSON object with the name, and the names of its members.
    Call { name: String, arguments: String },
    /// One JSON object.
    Arguments,
    /// A pattern for each parameter.
    Params { param: String },
    /// `key=literal, key=literal`.
    Kwargs,
    /// Lines of `key: value`.
    Lines,
}

impl FoundBody {
    /// Returns the hole that reads the body.
    pub(super) fn hole(&self) -> &'static str {
        match self {
            Self::Call { .. } => "{call}",
            Self::Arguments => "{arguments}",
            Self::Params { .. } => "{params}",
            Self::Kwargs => "{kwargs}",
            Self::Lines => "{lines}",
        }
    }

    /// Returns the lines that the file needs besides.
    pub(super) fn lines(&self) -> Vec<String> {
        match self {
            Self::Call { name, arguments } if (name.as_str(), arguments.as_str()) != ("name", "arguments") => {
                vec![format!("json    = {{ name = [{}], arguments = [{}] }}", quoted(name), quoted(arguments))]
            }
            Self::Params { param } => vec![format!("param   = {}", quoted(param))],
            _ => Vec::new(),
        }
    }
}

/// Every JSON object in the text from a place on, with what it holds.
fn objects(text: &str, from: usize) -> impl Iterator<Item = (Range<usize>, Map<String, Value>)> {
    text[from..].match_indices('{').filter_map(move |(at, _)| {
        let start = from + at;
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let Some(Ok(Value::Object(object))) = values.next() else { return None };
        Some((start..start + values.byte_offset(), object))
    })
}

fn call_object(text: &str, from: usize, meant: &Meant) -> Option<Found> {
    objects(text, from).find_map(|(body, object)| {
        let name = object.iter().find(|(_, value)| value.as_str() == Some(&meant.name))?.0;
        let arguments = object.iter().find(|(_, value)| **value == meant.arguments)?.0;
        let kind = FoundBody::Call { name: name.clone(), arguments: arguments.clone() };
        Some(Found { name: body.start..body.start, body, kind })
    })
}

fn arguments(text: &str, from: usize, meant: &Meant) -> Option<Found> {
    let (body, _) = objects(text, from).find(|(_, object)| Some(object) == meant.arguments.as_object())?;
    let name = match text[from..body.start].rfind(&meant.name) {
        Some(at) => from + at,
        None => body.end + text[body.end..].find(&meant.name)?,
    };
    Some(Found { name: name..name + meant.name.len(), body, kind: FoundBody::Arguments })
}

/// The name, and the first place after it.
fn named(text: &str, from: usize, meant: &Meant) -> Option<Range<usize>> {
    let name = from + text[from..].find(&meant.name)?;
    Some(name..name + meant.name.len())
}

/// A value as a model spells it outside JSON.
fn spelled(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Parameters between literals that repeat: what surrounds the first key and value must surround the others.
fn params(text: &str, from: usize, meant: &Meant) -> Option<Found> {
    let name = named(text, from, meant)?;
    let members = meant.keys.iter().map(|key| Some((key, spelled(meant.arguments.get(key)?))));
    let members = members.collect::<Option<Vec<_>>>()?;
    let mut places = Vec::new();
    let mut at = name.end;
    for (key, value) in &members {
        let key_at = at + text[at..].find(key.as_str())?;
        let value_at = key_at + key.len() + text[key_at + key.len()..].find(value.as_str())?;
        places.push((key_at..key_at + key.len(), value_at..value_at + value.len()));
        at = value_at + value.len();
    }
    let (key, value) = places.first()?.clone();
    let middle = &text[key.end..value.start];
    let open_end = &text[name.end..key.start];
    // The opener of a parameter is its last marker before the key; its closer ends where the next opener begins.
    let open =
        open_end.rfind(['<', '[', '(', '|', '@', '#', '$', '%', '~', '\n']).map_or(open_end, |at| &open_end[at..]);
    let close = match places.get(1) {
        Some((next, _)) => text[value.end..next.start].strip_suffix(open)?,
        None => closer(&text[value.end..], &text[key.clone()]),
    };
    let close_pattern = close.replace(&text[key.clone()], "{key}");
    let closed = |key: &Range<usize>| close_pattern.replace("{key}", &text[key.clone()]);
    let is_alike = |(key, value): &(Range<usize>, Range<usize>)| {
        text[..key.start].ends_with(open)
            && &text[key.end..value.start] == middle
            && text[value.end..].starts_with(&closed(key))
    };
    if open.trim().is_empty() || !places.iter().all(is_alike) {
        return None;
    }
    let (last_key, last_value) = places.last()?;
    let body = key.start - open.len()..last_value.end + closed(last_key).len();
    let close_pattern = escaped(close).replace(&text[key], "{key}");
    let param = format!("{}{{key}}{}{{value}}{close_pattern}", escaped(open), escaped(middle));
    Some(Found { name, body, kind: FoundBody::Params { param } })
}

/// Of a single parameter, its closer is the rest of its line, or the closing tag of its key.
fn closer<'t>(rest: &'t str, key: &str) -> &'t str {
    let tag = rest.find('>').or(rest.find(']')).map(|at| &rest[..=at]).filter(|tag| tag.contains(key));
    tag.unwrap_or_else(|| rest.split_inclusive('\n').next().unwrap_or(rest))
}

fn kwargs(text: &str, from: usize, meant: &Meant) -> Option<Found> {
    let name = named(text, from, meant)?;
    let (first, last) = (meant.keys.first()?, meant.keys.last()?);
    let start = name.end + text[name.end..].find(&format!("{first}="))?;
    let last_end = start + text[start..].find(&format!("{last}="))? + last.len();
    let value = spelled(meant.arguments.get(last)?);
    let mut end = last_end + text[last_end..].find(&value)? + value.len();
    end += text[end..].bytes().take_while(|byte| matches!(byte, b'"' | b'\'')).count();
    Some(Found { name, body: start..end, kind: FoundBody::Kwargs })
}

fn lines(text: &str, from: usize, meant: &Meant) -> Option<Found> {
    let name = named(text, from, meant)?;
    let (first, last) = (meant.keys.first()?, meant.keys.last()?);
    let start = name.end + text[name.end..].find(&format!("{first}:"))?;
    let last_end = start + text[start..].find(&format!("{last}:"))? + last.len();
    let value = spelled(meant.arguments.get(last)?);
    let end = last_end + text[last_end..].find(&value)? + value.len();
    Some(Found { name, body: start..end, kind: FoundBody::Lines })
}
