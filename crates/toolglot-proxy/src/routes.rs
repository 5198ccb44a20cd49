//! The paths that the proxy handles; all others are forwarded.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use axum::routing::any;
use http::{Method, Request, StatusCode, Uri, header};
use toolglot_wire::Protocol;

use crate::error;
use crate::live::Shared;
use crate::ollama::Question;
use crate::{guard, inspector, passing, paths, turns};

/// The action for a path.
#[derive(Clone, Copy)]
enum RouteAction {
    Turn(Protocol),
    CountTokens,
    Models(Question),
    Answer,
    Alive,
    Ready,
    Metrics,
}

impl RouteAction {
    /// Returns whether it belongs to a protocol whose paths start with `/v1`.
    fn is_protocols(self) -> bool {
        matches!(self, Self::Turn(_) | Self::CountTokens | Self::Answer)
    }

    /// Returns whether it is public.
    fn is_open(self) -> bool {
        matches!(self, Self::Alive | Self::Ready)
    }
}

/// Method, path and action; paths of the protocols work with and without `/v1`, and in all variants that
/// [`paths::meant`] normalises.
const ROUTES: [(Method, &str, RouteAction); 17] = [
    (Method::POST, "/chat/completions", RouteAction::Turn(Protocol::Chat)),
    (Method::POST, "/completions", RouteAction::Turn(Protocol::Chat)),
    (Method::POST, "/responses", RouteAction::Turn(Protocol::Responses)),
    (Method::GET, "/responses/{id}", RouteAction::Answer),
    (Method::DELETE, "/responses/{id}", RouteAction::Answer),
    (Method::POST, "/messages", RouteAction::Turn(Protocol::Messages)),
    (Method::POST, "/messages/count_tokens", RouteAction::CountTokens),
    (Method::POST, "/api/chat", RouteAction::Turn(Protocol::Ollama)),
    (Method::POST, "/api/generate", RouteAction::Turn(Protocol::Ollama)),
    (Method::GET, "/api/tags", RouteAction::Models(Question::Tags)),
    (Method::GET, "/api/ps", RouteAction::Models(Question::Running)),
    (Method::POST, "/api/show", RouteAction::Models(Question::Show)),
    (Method::GET, "/api/version", RouteAction::Models(Question::Version)),
    (Method::GET, "/health", RouteAction::Alive),
    (Method::GET, "/livez", RouteAction::Alive),
    (Method::GET, "/readyz", RouteAction::Ready),
    (Method::GET, "/metrics", RouteAction::Metrics),
];

/// Returns the router.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    let mut router = Router::new();
    for path in ["/inspector", "/inspector/", "/inspector/{*file}"] {
        router = router.route(path, any(inspector));
    }
    let guard = middleware::from_fn_with_state(Arc::clone(shared), guarded);
    router.fallback(answer).layer(guard).with_state(Arc::clone(shared))
}

/// Returns the action for a path; `HEAD` is treated as `GET`.
fn found(method: &Method, path: &str) -> Option<RouteAction> {
    let method = if *method == Method::HEAD { &Method::GET } else { method };
    let short = path.strip_prefix("/v1").filter(|rest| rest.starts_with('/'));
    let is_at = |known: &str, place: RouteAction| {
        is_same(known, path) || place.is_protocols() && short.is_some_and(|short| is_same(known, short))
    };
    ROUTES.iter().find(|(known, path, place)| known == method && is_at(path, *place)).map(|(.., place)| *place)
}

/// Returns whether a path matches a pattern; `{id}` matches one segment.
fn is_same(known: &str, path: &str) -> bool {
    match known.strip_suffix("{id}") {
        Some(before) => path.strip_prefix(before).is_some_and(|id| !id.is_empty() && !id.contains('/')),
        None => known == path,
    }
}

/// Admits requests that may be answered; health checks are always admitted, since they reveal nothing.
pub(crate) async fn guarded(State(shared): State<Arc<Shared>>, request: Request<Body>, next: Next) -> Response {
    let live = shared.live.load_full();
    let (mut parts, body) = request.into_parts();
    let is_open = ROUTES.iter().any(|(_, path, place)| place.is_open() && *path == parts.uri.path());
    if let Some(response) = guard::preflight(&live, &parts) {
        return response;
    }
    let origin = parts.headers.get(header::ORIGIN).cloned();
    let mut response = match guard::check(&live, &parts) {
        Err(fault) if !is_open || fault.status == 405 => turns::refused_at_once(&shared, &mut parts, fault),
        _ => next.run(Request::from_parts(parts, body)).await,
    };
    guard::allow(&live, origin.as_ref(), response.headers_mut());
    response
}

async fn answer(State(shared): State<Arc<Shared>>, mut request: Request<Body>) -> Response {
    let (path, deployment) = paths::meant(request.uri().path());
    let place = found(request.method(), &path);
    if let Some(deployment) = deployment {
        request.extensions_mut().insert(deployment);
    }
    match place {
        Some(RouteAction::Turn(protocol)) => turns::answer(shared, protocol, request).await,
        Some(RouteAction::CountTokens) => passing::count_tokens(shared, with_version(request)).await,
        Some(RouteAction::Models(question)) => passing::ask_models(shared, question, request).await,
        Some(RouteAction::Answer) => passing::stored_answer(shared, with_version(request)).await,
        Some(RouteAction::Alive) => "ok\n".into_response(),
        Some(RouteAction::Ready) => ready(&shared).await,
        Some(RouteAction::Metrics) => metrics(&shared, &request),
        None => passing::pass(shared, with_version(request)).await,
    }
}

/// Serves the inspector if it is enabled; otherwise the path is forwarded.
async fn inspector(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    if !shared.live.load().config.server.inspector {
        return answer(State(shared), request).await;
    }
    if request.uri().path() == inspector::PREFIX.trim_end_matches('/') {
        return (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, inspector::PREFIX)], "").into_response();
    }
    inspector::answer(shared, request).await
}

/// Normalises known paths; other paths are forwarded unchanged.
fn with_version(mut request: Request<Body>) -> Request<Body> {
    let uri = request.uri();
    let (path, _) = paths::meant(uri.path());
    let is_known = found(request.method(), &path).is_some();
    let is_doubled = uri.path().starts_with("/v1/v1/");
    if !is_known && !is_doubled && !uri.path().starts_with("/anthropic/") {
        return request;
    }
    let version = if path.starts_with("/v1/") { "" } else { "/v1" };
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    if let Ok(uri) = format!("{version}{path}{query}").parse::<Uri>() {
        *request.uri_mut() = uri;
    }
    request
}

async fn ready(shared: &Shared) -> Response {
    if shared.draining.load(Ordering::Relaxed) {
        return (StatusCode::SERVICE_UNAVAILABLE, "shutting down\n").into_response();
    }
    let live = shared.live.load_full();
    for server in &live.servers {
        if server.is_reachable().await {
            return "ready\n".into_response();
        }
    }
    (StatusCode::SERVICE_UNAVAILABLE, "no model server is reachable\n").into_response()
}

fn metrics(shared: &Shared, request: &Request<Body>) -> Response {
    if let Err(fault) = shared.live.load().keys.check_free(request.headers()) {
        return error::response(&fault, Protocol::Chat);
    }
    let in_flight = shared.in_flight.load(Ordering::Relaxed);
    let text = shared.metrics.text(in_flight, shared.held.load(Ordering::Relaxed));
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response()
}
