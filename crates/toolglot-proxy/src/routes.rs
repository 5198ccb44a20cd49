//! Every path the proxy knows; all others are passed through.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::{HeaderValue, Request, StatusCode, Uri, header};
use toolglot_wire::Protocol;

use crate::error;
use crate::live::Shared;
use crate::{guard, passing, turns};

/// What is done at a path.
#[derive(Clone, Copy)]
enum RouteAction {
    Turn(Protocol),
    CountTokens,
    Alive,
    Ready,
    Metrics,
}

impl RouteAction {
    /// Says whether anybody may look.
    fn is_open(self) -> bool {
        matches!(self, Self::Alive | Self::Ready)
    }
}

/// Method, path, what is done; paths of the protocols are known below every prefix.
const ROUTES: [(MethodFilter, &str, RouteAction); 8] = [
    (MethodFilter::POST, "/chat/completions", RouteAction::Turn(Protocol::Chat)),
    (MethodFilter::POST, "/responses", RouteAction::Turn(Protocol::Responses)),
    (MethodFilter::POST, "/messages", RouteAction::Turn(Protocol::Messages)),
    (MethodFilter::POST, "/messages/count_tokens", RouteAction::CountTokens),
    (MethodFilter::GET, "/health", RouteAction::Alive),
    (MethodFilter::GET, "/livez", RouteAction::Alive),
    (MethodFilter::GET, "/readyz", RouteAction::Ready),
    (MethodFilter::GET, "/metrics", RouteAction::Metrics),
];

/// What clients write before the paths of the protocols.
const PREFIXES: [&str; 4] = ["/v1", "", "/anthropic/v1", "/anthropic"];

/// Returns the table as a router.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    let mut router = Router::new();
    for (method, path, place) in ROUTES {
        let is_protocol = matches!(place, RouteAction::Turn(_) | RouteAction::CountTokens);
        for prefix in PREFIXES.iter().filter(|prefix| is_protocol || prefix.is_empty()) {
            router = router.route(&format!("{prefix}{path}"), at(method, place));
        }
    }
    let guard = middleware::from_fn_with_state(Arc::clone(shared), guarded);
    router.fallback(pass).layer(guard).with_state(Arc::clone(shared))
}

/// Lets requests in that may be answered. Those that ask whether the proxy is alive tell nobody anything.
async fn guarded(State(shared): State<Arc<Shared>>, request: Request<Body>, next: Next) -> Response {
    let live = shared.live.load_full();
    let (parts, body) = request.into_parts();
    let is_open = ROUTES.iter().any(|(_, path, place)| place.is_open() && *path == parts.uri.path());
    if let Some(response) = guard::preflight(&live, &parts) {
        return response;
    }
    let origin = parts.headers.get(header::ORIGIN).cloned();
    let mut response = match guard::check(&live, &parts) {
        Err(fault) if !is_open || fault.status == 405 => turns::refused_at_once(&shared, &parts, fault),
        _ => next.run(Request::from_parts(parts, body)).await,
    };
    guard::allow(&live, origin.as_ref(), response.headers_mut());
    response
}

fn at(method: MethodFilter, place: RouteAction) -> MethodRouter<Arc<Shared>> {
    let answer = move |State(shared): State<Arc<Shared>>, request: Request<Body>| async move {
        match place {
            RouteAction::Turn(protocol) => turns::answer(shared, protocol, request).await,
            RouteAction::CountTokens => passing::count_tokens(shared, with_version(request)).await,
            RouteAction::Alive => plain(StatusCode::OK, "ok\n".to_owned()),
            RouteAction::Ready => ready(&shared).await,
            RouteAction::Metrics => metrics(&shared, &request),
        }
    };
    on(method, answer).fallback(pass)
}

async fn pass(State(shared): State<Arc<Shared>>, request: Request<Body>) -> Response {
    passing::pass(shared, with_version(request)).await
}

/// Takes the prefix away that only some clients write.
fn with_version(mut request: Request<Body>) -> Request<Body> {
    let uri = request.uri();
    let bare = uri.path_and_query().and_then(|path| path.as_str().strip_prefix("/anthropic"));
    let bare = bare.filter(|path| path.starts_with('/')).map(|path| match path.starts_with("/v1/") {
        true => path.to_owned(),
        false => format!("/v1{path}"),
    });
    // `/messages/count_tokens` alone means the same, too.
    let short = uri.path().starts_with("/messages/").then(|| format!("/v1{uri}"));
    if let Some(uri) = bare.or(short).and_then(|path| path.parse::<Uri>().ok()) {
        *request.uri_mut() = uri;
    }
    request
}

async fn ready(shared: &Shared) -> Response {
    if shared.draining.load(Ordering::Relaxed) {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n".to_owned());
    }
    let live = shared.live.load_full();
    for server in &live.servers {
        if server.is_reachable().await {
            return plain(StatusCode::OK, "ready\n".to_owned());
        }
    }
    plain(StatusCode::SERVICE_UNAVAILABLE, "no model server can be reached\n".to_owned())
}

fn metrics(shared: &Shared, request: &Request<Body>) -> Response {
    if let Err(fault) = shared.live.load().keys.check(request.headers()) {
        return error::response(&fault, Protocol::Chat);
    }
    let in_flight = shared.in_flight.load(Ordering::Relaxed);
    let text = shared.metrics.text(in_flight, shared.held.load(Ordering::Relaxed));
    let mut response = plain(StatusCode::OK, text);
    let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn plain(status: StatusCode, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response
}
