//! Every path the proxy knows; all others are passed through.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::Router;
use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::{HeaderValue, Request, StatusCode, Uri, header};
use toolglot_wire::Protocol;

use crate::error;
use crate::live::Shared;
use crate::{passing, turns};

/// What is done at a path.
#[derive(Clone, Copy)]
enum Place {
    Turn(Protocol),
    CountTokens,
    Alive,
    Ready,
    Metrics,
}

/// Method, path, what is done; paths of the protocols are known below every prefix.
const ROUTES: [(MethodFilter, &str, Place); 8] = [
    (MethodFilter::POST, "/chat/completions", Place::Turn(Protocol::Chat)),
    (MethodFilter::POST, "/responses", Place::Turn(Protocol::Responses)),
    (MethodFilter::POST, "/messages", Place::Turn(Protocol::Messages)),
    (MethodFilter::POST, "/messages/count_tokens", Place::CountTokens),
    (MethodFilter::GET, "/health", Place::Alive),
    (MethodFilter::GET, "/livez", Place::Alive),
    (MethodFilter::GET, "/readyz", Place::Ready),
    (MethodFilter::GET, "/metrics", Place::Metrics),
];

/// What clients write before the paths of the protocols.
const PREFIXES: [&str; 4] = ["/v1", "", "/anthropic/v1", "/anthropic"];

/// Returns the table as a router.
pub(crate) fn router(shared: &Arc<Shared>) -> Router {
    let mut router = Router::new();
    for (method, path, place) in ROUTES {
        let is_protocol = matches!(place, Place::Turn(_) | Place::CountTokens);
        for prefix in PREFIXES.iter().filter(|prefix| is_protocol || prefix.is_empty()) {
            router = router.route(&format!("{prefix}{path}"), at(method, place));
        }
    }
    router.fallback(pass).with_state(Arc::clone(shared))
}

fn at(method: MethodFilter, place: Place) -> MethodRouter<Arc<Shared>> {
    let answer = move |State(shared): State<Arc<Shared>>, request: Request<Body>| async move {
        match place {
            Place::Turn(protocol) => turns::answer(shared, protocol, request).await,
            Place::CountTokens => passing::count_tokens(shared, with_version(request)).await,
            Place::Alive => plain(StatusCode::OK, "ok\n".to_owned()),
            Place::Ready => ready(&shared),
            Place::Metrics => metrics(&shared, &request),
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

fn ready(shared: &Shared) -> Response {
    if shared.draining.load(Ordering::Relaxed) {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "shutting down\n".to_owned());
    }
    plain(StatusCode::OK, "ready\n".to_owned())
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
