//! The client at the other end of a connection: whether it is still there once it has closed its own side.
//!
//! A client that leaves and one that has merely said all it had to say close their side alike. What is sent then tells them
//! apart, since the system of the one that left refuses it:
//!
//! | the client's side is closed while | what becomes of its request |
//! |---|---|
//! | its request is being read, or HTTP/1.0 is spoken, which knows no interim answers | it ends |
//! | nothing of the answer has been sent | `100 Continue` is sent, which clients have to pass over; it ends if that is refused |
//! | a stream is being written | that it is alive is said in it; it ends if that or a later piece is refused |
//! | bytes pass as they are | it ends if the next ones are refused |

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

/// What the requests of a connection know of the client; cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer(Arc<PeerState>);

/// What is known of it while a request of its runs.
///
/// `Relaxed` is enough, since nothing else is published with these: the task of the connection polls the request and the
/// [`Attendant`] in turn, and a body that is read elsewhere costs at most one poll more until its end is seen.
#[derive(Debug, Default)]
struct PeerState {
    phase: AtomicU8,
    /// All of the request is here.
    is_whole: AtomicBool,
    /// It knows interim answers.
    may_be_asked: AtomicBool,
    /// It has closed its side, and wants a sign if it is there.
    wants_sign: AtomicBool,
}

/// No request runs.
const IDLE: u8 = 0;
/// A request is being read; who reads it finds out if it ends early.
const READING: u8 = 1;
/// The request is here, and nothing of its answer has been sent.
const AWAITED: u8 = 2;
const ANSWERED: u8 = 3;

/// A running request of a client; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Running(Peer);

impl Peer {
    /// Makes a request known to those who answer it.
    pub(crate) fn enter(&self, request: Request<Incoming>) -> Request<RequestBody> {
        let (mut parts, body) = request.into_parts();
        self.0.is_whole.store(body.is_end_stream(), Ordering::Relaxed);
        self.0.may_be_asked.store(parts.version == Version::HTTP_11, Ordering::Relaxed);
        if parts.version <= Version::HTTP_11 {
            parts.extensions.insert(self.clone());
        }
        Request::from_parts(parts, RequestBody { body, peer: self.clone() })
    }

    /// Begins a request that is looked after.
    pub(crate) fn begin(&self) -> Running {
        let phase = if self.0.is_whole.load(Ordering::Relaxed) { AWAITED } else { READING };
        self.0.phase.store(phase, Ordering::Relaxed);
        Running(self.clone())
    }

    fn has_all(&self) {
        // Exchanges, here and below, not stores: a late word about a request that is over must not wake its phase again.
        self.0.is_whole.store(true, Ordering::Relaxed);
        let _ = self.0.phase.compare_exchange(READING, AWAITED, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Says that an answer goes out, if its request still runs.
    pub(crate) fn answers(&self) {
        let _ = self.0.phase.compare_exchange(AWAITED, ANSWERED, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Running {
    /// Says, once, whether the client is in doubt.
    pub(crate) fn wants_sign(&self) -> bool {
        let wants = &self.0.0.wants_sign;
        // Asked for every piece of a stream: a load is cheap, a swap takes the cache line from other cores.
        wants.load(Ordering::Relaxed) && wants.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.0.phase.store(IDLE, Ordering::Relaxed);
    }
}

/// Looks after the client of a connection.
pub(crate) struct Attendant {
    socket: Arc<TcpStream>,
    peer: Peer,
    /// Waits for the client's system to refuse what is sent to it; the client has closed its side.
    refusal: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
}

impl Attendant {
    pub(crate) fn new(socket: &Arc<TcpStream>, peer: &Peer) -> Self {
        Self { socket: Arc::clone(socket), peer: peer.clone(), refusal: None }
    }

    /// Waits for a client to leave whose request runs; asked whenever its connection was.
    pub(crate) fn poll_left(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let phase = self.peer.0.phase.load(Ordering::Relaxed);
        if matches!(phase, IDLE | READING) {
            self.refusal = None;
            return Poll::Pending;
        }
        if self.refusal.is_none() {
            match ready!(self.socket.poll_peek(cx, &mut ReadBuf::new(&mut [0]))) {
                // What it says next is read when its time comes.
                Ok(1..) => return Poll::Pending,
                Ok(0) if self.peer.0.may_be_asked.load(Ordering::Relaxed) => {}
                Ok(0) | Err(_) => return Poll::Ready(()),
            }
            if phase == ANSWERED {
                self.peer.0.wants_sign.store(true, Ordering::Relaxed);
                cx.waker().wake_by_ref();
            } else if !self.socket.try_write(CONTINUE).is_ok_and(|sent| sent == CONTINUE.len()) {
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

/// A request's body, of which the client's attendant learns when it has all been read.
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

/// A socket that its attendant looks at while it is read and written.
pub(crate) struct Attended(pub(crate) Arc<TcpStream>);

impl AsyncRead for Attended {
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

impl AsyncWrite for Attended {
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
        // Tokio closes only a socket that nobody else holds.
        Poll::Ready(SockRef::from(&*self.0).shutdown(Shutdown::Write))
    }
}
