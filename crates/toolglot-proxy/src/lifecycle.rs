//! A running proxy: listening, reading its settings again, and an orderly end.

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
use crate::peer::{Attendant, Attended, Peer};
use crate::template::ReadTemplate;
use crate::traces::Traces;
use crate::watch::Watch;
use crate::{banner, routes};

/// A proxy that is ready to answer; cheap to clone.
#[derive(Clone)]
pub struct Proxy {
    shared: Arc<Shared>,
    router: Router,
}

/// Why the proxy cannot run.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServeError {
    /// A setting cannot be used.
    Config(ConfigError),
    /// The system said no.
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

/// What the operator wants of a running proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each concerns every caller")]
pub enum Control {
    /// Read the settings again.
    Reload,
    /// Let running requests end and take no new ones.
    Drain,
    /// End now.
    Abort,
}

/// Where clients are taken from.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "the proxy listens on these")]
pub enum Listener {
    /// TCP.
    Tcp(TcpListener),
    /// A socket in the file system.
    #[cfg(unix)]
    Unix(UnixListener),
}

impl Proxy {
    /// Makes a proxy of settings.
    ///
    /// # Errors
    /// If a setting cannot be used.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        let shared = Arc::new(Shared::new(Live::new(config)?));
        let router = routes::router(&shared);
        Ok(Self { shared, router })
    }

    /// Returns everything that is wrong with settings: with single ones, and with what a proxy would make of all.
    pub fn check(sources: &Sources) -> Vec<ConfigError> {
        let (config, mut faults) = Config::check(sources);
        let (live, unusable) = Live::checked(config);
        let is_alone = faults.is_empty();
        faults.extend(unusable.0.into_iter().filter(|fault| is_alone || live.config.is_set(fault)));
        // Keys that cannot be read are wrong, not missing.
        if faults.is_empty() {
            faults.extend(live.check_exposure().err());
        }
        faults
    }

    /// Returns the table of routes; it can be called without a socket.
    pub fn router(&self) -> Router {
        self.router.clone()
    }

    /// Returns the proxy with the files of the inspector's page, which the setting `inspector` shows.
    #[must_use]
    pub fn with_page(self, files: PageFiles) -> Self {
        // Whoever starts the proxy says so once.
        let _ = self.shared.page.set(files);
        self
    }

    /// Returns the proxy with what reads chat templates, which the setting `template` asks for.
    #[must_use]
    pub fn with_read_template(self, read: ReadTemplate) -> Self {
        let _ = self.shared.read_template.set(read);
        self
    }

    /// Returns one that answers by another table of routes.
    pub(crate) fn with_router(self, router: Router) -> Self {
        Self { router, ..self }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns what the operator may want to paste into clients.
    pub fn banner(&self, listener: &Listener) -> String {
        banner::text(&self.shared.live.load(), &listener.place(), !self.shared.page().is_empty())
    }

    /// Tells people what to paste, and programs that it runs.
    fn greet(&self, listener: &Listener) {
        let format = self.shared.live.load().config.server.log.value.settled();
        match format {
            LogFormat::Human => eprint!("{}", self.banner(listener)),
            _ => self.event("info", &format!("listening on {}", listener.place())),
        }
    }

    /// Takes new settings; running requests end under the old ones.
    ///
    /// # Errors
    /// If a setting cannot be used; then the old ones stay.
    pub fn reload(&self, config: Config) -> Result<(), ConfigError> {
        let new = Live::new(config)?;
        self.shared.memory.shrink(new.config.limits.answers_kept, new.config.limits.bytes_kept.0);
        let old = self.shared.live.swap(Arc::new(new));
        if old.config.server.listen != self.shared.live.load().config.server.listen {
            self.event("warning", "`listen` cannot change while running; restart to apply it");
        }
        Ok(())
    }

    /// Listens where the settings say.
    ///
    /// # Errors
    /// If the system does not let it.
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

    /// Serves until it is told to end.
    ///
    /// # Errors
    /// If the system takes the listener away.
    pub async fn serve(
        &self,
        listener: Listener,
        sources: &Sources,
        mut wishes: tokio::sync::mpsc::Receiver<Control>,
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
                wish = wishes.recv() => match wish {
                    Some(Control::Reload) => self.read_again(sources, &mut watch).await,
                    Some(Control::Drain) | None => break,
                    Some(Control::Abort) => return Ok(()),
                },
            }
        }
        listener.close();
        self.drain(graceful, wishes).await;
        let live = self.shared.live.load_full();
        // Not in this thread: it may be the one that sends them.
        let _ = tokio::task::spawn_blocking(move || live.traces.as_ref().map(Traces::flush)).await;
        Ok(())
    }

    /// Reads the settings in a thread of its own, since streams may share the one that is told to.
    async fn read_again(&self, sources: &Sources, watch: &mut Watch) {
        let (proxy, again) = (self.clone(), sources.clone());
        let read = move || Config::load(&again).and_then(|config| proxy.reload(config));
        let Ok(result) = tokio::task::spawn_blocking(read).await else { return };
        let word = if result.is_ok() { "success" } else { "failure" };
        self.shared.metrics.reloads.add(&[word], 1);
        watch.settle(sources, &self.shared.live.load().config);
        match result {
            Ok(()) => self.event("info", "settings reloaded"),
            Err(error) => self.event("error", &format!("settings not reloaded, the old ones stay in effect: {error}")),
        }
    }

    /// Waits for running requests, for as long as the settings say or until the operator has had enough.
    async fn drain(&self, graceful: GracefulShutdown, mut wishes: tokio::sync::mpsc::Receiver<Control>) {
        self.shared.draining.store(true, Ordering::Relaxed);
        let running = self.shared.in_flight.load(Ordering::Relaxed);
        self.event("info", &format!("shutting down; {running} requests in progress"));
        let most = self.shared.live.load().config.timeouts.drain.on();
        let most = most.unwrap_or(Duration::from_secs(u64::from(u32::MAX)));
        let impatient = async {
            while let Some(wish) = wishes.recv().await {
                if wish != Control::Reload {
                    return;
                }
            }
            std::future::pending::<()>().await;
        };
        let message = tokio::select! {
            () = graceful.shutdown() => "all requests are finished",
            () = tokio::time::sleep(most) => "requests cut off: `timeouts.drain` expired",
            () = impatient => "requests cut off: second signal received",
        };
        self.event("info", message);
    }

    fn event(&self, level: &str, message: &str) {
        let format = self.shared.live.load().config.server.log.value;
        self.shared.log.event(format, level, message, &[("version", Value::from(env!("CARGO_PKG_VERSION")))]);
    }

    /// Serves one connection in a task of its own, whose client is looked after.
    fn attend(&self, stream: TcpStream, watcher: Watcher) {
        if self.shared.live.load().tls.is_some() {
            return self.spawn(stream, watcher);
        }
        let (socket, peer) = (Arc::new(stream), Peer::default());
        let router = TowerToHyperService::new(self.router.clone());
        let mut attendant = Attendant::new(&socket, &peer);
        let service = service_fn(move |request| {
            let (peer, answer) = (peer.clone(), router.call(peer.enter(request)));
            async move { answer.await.inspect(|_| peer.answers()) }
        });
        let mut server = self.server();
        server.http1().half_close(true);
        tokio::spawn(async move {
            let connection = server.serve_connection(TokioIo::new(Attended(socket)), service).into_owned();
            let mut connection = pin!(watcher.watch(connection));
            poll_fn(|cx| match connection.as_mut().poll(cx) {
                Poll::Ready(_) => Poll::Ready(()),
                Poll::Pending => attendant.poll_left(cx),
            })
            .await;
        });
    }

    /// Serves one connection in a task of its own.
    fn spawn<S>(&self, stream: S, watcher: Watcher)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let (service, live) = (TowerToHyperService::new(self.router.clone()), self.shared.live.load());
        let (server, tls) = (self.server(), live.tls.clone());
        let patience = live.config.timeouts.header.on().unwrap_or(Duration::from_secs(60));
        tokio::spawn(async move {
            // A connection that ends badly ends; its requests have told the log what there is to tell.
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

    /// Returns what speaks HTTP with clients.
    fn server(&self) -> auto::Builder<TokioExecutor> {
        let patience = self.shared.live.load().config.timeouts.header.on();
        let mut server = auto::Builder::new(TokioExecutor::new());
        // Pieces of streams are small: to copy them behind each other costs less than a list of them.
        server.http1().timer(TokioTimer::new()).header_read_timeout(patience).writev(false);
        server.http2().timer(TokioTimer::new());
        server
    }
}

/// After a failure to accept, such as too many open files, this long nothing is accepted.
const BREATH: Duration = Duration::from_millis(50);

#[cfg(unix)]
fn listen_on_file(path: &str) -> io::Result<Listener> {
    remove_dead_socket(path);
    UnixListener::bind(path).map(Listener::Unix)
}

#[cfg(not(unix))]
fn listen_on_file(_: &str) -> io::Result<Listener> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "Unix sockets need a Unix system"))
}

