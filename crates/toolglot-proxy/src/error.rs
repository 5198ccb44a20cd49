//! The proxy's own errors, and error responses in the client's protocol.

use axum::body::Body;
use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use toolglot_wire::{Fault, FaultKind, Protocol};

/// Errors between client and model server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProxyError {
    Key,
    Body,
    BodyRead,
    BodyTime,
    Streams,
    Unreachable,
    FirstByte,
    Idle,
    Total,
    Cut,
    Answer,
    Compressed,
    Foreign,
    Method,
    Ambiguous,
    MediaType,
    Unsatisfied,
    Captures,
    Store,
    Scope,
    ClientBusy,
    ClientRate,
}

/// The error, its kind, its status and its code.
const TABLE: [(ProxyError, FaultKind, u16, &str); 22] = [
    (ProxyError::Key, FaultKind::Authentication, 401, "invalid_api_key"),
    (ProxyError::Body, FaultKind::TooLarge, 413, "body_too_large"),
    (ProxyError::BodyRead, FaultKind::Request, 400, "body_incomplete"),
    (ProxyError::BodyTime, FaultKind::Timeout, 408, "body_timeout"),
    (ProxyError::Streams, FaultKind::Overloaded, 503, "too_many_requests_at_once"),
    (ProxyError::Unreachable, FaultKind::Upstream, 502, "upstream_unreachable"),
    (ProxyError::FirstByte, FaultKind::Timeout, 504, "upstream_first_byte_timeout"),
    (ProxyError::Idle, FaultKind::Timeout, 504, "upstream_idle_timeout"),
    (ProxyError::Total, FaultKind::Timeout, 504, "upstream_total_timeout"),
    (ProxyError::Cut, FaultKind::Upstream, 502, "upstream_cut"),
    (ProxyError::Answer, FaultKind::Upstream, 502, "answer_too_large"),
    (ProxyError::Compressed, FaultKind::Upstream, 502, "upstream_compressed"),
    (ProxyError::Foreign, FaultKind::Permission, 403, "foreign_page"),
    (ProxyError::Method, FaultKind::Request, 405, "method_not_allowed"),
    (ProxyError::Ambiguous, FaultKind::Request, 400, "ambiguous_request"),
    (ProxyError::MediaType, FaultKind::Request, 415, "unsupported_media_type"),
    (ProxyError::Unsatisfied, FaultKind::Upstream, 502, "tool_choice_unsatisfied"),
    (ProxyError::Captures, FaultKind::Request, 422, "capture_unusable"),
    (ProxyError::Store, FaultKind::Overloaded, 503, "store_unreachable"),
    (ProxyError::Scope, FaultKind::Permission, 403, "not_for_this_key"),
    (ProxyError::ClientBusy, FaultKind::RateLimit, 429, "client_requests_at_once"),
    (ProxyError::ClientRate, FaultKind::RateLimit, 429, "client_rate_limit"),
];

impl ProxyError {
    /// Returns the error with a message.
    pub(crate) fn because(self, message: impl Into<String>) -> Fault {
        let (_, kind, status, code) = TABLE[self as usize];
        Fault { status, ..Fault::new(kind, message).with_code(code) }
    }

    /// Returns whether a fault is this error.
    pub(crate) fn is(self, fault: &Fault) -> bool {
        fault.code.as_deref() == Some(TABLE[self as usize].3)
    }
}

/// Returns whether the same request can never succeed, so that clients should not retry.
fn is_final(fault: &Fault) -> bool {
    matches!(fault.kind, FaultKind::Request | FaultKind::TooLarge | FaultKind::Authentication | FaultKind::Permission)
        && fault.status != 408
}

const SHOULD_RETRY: HeaderName = HeaderName::from_static("x-should-retry");

/// Returns an error of the proxy.
pub(crate) fn response(fault: &Fault, protocol: Protocol) -> Response {
    let mut headers = HeaderMap::new();
    if is_final(fault) {
        headers.insert(SHOULD_RETRY, HeaderValue::from_static("false"));
    } else if matches!(fault.status, 429 | 503) {
        headers.insert(header::RETRY_AFTER, fault.retry_after.unwrap_or(1).into());
    }
    if fault.status == 401 {
        headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    with_headers(fault, protocol, headers)
}

/// Returns an error with the headers of the server that sent it.
pub(crate) fn with_headers(fault: &Fault, protocol: Protocol, headers: HeaderMap) -> Response {
    let mut response = Response::new(Body::from(fault.body(protocol).to_string()));
    *response.status_mut() = StatusCode::from_u16(fault.status).unwrap_or(StatusCode::BAD_GATEWAY);
    *response.headers_mut() = headers;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response.headers_mut().remove(header::CONTENT_LENGTH);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_errors() {
        assert!(TABLE.iter().enumerate().all(|(at, row)| row.0 as usize == at));
    }
}
