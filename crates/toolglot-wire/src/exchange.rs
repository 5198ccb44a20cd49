//! A client's request, read: what to send to the model server, and how to read the answer.

use serde_json::{Map, Value};

use crate::fault::{Fault, FaultKind};
use crate::policy::Policy;
use crate::protocol::Protocol;
use crate::turn::Turn;

/// A client's request and its answer's [`Turn`].
#[derive(Clone, Debug)]
pub struct Exchange {
    request: Map<String, Value>,
    body: Vec<u8>,
}

impl Exchange {
    /// Reads a client's request.
    ///
    /// # Errors
    /// If it is no request of the protocol, or cannot be said in the server's.
    pub fn read(ingress: Protocol, upstream: Protocol, body: &[u8], policy: &Policy) -> Result<Self, Fault> {
        let _ = (ingress, upstream, policy);
        let wrong = |error: serde_json::Error| Fault::new(FaultKind::Request, format!("the body is not JSON: {error}"));
        Ok(Self { request: serde_json::from_slice(body).map_err(wrong)?, body: body.to_vec() })
    }

    /// Returns the model as the client named it.
    pub fn model(&self) -> &str {
        self.request.get("model").and_then(Value::as_str).unwrap_or_default()
    }

    /// Says whether the client wants a stream.
    pub fn is_stream(&self) -> bool {
        self.request.get("stream").and_then(Value::as_bool).unwrap_or_default()
    }

    /// Says whether the request declares tools.
    pub fn has_tools(&self) -> bool {
        false
    }

    /// Says whether there is nothing to do: the client's bytes go out and the answer comes back as they are.
    pub fn is_relay(&self) -> bool {
        true
    }

    /// Returns the body for the model server.
    pub fn upstream_body(&self) -> Vec<u8> {
        self.body.clone()
    }

    /// Returns another body to try after the server refused the first, and why it may pass.
    pub fn retry_body(&self, fault: &Fault) -> Option<(Vec<u8>, &'static str)> {
        let _ = fault;
        None
    }

    /// Returns the turn of one answer: ids are made from the seed, `now` is in seconds since 1970.
    pub fn turn(&self, seed: u64, now: u64) -> Turn {
        let _ = (seed, now);
        Turn::new()
    }
}
