//! The inspector page, which shows how a text was read, and captured exchanges.
//!
//! The files contain no secrets and require no key. Captures require a key if the proxy does.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderName, Method, Request, StatusCode, header};
use toolglot::{Class, Dialects, Options, Tools, parse};
use toolglot_json::{Value, json};
use toolglot_wire::{Protocol, Transcript};

use crate::capture::{Capture, captures};
use crate::error::{self, ProxyError};
use crate::live::{Live, PageFiles, Shared};
use crate::replay::replay;

#[cfg(test)]
mod tests;

/// The path of the page.
pub(crate) const PREFIX: &str = "/inspector/";

/// The page may only use its own files, and send requests only to this proxy.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Headers of every answer.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::CACHE_CONTROL, "no-store"),
];

/// Content types by file extension.
const KINDS: [(&str, &str); 6] = [
    (".html", "text/html; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".json", "application/json"),
    (".svg", "image/svg+xml"),
    (".wasm", "application/wasm"),
];

/// Maximum number of listed captures.
const LISTED: usize = 500;

/// Maximum size of captures whose repairs are counted in the list.
const SEARCHED: u64 = 1 << 20;

/// Answers requests below [`PREFIX`].
pub(crate) async fn answer(shared: Arc<Shared>, request: Request<Body>) -> Response {
    let live = shared.live.load_full();
    let path = request.uri().path().strip_prefix(PREFIX).unwrap_or_default().to_owned();
    let Some(place) = path.strip_prefix("captures") else {
        let session = json!({"captures": true, "version": env!("CARGO_PKG_VERSION")});
        return page(shared.page(), request.method(), &path, session.to_string());
    };
    if let Err(fault) = live.keys.check_free(request.headers()) {
        return error::response(&fault, Protocol::Chat);
    }
    let (place, method) = (place.trim_matches('/').to_owned(), request.method().clone());
    // Reading files and parsing answers must not block the runtime.
    let found = tokio::task::spawn_blocking(move || captured(&live, &method, &place)).await;
    match found.unwrap_or_else(|error| Err(error.to_string())) {
        Ok(Some(value)) => body("captures.json", value.to_string().into_bytes()),
        Ok(None) => plain(StatusCode::NOT_FOUND),
        Err(message) => error::response(&ProxyError::CAPTURES.because(message), Protocol::Chat),
    }
}

/// Returns the list of captures, one of them, or its replay; nothing if it does not exist.
fn captured(live: &Live, method: &Method, place: &str) -> Result<Option<Value>, String> {
    let folder = live.config.captures();
    let files = captures(folder).or_else(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Ok(Vec::new()),
        _ => Err(format!("cannot read `{}`: {error}", folder.display())),
    })?;
    let name_of = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if place.is_empty() {
        let listed = files.iter().rev().take(LISTED).map(|(path, size)| row(&name_of(path), path, *size));
        return Ok(is_read(method).then(|| listed.collect()));
    }
    let (name, again) = place.strip_suffix("/replay").map_or((place, false), |name| (name, true));
    // Only listed files are read, so no path leads out of the folder.
    let Some((path, _)) = files.iter().find(|(path, _)| name_of(path) == name) else { return Ok(None) };
    if !again {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        return Ok(serde_json::from_str(&text).ok().filter(|_| is_read(method)));
    }
    if *method != Method::POST {
        return Ok(None);
    }
    let capture = Capture::read(path).map_err(|error| error.to_string())?;
    let now = replay(&capture, live.config.clone())?;
    Ok(Some(json!({"before": capture.told, "after": String::from_utf8_lossy(&now)})))
}

/// A row of the list; only the name if the capture cannot be read.
fn row(name: &str, path: &Path, size: u64) -> Value {
    let Ok(capture) = Capture::read(path) else { return json!({"name": name}) };
    let repairs = if size <= SEARCHED { repairs(&capture) } else { 0 };
    json!({"name": name, "time": capture.time, "model": capture.model, "miss": capture.miss, "repairs": repairs})
}

/// Returns the number of repairs in an answer's text.
fn repairs(capture: &Capture) -> usize {
    let tools = capture.request.get("tools").and_then(|tools| Tools::from_json(&tools.into()).ok()).unwrap_or_default();
    let saved = Transcript::read(capture.answer.as_bytes());
    let answers = saved.into_iter().flat_map(|saved| saved.alternatives);
    answers
        .map(|answer| parse(&answer.text, &Dialects::builtin(), &tools, &Options::default()))
        .flat_map(|message| message.diagnostics)
        .filter(|found| matches!(found.code.row().class, Class::Repair(_)))
        .count()
}

/// Returns a file of the page, or the page's initial state.
pub(crate) fn page(files: PageFiles, method: &Method, path: &str, session: String) -> Response {
    match path {
        _ if !is_read(method) => plain(StatusCode::METHOD_NOT_ALLOWED),
        "session.json" => body(path, session),
        _ => file(files, path),
    }
}

fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Returns a file of the page; the empty path is its index.
fn file(files: PageFiles, path: &str) -> Response {
    let path = if path.is_empty() { "index.html" } else { path };
    let named = |wanted: &str| files.iter().find(|(name, _)| *name == wanted).map(|(_, bytes)| *bytes);
    if let Some(bytes) = named(path) {
        return body(path, Bytes::from_static(bytes));
    }
    let Some(packed) = named(&format!("{path}.gz")) else { return plain(StatusCode::NOT_FOUND) };
    ([(header::CONTENT_ENCODING, "gzip")], body(path, Bytes::from_static(packed))).into_response()
}

fn body(path: &str, bytes: impl Into<Bytes>) -> Response {
    let kind =
        KINDS.iter().find(|(ending, _)| path.ends_with(ending)).map_or("application/octet-stream", |kind| kind.1);
    ([(header::CONTENT_TYPE, kind)], HEADERS, bytes.into()).into_response()
}

fn plain(status: StatusCode) -> Response {
    (status, body("", Bytes::new())).into_response()
}
