//! What holds for arguments on their own: valid ones stay, damaged ones become JSON or fail, pieces make no difference.

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Unstructured};
use serde_json::value::RawValue;
use toolglot::{ArgumentsEnd, ArgumentsReader, Code, Options, Tools};
use toolglot_json::Map;

use crate::message::shown;
use crate::pieces;
use crate::random::Random;
use crate::setup::{Head, dialects};

/// An arguments string and how it is read.
struct ArgumentsInput {
    text: String,
    tools: &'static Tools,
    options: Options,
    home: usize,
    cuts: u64,
}

impl ArgumentsInput {
    fn new(data: &[u8]) -> Option<Self> {
        let mut rest = Unstructured::new(data);
        let head = Head::arbitrary(&mut rest).ok()?;
        let home = head.setup(false).home;
        let text = String::from_utf8_lossy(&pieces::message(rest.take_rest(), home)).into_owned();
        let tools = &TOOLS[usize::from(head.tools) % TOOLS.len()];
        Some(Self { text, tools, options: head.options(false), home, cuts: head.cuts.into() })
    }

    fn shown(&self) -> String {
        let Self { text, tools, options, .. } = self;
        format!("tool {:?}, cuts {}, {options:?}\ninput {}", tools.names().next(), self.cuts, shown(text.as_bytes()))
    }
}

/// Valid arguments come back byte for byte; what comes back is JSON, and is left alone the second time.
pub fn repair(data: &[u8]) {
    let Some(input) = ArgumentsInput::new(data) else { return };
    let dialects = dialects(0, 0);
    let repair = |text: &str, tools: &Tools| toolglot::repair(text, &dialects, tools, &input.options);
    if is_object(&input.text) && !is_deep(&input.text) {
        let found = repair(&input.text, &Tools::default());
        assert_eq!(found.arguments.as_deref(), Some(input.text.as_str()), "{:?}\n{}", found.diagnostics, input.shown());
    }
    let found = repair(&input.text, input.tools);
    for note in &found.diagnostics {
        assert!(input.text.get(note.span.clone()).is_some(), "{note:?}\n{}", input.shown());
    }
    let has = |code| found.diagnostics.iter().any(|note| note.code == code);
    match &found.arguments {
        None => assert!(has(Code::Broken), "{}", input.shown()),
        Some(json) => {
            assert!(is_object(json), "{json}\n{}", input.shown());
            let again = repair(json, input.tools);
            let stable = again.arguments.as_deref() == Some(json.as_str());
            assert!(has(Code::Truncated) || stable, "{json}\n{found:?}\n{again:?}\n{}", input.shown());
        }
    }
}

/// Arguments that arrive in pieces are read as if they were whole.
pub fn arguments(data: &[u8]) {
    let Some(input) = ArgumentsInput::new(data) else { return };
    let mut random = Random::new(input.cuts);
    let longest = [1, 2, 7, 40][random.below(4)];
    let (whole, end) = read(&input, usize::MAX, &mut random);
    let (pieces, other) = read(&input, longest, &mut random);
    assert_eq!((&pieces, sorted(&other)), (&whole, sorted(&end)), "in pieces up to {longest}: {}", input.shown());
    assert!(!end.outcome.is_call() || is_object(&whole), "{whole:?} {end:?}\n{}", input.shown());
    assert!(end.outcome.is_call() || !is_object(&whole), "{whole:?} {end:?}\n{}", input.shown());
}

fn read(input: &ArgumentsInput, longest: usize, random: &mut Random) -> (String, ArgumentsEnd) {
    let name = input.tools.names().next().unwrap_or("f");
    let mut reader = ArgumentsReader::new(&dialects(2, input.home), input.tools, name, &input.options);
    let (mut out, mut from) = (String::new(), 0);
    while from < input.text.len() {
        let to = from.saturating_add(1 + random.below(longest)).min(input.text.len());
        let to = if longest == usize::MAX { input.text.len() } else { input.text.ceil_char_boundary(to) };
        reader.push(&input.text[from..to], &mut out);
        from = to;
    }
    let end = reader.finish(&mut out);
    (out, end)
}

/// Returns what pieces may not change: messages may name what was known when they were written.
fn sorted(end: &ArgumentsEnd) -> (String, String, Vec<(usize, usize, Code)>) {
    let mut notes: Vec<_> = end.diagnostics.iter().map(|it| (it.span.start, it.span.end, it.code)).collect();
    notes.sort();
    (format!("{:?}", end.outcome), end.rest.clone(), notes)
}

/// Says whether a text is a JSON object by its grammar, which allows lone surrogates and numbers of any size.
pub(crate) fn is_object(text: &str) -> bool {
    let text = text.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    let value: Result<Map, _> = serde_json::from_str(&text);
    value.map_or_else(|error| is_raw_object(&text, &error), |_| true)
}

/// A number too large for a float, or nesting deeper than the reference goes, is JSON all the same.
fn is_raw_object(text: &str, error: &serde_json::Error) -> bool {
    let raw: Result<&RawValue, _> = serde_json::from_str(text);
    let fine = raw.is_ok_and(|raw| raw.get().starts_with('{'));
    fine && ["out of range", "recursion"].iter().any(|why| error.to_string().contains(why))
}

/// Says whether a text may nest deeper than values may.
fn is_deep(text: &str) -> bool {
    text.bytes().filter(|byte| matches!(byte, b'{' | b'[')).count() >= 128
}

static TOOLS: LazyLock<Vec<Tools>> = LazyLock::new(|| {
    let declared = PARAMETERS.map(|parameters| format!(r#"[{{"name": "f", "parameters": {parameters}}}]"#));
    let tools = declared.iter().map(|text| Tools::from_json_str(text).expect("a tool"));
    [Tools::default()].into_iter().chain(tools).collect()
});

const PARAMETERS: [&str; 5] = [
    r#"{"type": "object", "properties": {"path": {"type": "string"}, "recursive": {"type": "boolean"}}, "required": ["path"]}"#,
    r#"{"type": "object", "properties": {
        "a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "string"}}, "c": {"type": "string"},
        "k": {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}}, "x y": {"type": ["boolean", "null"]}},
        "required": ["a"]}"#,
    r#"{"type": "object", "properties": {"arguments": {"type": "object"}, "name": {"type": "string"}}}"#,
    r#"{"type": "object", "properties": {"content": {"type": "string"}}, "additionalProperties": false}"#,
    r##"{"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}, "n": {"type": "number"},
        "u": {"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "integer"}}, {"type": "null"}]}},
        "$defs": {"x": {"type": "object", "properties": {"x": {"$ref": "#/$defs/x"}, "l": {"type": "array", "items": {"$ref": "#/$defs/x"}}}}}}"##,
];
