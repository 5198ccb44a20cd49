//! The inspector page on a local port, for `toolglot inspect`.

use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::middleware;
use http::Request;
use toolglot_json::Value;

use crate::config::Sources;
use crate::inspector::page;
use crate::lifecycle::{Proxy, ServeError, run_with};
use crate::live::{PageFiles, Shared};
use crate::routes::guarded;

/// Serves the inspector page on a local port until a signal stops it. `session` is its initial state; `greet` is called
/// with its URL.
///
/// # Errors
/// On an I/O error.
pub fn show(files: PageFiles, session: &Value, port: u16, greet: impl FnOnce(&str)) -> Result<(), ServeError> {
    let flag = |name: &str, value: String| (name.to_owned(), value, "`inspect`".to_owned());
    let listen = flag("listen", format!("127.0.0.1:{port}"));
    let flags = vec![flag("demo", "true".to_owned()), listen, flag("log", "off".to_owned())];
    let sources = Sources { flags, ..Sources::default() };
    let prepare = |proxy: Proxy| {
        let router = alone(&proxy.shared, files, session.to_string());
        proxy.with_router(router)
    };
    run_with(&sources, prepare, |_, listener| greet(&format!("http://{}/", listener.place())))
}

/// Returns a router for the page alone.
pub(crate) fn alone(shared: &Arc<Shared>, files: PageFiles, session: String) -> Router {
    let guard = middleware::from_fn_with_state(Arc::clone(shared), guarded);
    let answer = move |request: Request<Body>| {
        ready(page(files, request.method(), request.uri().path().trim_start_matches('/'), session.clone()))
    };
    Router::new().fallback(answer).layer(guard)
}
