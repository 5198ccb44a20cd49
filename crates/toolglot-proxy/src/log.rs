//! The log: one line per request or event, as text or JSON.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::{Duration, SystemTime};

use toolglot_json::{Map, Value};

use crate::config::setting::LogFormat;

/// A queue of lines that a separate thread writes to stderr, so that a blocked terminal does not block streams.
pub(crate) struct Log {
    lines: SyncSender<Line>,
    lost: AtomicU64,
}

/// A message to the thread.
enum Line {
    Text(String),
    /// Answer when all earlier lines are written.
    Flush(SyncSender<()>),
}

/// Size of the queue; further lines are counted and dropped. At about 300 bytes per line, a blocked terminal costs a
/// MiB.
const WAITING: usize = 4096;

impl Log {
    /// Starts the writer thread.
    pub(crate) fn start() -> Self {
        let (lines, waiting) = sync_channel::<Line>(WAITING);
        std::thread::spawn(move || {
            let mut stderr = std::io::stderr();
            for line in waiting {
                match line {
                    Line::Text(line) => drop(stderr.write_all(line.as_bytes())),
                    Line::Flush(written) => drop(written.send(())),
                }
            }
        });
        Self { lines, lost: AtomicU64::new(0) }
    }

    fn write(&self, mut line: String) {
        let lost = self.lost.swap(0, Ordering::Relaxed);
        if lost > 0 {
            line = format!("({lost} log lines dropped)\n{line}");
        }
        // Never waits; the next line reports the lines that this one would have reported.
        if self.lines.try_send(Line::Text(line)).is_err() {
            self.lost.fetch_add(lost + 1, Ordering::Relaxed);
        }
    }

    /// Waits until all lines are written, for at most a second.
    pub(crate) fn flush(&self) {
        let (written, done) = sync_channel(1);
        if self.lines.try_send(Line::Flush(written)).is_ok() {
            let _ = done.recv_timeout(Duration::from_secs(1));
        }
    }

    /// Logs an event with details.
    pub(crate) fn event(&self, format: LogFormat, level: &str, message: &str, details: &[(&str, Value)]) {
        match format.resolved() {
            LogFormat::Json => self.write(json_line(level, message, details)),
            LogFormat::Human => self.write(human_line(level, message, details)),
            LogFormat::Auto | LogFormat::Off => (),
        }
    }
}

impl LogFormat {
    /// Resolves `auto`.
    pub(crate) fn resolved(self) -> Self {
        match self {
            Self::Auto if std::io::stderr().is_terminal() => Self::Human,
            Self::Auto => Self::Json,
            set => set,
        }
    }
}

fn json_line(level: &str, message: &str, details: &[(&str, Value)]) -> String {
    let mut line = Map::new();
    line.insert("time".into(), now().into());
    line.insert("level".into(), level.into());
    line.insert("message".into(), message.into());
    let present = details.iter().filter(|(_, value)| !value.is_null());
    line.extend(present.map(|(name, value)| ((*name).to_owned(), value.clone())));
    Value::Object(line).to_string() + "\n"
}

fn human_line(level: &str, message: &str, details: &[(&str, Value)]) -> String {
    let clock = now();
    let clock = clock.get(11..19).unwrap_or_default();
    let level = if level == "info" { String::new() } else { format!("{level}: ") };
    let mut line = format!("{clock} {level}{message}");
    for (name, value) in details.iter().filter(|(_, value)| !value.is_null()) {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        line.push_str(&format!("  {name} {text}"));
    }
    // Requests must not control the terminal.
    line.chars().map(|c| if c.is_control() { ' ' } else { c }).chain(['\n']).collect()
}

/// The time in UTC, as in `2026-01-31T12:00:00.000Z`.
fn now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_people_cannot_steer_the_terminal() {
        let line = human_line("error", "a\x1b[31m\nb", &[("x", Value::from(1)), ("y", Value::Null)]);
        assert!(line.ends_with(" error: a [31m b  x 1\n"), "{line:?}");
    }
}
