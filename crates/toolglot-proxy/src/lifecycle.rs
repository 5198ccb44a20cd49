//! A running proxy: listening, reloading settings, and graceful shutdown.

use std::fmt;
use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use axum::Router;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
#[cfg(unix)]
use tokio::net::UnixListener;
use tokio::net::{TcpListener, TcpStream};
use toolglot_json::Value;

use crate::config::setting::LogFormat;
use crate::config::{Config, ConfigError, Sources};
use crate::live::{Live, PageFiles, Shared};
use crate::peer::{MonitoredStream, Peer, PeerMonitor};
use crate::template::ReadTemplate;
use crate::traces::Traces;
use crate::watch::Watch;
use crate::{banner, routes};

/// A proxy that is ready to serve; cheap to clone.
#[derive(Clone)]
pub struct Proxy {
    pub(crate) shared: Arc<Shared>,
    router: Router,
}

/// Why the proxy cannot run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// A setting is invalid.
    Config(ConfigError),
    /// An I/O error, and what failed.
    Io(String, io::Error),
}

impl fmt::Display for ServeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config(error) => error.fmt(f),
            Self::Io(what, error) => write!(f, "{what}: {error}"),
        }
    }
}

impl std::error::Error for ServeError {}

impl From<ConfigError> for ServeError {
    fn from(error: ConfigError) -> Self {
        Self::Config(error)
    }
}

/// Commands for a running proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each concerns every caller")]
pub enum Control {
    /// Reload the settings.
    Reload,
    /// Finish running requests and accept no new ones.
    Drain,
    /// Stop at once.
    Abort,
}

/// A socket that accepts connections.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "the proxy listens on these")]
pub enum Listener {
    /// A TCP socket.
    Tcp(TcpListener),
    /// A Unix domain socket.
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Proxy {
    /// Creates a proxy from settings.
    ///
    /// # Errors
    /// If a setting is invalid.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let shared = Arc::new(Shared::new(Live::new(config)?));
        let router = routes::router(&shared);
        Ok(Self { shared, router })
    }

    /// Returns all errors in the settings, including those found by preparing a proxy.
    pub fn check(sources: &Sources) -> Vec<ConfigError> {
        let (config, mut faults) = Config::check(sources);
        let (live, unusable) = Live::checked(config);
        let is_alone = faults.is_empty();
        faults.extend(unusable.0.into_iter().filter(|fault| is_alone || live.config.is_set(fault)));
        // Invalid keys are not missing keys.
        if faults.is_empty() {
            faults.extend(live.keys.check_exposure(&live.config).err());
        }
        faults
    }

    /// Returns the router, which can be called without a socket.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Sets the files of the inspector page, which the setting `inspector` enables.
    #[must_use]
    pub fn with_page(self, files: PageFiles) -> Self {
        let _ = self.shared.page.set(files);
        self
    }

    /// Sets the function that evaluates chat templates, which the setting `template` enables.
    #[must_use]
    pub fn with_read_template(self, read: ReadTemplate) -> Self {
        let _ = self.shared.read_template.set(read);
        self
    }

    /// Returns the proxy with another router.
    pub(crate) fn with_router(self, router: Router) -> Self {
        Self { router, ..self }
    }

    /// Returns the startup message with settings for clients.
    pub fn banner(&self, listener: &Listener) -> String {
        banner::text(&self.shared.live.load(), &listener.place(), !self.shared.page().is_empty())
    }

    /// Prints the startup message, or logs that the proxy is listening.
    fn greet(&self, listener: &Listener) {
        let live = self.shared.live.load();
        let chosen = live.config.server.log.value;
        let format = chosen.resolved();
        if format != LogFormat::Human {
            self.event("info", &format!("listening on {}", listener.place()));
        }
        // In a pipe too, the demonstration says what to try; a chosen log format is kept clean.
        if format == LogFormat::Human || live.config.server.demo && chosen == LogFormat::Auto {
            eprint!("{}", self.banner(listener));
        }
    }

