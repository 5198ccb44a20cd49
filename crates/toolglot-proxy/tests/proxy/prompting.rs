//! Servers without tools: the tools are in the prompt, the client sees native calls.

use toolglot::{Dialects, Renderer, Rendering, Tools};
use toolglot_json::{Value, json};

use crate::support::*;

/// What Ollama says of a model whose template has no place for tools.
const REFUSAL: &str =
    r#"{"error":{"message":"registry.ollama.ai/library/m:latest does not support tools","type":"api_error"}}"#;

/// A server that refuses tools, and otherwise answers with a text.
async fn without_tools(text: &str) -> Server {
    let (text, message) = (text.to_owned(), |text: &str| {
        let choice = json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}});
        json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}).to_string()
    });
    Server::start(move |seen| {
        let body: Value = toolglot_json::from_slice(&seen.body).unwrap_or_default();
        let is_told = |message: &Value| message["role"] == "tool" || message.get("tool_calls").is_some();
        let has_tools =
            body.get("tools").is_some() || body["messages"].as_array().is_some_and(|it| it.iter().any(is_told));
        if has_tools {
            return whole("400 Bad Request", "", REFUSAL);
        }
        if body["stream"] != true {
            return whole("200 OK", "", &message(&text));
        }
        let delta = |piece: char| chunk(&json!({"content": piece.to_string()}).to_string(), "null");
        let mut frames: Vec<String> = text.chars().map(delta).collect();
        frames.push(chunk("{}", "\"stop\""));
        frames.push("data: [DONE]\n\n".to_owned());
        stream(&frames)
    })
    .await
}

/// A call of `ls` as a model of the dialect writes it.
fn call(dialect: &str) -> String {
    let all = Dialects::builtin();
    let renderer = Renderer::new(all.get(dialect).unwrap(), &Tools::from_json_str(TOOLS).unwrap());
    renderer.render(&Rendering::new().with_call("ls", r#"{"path": "a"}"#)).unwrap()
}

fn requests(server: &Server) -> Vec<Value> {
    server.seen().iter().filter(|seen| seen.line.starts_with("POST")).map(Seen::json).collect()
}

#[tokio::test]
async fn a_server_that_refuses_tools_is_asked_in_the_prompt_and_remembered() {
    let server = without_tools(&call("hermes")).await;
    let running = Running::before(&server, &[("route.mode", "auto")]).await;
    for path in PATHS {
        for streamed in [false, true] {
            let (head, body) = running.post(path, &request(path, streamed)).await;
            let body = String::from_utf8(body).unwrap();
            assert!(head.starts_with("HTTP/1.1 200"), "{path}: {head}{body}");
            assert_eq!(header(&head, "x-toolglot-prompt"), Some("hermes"), "{head}");
            assert!(body.contains(r#""name":"ls""#), "{path} {streamed}: {body}");
        }
    }
    let sent = requests(&server);
    assert_eq!(sent.len(), 7, "only the first request is sent twice");
    assert!(sent[0].get("tools").is_some() && sent[1..].iter().all(|body| body.get("tools").is_none()));
    assert!(sent[1]["messages"][0]["content"].as_str().unwrap().contains("# Tools"));
    let metrics = running.get("/metrics").await.1;
    assert!(
        metrics.contains("toolglot_prompted_requests_total{upstream=\"default\",dialect=\"hermes\"} 6"),
        "{metrics}"
    );
    assert!(metrics.contains("toolglot_retries_total{upstream=\"default\"} 1"), "{metrics}");
}

#[tokio::test]
async fn every_dialect_that_can_be_named_serves_every_client_in_prompt_mode() {
    for dialect in [
        "hermes",
        "qwen3_coder",
        "glm45",
        "glm47",
        "minimax_m2",
        "minicpm5",
        "pythonic",
        "mistral_v11",
        "deepseek_v3_2",
        "llama3_json",
        "kimi_k2",
        "seed_oss",
    ] {
        let server = without_tools(&call(dialect)).await;
        let running = Running::before(&server, &[("route.mode", "prompt"), ("route.teach", dialect)]).await;
        for path in PATHS {
            for streamed in [false, true] {
                let (head, body) = running.post(path, &request(path, streamed)).await;
                let body = String::from_utf8(body).unwrap();
                assert!(
                    head.starts_with("HTTP/1.1 200") && body.contains(r#""name":"ls""#),
                    "{dialect} {path}: {body}"
                );
            }
        }
        assert!(requests(&server).iter().all(|body| body.get("tools").is_none()));
    }
}

#[tokio::test]
async fn nothing_is_written_into_a_prompt_unless_it_is_asked_for() {
    let server = without_tools(&call("hermes")).await;
    let running = Running::before(&server, &[]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("does not support tools"));
    assert_eq!(requests(&server).len(), 1);
    assert_eq!(header(&head, "x-toolglot-prompt"), None);
}

#[tokio::test]
async fn calls_and_results_of_earlier_turns_are_text_also_without_tools() {
    let server = without_tools("Done.").await;
    let running = Running::before(&server, &[("route.mode", "prompt")]).await;
    let body = json!({"model": "m", "messages": [{"role": "user", "content": "go"},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{\"path\": \"a\"}"}}]},
        {"role": "tool", "tool_call_id": "a", "content": "a.txt"}]});
    let (head, _) = running.post(PATHS[0], &body.to_string()).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let sent = requests(&server).remove(0);
    assert_eq!(sent["messages"][1]["content"], call("hermes"));
    assert_eq!(sent["messages"][2], json!({"role": "user", "content": "<tool_response>\na.txt\n</tool_response>"}));
}
