//! Every dialect: how fast a long call is read, and what it costs not to say which dialect it is.

use std::fmt::Write;

use toolglot::{Dialects, Parser, Tools};

use crate::examples::{declared, examples};
use crate::job::{self, Job, pieces};
use crate::page::Section;
use crate::sides::{Side, options, pinned};
use crate::table::round;
use crate::timing::{Care, best, race};
use crate::work::{feed, parsing, reading};

/// On a call `auto` may cost so much more than the dialect pinned.
const RATIO: f64 = 2.0;

/// The length of the long call.
const SIZE: usize = 100_000;

/// All dialects are timed so often and the best counts: what else the machine does lasts longer than one of them takes.
const ROUNDS: usize = 4;

/// The best times of one dialect in nanoseconds, infinite where a call is not read well.
#[derive(Clone, Copy)]
struct Times {
    /// A long call, whole and in small pieces, each of plain text and of code.
    long: [[f64; 2]; 2],
    /// Two calls, whole and in small pieces, each pinned and under `auto`.
    two: [[f64; 2]; 2],
}

pub(crate) fn run(care: Care) -> Result<Section, String> {
    let (tools, examples) = (declared()?, examples().collect::<Vec<_>>());
    let mut table = vec![Times::NONE; examples.len()];
    for _ in 0..if care == Care::Full { ROUNDS } else { 1 } {
        for ((name, example), best) in examples.iter().zip(&mut table) {
            *best = best.least(Times::of(care, name, example, &tools)?);
        }
    }
    let mut text = "| dialect | whole, plain: MB/s | whole, code: MB/s | 4 B, plain: ns/byte | 4 B, code: ns/byte | \
                    two calls, whole: auto / pinned | two calls, 4 B: auto / pinned |\n|---|---:|---:|---:|---:|---:|---:|\n"
        .to_owned();
    let mut faults = Vec::new();
    for ((name, _), times) in examples.iter().zip(&table) {
        let [whole, small] = times.long;
        let shown = |value: f64| if value > 0.0 && value.is_finite() { round(value) } else { "–".to_owned() };
        let speeds = whole.map(|time| shown(SIZE as f64 * 1e3 / time)).join(" | ");
        let costs = small.map(|time| shown(time / SIZE as f64)).join(" | ");
        let [whole, small] = times.two.map(|[pinned, auto]| auto / pinned);
        writeln!(text, "| {name} | {speeds} | {costs} | {whole:.2} | {small:.2} |").ok();
        if whole.max(small) > RATIO && care == Care::Full {
            faults.push(format!("{name}: auto costs more than {RATIO} times what it costs pinned"));
        }
    }
    eprintln!("{text}");
    Ok(Section { faults, ..Section::from(text) })
}

impl Times {
    const NONE: Self = Self { long: [[f64::INFINITY; 2]; 2], two: [[f64::INFINITY; 2]; 2] };

    fn of(care: Care, name: &str, example: &str, tools: &Tools) -> Result<Self, String> {
        let [whole, small] = [usize::MAX, 4].map(|bytes| pair(care, name, tools, &pieces(example, bytes, &[])));
        Ok(Self {
            long: ["complete", "4"].map(|chunk| ["plain", "code"].map(|corpus| long_call(care, name, corpus, chunk))),
            two: [whole?, small?],
        })
    }

    fn least(self, other: Self) -> Self {
        let least = |one: [[f64; 2]; 2], other: [[f64; 2]; 2]| {
            [0, 1].map(|row| [0, 1].map(|column| one[row][column].min(other[row][column])))
        };
        Self { long: least(self.long, other.long), two: least(self.two, other.two) }
    }
}

/// Returns what a long call takes, if it is read as it was meant.
fn long_call(care: Care, dialect: &str, corpus: &str, chunk: &str) -> f64 {
    let words = ["call", dialect, corpus, &SIZE.to_string(), chunk].map(str::to_owned);
    let Ok(job) = Job::new(&words) else { return f64::INFINITY };
    let found = Side::Toolglot.find(&job).ok().flatten();
    let wrong = found.zip(job.meant.as_ref()).is_none_or(|(found, meant)| found.differs_from(meant).is_some());
    let (Ok(set), Ok(tools), false) = (pinned(dialect), Tools::from_json(&job::tools()), wrong) else {
        return f64::INFINITY;
    };
    let mut work = match job.pieces {
        Some(pieces) => reading(set, &tools, pieces),
        None => parsing(set, tools, job.text),
    };
    best(care, &mut *work)
}

/// Returns what a message takes with the dialect pinned and under `auto`.
fn pair(care: Care, dialect: &str, tools: &Tools, pieces: &[String]) -> Result<[f64; 2], String> {
    let mut parsers = [pinned(dialect)?, Dialects::builtin()].map(|set| Parser::new(&set, tools, &options()));
    let [alone, all] = &mut parsers;
    let times = race(care, &mut [&mut || feed(alone, pieces), &mut || feed(all, pieces)]);
    Ok([times[0], times[1]])
}
