//! The proxy's own errors, and error responses in the client's protocol.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use toolglot_wire::{Fault, FaultKind, Protocol};

/// An error between client and model server: its kind, its status and its code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProxyError(FaultKind, u16, &'static str);

impl ProxyError {
    pub(crate) const KEY: Self = Self(FaultKind::Authentication, 401, "invalid_api_key");
    pub(crate) const BODY: Self = Self(FaultKind::TooLarge, 413, "body_too_large");
    pub(crate) const BODY_READ: Self = Self(FaultKind::Request, 400, "body_incomplete");
    pub(crate) const BODY_TIME: Self = Self(FaultKind::Timeout, 408, "body_timeout");
    pub(crate) const STREAMS: Self = Self(FaultKind::Overloaded, 503, "too_many_requests_at_once");
    pub(crate) const UNREACHABLE: Self = Self(FaultKind::Upstream, 502, "upstream_unreachable");
    pub(crate) const FIRST_BYTE: Self = Self(FaultKind::Timeout, 504, "upstream_first_byte_timeout");
    pub(crate) const IDLE: Self = Self(FaultKind::Timeout, 504, "upstream_idle_timeout");
    pub(crate) const TOTAL: Self = Self(FaultKind::Timeout, 504, "upstream_total_timeout");
    pub(crate) const CUT: Self = Self(FaultKind::Upstream, 502, "upstream_cut");
    pub(crate) const ANSWER: Self = Self(FaultKind::Upstream, 502, "answer_too_large");
    pub(crate) const COMPRESSED: Self = Self(FaultKind::Upstream, 502, "upstream_compressed");
    pub(crate) const FOREIGN: Self = Self(FaultKind::Permission, 403, "foreign_page");
    pub(crate) const METHOD: Self = Self(FaultKind::Request, 405, "method_not_allowed");
    pub(crate) const AMBIGUOUS: Self = Self(FaultKind::Request, 400, "ambiguous_request");
    pub(crate) const MEDIA_TYPE: Self = Self(FaultKind::Request, 415, "unsupported_media_type");
    pub(crate) const UNSATISFIED: Self = Self(FaultKind::Upstream, 502, "tool_choice_unsatisfied");
    pub(crate) const CAPTURES: Self = Self(FaultKind::Request, 422, "capture_unusable");
    pub(crate) const STORE: Self = Self(FaultKind::Overloaded, 503, "store_unreachable");
    pub(crate) const SCOPE: Self = Self(FaultKind::Permission, 403, "not_for_this_key");
    pub(crate) const CLIENT_BUSY: Self = Self(FaultKind::RateLimit, 429, "client_requests_at_once");
    pub(crate) const CLIENT_RATE: Self = Self(FaultKind::RateLimit, 429, "client_rate_limit");

    /// Returns the error with a message.
    pub(crate) fn because(self, message: impl Into<String>) -> Fault {
        let Self(kind, status, code) = self;
        Fault { status, ..Fault::new(kind, message).with_code(code) }
    }

    /// Returns whether a fault is this error.
    pub(crate) fn is(self, fault: &Fault) -> bool {
        fault.code.as_deref() == Some(self.2)
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
pub(crate) fn with_headers(fault: &Fault, protocol: Protocol, mut headers: HeaderMap) -> Response {
    let status = StatusCode::from_u16(fault.status).unwrap_or(StatusCode::BAD_GATEWAY);
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.remove(header::CONTENT_LENGTH);
    (status, headers, fault.body(protocol).to_string()).into_response()
}
