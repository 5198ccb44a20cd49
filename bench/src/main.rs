//! Benchmarks: `cargo run --release --manifest-path bench/Cargo.toml --features peers -- all --update`.

use std::process::ExitCode;
use std::time::Instant;

use crate::job::Job;
use crate::page::Section;
use crate::timing::Care;

mod arguments;
mod auto;
mod budgets;
mod building;
mod calls;
#[cfg(feature = "wire")]
mod chunks;
mod complete;
mod counting;
mod duel;
#[cfg(feature = "wire")]
#[path = "../../e2e/bench/src/envelope.rs"]
mod envelope;
mod examples;
mod fragments;
mod growth;
mod hostile;
mod hunt;
mod instructions;
mod job;
mod machine;
mod making;
mod page;
mod part;
#[cfg(feature = "peers")]
mod peers;
mod plot;
mod prose;
#[expect(dead_code, reason = "only the tests take numbers from the environment")]
#[path = "../../crates/toolglot/tests/support/random.rs"]
mod random;
mod rendering;
mod sides;
mod streaming;
mod table;
mod timing;
mod work;
mod works;

const USAGE: &str = "\
usage: toolglot-bench SECTION [--quick] [--update]
  all            every section; the peers are in it if built with `--features peers`
  machine        what it is measured on, and the versions of everything
  complete       a call read whole, by dialect, value and size
  streaming      a call in pieces, by dialect, length and size of the pieces
  prose          answers without calls
  calls          many small calls
  hostile        messages that cost more than they should
  auto           every dialect, pinned and under auto
  building       crates, CPU time and size of a build
  making         parsers, lists of tools, dialects
  rendering      calls written
  arguments      valid, damaged and adversarial arguments beside other readers of JSON
  instructions   instructions for each byte by length, counted by valgrind
  growth         instructions by size in every dimension, counted by valgrind
  --quick        few runs: to see that it works
  --update       writes into bench/results
usage: toolglot-bench budgets [--update]
  compares counted instructions with budgets.txt, or writes them there
usage: toolglot-bench chunks [--update]
  the same for the chunks of streams and chunks.txt, if built with `--features wire`
usage: toolglot-bench hunt SECONDS SEED
  looks for messages whose cost grows faster than their length
usage: toolglot-bench message KIND DIALECT CORPUS SIZE CHUNK
  prints a message that is measured
usage: toolglot-bench count WORK... | once WORK | seat SIDE JOB...
  what the processes run that are started for the above";

type Run = fn(Care) -> Result<Section, String>;

const SECTIONS: [(&str, Run); 13] = [
    ("machine", machine::run),
    ("complete", complete::run),
    ("streaming", streaming::run),
    ("prose", prose::run),
    ("calls", calls::run),
    ("hostile", hostile::run),
    ("auto", auto::run),
    ("building", building::run),
    ("making", making::run),
    ("rendering", rendering::run),
    ("arguments", arguments::run),
    ("instructions", instructions::run),
    ("growth", growth::run),
];

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let done = match words.split_first().map(|(first, rest)| (first.as_str(), rest)) {
        Some(("seat", rest)) => duel::seat(rest),
        Some(("count", rest)) => works::child(rest),
        Some(("once", [work])) => works::once(work).map(|time| println!("{}", time.as_nanos())),
        Some(("message", rest)) => Job::new(rest).map(|job| println!("{}", job.text)),
        Some(("budgets", [])) => budgets::run(false),
        Some(("budgets", [update])) if update == "--update" => budgets::run(true),
        #[cfg(feature = "wire")]
        Some(("chunks", [])) => chunks::run(false),
        #[cfg(feature = "wire")]
        Some(("chunks", [update])) if update == "--update" => chunks::run(true),
        Some(("hunt", [seconds, seed])) => match (seconds.parse(), seed.parse()) {
            (Ok(seconds), Ok(seed)) => hunt::run(seconds, seed),
            _ => Err(USAGE.to_owned()),
        },
        Some((name, flags)) => sections(name, flags),
        None => Err(USAGE.to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a section or all; one that fails does not keep the others from running.
fn sections(name: &str, flags: &[String]) -> Result<(), String> {
    let is_known = |flag: &String| flag == "--quick" || flag == "--update";
    let chosen: Vec<_> = SECTIONS.iter().filter(|section| name == "all" || name == section.0).collect();
    if chosen.is_empty() || !flags.iter().all(is_known) {
        return Err(USAGE.to_owned());
    }
    let has = |flag: &str| flags.iter().any(|given| given == flag);
    let care = if has("--quick") { Care::Quick } else { Care::Full };
    let mut faults = Vec::new();
    for (name, run) in chosen {
        let start = Instant::now();
        let done = run(care).and_then(|section| {
            println!("## {name}\n\n{}", section.text);
            faults.extend(section.faults.iter().map(|fault| format!("{name}: {fault}")));
            if has("--update") { page::update(name, &section) } else { Ok(()) }
        });
        eprintln!("{name}: {} s", start.elapsed().as_secs());
        faults.extend(done.err().map(|why| format!("{name}: {why}")));
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}
