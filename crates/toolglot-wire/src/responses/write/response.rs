//! The response object: fields of the request, fields from the server, and the state of the response.

use toolglot_json::{Map, Value, json};

use super::generated_id;
use crate::fault::{Fault, FaultKind};
use crate::port::Client;
use crate::protocol::Protocol;
use crate::response_event::{ResponseStart, Usage};

/// A response without its items and its status.
#[derive(Debug, Default)]
pub(super) struct ResponseObject {
    id: String,
    created: u64,
    model: String,
    /// The fields of the request that a response repeats, and those that the server sent.
    fields: Map,
    /// The fields as JSON text without braces: they may be long, and are sent three times.
    fields_text: String,
    usage: Value,
}

impl ResponseObject {
    pub(super) fn new(client: &Client) -> Self {
        let mut response = Self {
            id: generated_id("resp", client.seed, 0),
            created: client.now,
            model: client.model.clone(),
            fields: echo(client),
            ..Self::default()
        };
        response.extend(&Map::new());
        response
    }

    /// Sets what the server sent of the response. Clients would not accept an id of another protocol.
    pub(super) fn begin(&mut self, begin: &ResponseStart, client: &Client) {
        if let Some(id) = begin.id.clone().filter(|_| client.upstream == Protocol::Responses) {
            self.id = id;
        }
        self.created = begin.created.filter(|created| *created > 0).unwrap_or(self.created);
        self.model = begin.model.clone().unwrap_or_else(|| std::mem::take(&mut self.model));
    }

    pub(super) fn extend(&mut self, fields: &Map) {
        self.fields.extend(fields.clone());
        let text = Value::Object(self.fields.clone()).to_string();
        text[1..text.len() - 1].clone_into(&mut self.fields_text);
    }

    pub(super) fn usage(&mut self, usage: &Usage, upstream: Protocol) {
        let mut counts = json!({
            "input_tokens": usage.input,
            "input_tokens_details": {"cached_tokens": usage.cached.unwrap_or_default()},
            "output_tokens": usage.output,
            "output_tokens_details": {"reasoning_tokens": usage.reasoning.unwrap_or_default()},
            "total_tokens": usage.input.saturating_add(usage.output),
        });
        let own = usage.own.as_object().filter(|_| upstream == Protocol::Responses);
        for (key, value) in own.into_iter().flatten().filter(|(_, value)| !value.is_null()) {
            counts[key] = value.clone();
        }
        self.usage = counts;
    }

    /// Returns the response as JSON text.
    pub(super) fn text(&self, status: &str, output: &[String], cut: Option<&str>, error: Option<&Value>) -> String {
        let head = json!({
            "id": self.id, "object": "response", "created_at": self.created, "status": status, "error": error,
            "incomplete_details": cut.map(|reason| json!({"reason": reason})), "model": self.model,
        });
        let head = head.to_string();
        let head = head.strip_suffix('}').unwrap_or_default();
        let usage = if status == "in_progress" { &Value::Null } else { &self.usage };
        format!("{head},\"output\":[{}],\"usage\":{usage},{}}}", output.join(","), self.fields_text)
    }
}

/// Returns the fields of the request that a response repeats, with defaults for missing ones.
fn echo(client: &Client) -> Map {
    // The types of most SDKs require these fields.
    let defaults = json!({
        "background": false, "instructions": null, "max_output_tokens": null, "max_tool_calls": null, "metadata": {},
        "parallel_tool_calls": true, "previous_response_id": null, "prompt_cache_key": null,
        "reasoning": {"effort": null, "summary": null}, "safety_identifier": null, "service_tier": "default",
        "store": true, "temperature": 1.0, "text": {"format": {"type": "text"}}, "tool_choice": "auto", "tools": [],
        "top_logprobs": 0, "top_p": 1.0, "truncation": "disabled", "user": null,
    });
    let mut echo = defaults.as_object().cloned().unwrap_or_default();
    for (key, value) in &mut echo {
        if let Some(asked) = client.request.get(key).filter(|asked| !asked.is_null()) {
            *value = asked.clone();
        }
    }
    if client.upstream != Protocol::Responses && !client.remembers {
        // The proxy does not store it, so no later request can refer to it.
        echo["store"] = false.into();
    }
    echo
}

/// Returns the error of a failed response. The protocol has its own codes, by which clients decide whether to retry.
pub(super) fn error(fault: &Fault) -> Value {
    let code = match fault.kind {
        FaultKind::RateLimit => "rate_limit_exceeded",
        FaultKind::Request | FaultKind::TooLarge => "invalid_prompt",
        FaultKind::Overloaded => "server_is_overloaded",
        _ => "server_error",
    };
    // Codes of other protocols may be numbers, which no client of this one knows.
    let own = fault.code.as_deref().filter(|own| own.parse::<u64>().is_err());
    json!({"code": own.unwrap_or(code), "message": fault.message})
}
