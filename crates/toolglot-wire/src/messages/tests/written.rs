//! What is written for clients, in the cases that are not generated.

use toolglot_json::{Value, json};

use super::accumulate::accumulate;
use super::{client, part, write};
use crate::fault::{Fault, FaultKind};
use crate::messages::{MessagesWriter, whole};
use crate::port::ProtocolWriter;
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart, Usage};

fn ended(parts: Vec<Part>, finish: Finish) -> Vec<ResponseEvent> {
    let parts = parts.into_iter().chain([Part::Finish(finish)]).map(part);
    [ResponseEvent::Begin(ResponseStart::default())].into_iter().chain(parts).chain([ResponseEvent::End]).collect()
}

/// The message that clients make of the stream, which is also the body.
fn message(said: &[ResponseEvent], upstream: Protocol) -> Value {
    let accumulated = accumulate(&write(said, upstream)).unwrap();
    let body: Value = toolglot_json::from_slice(&whole(said, &client(upstream))).unwrap();
    assert_eq!(body, accumulated);
    accumulated
}

#[test]
fn an_answer_event_by_event() {
    let start = Part::CallStart { call: 0, id: Some("call_1".into()), name: "f".into(), kind: CallKind::Function };
    let parts = vec![
        Part::Reasoning("hm".into()),
        Part::Seal("sig".into()),
        Part::Text("Hi".into()),
        start,
        Part::Arguments { call: 0, text: "{}".into() },
        Part::CallEnd { call: 0 },
    ];
    let mut said = ended(parts, Finish::ToolCalls);
    said[0] = ResponseEvent::Begin(ResponseStart {
        id: Some("chatcmpl-1".into()),
        model: Some("m".into()),
        created: Some(1),
        ..ResponseStart::default()
    });
    let usage = Usage { input: 11, output: 7, cached: Some(4), ..Usage::default() };
    said.insert(said.len() - 1, ResponseEvent::Usage(usage));
    let expected = r#"event: message_start
data: {"type":"message_start","message":{"id":"chatcmpl-1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":15,"output_tokens":0}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"sig"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Hi"}}

event: content_block_stop
data: {"type":"content_block_stop","index":1}

event: content_block_start
data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"call_1","name":"f","input":{}}}

event: content_block_delta
data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{}"}}

event: content_block_stop
data: {"type":"content_block_stop","index":2}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"input_tokens":7,"cache_read_input_tokens":4,"output_tokens":7}}

event: message_stop
data: {"type":"message_stop"}

"#;
    assert_eq!(write(&said, Protocol::Chat), expected);
}

#[test]
fn the_word_for_the_end() {
    for (finish, upstream, word, sequence) in [
        (Finish::Stop, Protocol::Chat, "end_turn", Value::Null),
        (Finish::ToolCalls, Protocol::Chat, "tool_use", Value::Null),
        (Finish::Length, Protocol::Chat, "max_tokens", Value::Null),
        (Finish::ContentFilter, Protocol::Chat, "refusal", Value::Null),
        (Finish::StopSequence("END".into()), Protocol::Chat, "stop_sequence", "END".into()),
        (Finish::StopSequence(String::new()), Protocol::Messages, "stop_sequence", Value::Null),
        (Finish::Other("pause_turn".into()), Protocol::Messages, "pause_turn", Value::Null),
        (Finish::Other("insufficient_system_resource".into()), Protocol::Chat, "end_turn", Value::Null),
    ] {
        let message = message(&ended(vec![Part::Text("x".into())], finish), upstream);
        assert_eq!((&message["stop_reason"], &message["stop_sequence"]), (&word.into(), &sequence));
    }
}

#[test]
fn a_refusal_in_words_is_a_refusal() {
    let message = message(&ended(vec![Part::Refusal("No.".into())], Finish::Stop), Protocol::Chat);
    assert_eq!(message["content"], json!([{"type": "text", "text": "No."}]));
    assert_eq!(message["stop_reason"], "refusal");
}

#[test]
fn reasoning_after_a_seal_is_another_block() {
    let parts = vec![
        Part::Reasoning("a".into()),
        Part::Seal("1".into()),
        Part::Reasoning("b".into()),
        Part::Seal("2".into()),
        Part::Seal("3".into()),
    ];
    let block =
        |thinking: &str, signature: &str| json!({"type": "thinking", "thinking": thinking, "signature": signature});
    let message = message(&ended(parts, Finish::Stop), Protocol::Messages);
    assert_eq!(message["content"], json!([block("a", "1"), block("b", "2"), block("", "3")]));
}

