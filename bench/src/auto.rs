//! What it costs not to say which dialect: calls of every dialect, prose, and making a parser.

use std::hint::black_box;
use std::time::Instant;

use toolglot::{Dialects, Options, Parser, Tools};

use crate::streaming;

/// Two calls of every dialect, as the test of confusion has them, and the tools they call.
const EXAMPLES: &str = include_str!("../../crates/toolglot/tests/confusion/examples.txt");
const TOOLS: &str = include_str!("../../crates/toolglot/tests/negative/tools.json");

/// On a call `auto` may cost so much more than the dialect pinned.
const RATIO: f64 = 2.0;

/// Prints three tables and fails if `auto` costs too much on some dialect's calls.
pub(crate) fn run() -> Result<(), String> {
    let tools = Tools::from_json_str(TOOLS).map_err(|error| error.to_string())?;
    let dear = calls(&tools)?;
    prose(&tools);
    making(&tools);
    if dear.is_empty() {
        Ok(())
    } else {
        Err(format!("auto costs more than {RATIO} times a pinned dialect: {}", dear.join(", ")))
    }
}

/// Returns each dialect's name and its text of two calls.
fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXAMPLES.split("\n=== ").skip(1).filter_map(|example| {
        let (name, rest) = example.split_once("\n--- two\n")?;
        Some((name, rest.split_once("\n--- one\n")?.0))
    })
}

/// Parses a dialect's calls many times, in the mode `auto` or pinned to a dialect.
pub(crate) fn repeat(mode: &str, dialect: &str, times: &str) -> Result<(), String> {
    let tools = Tools::from_json_str(TOOLS).map_err(|error| error.to_string())?;
    let times: usize = times.parse().map_err(|_| "TIMES is a number".to_owned())?;
    let text = examples().find(|example| example.0 == dialect).ok_or("no such dialect")?.1;
    let all = Dialects::builtin();
    let dialects = if mode == "auto" { all } else { all.only(&[mode]).map_err(|error| error.to_string())? };
    let mut parser = Parser::new(&dialects, &tools, &Options::default());
    let events: usize = (0..times).map(|_| streaming::feed(&mut parser, text, usize::MAX)).sum();
    println!("{events} events");
    Ok(())
}

fn calls(tools: &Tools) -> Result<Vec<String>, String> {
    println!("| two calls of | pinned | auto | ratio | in 4-byte chunks |\n|---|---|---|---|---|");
    let all = Dialects::builtin();
    let options = Options::default();
    let mut auto = Parser::new(&all, tools, &options);
    let mut dear = Vec::new();
    for (name, text) in examples() {
        let alone = all.only(&[name]).map_err(|error| error.to_string())?;
        let mut pinned = Parser::new(&alone, tools, &options);
        let [whole, pieces] = [usize::MAX, 4].map(|chunk| sides(&mut pinned, &mut auto, text, chunk));
        let [ratio, in_pieces] = [whole, pieces].map(|(pinned, auto)| auto / pinned);
        println!("| {name} | {:.1} µs | {:.1} µs | {ratio:.2} | {in_pieces:.2} |", whole.0 / 1e3, whole.1 / 1e3);
        if ratio.max(in_pieces) > RATIO {
            dear.push(name.to_owned());
        }
    }
    Ok(dear)
}

/// Returns the best times of two parsers on one text, in nanoseconds, each run beside one of the other.
fn sides(pinned: &mut Parser, auto: &mut Parser, text: &str, chunk: usize) -> (f64, f64) {
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..400 {
        best.0 = best.0.min(nanoseconds(|| streaming::feed(pinned, text, chunk)));
        best.1 = best.1.min(nanoseconds(|| streaming::feed(auto, text, chunk)));
    }
    best
}

/// Prints how fast text without calls passes under `auto`, with tools declared.
fn prose(tools: &Tools) {
    println!("\n| auto, no calls | whole | 4-byte chunks |\n|---|---|---|");
    let mut parser = Parser::new(&Dialects::builtin(), tools, &Options::default());
    for (what, unit) in PROSE {
        let text = unit.repeat(1_000_000 / unit.len());
        let [whole, pieces] = [usize::MAX, 4].map(|chunk| {
            let runs = (0..20).map(|_| nanoseconds(|| streaming::feed(&mut parser, &text, chunk)));
            text.len() as f64 * 1e3 / runs.fold(f64::MAX, f64::min)
        });
        println!("| {what} | {whole:.0} MB/s | {pieces:.0} MB/s |");
    }
}

const PROSE: [(&str, &str); 4] = [
    (
        "paragraphs",
        "The quick brown fox jumps over the lazy dog, and then it does it again because nobody stopped it. It went on \
         for a while: first over the fence, then over the hedge, and at last, when all the dogs had gone to sleep, over \
         the wall at the end of the garden.\n\n",
    ),
    ("lines", "A line of about the length that people give a line in a message that they wrap.\n"),
    (
        "lines with names of tools",
        "search and update are words, and so is python, and a line may well begin with one.\n",
    ),
    (
        "code",
        "fn main() {\n    let x = vec![1, 2, 3];\n    for i in &x {\n        println!(\"{}\", i < 2);\n    }\n}\n",
    ),
];

/// Prints what a request pays before its first byte, where its list of tools is compiled already.
fn making(tools: &Tools) {
    println!("\n| making a parser | |\n|---|---|");
    let (all, options) = (Dialects::builtin(), Options::default());
    let one = all.only(&["hermes"]).unwrap_or_else(|_| all.clone());
    for (what, dialects) in [("auto", &all), ("pinned", &one)] {
        let runs = (0..10_000).map(|_| nanoseconds(|| Parser::new(dialects, tools, &options)));
        println!("| {what} | {:.2} µs |", runs.fold(f64::MAX, f64::min) / 1e3);
    }
}

fn nanoseconds<T>(run: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(run());
    start.elapsed().as_nanos() as f64
}