/// A socket that a dead process left behind would be in the way for ever; any other file stays.
#[cfg(unix)]
fn remove_dead_socket(path: &str) {
    use std::os::unix::fs::FileTypeExt as _;
    let is_socket = std::fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket());
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err() {
        // If it cannot go, listening says why.
        let _ = std::fs::remove_file(path);
    }
}

impl Listener {
    /// Returns the place as a client writes it.
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

    /// Takes no more clients; a socket in the file system goes away.
    fn close(self) {
        if let Some(path) = self.place().strip_prefix("unix:") {
            // Somebody else may have removed it.
            let _ = std::fs::remove_file(path);
        }
    }

    async fn accept(&self, proxy: &Proxy, graceful: &GracefulShutdown) {
        let accepted = match self {
            Self::Tcp(listener) => listener.accept().await.map(|(stream, _)| {
                // Small pieces have to go out at once.
                let _ = stream.set_nodelay(true);
                proxy.attend(stream, graceful.watcher());
            }),
            #[cfg(unix)]
            Self::Unix(listener) => listener.accept().await.map(|(stream, _)| proxy.spawn(stream, graceful.watcher())),
        };
        if accepted.is_err() {
            tokio::time::sleep(BREATH).await;
        }
    }
}

/// Returns what serves streams: half the cores, since the model server's share of a busy machine counts more, and a piece
/// of a stream costs less than waking a second thread for it. `TOKIO_WORKER_THREADS` says otherwise. Where that is one, it
/// is the thread that accepts connections, too, and none is ever waited for.
pub(crate) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    let asked = std::env::var("TOKIO_WORKER_THREADS").ok().and_then(|count| count.parse().ok());
    let half = || std::thread::available_parallelism().map_or(1, |cores| cores.get() / 2);
    match asked.unwrap_or_else(half) {
        0 | 1 => tokio::runtime::Builder::new_current_thread().enable_all().build(),
        count => tokio::runtime::Builder::new_multi_thread().worker_threads(count).enable_all().build(),
    }
}

