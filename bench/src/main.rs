//! Benchmarks: `cargo run --release --manifest-path bench/Cargo.toml -- SECTION`.

use std::process::ExitCode;

mod arguments;
mod auto;
mod corpus;
mod instructions;
mod streaming;

const USAGE: &str = "\
usage: toolglot-bench SECTION
  arguments      valid and damaged arguments beside other readers of JSON
  auto           every dialect's calls under auto beside pinned, prose, making a parser
  streaming      time per byte by dialect, chunk size and length
  instructions   instructions per byte in 4-byte chunks by length, counted by valgrind
  feed CASE BYTES CHUNK   what `instructions` counts
  calls MODE DIALECT TIMES   a dialect's calls under `auto` or a dialect, for a profiler";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["arguments"] => arguments::run(),
        ["auto"] => auto::run(),
        ["calls", mode, dialect, times] => auto::repeat(mode, dialect, times),
        ["streaming"] => streaming::run(),
        ["instructions"] => instructions::run(),
        ["feed", case, bytes, chunk] => instructions::feed(case, bytes, chunk),
        _ => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
