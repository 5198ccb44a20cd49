//! Reads bodies within size and time limits, and finds the model in a request.

use std::ops::Range;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::{HeaderMap, header};
use http_body_util::{BodyExt, Collected, LengthLimitError, Limited};
use serde_json::value::RawValue;
use toolglot_json::Value;
use toolglot_wire::Fault;

use crate::coding;
use crate::config::Config;
use crate::error::ProxyError;

/// Maximum bytes of a server's error.
pub(crate) const ERROR_BODY: usize = 1 << 20;

/// Waits for work, but no longer than this, if a time is set; the error is the time.
pub(crate) async fn in_time<T>(time: Option<Duration>, work: impl Future<Output = T>) -> Result<T, Duration> {
    let Some(time) = time else { return Ok(work.await) };
    tokio::time::timeout(time, work).await.map_err(|_| time)
}

/// Reads a request's body within the limits.
pub(crate) async fn read_body(config: &Config, headers: &HeaderMap, body: Body) -> Result<Bytes, Fault> {
    let most = config.limits.body.0;
    let too_large = || ProxyError::BODY.because(format!("the request is larger than {most} bytes (`limits.body`)"));
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    // Refused before it is read, so that a client that waits for `100 Continue` need not send it.
    if length.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let read = in_time(config.timeouts.body.on(), Limited::new(body, most).collect()).await.map_err(|time| {
        ProxyError::BODY_TIME.because(format!("the request body did not arrive within {time:?} (`timeouts.body`)"))
    })?;
    let body = read.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            too_large()
        } else {
            ProxyError::BODY_READ.because(format!("the request ended early: {error}"))
        }
    })?;
    coding::inflated(headers, body, most)
}

/// Reads a server's body within the limits.
pub(crate) async fn collect(body: Body, most: usize, time: Option<Duration>) -> Result<Bytes, Fault> {
    let read = in_time(time, Limited::new(body, most).collect())
        .await
        .map_err(|time| ProxyError::TOTAL.because(format!("the model server's answer took longer than {time:?}")))?;
    read.map(Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            let message = format!("the model server's answer is larger than {most} bytes (`limits.answer`)");
            return ProxyError::ANSWER.because(message);
        }
        ProxyError::CUT.because(format!("the model server ended its answer early: {error}"))
    })
}

/// Returns an answer with this JSON.
pub(crate) fn json_response(value: &Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// Only the model of a request.
#[derive(serde::Deserialize)]
struct ModelPeek<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
}

/// Returns a request's model and its position.
pub(crate) fn model_of(body: &[u8]) -> Option<(String, Range<usize>)> {
    let raw = serde_json::from_slice::<ModelPeek<'_>>(body).ok()?.model?;
    let model = serde_json::from_str::<String>(raw.get()).ok()?;
    let start = (raw.get().as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    Some((model, start..start + raw.get().len()))
}
