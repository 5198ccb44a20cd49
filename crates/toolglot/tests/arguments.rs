//! The corpus of arguments: what `repair` makes of each row, and what two dialects make of the same values.
//!
//! `arguments/corpus.txt` says how a row is written. `UPDATE_EXPECT=1` prints
//! what is, to be read before it is believed.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value};
use toolglot::{Code, Collector, Diagnostic, Dialects, Options, Parser, Repaired, Tools, parse, repair};

#[path = "arguments/shared.rs"]
mod shared;

use shared::{is_json, tools_of};

/// One row of the corpus.
#[derive(Clone, Default)]
struct Row {
    line: usize,
    schema: Option<Value>,
    options: Options,
    repairs: String,
    input: Option<String>,
    text: Option<String>,
    out: String,
    /// It takes the sight of the whole, or nothing around it.
    whole: bool,
    say: String,
    why: String,
}

fn rows() -> Vec<Row> {
    let (mut rows, mut row) = (Vec::new(), Row::default());
    for (line, text) in include_str!("arguments/corpus.txt").lines().chain([""]).enumerate() {
        let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
        let plain = rest.replace('⏎', "\n").replace('␉', "\t").replace('␍', "\r").replace('␁', "\u{1}");
        match word {
            "" if row.line > 0 => rows.push(std::mem::take(&mut row)),
            "why" => row.why = plain,
            "schema" => row.schema = Some(serde_json::from_str(rest).expect("a schema")),
            "repairs" => {
                row.options = row.options.with_repairs(rest.parse().expect("repairs"));
                row.repairs = rest.to_owned();
            }
            "accept_incomplete" => row.options = row.options.with_accept_incomplete(true),
            "whole" => row.whole = true,
            "in" => (row.input, row.line) = (Some(plain), line + 1),
            "text" => (row.text, row.line) = (Some(plain), line + 1),
            "out" => row.out = plain,
            "say" => row.say = plain,
            _ => {}
        }
    }
    rows
}

fn names(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().map(|found| found.code.name()).collect::<Vec<_>>().join(" ")
}

impl Row {
    fn tools(&self) -> Tools {
        self.schema.as_ref().map(tools_of).unwrap_or_default()
    }

    /// Returns the arguments that should come out, if any should.
    fn expected(&self) -> Option<&str> {
        match self.out.as_str() {
            "(none)" => None,
            "=" => self.input.as_deref(),
            out => Some(out),
        }
    }

    fn repaired(&self, options: &Options) -> Repaired {
        repair(self.input.as_deref().unwrap_or_default(), &Dialects::builtin(), &self.tools(), options)
    }

    /// Returns the arguments of a call that is all of a text; it says the same one character at a time.
    fn called(&self, text: &str, dialect: &str, tools: &Tools) -> (Option<String>, String) {
        let dialects = Dialects::builtin().only(&[dialect]).expect("a dialect");
        let message = parse(text, &dialects, tools, &self.options);
        let (mut parser, mut collector) = (Parser::new(&dialects, tools, &self.options), Collector::new(&self.options));
        for character in text.chars() {
            parser.push(character.encode_utf8(&mut [0; 4])).for_each(|event| collector.add(&event));
        }
        parser.finish().for_each(|event| collector.add(&event));
        let pieces = collector.finish(text.as_bytes());
        assert_eq!((&pieces.calls, &pieces.diagnostics), (&message.calls, &message.diagnostics), "line {}", self.line);
        (message.calls.first().map(|call| call.arguments.clone()), names(&message.diagnostics))
    }
}

fn inputs() -> impl Iterator<Item = Row> {
    rows().into_iter().filter(|row| row.input.is_some())
}

