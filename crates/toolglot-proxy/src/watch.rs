//! Detects changes to settings files by polling, which works on every file system.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::config::{Config, Sources};
use crate::live::is_file;

/// The polling interval.
const EVERY: Duration = Duration::from_secs(1);

/// The state of the settings files when they were last read.
pub(crate) struct Watch {
    ticks: Interval,
    known: Vec<Stamp>,
    /// The state at the last poll; a file that still changes may be incomplete.
    last: Vec<Stamp>,
}

/// A file with its modification time and size, if it exists.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stamp(PathBuf, Option<(SystemTime, u64)>);

impl Watch {
    /// Starts to watch the files of the effective settings.
    pub(crate) fn new(sources: &Sources, config: &Config) -> Self {
        let mut ticks = interval(EVERY);
        // A machine that slept polls once, not once for each second it missed.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let known = stamps(sources, config);
        Self { ticks, last: known.clone(), known }
    }

    /// Waits for the next poll.
    pub(crate) async fn tick(&mut self) {
        self.ticks.tick().await;
    }

    /// Polls the files; returns whether they have changed and no longer change.
    pub(crate) fn is_changed(&mut self, sources: &Sources, config: &Config) -> bool {
        let now = stamps(sources, config);
        let still = now == self.last;
        self.last.clone_from(&now);
        if !still || now == self.known {
            return false;
        }
        self.known = now;
        true
    }

    /// Records the current state of the files of the effective settings.
    pub(crate) fn mark_applied(&mut self, sources: &Sources, config: &Config) {
        self.known = stamps(sources, config);
        self.last.clone_from(&self.known);
    }
}

fn stamps(sources: &Sources, config: &Config) -> Vec<Stamp> {
    let stamp = |path: &Path| {
        let data = std::fs::metadata(path).ok();
        Stamp(path.to_owned(), data.and_then(|data| Some((data.modified().ok()?, data.len()))))
    };
    let server = &config.server;
    let files = [&sources.file, &server.keys_file, &server.clients_file, &server.tls_cert, &server.tls_key]
        .into_iter()
        .flatten();
    let dialects = config.routes.iter().flat_map(|route| &route.dialect).filter(|word| is_file(word)).map(Path::new);
    let tools = config.routes.iter().filter_map(|route| route.tools.as_deref());
    files.map(PathBuf::as_path).chain(dialects).chain(tools).map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_watched_and_names_are_not() {
        let mut config = Config::default();
        config.routes.push(crate::config::RouteSettings {
            dialect: ["./mine.toml", "hermes", "auto"].map(str::to_owned).to_vec(),
            tools: Some(PathBuf::from("tools.json")),
            ..Default::default()
        });
        let watched: Vec<PathBuf> = stamps(&Sources::default(), &config).into_iter().map(|stamp| stamp.0).collect();
        assert_eq!(watched, [PathBuf::from("./mine.toml"), PathBuf::from("tools.json")]);
    }
}