    /// Applies new settings; running requests keep the old ones.
    ///
    /// # Errors
    /// If a setting is invalid; the old settings then remain in effect.
    pub fn reload(&self, config: Config) -> Result<(), ConfigError> {
        let new = Live::new(config)?;
        self.shared.memory.shrink(new.config.limits.answers_kept, new.config.limits.bytes_kept.0);
        let old = self.shared.live.swap(Arc::new(new));
        if old.config.server.listen != self.shared.live.load().config.server.listen {
            self.event("warning", "`listen` cannot change while running; restart to apply it");
        }
        Ok(())
    }

    /// Listens on the configured address.
    ///
    /// # Errors
    /// If the address cannot be used.
    pub async fn listen(&self) -> Result<Listener, ServeError> {
        let place = self.shared.live.load().config.server.listen.clone();
        let wrong = |error| {
            ServeError::Io(format!("cannot listen on `{place}`; choose another address with `--listen`"), error)
        };
        if let Some(path) = place.strip_prefix("unix:") {
            return listen_on_file(path).map_err(wrong);
        }
        TcpListener::bind(&place).await.map(Listener::Tcp).map_err(wrong)
    }

    /// Serves until it receives `Drain` or `Abort`.
    ///
    /// # Errors
    /// If the listener fails.
    pub async fn serve(
        &self,
        listener: Listener,
        sources: &Sources,
        mut controls: tokio::sync::mpsc::Receiver<Control>,
    ) -> Result<(), ServeError> {
        let graceful = GracefulShutdown::new();
        let mut watch = Watch::new(sources, &self.shared.live.load().config);
        loop {
            tokio::select! {
                () = listener.accept(self, &graceful) => (),
                () = watch.tick() => {
                    let live = self.shared.live.load_full();
                    if live.config.server.watch && watch.is_changed(sources, &live.config) {
                        self.read_again(sources, &mut watch).await;
                    }
                }
                control = controls.recv() => match control {
                    Some(Control::Reload) => self.read_again(sources, &mut watch).await,
                    // Without senders no signal can follow.
                    Some(Control::Drain) | None => break,
                    Some(Control::Abort) => return Ok(()),
                },
            }
        }
        // First, so that a new process can listen there while this one finishes its requests.
        listener.close();
        self.drain(graceful, controls).await;
        let live = self.shared.live.load_full();
        // Not in this thread, which may be the one that sends the spans.
        let _ = tokio::task::spawn_blocking(move || live.traces.as_ref().map(Traces::flush)).await;
        Ok(())
    }

    /// Reloads the settings in a separate thread, so as not to block streams.
    async fn read_again(&self, sources: &Sources, watch: &mut Watch) {
        let (proxy, again) = (self.clone(), sources.clone());
        let read = move || Config::load(&again).and_then(|config| proxy.reload(config));
        let Ok(result) = tokio::task::spawn_blocking(read).await else { return };
        let word = if result.is_ok() { "success" } else { "failure" };
        self.shared.metrics.reloads.add(&[word], 1);
        watch.mark_applied(sources, &self.shared.live.load().config);
        match result {
            Ok(()) => self.event("info", "settings reloaded"),
            Err(error) => {
                self.event("error", &format!("settings not reloaded; the old ones remain in effect: {error}"))
            }
        }
    }

    /// Waits for running requests until `timeouts.drain` expires or a second signal arrives.
    async fn drain(&self, graceful: GracefulShutdown, mut controls: tokio::sync::mpsc::Receiver<Control>) {
        self.shared.draining.store(true, Ordering::Relaxed);
        let running = self.shared.in_flight.load(Ordering::Relaxed);
        self.event("info", &format!("shutting down; {running} requests in progress"));
        let most = self.shared.live.load().config.timeouts.drain.on();
        // A century: a timer that never fires keeps the three ends in one `select!`.
        let most = most.unwrap_or(Duration::from_secs(u64::from(u32::MAX)));
        let impatient = async {
            while let Some(control) = controls.recv().await {
                if control != Control::Reload {
                    return;
                }
            }
            // The end of the senders is no signal.
            std::future::pending::<()>().await;
        };
        let message = tokio::select! {
            () = graceful.shutdown() => "all requests finished",
            () = tokio::time::sleep(most) => "remaining requests aborted: `timeouts.drain` expired",
            () = impatient => "remaining requests aborted: second signal received",
        };
        self.event("info", message);
    }

