//! A streamed answer, read from the model server only as fast as the client reads it.
//!
//! No other task is involved. When the client leaves, this body and the request to the server are dropped; when the client
//! is slow, the server is not read.

use std::future::Future as _;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker, ready};
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::Sleep;
use toolglot_wire::{Fault, Turn, TurnEnd};

use crate::block_in_place::block_in_place_if_large;
use crate::config::Timeouts;
use crate::demand::{StartedResponse, silent};
use crate::error::ProxyError;
use crate::live::Shared;
use crate::peer::Running;
use crate::record::Record;
use crate::store::Keeping;

/// A model server's answer on its way to the client.
pub(crate) struct Flow {
    upstream: Option<Body>,
    /// Converts the answer; none if it passes unchanged.
    turn: Option<Turn>,
    record: Record,
    shared: Arc<Shared>,
    timers: StreamTimers,
    /// The output of the turn; reused for the next piece.
    out: Vec<u8>,
    /// The server's bytes, if all of `out` comes from these.
    only: Option<Bytes>,
    /// How often to poll again for further bytes before sending.
    extra_polls: u8,
    /// When the server's bytes were last read.
    read_at: Option<Instant>,
    /// Whether `out` was filled before the rest is read, and is sent first.
    is_begun: bool,
    /// Bytes that this stream adds to the gauge of held bytes.
    held: usize,
    /// The task that stores the answer; the end of the answer is sent after it.
    keeping: Option<Keeping>,
}

/// The error that ends an unchanged answer that is truncated.
type Broken = Box<dyn std::error::Error + Send + Sync>;

