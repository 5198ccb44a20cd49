//! Sides timed in turns, each in a process of its own: one that aborts or never ends is shown, and the rest goes on.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::job::Job;
use crate::sides::Side;
use crate::timing::{Care, runs_in_batch};

/// What a side may take for one run, of the processor's time; a quarter of it when in a hurry.
const LIMIT: Duration = Duration::from_secs(4);

/// How a side did.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell {
    /// Nanoseconds of the best run, and what is wrong with the result.
    Time(f64, Option<String>),
    /// It was stopped after so many nanoseconds.
    Over(f64),
    /// It was not asked, since it took too long for something smaller.
    Spared,
    /// It says that it cannot.
    Fails(String),
    /// Its process ended; how.
    Dies(String),
}

/// Returns how each side does a job.
pub(crate) fn duel(care: Care, sides: &[Side], job: &[String]) -> Vec<Cell> {
    let mut seats: Vec<Result<Seat, Cell>> = sides.iter().map(|side| Seat::take(care, *side, job)).collect();
    let (mut turns, mut spent) = (0, Duration::ZERO);
    while seats.iter().any(Result::is_ok) && !care.is_enough(turns, spent) {
        let start = Instant::now();
        for seat in &mut seats {
            if let Ok(sitting) = seat
                && let Err(lost) = sitting.play()
            {
                *seat = Err(lost);
            }
        }
        spent += start.elapsed() / sides.len().max(1) as u32;
        turns += 1;
    }
    seats
        .into_iter()
        .map(|seat| seat.map_or_else(|lost| lost, |seat| Cell::Time(seat.best, seat.wrong.clone())))
        .collect()
}

/// A process of one side that waits for its turn.
struct Seat {
    child: Child,
    lines: Receiver<String>,
    limit: Duration,
    best: f64,
    wrong: Option<String>,
}

impl Seat {
    /// Starts a side's process and lets it do the job once; what it finds is compared with what was meant.
    fn take(care: Care, side: Side, job: &[String]) -> Result<Self, Cell> {
        let own = std::env::current_exe().map_err(|error| Cell::Fails(error.to_string()))?;
        let mut command = Command::new(own);
        command
            .arg("seat")
            .arg(side.name())
            .args(job)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| Cell::Fails(error.to_string()))?;
        let (sender, lines) = channel();
        let output = child.stdout.take().map(BufReader::new);
        thread::spawn(move || {
            let lines = output.into_iter().flat_map(|output| output.lines().map_while(Result::ok));
            lines.take_while(|line| sender.send(line.clone()).is_ok()).for_each(drop);
        });
        let limit = if care == Care::Quick { LIMIT / 4 } else { LIMIT };
        let mut seat = Self { child, lines, limit, best: f64::MAX, wrong: None };
        seat.line(Duration::MAX)?;
        let said = seat.line(limit)?;
        match said.split_once(' ') {
            Some(("fails", why)) => Err(Cell::Fails(why.to_owned())),
            Some(("differs", why)) => {
                seat.wrong = Some(why.to_owned());
                Ok(seat)
            }
            _ => Ok(seat),
        }
    }

    /// One turn: a batch of runs.
    fn play(&mut self) -> Result<(), Cell> {
        let asked = self.child.stdin.as_mut().map(|input| input.write_all(b"turn\n"));
        let asked = asked.is_some_and(|asked| asked.is_ok());
        let time = if asked { self.line(self.limit)? } else { return Err(self.ended()) };
        self.best = self.best.min(time.parse().map_err(|_| Cell::Fails(time.clone()))?);
        Ok(())
    }

    /// Waits for a line until the process has spent so much time of the processor.
    fn line(&mut self, limit: Duration) -> Result<String, Cell> {
        let before = self.spent();
        loop {
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => return Ok(line),
                Err(RecvTimeoutError::Disconnected) => return Err(self.ended()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let spent = self.spent().saturating_sub(before);
            if spent > limit {
                return Err(Cell::Over(spent.as_nanos() as f64));
            }
        }
    }

    /// Returns the time of the processor that the process has spent, as the kernel counts it.
    fn spent(&self) -> Duration {
        let folder = format!("/proc/{}/task", self.child.id());
        let tasks = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let spent = tasks.filter_map(|task| {
            let counts = std::fs::read_to_string(task.path().join("schedstat")).ok()?;
            counts.split(' ').next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(spent.sum())
    }

    fn ended(&mut self) -> Cell {
        match self.child.wait() {
            Ok(status) if status.code() == Some(101) => Cell::Dies("panics".to_owned()),
            Ok(status) if status.code().is_none() => Cell::Dies("aborts".to_owned()),
            Ok(status) => Cell::Dies(status.to_string()),
            Err(error) => Cell::Dies(error.to_string()),
        }
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        // It may have ended by itself.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

/// What runs in the process of a side: `SIDE JOB...`; each line of input asks for a turn.
pub(crate) fn seat(words: &[String]) -> Result<(), String> {
    let (side, job) = words.split_first().ok_or("seat SIDE JOB")?;
    let side = Side::named(side).ok_or("no such side")?;
    let job = Job::new(job)?;
    // As much stack as the threads of a server have.
    let worker = thread::Builder::new().stack_size(2 << 20).spawn(move || serve(side, &job));
    let ended = worker.map_err(|error| error.to_string())?.join();
    ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn serve(side: Side, job: &Job) -> Result<(), String> {
    println!("ready");
    println!(
        "{}",
        match (side.find(job), &job.meant) {
            (Err(why), _) => format!("fails {}", why.replace('\n', " ")),
            (Ok(Some(found)), Some(meant)) =>
                found.differs_from(meant).map_or_else(|| "same".to_owned(), |why| format!("differs {why}")),
            _ => "same".to_owned(),
        }
    );
    let mut once = 0.0;
    for line in std::io::stdin().lines().map_while(Result::ok) {
        debug_assert_eq!(line, "turn");
        let runs = if once > 0.0 { runs_in_batch(once) } else { 1 };
        once = side.time(job, runs)?.as_nanos() as f64 / runs as f64;
        println!("{once}");
    }
    Ok(())
}