    fn event(&self, level: &str, message: &str) {
        self.shared.event(level, message, &[("version", Value::from(env!("CARGO_PKG_VERSION")))]);
    }

    /// Serves a connection in its own task, and detects when the client leaves.
    fn serve_monitored(&self, stream: TcpStream, watcher: Watcher) {
        // The interim response that asks for the client would have to be encrypted.
        if self.shared.live.load().tls.is_some() {
            return self.spawn(stream, watcher);
        }
        let (socket, peer) = (Arc::new(stream), Peer::default());
        let router = TowerToHyperService::new(self.router.clone());
        let mut monitor = PeerMonitor::new(&socket, &peer);
        let service = service_fn(move |request| {
            let (peer, answer) = (peer.clone(), router.call(peer.enter(request)));
            async move { answer.await.inspect(|_| peer.answers()) }
        });
        let mut server = self.server();
        // A client that has closed only its side still reads its answer; the monitor finds out whether it does.
        server.http1().half_close(true);
        tokio::spawn(async move {
            let connection = server.serve_connection(TokioIo::new(MonitoredStream(socket)), service).into_owned();
            let mut connection = pin!(watcher.watch(connection));
            poll_fn(|cx| match connection.as_mut().poll(cx) {
                Poll::Ready(_) => Poll::Ready(()),
                Poll::Pending => monitor.poll_left(cx),
            })
            .await;
        });
    }

    /// Serves a connection in its own task.
    fn spawn<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (service, live) = (TowerToHyperService::new(self.router.clone()), self.shared.live.load());
        let (server, tls) = (self.server(), live.tls.clone());
        let patience = live.config.timeouts.header.on().unwrap_or(Duration::from_secs(60));
        tokio::spawn(async move {
            // Errors of the connection are ignored, since its requests are logged.
            let Some(tls) = tls else {
                let connection = server.serve_connection(TokioIo::new(stream), service).into_owned();
                let _ = watcher.watch(connection).await;
                return;
            };
            let Ok(Ok(stream)) = tokio::time::timeout(patience, tls.accept(stream)).await else { return };
            let connection = server.serve_connection(TokioIo::new(stream), service).into_owned();
            let _ = watcher.watch(connection).await;
        });
    }

    /// Returns the HTTP server for connections.
    fn server(&self) -> auto::Builder<TokioExecutor> {
        let patience = self.shared.live.load().config.timeouts.header.on();
        let mut server = auto::Builder::new(TokioExecutor::new());
        // Pieces of streams are small, so copying them is cheaper than vectored writes.
        server.http1().timer(TokioTimer::new()).header_read_timeout(patience).writev(false);
        server.http2().timer(TokioTimer::new());
        server
    }
}

/// Pause after a failure to accept a connection, such as too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

#[cfg(unix)]
fn listen_on_file(path: &str) -> io::Result<Listener> {
    remove_dead_socket(path);
    UnixListener::bind(path).map(Listener::Unix)
}

#[cfg(not(unix))]
fn listen_on_file(_: &str) -> io::Result<Listener> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "Unix sockets need a Unix system"))
}

/// Removes a socket that a dead process left behind, but no other file.
#[cfg(unix)]
fn remove_dead_socket(path: &str) {
    use std::os::unix::fs::FileTypeExt as _;
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        // If this fails, listening reports why.
        let _ = std::fs::remove_file(path);
    }
}

