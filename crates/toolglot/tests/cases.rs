//! Runs the case files below `cases/`: one test a file, named by its path, at every split of its input, cut off at every byte,
//! and without the fast paths.
//!
//! `cargo test --test cases qwen3_coder/two_calls` runs one. `UPDATE_EXPECT=1`
//! rewrites the expectations; read the difference as you would code.
//! `CHUNK_SEED=n` replays the random cuts of a failure.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::fs;
use std::ops::Range;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use toolglot::{Dialects, Options, Parser};

use case::Case;
use diff::diff;
use feed::{Cuts, feed, feed_tokens};
use random::{Random, from_env};
use record::Record;
use setup::Setup;

#[path = "support/case.rs"]
mod case;
#[path = "support/diff.rs"]
mod diff;
#[path = "support/feed.rs"]
mod feed;
#[path = "support/random.rs"]
mod random;
#[path = "support/record.rs"]
mod record;
#[path = "support/setup.rs"]
mod setup;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let filters: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let matches = |name: &str| match flag("--exact") {
        true => filters.iter().any(|filter| *filter == name),
        false => filters.is_empty() || filters.iter().any(|filter| name.contains(filter.as_str())),
    };
    let mut names = Vec::new();
    walk(&folder(), &mut names);
    names.sort();
    let all = names.len();
    names.retain(|name| matches(name) && !flag("--ignored"));
    if flag("--list") {
        names.iter().for_each(|name| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    run(&names, all)
}

/// Runs the cases on two threads and prints what `cargo test` prints for its own tests.
fn run(names: &[String], all: usize) -> ExitCode {
    let started = Instant::now();
    let seed = from_env("CHUNK_SEED", 1);
    println!("\nrunning {} tests, CHUNK_SEED={seed}", names.len());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = catch_unwind(|| test(name, seed)).unwrap_or_else(|_| Err("panicked".to_owned()));
                    if let Err(message) = result {
                        println!("test {name} ... FAILED");
                        failures.lock().unwrap_or_else(PoisonError::into_inner).push((name, message));
                    }
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap_or_else(PoisonError::into_inner);
    failures.sort();
    for (name, message) in &failures {
        println!("\n---- {name}\n{message}");
    }
    let (word, failed) = if failures.is_empty() { ("ok", 0) } else { ("FAILED", failures.len()) };
    println!(
        "\ntest result: {word}. {} passed; {failed} failed; 0 ignored; 0 measured; {} filtered out; finished in {:.2}s\n",
        names.len() - failed,
        all - names.len(),
        started.elapsed().as_secs_f64()
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::from(101) }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// Collects the names of all cases below a folder.
fn walk(at: &Path, names: &mut Vec<String>) {
    for entry in fs::read_dir(at).expect("the folder of cases is readable") {
        let path = entry.expect("the entry is readable").path();
        if path.is_dir() {
            walk(&path, names);
        } else if path.extension().is_some_and(|ending| ending == "txt") {
            let name = path.strip_prefix(folder()).expect("it lies below the folder").with_extension("");
            names.push(name.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/"));
        }
    }
}

/// Runs one case: with its own dialects, and those of a dialect's folder with all dialects too.
fn test(name: &str, seed: u64) -> Result<(), String> {
    let path = folder().join(format!("{name}.txt"));
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let mut case = Case::read(&text);
    let input = case.input()?;
    let shared = fs::read_to_string(folder().join("tools.json")).map_err(|error| error.to_string())?;
    let setup = case.setup(name, &shared)?;
    let special = case.special();
    let found = check(&setup, &input, &special, seed)?.lines(&input);
    let auto = match setup.also_auto {
        true => check(&Setup { dialects: Dialects::builtin(), ..setup }, &input, &special, seed)
            .map(|record| Some(record.lines(&input)))
            .map_err(|error| format!("with all dialects: {error}"))?,
        false => None,
    };
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        case.set_expect("expect auto", None);
        case.set_expect("expect", Some(found.clone()));
        case.set_expect("expect auto", auto.filter(|auto| *auto != found));
        return if case.write() == text { Ok(()) } else { fs::write(&path, case.write()).map_err(|e| e.to_string()) };
    }
    let expected = case.section("expect").ok_or("no section `expect`; run with UPDATE_EXPECT=1")?;
    compare("", expected, &found)?;
    auto.map_or(Ok(()), |auto| compare("with all dialects: ", case.section("expect auto").unwrap_or(expected), &auto))
}

fn compare(what: &str, expected: &str, found: &str) -> Result<(), String> {
    if expected == found {
        return Ok(());
    }
    Err(format!("{what}other events (- expected, + found):\n{}", diff(expected, found)))
}

/// Reads the input in every way, and all that it begins with; returns what all ways said.
fn check(setup: &Setup, input: &[u8], special: &[Range<usize>], seed: u64) -> Result<Record, String> {
    let parser = |options: &Options| Parser::new(&setup.dialects, &setup.tools, options);
    let read = |used: &mut Parser, cuts: &Cuts| match special {
        [] => feed(used, input, cuts),
        special => feed_tokens(used, input, special, cuts),
    };
    let mut used = parser(&setup.options);
    let whole = read(&mut used, &Cuts::Whole);
    whole.faults(input).map_err(|fault| format!("{fault}\n{}", whole.lines(input)))?;
    let careful = read(&mut parser(&setup.options.clone().without_fast_path()), &Cuts::Whole);
    if careful != whole {
        let found = diff(&whole.lines(input), &careful.lines(input));
        return Err(format!("the careful readers differ (- fast, + careful):\n{found}"));
    }
    let mut random = Random::new(seed);
    let ways = [Cuts::Whole, Cuts::Characters, Cuts::Bytes].into_iter();
    let joined = [random.next(), random.next()].map(Cuts::Joined);
    let ways =
        ways.chain(joined).chain((0..8).map(|_| Cuts::Random(random.next()))).chain((1..input.len()).map(Cuts::At));
    for cuts in ways {
        let found = read(&mut used, &cuts);
        if found != whole {
            let found = found.lines(input);
            return Err(format!("cut {cuts:?} differs (- whole, + cut):\n{}", diff(&whole.lines(input), &found)));
        }
    }
    for end in (1..input.len()).filter(|_| special.is_empty()) {
        let begun = feed(&mut used, &input[..end], &Cuts::Whole);
        let lines = || begun.lines(&input[..end]);
        begun.faults(&input[..end]).map_err(|fault| format!("ended at {end}: {fault}\n{}", lines()))?;
    }
    Ok(whole)
}
