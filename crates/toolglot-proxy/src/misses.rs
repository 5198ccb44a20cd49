//! Near misses: answers that look like a call but were not recognised as one are logged, and captured if enabled.

use std::path::Path;
use std::sync::Arc;

use toolglot::NearMiss;
use toolglot_json::Value;
use toolglot_wire::{Secrets, Suspect};

use crate::capture::CaptureBuffer;
use crate::config::setting::Keep;
use crate::live::Shared;

/// The data of a finished exchange.
pub(crate) struct MissReview {
    pub(crate) shared: Arc<Shared>,
    pub(crate) id: String,
    pub(crate) model: String,
    /// The model's label in metrics.
    pub(crate) label: String,
    pub(crate) secrets: Secrets,
    pub(crate) suspect: Option<Suspect>,
    pub(crate) capture_buffer: Option<Box<CaptureBuffer>>,
}

impl MissReview {
    /// Checks for a near miss, logs it, and captures the exchange.
    pub(crate) fn run(mut self) {
        let miss = self.suspect.take().and_then(|suspect| suspect.near_miss());
        let file = self.keep(miss.as_ref());
        let Some(miss) = miss else { return };
        self.shared.metrics.misses.add(&[&self.label, miss.reason.name()], 1);
        let mut why = miss.diagnostic.message.clone();
        self.secrets.redact(&mut why);
        let details = [
            ("model", Value::from(self.model.as_str())),
            ("reason", Value::from(miss.reason.name())),
            ("near_miss", Value::from(why)),
            ("capture", file.map_or(Value::Null, Value::from)),
            ("id", Value::from(self.id.as_str())),
        ];
        self.shared.event("warn", "an answer looks like a call but was not recognised as one", &details);
    }

    /// Captures the exchange if the settings say so; returns the file's name.
    fn keep(&mut self, miss: Option<&NearMiss>) -> Option<String> {
        let live = self.shared.live.load();
        let server = &live.config.server;
        let capture_buffer = self.capture_buffer.take().filter(|_| match server.capture.value {
            Keep::Off => false,
            Keep::Misses => miss.is_some(),
            Keep::All => true,
        })?;
        let capture = capture_buffer.finish(miss, &self.secrets);
        let most = u64::try_from(server.capture_bytes.0).unwrap_or(u64::MAX);
        match capture.write(Path::new(&server.captures), most) {
            Ok(name) => Some(name),
            Err(error) => {
                let why = format!("cannot write a capture to `{}`: {error}", server.captures);
                self.shared.event("warn", &why, &[("id", Value::from(self.id.as_str()))]);
                None
            }
        }
    }
}