#[test]
fn the_free_text_of_a_custom_tool_becomes_an_object() {
    let parts = vec![
        Part::CallStart { call: 0, id: Some("a".into()), name: "patch".into(), kind: CallKind::Custom },
        Part::Arguments { call: 0, text: "*** \"Begin\"\n".into() },
        Part::Arguments { call: 0, text: "\\".into() },
        Part::CallEnd { call: 0 },
    ];
    let message = message(&ended(parts, Finish::ToolCalls), Protocol::Chat);
    assert_eq!(message["content"][0]["input"], json!({"input": "*** \"Begin\"\n\\"}));
}

#[test]
fn citations_go_to_their_text() {
    let citation = |text: &str| {
        let delta = json!({"type": "citations_delta", "citation": {"cited_text": text}});
        Part::Own(json!({"type": "content_block_delta", "index": 9, "delta": delta}))
    };
    let start = Part::CallStart { call: 0, id: Some("call_1".into()), name: "f".into(), kind: CallKind::Function };
    let parts = vec![
        citation("nowhere"),
        start,
        Part::CallEnd { call: 0 },
        citation("first"),
        Part::Text("Hi".into()),
        citation("a"),
        citation("b"),
    ];
    let message = message(&ended(parts, Finish::Stop), Protocol::Messages);
    let citations = json!([{"cited_text": "first"}, {"cited_text": "a"}, {"cited_text": "b"}]);
    assert_eq!(message["content"][1], json!({"type": "text", "text": "Hi", "citations": citations}));
}

#[test]
fn items_of_other_protocols_and_alternatives_are_left_out() {
    let mut said = ended(
        vec![Part::Own(json!({"type": "response.web_search_call.searching"})), Part::Text("Hi".into())],
        Finish::Stop,
    );
    said.insert(1, ResponseEvent::Part { choice: 1, part: Part::Text("other".into()) });
    said.insert(1, ResponseEvent::Extra(json!({"system_fingerprint": "x"}).as_object().cloned().unwrap()));
    let message = message(&said, Protocol::Chat);
    assert_eq!(message["content"], json!([{"type": "text", "text": "Hi"}]));
    assert_eq!(message.get("system_fingerprint"), None);
}

#[test]
fn white_space_alone_is_no_block() {
    let text = |text: &str| Part::Text(text.to_owned());
    let call = |call: usize| {
        let id = Some(format!("call_{call}"));
        [Part::CallStart { call, id, name: "f".into(), kind: CallKind::Function }, Part::CallEnd { call }]
    };
    let between = [
        vec![text("\n")],
        call(0).into(),
        vec![text("\n"), text("\n")],
        call(1).into(),
        vec![text("\n"), text(" So.")],
    ];
    let said = ended(between.concat(), Finish::ToolCalls);
    let message = message(&said, Protocol::Chat);
    let kinds: Vec<&str> = message["content"].as_array().unwrap().iter().filter_map(|it| it["type"].as_str()).collect();
    assert_eq!(kinds, ["tool_use", "tool_use", "text"]);
    assert_eq!(message["content"][2]["text"], "\n So.");
    let blank = self::message(&ended(vec![text("\n")], Finish::Stop), Protocol::Chat);
    assert_eq!(blank["content"][0]["text"], "\n");
}

#[test]
fn what_is_empty_begins_no_block() {
    let parts = vec![Part::Text(String::new()), Part::Reasoning(String::new()), Part::Seal(String::new())];
    assert_eq!(message(&ended(parts, Finish::Stop), Protocol::Chat)["content"], json!([]));
}

#[test]
fn without_a_name_the_answer_has_one() {
    let message = message(&[ResponseEvent::End], Protocol::Chat);
    assert!(message["id"].as_str().unwrap().starts_with("msg_"));
    assert_eq!(message["model"], "asked");
    assert_eq!(message["stop_reason"], "end_turn");
}

#[test]
fn after_an_error_nothing_follows() {
    let fault = ResponseEvent::Fault(Fault::new(FaultKind::Upstream, "gone"));
    let said = [
        ResponseEvent::Begin(ResponseStart::default()),
        part(Part::Text("Hi".into())),
        fault,
        part(Part::Text("x".into())),
        ResponseEvent::End,
    ];
    assert_eq!(accumulate(&write(&said, Protocol::Chat)), Err("error: gone".into()));
}

#[test]
fn a_ping_may_come_at_any_time() {
    let mut writer = MessagesWriter::new(client(Protocol::Chat));
    let mut out = Vec::new();
    for said in ended(vec![Part::Text("Hi".into())], Finish::Stop) {
        out.extend_from_slice(writer.keep_alive());
        writer.write(&said, &mut out);
    }
    let message = accumulate(std::str::from_utf8(&out).unwrap()).unwrap();
    assert_eq!(message["content"][0]["text"], "Hi");
}
