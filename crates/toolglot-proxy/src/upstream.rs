//! Model servers: their URLs, connections and retries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use http::uri::{Authority, PathAndQuery, Scheme};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, Uri, header};
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use tokio::sync::OnceCell;
use toolglot_wire::{EngineKind, Fault, Protocol};

use crate::bodies::in_time;
use crate::config::setting::Url;
use crate::config::{Config, ConfigError, Timeouts, Upstream};
use crate::demo::Demo;
use crate::engine::Engine;
use crate::error::ProxyError;
use crate::template::Learned;
use crate::{headers, tls};

/// A model server.
pub(crate) struct Server {
    pub(crate) name: String,
    /// How messages name it: by its URL, and by its name if there are others.
    shown: String,
    /// Its protocol, once that is known.
    protocol: OnceLock<Protocol>,
    /// Whether it also supports Ollama's API, once an Ollama client has sent a request.
    is_ollama: OnceLock<bool>,
    pub(crate) engine: Engine,
    pub(crate) key: Option<String>,
    base: Base,
    headers: Vec<(HeaderName, HeaderValue)>,
    pub(crate) retries: usize,
    first_byte: Option<Duration>,
    backend: Backend,
    /// When it was last reached; none if the last attempt failed.
    reached: Mutex<Option<Instant>>,
    /// Its rejections of requests for these models, which are then sent in another form.
    refused: ByModel<Vec<Fault>>,
    /// Models for which it does not accept tools, prefills, schemas or grammars.
    pub(crate) without_tools: ByModel,
    pub(crate) without_prefill: ByModel,
    pub(crate) without_schema: ByModel,
    pub(crate) without_grammar: ByModel,
    /// Models whose prompts open the reasoning by their chat template; their answers may show otherwise.
    pub(crate) with_template: ByModel,
    /// The facts about its chat template, once fetched.
    pub(crate) template: OnceCell<Option<Arc<Learned>>>,
}

/// Values by model, kept until the settings are reloaded; a set of models without them.
#[derive(Default)]
pub(crate) struct ByModel<V = ()>(Mutex<HashMap<String, V>>);

impl<V: Clone + Default> ByModel<V> {
    fn get(&self, model: &str) -> Option<V> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(model).cloned()
    }

    /// Changes the value of a model; returns whether the model is new.
    fn change(&self, model: &str, change: impl FnOnce(&mut V)) -> bool {
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !values.contains_key(model);
        if is_new && values.len() >= MAX_MODELS {
            values.clear();
        }
        change(values.entry(model.to_owned()).or_default());
        is_new
    }
}

impl ByModel {
    pub(crate) fn has(&self, model: &str) -> bool {
        self.get(model).is_some()
    }

    /// Adds a model; returns whether it is new.
    pub(crate) fn remember(&self, model: &str) -> bool {
        self.change(model, |()| ())
    }
}

/// Maximum number of stored rejections per model.
const MAX_REJECTIONS: usize = 8;

/// Maximum number of stored models; beyond it, all are forgotten.
const MAX_MODELS: usize = 1024;

/// The connection to a server.
enum Backend {
    Net(Box<Client<HttpsConnector<HttpConnector>, Body>>),
    Demo(Demo),
}

/// Timeout of a readiness check, and how long its result is valid. A connection that is closed this soon was idle for too
/// long: the server closed it before it saw the request.
const CHECK_TIME: Duration = Duration::from_secs(1);

/// The longest `retry-after` that the proxy waits for. Clients give up after a minute, so they decide about longer waits
/// and get the server's answer.
const PATIENCE: Duration = Duration::from_secs(10);

