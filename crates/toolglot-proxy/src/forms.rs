//! A request in the form that its server takes: as it is, or after a refusal in another one that says the same.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, Uri};
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
        if response.status() == StatusCode::BAD_REQUEST {
            let (refusal, fault) = told(response).await?;
            let Some((again, why)) = exchange.retry_body(&fault) else { return Ok(refusal) };
            record.retry = Some(why);
            response = self.send(again.into()).await?;
            if response.status().is_success() {
                self.server.remember_refusal(&record.model, fault);
            }
        }
        Ok(response)
    }
}

/// Reads what a server refused with; the answer can be passed on as it was.
pub(crate) async fn told(refusal: Response) -> Result<(Response, Fault), Fault> {
    let (head, body) = refusal.into_parts();
    let body = collect(body, ERROR_BODY, None).await?;
    let fault = Fault::of_response(head.status.as_u16(), &body);
    Ok((Response::from_parts(head, Body::from(body)), fault))
}
