//! Suggests dialect files for a call that was not read: one derived from the call, one whose openers count anywhere.

use serde_json::{Map, Value};

use crate::dialect::Dialect;
use crate::sketch::{Example, sketch, strengthened};
use crate::tool::Tools;

/// Bytes that are examined; a call is shorter, and people have to read the file.
const LONGEST: usize = 8 << 10;

/// Returns files that read the call after an unknown marker: the text around its JSON is literal.
pub(super) fn from_call(text: &str, tools: &Tools) -> Vec<String> {
    let text = text.get(..LONGEST).unwrap_or(text);
    let Some((name, arguments, end)) = objects(text).find_map(|(start, object, end)| {
        let (name, arguments) = meaning(&text[..start], object, tools)?;
        Some((name, arguments, end))
    }) else {
        return Vec::new();
    };
    let arguments = Value::Object(arguments).to_string();
    let made = |end: usize| {
        let example = Example::new(&text[..end]).with_call(&name, &arguments).with_strong(true);
        sketch("mine", &example.with_about("Made from one call.")).ok()
    };
    ends(text, end).into_iter().filter_map(made).collect()
}

/// Returns a copy of a dialect whose openers also count in the middle of a line; `None` if nothing changes.
pub(super) fn strong_copy(dialect: &Dialect) -> Option<String> {
    let copy = strengthened("mine", dialect.source().to_owned());
    (copy != dialect.source()).then_some(copy)
}

/// The objects in a text, outer ones first, with their start and end.
fn objects(text: &str) -> impl Iterator<Item = (usize, Map<String, Value>, usize)> {
    text.match_indices('{').take(64).filter_map(move |(start, _)| {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter();
        let object = values.next()?.ok()?;
        Some((start, object, start + values.byte_offset()))
    })
}

/// Reads an object as a call, or as the arguments of the tool that is named before it.
fn meaning(before: &str, object: Map<String, Value>, tools: &Tools) -> Option<(String, Map<String, Value>)> {
    let is_name = |key: &str, name: &str| match tools.is_empty() {
        true => ["name", "tool", "tool_name", "function"].contains(&key),
        false => tools.resolve(name).is_some(),
    };
    let name = object.iter().find_map(|(key, value)| value.as_str().filter(|name| is_name(key, name)));
    if let (Some(name), Some(arguments)) = (name, object.values().find_map(Value::as_object)) {
        return Some((name.to_owned(), arguments.clone()));
    }
    let places = tools.names().filter_map(|name| Some((before.rfind(name)?, name)));
    let (_, name) = places.max()?;
    Some((name.to_owned(), object))
}

/// Possible ends of a call whose JSON ends at a position: the end of the text, of its line, of one of the next lines.
fn ends(text: &str, from: usize) -> Vec<usize> {
    let lines = text[from..].match_indices('\n').map(|(at, _)| from + at).take(3);
    let mut ends: Vec<usize> = lines.collect();
    ends.insert(0, text.len());
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_between_unknown_markers_makes_a_file() {
        let tools = Tools::from_json_str(r#"[{"name": "ls"}]"#).unwrap();
        for (text, call) in [
            ("<tool-call>{\"name\": \"ls\", \"arguments\": {\"a\": 1}}</tool-call>", "<tool-call>{call}</tool-call>"),
            ("<<CALL ls {\"a\": 1}>>\nand more", "<<CALL {name} {arguments}>>"),
        ] {
            let files = from_call(text, &tools);
            assert!(files.iter().any(|file| file.contains(&format!("call    = \"{call}\""))), "{files:?}");
        }
        assert!(from_call("<tool-call>{\"total\": 3}</tool-call>", &tools).is_empty());
    }
}
