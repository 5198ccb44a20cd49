//! Sends a request, and an equivalent one if the server rejects it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use axum::response::Response;
use bytes::Bytes;
use toolglot_wire::{Exchange, Fault, Protocol};

use crate::bodies::{ERROR_BODY, collect};
use crate::coding;
use crate::record::Record;
use crate::upstream::{Server, pause};

/// The destination of a request.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) server: Arc<Server>,
    pub(crate) protocol: Protocol,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// Number of times the request was resent unchanged.
    pub(crate) resent: Arc<AtomicUsize>,
}

/// Maximum number of rejections that are worked around for a request.
const MAX_REFUSALS: usize = 4;

/// Why a request is sent again without a prefill and a schema.
const SIMPLER: &str = "the server does not accept a prefill or a schema";

impl Target {
    /// Sends a whole body, with retries after transient errors.
    pub(crate) async fn send(&self, body: Bytes) -> Result<Response, Fault> {
        let server = &self.server;
        let mut tried = 0;
        loop {
            let (uri, headers) = (self.uri.clone(), self.headers.clone());
            let start = Instant::now();
            let answer = server.send(Method::POST, uri, headers, Body::from(body.clone())).await;
            let pause = if tried < server.retries { pause(&answer, start.elapsed(), tried) } else { None };
            let Some(pause) = pause else { return answer.map(coding::readable) };
            tried += 1;
            self.resent.fetch_add(1, Ordering::Relaxed);
            tokio::time::sleep(pause).await;
        }
    }

    /// Sends a request, and an equivalent one if the server rejects it; otherwise returns the rejection.
    pub(crate) async fn send_in_form(
        &self,
        exchange: &mut Exchange,
        record: &mut Record,
        body: Bytes,
    ) -> Result<Response, Fault> {
        let mut response = self.send(body).await?;
        let (begun, shaped) = (exchange.is_begun(), exchange.is_shaped());
        if matches!(response.status().as_u16(), 400 | 422) && exchange.simplify() {
            record.retry = Some(SIMPLER);
            response = self.send(exchange.upstream_body().into()).await?;
            let is_accepted = response.status().is_success();
            if is_accepted && begun {
                self.server.without_prefill.remember(&record.model);
            }
            if is_accepted && shaped {
                self.server.without_schema.remember(&record.model);
            }
        }
        let mut refusals = Vec::new();
        while matches!(response.status().as_u16(), 400 | 422 | 500) && refusals.len() < MAX_REFUSALS {
            let (refusal, fault) = read_error(response).await?;
            let Some(why) = exchange.amend(&fault) else {
                response = refusal;
                break;
            };
            record.retry = Some(why);
            response = self.send(exchange.upstream_body().into()).await?;
            refusals.push(fault);
        }
        if response.status().is_success() {
            self.server.remember_refusals(&record.model, refusals);
            return Ok(response);
        }
        with_answer(exchange, response).await
    }
}

/// Replaces an error by the model's text that it contains, if it does.
async fn with_answer(exchange: &Exchange, refusal: Response) -> Result<Response, Fault> {
    if refusal.status().is_success() {
        return Ok(refusal);
    }
    let (mut head, body) = refusal.into_parts();
    let body = collect(body, ERROR_BODY, None).await?;
    let Some(answer) = exchange.answer_of_refusal(&body) else {
        return Ok(Response::from_parts(head, Body::from(body)));
    };
    head.status = StatusCode::OK;
    let kind = if exchange.is_stream() { "text/event-stream" } else { "application/json" };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    Ok(Response::from_parts(head, Body::from(answer)))
}

/// Reads a server's error; the response can still be passed on.
pub(crate) async fn read_error(refusal: Response) -> Result<(Response, Fault), Fault> {
    let (head, body) = refusal.into_parts();
    let body = collect(body, ERROR_BODY, None).await?;
    let fault = Fault::of_response(head.status.as_u16(), &body);
    Ok((Response::from_parts(head, Body::from(body)), fault))
}
