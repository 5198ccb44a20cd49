//! Every dialect's texts read by every dialect: the right calls or none, and a table that says which.
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where its files cannot be read")]

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use serde_json::{Value, json};
use toolglot::{Dialects, Message, Options, Tools, parse};

const EXAMPLES: &str = include_str!("confusion/examples.txt");
const TOOLS: &str = include_str!("negative/tools.json");

/// Dialects whose texts `auto` may take for each other's, and why no byte tells them apart.
const EQUIVALENTS: &[Pair] = &[
    ("bare_json", "xlam", "a bare array is one of xLAM's formats"),
    ("cline", "use_tool", "a tag named after the tool with elements inside; only white space differs"),
    ("ernie45", "hermes", "the same tags around calls; the wrapper around answers needs a pinned dialect"),
    ("glm47", "glm45", "the same tags; they differ in white space only"),
    (
        "hunyuan_a13b",
        "tool_calls_array",
        "the same tags around calls; the wrapper around answers needs a pinned dialect",
    ),
    ("mimo", "qwen3_coder", "the same tags; they differ in the white space around values only"),
    ("poolside_v1", "glm45", "the same patterns"),
];

/// Pairs (text, reader) where a pinned reader finds other calls than were written, and why that cannot be helped.
const WRONG: &[Pair] = &[
    ("cohere_command", "qwen25_drift", "the array's last object is alone on its line, like a bare call"),
    ("cohere_command", "poolside_v1", "the array's last object is alone on its line, like a bare call"),
    ("command_r", "poolside_v1", "the array's last object is alone on its line, like a bare call"),
    ("command_r", "qwen25_drift", "the array's last object is alone on its line, like a bare call"),
    ("qwen3_coder", "mimo", "line breaks around a value are data for MiMo"),
    ("seed_oss", "mimo", "line breaks around a value are data for MiMo"),
    ("smollm3_code", "use_tool", "one tool is called `code`, like the tags around the calls"),
    ("step_audio2", "functionary_v3", "the name and JSON are on separate lines, as if a head were missing"),
    ("zaya1", "mimo", "line breaks around a value are data for MiMo"),
];

/// The dialect of a text, the dialect that reads it, and a reason.
type Pair = (&'static str, &'static str, &'static str);

/// Two texts of a dialect.
struct Example {
    dialect: &'static str,
    two: &'static str,
    one: &'static str,
}

impl Example {
    /// The prose before the call, which only dialects with strong markers have.
    fn prose(&self) -> &'static str {
        if self.one.starts_with(PROSE) { PROSE } else { "" }
    }
}

/// What a reader made of a dialect's texts, from best to worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Same,
    /// One of the texts is read, the other is text.
    Some,
    None,
    Wrong,
}

#[test]
fn every_dialect_has_examples() {
    let builtin = Dialects::builtin();
    let named: Vec<&str> = examples().iter().map(|example| example.dialect).collect();
    let mut known: Vec<&str> = builtin.iter().map(|dialect| dialect.name()).collect();
    known.sort_unstable();
    assert_eq!(named, known);
}

