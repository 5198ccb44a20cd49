//! Time: what this thread alone has spent of the processor, best of many runs.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;

/// A batch of runs takes about so long: long beside the clock's own cost, short beside what else the machine does.
const BATCH: f64 = 2e6;

/// The most runs in a batch.
const RUNS: f64 = 1_000.0;

/// Measurements go on until there are so many batches, or so much time has gone.
const BATCHES: usize = 12;
const SPAN: Duration = Duration::from_millis(400);

/// Whether measurements are good enough to publish, or only to see that everything works.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    Quick,
    Full,
}

impl Care {
    /// Returns whether, after so many batches and so much time, there is enough.
    pub(crate) fn is_enough(self, batches: usize, spent: Duration) -> bool {
        match self {
            Self::Quick => batches >= 2 || spent > SPAN / 8,
            Self::Full => batches >= BATCHES || (batches >= 3 && spent > SPAN),
        }
    }
}

/// Returns how many runs make a batch if one takes so many nanoseconds.
pub(crate) fn runs_in_batch(nanoseconds: f64) -> usize {
    (BATCH / nanoseconds.max(1.0)).clamp(1.0, RUNS) as usize
}

/// Returns the best time of one run, in nanoseconds, of each side; they are timed in turns.
pub(crate) fn race(care: Care, sides: &mut [&mut dyn FnMut()]) -> Vec<f64> {
    let mut state: Vec<(f64, usize)> = Vec::new();
    for side in &mut *sides {
        batch(1, *side);
        let once = batch(1, *side);
        state.push((once, runs_in_batch(once)));
    }
    let (mut batches, mut spent) = (0, Duration::ZERO);
    while !care.is_enough(batches, spent / sides.len().max(1) as u32) {
        for (side, (best, runs)) in sides.iter_mut().zip(&mut state) {
            let time = batch(*runs, *side);
            *best = best.min(time);
            spent += Duration::from_nanos((time * *runs as f64) as u64);
        }
        batches += 1;
    }
    state.into_iter().map(|(best, _)| best).collect()
}

/// Returns the best time of one run, in nanoseconds.
pub(crate) fn best(care: Care, mut run: impl FnMut()) -> f64 {
    race(care, &mut [&mut run])[0]
}

/// Returns what one of so many runs takes, in nanoseconds.
fn batch(runs: usize, run: &mut dyn FnMut()) -> f64 {
    let start = ThreadTime::now();
    for _ in 0..runs {
        black_box(&mut *run)();
    }
    start.elapsed().as_nanos() as f64 / runs as f64
}
