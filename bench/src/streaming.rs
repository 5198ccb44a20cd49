//! Time per byte, by dialect, chunk size and length.

use std::hint::black_box;
use std::time::Instant;

use toolglot::{Options, Parser, Tools};

use crate::corpus::{self, Case};

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const CHUNKS: [usize; 3] = [4, 64, usize::MAX];

/// Prints a table of nanoseconds per byte. The machine's noise is in it: read ratios, not numbers.
pub(crate) fn run() -> Result<(), String> {
    let tools = corpus::tools();
    println!("| case | chunk | {} |", SIZES.map(|size| format!("{size} B")).join(" | "));
    println!("|---|---|{}", "---|".repeat(SIZES.len()));
    for name in corpus::names() {
        let cases: Vec<Case> = SIZES.iter().filter_map(|size| corpus::case(&name, *size)).collect();
        for chunk in CHUNKS {
            let best = cases.iter().map(|case| format!("{:.2}", nanoseconds(case, chunk, &tools)));
            let chunk = if chunk == usize::MAX { "whole".to_owned() } else { chunk.to_string() };
            println!("| {name} | {chunk} | {} |", best.collect::<Vec<_>>().join(" | "));
        }
    }
    Ok(())
}

/// Returns the best time per byte of several runs.
fn nanoseconds(case: &Case, chunk: usize, tools: &Tools) -> f64 {
    let runs = (4_000_000 / case.text.len()).clamp(3, 200);
    let options = Options::default();
    let mut parser = Parser::new(&case.dialects, tools, &options);
    let times = (0..runs).map(|_| {
        let start = Instant::now();
        black_box(feed(&mut parser, &case.text, chunk));
        start.elapsed().as_nanos()
    });
    times.min().unwrap_or_default() as f64 / case.text.len() as f64
}

/// Parses a text in chunks; returns how many events came of it.
#[inline(never)]
pub(crate) fn feed(parser: &mut Parser, text: &str, chunk: usize) -> usize {
    let mut events = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let mut cut = chunk.min(rest.len());
        while !rest.is_char_boundary(cut) {
            cut += 1;
        }
        events += parser.push(&rest[..cut]).count();
        rest = &rest[cut..];
    }
    events + parser.finish().count()
}
