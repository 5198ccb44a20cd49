//! The effective settings, prepared for use, and state that is kept when they are reloaded.

use std::hash::{BuildHasher as _, RandomState};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;
use bytes::Bytes;
use tokio_rustls::TlsAcceptor;
use toolglot::{Dialect, Dialects, Limits, Options, detect};
use toolglot_json::Value;
use toolglot_wire::{Exchange, Policy, Secrets, Turn, WireLimits};

use crate::auth::Keys;
use crate::clients::Usages;
use crate::config::{ClientSettings, Config, ConfigError, Faults, RouteSettings, Upstream, unreadable};
use crate::declared;
use crate::headers::looks_like_key;
use crate::log::Log;
use crate::memory::Memory;
use crate::metrics::Metrics;
use crate::openings::Openings;
use crate::prompting;
use crate::shared_store::SharedStore;
use crate::template::ReadTemplate;
use crate::tls;
use crate::traces::Traces;
use crate::upstream::Server;

/// The effective settings.
pub(crate) struct Live {
    pub(crate) config: Config,
    pub(crate) keys: Keys,
    /// All keys of the settings.
    pub(crate) secrets: Secrets,
    pub(crate) servers: Vec<Arc<Server>>,
    pub(crate) routes: Vec<Route>,
    pub(crate) tls: Option<TlsAcceptor>,
    /// The store for answers, if they are not kept in memory.
    pub(crate) shared_store: Option<Arc<SharedStore>>,
    /// The exporter of spans.
    pub(crate) traces: Option<Traces>,
}

/// Settings for some models.
pub(crate) struct Route {
    pub(crate) settings: RouteSettings,
    pub(crate) server: Arc<Server>,
    pub(crate) policy: Policy,
    /// The model's name at the server, if it differs.
    pub(crate) model: Option<String>,
    /// The dialect for tools in prompts, unless it follows from the model's name.
    pub(crate) teach: Option<Arc<Dialect>>,
    /// The dialect of the models, if the route sets it.
    pub(crate) native: Option<Arc<Dialect>>,
    /// The tools for text completions that declare none.
    pub(crate) tools: Option<Value>,
    /// Whether to relay everything unchanged.
    pub(crate) is_off: bool,
}

impl Route {
    /// Returns a request with the model's name at the server; `found` is the name in the request, and its place.
    pub(crate) fn renamed(&self, body: &Bytes, found: Option<&(String, Range<usize>)>) -> Bytes {
        let Some((name, (_, place))) = self.model.as_ref().zip(found) else { return body.clone() };
        let (before, after) = (body.get(..place.start), body.get(place.end..));
        let name = Value::from(name.as_str()).to_string();
        [before.unwrap_or_default(), name.as_bytes(), after.unwrap_or_default()].concat().into()
    }

    /// Returns the dialect for tools in the prompt.
    pub(crate) fn taught(&self, model: &str) -> Option<Arc<Dialect>> {
        let model = self.model.as_deref().unwrap_or(model);
        self.teach.clone().or_else(|| prompting::of_model(model, self.policy.dialects()))
    }

    /// Returns the dialect that a model writes natively, if known.
    pub(crate) fn written(&self, model: &str) -> Option<Arc<Dialect>> {
        let model = self.model.as_deref().unwrap_or(model);
        self.native.clone().or_else(|| prompting::by_name(model, self.policy.dialects()))
    }
}

impl Live {
    /// Prepares the settings.
    pub(crate) fn new(config: Config) -> Result<Self, ConfigError> {
        let (live, mut faults) = Self::checked(config);
        faults.keep(live.keys.check_exposure(&live.config));
        faults.first(live)
    }

    /// Prepares the valid settings, and returns the errors in the others.
    pub(crate) fn checked(config: Config) -> (Self, Faults) {
        let mut faults = Faults::default();
        let keys = Keys::new(&config, &mut faults);
        let tls = faults.keep(tls::incoming(&config)).flatten();
        let ready = |at| faults.keep(Server::new(&config, at).map(Arc::new));
        let servers: Vec<Option<Arc<Server>>> = (0..config.upstreams.len()).map(ready).collect();
        let routes = (0..config.routes.len()).filter_map(|at| route(&config, at, &servers, &mut faults)).collect();
        let secrets = {
            let clients = config.clients.iter().flat_map(ClientSettings::secrets);
            Secrets::new(keys.plain().chain(config.upstreams.iter().flat_map(Upstream::secrets)).chain(clients))
        };
        // Prepared without connecting to it.
        let store = config.server.store.url().map(|url| SharedStore::open(&url.0, &config).map(Arc::new)).transpose();
        let shared_store = faults.keep(store.map_err(|message| config.wrong("store", message))).flatten();
        let collector = Some(&config.server.otlp.0).filter(|url| !url.is_empty());
        let traces = collector.map(|url| Traces::open(url)).transpose();
        let traces = faults.keep(traces.map_err(|message| config.wrong("otlp", message))).flatten();
        let servers = servers.into_iter().flatten().collect();
        (Self { keys, secrets, servers, routes, tls, shared_store, traces, config }, faults)
    }

