//! Whole turns: a client's request, a server's answer in any shape, what the client makes of it.

use toolglot_json::{Value, json};

use super::accumulate::accumulate;
use super::broken::{OTHER, SAME, good, stream};
use crate::exchange::Exchange;
use crate::policy::Policy;
use crate::protocol::Protocol;
use crate::turn::TurnEnd;

/// An answer on its way from a server to a client of this protocol, in pieces of a size.
fn through(upstream: Protocol, answer: &str, size: usize) -> String {
    through_with(&exchange(upstream, json!({"stream": true})), answer, size)
}

fn through_with(exchange: &Exchange, answer: &str, size: usize) -> String {
    let mut turn = exchange.turn(1, 1);
    let mut out = Vec::new();
    for piece in answer.as_bytes().chunks(size) {
        turn.push(piece, &mut out);
    }
    turn.finish(TurnEnd::Over, &mut out);
    String::from_utf8(out).unwrap()
}

/// A request with a tool and further fields.
fn exchange(upstream: Protocol, more: Value) -> Exchange {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let mut request = json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}],
        "tools": [{"name": "get_weather", "input_schema": schema}]});
    more.as_object().unwrap().iter().for_each(|(key, value)| request[key] = value.clone());
    read(upstream, &request.to_string())
}

fn read(upstream: Protocol, request: &str) -> Exchange {
    let policy = Policy::default().with_dialects(toolglot::Dialects::builtin());
    Exchange::read(Protocol::Messages, upstream, request.as_bytes(), &policy).unwrap()
}

/// The texts, the calls and the reason of a message whose ids are all there.
fn gist(message: &Value) -> (String, Vec<Value>, String) {
    let (mut text, mut calls) = (String::new(), Vec::new());
    for block in message["content"].as_array().unwrap() {
        match block["type"].as_str().unwrap() {
            "text" => text.push_str(block["text"].as_str().unwrap()),
            "tool_use" => calls.push(block["input"].clone()),
            _ => {}
        }
    }
    (text, calls, message["stop_reason"].as_str().unwrap().to_owned())
}

#[test]
fn broken_streams_come_out_right_however_they_are_cut() {
    let paris = || vec![json!({"city": "Paris"})];
    for (name, change) in SAME {
        let mut events = good();
        change(&mut events);
        for (named, size) in [(true, 1), (false, 7), (true, 100_000)] {
            let written = through(Protocol::Messages, &stream(&events, named), size);
            let message = accumulate(&written).unwrap_or_else(|error| panic!("{name}: {error}\n{written}"));
            assert_eq!(gist(&message), ("Hi".to_owned(), paris(), "tool_use".to_owned()), "{name}");
        }
    }
    for (name, change, _) in OTHER {
        let mut events = good();
        change(&mut events);
        let written = through(Protocol::Messages, &stream(&events, true), 1);
        let accumulated = accumulate(&written);
        match name {
            "an input that is no JSON" => assert!(accumulated.unwrap_err().contains("cannot be parsed")),
            _ => {
                let (_, calls, reason) =
                    gist(&accumulated.unwrap_or_else(|error| panic!("{name}: {error}\n{written}")));
                let expected = match name {
                    "the input at the start alone" => vec![json!({"city": "Rome"})],
                    "no input at all" => vec![json!({})],
                    _ => paris(),
                };
                assert_eq!((calls, reason.as_str()), (expected, "tool_use"), "{name}");
            }
        }
    }
}

/// A text as a server of a protocol streams it, in pieces of a size.
fn said_by(upstream: Protocol, text: &str, size: usize) -> String {
    let pieces: Vec<String> = text.chars().collect::<Vec<_>>().chunks(size).map(String::from_iter).collect();
    let mut events = vec![];
    match upstream {
        Protocol::Messages => {
            events.extend_from_slice(&good()[..2]);
            events.extend(pieces.iter().map(|piece| {
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}})
            }));
            events.push(good()[3].clone());
            events.push(
                json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 7}}),
            );
            events.push(good()[9].clone());
        }
        _ => {
            let chunk = |delta: Value, finish: Value| {
                json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                    "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
            };
            events.push(chunk(json!({"role": "assistant", "content": ""}), Value::Null));
            events.extend(pieces.iter().map(|piece| chunk(json!({"content": piece}), Value::Null)));
            events.push(chunk(json!({}), "stop".into()));
            events.push(json!({"object": "chat.completion.chunk", "choices": [],
                "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}));
            events.push("[DONE]".into());
        }
    }
    stream(&events, upstream == Protocol::Messages)
}

/// The same in one body.
fn whole_by(upstream: Protocol, text: &str) -> String {
    let answer = match upstream {
        Protocol::Messages => json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "stop_sequence": null,
            "usage": {"input_tokens": 11, "output_tokens": 7}}),
        _ => json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}}),
    };
    answer.to_string()
}

const PARIS: &str = r#"<tool_call>{"name": "get_weather", "arguments": {"city": "Paris"}}</tool_call>"#;
const ROME: &str = r#"<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>"#;

