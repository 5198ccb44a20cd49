//! Requests that the proxy has no part in: any other path and method, byte for byte; and counting tokens.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, header};
use serde_json::{Value, json};
use toolglot_wire::{Fault, FaultKind, Protocol};

use crate::headers;
use crate::live::{Live, Shared};
use crate::record::Record;
use crate::turns::{collect, failed, model_of, read_body, relayed, with_model};
use crate::upstream::Server;

/// What metrics and logs call these requests.
const INGRESS: &str = "other";

/// Passes a request on and its answer back.
pub(crate) async fn pass(shared: Arc<Shared>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let live = shared.live.load_full();
    let shape = if parts.uri.path().contains("/messages") { Protocol::Messages } else { Protocol::Chat };
    let (mut record, refused) = match Record::begin(&shared, INGRESS, &parts) {
        Ok(record) => (record, None),
        Err((record, fault)) => (*record, Some(fault)),
    };
    let id = record.id.clone();
    let refused = refused.map_or_else(|| live.keys.check(&parts.headers), Err);
    let sent = match refused {
        Ok(()) => forward(&live, &mut record, &parts, body).await,
        Err(fault) => Err(fault),
    };
    let mut response = match sent {
        Ok(answer) => {
            record.status = answer.status().as_u16();
            relayed(&shared, &live, record, answer)
        }
        Err(fault) => failed(record, shape, &fault),
    };
    response.headers_mut().insert(headers::REQUEST_ID, id);
    response
}

async fn forward(
    live: &Live,
    record: &mut Record,
    parts: &http::request::Parts,
    body: Body,
) -> Result<Response, Fault> {
    let mut sent = parts.headers.clone();
    // With one server and no other names there is nothing to look for in the body, and it need not be held.
    let (server, body) = if live.servers.len() == 1 && live.routes.iter().all(|route| route.model.is_none()) {
        (live.servers.first().cloned(), body)
    } else {
        let (server, body) = routed(live, record, parts, body).await?;
        sent.remove(header::CONTENT_LENGTH);
        (server, Body::from(body))
    };
    let none = || Fault::new(FaultKind::NotFound, "no model server is known");
    let server = server.ok_or_else(none)?;
    server.name.clone_into(&mut record.upstream);
    headers::for_upstream(&mut sent);
    headers::exchange_key(&mut sent, server.key.as_deref(), live.keys.is_empty(), Some(server.protocol));
    sent.insert(headers::REQUEST_ID, record.id.clone());
    let uri = server.same_path(&parts.uri)?;
    if parts.method == Method::GET && parts.uri.path() == "/v1/models" && live.servers.len() > 1 {
        return Ok(models(live, &sent).await);
    }
    record.busy += record.started.elapsed();
    server.send(parts.method.clone(), uri, sent, body).await
}

/// Finds the server of the model that a body names, and puts the model's name at that server into it.
async fn routed(
    live: &Live,
    record: &mut Record,
    parts: &http::request::Parts,
    body: Body,
) -> Result<(Option<Arc<Server>>, Bytes), Fault> {
    let body = read_body(live, &parts.headers, body).await?;
    let first = live.servers.first().cloned();
    let Some((model, place)) = model_of(&body) else { return Ok((first, body)) };
    let Some((route, label)) = live.route(&model) else { return Ok((first, body)) };
    label.clone_into(&mut record.model_label);
    record.model = model;
    let body = route.model.as_ref().map_or_else(|| body.clone(), |name| with_model(&body, place, name));
    Ok((Some(Arc::clone(&route.server)), body))
}

/// Returns the models of all servers in one list; a server that does not answer has none.
async fn models(live: &Live, headers: &HeaderMap) -> Response {
    let mut all = Vec::new();
    for server in &live.servers {
        let mut headers = headers.clone();
        headers.remove(header::ACCEPT_ENCODING);
        headers::exchange_key(&mut headers, server.key.as_deref(), live.keys.is_empty(), Some(server.protocol));
        let Ok(uri) = server.versioned("/models", None) else { continue };
        let Ok(answer) = server.send(Method::GET, uri, headers, Body::empty()).await else { continue };
        let Ok(body) = collect(answer.into_body(), 16 << 20, live.config.timeouts.connect.on()).await else { continue };
        let list: Value = serde_json::from_slice(&body).unwrap_or_default();
        all.extend(list["data"].as_array().cloned().unwrap_or_default());
    }
    json_response(&json!({"object": "list", "data": all}))
}

/// Answers how many tokens a request of the Messages protocol has: by the server, or by a guess if it cannot count.
pub(crate) async fn count_tokens(shared: Arc<Shared>, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let live = shared.live.load_full();
    let read = match live.keys.check(&parts.headers) {
        Ok(()) => read_body(&live, &parts.headers, body).await,
        Err(fault) => Err(fault),
    };
    let (body, guess) = match read {
        Ok(body) => (body.clone(), guess(&body)),
        Err(fault) => return crate::error::response(&fault, Protocol::Messages),
    };
    let answer = pass(shared, Request::from_parts(parts, Body::from(body))).await;
    if matches!(answer.status(), StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED) {
        return guess;
    }
    answer
}

/// Returns about how many tokens a request has.
fn guess(body: &[u8]) -> Response {
    match toolglot_wire::count_tokens(body) {
        Ok(count) => json_response(&json!({"input_tokens": count})),
        Err(fault) => crate::error::response(&fault, Protocol::Messages),
    }
}

fn json_response(value: &Value) -> Response {
    let mut response = Response::new(Body::from(value.to_string()));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
