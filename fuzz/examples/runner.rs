//! Runs properties without the coverage-guided runner, writes seeds and the dictionary, and replays inputs.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use toolglot_fuzz::{Property, TARGETS, seeds};

const USAGE: &str = "usage: runner smoke SECONDS [TARGET...]   each target on mutated seeds
       runner seeds                      writes corpus/TARGET/ and dictionary.txt
       runner replay TARGET FILE...      runs a target on inputs";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["smoke", seconds, targets @ ..] => match seconds.parse() {
            Ok(seconds) => smoke(Duration::from_secs(seconds), targets),
            Err(_) => usage(),
        },
        ["seeds"] => write_seeds(),
        ["replay", target, files @ ..] => replay(target, files),
        _ => usage(),
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Returns the seeds of a target: those that are checked in, and those that are made.
fn all_seeds(target: &str) -> Vec<Vec<u8>> {
    let kept = fs::read_dir(folder("seeds").join(target)).into_iter().flatten().flatten();
    let mut kept: Vec<PathBuf> = kept.map(|entry| entry.path()).collect();
    kept.sort();
    let kept = kept.into_iter().map(|path| fs::read(path).expect("the seed is readable"));
    kept.chain(seeds::seeds(target)).collect()
}

fn write_seeds() -> ExitCode {
    for (target, _) in TARGETS {
        let corpus = folder("corpus").join(target);
        fs::create_dir_all(&corpus).expect("the folder can be made");
        for (at, seed) in all_seeds(target).iter().enumerate() {
            fs::write(corpus.join(format!("seed{at:04}")), seed).expect("the seed can be written");
        }
    }
    fs::write(folder("dictionary.txt"), seeds::dictionary()).expect("the dictionary can be written");
    ExitCode::SUCCESS
}

fn replay(target: &str, files: &[&str]) -> ExitCode {
    let Some((_, property)) = TARGETS.iter().find(|(name, _)| *name == target) else { return usage() };
    for file in files {
        println!("{file}");
        property(&fs::read(file).expect("the file is readable"));
    }
    ExitCode::SUCCESS
}

/// Runs targets for a time each, as many at once as there are cores.
fn smoke(time: Duration, targets: &[&str]) -> ExitCode {
    let chosen: Vec<_> = TARGETS.into_iter().filter(|(name, _)| targets.is_empty() || targets.contains(name)).collect();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(1, |since| since.as_secs());
    let seed = std::env::var("SMOKE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(now);
    println!("SMOKE_SEED={seed}");
    let (next, failed) = (AtomicUsize::new(0), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((name, property)) = chosen.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if !run(name, *property, time, seed) {
                        failed.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    if failed.into_inner() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one target on its seeds, then on mutated ones; says whether the property held.
fn run(name: &str, property: Property, time: Duration, seed: u64) -> bool {
    let (seeds, mut dice, started) = (all_seeds(name), Dice(seed | 1), Instant::now());
    let markers = seeds::dictionary();
    let markers: Vec<&str> = markers.lines().map(|line| line.trim_matches('"')).collect();
    let mut count = 0;
    while count < seeds.len() || started.elapsed() < time {
        let input = match seeds.get(count) {
            Some(seed) => seed.clone(),
            None => mutated(&seeds, &markers, &mut dice),
        };
        count += 1;
        if catch_unwind(AssertUnwindSafe(|| property(&input))).is_err() {
            let path = folder("artifacts").join(name).join(format!("smoke-{seed}-{count}"));
            let _ = fs::create_dir_all(path.parent().expect("it has a folder"));
            fs::write(&path, &input).expect("the input can be written");
            eprintln!("{name} failed; replay with: runner replay {name} {}", path.display());
            return false;
        }
    }
    println!("{name}: {count} inputs in {:.1?}", started.elapsed());
    true
}

struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides.max(1)
    }
}

/// Returns a seed with a few mutations.
fn mutated(seeds: &[Vec<u8>], markers: &[&str], dice: &mut Dice) -> Vec<u8> {
    let mut input = seeds[dice.roll(seeds.len())].clone();
    for _ in 0..=dice.roll(5) {
        let at = dice.roll(input.len() + 1);
        let longest = 1 << dice.roll(8);
        let to = (at + dice.roll(longest)).min(input.len());
        match dice.roll(8) {
            0 => drop(input.drain(at..to)),
            1 => input.truncate(at),
            2 => drop(input.splice(at..at, markers[dice.roll(markers.len())].bytes())),
            3 => {
                let other = &seeds[dice.roll(seeds.len())];
                let from = dice.roll(other.len() + 1);
                input.splice(at..to, other[from..].iter().copied().take(200));
            }
            4 => {
                let copy = input[at..to].to_vec();
                input.splice(at..at, copy);
            }
            5 => drop(input.splice(at..at, [0xF5 + dice.roll(6) as u8, dice.roll(256) as u8, dice.roll(256) as u8])),
            _ if at < input.len() => input[at] = dice.roll(256) as u8,
            _ => {}
        }
    }
    input
}
