//! Text that calls nothing, with tools named after its own tags, functions and keys: no call is found in it.

use serde_json::json;
use toolglot::Tools;

use super::home::Home;
use super::message::{found, read_with, shown};
use super::tally::Tally;
use super::{Run, code, line};
use crate::random::Random;

/// The types that parameters are declared with.
const TYPES: [&str; 6] = ["string", "string", "integer", "boolean", "object", "array"];

/// Reads some lines of a file with tools that are named like what stands in them.
pub(super) fn judge(home: &Home, run: &Run, random: &mut Random, tally: &mut Tally) {
    let text = (0..1 + random.below(3)).map(|_| code::lines(random)).collect::<Vec<_>>().join("\n");
    let words = words(&text);
    if words.names.is_empty() {
        return tally.count("no names", "");
    }
    let tools: Vec<_> = (0..5).map(|_| tool(&words, random)).collect();
    let declared = Tools::from_json(&json!(tools)).expect("these are tools");
    let message = read_with(home, run, &declared, text.as_bytes());
    let outcome = match (message.calls.is_empty(), message.incomplete.is_empty()) {
        (true, true) => "text",
        (true, false) => "not finished",
        (false, _) => "a call",
    };
    tally.count("prose", outcome);
    if outcome != "text" {
        tally.show(run, outcome, || {
            let calls = shown(&found(&message));
            vec![
                format!("text  {}", line(text.as_bytes())),
                format!("tools {}", json!(tools)),
                format!("found {calls}"),
            ]
        });
    }
}

/// Returns a tool with a name of the text, and keys of the text as its parameters.
fn tool(words: &Words<'_>, random: &mut Random) -> serde_json::Value {
    let mut parameters = serde_json::Map::new();
    for _ in 0..if words.keys.is_empty() { 0 } else { random.below(4) } {
        let key = words.keys[random.below(words.keys.len())];
        parameters.insert(key.to_owned(), json!({"type": TYPES[random.below(TYPES.len())]}));
    }
    let required: Vec<&String> = parameters.keys().filter(|_| random.one_in(3)).collect();
    let name = words.names[random.below(words.names.len())];
    json!({"name": name, "parameters": {"type": "object", "properties": parameters, "required": required}})
}

/// The words of a text that may name something.
#[derive(Default)]
struct Words<'t> {
    /// What follows `<`, and what `(`, `:`, `=` or `{` follows.
    names: Vec<&'t str>,
    /// What `=` or `:` follows, and what follows `<`.
    keys: Vec<&'t str>,
}

fn words(text: &str) -> Words<'_> {
    let part = |next: char| next.is_ascii_alphanumeric() || "_-.".contains(next);
    let mut found = Words::default();
    let mut rest = text;
    while let Some(from) = rest.find(|next: char| next.is_ascii_alphabetic()) {
        let length = rest[from..].find(|next| !part(next)).unwrap_or(rest.len() - from);
        let (word, behind) = (&rest[from..from + length], rest[from + length..].trim_start_matches(['"', ' ']));
        let tag = rest[..from].ends_with('<');
        if length < 40 && (tag || behind.starts_with(['(', ':', '=', '{'])) {
            found.names.push(word);
        }
        if length < 40 && (tag || behind.starts_with([':', '='])) {
            found.keys.push(word);
        }
        rest = &rest[from + length..];
    }
    found
}
