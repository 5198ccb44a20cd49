//! Numbers keep their digits wherever an input goes.

use toolglot_json::{Map, json};

use super::{client, part, read, read_whole, told};
use crate::messages::{to_chat, whole};
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent};

const INPUT: &str = r#"{"id": 123456789012345678901234567890, "x": 1.10,"y":-0.0}"#;

#[test]
fn in_a_body_that_is_written() {
    let said = [
        part(Part::CallStart { call: 0, id: Some("a".into()), name: "f".into(), kind: CallKind::Function }),
        part(Part::Arguments { call: 0, text: INPUT.into() }),
        part(Part::CallEnd { call: 0 }),
        part(Part::Finish(Finish::ToolCalls)),
        ResponseEvent::End,
    ];
    let body = String::from_utf8(whole(&said, &client(Protocol::Chat))).unwrap();
    assert!(body.contains(&format!(r#""input":{INPUT}"#)), "{body}");
}

#[test]
fn in_a_body_that_is_read() {
    let text = r#"{"type": "text", "text": "Hi"}"#;
    let body = format!(
        r#"{{"content": [{text}, {{"type": "tool_use", "id": "a", "name": "f", "input": {INPUT}}}], "stop_reason": "tool_use"}}"#
    );
    let expected = format!("begin - -\ntext Hi\ncall 0 f a\narguments 0 {INPUT}\nend 0\nfinish ToolCalls\nover");
    assert_eq!(told(&read_whole(body.as_bytes())), expected);
}

#[test]
fn in_a_stream_that_begins_a_call_with_its_input() {
    let block = format!(r#"{{"type": "tool_use", "id": "a", "name": "f", "input": {INPUT}}}"#);
    let stream = format!(
        "data: {{\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {block}}}\n\ndata: [DONE]\n\n"
    );
    let expected = format!("begin - -\ncall 0 f a\narguments 0 {INPUT}\nend 0\nfinish ToolCalls\nover");
    assert_eq!(told(&read(stream.as_bytes())), expected);
}

#[test]
fn in_the_history_of_a_request() {
    let body = format!(
        r#"{{"messages": [{{"role": "user", "content": "x"}}, {{"role": "assistant", "content": [{{"type": "text", "text": "a"}},
        {{"type": "tool_use", "id": "a", "name": "f", "input": {INPUT}}}]}}]}}"#
    );
    let request: Map = serde_json::from_str(&body).unwrap();
    let chat = to_chat(&request, body.as_bytes(), &[], &mut Vec::new()).unwrap();
    assert_eq!(chat["messages"][1]["tool_calls"][0]["function"], json!({"name": "f", "arguments": INPUT}));
}
