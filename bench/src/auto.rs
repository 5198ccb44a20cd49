//! Every dialect: how fast a long call is read, and what it costs not to say which dialect it is.

use std::fmt::Write;

use toolglot::{Dialects, Parser, Tools};

use crate::counting::{parsing, reading};
use crate::job::{self, Job, pieces};
use crate::page::Section;
use crate::sides::{Side, options, pinned, take};
use crate::table::round;
use crate::timing::{Care, best, race};

/// Two calls of every dialect, as the test of confusion has them, and the tools they call.
const EXAMPLES: &str = include_str!("../../crates/toolglot/tests/confusion/examples.txt");
const TOOLS: &str = include_str!("../../crates/toolglot/tests/negative/tools.json");

/// On a call `auto` may cost so much more than the dialect pinned.
const RATIO: f64 = 2.0;

/// The length of the long call.
const SIZE: usize = 100_000;

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let tools = declared()?;
    let mut text = "| dialect | whole, plain: MB/s | whole, code: MB/s | 4 B, plain: ns/byte | 4 B, code: ns/byte | \
                    two calls, whole: auto / pinned | two calls, 4 B: auto / pinned |\n|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    let mut dear = Vec::new();
    for (name, example) in examples() {
        let long: Vec<String> = ["complete", "4"]
            .iter()
            .flat_map(|chunk| ["plain", "code"].map(|corpus| long_call(care, name, corpus, chunk)))
            .collect();
        let [whole, small] = [usize::MAX, 4].map(|bytes| ratio(care, name, &tools, &pieces(example, bytes, &[])));
        let (whole, small) = (whole?, small?);
        let row = format!("| {name} | {} | {whole:.2} | {small:.2} |", long.join(" | "));
        eprintln!("{row}");
        writeln!(text, "{row}").ok();
        if whole.max(small) > RATIO && care == Care::Full {
            dear.push(name);
        }
    }
    let faults = dear
        .into_iter()
        .map(|name| format!("{name}: auto costs more than {RATIO} times what it costs pinned"))
        .collect();
    Ok(Section { faults, ..Section::from(text) })
}

/// Returns the tools that the examples call.
pub(crate) fn declared() -> Result<Tools, String> {
    Tools::from_json_str(TOOLS).map_err(|error| error.to_string())
}

/// Returns each dialect's name and its text of two calls.
pub(crate) fn examples() -> impl Iterator<Item = (&'static str, &'static str)> {
    EXAMPLES.split("\n=== ").skip(1).filter_map(|example| {
        let (name, rest) = example.split_once("\n--- two\n")?;
        Some((name, rest.split_once("\n--- one\n")?.0))
    })
}

/// Returns the cell of a long call: its speed if it is whole, the cost of a byte if it comes in pieces.
fn long_call(care: Care, dialect: &str, corpus: &str, chunk: &str) -> String {
    let words = ["call", dialect, corpus, &SIZE.to_string(), chunk].map(str::to_owned);
    let Ok(job) = Job::new(&words) else { return "–".to_owned() };
    let found = Side::Toolglot.find(&job).ok().flatten();
    let wrong = found.zip(job.meant.as_ref()).is_none_or(|(found, meant)| found.differs_from(meant).is_some());
    if wrong {
        return "–".to_owned();
    }
    let (Ok(set), Ok(tools)) = (pinned(dialect), Tools::from_json(&job::tools())) else { return "–".to_owned() };
    let mut work = match job.pieces {
        Some(pieces) => reading(set, &tools, pieces),
        None => parsing(set, tools, job.text),
    };
    let time = best(care, &mut *work);
    round(if chunk == "complete" { SIZE as f64 * 1e3 / time } else { time / SIZE as f64 })
}

/// Returns what `auto` costs, divided by what the dialect pinned costs.
fn ratio(care: Care, dialect: &str, tools: &Tools, pieces: &[String]) -> Result<f64, String> {
    let mut parsers = [pinned(dialect)?, Dialects::builtin()].map(|set| Parser::new(&set, tools, &options()));
    let [alone, all] = &mut parsers;
    let times = race(care, &mut [&mut || feed(alone, pieces), &mut || feed(all, pieces)]);
    Ok(times[1] / times[0])
}

/// Reads a message in pieces and takes every event.
pub(crate) fn feed(parser: &mut Parser, pieces: &[String]) {
    for piece in pieces {
        parser.push(piece).for_each(|event| take(&event));
    }
    parser.finish().for_each(|event| take(&event));
}
