//! Text completions: read where tools are declared, and byte for byte where none are.

use toolglot_json::{Value, json};

use crate::support::*;

const PATH: &str = "/v1/completions";
const CALL: &str = r#"Hi. <tool_call>{"name": "ls", "arguments": {"path": "a"}}</tool_call>"#;

fn completion(text: &str) -> String {
    json!({"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "text": text, "logprobs": null, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}})
    .to_string()
}

/// The call as a stream of text in three pieces.
fn chunks() -> Vec<String> {
    let chunk = |text: &str, finish: Value| {
        let choice = json!({"index": 0, "text": text, "logprobs": null, "finish_reason": finish});
        let chunk =
            json!({"id": "cmpl-1", "object": "text_completion", "created": 1, "model": "m", "choices": [choice]});
        format!("data: {chunk}\n\n")
    };
    let (first, rest) = CALL.split_at(9);
    let (second, third) = rest.split_at(30);
    vec![
        chunk(first, Value::Null),
        chunk(second, Value::Null),
        chunk(third, Value::Null),
        chunk("", "stop".into()),
        "data: [DONE]\n\n".to_owned(),
    ]
}

fn with_header(body: &str) -> String {
    post(PATH, body).replacen("host: localhost", &format!("host: localhost\r\nx-toolglot-tools: {TOOLS}"), 1)
}

fn assert_told(answer: &Value) {
    assert_eq!((&answer["object"], &answer["id"]), (&json!("text_completion"), &json!("cmpl-1")));
    let choice = &answer["choices"][0];
    assert_eq!((&choice["text"], &choice["finish_reason"]), (&json!("Hi. "), &json!("tool_calls")), "{answer}");
    assert_eq!(choice["tool_calls"][0]["function"], json!({"name": "ls", "arguments": "{\"path\": \"a\"}"}));
    assert!(choice["message"].is_null() && choice["tool_calls"][0]["id"].is_string(), "{answer}");
}

#[tokio::test]
async fn calls_stand_beside_the_text_wherever_tools_are_declared() {
    let server = Server::start(|_| whole("200 OK", "", &completion(CALL))).await;
    let file = std::env::temp_dir().join(format!("toolglot-tools-{}.json", std::process::id()));
    std::fs::write(&file, TOOLS).unwrap();
    let plain = Running::before(&server, &[]).await;
    let routed = Running::before(&server, &[("route.tools", file.to_str().unwrap()), ("route.model", "real")]).await;
    let bare = r#"{"model":"m", "prompt":"go"}"#;
    let inside = format!(r#"{{"model":"m","prompt":"go","tools":{TOOLS}}}"#);
    for (answer, sent) in [
        (plain.ask(&with_header(bare)).await, bare),
        (plain.post(PATH, &inside).await, r#"{"model":"m","prompt":"go"}"#),
        (routed.post("/openai/deployments/m/completions/", bare).await, r#"{"model":"real", "prompt":"go"}"#),
    ] {
        let told: Value = toolglot_json::from_slice(&answer.1).unwrap();
        assert_told(&told);
        assert_eq!(told["usage"]["total_tokens"], json!(7));
        assert!(server.seen().iter().any(|seen| seen.body == sent.as_bytes()), "{sent}");
        assert!(server.seen().iter().all(|seen| seen.header("x-toolglot-tools").is_none()));
        assert!(server.seen().iter().all(|seen| seen.line == "POST /v1/completions HTTP/1.1"));
    }
    std::fs::remove_file(file).unwrap();
}

#[tokio::test]
async fn a_stream_of_text_has_its_calls_in_chunks_of_their_own() {
    let server = Server::start(|_| stream(&chunks())).await;
    let running = Running::before(&server, &[]).await;
    let (head, body) = running.ask(&with_header(r#"{"model":"m","prompt":"go","stream":true}"#)).await;
    assert!(header(&head, "content-type").unwrap().starts_with("text/event-stream"), "{head}");
    let frames = frames(&body);
    assert_eq!(frames.last().map(String::as_str), Some("[DONE]"));
    let (mut text, mut name, mut arguments, mut finish) = (String::new(), String::new(), String::new(), None);
    for frame in &frames[..frames.len() - 1] {
        let chunk: Value = toolglot_json::from_str(frame).unwrap();
        assert_eq!(chunk["object"], "text_completion", "{frame}");
        let Some(choice) = chunk["choices"].get(0) else { continue };
        text += choice["text"].as_str().unwrap();
        let function = &choice["tool_calls"][0]["function"];
        name += function["name"].as_str().unwrap_or_default();
        arguments += function["arguments"].as_str().unwrap_or_default();
        finish = choice["finish_reason"].as_str().map(str::to_owned).or(finish);
    }
    assert_eq!((text.trim_end(), name.as_str(), finish.as_deref()), ("Hi.", "ls", Some("tool_calls")));
    assert_eq!(arguments, r#"{"path": "a"}"#);
}

#[tokio::test]
async fn a_stream_in_pieces_of_bytes_says_the_same() {
    let all = chunks().concat();
    let server = Server::start(move |_| stream(&all.chars().map(String::from).collect::<Vec<_>>())).await;
    let running = Running::before(&server, &[]).await;
    let (_, body) = running.ask(&with_header(r#"{"model":"m","prompt":"go","stream":true}"#)).await;
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains("\"ls\"") && text.contains("\"finish_reason\":\"tool_calls\""), "{text}");
    assert!(!text.contains("tool_call>") && text.ends_with("data: [DONE]\n\n"), "{text}");
}

#[tokio::test]
async fn without_tools_every_byte_stays() {
    let odd = r#"{ "object":"text_completion","choices":[ {"text":"<tool_call>{}"} ] ,"x":1e400}"#;
    let server = Server::start(move |_| whole("200 OK", "", odd)).await;
    let running = Running::before(&server, &[]).await;
    let request = r#"{ "prompt" :[1,2], "model":"m", "echo":true, "y":1e400 }"#;
    let (_, body) = running.post(PATH, request).await;
    assert_eq!(String::from_utf8(body).unwrap(), odd);
    assert_eq!(String::from_utf8(server.last().body).unwrap(), request);
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_and_reaches_no_server() {
    let server = Server::start(|_| whole("200 OK", "", &completion(CALL))).await;
    let running = Running::before(&server, &[]).await;
    for (body, word) in [
        (r#"{"prompt":"go","echo":true}"#, "echo"),
        (r#"{"prompt":"go","tool_choice":"required"}"#, "tool_choice"),
        ("[]", "object"),
    ] {
        let (head, told) = running.ask(&with_header(body)).await;
        assert!(head.starts_with("HTTP/1.1 400"), "{head}");
        assert!(String::from_utf8(told).unwrap().contains(word), "{word}");
    }
    let broken = with_header("{}").replace(TOOLS, "nothing");
    assert!(running.ask(&broken).await.0.starts_with("HTTP/1.1 400"));
    assert!(server.seen().is_empty());
}

#[tokio::test]
async fn a_servers_refusal_is_told_as_it_is() {
    let error = r#"{"error":{"message":"no such model","type":"x"}}"#;
    let server = Server::start(move |_| whole("404 Not Found", "", error)).await;
    let running = Running::before(&server, &[]).await;
    let (head, body) = running.ask(&with_header(r#"{"model":"m","prompt":"go"}"#)).await;
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    assert_eq!(String::from_utf8(body).unwrap(), error);
}
