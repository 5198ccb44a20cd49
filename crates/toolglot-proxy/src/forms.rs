//! A request in the form that its server takes: as it is, or after a refusal in another one that says the same.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::body::Body;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, StatusCode, Uri};
use axum::response::Response;
use bytes::Bytes;
use toolglot_wire::{Exchange, Fault, Protocol};

use crate::bodies::{ERROR_BODY, collect};
use crate::coding;
use crate::record::Record;
use crate::upstream::Server;

/// Where requests of one client go.
#[derive(Clone)]
pub(crate) struct Target {
    pub(crate) server: Arc<Server>,
    pub(crate) protocol: Protocol,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// How often the client's request was sent again as it was.
    pub(crate) resent: Arc<AtomicUsize>,
}

/// How many refusals of one request are got around.
const MOST_REFUSALS: usize = 4;

/// Why a request is sent once more without what begins or shapes a call.
const SIMPLER: &str = "the server takes no beginning or schema of an answer";

impl Target {
    /// Sends a body.
    pub(crate) async fn send(&self, body: Bytes) -> Result<Response, Fault> {
        self.server.send_again(&self.uri, &self.headers, body, &self.resent).await.map(coding::readable)
    }

    /// Sends a request, and in another form if the server refuses it and there is one; otherwise the refusal stands.
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
            let is_taken = response.status().is_success();
            if is_taken && begun {
                self.server.without_prefill.remember(&record.model);
            }
            if is_taken && shaped {
                self.server.without_schema.remember(&record.model);
            }
        }
        let mut refusals = Vec::new();
        while matches!(response.status().as_u16(), 400 | 422 | 500) && refusals.len() < MOST_REFUSALS {
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

/// Puts what the model wrote in the place of an error that refuses it.
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

/// Reads what a server refused with; the answer can be passed on as it was.
pub(crate) async fn read_error(refusal: Response) -> Result<(Response, Fault), Fault> {
    let (head, body) = refusal.into_parts();
    let body = collect(body, ERROR_BODY, None).await?;
    let fault = Fault::of_response(head.status.as_u16(), &body);
    Ok((Response::from_parts(head, Body::from(body)), fault))
}
