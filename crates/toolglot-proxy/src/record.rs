//! The record of a request, for metrics, log and span when it ends.

mod account;
mod counters;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use http_body::Body as _;
use toolglot_wire::{Fault, Report, Secrets, Suspect, Turn};

use crate::capture::CaptureBuffer;
use crate::clients::{Client, Ticket};
use crate::error::ProxyError;
use crate::headers::{self, REQUEST_ID};
use crate::live::{Live, Shared};
use crate::misses;
use crate::owner::Owner;
use crate::peer::{Peer, Running};
use crate::store::{self, Keeping};
use crate::traces::RequestSpan;
use crate::upstream::Server;

/// The data of a request; reported when it is dropped.
pub(crate) struct Record {
    shared: Arc<Shared>,
    pub(crate) id: HeaderValue,
    pub(crate) ingress: &'static str,
    /// The request line, for the log.
    line: String,
    pub(crate) upstream: String,
    pub(crate) model: String,
    /// The model's label in metrics: the pattern of its route.
    pub(crate) model_label: String,
    pub(crate) status: u16,
    pub(crate) started: Instant,
    pub(crate) first_byte: Option<Duration>,
    /// Time spent in the proxy.
    pub(crate) busy: Duration,
    pub(crate) bytes: u64,
    pub(crate) report: Option<Report>,
    pub(crate) fault: Option<Fault>,
    /// Why the request was resent in another form.
    pub(crate) retry: Option<&'static str>,
    /// How often it was resent unchanged, because the server was unreachable or overloaded.
    pub(crate) resent: Arc<AtomicUsize>,
    /// Number of requests to the model.
    pub(crate) attempts: usize,
    /// The dialect of the tools in the prompt.
    pub(crate) dialect_taught: Option<String>,
    /// The capture of the exchange, if it is captured.
    pub(crate) capture: Option<Box<CaptureBuffer>>,
    /// An answer in which no call was recognised.
    suspect: Option<Suspect>,
    /// What was omitted or changed in the request to the server.
    pub(crate) notes: Vec<String>,
    /// The owner of the answer.
    pub(crate) owner: Owner,
    /// The keys of the settings and of the client, which a server may repeat in errors.
    pub(crate) secrets: Secrets,
    /// The client that the key belongs to, and its running request.
    pub(crate) client: Option<Arc<Client>>,
    ticket: Option<Ticket>,
    span: Option<RequestSpan>,
    /// The running request, if its client is monitored.
    pub(crate) running: Option<Running>,
    /// Whether the whole answer, or an error, was sent.
    pub(crate) is_over: bool,
}

/// The logged status of requests whose client left, as nginx logs it; no client ever receives it.
const LEFT: u16 = 499;

impl Record {
    /// Begins a record; the error says that there are too many requests. Its span becomes the parent of the model server's.
    pub(crate) fn begin(
        shared: &Arc<Shared>,
        ingress: &'static str,
        parts: &mut http::request::Parts,
    ) -> (Self, Result<(), Fault>) {
        let line = format!("{} {}", parts.method, parts.uri.path());
        let live = shared.live.load();
        let span = live.traces.as_ref().map(|traces| traces.begin(&line, &mut parts.headers));
        let id = parts.headers.get(REQUEST_ID).cloned().unwrap_or_else(|| new_id(shared));
        let record = Self {
            shared: Arc::clone(shared),
            id,
            ingress,
            line,
            upstream: String::new(),
            model: String::new(),
            model_label: String::new(),
            status: 0,
            started: Instant::now(),
            first_byte: None,
            busy: Duration::ZERO,
            bytes: 0,
            report: None,
            fault: None,
            retry: None,
            resent: Arc::default(),
            attempts: 1,
            dialect_taught: None,
            capture: None,
            suspect: None,
            notes: Vec::new(),
            owner: Owner::default(),
            secrets: live.secrets.with(headers::keys(&parts.headers)),
            client: None,
            ticket: None,
            span,
            running: parts.extensions.get().map(Peer::begin),
            is_over: false,
        };
        // Counted before it is compared, so that requests that begin together cannot all take the last place.
        let running = shared.in_flight.fetch_add(1, Ordering::Relaxed);
        let most = live.config.limits.streams;
        if running >= most {
            let message = format!(
                "too many concurrent requests: {most} are in progress; try again later, or raise `limits.streams`"
            );
            return (record, Err(ProxyError::STREAMS.because(message)));
        }
        (record, Ok(()))
    }

    /// Checks the client's key and rate limits.
    pub(crate) fn admit(&mut self, live: &Live, headers: &HeaderMap) -> Result<(), Fault> {
        self.client = live.keys.check(headers)?;
        if let Some(client) = &self.client {
            self.ticket = Some(self.shared.usages.admit(client, Instant::now())?);
        }
        Ok(())
    }