/// Runs a proxy until a signal ends it, with the inspector's page or none, and with what reads chat templates: SIGHUP reads the settings again, SIGTERM and SIGINT end in order, twice at once.
/// Without Unix signals, Ctrl-C ends it in the same way.
///
/// # Errors
/// If a setting cannot be used, or the system says no.
pub fn run(sources: &Sources, page: PageFiles, read_template: ReadTemplate) -> Result<(), ServeError> {
    let config = Config::load(sources)?;
    let runtime = runtime().map_err(|error| ServeError::Io("cannot start".to_owned(), error))?;
    let result = runtime.block_on(async {
        let warnings = config.unknown().to_vec();
        let proxy = Proxy::new(config)?.with_page(page).with_read_template(read_template);
        let listener = proxy.listen().await?;
        let wishes = signals().map_err(|error| ServeError::Io("cannot listen to signals".to_owned(), error))?;
        warnings.iter().for_each(|warning| proxy.event("warning", warning));
        proxy.greet(&listener);
        let result = proxy.serve(listener, sources, wishes).await;
        proxy.shared.log.flush();
        result
    });
    // Requests that are cut off are not waited for.
    runtime.shutdown_timeout(Duration::from_millis(100));
    result
}

#[cfg(unix)]
pub(crate) fn signals() -> io::Result<tokio::sync::mpsc::Receiver<Control>> {
    use tokio::signal::unix::{SignalKind, signal};
    let (wishes, received) = tokio::sync::mpsc::channel(8);
    for (kind, wish) in [
        (SignalKind::hangup(), Control::Reload),
        (SignalKind::terminate(), Control::Drain),
        (SignalKind::interrupt(), Control::Drain),
    ] {
        let (mut signal, wishes) = (signal(kind)?, wishes.clone());
        tokio::spawn(async move { while signal.recv().await.is_some() && wishes.send(wish).await.is_ok() {} });
    }
    Ok(received)
}

#[cfg(not(unix))]
pub(crate) fn signals() -> io::Result<tokio::sync::mpsc::Receiver<Control>> {
    let (wishes, received) = tokio::sync::mpsc::channel(8);
    tokio::spawn(
        async move { while tokio::signal::ctrl_c().await.is_ok() && wishes.send(Control::Drain).await.is_ok() {} },
    );
    Ok(received)
}