impl Server {
    /// Creates a server from its settings.
    pub(crate) fn new(config: &Config, at: usize) -> Result<Self, ConfigError> {
        let settings = &config.upstreams[at];
        let name = |key: &str| format!("upstream[{at}].{key}");
        let wrong = |key: &str, message: String| config.wrong(&name(key), message);
        let pair = |(header, value): &(String, crate::config::setting::Secret)| {
            let value = HeaderValue::from_str(value.get().unwrap_or_default()).ok();
            let pair = header.parse().ok().zip(value);
            pair.ok_or_else(|| wrong("headers", format!("`{header}` or its value is not a valid header; correct it")))
        };
        let headers = settings.headers.0.iter().map(pair).collect::<Result<_, _>>()?;
        let is_demo = config.server.demo;
        let url = if is_demo { Url("http://demo".to_owned()) } else { settings.url.clone() };
        let base = Base::parse(&url).map_err(|message| wrong("url", message))?;
        let backend = if is_demo {
            Backend::Demo(Demo::new(config))
        } else {
            let client = client(settings, &config.timeouts, base.is_https()).map_err(|message| wrong("ca", message))?;
            Backend::Net(Box::new(client))
        };
        let url = settings.url.shown();
        let shown = match config.upstreams.len() {
            0 | 1 => format!("the model server `{url}`"),
            _ => format!("the model server `{}` (`{url}`)", settings.name),
        };
        Ok(Self {
            name: settings.name.clone(),
            shown,
            protocol: settings.protocol.value.map(OnceLock::from).unwrap_or_default(),
            is_ollama: settings.protocol.value.map(|it| (it == Protocol::Ollama).into()).unwrap_or_default(),
            engine: Engine::new(if is_demo { Some(EngineKind::Generic) } else { settings.engine.value }),
            key: settings.key.get().map(str::to_owned),
            base,
            headers,
            retries: settings.retries,
            first_byte: config.timeouts.first_byte.on(),
            backend,
            reached: Mutex::default(),
            refused: ByModel::default(),
            without_tools: ByModel::default(),
            without_prefill: ByModel::default(),
            without_schema: ByModel::default(),
            without_grammar: ByModel::default(),
            with_template: ByModel::default(),
            template: OnceCell::new(),
        })
    }

    /// Returns the stored rejections for a model.
    pub(crate) fn refusals(&self, model: &str) -> Vec<Fault> {
        self.refused.get(model).unwrap_or_default()
    }

    /// Stores rejections that were worked around, until the settings are reloaded.
    pub(crate) fn remember_refusals(&self, model: &str, faults: Vec<Fault>) {
        if !faults.is_empty() {
            self.refused.change(model, |known| {
                known.extend(faults);
                // The newest are kept.
                known.drain(..known.len().saturating_sub(MAX_REJECTIONS));
            });
        }
    }

    /// Returns its protocol, or the assumed one.
    pub(crate) fn protocol(&self) -> Protocol {
        self.protocol.get().copied().unwrap_or(Protocol::Chat)
    }

    /// Returns its possible protocols, most likely first; the client's protocol needs the least conversion.
    pub(crate) fn protocols(&self, ingress: Protocol) -> Vec<Protocol> {
        let is_native = ingress == Protocol::Ollama && self.is_ollama.get().copied().unwrap_or(true);
        // Most servers with Ollama's API are Ollama, which also supports the others, but not with all its options.
        let native = Some(Protocol::Ollama).filter(|_| is_native);
        match self.protocol.get() {
            Some(known) => native.into_iter().chain([*known]).collect(),
            None => {
                let own = Some(ingress).filter(|_| !matches!(ingress, Protocol::Chat | Protocol::Ollama));
                let others = [Protocol::Messages, Protocol::Responses, Protocol::Ollama].into_iter();
                let others = others.filter(|protocol| *protocol != ingress);
                native.into_iter().chain([Protocol::Chat]).chain(own).chain(others).collect()
            }
        }
    }

    /// Stores its protocol if the answer shows it, until the settings are reloaded.
    pub(crate) fn note_protocol(&self, ingress: Protocol, protocol: Protocol, status: StatusCode) {
        let is_native = protocol == Protocol::Ollama;
        // A server that rejects what a request asks for has understood its form.
        if status.is_success() || matches!(status.as_u16(), 400 | 422) {
            let _ = if ingress == Protocol::Ollama { self.is_ollama.set(is_native) } else { Ok(()) };
            let _ = if ingress == Protocol::Ollama && is_native { Ok(()) } else { self.protocol.set(protocol) };
        }
    }

    /// Returns the URL for requests of a protocol.
    pub(crate) fn turn_uri(&self, protocol: Protocol, query: Option<&str>) -> Result<Uri, Fault> {
        match protocol {
            Protocol::Ollama => self.base.join(&format!("{}{}", self.base.root, protocol.path()), query),
            _ => self.versioned(protocol.path(), query),
        }
    }

    /// Returns the URL of a path below `/v1`.
    pub(crate) fn versioned(&self, path: &str, query: Option<&str>) -> Result<Uri, Fault> {
        self.base.join(&format!("{}{path}", self.base.version), query)
    }

