//! A client of each protocol that gathers calls as all of them do: piece by piece, and runs what parses.

use std::collections::BTreeMap;

use toolglot_json::{Map, Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, TextCompletion, TurnEnd};

/// The tools that everybody declares.
pub(crate) fn tools() -> Value {
    json!([
        {"name": "edit", "parameters": {"type": "object", "required": ["path"], "properties": {
            "path": {"type": "string"}, "text": {"type": "string"}, "line": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}}, "more": {"type": "object"}}}},
        {"name": "list", "parameters": {"type": "object", "properties": {"all": {"type": "boolean"}}}},
    ])
}

/// Returns a client's streaming request in its protocol.
pub(crate) fn request(protocol: Protocol) -> Value {
    let tools = tools();
    let each = |form: fn(&Value) -> Value| tools.as_array().unwrap().iter().map(form).collect::<Vec<_>>();
    let asked = json!([{"role": "user", "content": "go"}]);
    match protocol {
        Protocol::Chat => json!({"model": "m", "stream": true, "messages": asked,
            "tools": each(|tool| json!({"type": "function", "function": tool}))}),
        Protocol::Ollama => json!({"model": "m", "messages": asked,
            "tools": each(|tool| json!({"type": "function", "function": tool}))}),
        Protocol::Messages => json!({"model": "m", "stream": true, "max_tokens": 9, "messages": asked,
            "tools": each(|tool| json!({"name": tool["name"], "input_schema": tool["parameters"]}))}),
        Protocol::Responses => json!({"model": "m", "stream": true, "input": "go",
            "tools": each(|tool| json!({"type": "function", "name": tool["name"], "parameters": tool["parameters"]}))}),
    }
}

pub(crate) fn exchange(client: Protocol, upstream: Protocol, policy: &Policy) -> Exchange {
    Exchange::read(client, upstream, request(client).to_string().as_bytes(), policy).unwrap()
}

/// What a client has in the end.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// The arguments of each call, joined, by its place.
    pub(crate) calls: BTreeMap<u64, String>,
    /// The arguments as they were said whole.
    pub(crate) whole: Vec<String>,
    /// Why the answer ended, in Chat's words.
    pub(crate) finish: String,
    pub(crate) error: bool,
}

impl Gathered {
    /// Returns the calls that the client runs.
    pub(crate) fn run(&self) -> Vec<Value> {
        let calls = self.calls.values();
        calls.filter_map(|call| object(call)).collect()
    }

    /// Says what is wrong whatever the answer was: arguments said whole that are JSON while the pieces are not, or the other way
    /// round.
    pub(crate) fn check(&self) -> Result<(), String> {
        let whole: Vec<Value> = self.whole.iter().filter_map(|call| object(call)).collect();
        let agrees = self.whole.is_empty() || whole == self.run();
        if agrees { Ok(()) } else { Err(format!("the pieces and the whole disagree: {self:?}")) }
    }
}

fn object(text: &str) -> Option<Value> {
    serde_json::from_str::<Map>(text).ok().map(Value::Object)
}

/// Takes a server's bytes to a client and gathers what that has.
pub(crate) fn gather(exchange: &Exchange, protocol: Protocol, bytes: &[u8]) -> Gathered {
    let mut turn = exchange.turn(1, 1000);
    let mut out = Vec::new();
    turn.push(bytes, &mut out);
    turn.finish(TurnEnd::Over, &mut out);
    let text = String::from_utf8(out).unwrap();
    let frames = text.lines().map(|line| line.strip_prefix("data: ").unwrap_or(line));
    let events = frames.filter_map(|frame| toolglot_json::from_str(frame).ok());
    let mut gathered = Gathered::default();
    for event in events {
        match protocol {
            Protocol::Chat => {
                gathered.chat(&event);
                check_completion(&event);
            }
            Protocol::Responses => gathered.responses(&event),
            Protocol::Messages => gathered.messages(&event),
            Protocol::Ollama => gathered.ollama(&event),
        }
    }
    gathered
}

/// A chunk of a text completion says the same of calls as the chat's.
fn check_completion(chunk: &Value) {
    let mut completion = chunk.clone();
    if TextCompletion::as_completion(&mut completion) {
        assert_eq!(completion["choices"][0]["tool_calls"], chunk["choices"][0]["delta"]["tool_calls"]);
    }
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

impl Gathered {
    fn chat(&mut self, chunk: &Value) {
        self.error |= !chunk["error"].is_null();
        let choice = &chunk["choices"][0];
        for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let known = self.calls.entry(call["index"].as_u64().unwrap()).or_default();
            known.push_str(text(&call["function"]["arguments"]));
        }
        if let Some(finish) = choice["finish_reason"].as_str() {
            self.finish = finish.to_owned();
        }
    }

    fn messages(&mut self, event: &Value) {
        match text(&event["type"]) {
            "error" => self.error = true,
            "content_block_start" if event["content_block"]["type"] == "tool_use" => {
                self.calls.insert(event["index"].as_u64().unwrap(), String::new());
            }
            "content_block_delta" if event["delta"]["type"] == "input_json_delta" => {
                let known = self.calls.get_mut(&event["index"].as_u64().unwrap()).unwrap();
                known.push_str(text(&event["delta"]["partial_json"]));
            }
            "message_delta" => {
                self.finish = match text(&event["delta"]["stop_reason"]) {
                    "max_tokens" => "length",
                    "tool_use" => "tool_calls",
                    other => other,
                }
                .to_owned();
            }
            _ => {}
        }
    }

    fn responses(&mut self, event: &Value) {
        let (place, item) = (event["output_index"].as_u64().unwrap_or_default(), &event["item"]);
        match text(&event["type"]) {
            "error" | "response.failed" => self.error = true,
            "response.output_item.added" if item["type"] == "function_call" => {
                self.calls.insert(place, String::new());
            }
            "response.function_call_arguments.delta" => {
                self.calls.get_mut(&place).unwrap().push_str(text(&event["delta"]));
            }
            "response.output_item.done" if item["type"] == "function_call" => {
                let arguments = text(&item["arguments"]);
                assert_eq!(object(arguments).is_some(), item["status"] == "completed", "{item}");
                self.whole.push(arguments.to_owned());
            }
            "response.function_call_arguments.done" => {
                assert_eq!(self.calls[&place], text(&event["arguments"]));
            }
            "response.completed" => self.finish = "stop".to_owned(),
            "response.incomplete" => self.finish = "length".to_owned(),
            _ => {}
        }
    }

    fn ollama(&mut self, line: &Value) {
        self.error |= !line["error"].is_null();
        for call in line["message"]["tool_calls"].as_array().into_iter().flatten() {
            let place = self.calls.len() as u64;
            self.calls.insert(place, call["function"]["arguments"].to_string());
        }
        self.finish = line["done_reason"].as_str().unwrap_or(&self.finish).to_owned();
    }
}
