//! Streams as servers break them, and what is made of them.

use toolglot_json::{Value, json};

use super::accumulate::accumulate;
use super::{read, told, write};
use crate::protocol::Protocol;

/// A change of the good stream's events.
pub(super) type Change = fn(&mut Vec<Value>);

const TEXT: &str = "text Hi\n";
const CALL: &str = "call 0 get_weather toolu_1\narguments 0 {\"city\": \"Paris\"}\nend 0\n";
const TAIL: &str = "finish ToolCalls\nusage 11 7\nover";

/// The good stream: message, text, call, end.
pub(super) fn good() -> Vec<Value> {
    vec![
        json!({"type": "message_start", "message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 11, "output_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1,
            "content_block": {"type": "tool_use", "id": "toolu_1", "name": "get_weather", "input": {}}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"city\":"}}),
        json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": " \"Paris\"}"}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": null},
            "usage": {"output_tokens": 7}}),
        json!({"type": "message_stop"}),
    ]
}

pub(super) fn stream(events: &[Value], named: bool) -> String {
    let frame = |event: &Value| match event {
        Value::String(text) => format!("data: {text}\n\n"),
        event if named => format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or("x")),
        event => format!("data: {event}\n\n"),
    };
    events.iter().map(frame).collect()
}

fn index(events: &mut [Value], index: u64) {
    events.iter_mut().for_each(|event| event["index"] = index.into());
}

fn block(index: u64, block: Value, delta: Value) -> [Value; 3] {
    [
        json!({"type": "content_block_start", "index": index, "content_block": block}),
        json!({"type": "content_block_delta", "index": index, "delta": delta}),
        json!({"type": "content_block_stop", "index": index}),
    ]
}

/// Streams from which the good answer is read.
pub(super) const SAME: [(&str, Change); 19] = [
    ("good", |_| {}),
    ("the usual ping", |events| events.insert(1, json!({"type": "ping"}))),
    ("a mark of the end that belongs to another protocol", |events| events.push("[DONE]".into())),
    ("the same mark in place of the end", |events| events[9] = "[DONE]".into()),
    ("no content in the first event", |events| drop(events[0]["message"].as_object_mut().unwrap().remove("content"))),
    ("a reason to stop before the start", |events| events[0]["message"]["stop_reason"] = "x".into()),
    ("no end", |events| drop(events.pop())),
    ("no stop of the call's block", |events| drop(events.remove(7))),
    ("no stops of blocks", |events| events.retain(|event| event["type"] != "content_block_stop")),
    ("no input at the start", |events| drop(events[4]["content_block"].as_object_mut().unwrap().remove("input"))),
    ("an input that is a text", |events| events[4]["content_block"]["input"] = "".into()),
    ("another input besides the deltas", |events| events[4]["content_block"]["input"] = json!({"x": 1})),
    ("an empty delta first", |events| {
        let mut empty = events[5].clone();
        empty["delta"]["partial_json"] = "".into();
        events.insert(5, empty);
    }),
    ("a gap between numbers", |events| index(&mut events[4..8], 5)),
    ("the same number twice", |events| index(&mut events[4..8], 0)),
    ("the same number twice and no stop between", |events| {
        index(&mut events[4..8], 0);
        events.remove(3);
    }),
    ("numbers the wrong way round", |events| {
        index(&mut events[1..4], 1);
        index(&mut events[4..8], 0);
    }),
    ("no numbers", |events| events.iter_mut().for_each(|event| drop(event.as_object_mut().unwrap().remove("index")))),
    ("an event that nobody knows", |events| events.insert(2, json!({"type": "toolglot_x", "index": 0}))),
];

#[test]
fn what_clients_stumble_over_is_read_as_if_it_were_good() {
    let expected = format!("begin msg_1 m\n{TEXT}{CALL}{TAIL}");
    for (name, change) in SAME {
        for named in [true, false] {
            let mut events = good();
            change(&mut events);
            let said = read(stream(&events, named).as_bytes());
            assert_eq!(told(&said), expected, "{name}");
            let message = accumulate(&write(&said, Protocol::Messages)).unwrap();
            assert_eq!(message["content"][1]["input"], json!({"city": "Paris"}), "{name}");
            assert_eq!(message["usage"], json!({"input_tokens": 11, "output_tokens": 7}), "{name}");
        }
    }
}

