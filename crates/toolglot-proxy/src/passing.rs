//! Requests that are forwarded unchanged, and requests for token counts, models and stored answers.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, Method, Request, StatusCode, header};
use toolglot_json::{Value, json};
use toolglot_wire::{Fault, FaultKind, Protocol};

use crate::bodies::{ERROR_BODY, collect, json_response, model_of, read_body};
use crate::error::{self, ProxyError};
use crate::headers;
use crate::live::{Live, Shared};
use crate::ollama::Question;
use crate::owner::Owner;
use crate::record::Record;
use crate::store;
use crate::turns::{failed, relayed};
use crate::upstream::Server;

/// The protocol of these requests in metrics and logs.
const INGRESS: &str = "other";

/// Forwards a request.
pub(crate) async fn pass(shared: Arc<Shared>, request: Request<Body>) -> Response {
    answer(shared, request, false).await
}

/// Counts the tokens of a Messages request: by the server, or by an estimate if it cannot.
pub(crate) async fn count_tokens(shared: Arc<Shared>, request: Request<Body>) -> Response {
    answer(shared, request, true).await
}

/// Answers a request for models or the version: by the server, or for it if it does not know the path.
pub(crate) async fn ask_models(shared: Arc<Shared>, question: Question, request: Request<Body>) -> Response {
    let (mut parts, body) = request.into_parts();
    let live = shared.live.load_full();
    let (mut record, room) = Record::begin(&shared, INGRESS, &mut parts);
    let read = async {
        room?;
        record.admit(&live, &parts.headers)?;
        read_body(&live.config, &parts.headers, body).await
    };
    let body = match read.await {
        Ok(body) => body,
        Err(fault) => return failed(record, Protocol::Ollama, fault),
    };
    if record.client.as_ref().is_some_and(|client| !client.is_free()) {
        let message = "this key only allows some models; list them with `GET /v1/models`";
        return failed(record, Protocol::Ollama, ProxyError::SCOPE.because(message));
    }
    parts.headers.remove(header::CONTENT_ENCODING);
    parts.headers.remove(header::CONTENT_LENGTH);
    // No server lists the models of the others.
    if question != Question::Tags || live.servers.len() == 1 {
        match forward(&live, &mut record, &parts, Body::from(body.clone())).await {
            Ok(answer) if answer.status().is_success() => {
                record.status = answer.status().as_u16();
                return relayed(&shared, &live, record, answer, None);
            }
            Err(fault) if question != Question::Version => return failed(record, Protocol::Ollama, fault),
            _ => {}
        }
    }
    let mut sent = parts.headers.clone();
    headers::for_upstream(&mut sent);
    let answer = question.answer(&live, &sent, &body).await;
    match answer {
        Some(answer) => answered(record, &answer),
        None => {
            let message = "unknown model; list the models with `GET /api/tags`";
            failed(record, Protocol::Ollama, Fault::new(FaultKind::NotFound, message))
        }
    }
}

/// Returns or deletes a stored answer: from the store, or else by the server.
pub(crate) async fn stored_answer(shared: Arc<Shared>, request: Request<Body>) -> Response {
    let live = shared.live.load_full();
    if live.keys.check(request.headers()).is_err() {
        return answer(shared, request, false).await;
    }
    let id = request.uri().path().rsplit('/').next().unwrap_or_default();
    let owner = Owner::of_headers(request.headers());
    let found = match store::response(&shared, &live, owner, id).await {
        Ok(Some(_)) if request.method() == Method::DELETE => {
            let deleted = json!({"id": id, "object": "response.deleted", "deleted": true});
            store::forget(&shared, &live, owner, id).await.map(|()| deleted)
        }
        Ok(Some(found)) => Ok(found),
        Ok(None) => return answer(shared, request, false).await,
        Err(fault) => Err(fault),
    };
    let (mut parts, _) = request.into_parts();
    let (record, room) = Record::begin(&shared, INGRESS, &mut parts);
    match room.and(found) {
        Ok(found) => answered(record, &found),
        Err(fault) => failed(record, Protocol::Responses, fault),
    }
}

async fn answer(shared: Arc<Shared>, request: Request<Body>, counts: bool) -> Response {
    let (mut parts, body) = request.into_parts();
    let live = shared.live.load_full();
    let shape = if parts.uri.path().contains("/messages") { Protocol::Messages } else { Protocol::Chat };
    let (mut record, room) = Record::begin(&shared, INGRESS, &mut parts);
    let id = record.id.clone();
    let sent = async {
        room?;
        record.admit(&live, &parts.headers)?;
        let (mut guess, mut body) = (None, body);
        // Read for an estimate, should the server not count.
        if counts {
            let read = read_body(&live.config, &parts.headers, body).await?;
            parts.headers.remove(header::CONTENT_ENCODING);
            parts.headers.remove(header::CONTENT_LENGTH);
            (guess, body) = (Some(toolglot_wire::count_tokens(&read)), Body::from(read));
        }
        Ok((forward(&live, &mut record, &parts, body).await?, guess))
    };
    let mut response = match sent.await {
        Ok((answer, Some(guess))) if cannot(answer.status()) => guessed(record, guess),
        Ok((answer, _)) if answer.status().as_u16() >= 400 => error_passed_on(&live, record, shape, answer).await,
        Ok((answer, _)) => {
            record.status = answer.status().as_u16();
            relayed(&shared, &live, record, answer, None)
        }
        Err(fault) => failed(record, shape, fault),
    };
    response.headers_mut().insert(headers::REQUEST_ID, id);
    response
}

