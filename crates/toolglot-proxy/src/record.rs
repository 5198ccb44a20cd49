//! The record of one request: what metrics, log and span need when it is over, however it ends.

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

/// What is known of a request so far; telling it is its end.
pub(crate) struct Record {
    shared: Arc<Shared>,
    pub(crate) id: HeaderValue,
    pub(crate) ingress: &'static str,
    /// The request line, for the log.
    line: String,
    pub(crate) upstream: String,
    pub(crate) model: String,
    /// What metrics call the model: the pattern of its route.
    pub(crate) model_label: String,
    pub(crate) status: u16,
    pub(crate) started: Instant,
    pub(crate) first_byte: Option<Duration>,
    /// Time that the proxy itself spent.
    pub(crate) busy: Duration,
    pub(crate) bytes: u64,
    pub(crate) report: Option<Report>,
    pub(crate) fault: Option<Fault>,
    /// Why the request was sent in another form.
    pub(crate) retry: Option<&'static str>,
    /// How often it was sent again as it was, because nobody was there or had room.
    pub(crate) resent: Arc<AtomicUsize>,
    /// How often the model was asked.
    pub(crate) attempts: usize,
    /// The dialect in which the tools were written into the prompt.
    pub(crate) dialect_taught: Option<String>,
    /// What is kept of the exchange, and the text in which no call was read.
    pub(crate) capture: Option<Box<CaptureBuffer>>,
    suspect: Option<Suspect>,
    /// What of the request was left out or put otherwise for the server.
    pub(crate) notes: Vec<String>,
    /// Whose answer it is.
    pub(crate) owner: Owner,
    /// The keys of the settings and the client's own, which a server may repeat in its errors.
    pub(crate) secrets: Secrets,
    /// The client whose own key it is, and its place among those that run.
    pub(crate) client: Option<Arc<Client>>,
    ticket: Option<Ticket>,
    span: Option<RequestSpan>,
    /// That the client's request runs, where it is looked after.
    pub(crate) running: Option<Running>,
    /// The answer went out to its end, or an error did.
    pub(crate) is_over: bool,
}

/// The status in logs of requests whose client left.
const LEFT: u16 = 499;

impl Record {
    /// Begins a record, and says whether there is room for another request. Its span becomes the caller of what the model server does.
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
        let running = shared.in_flight.fetch_add(1, Ordering::Relaxed);
        let most = live.config.limits.streams;
        if running >= most {
            let message =
                format!("too many requests: {most} are in progress; try again later, or raise `limits.streams`");
            return (record, Err(ProxyError::Streams.because(message)));
        }
        (record, Ok(()))
    }

    /// Lets a client in whose key is right, and that has not asked too often.
    pub(crate) fn admit(&mut self, live: &Live, headers: &HeaderMap) -> Result<(), Fault> {
        self.client = live.keys.check(headers)?;
        if let Some(client) = &self.client {
            self.ticket = Some(self.shared.usages.admit(client, Instant::now())?);
        }
        Ok(())
    }

    /// Refuses a model that the client's key is not for.
    pub(crate) fn check_scope(&self, model: &str, server: &Server) -> Result<(), Fault> {
        self.client.as_ref().map_or(Ok(()), |client| client.check(model, server))
    }

    /// Returns the key that a server gets for this client's requests.
    pub(crate) fn key_at<'a>(&'a self, server: &'a Server) -> Option<&'a str> {
        self.client.as_ref().map_or(server.key.as_deref(), |client| client.key_at(server))
    }

    /// Notes the model that the client asks for.
    pub(crate) fn ask_for(&mut self, model: &str) {
        model.clone_into(&mut self.model);
        if headers::looks_like_key(model) {
            self.secrets = self.secrets.with([model.to_owned()]);
        }
    }

    /// Notes an error that ends the request.
    pub(crate) fn fail(&mut self, mut fault: Fault) {
        if self.status == 0 {
            self.status = fault.status;
        }
        fault.redact(&self.secrets);
        self.fault = Some(fault);
        self.is_over = true;
    }

    /// Notes an answer that goes out at once.
    pub(crate) fn whole(&mut self, response: &Response) {
        self.status = response.status().as_u16();
        self.is_over = true;
        self.bytes = response.body().size_hint().exact().unwrap_or_default();
    }

    /// Notes that the whole answer went out.
    pub(crate) fn delivered(&mut self, report: Report, bytes: usize) {
        self.first_byte();
        self.report = Some(report);
        self.bytes = bytes as u64;
        self.is_over = true;
    }

    /// Keeps bytes of the server's answer where exchanges are kept; those of a client's are its counterpart.
    pub(crate) fn answered(&mut self, bytes: &[u8]) {
        self.capture.iter_mut().for_each(|capture| capture.answered(bytes));
    }

    pub(crate) fn sent(&mut self, bytes: &[u8]) {
        self.capture.iter_mut().for_each(|capture| capture.delivered(bytes));
    }

    /// Remembers an answer that later requests may refer to, and one that looks as if more were in it. Returns what has to
    /// be waited for before the client may have the end of its answer.
    pub(crate) fn remember(&mut self, turn: &Turn) -> Option<Keeping> {
        self.suspect = turn.suspect();
        store::keep(&self.shared, self.owner, turn.stored_answer()?)
    }

    /// Notes the first byte of the answer.
    pub(crate) fn first_byte(&mut self) {
        self.first_byte.get_or_insert_with(|| self.started.elapsed());
    }

    /// Has somebody look at what was not read, and write down what is kept; neither keeps the client waiting.
    fn spawn_diagnostics(&mut self) {
        let (suspect, capture) = (self.suspect.take(), self.capture.take());
        if suspect.is_none() && capture.is_none() {
            return;
        }
        let review = misses::MissReview {
            shared: Arc::clone(&self.shared),
            id: self.id.to_str().unwrap_or_default().to_owned(),
            model: self.shown_model(),
            label: self.model_label.clone(),
            prompt: self.dialect_taught.take(),
            attempts: self.attempts,
            secrets: self.secrets.clone(),
            suspect,
            capture_buffer: capture,
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn_blocking(|| review.look())),
            Err(_) => review.look(),
        }
    }

    /// Returns the model as a log may show it: some clients have the key where the model should be.
    fn shown_model(&self) -> String {
        let mut model = self.model.clone();
        self.secrets.redact(&mut model);
        model
    }
}

impl Drop for Record {
    /// However a request ends, this is its end: its place is free before anything is written about it.
    fn drop(&mut self) {
        self.shared.in_flight.fetch_sub(1, Ordering::Relaxed);
        let status = if self.is_over { self.status } else { LEFT };
        self.count(status);
        self.tell(status);
        self.spawn_diagnostics();
        if let Some(inside) = self.report.as_ref().and_then(|report| report.begins_inside_reasoning) {
            self.shared.learn_opening(&self.model, inside);
        }
    }
}

/// Makes an id that sorts by time, as UUID version 7 does.
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
