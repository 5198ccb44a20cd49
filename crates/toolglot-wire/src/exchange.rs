//! A client's request, read: what to send to the model server, and how to read the answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::chat::request::{Asked, prepare};
use crate::clean::Wants;
use crate::fault::{Fault, FaultKind};
use crate::policy::Policy;
use crate::port::{Client, as_chat, make_safe, to_chat};
use crate::protocol::Protocol;
use crate::recall::{self, Recall};
use crate::surrogates::mended;
use crate::turn::Turn;

/// A client's request and its answer's [`Turn`].
///
/// # Example
/// ```
/// use toolglot_wire::{Ended, Exchange, Policy, Protocol};
/// let request = r#"{"model": "m", "stream": true, "messages": [],
///     "tools": [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]}"#;
/// let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.as_bytes(), &Policy::default())?;
/// let mut turn = exchange.turn(1, 0);
/// let mut out = Vec::new();
/// turn.push(b"data: {\"choices\": [{\"delta\": {\"content\": \"<tool_call>{\\\"name\\\": \\\"ls\\\", \\\"arguments\\\": {}}\"}}]}\n\n", &mut out);
/// turn.push(b"data: {\"choices\": [{\"delta\": {\"content\": \"</tool_call>\"}, \"finish_reason\": \"stop\"}]}\n\n", &mut out);
/// turn.finish(Ended::Over, &mut out);
/// assert!(String::from_utf8_lossy(&out).contains(r#""finish_reason":"tool_calls""#));
/// # Ok::<(), toolglot_wire::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exchange {
    ingress: Protocol,
    model: String,
    stream: bool,
    has_tools: bool,
    /// The client's bytes, if they go on as they are.
    body: Vec<u8>,
    /// What has to be done otherwise.
    work: Option<Box<Work>>,
    policy: Policy,
}

#[derive(Clone, Debug)]
struct Work {
    ingress: Protocol,
    upstream: Protocol,
    /// The client's request.
    request: Arc<Map<String, Value>>,
    /// The request for the server.
    sent: Map<String, Value>,
    wants: Wants,
    notes: Vec<String>,
    /// Later requests may refer to the answer.
    remembers: bool,
}

/// The fields of a request that decide whether there is anything to do.
#[derive(Deserialize)]
struct Glance<'a> {
    model: Option<Value>,
    stream: Option<Value>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    functions: Option<&'a RawValue>,
}

impl Exchange {
    /// Reads a client's request.
    ///
    /// # Errors
    /// If it is no request of the protocol, or cannot be said in the server's.
    pub fn read(ingress: Protocol, upstream: Protocol, body: &[u8], policy: &Policy) -> Result<Self, Fault> {
        Self::read_recalling(ingress, upstream, body, policy, None)
    }

    /// As [`Exchange::read`], of a client that may refer to its earlier answers. They are remembered by the caller, who
    /// asks [`Turn::memento`] for them; a server that speaks the client's protocol remembers by itself.
    ///
    /// # Errors
    /// Also if the request refers to what is not remembered.
    pub fn read_recalling(
        ingress: Protocol,
        upstream: Protocol,
        body: &[u8],
        policy: &Policy,
        memory: Option<&dyn Recall>,
    ) -> Result<Self, Fault> {
        if body.len() > policy.limits.body {
            let message = format!("the request has more than {} bytes", policy.limits.body);
            return Err(Fault::new(FaultKind::TooLarge, message).with_code("body_too_large"));
        }
        // A list would be read as the fields in their order.
        if body.trim_ascii_start().first() == Some(&b'[') {
            return Err(no_object());
        }
        let glance: Glance<'_> = serde_json::from_slice(body).map_err(unreadable)?;
        let has_tools = [glance.tools, glance.functions].into_iter().flatten().any(is_list);
        let model = glance.model.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let renamed = policy.upstream_model.as_ref().is_some_and(|name| *name != model);
        let broken = policy.engine.breaks(upstream);
        let idle = ingress == upstream && !has_tools && !policy.forced && !renamed && !broken;
        let stream = glance.stream == Some(Value::Bool(true));
        let body = &*if idle { Cow::Borrowed(body) } else { mended(body) };
        let work =
            if idle { None } else { Some(Box::new(Work::new((ingress, upstream), body, policy, stream, memory)?)) };
        let is_same = work.as_ref().is_none_or(|work| work.sent == *work.request);
        let body = if is_same { body.to_vec() } else { Vec::new() };
        Ok(Self { ingress, model, stream, has_tools, body, work, policy: policy.clone() })
    }

    /// Returns the model as the client named it.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Says whether the client wants a stream.
    pub fn is_stream(&self) -> bool {
        self.stream
    }

    /// Says whether the request declares tools.
    pub fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Says whether there is nothing to do: the client's bytes go out and the answer comes back as they are.
    pub fn is_relay(&self) -> bool {
        self.work.is_none()
    }

    /// Returns the body for the model server.
    pub fn upstream_body(&self) -> Vec<u8> {
        match &self.work {
            Some(work) if self.body.is_empty() => bytes(&work.sent),
            _ => self.body.clone(),
        }
    }

