//! Progress on stderr, when it is a terminal and the input takes a while.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use crate::console;

/// What is done sooner needs no progress; more often than four times a second nobody can read it.
const PATIENCE: Duration = Duration::from_secs(2);
const INTERVAL: Duration = Duration::from_millis(250);

/// Counts what was done and shows it now and then.
pub(crate) struct Progress {
    on: bool,
    shown: bool,
    next: Instant,
    size: Option<u64>,
    lines: usize,
    bytes: u64,
}

impl Progress {
    /// Nothing is shown where the answers themselves scroll by.
    pub(crate) fn new(size: Option<u64>) -> Self {
        let on = io::stderr().is_terminal() && !io::stdout().is_terminal() && !console::is_quiet();
        Self { on, shown: false, next: Instant::now() + PATIENCE, size, lines: 0, bytes: 0 }
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

    fn line(&self) -> String {
        let share = |size: u64| format!(", {}% of {} MB", self.bytes * 100 / size.max(1), size >> 20);
        let of = self.size.map_or_else(|| format!(", {} MB", self.bytes >> 20), share);
        format!("{} lines{of}", self.lines)
    }
}
