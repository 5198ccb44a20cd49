//! Which program serves the models: set, or found out; what is known of it, and for how long it counts.

use std::time::{Duration, Instant};

use tokio::sync::watch;
use toolglot_wire::EngineKind;

/// What is known of a server's program.
pub(crate) struct Engine {
    set: Option<EngineKind>,
    found: watch::Sender<Found>,
}

/// What was found out, and since when somebody has been finding out.
#[derive(Clone, Copy, Default)]
struct Found {
    kind: Option<(EngineKind, Instant)>,
    asking: Option<Instant>,
}

/// How long the first requests wait for all of it: the markers of their calls may depend on it.
const PATIENCE: Duration = Duration::from_secs(1);

/// After this time a server is asked again: another program may have been started at its address. Five minutes bound
/// how long a restart is treated wrongly, at the cost of one request.
const FRESH: Duration = Duration::from_secs(300);

/// A server that did not show what it is, is asked again sooner: it may have been starting.
const UNSURE: Duration = Duration::from_secs(30);

impl Engine {
    pub(crate) fn new(set: Option<EngineKind>) -> Self {
        Self { set, found: watch::Sender::new(Found::default()) }
    }

    /// Returns what the settings say.
    pub(crate) fn set(&self) -> Option<EngineKind> {
        self.set
    }

    /// Says whether the caller has to find out: nothing fresh is known, and nobody is at it.
    pub(crate) fn begins(&self) -> bool {
        self.found.send_if_modified(|found| {
            let begins = found.is_stale() && found.asking.is_none();
            if begins {
                found.asking = Some(Instant::now());
            }
            begins
        })
    }

    /// Takes what was found out; a server that does not answer now is what it was.
    pub(crate) fn settle(&self, kind: Option<EngineKind>) {
        self.found.send_modify(|found| {
            let known = found.kind.map_or(EngineKind::Generic, |(kind, _)| kind);
            *found = Found { kind: Some((kind.unwrap_or(known), Instant::now())), asking: None };
        });
    }

    /// Returns what is known, however old; only the first requests wait for it, and not for long.
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
