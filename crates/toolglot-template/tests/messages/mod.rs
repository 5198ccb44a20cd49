//! Messages as dialects write them: what other readers are compared with.

use std::sync::Arc;

use toolglot::{Dialect, Renderer, Rendering, Tools};

pub(crate) const TOOLS: &str = r#"[
  {"type": "function", "function": {"name": "find_river", "description": "Finds a river.", "parameters": {"type": "object", "properties": {
    "city": {"type": "string"}, "note": {"type": "string"}, "days": {"type": "integer"}, "exact": {"type": "boolean"}, "ratio": {"type": "number"},
    "tags": {"type": "array", "items": {"type": "string"}}, "options": {"type": "object"}}}}},
  {"type": "function", "function": {"name": "read_note", "description": "Reads a note.", "parameters": {"type": "object", "properties": {
    "city": {"type": "string"}, "days": {"type": "integer"}}}}}]"#;

const ARGUMENTS: [&str; 7] = [
    r#"{"city": "Paris"}"#,
    r#"{"city": "Oslo", "days": 3}"#,
    r#"{"city": "Rome", "note": "two\nlines", "exact": true}"#,
    r#"{"city": "São Paulo", "ratio": 0.5, "tags": ["a", "b"]}"#,
    r#"{"days": 71, "options": {"depth": 1, "label": "x y"}}"#,
    r#"{"city": "42", "note": "a longer text, with commas; and more."}"#,
    r#"{"city": "main.rs", "exact": false, "days": -4}"#,
];

/// A message: what it thinks, what it says, its calls.
pub(crate) struct Sample {
    pub(crate) reasoning: &'static str,
    pub(crate) content: &'static str,
    pub(crate) calls: Vec<(&'static str, &'static str)>,
}

/// Messages of every kind.
pub(crate) fn samples() -> Vec<Sample> {
    let mut all = Vec::new();
    for (at, arguments) in ARGUMENTS.into_iter().enumerate() {
        for (reasoning, content) in
            [("", ""), ("", "Let me look."), ("A river is wanted.", ""), ("First a river.", "Now I look.")]
        {
            let one = vec![("find_river", arguments)];
            let other = ("read_note", ARGUMENTS[at % 2]);
            all.push(Sample { reasoning, content, calls: one.clone() });
            all.push(Sample { reasoning, content, calls: [one, vec![other]].concat() });
        }
    }
    for (reasoning, content) in [("", "No call here."), ("Nothing to do.", "All is well.")] {
        all.push(Sample { reasoning, content, calls: Vec::new() });
    }
    all
}

pub(crate) fn tools() -> Tools {
    Tools::from_json_str(TOOLS).unwrap_or_default()
}

/// What a dialect writes for a message, if it can say it.
pub(crate) fn written(dialect: &Arc<Dialect>, sample: &Sample) -> Option<String> {
    let message = Rendering::new().with_reasoning(sample.reasoning).with_content(sample.content);
    let message = sample.calls.iter().fold(message, |all, (name, arguments)| all.with_call(name, arguments));
    Renderer::new(dialect, &tools()).render(&message).ok()
}
