//! Calls that arrive as text leave as native ones, for clients of every protocol.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolglot_json::{Value, json};

use crate::support::*;

fn whole_answer() -> Vec<Step> {
    let message = json!({"role": "assistant", "content": "<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>"});
    let choices = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
    let usage = json!({"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3});
    let body =
        json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices, "usage": usage});
    whole("200 OK", "x-ratelimit-remaining: 5\r\n", &body.to_string())
}

/// Where each protocol says that a call was made, and which.
fn called(path: &str, body: &Value) -> (Value, Value, Value) {
    match path {
        "/v1/chat/completions" => {
            let call = &body["choices"][0]["message"]["tool_calls"][0]["function"];
            let arguments = serde_json::from_str(call["arguments"].as_str().unwrap_or_default()).unwrap_or_default();
            (call["name"].clone(), arguments, body["choices"][0]["finish_reason"].clone())
        }
        "/v1/responses" => {
            let items = body["output"].as_array().cloned().unwrap_or_default();
            let call = items.into_iter().find(|item| item["type"] == "function_call").unwrap_or_default();
            let arguments = serde_json::from_str(call["arguments"].as_str().unwrap_or_default()).unwrap_or_default();
            (call["name"].clone(), arguments, body["status"].clone())
        }
        _ => {
            let items = body["content"].as_array().cloned().unwrap_or_default();
            let call = items.into_iter().find(|item| item["type"] == "tool_use").unwrap_or_default();
            (call["name"].clone(), call["input"].clone(), body["stop_reason"].clone())
        }
    }
}

const ENDS: [&str; 3] = ["tool_calls", "completed", "tool_use"];

#[tokio::test]
async fn whole_answers_carry_native_calls() {
    let server = Server::start(|_| whole_answer()).await;
    let running = Running::before(&server, &[]).await;
    for (path, end) in PATHS.iter().zip(ENDS) {
        let (head, body) = running.post(path, &request(path, false)).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}{}", String::from_utf8_lossy(&body));
        let body: Value = toolglot_json::from_slice(&body).unwrap();
        assert_eq!(called(path, &body), (json!("ls"), json!({"path": "a"}), json!(end)), "{body}");
        assert_eq!(header(&head, "x-toolglot-dialect"), Some("hermes"));
        assert_eq!(
            (header(&head, "x-toolglot-tool-calls"), header(&head, "x-ratelimit-remaining")),
            (Some("1"), Some("5"))
        );
        assert!(header(&head, "server-timing").is_some_and(|timing| timing.starts_with("toolglot;dur=")), "{head}");
        assert_eq!(header(&head, "request-id").is_some(), path.ends_with("/messages"));
        assert!(server.last().line.starts_with("POST /v1/chat/completions "));
    }
}

