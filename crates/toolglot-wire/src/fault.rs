//! Errors, and their form in every protocol.

use std::fmt;

use toolglot_json::{Value, json};

use crate::protocol::Protocol;

/// An error for a client: of the proxy, or of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Fault {
    /// The kind of error, which determines the default status and the type in each protocol.
    pub kind: FaultKind,
    /// The HTTP status: that of the kind, unless a server sent another.
    pub status: u16,
    /// What happened, and what to do next.
    pub message: String,
    /// A code for programs.
    pub code: Option<String>,
    /// The field of the request that caused it.
    pub param: Option<String>,
    /// Seconds after which the request may succeed.
    pub retry_after: Option<u32>,
}

/// The kinds of errors that the protocols distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "each has a row in every protocol's table")]
pub enum FaultKind {
    /// The request is invalid.
    Request,
    /// The key is missing or invalid.
    Authentication,
    /// The key does not permit this.
    Permission,
    /// The path or model does not exist.
    NotFound,
    /// The request is too large.
    TooLarge,
    /// Too many requests.
    RateLimit,
    /// The server took too long.
    Timeout,
    /// There is no capacity at the moment.
    Overloaded,
    /// The server is unreachable, or its answer is truncated or invalid.
    Upstream,
    /// Another server error.
    Server,
}

/// Kind, status, the OpenAI type, the Anthropic type.
const TABLE: [(FaultKind, u16, &str, &str); 10] = [
    (FaultKind::Request, 400, "invalid_request_error", "invalid_request_error"),
    (FaultKind::Authentication, 401, "authentication_error", "authentication_error"),
    (FaultKind::Permission, 403, "permission_error", "permission_error"),
    (FaultKind::NotFound, 404, "not_found_error", "not_found_error"),
    (FaultKind::TooLarge, 413, "invalid_request_error", "request_too_large"),
    (FaultKind::RateLimit, 429, "rate_limit_error", "rate_limit_error"),
    (FaultKind::Timeout, 504, "timeout_error", "timeout_error"),
    (FaultKind::Overloaded, 503, "overloaded_error", "overloaded_error"),
    (FaultKind::Upstream, 502, "upstream_error", "api_error"),
    (FaultKind::Server, 500, "server_error", "api_error"),
];

impl FaultKind {
    /// Returns the kind of a status.
    pub fn of_status(status: u16) -> Self {
        let exact = TABLE.iter().find(|row| row.1 == status).map(|row| row.0);
        exact.unwrap_or(match status {
            408 => Self::Timeout,
            529 => Self::Overloaded,
            400..=499 => Self::Request,
            _ => Self::Server,
        })
    }

    fn row(self) -> &'static (Self, u16, &'static str, &'static str) {
        let found = TABLE.iter().find(|row| row.0 == self);
        found.unwrap_or(&TABLE[TABLE.len() - 1])
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Fault {}

impl Fault {
    /// Returns an error of a kind, with the kind's status.
    pub fn new(kind: FaultKind, message: impl Into<String>) -> Self {
        Self { kind, status: kind.row().1, message: message.into(), code: None, param: None, retry_after: None }
    }

    /// Sets the code for programs.
    #[must_use]
    pub fn with_code(self, code: impl Into<String>) -> Self {
        Self { code: Some(code.into()), ..self }
    }

    /// Sets the field of the request that caused it.
    #[must_use]
    pub fn with_param(self, param: impl Into<String>) -> Self {
        Self { param: Some(param.into()), ..self }
    }

    /// Returns the error in a server's response with an error status; any body is accepted.
    pub fn of_response(status: u16, body: &[u8]) -> Self {
        let kind = FaultKind::of_status(status);
        let parsed: Value = toolglot_json::from_slice(body).unwrap_or_default();
        let plain = || String::from_utf8_lossy(body).trim().chars().take(2000).collect::<String>();
        let mut fault = Self::of_value(&parsed).unwrap_or_else(|| Self::new(kind, plain()));
        (fault.kind, fault.status) = (kind, status);
        if fault.message.is_empty() {
            fault.message = format!("the model server answered with status {status} and no message");
        }
        fault
    }

