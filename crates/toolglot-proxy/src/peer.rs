//! Detects whether a client has left once it has closed its side of the connection.
//!
//! A client that leaves and a client that merely half-closes the connection look alike until something is sent, which the
//! system of a client that left rejects:
//!
//! | the client closes its side while | its request |
//! |---|---|
//! | its request is being read, or with HTTP/1.0, which has no interim responses | is cancelled |
//! | nothing of the answer has been sent | `100 Continue` is sent, which clients must ignore; it is cancelled if that is rejected |
//! | a stream is being written | a keep-alive comment is sent; it is cancelled if that or a later piece is rejected |
//! | bytes pass unchanged | is cancelled if the next ones are rejected |

use std::future::Future;
use std::io;
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::{Request, Version};
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;

/// The client of a connection, shared with its requests; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer(Arc<PeerState>);

/// The state of the client's request.
///
/// `Relaxed` suffices, since nothing else is published with these: the connection's task polls the request and the
/// [`PeerMonitor`] in turn, and a body that is read elsewhere costs at most one more poll until its end is seen.
#[derive(Debug, Default)]
struct PeerState {
    phase: AtomicU8,
    /// Whether the request has been read completely.
    is_whole: AtomicBool,
    /// Whether it supports interim responses.
    accepts_interim: AtomicBool,
    /// Whether it has closed its side, so that something must be sent to it.
    needs_keep_alive: AtomicBool,
}

/// No request runs.
const IDLE: u8 = 0;
/// A request is being read; its reader notices if it ends early.
const READING: u8 = 1;
/// The request has been read, and nothing of the answer has been sent.
const AWAITED: u8 = 2;
const ANSWERED: u8 = 3;

/// A running request of a client, until this is dropped.
#[derive(Debug)]
pub(crate) struct Running(Peer);

impl Peer {
    /// Attaches the client to its request.
    pub(crate) fn enter(&self, request: Request<Incoming>) -> Request<RequestBody> {
        let (mut parts, body) = request.into_parts();
        self.0.is_whole.store(body.is_end_stream(), Ordering::Relaxed);
        self.0.accepts_interim.store(parts.version == Version::HTTP_11, Ordering::Relaxed);
        // HTTP/2 resets the stream of a client that leaves, and its connection carries many requests at once.
        if parts.version <= Version::HTTP_11 {
            parts.extensions.insert(self.clone());
        }
        Request::from_parts(parts, RequestBody { body, peer: self.clone() })
    }

    /// Begins a request that is monitored.
    pub(crate) fn begin(&self) -> Running {
        let phase = if self.0.is_whole.load(Ordering::Relaxed) { AWAITED } else { READING };
        self.0.phase.store(phase, Ordering::Relaxed);
        Running(self.clone())
    }

    fn has_all(&self) {
        // Exchanges, here and below, not stores: a late notification must not change the phase of a finished request.
        self.0.is_whole.store(true, Ordering::Relaxed);
        let _ = self.0.phase.compare_exchange(READING, AWAITED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Records that an answer is sent, if the request still runs.
    pub(crate) fn answers(&self) {
        let _ = self.0.phase.compare_exchange(AWAITED, ANSWERED, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Running {
    /// Returns, once, whether something must be sent to see whether the client has left.
    pub(crate) fn needs_keep_alive(&self) -> bool {
        let wants = &self.0.0.needs_keep_alive;
        // Called for every piece of a stream: a load is cheap, a swap invalidates the cache line of other cores.
        wants.load(Ordering::Relaxed) && wants.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // A store suffices: HTTP/1 begins the next request of a connection only after this one.
        self.0.0.phase.store(IDLE, Ordering::Relaxed);
    }
}

/// Monitors the client of a connection.
pub(crate) struct PeerMonitor {
    socket: Arc<TcpStream>,
    peer: Peer,
    /// Completes when the client's system rejects what is sent to it, after the client has closed its side.
    refusal: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl PeerMonitor {
    pub(crate) fn new(socket: &Arc<TcpStream>, peer: &Peer) -> Self {
        Self { socket: Arc::clone(socket), peer: peer.clone(), refusal: None }
    }

    /// Completes when the client of a running request has left; polled with its connection.
    pub(crate) fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.peer.0.phase.load(Ordering::Relaxed);
        if matches!(phase, IDLE | READING) {
            self.refusal = None;
            return Poll::Pending;
        }
        if self.refusal.is_none() {
            match ready!(self.socket.poll_peek(cx, &mut ReadBuf::new(&mut [0]))) {
                // The next request is read later.
                Ok(1..) => return Poll::Pending,
                Ok(0) if self.peer.0.accepts_interim.load(Ordering::Relaxed) => {}
                Ok(0) | Err(_) => return Poll::Ready(()),
            }
            if phase == ANSWERED {
                self.peer.0.needs_keep_alive.store(true, Ordering::Relaxed);
                // The connection must poll the body again to send it.
                cx.waker().wake_by_ref();
            } else if !self.socket.try_write(CONTINUE).is_ok_and(|sent| sent == CONTINUE.len()) {
                // Nothing of the answer fills the socket's buffer yet, so what does not fit is rejected.
                return Poll::Ready(());
            }
            let socket = Arc::clone(&self.socket);
            let refused = async move { drop(socket.ready(Interest::ERROR).await) };
            self.refusal = Some(Box::pin(refused));
        }
        self.refusal.as_mut().map_or(Poll::Pending, |refusal| refusal.as_mut().poll(cx))
    }
}

const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A request's body that records when it has been read completely.
pub(crate) struct RequestBody {
    body: Incoming,
    peer: Peer,
}

impl Body for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() || self.body.is_end_stream() {
            self.peer.has_all();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A socket that is monitored while it is read and written.
pub(crate) struct MonitoredStream(pub(crate) Arc<TcpStream>);

impl AsyncRead for MonitoredStream {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.0.poll_read_ready(cx))?;
            match self.0.try_read(buf.initialize_unfilled()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                read => return Poll::Ready(read.map(|count| buf.advance(count))),
            }
        }
    }
}

impl AsyncWrite for MonitoredStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.0.poll_write_ready(cx))?;
            match self.0.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Tokio only closes a socket that is not shared.
        Poll::Ready(SockRef::from(&*self.0).shutdown(Shutdown::Write))
    }
}
