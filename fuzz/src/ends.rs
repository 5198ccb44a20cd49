//! Oracles of where things end, each on messages that it makes itself: what was meant, and what was found.

mod ablate;
mod code;
mod columns;
mod damage;
mod goals;
mod home;
mod learning;
mod message;
mod page;
mod plain;
mod prefix;
mod prose;
mod report;
mod slips;
mod tally;
mod tools;
mod unescaped;
mod variant;
mod writing;

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use toolglot::Veto;

use crate::random::Random;
pub use ablate::ablate;
use goals::Reading;
use home::Home;
pub use report::Report;
use tally::Tally;

/// How much of an oracle runs, on what, and what it prints.
#[derive(Clone, Debug)]
pub struct Run {
    /// Names of dialects; all if empty.
    pub dialects: Vec<String>,
    /// Cases of each dialect, unless the time is over before.
    pub cases: usize,
    /// The time for all dialects together.
    pub time: Option<Duration>,
    /// The same seed gives the same cases.
    pub seed: u64,
    /// One case only, by its number.
    pub only: Option<usize>,
    /// How many failures each dialect shows.
    pub show: usize,
    /// Failures of this kind alone are shown.
    pub kind: Option<String>,
    /// Calls are read with strict validation.
    pub strict: bool,
    /// All built-in dialects are read, not the one that the message is written in.
    pub auto: bool,
    /// Dialects are also written with the other patterns of their files.
    pub variants: bool,
    /// A row of the table of evidence that is switched off.
    pub without: Option<Veto>,
    /// Folders whose files are the code that values are made of, in place of `code/`.
    pub code: Vec<PathBuf>,
}

/// An oracle: judges the case that a generator of random numbers makes.
type Oracle = fn(&Home, &Run, &mut Random, &mut Tally);

/// The oracles, by name.
pub const ORACLES: [&str; 5] = ["unescaped", "damage", "prefix", "prose", "slips"];

/// The cases that one thread takes at once.
const BATCH: usize = 64;

/// Runs an oracle.
///
/// # Errors
/// If there is no such oracle, dialect or folder.
pub fn run(oracle: &str, run: &Run) -> Result<Report, String> {
    let judge: Oracle = match oracle {
        "unescaped" => unescaped::judge,
        "damage" => damage::judge,
        "prefix" => prefix::judge,
        "prose" => prose::judge,
        "slips" => slips::judge,
        _ => return Err(format!("unknown oracle `{oracle}`; expected one of {}", ORACLES.join(", "))),
    };
    code::take(&run.code)?;
    let homes = learning::all(&run.dialects, run.variants)?;
    let started = Instant::now();
    let tallies: Vec<Mutex<Tally>> = homes.iter().map(|_| Mutex::new(Tally::default())).collect();
    let batches = run.cases.div_ceil(BATCH);
    let next = AtomicUsize::new(0);
    let work = || loop {
        let at = next.fetch_add(1, Ordering::Relaxed);
        let (batch, number) = (at / homes.len(), at % homes.len());
        if batch >= batches || run.time.is_some_and(|time| started.elapsed() > time) {
            return;
        }
        let mut tally = Tally::default();
        for case in batch * BATCH..((batch + 1) * BATCH).min(run.cases) {
            if run.only.is_none_or(|only| only == case) {
                tally.case = case;
                judge(&homes[number], run, &mut random(run.seed, number_of(&homes[number]), case), &mut tally);
            }
        }
        tallies[number].lock().expect("no thread panicked").add(tally, run.show);
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    let tallies = tallies.into_iter().map(|tally| tally.into_inner().expect("no thread panicked"));
    let reading = match run {
        Run { strict: true, .. } => Reading::Strict,
        Run { auto: true, .. } => Reading::Auto,
        _ => Reading::Named,
    };
    Ok(Report::new(oracle, reading, &homes, tallies.collect(), started.elapsed()))
}

/// Returns a number that a dialect keeps, whichever others run.
fn number_of(home: &Home) -> usize {
    home.name.bytes().fold(0, |sum: usize, byte| sum.wrapping_mul(31).wrapping_add(byte.into()))
}

/// Returns the numbers of one case, whatever else runs.
fn random(seed: u64, dialect: usize, case: usize) -> Random {
    let mut random = Random::new(seed ^ (dialect as u64) << 48 ^ (case as u64) << 8);
    random.next();
    random
}

/// Returns text as one line that can be pasted.
fn line(text: &[u8]) -> String {
    crate::message::shown(text)
}
