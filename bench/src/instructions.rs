//! Instructions per byte, counted by valgrind: the same on every run, whatever else the machine does.

use std::process::Command;

use toolglot::{Options, Parser};

use crate::corpus;
use crate::streaming;

const SIZES: [usize; 4] = [1_000, 10_000, 100_000, 1_000_000];
const CHUNK: &str = "4";

/// A case may cost so much more per byte at the greatest length than at 10,000 bytes.
const FLAT: f64 = 1.1;

/// Prints a table of instructions per byte and fails if the cost grows with the length.
pub(crate) fn run() -> Result<(), String> {
    println!("| case, 4-byte chunks | {} |", SIZES.map(|size| format!("{size} B")).join(" | "));
    println!("|---|{}", "---|".repeat(SIZES.len()));
    let mut steep = Vec::new();
    for name in corpus::names() {
        let costs = SIZES.iter().map(|size| count(&name, *size)).collect::<Result<Vec<f64>, String>>()?;
        let shown: Vec<String> = costs.iter().map(|cost| format!("{cost:.1}")).collect();
        println!("| {name} | {} |", shown.join(" | "));
        if costs[3] > costs[1] * FLAT {
            steep.push(name);
        }
    }
    if steep.is_empty() {
        Ok(())
    } else {
        Err(format!("the cost per byte grows with the length: {}", steep.join(", ")))
    }
}

/// Parses one case; valgrind counts what happens inside [`streaming::feed`].
pub(crate) fn feed(case: &str, bytes: &str, chunk: &str) -> Result<(), String> {
    let bytes = bytes.parse().map_err(|_| "BYTES is a number".to_owned())?;
    let chunk = chunk.parse().map_err(|_| "CHUNK is a number".to_owned())?;
    let found = corpus::case(case, bytes).ok_or("no such case")?;
    let options = Options::default();
    let mut parser = Parser::new(&found.dialects, &corpus::tools(), &options);
    println!("{} events", streaming::feed(&mut parser, &found.text, chunk));
    Ok(())
}

/// Returns the instructions per byte of data that one case takes.
fn count(case: &str, bytes: usize) -> Result<f64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let run = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=*streaming::feed*"])
        .arg(own)
        .args(["feed", case, &bytes.to_string(), CHUNK])
        .output()
        .map_err(|error| format!("valgrind does not run: {error}; install it"))?;
    let said = String::from_utf8_lossy(&run.stderr);
    let total = said.lines().find_map(|line| line.split("Collected : ").nth(1)).ok_or_else(|| said.to_string())?;
    let total: f64 = total.trim().parse().map_err(|_| said.to_string())?;
    Ok(total / bytes as f64)
}
