//! Upstream answers, and a turn that takes them to a client.

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Fault, Policy, Protocol, Report, TurnEnd};

/// One chunk of one alternative.
pub(crate) fn chunk(delta: Value, finish: Value) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
}

pub(crate) fn delta(delta: Value) -> Value {
    chunk(delta, Value::Null)
}

/// A chunk with one element of `tool_calls`.
pub(crate) fn call(element: Value) -> Value {
    delta(json!({"tool_calls": [element]}))
}

/// A role, a call in three pieces, a finish.
pub(crate) fn good() -> Vec<Value> {
    vec![
        delta(json!({"role": "assistant", "content": null})),
        call(
            json!({"index": 0, "id": "call_a", "type": "function", "function": {"name": "get_weather", "arguments": ""}}),
        ),
        call(json!({"index": 0, "function": {"arguments": "{\"city\": "}})),
        call(json!({"index": 0, "function": {"arguments": "\"Paris\"}"}})),
        chunk(json!({}), json!("tool_calls")),
    ]
}

/// The events of chunks, with `[DONE]`.
pub(crate) fn events(chunks: &[Value]) -> String {
    let mut text: String = chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect();
    text.push_str("data: [DONE]\n\n");
    text
}

/// A client's request with two tools and more fields.
pub(crate) fn request(more: Value) -> Value {
    let tool = |name: &str, parameter: &str| {
        json!({"type": "function", "function": {"name": name, "parameters": {
            "type": "object", "properties": {parameter: {"type": "string"}, "days": {"type": "integer"}}}}})
    };
    let mut request = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": true,
        "tools": [tool("get_weather", "city"), tool("get_time", "zone")]});
    for (key, value) in more.as_object().cloned().unwrap_or_default() {
        request[&key] = value;
    }
    request
}

pub(crate) fn exchange(request: &Value, policy: &Policy) -> Exchange {
    Exchange::read(Protocol::Chat, Protocol::Chat, request.to_string().as_bytes(), policy).unwrap()
}

/// Takes a stream in pieces of a size to the client.
pub(crate) fn stream_in(exchange: &Exchange, bytes: &[u8], size: usize, cut: Option<Fault>) -> (String, Report) {
    let mut turn = exchange.turn(1, 1000);
    let mut out = Vec::new();
    for piece in bytes.chunks(size) {
        turn.push(piece, &mut out);
    }
    turn.finish(cut.map_or(TurnEnd::Over, TurnEnd::Cut), &mut out);
    (String::from_utf8(out).unwrap(), turn.report())
}

/// Takes a stream to the client: whole, byte by byte, and cut in two at every byte, with the same bytes as a result.
#[track_caller]
pub(crate) fn stream(request: &Value, bytes: &str) -> String {
    let exchange = exchange(request, &Policy::default());
    let (expected, _) = stream_in(&exchange, bytes.as_bytes(), bytes.len().max(1), None);
    for size in [1, 3, 17] {
        assert_eq!(stream_in(&exchange, bytes.as_bytes(), size, None).0, expected, "pieces of {size}");
    }
    for at in 0..bytes.len() {
        let mut turn = exchange.turn(1, 1000);
        let mut out = Vec::new();
        turn.push(&bytes.as_bytes()[..at], &mut out);
        turn.push(&bytes.as_bytes()[at..], &mut out);
        turn.finish(TurnEnd::Over, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "cut at {at}");
    }
    expected
}