impl Flow {
    /// Starts a stream; without a turn, bytes pass unchanged.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        upstream: Body,
        turn: Option<Turn>,
        record: Record,
        timeouts: &Timeouts,
    ) -> Self {
        let timers = StreamTimers::new(timeouts, turn.as_ref().is_some_and(|turn| !turn.is_relay()));
        Self {
            upstream: Some(upstream),
            turn,
            record,
            shared: Arc::clone(shared),
            timers,
            out: Vec::new(),
            only: None,
            extra_polls: 0,
            read_at: None,
            is_begun: false,
            held: 0,
            keeping: None,
        }
    }

    /// Continues a stream whose beginning has been written.
    pub(crate) fn started(shared: &Arc<Shared>, started: StartedResponse, record: Record, timeouts: &Timeouts) -> Self {
        let upstream = started.rest.unwrap_or_else(Body::empty);
        let mut flow = Self::new(shared, upstream, Some(started.turn), record, timeouts);
        flow.is_begun = !started.out.is_empty();
        flow.out = started.out;
        flow
    }

    /// Ends the answer after the remaining bytes.
    fn end(&mut self, ended: TurnEnd, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        // Dropped first, so that a server whose answer was cut stops generating now.
        self.upstream = None;
        // After the end of the answer, the server may close the connection in any way.
        let is_said = self.turn.as_ref().is_some_and(Turn::is_said);
        if let (TurnEnd::Cut(fault), false) = (&ended, is_said) {
            self.record.fail(fault.clone());
        }
        self.record.is_over = true;
        let Some(mut turn) = self.turn.take() else {
            self.set_held(0);
            return match ended {
                TurnEnd::Over => Poll::Ready(None),
                TurnEnd::Cut(fault) => Poll::Ready(Some(Err(fault.message.into()))),
            };
        };
        block_in_place_if_large(self.held, || turn.finish(ended, &mut self.out));
        self.set_held(0);
        self.record.report = Some(turn.report());
        self.keeping = self.record.remember(&turn);
        self.last(cx)
    }

    /// Sends the remaining bytes once the answer is stored.
    fn last(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        if let Some(keeping) = &mut self.keeping {
            // Errors have been logged.
            let _ = ready!(Pin::new(keeping).poll(cx));
            self.keeping = None;
        }
        let out = std::mem::take(&mut self.out);
        if out.is_empty() { Poll::Ready(None) } else { self.send(out) }
    }

    fn send(&mut self, bytes: impl Into<Bytes>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let bytes = bytes.into();
        self.record.first_byte();
        self.record.bytes += bytes.len() as u64;
        self.record.sent(&bytes);
        self.timers.has_sent = true;
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    /// Sends the output of the turn; usually it equals the server's bytes, which are then reused.
    fn send_on(&mut self) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let same = self.only.take().filter(|bytes| self.out == *bytes);
        let bytes = same.unwrap_or_else(|| Bytes::copy_from_slice(&self.out));
        self.out.clear();
        // What one long burst took is given back.
        self.out.shrink_to(ROOM);
        self.send(bytes)
    }

    fn set_held(&mut self, held: usize) {
        // Adds first, so that the gauge, which all streams share, never passes below zero.
        self.shared.held.fetch_add(held, Ordering::Relaxed);
        self.shared.held.fetch_sub(self.held, Ordering::Relaxed);
        self.held = held;
    }

    /// Passes the server's bytes to the turn, which writes the client's.
    fn read(&mut self, bytes: Bytes) {
        let Some(turn) = &mut self.turn else { return };
        self.record.answered(&bytes);
        let start = Instant::now();
        let is_first = self.out.is_empty();
        let out = &mut self.out;
        // Held text may be parsed again as a whole.
        block_in_place_if_large(bytes.len().max(self.held / 8), || turn.push(&bytes, out));
        let held = turn.held();
        let end = Instant::now();
        self.record.busy += end - start;
        self.only = Some(bytes).filter(|_| is_first);
        let is_burst = self.read_at.replace(end).is_some_and(|before| start - before < BURST);
        self.extra_polls = if is_burst { EXTRA_POLLS } else { 0 };
        if held != self.held {
            self.set_held(held);
        }
    }

    /// Waits for a keep-alive or a timeout.
    fn wait(&mut self, cx: &mut Context<'_>) -> Poll<TimerEvent> {
        let is_written = self.turn.as_ref().is_some_and(|turn| !turn.is_relay());
        if is_written && self.record.running.as_ref().is_some_and(Running::needs_keep_alive) {
            return Poll::Ready(TimerEvent::KeepAlive);
        }
        self.timers.poll(cx)
    }

    /// Returns whether to poll once more before sending: a server's connection hands over one piece at a time, and the next
    /// one that has arrived when its task runs again. This never waits.
    fn polls_again(&mut self, cx: &Context<'_>) -> bool {
        let Some(left) = self.extra_polls.checked_sub(1) else { return false };
        self.extra_polls = left;
        cx.waker().wake_by_ref();
        true
    }
}

/// A client's connection polls twice before other tasks run.
const EXTRA_POLLS: u8 = 2;

/// Bytes that arrive this soon after others are likely followed by more. Models write tokens more slowly, so polling again
/// after each, which costs a sixth of what a piece costs, would be wasted.
const BURST: Duration = Duration::from_millis(1);

/// The buffer for a turn's output: a burst of chunks fits, and a thousand idle streams take 16 MiB. It is sent when it is
/// full.
const ROOM: usize = 16 << 10;