    /// Returns the URL for a client's path; `/v1` is replaced by the path of the server's URL.
    pub(crate) fn same_path(&self, uri: &Uri) -> Result<Uri, Fault> {
        match uri.path().strip_prefix("/v1") {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => self.versioned(rest, uri.query()),
            _ => self.base.join(&format!("{}{}", self.base.root, uri.path()), uri.query()),
        }
    }

    pub(crate) fn is_https(&self) -> bool {
        self.base.is_https()
    }

    /// Sends a request once.
    pub(crate) async fn send(
        &self,
        method: Method,
        uri: Uri,
        mut headers: HeaderMap,
        body: Body,
    ) -> Result<Response, Fault> {
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        let answer = async {
            match &self.backend {
                Backend::Demo(demo) => Ok(demo.answer(request).await),
                Backend::Net(client) => client.request(request).await.map(|answer| answer.map(Body::new)),
            }
        };
        // The time includes connecting: from outside, a server that does not accept is as slow as one that does not answer.
        let answer = in_time(self.first_byte, answer).await.map_err(|time| self.too_late(time))?;
        let is_reached = !answer.as_ref().is_err_and(legacy::Error::is_connect);
        *self.reached.lock().unwrap_or_else(PoisonError::into_inner) = is_reached.then(Instant::now);
        answer.map_err(|error| self.unreachable(&error))
    }

    /// Returns whether it is reachable; sends a request unless the last one has just reached it.
    pub(crate) async fn is_reachable(&self) -> bool {
        let reached = || *self.reached.lock().unwrap_or_else(PoisonError::into_inner);
        if reached().is_none_or(|at| at.elapsed() >= CHECK_TIME)
            && let Ok(uri) = self.versioned("/models", None)
        {
            let asked = self.send(Method::GET, uri, HeaderMap::new(), Body::empty());
            let _ = tokio::time::timeout(CHECK_TIME, asked).await;
        }
        reached().is_some()
    }

    fn too_late(&self, time: Duration) -> Fault {
        ProxyError::FIRST_BYTE.because(format!(
            "{} did not answer within {time:?}; if it is only slow, raise `timeouts.first_byte`",
            self.shown
        ))
    }

    fn unreachable(&self, error: &legacy::Error) -> Fault {
        let mut reason = error.to_string();
        let mut source = std::error::Error::source(error);
        while let Some(inner) = source {
            reason = inner.to_string();
            source = inner.source();
        }
        let (shown, reason) = (&self.shown, reason.split(" (os error").next().unwrap_or_default());
        if error.is_connect() {
            let certificate = reason.contains("certificate");
            let advice =
                if certificate { "set the upstream's `ca` to the authority that signed it" } else { "is it running?" };
            let message = format!("cannot reach {shown}: {reason}; {advice}");
            return ProxyError::UNREACHABLE.because(message);
        }
        ProxyError::CUT.because(format!("{shown} closed the connection before it answered: {reason}"))
    }
}

/// Returns how long to wait before a retry, if a retry may help.
pub(crate) fn pause(answer: &Result<Response, Fault>, after: Duration, tried: usize) -> Option<Duration> {
    // Doubled each time up to a minute, so that many proxies do not keep a server down that is starting.
    let usual = Duration::from_millis(250) * 2_u32.saturating_pow(u32::try_from(tried).unwrap_or(u32::MAX).min(8));
    match answer {
        // The server saw nothing of the request.
        Err(fault) if ProxyError::UNREACHABLE.is(fault) => Some(usual),
        Err(fault) => (ProxyError::CUT.is(fault) && after < CHECK_TIME).then_some(Duration::ZERO),
        Ok(answer) => {
            let is_transient = matches!(
                answer.status(),
                StatusCode::TOO_MANY_REQUESTS
                    | StatusCode::BAD_GATEWAY
                    | StatusCode::SERVICE_UNAVAILABLE
                    | StatusCode::GATEWAY_TIMEOUT
            );
            let number = |name: &str| answer.headers().get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
            let requested =
                number("retry-after-ms").or_else(|| number(header::RETRY_AFTER.as_str())?.checked_mul(1000));
            let time = requested.map_or(usual, Duration::from_millis);
            (is_transient && time <= PATIENCE).then_some(time)
        }
    }
}

