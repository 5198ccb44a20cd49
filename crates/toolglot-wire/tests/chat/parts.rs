//! Answers with more than text and one call: refusals, several alternatives, many calls, words of the server's own.

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, TurnEnd, WireLimits};

use crate::accumulate::answer;
use crate::script::{chunk, delta, events, exchange, request, stream};

const CALL: &str = "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}</tool_call>";

fn body(choices: &Value) -> String {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": choices}).to_string()
}

fn whole(request: &Value, body: &str) -> Value {
    let out = exchange(request, &Policy::default()).turn(1, 1000).whole(body.as_bytes()).unwrap();
    serde_json::from_slice(&out).unwrap()
}

/// The data of all chunks of a stream, but for `[DONE]`.
fn chunks(stream: &str) -> Vec<Value> {
    let data = stream.split_terminator("\n\n").filter_map(|frame| frame.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[test]
fn a_refusal_stays_a_refusal() {
    let parts = json!([{"type": "text", "text": "I"}, {"type": "refusal", "refusal": " cannot"}, {"type": "odd"}]);
    for (message, content, refusal) in [
        (json!({"role": "assistant", "content": null, "refusal": "No."}), json!(null), "No."),
        (json!({"role": "assistant", "content": parts}), json!("I"), " cannot"),
    ] {
        let choices = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
        let message = whole(&request(json!({})), &body(&choices))["choices"][0]["message"].clone();
        let expected = if content.is_null() { json!("") } else { content };
        assert_eq!((&message["content"], &message["refusal"]), (&expected, &json!(refusal)), "{message}");
    }
    let out = stream(
        &request(json!({})),
        &events(&[delta(json!({"refusal": "No"})), delta(json!({"refusal": "."})), chunk(json!({}), json!("stop"))]),
    );
    let said: String =
        chunks(&out).iter().filter_map(|chunk| chunk["choices"][0]["delta"]["refusal"].as_str()).collect();
    assert_eq!(said, "No.");
}

#[test]
fn alternatives_of_a_whole_answer_are_read_each_by_itself() {
    let native = json!({"id": "call_a", "type": "function", "function": {"name": "get_time", "arguments": "{}"}});
    let choices = json!([
        {"index": 0, "message": {"role": "assistant", "content": format!("Hi{CALL}")}, "finish_reason": "stop"},
        {"index": 1, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"},
        {"index": 2, "message": {"role": "assistant", "content": null, "tool_calls": [native]}, "finish_reason": "stop"},
    ]);
    let out = whole(&request(json!({"n": 3})), &body(&choices));
    let gist = |choice: &Value| {
        let message = &choice["message"];
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        let names: Vec<String> = calls.map(|call| call["function"]["name"].to_string()).collect();
        format!("{} {} {names:?} {}", choice["index"], message["content"], choice["finish_reason"])
    };
    let gists: Vec<String> = out["choices"].as_array().unwrap().iter().map(gist).collect();
    assert_eq!(
        gists,
        [
            r#"0 "Hi" ["\"get_weather\""] "tool_calls""#,
            r#"1 "Hello" [] "stop""#,
            r#"2 null ["\"get_time\""] "tool_calls""#,
        ]
    );
}

#[test]
fn free_text_of_a_custom_tool_is_whole_in_a_whole_answer() {
    let wish = json!({"model": "m", "messages": [], "tools": [{"type": "custom", "custom": {"name": "run"}}]});
    let text = "<tool_call>{\"name\": \"run\", \"arguments\": {\"input\": \"a\\n\\\"b\\\"\"}}</tool_call>";
    let native = json!([{"id": "call_a", "type": "custom", "custom": {"name": "run", "input": "a\n\"b\""}}]);
    for message in [json!({"content": text}), json!({"content": null, "tool_calls": native})] {
        let out = whole(&wish, &body(&json!([{"index": 0, "message": message, "finish_reason": "stop"}])));
        let call = &out["choices"][0]["message"]["tool_calls"][0];
        assert_eq!((&call["type"], &call["custom"]), (&json!("custom"), &json!({"name": "run", "input": "a\n\"b\""})));
        assert_eq!((call.get("function"), &out["choices"][0]["finish_reason"]), (None, &json!("tool_calls")));
    }
}

#[test]
fn the_eleventh_call_is_where_the_eleventh_belongs() {
    let head = |index: usize| {
        delta(json!({"tool_calls": [{"index": index, "id": format!("call_{index}"), "type": "function",
            "function": {"name": "get_time", "arguments": format!("{{\"zone\": \"z{index}\"}}")}}]}))
    };
    let mut said: Vec<Value> = (0..12).map(head).collect();
    said.push(chunk(json!({}), json!("tool_calls")));
    let calls = answer(&stream(&request(json!({})), &events(&said))).calls;
    assert_eq!(calls.len(), 12);
    assert_eq!((calls[11].0.as_str(), calls[11].2.as_str()), ("call_11", "{\"zone\": \"z11\"}"));
}

#[test]
fn what_the_server_says_in_words_of_its_own_is_not_lost() {
    let out =
        stream(&request(json!({})), &events(&[delta(json!({"content": "Hi"})), chunk(json!({}), json!("abort"))]));
    assert_eq!(answer(&out).finish, "abort");
    let mut last = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [], "timings": {"ms": 7}});
    let said = [delta(json!({"content": "Hi"})), chunk(json!({}), json!("stop")), last.take()];
    let out = stream(&request(json!({})), &events(&said));
    assert_eq!(chunks(&out).last().unwrap()["timings"], json!({"ms": 7}), "{out}");
    let plain = json!([{"index": 0, "text": format!("Hi{CALL}"), "finish_reason": "stop"}]);
    let choice = whole(&request(json!({})), &body(&plain))["choices"][0].clone();
    assert_eq!((&choice["message"]["content"], &choice["finish_reason"]), (&json!("Hi"), &json!("tool_calls")));
}

#[test]
fn a_tool_that_cannot_be_read_does_not_hide_the_others() {
    let mut wish = request(json!({}));
    wish["tools"]
        .as_array_mut()
        .unwrap()
        .insert(0, json!({"type": "function", "function": {"description": "no name"}}));
    let out = whole(&wish, &body(&json!([{"index": 0, "message": {"content": CALL}, "finish_reason": "stop"}])));
    assert_eq!(out["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "get_weather");
}

/// A client's request of a protocol, for a stream.
fn wish(ingress: Protocol) -> Value {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    match ingress {
        Protocol::Chat => request(json!({})),
        Protocol::Responses => json!({"model": "m", "stream": true, "input": "go",
            "tools": [{"type": "function", "name": "get_weather", "parameters": schema}]}),
        Protocol::Messages => json!({"model": "m", "stream": true, "messages": [], "max_tokens": 9,
            "tools": [{"name": "get_weather", "input_schema": schema}]}),
        Protocol::Ollama => json!({"model": "m", "messages": [],
            "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": schema}}]}),
    }
}