    /// Returns what of the request the server's protocol cannot say and was left out, in sentences for a log.
    pub fn notes(&self) -> &[String] {
        self.work.as_ref().map(|work| work.notes.as_slice()).unwrap_or_default()
    }

    /// Returns another body to try after the server refused the first, and why it may pass.
    pub fn retry_body(&self, fault: &Fault) -> Option<(Vec<u8>, &'static str)> {
        let work = self.work.as_ref().filter(|_| self.has_tools && !self.policy.off)?;
        let mut request = work.sent.clone();
        let why = self.policy.engine.amend(&mut request, fault)?;
        Some((bytes(&request), why))
    }

    /// As [`Exchange::retry_body`], before a server that refused an earlier request is asked again. A choice that the client
    /// made itself is worth a refusal: servers may take some and not others.
    pub fn amended_body(&self, fault: &Fault) -> Option<(Vec<u8>, &'static str)> {
        let choice = self.work.as_ref()?.sent.get("tool_choice");
        let free = choice.is_none_or(|choice| choice.is_null() || choice == "auto");
        if free { self.retry_body(fault) } else { None }
    }

    /// Returns the turn of one answer: ids are made from the seed, `now` is in seconds since 1970.
    pub fn turn(&self, seed: u64, now: u64) -> Turn {
        let limits = &self.policy.limits;
        let Some(work) = &self.work else { return Turn::relay(self.ingress, limits) };
        let client = Client {
            request: work.request.clone(),
            upstream: work.upstream,
            model: self.model.clone(),
            seed,
            now,
            reasoning_field: self.policy.reasoning_field,
            reasoning_item: self.policy.reasoning_item,
            remembers: work.remembers,
        };
        let renamed = self.policy.upstream_model.is_some();
        Turn::new(work.ingress, client, work.wants.clone(), renamed, limits)
    }
}

impl Work {
    fn new(
        (ingress, upstream): (Protocol, Protocol),
        body: &[u8],
        policy: &Policy,
        stream: bool,
        memory: Option<&dyn Recall>,
    ) -> Result<Self, Fault> {
        let mut request: Map<String, Value> = serde_json::from_slice(body).map_err(unreadable)?;
        let same = ingress == upstream;
        if !same && upstream != Protocol::Chat {
            let message = format!("a server that speaks {upstream} serves no clients that speak {ingress}");
            return Err(Fault::new(FaultKind::Request, message));
        }
        let memory = memory.filter(|_| ingress == Protocol::Responses && !same);
        if let Some(memory) = memory {
            recall::fill(&mut request, memory);
        }
        let continued = memory.and_then(|memory| recall::continued(&request, memory));
        // Between servers and clients of one protocol what cannot be said in another is no fault.
        let mut notes = Vec::new();
        let chat = if same {
            as_chat(ingress, &request, body, policy)
        } else {
            to_chat(ingress, continued.as_ref().unwrap_or(&request), body, policy, &mut notes)?
        };
        let asked = Asked::of(&chat);
        let mut sent = if upstream == Protocol::Chat { chat } else { request.clone() };
        if upstream == Protocol::Chat {
            prepare(&mut sent, &asked, same, policy);
        } else {
            make_safe(ingress, &mut sent, &asked.tools, policy);
            if (!asked.tools.is_empty() || policy.forced) && !policy.off {
                policy.engine.complete(&mut sent, upstream);
            }
        }
        if !same && stream {
            let options = sent.entry("stream_options").or_insert_with(|| json!({}));
            options["include_usage"] = true.into();
        }
        if let Some(model) = &policy.upstream_model {
            sent.insert("model".to_owned(), model.as_str().into());
        }
        let wants = Wants { own_blocks: upstream != Protocol::Chat, ..wants(asked, policy, stream) };
        let remembers = memory.is_some() && recall::is_allowed(&request);
        Ok(Self { ingress, upstream, request: Arc::new(request), sent, wants, notes, remembers })
    }
}

fn wants(asked: Asked, policy: &Policy, streamed: bool) -> Wants {
    Wants {
        dialects: policy.dialects.clone(),
        parse: !policy.off && (policy.forced || (!asked.tools.is_empty() && !asked.none)),
        calls: !asked.none,
        tools: asked.tools,
        options: policy.options.clone(),
        limits: policy.limits,
        parallel: asked.parallel,
        custom: Arc::new(asked.custom),
        used: Arc::new(asked.used),
        alternatives: asked.alternatives,
        streamed,
        reasoning_open: false,
        own_blocks: false,
    }
}

fn no_object() -> Fault {
    Fault::new(FaultKind::Request, "the body is no request: it is no JSON object")
}

fn unreadable(error: serde_json::Error) -> Fault {
    if error.is_data() {
        return no_object();
    }
    Fault::new(FaultKind::Request, format!("the body is no request: {error}"))
}

/// Says whether a field holds a list that is not empty.
fn is_list(raw: &RawValue) -> bool {
    let inside = raw.get().trim().strip_prefix('[').map(str::trim_start);
    inside.is_some_and(|inside| !inside.starts_with(']'))
}

fn bytes(request: &Map<String, Value>) -> Vec<u8> {
    // A map with text for keys always has a JSON form.
    serde_json::to_vec(request).unwrap_or_default()
}
