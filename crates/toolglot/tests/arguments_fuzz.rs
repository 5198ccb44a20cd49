//! Never worse: valid arguments come back byte for byte, damaged ones as valid JSON or as an honest failure.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test may panic")]
//!
//! Rounds and seed come from `ARGUMENTS_ROUNDS` and `ARGUMENTS_SEED`; a
//! failure prints the input, which then becomes a row of the corpus.

use serde_json::{Value, json};
use toolglot::{Code, Dialects, Event, EventKind, Options, Parser, Repairs, Tools, parse, repair};

#[path = "arguments/dice.rs"]
mod dice;
#[path = "arguments/shared.rs"]
mod shared;

use dice::Dice;
use shared::{is_json, tools_of};

/// What models and their servers do to JSON.
const INSERTS: &[&str] = &[
    "\"",
    "'",
    "`",
    "“",
    "”",
    "’",
    "\\",
    "\\\"",
    "\\\\",
    "\\n",
    "\n",
    "\t",
    ",",
    ",,",
    ":",
    "=",
    ";",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "//",
    "/* c */",
    "# c",
    "```",
    "```json\n",
    "True",
    "None",
    "NaN",
    "007",
    "+1",
    "0x1F",
    ".5",
    "1_0",
    "r\"",
    "\"\"\"",
    "'''",
    "<|\"|>",
    "</tool_call>",
    "<tool_call>",
    "{{",
    "}}",
    " ",
    "x",
    "é",
    "日",
    "\u{0}",
    "\\u12",
    "\\ud83d",
    "null",
    "-",
    "\"a\":",
    "\"arguments\": {",
    "properties",
    " text ",
    "Sure: ",
    "<parameter=a>1</parameter>",
];

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn damage(dice: &mut Dice, text: &str) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.roll(4) {
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
        let at = places[dice.roll(places.len())];
        let to = places[dice.roll(places.len())];
        match dice.roll(12) {
            0 => text.truncate(at),
            1 => text.replace_range(at.min(to)..at.max(to), ""),
            2 if at < text.len() => drop(text.remove(at)),
            3 => text = text.replacen("\\\"", "\"", 1 + dice.roll(3)),
            4 => text = text.replacen('"', dice.pick(&["'", "“", "`", "\\\"", ""]), 1 + dice.roll(9)),
            5 => text = text.replacen(dice.pick(&[",", ":", "}", "]", "{"]), dice.pick(&["", ",", ";", "="]), 1),
            6 => text = serde_json::to_string(&text).unwrap(),
            7 => text = text.replace('"', dice.pick(&["'", "\\\"", "”", "<|\"|>"])),
            8 => {
                let piece = text[at.min(to)..at.max(to)].to_owned();
                text.insert_str(at, &piece);
            }
            _ => text.insert_str(at, dice.pick(INSERTS)),
        }
    }
    text
}

/// A schema that a value fits exactly.
fn schema_of(value: &Value) -> Value {
    match value {
        Value::Null => json!({"type": "null"}),
        Value::Bool(_) => json!({"type": "boolean"}),
        Value::Number(_) => json!({"type": "number"}),
        Value::String(_) => json!({"type": "string"}),
        Value::Array(items) => json!({"type": "array", "prefixItems": items.iter().map(schema_of).collect::<Vec<_>>()}),
        Value::Object(members) => {
            let properties: serde_json::Map<_, _> =
                members.iter().map(|(key, value)| (key.clone(), schema_of(value))).collect();
            json!({"type": "object", "properties": properties, "required": members.keys().collect::<Vec<_>>()})
        }
    }
}

fn options(dice: &mut Dice) -> Options {
    let repairs = [Repairs::safe(), Repairs::all(), Repairs::safe(), Repairs::NONE][dice.roll(4)];
    Options::default().with_repairs(repairs).with_accept_incomplete(dice.roll(4) == 0)
}

