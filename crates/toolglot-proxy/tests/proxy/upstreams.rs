//! What a server speaks and what it is, found out without holding requests up.

use std::time::{Duration, Instant};

use toolglot_json::json;

use crate::support::*;

/// A server with one path; all others are not found.
async fn with_path(path: &'static str) -> Server {
    Server::start(move |seen| {
        if !seen.line.starts_with(&format!("POST {path} ")) {
            return whole("404 Not Found", "", "{\"error\": {\"message\": \"not found\"}}");
        }
        let call = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
        let body = match path {
            "/v1/chat/completions" => json!({"id": "c", "model": "m", "choices": [{"index": 0, "finish_reason": "stop",
                "message": {"role": "assistant", "content": call}}]}),
            "/v1/responses" => json!({"id": "r", "object": "response", "status": "completed", "model": "m", "output": [
                {"type": "message", "id": "i", "role": "assistant", "status": "completed",
                 "content": [{"type": "output_text", "text": call, "annotations": []}]}]}),
            _ => json!({"id": "m", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
                "content": [{"type": "text", "text": call}], "usage": {"input_tokens": 1, "output_tokens": 1}}),
        };
        whole("200 OK", "", &body.to_string())
    })
    .await
}

fn posts(server: &Server) -> Vec<String> {
    let lines = server.seen().into_iter().map(|seen| seen.line);
    lines.filter(|line| line.starts_with("POST")).map(|line| line.split(' ').nth(1).unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_protocol_of_a_server_is_what_it_has_a_path_for() {
    for path in PATHS {
        let server = with_path(path).await;
        let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
        for client in PATHS.into_iter().chain(PATHS) {
            let (head, body) = running.post(client, &request(client, false)).await;
            let body = String::from_utf8(body).unwrap();
            assert!(
                head.starts_with("HTTP/1.1 200") && body.contains(r#""name":"ls""#),
                "{path} {client}: {head}{body}"
            );
        }
        let posts = posts(&server);
        assert!(posts.len() <= 8, "only the first request looks: {posts:?}");
        assert!(posts[posts.len() - 5..].iter().all(|it| it == path), "{posts:?}");
    }
}

#[tokio::test]
async fn a_protocol_that_is_set_is_not_looked_for() {
    let server = with_path("/v1/messages").await;
    let running = Running::before(&server, &[("upstream.protocol", "chat")]).await;
    let (head, _) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    assert_eq!(posts(&server), ["/v1/chat/completions"]);
}

#[tokio::test]
async fn a_refusal_in_every_protocol_is_the_first_one() {
    let server = with_path("/nowhere").await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 404") && String::from_utf8(body).unwrap().contains("not found"), "{head}");
    assert_eq!(posts(&server), ["/v1/chat/completions", "/v1/messages", "/v1/responses", "/api/chat"]);
}

#[tokio::test]
async fn a_server_that_does_not_say_what_it_is_holds_nobody_up() {
    let server = Server::start(|seen| match seen.line.starts_with("POST") {
        true => whole("200 OK", "", r#"{"id":"c","model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Hi."}}]}"#),
        false => vec![Step::Hang],
    })
    .await;
    let running = Running::before(&server, &[]).await;
    let start = Instant::now();
    let one = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(
        one.0.starts_with("HTTP/1.1 200") && start.elapsed() < Duration::from_millis(1900),
        "{:?}",
        start.elapsed()
    );
    for _ in 0..5 {
        let start = Instant::now();
        running.post(PATHS[0], &request(PATHS[0], false)).await;
        assert!(start.elapsed() < Duration::from_millis(800), "{:?}", start.elapsed());
    }
}

#[tokio::test]
async fn a_proxy_whose_server_is_gone_is_not_ready_until_it_is_back() {
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = closed.local_addr().unwrap();
    drop(closed);
    let url = format!("http://{address}");
    let settings = [("upstream", url.as_str()), ("upstream.engine", "generic"), ("upstream.retries", "0")];
    let running = run(sources(&settings)).await;
    for _ in 0..2 {
        let (head, body) = running.get("/readyz").await;
        assert!(head.starts_with("HTTP/1.1 503") && body.contains("no model server"), "{head}{body}");
        let (head, _) = running.post(PATHS[0], &request(PATHS[0], false)).await;
        assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    }
    let back = tokio::net::TcpListener::bind(address).await.unwrap();
    tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        let (mut stream, _) = back.accept().await.unwrap();
        let _ = stream.read(&mut [0; 1024]).await;
        let _ = stream.write_all(b"HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n").await;
    });
    assert!(running.get("/readyz").await.0.starts_with("HTTP/1.1 200"), "an answer is an answer");
}

#[tokio::test]
async fn a_server_that_goes_between_requests_is_missed() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.read(&mut [0; 1024]).await;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\n{}").await;
        }
    });
    let settings = [("upstream", url.as_str()), ("upstream.engine", "generic"), ("upstream.retries", "0")];
    let running = run(sources(&settings)).await;
    assert!(running.get("/readyz").await.0.starts_with("HTTP/1.1 200"));
    server.abort();
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert!(running.get("/readyz").await.0.starts_with("HTTP/1.1 503"));
}