#[test]
fn pinned_to_itself_reads_its_calls() {
    let failures: Vec<String> = examples()
        .iter()
        .filter(|example| verdict(example, &pinned(example.dialect)) != Verdict::Same)
        .map(|example| format!("{}: {:#?}", example.dialect, found(example, &pinned(example.dialect))))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn nothing_of_a_call_is_left_in_the_text() {
    let mut failures = Vec::new();
    for example in examples() {
        for dialects in [pinned(example.dialect), Dialects::builtin()] {
            for (text, prose) in [(example.two, ""), (example.one, example.prose())] {
                let content = read(text, &dialects).content;
                if content.trim() != prose {
                    failures.push(format!("{}: {content:?}", example.dialect));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn auto_reads_the_calls_and_names_the_dialect() {
    let (mut failures, mut needed) = (Vec::new(), Vec::new());
    for example in examples() {
        if verdict(&example, &Dialects::builtin()) != Verdict::Same {
            failures.push(format!("{}: {:#?}", example.dialect, found(&example, &Dialects::builtin())));
        }
        for text in [example.two, example.one] {
            let message = read(text, &Dialects::builtin());
            let said = message.dialect.as_deref().unwrap_or("none").to_owned();
            if said == example.dialect {
                continue;
            }
            match EQUIVALENTS.iter().find(|(written, read, _)| (*written, *read) == (example.dialect, &*said)) {
                Some(pair) => needed.push(pair),
                None => failures.push(format!("{} is taken for {said}", example.dialect)),
            }
        }
    }
    failures.extend(unneeded(EQUIVALENTS, &needed));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_other_dialect_reads_wrong_calls() {
    let (examples, mut failures, mut needed) = (examples(), Vec::new(), Vec::new());
    for example in &examples {
        for reader in examples.iter().map(|example| example.dialect) {
            if verdict(example, &pinned(reader)) != Verdict::Wrong {
                continue;
            }
            match WRONG.iter().find(|(written, read, _)| (*written, *read) == (example.dialect, reader)) {
                Some(pair) => needed.push(pair),
                None => failures.push(format!(
                    "{} read as {reader}: {:?}",
                    example.dialect,
                    found(example, &pinned(reader))
                )),
            }
        }
    }
    failures.extend(unneeded(WRONG, &needed));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_table_is_up_to_date() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/results/confusion.md");
    let table = table();
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, table).unwrap();
        return;
    }
    let stale = fs::read_to_string(&path).unwrap_or_default() != table;
    assert!(
        !stale,
        "`fuzz/results/confusion.md` is out of date; run the tests with `UPDATE_EXPECT=1` and read the diff"
    );
}

fn unneeded(list: &'static [Pair], needed: &[&Pair]) -> Vec<String> {
    let unneeded = list.iter().filter(|pair| !needed.contains(pair));
    unneeded.map(|(text, reader, _)| format!("{text} as {reader} is not needed in the list")).collect()
}

fn table() -> String {
    let examples = examples();
    let mut table = String::from(HEAD);
    for digit in [10, 1] {
        let digits = (1..=examples.len()).map(|number| char::from(b'0' + (number / digit % 10) as u8));
        let digits: String = digits.collect();
        writeln!(table, "{:21}{}", "", spaced(&digits)).unwrap();
    }
    for (row, example) in examples.iter().enumerate() {
        let line: String = examples.iter().map(|reader| symbol(verdict(example, &pinned(reader.dialect)))).collect();
        writeln!(table, "{:2} {:18}{}", row + 1, example.dialect, spaced(&line)).unwrap();
    }
    table.push_str("```\n");
    notes(&mut table, "Parsed as another dialect under `auto`", EQUIVALENTS);
    notes(&mut table, "Read wrongly", WRONG);
    table
}

fn notes(table: &mut String, title: &str, pairs: &[Pair]) {
    if pairs.is_empty() {
        return;
    }
    writeln!(table, "\n## {title}\n\n| text of | read as | why |\n|---|---|---|").unwrap();
    for (text, reader, why) in pairs {
        writeln!(table, "| `{text}` | `{reader}` | {why} |").unwrap();
    }
}

/// A blank after every tenth column.
fn spaced(line: &str) -> String {
    let columns: Vec<char> = line.chars().collect();
    columns.chunks(10).map(|ten| ten.iter().collect::<String>()).collect::<Vec<_>>().join(" ")
}

fn symbol(verdict: Verdict) -> char {
    match verdict {
        Verdict::Same => '=',
        Verdict::Some => '~',
        Verdict::None => '.',
        Verdict::Wrong => '!',
    }
}

/// Both texts the same: that. One read and the other not: some. One wrong: wrong.
fn verdict(example: &Example, dialects: &Dialects) -> Verdict {
    let judge = |text, expected| judge(&read(text, dialects), expected);
    match (judge(example.two, &two()), judge(example.one, &one())) {
        (two, one) if two == one => two,
        (Verdict::Wrong, _) | (_, Verdict::Wrong) => Verdict::Wrong,
        _ => Verdict::Some,
    }
}

fn judge(message: &Message, expected: &Value) -> Verdict {
    match calls(message) {
        calls if calls == *expected => Verdict::Same,
        calls if calls == json!([]) && message.incomplete.is_empty() => Verdict::None,
        _ => Verdict::Wrong,
    }
}

fn found(example: &Example, dialects: &Dialects) -> [Value; 2] {
    [example.two, example.one].map(|text| {
        let message = read(text, dialects);
        let wrong = judge(&message, &two()) == Verdict::Wrong && judge(&message, &one()) == Verdict::Wrong;
        if wrong { json!([calls(&message), format!("{:?}", message.incomplete)]) } else { calls(&message) }
    })
}

fn calls(message: &Message) -> Value {
    let call = |call: &toolglot::Call| {
        json!([call.name, serde_json::from_str::<Value>(&call.arguments).expect("arguments are JSON")])
    };
    message.calls.iter().map(call).collect()
}

fn two() -> Value {
    json!([
        ["get_weather", {"city": "Paris", "days": 3}],
        ["search", {"query": "a < b", "exact": true, "tags": ["x", "y"], "opts": {"limit": 5}}],
    ])
}

fn one() -> Value {
    json!([["update", {"id": 7, "fields": {"state": "open", "tags": ["a", "b"]}}]])
}

fn read(text: &str, dialects: &Dialects) -> Message {
    parse(text, dialects, &Tools::from_json_str(TOOLS).unwrap(), &Options::default())
}

fn pinned(name: &str) -> Dialects {
    Dialects::builtin().only(&[name]).unwrap()
}

fn examples() -> Vec<Example> {
    let sections = EXAMPLES.split("\n=== ").skip(1);
    let example = |section: &'static str| {
        let (dialect, rest) = section.split_once("\n--- two\n").unwrap();
        let (two, one) = rest.split_once("\n--- one\n").unwrap();
        Example { dialect, two, one: one.trim_end_matches('\n') }
    };
    sections.map(example).collect()
}

const PROSE: &str = "I will note it.";

const HEAD: &str = "\
# Confusion matrix

Texts of every dialect, parsed with every dialect pinned in turn. The row is the dialect of the texts; the column is the
pinned dialect, by its row number. Generated by `crates/toolglot/tests/confusion.rs` with `UPDATE_EXPECT=1`.

`=` the same calls · `.` no call, only text · `~` one of the two texts has calls, the other is text · `!` wrong calls

```text
";