    /// Returns the route of a model, and the model's label in metrics.
    pub(crate) fn route(&self, model: &str) -> Option<(&Route, &str)> {
        self.routes.iter().find_map(|route| {
            let glob = route.settings.models.iter().find(|glob| detect::fits(glob, model))?;
            Some((route, glob.as_str()))
        })
    }
}

/// Prepares a route, if it is valid.
fn route(config: &Config, at: usize, servers: &[Option<Arc<Server>>], faults: &mut Faults) -> Option<Route> {
    let settings = &config.routes[at];
    let wrong = |key: &str, message: String| config.wrong(&format!("route[{at}].{key}"), message);
    let is_meant = |upstream: &Upstream| settings.upstream.is_empty() || upstream.name == settings.upstream;
    let place = config.upstreams.iter().position(is_meant).ok_or_else(|| {
        let names: Vec<&str> = config.upstreams.iter().map(|upstream| upstream.name.as_str()).collect();
        wrong("upstream", format!("unknown upstream `{}`; use one of {}", settings.upstream, names.join(", ")))
    });
    let server = faults.keep(place).and_then(|place| servers[place].as_ref());
    let is_off = settings.dialect.iter().any(|name| name == "off");
    if is_off && settings.dialect.len() > 1 {
        let message = "`off` cannot be combined with dialects; remove one or the other";
        faults.0.push(wrong("dialect", message.to_owned()));
    }
    let dialects = faults.keep(dialects(&settings.dialect).map_err(|message| wrong("dialect", message)))?;
    let native = prompting::first(settings, &dialects);
    let teach = prompting::chosen(settings, &dialects).map_err(|message| wrong("teach", message));
    let tools = settings.tools.as_deref().map(declared::of_file).transpose();
    let tools = faults.keep(tools.map_err(|message| wrong("tools", message)));
    let (teach, tools, server) = (faults.keep(teach)?, tools?, server?);
    let model = (!settings.model.is_empty()).then(|| settings.model.clone());
    let policy = Policy::default()
        .with_dialects(dialects)
        .with_options(options(config, settings))
        .with_reasoning_field(settings.reasoning_field.value)
        .with_upstream_model(model.clone())
        .with_enforce(settings.enforce.value)
        .with_forced(settings.force && !is_off)
        .with_off(is_off)
        .with_ids(settings.history_ids.value)
        .with_duplicates(settings.duplicates.value)
        .with_limits(
            WireLimits::default()
                .with_line(config.limits.line.0)
                .with_event(config.limits.event.0)
                .with_held(config.limits.held.0)
                .with_arguments(config.limits.arguments.0)
                .with_calls(config.limits.calls)
                .with_body(config.limits.answer.0.max(config.limits.body.0)),
        );
    let (settings, server) = (settings.clone(), Arc::clone(server));
    Some(Route { settings, server, policy, model, teach, native, tools, is_off })
}

fn options(config: &Config, route: &RouteSettings) -> Options {
    let limits = Limits::default()
        .with_held(config.limits.held.0)
        .with_arguments(config.limits.arguments.0)
        .with_depth(config.limits.depth)
        .with_calls(config.limits.calls);
    Options::default()
        .with_validation(route.validation.value)
        .with_untyped(route.untyped.value)
        .with_null_text(route.null_text.value)
        .with_evidence(route.evidence.value)
        .with_unknown_tool(route.unknown_tool.value)
        .with_frame(route.frame.value)
        .with_calls_in_reasoning(route.calls_in_reasoning.value)
        .with_repairs(route.repairs.value)
        .with_limits(limits)
}