/// Returns whether a server does not support a request.
fn cannot(status: StatusCode) -> bool {
    matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED)
}

/// Answers with the estimated number of tokens.
fn guessed(mut record: Record, guess: Result<u64, Fault>) -> Response {
    match guess {
        Ok(count) => {
            record.notes.push("the model server cannot count tokens; the count is an estimate".to_owned());
            answered(record, &json!({"input_tokens": count}))
        }
        Err(fault) => failed(record, Protocol::Messages, fault),
    }
}

/// Passes on a server's error with keys redacted; a compressed body is dropped, since it cannot be read.
async fn error_passed_on(live: &Live, mut record: Record, shape: Protocol, answer: Response) -> Response {
    let (mut head, body) = answer.into_parts();
    let body = match collect(body, ERROR_BODY, live.config.timeouts.idle.on()).await {
        Ok(body) => body,
        Err(fault) => return failed(record, shape, fault),
    };
    let status = head.status.as_u16();
    let is_hidden = headers::is_compressed(&head.headers) && !body.is_empty();
    let shown: &[u8] = if is_hidden { b"" } else { &body };
    let (fault, without) = (Fault::of_response(status, shown), record.secrets.redact_body(shown));
    let is_kept = !is_hidden && without.is_none();
    if is_kept {
        headers::for_client(&mut head.headers)
    } else {
        headers::for_written(&mut head.headers)
    }
    let response = if is_hidden {
        error::with_headers(&fault, shape, head.headers)
    } else {
        Response::from_parts(head, Body::from(without.map_or(body, Bytes::from)))
    };
    record.status = status;
    record.whole(&response);
    record.fail(fault);
    response
}

async fn forward(
    live: &Live,
    record: &mut Record,
    parts: &http::request::Parts,
    body: Body,
) -> Result<Response, Fault> {
    let mut sent = parts.headers.clone();
    let is_free = record.client.as_ref().is_none_or(|client| client.is_free());
    // With one server and no renamed models, the body is irrelevant and need not be buffered.
    let (server, body) = if is_free && live.servers.len() == 1 && live.routes.iter().all(|route| route.model.is_none())
    {
        (live.servers.first().cloned(), body)
    } else {
        let (server, body) = routed(live, record, parts, body).await?;
        sent.remove(header::CONTENT_LENGTH);
        // `read_body` has inflated it.
        sent.remove(header::CONTENT_ENCODING);
        (server, Body::from(body))
    };
    let none = || Fault::new(FaultKind::NotFound, "no model server is configured; set one with `--upstream`");
    let server = server.ok_or_else(none)?;
    server.name.clone_into(&mut record.upstream);
    headers::for_upstream(&mut sent);
    let key = record.key_at(&server).map(str::to_owned);
    if key.is_some() {
        // An error that contains the key must be readable.
        sent.remove(header::ACCEPT_ENCODING);
    }
    headers::exchange_key(&mut sent, key.as_deref(), live.keys.is_empty(), Some(server.protocol()));
    sent.insert(headers::REQUEST_ID, record.id.clone());
    let uri = server.same_path(&parts.uri)?;
    if parts.method == Method::GET && parts.uri.path() == "/v1/models" && (live.servers.len() > 1 || !is_free) {
        return Ok(models(live, record, &sent).await);
    }
    if !is_free {
        let message = format!("this key only allows some models, but the request to `{}` names none", parts.uri.path());
        let model = (!record.model.is_empty()).then_some(record.model.as_str());
        record.check_scope(model.ok_or_else(|| ProxyError::SCOPE.because(message))?, &server)?;
    }
    record.busy += record.started.elapsed();
    server.send(parts.method.clone(), uri, sent, body).await
}

/// Finds the server of the model in a body, and renames the model for it.
async fn routed(
    live: &Live,
    record: &mut Record,
    parts: &http::request::Parts,
    body: Body,
) -> Result<(Option<Arc<Server>>, Bytes), Fault> {
    let body = read_body(&live.config, &parts.headers, body).await?;
    let first = live.servers.first().cloned();
    let Some(found) = model_of(&body) else { return Ok((first, body)) };
    let Some((route, label)) = live.route(&found.0) else { return Ok((first, body)) };
    label.clone_into(&mut record.model_label);
    record.ask_for(&found.0);
    Ok((Some(Arc::clone(&route.server)), route.renamed(&body, Some(&found))))
}

/// Returns the models of all servers that the client may use; servers that do not answer are skipped.
async fn models(live: &Live, record: &Record, headers: &HeaderMap) -> Response {
    let mut all = Vec::new();
    for server in &live.servers {
        let list = server.ask(live, "/v1/models", headers, record.key_at(server)).await.unwrap_or_default();
        let listed = list["data"].as_array().cloned().unwrap_or_default();
        let is_allowed = |model: &Value| record.check_scope(model["id"].as_str().unwrap_or_default(), server).is_ok();
        all.extend(listed.into_iter().filter(is_allowed));
    }
    json_response(&json!({"object": "list", "data": all}))
}

/// Ends a request with an answer of the proxy.
fn answered(mut record: Record, value: &Value) -> Response {
    let response = json_response(value);
    record.whole(&response);
    response
}
