//! The program that serves the models: configured or detected, and how long a detection is valid.

use std::time::{Duration, Instant};

use tokio::sync::watch;
use toolglot_wire::EngineKind;

/// The program of a server.
pub(crate) struct Engine {
    /// The configured program.
    pub(crate) set: Option<EngineKind>,
    found: watch::Sender<Found>,
}

/// The detected program, and since when a detection runs.
#[derive(Clone, Copy, Default)]
struct Found {
    kind: Option<(EngineKind, Instant)>,
    asking: Option<Instant>,
}

/// How long the first requests wait for the detection, since parsing may depend on it.
const PATIENCE: Duration = Duration::from_secs(1);

/// After this time detection runs again, since another program may have been started at the address. Five minutes limit
/// the effect of a restart, at the cost of one request.
const FRESH: Duration = Duration::from_secs(300);

/// Detection runs again sooner if it failed, since the server may have been starting.
const UNSURE: Duration = Duration::from_secs(30);

impl Engine {
    pub(crate) fn new(set: Option<EngineKind>) -> Self {
        Self { set, found: watch::Sender::new(Found::default()) }
    }

    /// Returns whether the caller must run the detection: none is valid, and none is running.
    pub(crate) fn begins(&self) -> bool {
        self.found.send_if_modified(|found| {
            let begins = found.is_stale() && found.asking.is_none();
            if begins {
                found.asking = Some(Instant::now());
            }
            begins
        })
    }

    /// Stores the result of a detection; without one, the previous result is kept.
    pub(crate) fn store(&self, kind: Option<EngineKind>) {
        self.found.send_modify(|found| {
            let known = found.kind.map_or(EngineKind::Generic, |(kind, _)| kind);
            *found = Found { kind: Some((kind.unwrap_or(known), Instant::now())), asking: None };
        });
    }

    /// Returns the detected program, however old; only the first requests wait for it, and not for long.
    pub(crate) async fn known(&self) -> EngineKind {
        let mut found = self.found.subscribe();
        let since = found.borrow().asking.map_or(Duration::ZERO, |since| since.elapsed());
        let known = found.wait_for(|found| found.kind.is_some());
        let known = tokio::time::timeout(PATIENCE.saturating_sub(since), known).await;
        let kind = known.ok().and_then(Result::ok).and_then(|found| found.kind);
        kind.map_or(EngineKind::Generic, |(kind, _)| kind)
    }
}

impl Found {
    fn is_stale(self) -> bool {
        self.kind.is_none_or(|(kind, when)| when.elapsed() >= if kind == EngineKind::Generic { UNSURE } else { FRESH })
    }
}
