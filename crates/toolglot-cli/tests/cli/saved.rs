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
    assert_eq!((&message["content"], &message["reasoning_content"]), (&json!("I look."), &json!("hm")));
    let arguments = |call: usize| message["tool_calls"][call]["function"]["arguments"].clone();
    assert_eq!((arguments(0), arguments(1)), (json!("{\"path\": \"/\"}"), json!("{\"path\": \"a\"}")));
    assert_eq!(message["tool_calls"][1]["id"], "c1");
}

#[test]
fn another_alternative_can_be_chosen() {
    let path = file("saved_alternatives.json", response());
    assert_eq!(message(&["parse", "--choice", "1", &path])["content"], "Hi");
    let told = toolglot(&["parse", &path], "").err;
    assert!(told.contains("choice 0 of 2 (--choice)"), "{told}");
    let done = toolglot(&["parse", "--choice", "2", &path], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("no choice 2: the response has 2"), "{}", done.err);
}

#[test]
fn a_stream_is_put_together() {
    let chunks = TEXT.split_inclusive(' ').map(|piece| json!({"choices": [{"index": 0, "delta": {"content": piece}}]}));
    let stream: String = chunks.map(|chunk| format!("data: {chunk}\r\n\r\n")).collect();
    let path = file("saved.sse", format!("{stream}data: [DONE]\r\n\r\n"));
    let message = message(&["parse", &path]);
    assert_eq!((&message["content"], message["tool_calls"].as_array().map(Vec::len)), (&json!("I look."), Some(1)));
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
    assert!(explained.contains("from the server: hm"), "{explained}");
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
        done.err.contains("the response ends with an error: out of memory") && !done.out.contains("out of memory"),
        "{}",
        done.err
    );
}

#[test]
fn raw_reads_the_bytes() {
    let path = file("saved_raw.json", response());
    assert_eq!(message(&["parse", "--raw", &path])["content"].as_str(), Some(response().as_str()));
}

#[test]
fn lines_may_be_recorded_bodies_of_every_protocol() {
    let chat = response();
    let responses = json!({"id": "r", "object": "response", "status": "completed", "text": {"format": {"type": "text"}},
        "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": TEXT}]}]});
    let messages = json!({"id": "m", "type": "message", "role": "assistant", "model": "x",
        "content": [{"type": "text", "text": TEXT}], "stop_reason": "end_turn"});
    let ollama =
        json!({"model": "x", "created_at": "t", "message": {"role": "assistant", "content": TEXT}, "done": true});
    let batch = json!({"id": "b", "custom_id": "mine", "response": {"status_code": 200, "body": messages}});
    let failed = json!({"id": "f", "error": {"message": "overloaded"}});
    let bodies = [chat, responses.to_string(), messages.to_string(), ollama.to_string(), batch.to_string()];
    let done = toolglot(&["parse", "--jsonl"], bodies.join("\n") + "\n" + &failed.to_string());
    let answers: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((done.code, answers.len()), (1, 6), "{}", done.out);
    for answer in &answers[..5] {
        assert_eq!(answer["message"]["content"], "I look.", "{answer}");
        assert_eq!(answer["message"]["tool_calls"][0]["function"]["arguments"], "{\"path\": \"/\"}", "{answer}");
    }
    let ids: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&Value::Null, &json!("r"), &json!("m"), &Value::Null, &json!("mine"), &json!("f")]);
    assert_eq!(answers[5]["error"], "the recorded response is an error: overloaded");
    let ollama = file("ollama.json", ollama.to_string());
    assert_eq!(message(&["parse", &ollama])["tool_calls"][0]["function"]["name"], "ls");
}
