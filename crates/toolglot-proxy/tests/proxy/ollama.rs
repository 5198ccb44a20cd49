//! Ollama's own API on either side, and what its clients ask besides.

use toolglot_json::{Value, json};

use crate::support::*;

fn asked(stream: bool) -> String {
    format!(r#"{{"model":"m","stream":{stream},"messages":[{{"role":"user","content":"go"}}],"tools":{TOOLS}}}"#)
}

fn lines(body: &[u8]) -> Vec<Value> {
    String::from_utf8_lossy(body).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// A server that speaks Ollama's API and nothing else.
async fn native() -> Server {
    Server::start(|seen| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n\r\n";
        let line = |content: &str, more: Value| {
            let mut line = json!({"model": "m", "created_at": "x", "message": {"role": "assistant", "content": content}, "done": false});
            line.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
            format!("{line}\n")
        };
        let last = json!({"done": true, "done_reason": "stop", "prompt_eval_count": 3, "eval_count": 4});
        match seen.line.split(' ').nth(1).unwrap() {
            "/api/chat" if seen.json()["stream"] == false => whole("200 OK", "", &line(
                "<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>", last)),
            "/api/chat" => {
                let pieces = ["<tool_call>{\"name\": \"ls\", \"argu", "ments\": {\"path\": \"a\"}}</tool_call>"];
                let mut all: Vec<String> = pieces.iter().map(|piece| line(piece, json!({}))).collect();
                all.push(line("", last));
                let sends = all.into_iter().map(|line| Step::Send(line.into_bytes()));
                [Step::Send(head.into())].into_iter().chain(sends).chain([Step::Close]).collect()
            }
            "/api/generate" => whole("200 OK", "", r#"{"model":"m","response":"Hi","done":true}"#),
            "/api/tags" => whole("200 OK", "", r#"{"models":[{"name":"own"}]}"#),
            _ => whole("404 Not Found", "", "404 page not found"),
        }
    })
    .await
}

#[tokio::test]
async fn a_client_of_ollamas_api_gets_calls_from_a_chat_server() {
    let server = Server::start(|seen| match seen.line.split(' ').nth(1).unwrap() {
        "/v1/chat/completions" if seen.json()["stream"] == true => stream(&call_as_text()),
        "/v1/models" => whole("200 OK", "", r#"{"data":[{"id":"qwen","owned_by":"vllm"}]}"#),
        _ => whole("404 Not Found", "", "{}"),
    })
    .await;
    let running = Running::before(&server, &[]).await;
    for _ in 0..2 {
        let (head, body) = running.post("/api/chat", &asked(true)).await;
        assert_eq!(header(&head, "content-type"), Some("application/x-ndjson"), "{head}");
        let lines = lines(&body);
        let calls: Vec<&Value> =
            lines.iter().filter_map(|line| line["message"]["tool_calls"].as_array()).flatten().collect();
        assert_eq!(calls[0]["function"], json!({"index": 0, "name": "ls", "arguments": {"path": "a"}}));
        assert_eq!((calls.len(), &lines.last().unwrap()["done"]), (1, &json!(true)));
    }
    let posts = server.seen().iter().filter(|seen| seen.line.starts_with("POST /api/chat")).count();
    assert_eq!(posts, 1, "its own path is looked for once");
    let (_, tags) = running.get("/api/tags").await;
    assert_eq!(toolglot_json::from_str(&tags).unwrap()["models"][0]["model"], "qwen");
    let (_, show) = running.post("/api/show", r#"{"model":"qwen"}"#).await;
    assert_eq!(toolglot_json::from_slice(&show).unwrap()["capabilities"], json!(["completion", "tools"]));
    let (head, version) = running.get("/api/version").await;
    assert!(head.starts_with("HTTP/1.1 200") && version.contains("version"), "{head}{version}");
    let (head, body) = running.post("/api/chat", "{\"model\": 1").await;
    assert!(head.starts_with("HTTP/1.1 400") && lines(&body)[0]["error"].is_string(), "{head}");
}

#[tokio::test]
async fn clients_of_all_protocols_get_calls_from_a_server_of_ollamas_api() {
    let server = native().await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    for path in PATHS {
        for stream in [false, true] {
            let (head, body) = running.post(path, &request(path, stream)).await;
            let body = String::from_utf8(body).unwrap();
            assert!(
                head.starts_with("HTTP/1.1 200") && body.contains(r#""name":"ls""#),
                "{path} {stream}: {head}{body}"
            );
            assert!(!body.contains("<tool_call>"), "{body}");
        }
    }
    let (_, body) = running.post("/api/chat", &asked(true)).await;
    let text = String::from_utf8_lossy(&body).into_owned();
    assert!(text.contains(r#""arguments":{"path":"a"}"#) && !text.contains("<tool_call>"), "{text}");
    let (_, body) = running.post("/api/chat", &asked(false)).await;
    assert_eq!(lines(&body)[0]["eval_count"], 4);
    assert!(server.last().line.starts_with("POST /api/chat "));
}

#[tokio::test]
async fn what_has_no_tools_passes_between_ollama_and_its_clients() {
    let server = native().await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let asked = r#"{"model":"m",  "prompt":"p","raw":true}"#;
    let (_, body) = running.post("/api/generate", asked).await;
    assert_eq!(body, br#"{"model":"m","response":"Hi","done":true}"#);
    assert_eq!((server.last().body, &server.last().line[..18]), (asked.as_bytes().to_vec(), "POST /api/generate"));
    let (_, tags) = running.get("/api/tags").await;
    assert_eq!(tags, r#"{"models":[{"name":"own"}]}"#);
}