/// Streams that are read otherwise, and how.
pub(super) const OTHER: [(&str, Change, &str); 15] = [
    ("no first event", |events| drop(events.remove(0)), "begin - -\n{TEXT}{CALL}finish ToolCalls\nusage 0 7\nover"),
    (
        "no counts at the start",
        |events| drop(events[0]["message"].as_object_mut().unwrap().remove("usage")),
        "begin msg_1 m\n{TEXT}{CALL}finish ToolCalls\nusage 0 7\nover",
    ),
    (
        "no counts at the end",
        |events| events[8]["usage"] = Value::Null,
        "begin msg_1 m\n{TEXT}{CALL}finish ToolCalls\nusage 11 1\nover",
    ),
    (
        "another count of the input at the end",
        |events| events[8]["usage"] = json!({"input_tokens": 20, "cache_read_input_tokens": 4, "output_tokens": 9}),
        "begin msg_1 m\n{TEXT}{CALL}finish ToolCalls\nusage 24 9\nover",
    ),
    (
        "nothing of why it ended",
        |events| drop(events.remove(8)),
        "begin msg_1 m\n{TEXT}{CALL}finish ToolCalls\nusage 11 1\nover",
    ),
    (
        "a call without an id",
        |events| drop(events[4]["content_block"].as_object_mut().unwrap().remove("id")),
        "begin msg_1 m\n{TEXT}call 0 get_weather -\narguments 0 {\"city\": \"Paris\"}\nend 0\n{TAIL}",
    ),
    (
        "the input at the start alone",
        |events| {
            events[4]["content_block"]["input"] = json!({"city": "Rome"});
            events.drain(5..7);
        },
        "begin msg_1 m\n{TEXT}call 0 get_weather toolu_1\narguments 0 {\"city\":\"Rome\"}\nend 0\n{TAIL}",
    ),
    (
        "no input at all",
        |events| drop(events.drain(5..7)),
        "begin msg_1 m\n{TEXT}call 0 get_weather toolu_1\narguments 0 {}\nend 0\n{TAIL}",
    ),
    (
        "an input that is no JSON",
        |events| events[6]["delta"]["partial_json"] = "}}".into(),
        "begin msg_1 m\n{TEXT}call 0 get_weather toolu_1\narguments 0 {\"city\":}}\nend 0\n{TAIL}",
    ),
    (
        "the wrong reason",
        |events| events[8]["delta"]["stop_reason"] = "end_turn".into(),
        "begin msg_1 m\n{TEXT}{CALL}finish Stop\nusage 11 7\nover",
    ),
    (
        "a text that goes on while a call is open",
        |events| {
            let call = events.remove(4);
            events.insert(2, call);
        },
        "begin msg_1 m\n{CALL}{TEXT}{TAIL}",
    ),
    (
        "reasoning and its signature",
        |events| {
            let [start, delta, stop] = block(
                0,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                json!({"type": "thinking_delta", "thinking": "hm"}),
            );
            let seal = json!({"type": "content_block_delta", "index": 0,
                "delta": {"type": "signature_delta", "signature": "c2ln"}});
            events.splice(1..4, [start, delta, seal, stop]);
        },
        "begin msg_1 m\nreasoning hm\nseal c2ln\n{CALL}{TAIL}",
    ),
    (
        "reasoning without a signature",
        |events| {
            let thinking = json!({"type": "thinking_delta", "thinking": "hm"});
            drop(events.splice(1..4, block(0, json!({"type": "thinking", "thinking": ""}), thinking)));
        },
        "begin msg_1 m\nreasoning hm\n{CALL}{TAIL}",
    ),
    (
        "a block of a sort that only this protocol knows",
        |events| {
            let search = json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}});
            drop(events.splice(1..4, block(0, search, json!({"type": "input_json_delta", "partial_json": "{}"}))));
        },
        concat!(
            "begin msg_1 m\n",
            r#"own {"type":"content_block_start","content_block":{"type":"server_tool_use","id":"s","name":"web_search","input":{}}}"#,
            "\n",
            r#"own {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
            "\n",
            r#"own {"type":"content_block_stop"}"#,
            "\n{CALL}{TAIL}"
        ),
    ),
    ("an empty text", |events| drop(events.remove(2)), "begin msg_1 m\n{CALL}{TAIL}"),
];

#[test]
fn what_is_missing_or_strange_is_said_as_it_is() {
    for (name, change, expected) in OTHER {
        let mut events = good();
        change(&mut events);
        let expected = expected.replace("{TEXT}", TEXT).replace("{CALL}", CALL).replace("{TAIL}", TAIL);
        assert_eq!(told(&read(stream(&events, true).as_bytes())), expected, "{name}");
    }
}

#[test]
fn a_stream_that_breaks_off_is_no_answer() {
    for length in 0..=8 {
        let said = told(&read(stream(&good()[..length], true).as_bytes()));
        assert!(said.ends_with("fault Upstream: broke off"), "{length} events: {said}");
    }
}

#[test]
fn an_error_in_the_stream_ends_it() {
    let boom = json!({"type": "error", "error": {"type": "overloaded_error", "message": "boom"}});
    for error in [boom.clone(), json!({"error": {"type": "overloaded_error", "message": "boom"}})] {
        for named in [true, false] {
            let mut events = good();
            events.insert(6, error.clone());
            let said = read(stream(&events, named).as_bytes());
            assert!(told(&said).ends_with("arguments 0 {\"city\":\nfault Overloaded: boom"), "{said:?}");
            let written = write(&said, Protocol::Messages);
            assert_eq!(accumulate(&written), Err("error: boom".to_owned()));
            assert!(written.ends_with("event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"boom\"}}\n\n"));
        }
    }
}

#[test]
fn what_is_no_json_is_an_error() {
    let said = told(&read(b"event: message_start\ndata: <html>\n\n"));
    assert!(said.contains("fault Upstream: the model server sent an event that is not valid JSON"), "{said}");
}
