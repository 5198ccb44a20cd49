//! Benchmarks: `cargo run --release --manifest-path bench/Cargo.toml -- SECTION`.

use std::process::ExitCode;

mod arguments;
mod corpus;
mod instructions;
mod streaming;

const USAGE: &str = "\
usage: toolglot-bench SECTION
  arguments      valid and damaged arguments beside other readers of JSON
  streaming      time per byte by dialect, chunk size and length
  instructions   instructions per byte in 4-byte chunks by length, counted by valgrind
  feed CASE BYTES CHUNK   what `instructions` counts";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words[..] {
        ["arguments"] => arguments::run(),
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