/// Returns the dialects of names and files, in this order.
fn dialects(words: &[String]) -> Result<Dialects, String> {
    let (mut names, mut own) = (Vec::new(), Vec::new());
    for word in words {
        if is_file(word) {
            let dialect = dialect_file(Path::new(word))?;
            names.push(dialect.name().to_owned());
            own.push(dialect);
        } else if word != "off" {
            names.push(word.clone());
        }
    }
    // Each is added at the front, so that the first file comes first.
    let all = own.into_iter().rev().fold(Dialects::builtin(), |all, dialect| all.with(dialect));
    if names.is_empty() || names.iter().any(|name| name == "auto") {
        return Ok(all);
    }
    all.only(&names).map_err(|error| format!("{error}"))
}

/// Returns whether a dialect is a file rather than a name.
pub(crate) fn is_file(word: &str) -> bool {
    word.contains(['/', '\\']) || word.ends_with(".toml")
}

fn dialect_file(path: &Path) -> Result<Dialect, String> {
    let text = std::fs::read_to_string(path).map_err(|error| unreadable(path, &error))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let read = Dialect::from_toml(&name, &text).map_err(|error| error.with_file(&path.display().to_string()));
    read.map_err(|error| format!("invalid dialect\n{error}"))
}

/// The files of the inspector page: paths and contents, compressed if the path ends with `.gz`.
pub type PageFiles = &'static [(&'static str, &'static [u8])];

/// State that is kept when settings are reloaded.
pub(crate) struct Shared {
    pub(crate) live: ArcSwap<Live>,
    pub(crate) metrics: Metrics,
    pub(crate) log: Log,
    pub(crate) memory: Memory,
    pub(crate) usages: Arc<Usages>,
    pub(crate) in_flight: AtomicUsize,
    pub(crate) held: AtomicUsize,
    pub(crate) draining: AtomicBool,
    /// The files of the inspector page, if this build includes them.
    pub(crate) page: OnceLock<PageFiles>,
    openings: Mutex<Openings>,
    /// Evaluates chat templates, if this build can.
    pub(crate) read_template: OnceLock<ReadTemplate>,
    random: RandomState,
    drawn: AtomicU64,
}

/// The log message once it is known.
const OPENS: &str = "the prompt opens the reasoning; later answers start inside it";

impl Shared {
    pub(crate) fn new(live: Live) -> Self {
        Self {
            live: ArcSwap::from_pointee(live),
            metrics: Metrics::default(),
            log: Log::start(),
            memory: Memory::default(),
            usages: Arc::default(),
            in_flight: AtomicUsize::new(0),
            held: AtomicUsize::new(0),
            draining: AtomicBool::new(false),
            page: OnceLock::new(),
            openings: Mutex::default(),
            read_template: OnceLock::new(),
            random: RandomState::new(),
            drawn: AtomicU64::new(0),
        }
    }

    pub(crate) fn read_template(&self) -> Option<ReadTemplate> {
        self.read_template.get().copied()
    }

    pub(crate) fn page(&self) -> PageFiles {
        self.page.get().copied().unwrap_or_default()
    }

    /// Returns whether the prompts of a model seem to open the reasoning.
    pub(crate) fn opens_reasoning(&self, model: &str) -> bool {
        self.openings.lock().unwrap_or_else(PoisonError::into_inner).begins_inside(model)
    }

    /// Records that, by its template, a model's prompts open the reasoning.
    pub(crate) fn learn_reasoning(&self, model: &str) {
        if self.openings.lock().unwrap_or_else(PoisonError::into_inner).mark_open(model) {
            self.log_opening(model, OPENS);
        }
    }

    /// Records whether an answer began inside reasoning.
    pub(crate) fn learn_opening(&self, model: &str, inside: bool) {
        let learned = self.openings.lock().unwrap_or_else(PoisonError::into_inner).count(model, inside);
        match learned {
            Some(true) => self.log_opening(model, OPENS),
            Some(false) => {
                self.log_opening(model, "the prompt does not always open the reasoning; later answers start as text")
            }
            None => {}
        }
    }

    fn log_opening(&self, model: &str, message: &str) {
        let model = if looks_like_key(model) { "***" } else { model };
        self.event("info", message, &[("model", Value::from(model))]);
    }

    /// Logs an event.
    pub(crate) fn event(&self, level: &str, message: &str, details: &[(&str, Value)]) {
        self.log.event(self.live.load().config.server.log.value, level, message, details);
    }

    /// Returns a turn for an answer that begins now.
    pub(crate) fn turn(&self, exchange: &Exchange) -> Turn {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        exchange.turn(self.draw(), now.as_secs())
    }

    /// Returns a unique number, for ids but not for secrets.
    pub(crate) fn draw(&self) -> u64 {
        self.random.hash_one(self.drawn.fetch_add(1, Ordering::Relaxed))
    }
}