#[test]
fn a_server_that_was_asked_for_a_stream_may_answer_whole() {
    let answer = body(&json!([{"index": 0, "message": {"content": format!("Hi{CALL}")}, "finish_reason": "stop"}]));
    for (ingress, call, end) in [
        (Protocol::Chat, "\"name\":\"get_weather\"", "[DONE]\n\n"),
        (Protocol::Responses, "\"type\":\"function_call\"", "response.completed"),
        (Protocol::Messages, "\"type\":\"tool_use\"", "{\"type\":\"message_stop\"}\n\n"),
        (Protocol::Ollama, "\"name\":\"get_weather\"", "\"done\":true"),
    ] {
        let body = wish(ingress).to_string();
        let exchange = Exchange::read(ingress, Protocol::Chat, body.as_bytes(), &Policy::default()).unwrap();
        let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
        let keep_alive = String::from_utf8(turn.keep_alive().to_vec()).unwrap();
        let is_comment = keep_alive.starts_with(':') || keep_alive.contains("\"ping\"");
        assert!(ingress == Protocol::Ollama || keep_alive.ends_with("\n\n") && is_comment);
        turn.push_whole(answer.as_bytes(), &mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(turn.is_over() && out.contains(call) && out.contains(end) && !out.contains("<tool_call>"), "{out}");
    }
    let idle = exchange(&json!({"model": "m", "messages": [], "stream": true}), &Policy::default());
    let (mut turn, mut out) = (idle.turn(1, 1), Vec::new());
    turn.push_whole(b"{}", &mut out);
    assert_eq!((turn.keep_alive(), out.as_slice()), (&b": keepalive\n\n"[..], &b"{}"[..]));
}

#[test]
fn a_line_that_is_too_long_ends_the_answer_with_an_error() {
    let policy = Policy::default().with_limits(WireLimits::default().with_line(200).with_event(300));
    let exchange = exchange(&request(json!({})), &policy);
    let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
    turn.push(format!("data: {}\n\n", delta(json!({"content": "Hi"}))).as_bytes(), &mut out);
    turn.push(format!("data: {}\n\n", delta(json!({"content": "x".repeat(300)}))).as_bytes(), &mut out);
    turn.finish(TurnEnd::Over, &mut out);
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("\"content\":\"Hi\"") && out.contains("\"error\"") && !out.contains("xxx"), "{out}");
    assert!(turn.report().fault.unwrap().to_string().contains("200"));
}
