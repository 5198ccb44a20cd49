//! A streamed answer: it is pulled from the model server only as fast as the client takes it.
//!
//! Nothing runs beside the client's connection. When the client leaves, this body is dropped and the request to the
//! server with it; when the client is slow, the server is not read.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;
use toolglot_wire::{Ended, Fault, Turn};

use crate::config::Timeouts;
use crate::error::Wrong;
use crate::live::Shared;
use crate::record::Record;

/// A model server's answer on its way to the client.
pub(crate) struct Flow {
    upstream: Option<Body>,
    /// What reads and writes; none for answers that pass as they are.
    turn: Option<Turn>,
    record: Record,
    shared: Arc<Shared>,
    waits: Waits,
    /// Bytes that this stream holds back, as the gauge knows it.
    held: usize,
}

/// What the client sees instead of an end when an answer that passes as it is breaks off.
type Broken = Box<dyn std::error::Error + Send + Sync>;

impl Flow {
    /// Starts a stream; without a turn the bytes pass as they are.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        upstream: Body,
        turn: Option<Turn>,
        record: Record,
        timeouts: &Timeouts,
    ) -> Self {
        let waits = Waits::new(timeouts, turn.is_some());
        Self { upstream: Some(upstream), turn, record, shared: Arc::clone(shared), waits, held: 0 }
    }

    /// Says that the answer is over, after its last bytes.
    fn end(&mut self, ended: Ended, mut out: Vec<u8>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.upstream = None;
        self.set_held(0);
        if let Ended::Cut(fault) = &ended {
            self.record.fail(fault);
        }
        self.record.is_over = true;
        let Some(mut turn) = self.turn.take() else {
            return match ended {
                Ended::Over => Poll::Ready(None),
                Ended::Cut(fault) => Poll::Ready(Some(Err(fault.message.into()))),
            };
        };
        turn.finish(ended, &mut out);
        self.record.report = Some(turn.report());
        if out.is_empty() { Poll::Ready(None) } else { self.send(out) }
    }

    fn send(&mut self, bytes: impl Into<Bytes>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let bytes = bytes.into();
        self.record.first_byte();
        self.record.bytes += bytes.len() as u64;
        self.waits.sent();
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn set_held(&mut self, held: usize) {
        self.shared.held.fetch_add(held, Ordering::Relaxed);
        self.shared.held.fetch_sub(self.held, Ordering::Relaxed);
        self.held = held;
    }

    /// Gives the server's bytes to the turn; returns what that makes for the client.
    fn read(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let Some(turn) = &mut self.turn else { return out };
        let start = Instant::now();
        out.reserve(bytes.len() + 64);
        turn.push(bytes, &mut out);
        let held = if out.is_empty() { turn.report().held } else { self.held };
        self.record.busy += start.elapsed();
        if held != self.held {
            self.set_held(held);
        }
        out
    }
}

impl http_body::Body for Flow {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let this = self.get_mut();
        loop {
            let Some(upstream) = &mut this.upstream else { return Poll::Ready(None) };
            let frame = match Pin::new(upstream).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending => match ready!(this.waits.poll(cx)) {
                    Waited::Silence => {
                        let alive = this.turn.as_ref().map_or(&b""[..], Turn::keep_alive);
                        return this.send(alive);
                    }
                    Waited::TooLong(fault) => return this.end(Ended::Cut(fault), Vec::new()),
                },
            };
            this.waits.received();
            let bytes = match frame {
                None => return this.end(Ended::Over, Vec::new()),
                Some(Err(error)) => {
                    let message = format!("the model server broke off its answer: {error}");
                    return this.end(Ended::Cut(Wrong::Cut.because(message)), Vec::new());
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => bytes,
                    Err(_) => continue,
                },
            };
            if this.turn.is_none() {
                return this.send(bytes);
            }
            let out = this.read(&bytes);
            if this.turn.as_ref().is_some_and(Turn::is_over) {
                return this.end(Ended::Over, out);
            }
            if !out.is_empty() {
                return this.send(out);
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.upstream.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        match (&self.upstream, &self.turn) {
            (Some(upstream), None) => upstream.size_hint(),
            _ => SizeHint::default(),
        }
    }
}

impl Drop for Flow {
    fn drop(&mut self) {
        self.set_held(0);
        if let Some(turn) = &self.turn {
            self.record.report = Some(turn.report());
        }
        // A client that stops reading when it has the last byte did not leave early.
        let whole = self.upstream.as_ref().is_some_and(http_body::Body::is_end_stream) && self.turn.is_none();
        self.record.is_over |= whole;
    }
}

/// How long the server has been silent, and the client without news. One timer serves all; it is set anew only when it
/// rings, so that a busy stream does not touch it.
struct Waits {
    idle: Option<Duration>,
    total: Option<Duration>,
    keep_alive: Option<Duration>,
    started: Instant,
    /// Since when the server has been waited for; the time that the client takes does not count.
    since: Option<Instant>,
    sent: Instant,
    timer: Option<Pin<Box<Sleep>>>,
}

enum Waited {
    /// Long enough to tell the client that the stream is alive.
    Silence,
    TooLong(Fault),
}

impl Waits {
    fn new(timeouts: &Timeouts, is_written: bool) -> Self {
        let now = Instant::now();
        Self {
            idle: timeouts.idle.on(),
            total: timeouts.total.on(),
            keep_alive: timeouts.keep_alive.on().filter(|_| is_written),
            started: now,
            since: None,
            sent: now,
            timer: None,
        }
    }

    fn received(&mut self) {
        self.since = None;
    }

    fn sent(&mut self) {
        if self.keep_alive.is_some() {
            self.sent = Instant::now();
        }
    }

    /// Waits for the server to have been silent for too long.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Waited> {
        loop {
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            let idle = self.idle.map(|time| since + time);
            let total = self.total.map(|time| self.started + time);
            let alive = self.keep_alive.map(|time| self.sent.max(since) + time);
            if idle.is_some_and(|at| at <= now) {
                let time = self.idle.unwrap_or_default();
                let message =
                    format!("the model server said nothing for {time:?}; `timeouts.idle` decides how long is too long");
                return Poll::Ready(Waited::TooLong(Wrong::Idle.because(message)));
            }
            if total.is_some_and(|at| at <= now) {
                let time = self.total.unwrap_or_default();
                let message =
                    format!("the answer took longer than {time:?}; `timeouts.total` decides how long is too long");
                return Poll::Ready(Waited::TooLong(Wrong::Total.because(message)));
            }
            if alive.is_some_and(|at| at <= now) {
                return Poll::Ready(Waited::Silence);
            }
            let Some(next) = [idle, total, alive].into_iter().flatten().min() else { return Poll::Pending };
            let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(next.into())));
            if timer.is_elapsed() || timer.deadline() > next.into() {
                timer.as_mut().reset(next.into());
            }
            ready!(timer.as_mut().poll(cx));
        }
    }
}