#[test]
fn calls_in_text_become_blocks() {
    let paris = json!({"city": "Paris"});
    for (text, content, calls, reason) in [
        ("Hello.".to_owned(), "Hello.", vec![], "end_turn"),
        (format!("Let me see.\n{PARIS}"), "Let me see.\n", vec![&paris], "tool_use"),
        (format!("<think>hm</think>\n{PARIS}\n{ROME}"), "", vec![&paris, &json!({"city": "Rome"})], "tool_use"),
    ] {
        for upstream in [Protocol::Chat, Protocol::Messages] {
            let body = exchange(upstream, json!({})).turn(1, 1).whole(whole_by(upstream, &text).as_bytes()).unwrap();
            let body: Value = toolglot_json::from_slice(&body).unwrap();
            let (found, inputs, why) = gist(&body);
            assert_eq!(found.trim_end(), content.trim_end(), "{text}");
            assert_eq!((inputs.iter().collect::<Vec<_>>(), why.as_str()), (calls.clone(), reason), "{text}");
            for size in [1, 5, 1_000] {
                let message = accumulate(&through(upstream, &said_by(upstream, &text, size), 11)).unwrap();
                assert_eq!(gist(&message), gist(&body), "{text}");
                assert_eq!(message["usage"], json!({"input_tokens": 11, "output_tokens": 7}));
            }
        }
    }
}

#[test]
fn one_call_is_enough_where_the_client_says_so() {
    let choice = json!({"type": "auto", "disable_parallel_tool_use": true});
    for upstream in [Protocol::Chat, Protocol::Messages] {
        let exchange = exchange(upstream, json!({"stream": true, "tool_choice": choice}));
        let answer = said_by(upstream, &format!("{PARIS}\n{ROME}"), 9);
        let message = accumulate(&through_with(&exchange, &answer, 1_000)).unwrap();
        assert_eq!(gist(&message).1, [json!({"city": "Paris"})]);
    }
}

#[test]
fn no_calls_where_the_client_wants_none() {
    for upstream in [Protocol::Chat, Protocol::Messages] {
        let exchange = exchange(upstream, json!({"stream": true, "tool_choice": {"type": "none"}}));
        let message = accumulate(&through_with(&exchange, &said_by(upstream, PARIS, 9), 1_000)).unwrap();
        assert_eq!(gist(&message), (PARIS.to_owned(), vec![], "end_turn".to_owned()));
    }
}

#[test]
fn a_server_of_the_same_protocol_gets_the_request_as_it_came_or_safe() {
    let request = |input: &str| {
        format!(
            r#"{{"model":"m", "max_tokens": 1e0, "tools": [{{"name": "f", "input_schema": {{}}}}], "messages": [
            {{"role": "assistant", "content": [{{"type": "tool_use", "id": "a", "name": "f", "input": {input}}}]}},
            {{"role": "user", "content": [{{"type": "tool_result", "tool_use_id": "a", "content": "ok"}}]}}]}}"#
        )
    };
    let good = request(r#"{"id": 123456789012345678901234567890}"#);
    assert_eq!(read(Protocol::Messages, &good).upstream_body(), good.as_bytes());
    let sent = read(Protocol::Messages, &request(r#""{'x': 1}""#)).upstream_body();
    let sent: Value = toolglot_json::from_slice(&sent).unwrap();
    assert_eq!(sent["messages"][0]["content"][0]["input"], json!({"x": 1}));
}

#[test]
fn what_cannot_be_said_is_noted() {
    let search = json!([{"type": "web_search_20250305", "name": "web_search"}]);
    assert_eq!(exchange(Protocol::Chat, json!({"tools": search})).notes().len(), 1);
    assert_eq!(exchange(Protocol::Messages, json!({"tools": search})).notes().len(), 0);
}

#[test]
fn the_count_of_the_server_is_there_at_once() {
    let usage = json!({"input_tokens": 5, "cache_read_input_tokens": 9, "output_tokens": 1});
    let mut events = good();
    events[0]["message"]["usage"] = usage.clone();
    let written = through(Protocol::Messages, &stream(&events[..3], true), 7);
    let data = written.split_once("data: ").unwrap().1.split_once("\n\n").unwrap().0;
    let start: Value = toolglot_json::from_str(data).unwrap();
    assert_eq!((&start["type"], &start["message"]["usage"]), (&json!("message_start"), &usage));
    let exchange = exchange(Protocol::Messages, json!({"stream": true}));
    let mut turn = exchange.turn(1, 1);
    turn.push(stream(&events[..3], true).as_bytes(), &mut Vec::new());
    turn.finish(TurnEnd::Over, &mut Vec::new());
    assert_eq!(turn.report().usage.map(|usage| usage.input), Some(14));
}

#[test]
fn a_citation_before_its_text_survives() {
    let citation = json!({"cited_text": "a"});
    let delta = json!({"type": "citations_delta", "citation": citation});
    let cited = json!({"type": "content_block_delta", "index": 0, "delta": delta});
    let mut events = good();
    events.insert(2, cited);
    let message = accumulate(&through(Protocol::Messages, &stream(&events, true), 7)).unwrap();
    assert_eq!(message["content"][0], json!({"type": "text", "text": "Hi", "citations": [citation]}));
}
