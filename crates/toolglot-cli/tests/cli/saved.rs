//! Answers that were saved from a server: whole responses and captured streams.

use serde_json::{Value, json};

use crate::{file, toolglot};

const TEXT: &str = "I look.\n<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"/\"}}</tool_call>";

/// A chat completion with a call in its text and a broken native one.
fn response() -> String {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{'path': 'a',}"}});
    let message = json!({"role": "assistant", "reasoning_content": "hm", "content": TEXT, "tool_calls": [call]});
    let other = json!({"index": 1, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"});
    let first = json!({"index": 0, "message": message, "finish_reason": "stop"});
    json!({"object": "chat.completion", "choices": [first, other]}).to_string()
}

fn message(args: &[&str]) -> Value {
    let done = toolglot(args, "");
    assert_eq!(done.code, 0, "{}", done.err);
    serde_json::from_str(&done.out).expect("a message")
}

#[test]
fn calls_of_the_text_and_native_ones_are_both_there() {
    let path = file("saved.json", response());
    let message = message(&["parse", &path]);
    assert_eq!((&message["content"], &message["reasoning_content"]), (&json!("I look.\n"), &json!("hm")));
    let arguments = |call: usize| message["tool_calls"][call]["function"]["arguments"].clone();
    assert_eq!((arguments(0), arguments(1)), (json!("{\"path\": \"/\"}"), json!("{\"path\": \"a\"}")));
    assert_eq!(message["tool_calls"][1]["id"], "c1");
}

#[test]
fn another_alternative_can_be_chosen() {
    let path = file("saved_alternatives.json", response());
    assert_eq!(message(&["parse", "--choice", "1", &path])["content"], "Hi");
    let told = toolglot(&["parse", &path], "").err;
    assert!(told.contains("it has 2 alternatives, of which --choice 0 is read"), "{told}");
    let done = toolglot(&["parse", "--choice", "2", &path], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("there is no alternative 2; the answer has 2"), "{}", done.err);
}

#[test]
fn a_stream_is_put_together() {
    let chunks = TEXT.split_inclusive(' ').map(|piece| json!({"choices": [{"index": 0, "delta": {"content": piece}}]}));
    let stream: String = chunks.map(|chunk| format!("data: {chunk}\r\n\r\n")).collect();
    let path = file("saved.sse", format!("{stream}data: [DONE]\r\n\r\n"));
    let message = message(&["parse", &path]);
    assert_eq!((&message["content"], message["tool_calls"].as_array().map(Vec::len)), (&json!("I look.\n"), Some(1)));
}

#[test]
fn events_and_explanations_list_native_calls() {
    let path = file("saved_events.json", response());
    let events = toolglot(&["parse", "--events", &path], "").out;
    assert!(
        events.contains(
            r#"{"type":"native_call","id":"c1","name":"ls","arguments":"{\"path\": \"a\"}","outcome":"repaired"}"#
        ),
        "{events}"
    );
    let explained = toolglot(&["explain", &path], "").out;
    assert!(explained.contains("`ls`, repaired: {\"path\": \"a\"}"), "{explained}");
    assert!(explained.contains("of the server: hm"), "{explained}");
    assert!(explained.contains("single_quotes: in the native call of `ls`"), "{explained}");
}

#[test]
fn a_repair_in_an_answer_without_text_has_no_line() {
    let call = json!({"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{'path': 1}"}});
    let choice = json!({"index": 0, "message": {"content": null, "tool_calls": [call]}, "finish_reason": "stop"});
    let path = file("saved_native.json", json!({"choices": [choice]}).to_string());
    let told = toolglot(&["parse", &path], "").err;
    assert!(told.contains("in the native call of `ls`") && told.contains(&format!("--> {path}\n")), "{told}");
}

#[test]
fn a_saved_error_is_no_text() {
    let path = file("saved_error.json", r#"{"error": {"message": "out of memory"}}"#);
    let done = toolglot(&["parse", &path], "");
    assert!(
        done.err.contains("it ends with an error: out of memory") && !done.out.contains("out of memory"),
        "{}",
        done.err
    );
}

#[test]
fn raw_reads_the_bytes() {
    let path = file("saved_raw.json", response());
    assert_eq!(message(&["parse", "--raw", &path])["content"].as_str(), Some(response().as_str()));
}