    /// Returns the error in a JSON value of any protocol, if it contains one.
    pub fn of_value(value: &Value) -> Option<Self> {
        let error = value.get("error").filter(|error| !error.is_null()).unwrap_or(value);
        let text = |key: &str| error.get(key).and_then(string_or_number);
        let message = error.as_str().map(str::to_owned).or_else(|| text("message")).or_else(|| text("detail"))?;
        // Some servers put the HTTP status here.
        let status = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
        let named = |name: String| TABLE.iter().find(|row| row.2 == name || row.3 == name);
        let kind = text("type").and_then(named).map(|row| row.0);
        let kind = kind.or(status.filter(|code| *code >= 400).map(FaultKind::of_status)).unwrap_or(FaultKind::Server);
        Some(Self { code: text("code"), param: text("param"), ..Self::new(kind, message) })
    }

    /// Returns the error in an event of a stream, if it is one, in any protocol.
    pub(crate) fn of_event(name: Option<&str>, event: &Value) -> Option<Self> {
        let is = |key: &str| event[key] == "error";
        let has_error = || !event["error"].is_null() || is_bare(event);
        if name != Some("error") && !is("type") && !is("object") && !has_error() {
            return None;
        }
        let strange = || Self::new(FaultKind::Server, format!("the model server reported an error: {event}"));
        Some(Self::of_value(event).unwrap_or_else(strange))
    }

    /// Returns the error of an `error` event that is not JSON.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::new(FaultKind::Server, text.trim())
    }

    /// Returns the error's body in a protocol.
    pub fn body(&self, protocol: Protocol) -> Value {
        let (_, _, openai, anthropic) = self.kind.row();
        match protocol {
            Protocol::Chat | Protocol::Responses => json!({"error": {
                "message": self.message, "type": openai, "param": self.param, "code": self.code,
            }}),
            Protocol::Messages => json!({"type": "error", "error": {"type": anthropic, "message": self.message}}),
            Protocol::Ollama => json!({"error": self.message}),
        }
    }
}

/// Returns whether a body is an error of a web framework.
fn is_bare(body: &Value) -> bool {
    let members = body.as_object().filter(|members| members.len() == 1);
    members.is_some_and(|members| members["detail"].is_string())
}

/// Returns a string or a number as text.
fn string_or_number(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_any_protocol_is_read() {
        for (body, message, code) in [
            (r#"{"error": {"message": "no", "type": "x", "code": "c"}}"#, "no", Some("c")),
            (r#"{"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}"#, "busy", None),
            (r#"{"object": "error", "message": "bad", "code": 400}"#, "bad", Some("400")),
            (r#"{"error": "model not found"}"#, "model not found", None),
            (r#"{"detail": "Not Found"}"#, "Not Found", None),
            ("<html>oops</html>", "<html>oops</html>", None),
        ] {
            let fault = Fault::of_response(404, body.as_bytes());
            assert_eq!((fault.status, fault.message.as_str(), fault.code.as_deref()), (404, message, code));
            assert_eq!(fault.kind, FaultKind::NotFound);
        }
        assert_eq!(Fault::of_response(502, b"").message, "the model server answered with status 502 and no message");
    }

    #[test]
    fn each_protocol_has_its_shape() {
        let fault = Fault::new(FaultKind::TooLarge, "too much").with_code("body_too_large");
        assert_eq!(fault.status, 413);
        assert_eq!(fault.body(Protocol::Chat)["error"]["type"], "invalid_request_error");
        assert_eq!(fault.body(Protocol::Messages)["error"]["type"], "request_too_large");
        assert_eq!(fault.body(Protocol::Responses)["error"]["code"], "body_too_large");
    }
}