#[test]
fn every_row_is_read_as_it_says() {
    let mut wrong = String::new();
    for row in inputs() {
        let found = row.repaired(&row.options);
        let (out, say) = (found.arguments.as_deref(), names(&found.diagnostics));
        if out != row.expected() || say != row.say {
            wrong += &format!("line {} ({})\n  out {}\n  say {say}\n", row.line, row.why, out.unwrap_or("(none)"));
        }
        assert!(out.is_none_or(is_json), "line {}: {out:?}", row.line);
        let input = row.input.as_deref().unwrap_or_default();
        let off = found.diagnostics.iter().find(|found| input.get(found.span.clone()).is_none());
        assert!(off.is_none(), "line {}: a span off the text: {off:?}", row.line);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_same_arguments_of_a_call_in_json_are_read_the_same() {
    let mut wrong = String::new();
    for row in inputs().filter(is_in_place) {
        let input = row.input.as_deref().unwrap_or_default();
        let text = format!("<tool_call>\n{{\"name\": \"f\", \"arguments\": {}}}\n</tool_call>", input.trim());
        let (out, say) = row.called(&text, "hermes", &row.tools());
        if out.as_deref().map(str::trim) != row.expected().map(str::trim) || say != row.say {
            wrong +=
                &format!("line {}: {input}\n  out {}\n  say {say}\n", row.line, out.as_deref().unwrap_or("(none)"));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Says whether a row can stand as the arguments of a call and needs no sight of the whole.
fn is_in_place(row: &Row) -> bool {
    !row.whole && row.out != "(none)" && row.input.as_deref().is_some_and(|input| input.starts_with('{'))
}

#[test]
fn strings_that_are_right_pass_through_bare_text_untouched() {
    for row in inputs().filter(|row| row.out == "=" && row.say.is_empty()) {
        let members: Map<String, Value> = serde_json::from_str(row.input.as_deref().unwrap()).unwrap_or_default();
        for text in members.values().filter_map(Value::as_str).filter(|text| !text.contains("<parameter")) {
            let schema = serde_json::json!({"type": "object", "properties": {"a": {"type": "string"}}});
            let (out, say) = row.called(&bare(text), "qwen3_coder", &tools_of(&schema));
            let found: Value = serde_json::from_str(&out.expect("a call")).expect("JSON");
            assert_eq!((found["a"].as_str(), say.as_str()), (Some(text), ""), "line {}", row.line);
        }
    }
}

#[test]
fn bare_text_is_read_as_it_says() {
    let mut wrong = String::new();
    for row in rows() {
        let Some(text) = row.text.as_deref() else { continue };
        let schema = row.schema.clone().unwrap_or_else(|| Value::Object(Map::new()));
        let tools = tools_of(&serde_json::json!({"type": "object", "properties": {"a": schema}}));
        let expected = if row.out == "=" { Value::from(text).to_string() } else { row.out.clone() };
        let (out, say) = row.called(&bare(text), "qwen3_coder", &tools);
        if out.as_deref() != Some(&format!("{{\"a\": {expected}}}")) || say != row.say {
            wrong += &format!("line {} ({})\n  out {}\n  say {say}\n", row.line, row.why, out.unwrap_or_default());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

fn bare(text: &str) -> String {
    format!("<tool_call>\n<function=f>\n<parameter=a>\n{text}\n</parameter>\n</function>\n</tool_call>")
}

#[test]
fn a_repair_that_is_switched_off_is_not_made() {
    for row in inputs() {
        for code in row.say.split_whitespace().filter_map(Code::by_name).filter(|code| code.is_repair()) {
            let repairs = if row.out == "(none)" { continue } else { &row.options };
            let options = repairs.clone().with_repairs(switched_off(&row, code));
            let found = row.repaired(&options);
            let made = found.arguments.is_some() && found.diagnostics.iter().any(|found| found.code == code);
            assert!(!made, "line {} without {}: {found:?}", row.line, code.name());
        }
    }
}

/// The row's repairs without one; all guesses that it makes are on.
fn switched_off(row: &Row, code: Code) -> toolglot::Repairs {
    let guesses = row.say.split_whitespace().filter_map(Code::by_name).filter(|code| code.is_repair());
    guesses.fold(toolglot::Repairs::safe(), toolglot::Repairs::with).without(code)
}

#[test]
fn every_repair_has_a_case_with_it_on_and_one_with_it_off() {
    let (mut on, mut off) = (BTreeSet::new(), BTreeSet::new());
    let mut note = |repairs: &str, said: &BTreeSet<String>, stands: bool| {
        on.extend(said.iter().cloned());
        let switched = repairs.split(',').filter_map(|word| word.trim().strip_prefix('-'));
        off.extend(switched.filter(|name| !stands || !said.contains(*name)).map(str::to_owned));
    };
    for row in rows() {
        let said: BTreeSet<String> = row.say.split_whitespace().map(str::to_owned).collect();
        note(&row.repairs, &said, true);
    }
    for case in case_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")) {
        let marked = case.lines().filter_map(|line| line.strip_prefix("! ")?.split(' ').nth(1));
        let said = marked.map(str::to_owned).collect();
        let repairs = case.lines().find_map(|line| line.strip_prefix("repairs = ")).unwrap_or_default();
        let broken = case.lines().any(|line| line.starts_with("end ") && line.contains(" broken"));
        note(repairs, &said, !broken);
    }
    let repairs = || Code::TABLE.iter().filter(|row| row.code.is_repair()).map(|row| row.name);
    let without = |cases: &BTreeSet<String>| repairs().filter(|name| !cases.contains(*name)).collect::<Vec<_>>();
    assert!(without(&on).is_empty(), "no case makes {:?}", without(&on));
    assert!(without(&off).is_empty(), "no case switches off {:?}", without(&off));
}

fn case_files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let texts = entries.flat_map(|path| match path.extension() {
        Some(kind) if kind == "txt" => fs::read_to_string(&path).into_iter().collect(),
        _ if path.is_dir() => case_files(&path),
        _ => Vec::new(),
    });
    texts.collect()
}

#[test]
fn the_corpus_is_large_enough() {
    let rows = rows();
    let same = rows.iter().filter(|row| row.out == "=" && row.say.is_empty()).count();
    let argued = rows.iter().all(|row| !row.why.is_empty() && !row.out.is_empty());
    assert!(rows.len() >= 360 && same >= 100 && argued, "{} rows, {same} unchanged", rows.len());
}