fn client(
    settings: &Upstream,
    timeouts: &Timeouts,
    https: bool,
) -> Result<Client<HttpsConnector<HttpConnector>, Body>, String> {
    let mut http = HttpConnector::new();
    // TLS is added on top, so the scheme may also be `https`.
    http.enforce_http(false);
    http.set_nodelay(true);
    // Firewalls drop idle connections silently, and a connection is idle while the server reads a long prompt.
    http.set_keepalive(Some(Duration::from_secs(60)));
    http.set_connect_timeout(timeouts.connect.on());
    let tls = tls::outgoing(https, settings.ca.as_deref())?;
    let https = hyper_rustls::HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http();
    let connector = https.enable_http1().enable_http2().wrap_connector(http);
    let mut client = Client::builder(TokioExecutor::new());
    // A large buffer would let a fast server run far ahead of a slow client.
    client.pool_timer(TokioTimer::new()).timer(TokioTimer::new()).http1_max_buf_size(64 << 10);
    Ok(client.build(connector))
}

/// The parts of a server's URL.
struct Base {
    scheme: Scheme,
    authority: Authority,
    /// The base paths of other paths, and of those below `/v1`: the URL's path, if it has one.
    root: String,
    version: String,
}

impl Base {
    fn parse(url: &Url) -> Result<Self, String> {
        let wrong = || format!("`{}` is not a server URL; use one such as `http://localhost:8000`", url.shown());
        let uri: Uri = url.0.trim().parse().map_err(|_| wrong())?;
        let parts = uri.into_parts();
        let scheme = parts.scheme.filter(|scheme| *scheme == Scheme::HTTP || *scheme == Scheme::HTTPS);
        let (scheme, authority) = scheme.zip(parts.authority).ok_or_else(wrong)?;
        if authority.as_str().contains('@') {
            let message = "the URL must not contain a user name; use `headers = { authorization = \"Basic ...\" }`";
            return Err(message.to_owned());
        }
        let path = parts.path_and_query.as_ref().map_or("", PathAndQuery::path).trim_end_matches('/');
        let (before, last) = path.rsplit_once('/').unwrap_or(("", ""));
        let is_version = last.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let root = if is_version { before } else { path }.to_owned();
        let version = if path.is_empty() { "/v1" } else { path }.to_owned();
        Ok(Self { scheme, authority, root, version })
    }

    fn is_https(&self) -> bool {
        self.scheme == Scheme::HTTPS
    }

    fn join(&self, path: &str, query: Option<&str>) -> Result<Uri, Fault> {
        let path = query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"));
        let builder = Uri::builder().scheme(self.scheme.clone()).authority(self.authority.clone());
        let uri = builder.path_and_query(if path.is_empty() { "/" } else { path.as_str() }).build();
        uri.map_err(|error| Fault::new(toolglot_wire::FaultKind::Request, format!("invalid path: {error}")))
    }
}

/// Returns the headers of a request to a server on behalf of a client.
pub(crate) fn turn_headers(key: Option<&str>, protocol: Protocol, client: &HeaderMap, keep_key: bool) -> HeaderMap {
    let mut sent = client.clone();
    headers::for_turn(&mut sent);
    headers::exchange_key(&mut sent, key, keep_key, Some(protocol));
    if protocol == Protocol::Messages && !sent.contains_key("anthropic-version") {
        sent.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    sent
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(url: &str, path: &str) -> String {
        let base = Base::parse(&Url(url.to_owned())).unwrap();
        let rest = path.strip_prefix("/v1");
        let path = rest.map_or_else(|| format!("{}{path}", base.root), |rest| format!("{}{rest}", base.version));
        base.join(&path, None).unwrap().to_string()
    }

    #[test]
    fn urls_are_taken_with_and_without_version() {
        for url in ["http://h:8000", "http://h:8000/", "http://h:8000/v1", "http://h:8000/v1/"] {
            assert_eq!(joined(url, "/v1/models"), "http://h:8000/v1/models");
            assert_eq!(joined(url, "/tokenize"), "http://h:8000/tokenize");
        }
        assert_eq!(joined("https://h/api/paas/v4", "/v1/models"), "https://h/api/paas/v4/models");
        for path in ["/api/openai", "/v1beta/openai", "/v1/openai"] {
            assert_eq!(joined(&format!("https://h{path}"), "/v1/models"), format!("https://h{path}/models"));
        }
        assert_eq!(joined("https://h/a/v1/", "/tokenize"), "https://h/a/tokenize");
        assert_eq!(joined("https://h/a/", "/tokenize"), "https://h/a/tokenize");
        for url in ["", "localhost:8000", "ftp://h", "/v1"] {
            assert!(
                Base::parse(&Url(url.to_owned())).is_err_and(|error| error.contains("http://localhost:8000")),
                "{url}"
            );
        }
    }
}