impl http_body::Body for Flow {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let this = self.get_mut();
        if std::mem::take(&mut this.is_begun) {
            let out = std::mem::take(&mut this.out);
            return this.send(out);
        }
        loop {
            let Some(upstream) = &mut this.upstream else { return this.last(cx) };
            let frame = match Pin::new(upstream).poll_frame(cx) {
                Poll::Ready(frame) => frame,
                Poll::Pending if !this.out.is_empty() => {
                    return if this.polls_again(cx) { Poll::Pending } else { this.send_on() };
                }
                Poll::Pending => match ready!(this.wait(cx)) {
                    TimerEvent::KeepAlive => {
                        let alive = this.turn.as_ref().map_or(&b""[..], Turn::keep_alive);
                        return this.send(alive);
                    }
                    TimerEvent::TooLong(fault) => return this.end(TurnEnd::Cut(fault), cx),
                },
            };
            this.timers.since = None;
            let bytes = match frame {
                None => return this.end(TurnEnd::Over, cx),
                Some(Err(error)) => {
                    let message = format!("the model server ended its answer early: {error}");
                    return this.end(TurnEnd::Cut(ProxyError::CUT.because(message)), cx);
                }
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(bytes) => bytes,
                    Err(_) => continue,
                },
            };
            if this.turn.is_none() {
                return this.send(bytes);
            }
            this.read(bytes);
            if this.turn.as_ref().is_some_and(Turn::is_over) {
                return this.end(TurnEnd::Over, cx);
            }
            if this.out.len() >= ROOM {
                return this.send_on();
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.upstream.is_none() && self.keeping.is_none() && self.out.is_empty()
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
        // A client that stops reading after the last byte did not disconnect early.
        let whole = || self.upstream.as_ref().is_some_and(http_body::Body::is_end_stream);
        self.record.is_over |= self.turn.as_ref().map_or_else(whole, Turn::is_said);
    }
}

/// Timeouts of a stream. They share a timer that is reset only when it fires, so that a busy stream does not touch it.
struct StreamTimers {
    idle: Option<Duration>,
    total: Option<Duration>,
    keep_alive: Option<Duration>,
    started: Instant,
    /// Since when the server has been waited for, excluding time that the client takes.
    since: Option<Instant>,
    /// Whether something was sent to the client since the server was last waited for.
    has_sent: bool,
    /// Since when nothing has been sent to the client, excluding time that the client takes.
    sent: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    /// The task to wake when the timer fires.
    waker: Option<Waker>,
}

/// The result of a wait.
enum TimerEvent {
    /// Send a keep-alive.
    KeepAlive,
    TooLong(Fault),
}

impl StreamTimers {
    fn new(timeouts: &Timeouts, is_written: bool) -> Self {
        let now = Instant::now();
        Self {
            idle: timeouts.idle.on(),
            total: timeouts.total.on(),
            keep_alive: timeouts.keep_alive.on().filter(|_| is_written),
            started: now,
            since: None,
            has_sent: false,
            sent: now,
            timer: None,
            waker: None,
        }
    }

    /// Waits until a timeout expires or a keep-alive is due.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<TimerEvent> {
        loop {
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            if std::mem::take(&mut self.has_sent) {
                self.sent = now;
            }
            let idle = self.idle.map(|time| since + time);
            let total = self.total.map(|time| self.started + time);
            let alive = self.keep_alive.map(|time| self.sent + time);
            if idle.is_some_and(|at| at <= now) {
                return Poll::Ready(TimerEvent::TooLong(silent(self.idle.unwrap_or_default())));
            }
            if total.is_some_and(|at| at <= now) {
                let time = self.total.unwrap_or_default();
                let message = format!("the answer took longer than {time:?} (`timeouts.total`)");
                return Poll::Ready(TimerEvent::TooLong(ProxyError::TOTAL.because(message)));
            }
            if alive.is_some_and(|at| at <= now) {
                return Poll::Ready(TimerEvent::KeepAlive);
            }
            let Some(next) = [idle, total, alive].into_iter().flatten().min() else { return Poll::Pending };
            let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(next.into())));
            if timer.is_elapsed() || timer.deadline() > next.into() {
                timer.as_mut().reset(next.into());
            } else if timer.deadline() > now.into() && self.waker.as_ref().is_some_and(|it| it.will_wake(cx.waker())) {
                return Poll::Pending;
            }
            let rings = timer.as_mut().poll(cx);
            self.waker = rings.is_pending().then(|| cx.waker().clone());
            ready!(rings);
        }
    }
}
