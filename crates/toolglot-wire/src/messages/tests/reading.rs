//! What servers of the protocol send besides text and calls, and what is none of its answers.

use toolglot_json::{Value, json};

use super::{read, read_whole, told};
use crate::exchange::Exchange;
use crate::policy::{Policy, WireLimits};
use crate::protocol::Protocol;
use crate::turn::TurnEnd;

use super::broken::{good, stream};

#[test]
fn a_body_that_is_no_message_is_a_fault() {
    for (body, fault) in [
        ("<html>", "fault Upstream: the model server"),
        ("{}", "fault Upstream: the model server's answer is not a Messages response"),
        (r#"{"type": "error", "error": {"type": "overloaded_error", "message": "later"}}"#, "fault Overloaded: later"),
        (r#"{"object": "error", "message": "bad", "code": 400}"#, "bad"),
    ] {
        let told = told(&read_whole(body.as_bytes()));
        assert!(told.contains(fault) && !told.contains("over\n"), "{body}: {told}");
    }
}

fn cited(citation: &str) -> Value {
    json!({"type": "char_location", "cited_text": citation, "document_index": 0, "start_char_index": 0, "end_char_index": 1})
}

/// What a client gets from a server that speaks its own protocol.
fn through(answer: &str, streamed: bool) -> String {
    let request = json!({"model": "m", "max_tokens": 9, "messages": [], "stream": streamed,
        "tools": [{"name": "ls", "input_schema": {"type": "object"}}]});
    let read =
        Exchange::read(Protocol::Messages, Protocol::Messages, request.to_string().as_bytes(), &Policy::default());
    let (mut turn, mut out) = (read.unwrap().turn(1, 1), Vec::new());
    match streamed {
        true => {
            turn.push(answer.as_bytes(), &mut out);
            turn.finish(TurnEnd::Over, &mut out);
        }
        false => out = turn.whole(answer.as_bytes()).unwrap(),
    }
    String::from_utf8(out).unwrap()
}

#[test]
fn citations_stay_with_their_text() {
    let block = json!({"type": "text", "text": "Hi", "citations": [cited("a"), cited("b")]});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [block],
        "stop_reason": "end_turn", "stop_sequence": null, "usage": {"input_tokens": 11, "output_tokens": 7}});
    let whole: Value = toolglot_json::from_str(&through(&message.to_string(), false)).unwrap();
    assert_eq!(whole["content"], json!([block]));

    let mut events = good();
    let delta = |citation: &str| {
        json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "citations_delta", "citation": cited(citation)}})
    };
    events.splice(3..3, [delta("a"), delta("b")]);
    let written = through(&stream(&events, true), true);
    let message = super::accumulate::accumulate(&written).unwrap();
    assert_eq!(written.matches("\"citations_delta\"").count(), 2, "{written}");
    assert_eq!(message["content"][0]["text"], "Hi");
    assert_eq!(message["content"].as_array().map(Vec::len), Some(2), "{message}");
}

#[test]
fn additions_are_known_by_what_they_carry() {
    let plain = told(&read(stream(&good(), true).as_bytes()));
    let mut bare = good();
    for event in &mut bare {
        if let Some(delta) = event.get_mut("delta").and_then(Value::as_object_mut) {
            delta.remove("type");
        }
    }
    assert_eq!(told(&read(stream(&bare, true).as_bytes())), plain);
    let mut text = good();
    text[1]["content_block"] = "Hi".into();
    text.remove(2);
    assert_eq!(told(&read(stream(&text, true).as_bytes())), plain);
    let mut nameless = good();
    nameless[5].as_object_mut().unwrap().remove("index");
    assert_eq!(told(&read(stream(&nameless, true).as_bytes())), plain);
    let mut other = good();
    other[8]["delta"]["stop_reason"] = "abort".into();
    assert_eq!(told(&read(stream(&other, true).as_bytes())), plain.replace("ToolCalls", "Other(\"abort\")"));
    let mut value = good();
    value.remove(6);
    value[5]["delta"]["partial_json"] = json!({"city": "Paris"});
    let found = told(&read(stream(&value, true).as_bytes()));
    assert_eq!(found, plain.replace("{\"city\": \"Paris\"}", "{\"city\":\"Paris\"}"));
}

#[test]
fn text_in_an_open_call_waits_only_so_long() {
    let mut events = good();
    let late =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "x".repeat(60)}});
    events.splice(5..5, [late.clone(), late]);
    let limits = WireLimits::default().with_held(100);
    let mut said = Vec::new();
    let mut reader = super::MessagesReader::new(limits);
    let mut frames = crate::sse::SseReader::new(&limits);
    frames.push(stream(&events, true).as_bytes());
    while let Some(frame) = frames.next_frame() {
        crate::port::ProtocolReader::frame(&mut reader, &frame.unwrap(), &mut said);
    }
    let told = told(&said);
    assert!(told.ends_with("(`limits.held`)"), "{told}");
}