#[test]
fn valid_arguments_are_never_changed() {
    let (mut dice, dialects) = (Dice::new(number("ARGUMENTS_SEED", 1)), Dialects::builtin());
    for _ in 0..number("ARGUMENTS_ROUNDS", 400) {
        let text = dice.object(3);
        let compact = serde_json::from_str::<Value>(&text).map(|value| (value.to_string(), schema_of(&value)));
        let options = options(&mut dice);
        let found = repair(&text, &dialects, &Tools::default(), &options);
        assert_eq!(found.arguments.as_deref(), Some(text.as_str()), "{:?}", found.diagnostics);
        let Ok((text, schema)) = compact else { continue };
        let found = repair(&text, &dialects, &tools_of(&schema), &options);
        assert_eq!(found.arguments.as_deref(), Some(text.as_str()), "{:?}", found.diagnostics);
    }
}

#[test]
fn valid_arguments_of_a_call_are_never_changed() {
    let (mut dice, dialects) = (Dice::new(number("ARGUMENTS_SEED", 2)), Dialects::builtin().only(&["hermes"]).unwrap());
    for _ in 0..number("ARGUMENTS_ROUNDS", 400) {
        let arguments = dice.object(3);
        let text = format!("<tool_call>\n{{\"name\": \"f\", \"arguments\": {arguments}}}\n</tool_call>");
        let message = parse(&text, &dialects, &Tools::default(), &Options::default());
        let found: Vec<&str> = message.calls.iter().map(|call| call.arguments.as_str()).collect();
        assert_eq!(found, [arguments.as_str()], "{:?}", message.diagnostics);
    }
}

#[test]
fn damaged_arguments_of_a_call_are_read_the_same_in_pieces() {
    let (mut dice, dialects) = (Dice::new(number("ARGUMENTS_SEED", 4)), Dialects::builtin().only(&["hermes"]).unwrap());
    for _ in 0..number("ARGUMENTS_ROUNDS", 400) {
        let valid = format!("{{\"k\": {}}}", dice.object(3));
        let arguments = damage(&mut dice, &valid);
        let text = format!("<tool_call>\n{{\"name\": \"f\", \"arguments\": {arguments}}}\n</tool_call>");
        let mut parser = Parser::new(&dialects, &Tools::default(), &options(&mut dice));
        let whole = said(&mut parser, &text, std::iter::empty());
        let bytes = said(&mut parser, &text, text.char_indices().map(|(at, _)| at));
        assert_eq!(bytes, whole, "one by one: {text}");
        let cuts: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|_| dice.roll(7) == 0).collect();
        assert_eq!(said(&mut parser, &text, cuts.iter().copied()), whole, "cut at {cuts:?}: {text}");
    }
}

/// Returns the arguments of all calls and what was found, from a text that is cut at some places.
fn said(parser: &mut Parser, text: &str, cuts: impl Iterator<Item = usize>) -> (String, Vec<(Code, usize, usize)>) {
    let (mut from, mut arguments, mut found) = (0, String::new(), Vec::new());
    let mut take = |event: Event<'_>| match event.kind {
        EventKind::CallStart { .. } => arguments.push('\n'),
        EventKind::Arguments { json, .. } => arguments.push_str(json),
        EventKind::Diagnostic(it) => found.push((it.code, event.span.start, event.span.end)),
        _ => {}
    };
    for cut in cuts.chain([text.len()]) {
        parser.push(&text[from..cut]).for_each(&mut take);
        from = cut;
    }
    parser.finish().for_each(take);
    found.sort_by_key(|(code, start, end)| (*start, *end, *code));
    (arguments, found)
}