#[tokio::test]
async fn streams_carry_native_calls() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[]).await;
    for (path, words) in PATHS.iter().zip([
        [r#""finish_reason":"tool_calls""#, r#""name":"ls""#],
        ["response.completed", "function_call_arguments.delta"],
        [r#""stop_reason":"tool_use""#, "input_json_delta"],
    ]) {
        let (head, body) = running.post(path, &request(path, true)).await;
        let text = String::from_utf8(body).unwrap();
        assert!(words.iter().all(|word| text.contains(word)), "{path}: {text}");
        assert!(!text.contains("tool_call>"), "{text}");
        assert_eq!(header(&head, "cache-control"), Some("no-cache"));
        assert_eq!(header(&head, "x-accel-buffering"), Some("no"));
        assert!(header(&head, "content-type").unwrap().starts_with("text/event-stream"));
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_streamed_for_it() {
    let server = Server::start(|_| whole_answer()).await;
    let running = Running::before(&server, &[]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], true)).await;
    assert!(header(&head, "content-type").unwrap().starts_with("text/event-stream"));
    let frames = frames(&body);
    assert_eq!(frames.last().map(String::as_str), Some("[DONE]"));
    assert!(frames.iter().any(|frame| frame.contains(r#""finish_reason":"tool_calls""#)), "{frames:?}");
}

#[tokio::test]
async fn keys_and_headers_are_the_servers() {
    let server = Server::start(|_| whole_answer()).await;
    let flags = [("upstream.key", "theirs"), ("keys", "ours")];
    let running = Running::before(&server, &flags).await;
    let asked = post("/v1/messages", &request("/v1/messages", false));
    let asked = asked.replacen(
        "host: localhost",
        "host: localhost\r\nx-api-key: ours\r\nanthropic-beta: b\r\naccept-encoding: gzip",
        1,
    );
    let (head, _) = running.ask(&asked).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let seen = server.last();
    assert_eq!((seen.header("authorization"), seen.header("x-api-key")), (Some("Bearer theirs"), None));
    assert_eq!((seen.header("accept-encoding"), seen.header("anthropic-beta")), (None, Some("b")));
}

#[tokio::test]
async fn what_the_server_is_decides_what_it_is_asked() {
    let server = Server::start(|seen| match seen.line.as_str() {
        "GET /v1/models HTTP/1.1" => whole("200 OK", "", r#"{"data":[{"id":"m","owned_by":"vllm"}]}"#),
        _ => whole_answer(),
    })
    .await;
    let running = Running::before(&server, &[]).await;
    running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert_eq!(server.last().json()["skip_special_tokens"], false);
}

#[tokio::test]
async fn a_server_without_a_parser_is_asked_in_another_form() {
    let server = Server::start(|seen| match seen.json_or_null()["tool_choice"].as_str() {
        Some("none") => whole_answer(),
        _ => whole(
            "400 Bad Request",
            "",
            r#"{"error":{"message":"\"auto\" tool choice requires --enable-auto-tool-choice"}}"#,
        ),
    })
    .await;
    let running = Running::before(&server, &[]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("tool_calls"));
    running.post(PATHS[2], &request(PATHS[2], false)).await;
    assert!(running.get("/metrics").await.1.contains("toolglot_retries_total{upstream=\"default\"} 1"));
    let asked: Vec<Seen> = server.seen().into_iter().filter(|seen| seen.line.contains("/chat/")).collect();
    assert_eq!(asked.len(), 3, "the refusal is remembered");
    assert_eq!(asked[2].json()["skip_special_tokens"], false, "only one engine refuses so");
}

impl Seen {
    fn json_or_null(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

#[tokio::test]
async fn after_lone_closers_later_answers_begin_inside_reasoning() {
    let server = Server::start(|_| {
        let piece = |text: &str| chunk(&format!("{{\"content\":\"{text}\"}}"), "null");
        stream(&[piece("why"), piece("</think>"), piece("because"), chunk("{}", "\"stop\""), "data: [DONE]\n\n".into()])
    })
    .await;
    let running = Running::before(&server, &[]).await;
    for number in 0..8 {
        let (_, body) = running.post(PATHS[0], &request(PATHS[0], true)).await;
        let text = String::from_utf8(body).unwrap();
        assert_eq!(text.contains(r#""reasoning_content":"why"#), number >= 2, "{number}: {text}");
        assert!(text.contains(r#""content":"because""#), "{text}");
    }
}

/// One answer that quotes a closer, or whose client opened the reasoning itself, tells nothing of the next client's.
#[tokio::test]
async fn one_lone_closer_does_not_change_the_next_clients_answer() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        if !request.line.starts_with("POST /v1/") {
            return whole("404 Not Found", "", "{}");
        }
        if asked.fetch_add(1, Ordering::Relaxed) % 4 == 1 {
            let text = chunk(r#"{"content":"why</think>because"}"#, "null");
            return stream(&[text, chunk("{}", "\"stop\""), "data: [DONE]\n\n".into()]);
        }
        stream(&call_as_text())
    })
    .await;
    let running = Running::before(&server, &[]).await;
    for number in 0..8 {
        let (_, body) = running.post(PATHS[0], &request(PATHS[0], true)).await;
        let text = String::from_utf8(body).unwrap();
        let is_call = text.contains(r#""finish_reason":"tool_calls""#) && !text.contains("reasoning_content");
        assert_eq!(is_call, number % 4 != 1, "{number}: {text}");
    }
}

#[tokio::test]
async fn the_demonstration_answers_in_the_dialect_asked_for() {
    let running = run(sources(&[("demo", "true")])).await;
    let ask = |model: &str, stream: bool| request(PATHS[0], stream).replacen("\"m\"", &format!("\"{model}\""), 1);
    let (_, raw) = running.post(PATHS[0], &ask("raw/qwen3_coder", false)).await;
    assert!(String::from_utf8(raw).unwrap().contains("<function=ls>"));
    for model in ["demo/qwen3_coder", "demo/kimi_k2", "demo/harmony", "anything"] {
        let (_, body) = running.post(PATHS[0], &ask(model, false)).await;
        let body: Value = toolglot_json::from_slice(&body).unwrap();
        assert_eq!(called(PATHS[0], &body), (json!("ls"), json!({"path": "Paris"}), json!("tool_calls")), "{body}");
    }
    let (_, streamed) = running.post(PATHS[0], &ask("demo/deepseek_v3", true)).await;
    assert!(String::from_utf8(streamed).unwrap().contains(r#""finish_reason":"tool_calls""#));
    let (head, body) = running.post(PATHS[0], &ask("demo/klingon", false)).await;
    assert!(head.starts_with("HTTP/1.1 404") && String::from_utf8(body).unwrap().contains("`klingon`"), "{head}");
    assert!(running.get("/v1/models").await.1.contains("demo/kimi_k2"));
}

/// A model whose prompt opens the reasoning closes what nothing seems to have opened; at last it does not think.
const THOUGHTS: [&str; 7] =
    ["I look.</think>1", "I look.</think>2", "I look.</think>3", "It is 4", "It is 5", "It is 6", "It is 7"];

#[tokio::test]
async fn that_the_prompt_opens_the_reasoning_is_learned_and_unlearned() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |request| {
        if !request.line.starts_with("POST ") {
            return whole("404 Not Found", "", "{}");
        }
        let message = json!({"role": "assistant", "content": THOUGHTS[asked.fetch_add(1, Ordering::Relaxed)]});
        let choices = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
        let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices});
        whole("200 OK", "", &body.to_string())
    })
    .await;
    let running = Running::before(&server, &[]).await;
    let mut said = Vec::new();
    for _ in THOUGHTS {
        let (_, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
        let message = toolglot_json::from_slice(&body).unwrap()["choices"][0]["message"].clone();
        said.push((message["reasoning_content"].clone(), message["content"].clone()));
    }
    let nothing = || Value::Null;
    assert_eq!(said[2], (json!("I look."), json!("3")), "learned from the first two: {said:?}");
    assert_eq!(said[3].0, json!("It is 4"), "{said:?}");
    assert_eq!(said[6], (nothing(), json!("It is 7")), "most of the last five say otherwise: {said:?}");
}

#[tokio::test]
async fn a_bare_null_means_what_the_setting_says() {
    let content = "<tool_call>\n<function=ls>\n<parameter=path>\nnull\n</parameter>\n</function>\n</tool_call>";
    let choices = json!([{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]);
    let answer = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": choices});
    let server = Server::start(move |_| whole("200 OK", "", &answer.to_string())).await;
    let nullable = request(PATHS[0], false).replace(r#""type":"string""#, r#""type":["string","null"]"#);
    for (flags, path) in [(&[][..], json!(null)), (&[("route.null_text", "text")], json!("null"))] {
        let running = Running::before(&server, flags).await;
        let (_, body) = running.post(PATHS[0], &nullable).await;
        let body: Value = toolglot_json::from_slice(&body).unwrap();
        assert_eq!(called(PATHS[0], &body).1, json!({"path": path}), "{flags:?}: {body}");
    }
}