    /// Checks that the client's key allows a model.
    pub(crate) fn check_scope(&self, model: &str, server: &Server) -> Result<(), Fault> {
        self.client.as_ref().map_or(Ok(()), |client| client.check(model, server))
    }

    /// Returns the key to send to a server for this client.
    pub(crate) fn key_at<'a>(&'a self, server: &'a Server) -> Option<&'a str> {
        self.client.as_ref().map_or(server.key.as_deref(), |client| client.key_at(server))
    }

    /// Records the requested model.
    pub(crate) fn ask_for(&mut self, model: &str) {
        model.clone_into(&mut self.model);
        if headers::looks_like_key(model) {
            self.secrets = self.secrets.with([model.to_owned()]);
        }
    }

    /// Records an error that ends the request.
    pub(crate) fn fail(&mut self, mut fault: Fault) {
        if self.status == 0 {
            self.status = fault.status;
        }
        fault.redact(&self.secrets);
        self.fault = Some(fault);
        self.is_over = true;
    }

    /// Records an answer that is sent at once.
    pub(crate) fn whole(&mut self, response: &Response) {
        self.status = response.status().as_u16();
        self.is_over = true;
        self.bytes = response.body().size_hint().exact().unwrap_or_default();
    }

    /// Records that the whole answer was sent.
    pub(crate) fn delivered(&mut self, report: Report, bytes: usize) {
        self.first_byte();
        self.report = Some(report);
        self.bytes = bytes as u64;
        self.is_over = true;
    }

    /// Captures bytes of the server's answer.
    pub(crate) fn answered(&mut self, bytes: &[u8]) {
        self.capture.iter_mut().for_each(|capture| capture.answered(bytes));
    }

    /// Captures bytes sent to the client.
    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        self.capture.iter_mut().for_each(|capture| capture.delivered(bytes));
    }

    /// Stores an answer that later requests may refer to, and one that may be a near miss. Returns a task to wait for before
    /// the end of the answer is sent.
    pub(crate) fn remember(&mut self, turn: &Turn) -> Option<Keeping> {
        self.suspect = turn.suspect();
        store::keep(&self.shared, self.owner, turn.stored_answer()?)
    }

    /// Records the time of the first byte of the answer.
    pub(crate) fn first_byte(&mut self) {
        self.first_byte.get_or_insert_with(|| self.started.elapsed());
    }

    /// Checks for a near miss and writes the capture, in the background.
    fn spawn_diagnostics(&mut self) {
        let (suspect, mut capture) = (self.suspect.take(), self.capture.take());
        if suspect.is_none() && capture.is_none() {
            return;
        }
        let (id, model) = (self.id.to_str().unwrap_or_default().to_owned(), self.shown_model());
        if let Some(capture) = &mut capture {
            (capture.known.id, capture.known.model) = (id.clone(), model.clone());
            (capture.known.prompt, capture.known.attempts) = (self.dialect_taught.take(), self.attempts);
        }
        let review = misses::MissReview {
            shared: Arc::clone(&self.shared),
            id,
            model,
            label: self.model_label.clone(),
            secrets: self.secrets.clone(),
            suspect,
            capture_buffer: capture,
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(|| review.run())),
            // Outside a runtime, as after its end, nothing else waits for this thread.
            Err(_) => review.run(),
        }
    }

    /// Returns the model for logs, redacted, since some clients send the key as the model.
    fn shown_model(&self) -> String {
        let mut model = self.model.clone();
        self.secrets.redact(&mut model);
        model
    }
}

impl Drop for Record {
    /// Reports the request, however it ended; its slot is freed first, since the report takes time.
    fn drop(&mut self) {
        self.shared.in_flight.fetch_sub(1, Ordering::Relaxed);
        let status = if self.is_over { self.status } else { LEFT };
        self.count(status);
        self.log(status);
        // After the log line, which the near miss refers to by its id.
        self.spawn_diagnostics();
        if let Some(inside) = self.report.as_ref().and_then(|report| report.begins_inside_reasoning) {
            self.shared.learn_opening(&self.model, inside);
        }
    }
}

/// Creates a UUID version 7, which sorts by time.
fn new_id(shared: &Shared) -> HeaderValue {
    let millis = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
    let (high, low) = (shared.draw(), shared.draw());
    let id = format!(
        "{:08x}-{:04x}-7{:03x}-{:04x}-{:012x}",
        (millis >> 16) & 0xFFFF_FFFF,
        millis & 0xFFFF,
        high & 0xFFF,
        0x8000 | ((high >> 12) & 0x3FFF),
        low & 0xFFFF_FFFF_FFFF,
    );
    HeaderValue::from_str(&id).unwrap_or(HeaderValue::from_static("unknown"))
}
