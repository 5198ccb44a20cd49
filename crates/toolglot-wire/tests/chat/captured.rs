//! Answers from files: whose protocol they are, and what was said.

use toolglot_json::json;
use toolglot_wire::{EngineKind, Finish, Protocol, Transcript};

use crate::script::{events, good};

/// One call with the text `Hi` before it, streamed and whole, in each protocol.
fn captures() -> Vec<(Protocol, String)> {
    let arguments = "{\"city\": \"Paris\"}";
    let call = json!({"type": "tool_use", "id": "call_a", "name": "get_weather", "input": {"city": "Paris"}});
    let message = json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [{"type": "text", "text": "Hi"}, call], "stop_reason": "tool_use",
        "usage": {"input_tokens": 1, "output_tokens": 1}});
    let item = json!({"type": "function_call", "id": "fc_1", "call_id": "call_a", "name": "get_weather",
        "arguments": arguments, "status": "completed"});
    let text = json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": "Hi", "annotations": []}]});
    let response = json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "m", "status": "completed",
        "output": [text, item]});
    let mut chunks = good();
    chunks[0]["choices"][0]["delta"]["content"] = json!("Hi");
    let native =
        json!([{"id": "call_a", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}]);
    let chat = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": "Hi", "tool_calls": native}, "finish_reason": "tool_calls"}]});
    vec![
        (Protocol::Chat, chat.to_string()),
        (Protocol::Chat, events(&chunks)),
        (Protocol::Messages, message.to_string()),
        (Protocol::Responses, response.to_string()),
        (Protocol::Responses, format!("data: {}\n\n", json!({"type": "response.completed", "response": response}))),
    ]
}

#[test]
fn a_capture_of_any_protocol_says_the_same() {
    for (protocol, capture) in captures() {
        assert!(Transcript::begins(capture.as_bytes()), "{capture}");
        let saved = Transcript::read(capture.as_bytes()).unwrap();
        assert_eq!((saved.protocol, saved.fault), (protocol, None), "{capture}");
        let [alternative] = &saved.alternatives[..] else { panic!("{capture}") };
        assert_eq!((alternative.text.as_str(), &alternative.finish), ("Hi", &Some(Finish::ToolCalls)), "{capture}");
        let [call] = &alternative.calls[..] else { panic!("{capture}") };
        assert_eq!((call.id.as_deref(), call.name.as_str()), (Some("call_a"), "get_weather"));
        assert_eq!(toolglot_json::from_str(&call.arguments).unwrap(), json!({"city": "Paris"}), "{capture}");
    }
}

#[test]
fn a_capture_that_breaks_off_is_told_from_a_whole_one() {
    let (_, capture) = captures().swap_remove(1);
    let half = &capture[..capture.len() / 2];
    let fault = Transcript::read(half.as_bytes()).unwrap().fault.unwrap();
    assert_eq!(fault.code.as_deref(), Some("upstream_ended_early"));
}

#[test]
fn names_are_those_that_settings_and_paths_use() {
    for (protocol, name, path) in [
        (Protocol::Chat, "chat", "/chat/completions"),
        (Protocol::Responses, "responses", "/responses"),
        (Protocol::Messages, "messages", "/messages"),
    ] {
        assert_eq!((protocol.to_string().as_str(), protocol.path()), (name, path));
    }
    for name in EngineKind::NAMES {
        assert_eq!(name.parse::<EngineKind>().unwrap().to_string(), name);
    }
}
