//! Progress on stderr, if it is a terminal and the input is large.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::console;
use crate::tally::counted;

/// How long to wait before the first update.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(250);

/// Counts the work done and shows it periodically.
pub(crate) struct Progress {
    on: bool,
    shown: bool,
    next: Instant,
    size: Option<u64>,
    start: Instant,
    lines: usize,
    bytes: u64,
}

impl Progress {
    /// Progress is not shown if the answers go to the terminal.
    pub(crate) fn new(size: Option<u64>) -> Self {
        let on = io::stderr().is_terminal() && !io::stdout().is_terminal() && !console::is_quiet();
        Self { on, shown: false, next: Instant::now() + PATIENCE, size, start: Instant::now(), lines: 0, bytes: 0 }
    }

    pub(crate) fn add(&mut self, lines: usize, bytes: usize) {
        self.lines += lines;
        self.bytes += bytes as u64;
        if self.on && Instant::now() >= self.next {
            self.next = Instant::now() + INTERVAL;
            self.shown = true;
            let _ = write!(io::stderr(), "\r\x1b[K{}", self.line());
        }
    }

    pub(crate) fn end(&self) {
        if self.shown {
            let _ = writeln!(io::stderr(), "\r\x1b[K{}", self.line());
        }
    }

    /// The number of lines, in words.
    pub(crate) fn lines(&self) -> String {
        counted(self.lines, "line")
    }

    fn line(&self) -> String {
        // Not zero, since the speed is divided by it.
        let seconds = self.start.elapsed().as_secs_f64().max(0.001);
        let share = |size: u64| {
            let left = seconds * size.saturating_sub(self.bytes) as f64 / self.bytes.max(1) as f64;
            format!(", {}% of {} MiB, {left:.0} s left", self.bytes * 100 / size.max(1), size >> 20)
        };
        let of = self.size.map_or_else(|| format!(", {} MiB", self.bytes >> 20), share);
        format!("{}, {:.0} per second{of}", self.lines(), self.lines as f64 / seconds)
    }
}