impl Listener {
    /// Returns the address.
    pub fn place(&self) -> String {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(|address| address.to_string()).unwrap_or_default(),
            #[cfg(unix)]
            Self::Unix(listener) => {
                let address = listener.local_addr().ok();
                let path = address.as_ref().and_then(|address| address.as_pathname());
                format!("unix:{}", path.map(|path| path.display().to_string()).unwrap_or_default())
            }
        }
    }

    /// Stops accepting connections, and removes a Unix domain socket.
    fn close(self) {
        if let Some(path) = self.place().strip_prefix("unix:") {
            // It may already have been removed.
            let _ = std::fs::remove_file(path);
        }
    }

    async fn accept(&self, proxy: &Proxy, graceful: &GracefulShutdown) {
        let accepted = match self {
            Self::Tcp(listener) => listener.accept().await.map(|(stream, _)| {
                // Small pieces must be sent at once.
                let _ = stream.set_nodelay(true);
                proxy.serve_monitored(stream, graceful.watcher());
            }),
            #[cfg(unix)]
            Self::Unix(listener) => listener.accept().await.map(|(stream, _)| proxy.spawn(stream, graceful.watcher())),
        };
        if accepted.is_err() {
            tokio::time::sleep(ACCEPT_PAUSE).await;
        }
    }
}

/// Returns the runtime, with a thread for every two cores: the model server needs the rest, and a piece of a stream costs
/// less than waking another thread. `TOKIO_WORKER_THREADS` overrides this. With one thread, the runtime runs in the
/// caller's.
pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, ServeError> {
    let asked = std::env::var("TOKIO_WORKER_THREADS").ok().and_then(|count| count.parse().ok());
    let half = || std::thread::available_parallelism().map_or(1, |cores| cores.get() / 2);
    let built = match asked.unwrap_or_else(half) {
        0 | 1 => tokio::runtime::Builder::new_current_thread().enable_all().build(),
        count => tokio::runtime::Builder::new_multi_thread().worker_threads(count).enable_all().build(),
    };
    built.map_err(|error| ServeError::Io("cannot start".to_owned(), error))
}

/// Runs a proxy until a signal stops it. `page` has the files of the inspector, or none; `read_template` evaluates chat
/// templates. SIGHUP reloads the settings; SIGTERM and SIGINT shut down gracefully, and at once the second time. Without
/// Unix signals, Ctrl-C does the same.
///
/// # Errors
/// If a setting is invalid, or on an I/O error.
pub fn run(sources: &Sources, page: PageFiles, read_template: ReadTemplate) -> Result<(), ServeError> {
    let prepare = |proxy: Proxy| proxy.with_page(page).with_read_template(read_template);
    run_with(sources, prepare, |proxy, listener| {
        let live = proxy.shared.live.load();
        live.config.unknown().iter().for_each(|warning| proxy.event("warning", warning));
        proxy.greet(listener);
    })
}

/// Runs a proxy until a signal stops it; `greet` is called when it listens.
pub(crate) fn run_with(
    sources: &Sources,
    prepare: impl FnOnce(Proxy) -> Proxy,
    greet: impl FnOnce(&Proxy, &Listener),
) -> Result<(), ServeError> {
    let config = Config::load(sources)?;
    let runtime = runtime()?;
    let result = runtime.block_on(async {
        let proxy = prepare(Proxy::new(config)?);
        let listener = proxy.listen().await?;
        let controls = signals().map_err(|error| ServeError::Io("cannot listen for signals".to_owned(), error))?;
        greet(&proxy, &listener);
        let result = proxy.serve(listener, sources, controls).await;
        proxy.shared.log.flush();
        result
    });
    // Aborted requests are not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    result
}

#[cfg(unix)]
fn signals() -> io::Result<tokio::sync::mpsc::Receiver<Control>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (controls, received) = tokio::sync::mpsc::channel(8);
    for (kind, control) in [
        (SignalKind::hangup(), Control::Reload),
        (SignalKind::terminate(), Control::Drain),
        (SignalKind::interrupt(), Control::Drain),
    ] {
        let (mut signal, controls) = (signal(kind)?, controls.clone());
        tokio::spawn(async move { while signal.recv().await.is_some() && controls.send(control).await.is_ok() {} });
    }
    Ok(received)
}

#[cfg(not(unix))]
fn signals() -> io::Result<tokio::sync::mpsc::Receiver<Control>> {
    let (controls, received) = tokio::sync::mpsc::channel(8);
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() && controls.send(Control::Drain).await.is_ok() {}
    });
    Ok(received)
}
