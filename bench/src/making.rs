//! What is paid before the first byte: parsers, lists of tools, dialects.

use std::fmt::Write;
use std::hint::black_box;
use std::process::Command;

use serde_json::json;
use toolglot::{Dialect, Dialects, Parser, Tools};

use crate::examples::declared;
use crate::page::Section;
use crate::sides::{options, pinned};
use crate::table::round;
use crate::timing::{Care, best};

/// What a process does once, and the work that does it.
const COLD: [(&str, &str); 4] = [
    ("the first parser of a process, pinned: hermes", "start ready pinned hermes"),
    ("the first parser of a process, pinned: deepseek_v4", "start ready pinned deepseek_v4"),
    ("the first parser of a process, auto", "start ready auto hermes"),
    ("two calls read as the first thing of a process, auto", "start call auto hermes"),
];

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let (all, one, options) = (Dialects::builtin(), pinned("hermes")?, options());
    let twelve = declared()?;
    let mut text = "| making | µs |\n|---|---:|\n".to_owned();
    let mut row = |what: &str, run: &mut dyn FnMut()| {
        let row = format!("| {what} | {} |", round(best(care, run) / 1e3));
        eprintln!("{row}");
        writeln!(text, "{row}").ok();
    };
    row("a parser, pinned, 12 tools", &mut || drop(black_box(Parser::new(&one, &twelve, &options))));
    row("a parser, auto, 12 tools", &mut || drop(black_box(Parser::new(&all, &twelve, &options))));
    for count in [1, 10, 100, 1_000] {
        let list = tools(count);
        row(&format!("a list of {count} tools from JSON text"), &mut || {
            drop(black_box(Tools::from_json_str(&list).ok()));
        });
    }
    row("one dialect out of all", &mut || drop(black_box(pinned("hermes").ok())));
    for name in ["hermes", "deepseek_v4"] {
        row(&format!("one dialect, ready to parse: {name}"), &mut || {
            drop(pinned(name).map(|set| black_box(Parser::new(&set, &twelve, &options))));
        });
    }
    let source = all.get("hermes").map(|dialect| dialect.source().to_owned()).unwrap_or_default();
    row("a dialect from its file", &mut || drop(black_box(Dialect::from_toml("mine", &source).ok())));
    let sources: Vec<(String, String)> =
        all.iter().map(|dialect| (dialect.name().to_owned(), dialect.source().to_owned())).collect();
    row("all built-in dialects from their files, ready to parse", &mut || {
        let read = |(name, source): &(String, String)| Dialect::from_toml(name, source).ok();
        let set: Dialects = sources.iter().filter_map(read).collect();
        drop(black_box(Parser::new(&set, &twelve, &options)));
    });
    for (what, work) in COLD {
        writeln!(text, "| {what} | {} |", round(cold(care, work)? / 1e3)).ok();
    }
    Ok(Section::from(text))
}

/// Returns the nanoseconds that work takes as the first thing of a process: the best of many processes.
fn cold(care: Care, work: &str) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut best = f64::INFINITY;
    for _ in 0..if care == Care::Full { 200 } else { 5 } {
        let run = Command::new(&own).args(["once", work]).output().map_err(|error| error.to_string())?;
        let said = String::from_utf8_lossy(&run.stdout);
        best = best.min(said.trim().parse().map_err(|_| format!("`{work}` was not timed: {said}"))?);
    }
    Ok(best)
}

/// Returns the JSON text of so many tools of four parameters each.
pub(crate) fn tools(count: usize) -> String {
    let tool = |number: usize| {
        json!({"type": "function", "function": {"name": format!("tool_{number}"), "parameters": {
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "lines": {"type": "array", "items": {"type": "integer"}},
                "mode": {"type": "string", "enum": ["read", "write"]},
                "options": {"type": "object", "properties": {"deep": {"type": "boolean"}}},
            },
            "required": ["path"],
        }}})
    };
    serde_json::Value::from((0..count).map(tool).collect::<Vec<_>>()).to_string()
}