#[test]
fn damaged_arguments_become_json_or_fail() {
    let (mut dice, dialects) = (Dice::new(number("ARGUMENTS_SEED", 3)), Dialects::builtin());
    for _ in 0..number("ARGUMENTS_ROUNDS", 400) {
        let valid = dice.object(3);
        let text = damage(&mut dice, &valid);
        let schema = match (dice.roll(3), serde_json::from_str(&valid).map(|value| schema_of(&value))) {
            (0, Ok(schema)) => schema,
            (1, _) => json!({"type": "object", "properties": {
                "a": {"type": "integer"}, "b": {"type": "array", "items": {"type": "string"}}, "c": {"type": "string"},
                "k": {"type": "object", "properties": {"a": {"enum": ["x", "y"]}}}, "x y": {"type": ["boolean", "null"]},
            }, "required": ["a"]}),
            _ => Value::Null,
        };
        let tools = if schema.is_null() { Tools::default() } else { tools_of(&schema) };
        let options = options(&mut dice);
        let found = repair(&text, &dialects, &tools, &options);
        match found.arguments {
            None => assert!(found.diagnostics.iter().any(|found| found.code == Code::Broken), "{text}"),
            Some(json) => {
                assert!(is_json(&json) && json.trim_start().starts_with('{'), "{text}\n{json}");
                let again = repair(&json, &dialects, &tools, &options);
                let cut = found.diagnostics.iter().any(|found| found.code == Code::Truncated);
                let stable = again.arguments.as_deref() == Some(json.as_str());
                assert!(cut || stable, "not stable: {text}\n{json}\n{:?}\n{again:?}", found.diagnostics);
            }
        }
        for found in &found.diagnostics {
            assert!(text.get(found.span.clone()).is_some(), "a span off the text: {text}\n{found:?}");
        }
    }
}

/// Returns an object as models write them, spaced as they space it.
fn usual_object(dice: &mut Dice) -> String {
    const WORDS: [&str; 14] = [
        "red",
        "two, three",
        "a 27\\\" screen",
        "it's",
        "see: below",
        "x",
        "[1, 2]",
        "{id}",
        "end.",
        "a; b",
        "\\n",
        "\\\"yes\\\"",
        "no, \\\"he\\\" said",
        "C:\\\\tmp",
    ];
    let space = dice.pick(&["", " ", "\n  "]);
    let mut members = String::new();
    for key in ["path", "text", "tags", "count", "more"].iter().take(1 + dice.roll(5)) {
        let text = |dice: &mut Dice| (0..=dice.roll(3)).map(|_| dice.pick(&WORDS)).collect::<Vec<_>>().join(" ");
        let value = match dice.roll(4) {
            0 => "7".to_owned(),
            1 => format!("[\"{}\",{space}\"{}\"]", text(dice), text(dice)),
            2 => format!("{{\"name\":{space}\"{}\"}}", text(dice)),
            _ => format!("\"{}\"", text(dice)),
        };
        let comma = if members.is_empty() { "" } else { "," };
        members += &format!("{comma}{space}\"{key}\":{}{value}", space.trim_start_matches('\n'));
    }
    format!("{{{}}}", members.trim_start())
}

/// Damages text as one slip would: a backslash or a quote lost, a bracket too many.
fn slip(dice: &mut Dice, text: &str) -> Option<String> {
    let (what, lost) = [("\\\"", true), ("\"", true), ("}", false), ("]", false)][dice.roll(4)];
    let places = text.match_indices(what).map(|(at, _)| at).filter(|at| !text[..*at].ends_with('\\'));
    let places: Vec<usize> = places.collect();
    let (before, after) = text.split_at(*places.get(dice.roll(places.len().max(1)))?);
    let damaged = if lost { format!("{before}{}", &after[1..]) } else { format!("{before}{what}{after}") };
    serde_json::from_str::<Value>(&damaged).is_err().then_some(damaged)
}

#[test]
fn one_slip_is_mended_or_refused_and_seldom_made_something_else() {
    let (mut dice, mut right, mut wrong, mut all) = (Dice::new(7), 0, 0, 0);
    let (dialects, tools, options) = (Dialects::builtin(), Tools::default(), Options::default());
    while all < 3_000 {
        let text = usual_object(&mut dice);
        let meant: Value = serde_json::from_str(&text).expect("JSON");
        let Some(damaged) = slip(&mut dice, &text) else { continue };
        all += 1;
        let Some(json) = repair(&damaged, &dialects, &tools, &options).arguments else { continue };
        let same = serde_json::from_str::<Value>(&json).expect("JSON") == meant;
        *(if same { &mut right } else { &mut wrong }) += 1;
    }
    assert!(wrong * 500 <= all && right * 10 >= all * 8, "{right} right, {wrong} wrong of {all}");
}
