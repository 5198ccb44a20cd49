//! Requests as clients write them: other paths for the same, compressed bodies, answers asked for again.

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use tokio::io::AsyncWriteExt;
use toolglot_json::Value;

use crate::support::*;

const ANSWER: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>"},"finish_reason":"stop"}]}"#;

fn gzip(text: &str) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

fn deflate(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn every_way_to_write_a_path_is_read() {
    let server = Server::start(|_| whole("200 OK", "", ANSWER)).await;
    let running = Running::before(&server, &[("upstream.engine", "generic"), ("upstream.protocol", "chat")]).await;
    for (path, plain) in [
        ("/v1/chat/completions/", PATHS[0]),
        ("/chat/completions", PATHS[0]),
        ("/v1/v1/chat/completions", PATHS[0]),
        ("//v1/chat/completions", PATHS[0]),
        ("/openai/deployments/m/chat/completions?api-version=1", PATHS[0]),
        ("/openai/v1/responses", PATHS[1]),
        ("/v1/responses/", PATHS[1]),
        ("/v1/v1/messages", PATHS[2]),
        ("/anthropic/v1/messages/", PATHS[2]),
    ] {
        let (head, body) = running.post(path, &request(plain, false)).await;
        let body = String::from_utf8(body).unwrap();
        assert!(head.starts_with("HTTP/1.1 200") && !body.contains("<tool_call>"), "{path}: {head}{body}");
        assert!(server.last().line.starts_with("POST /v1/chat/completions"), "{path}: {}", server.last().line);
    }
    let nameless = request(PATHS[0], false).replacen(r#""model":"m","#, "", 1);
    running.post("/openai/deployments/gpt%201/chat/completions", &nameless).await;
    assert_eq!(server.last().json()["model"], "gpt 1");
}

#[tokio::test]
async fn a_compressed_request_is_read_or_refused() {
    let server = Server::start(|_| whole("200 OK", "", ANSWER)).await;
    let running = Running::before(&server, &[("upstream.engine", "generic"), ("limits.body", "64 KiB")]).await;
    let plain = request(PATHS[0], false);
    let large = format!("{}{}", plain, " ".repeat(100_000));
    for (coding, body, status) in [
        ("gzip", gzip(&plain), 200),
        ("x-gzip", gzip(&plain), 200),
        ("deflate", deflate(&plain), 200),
        ("identity", plain.clone().into_bytes(), 200),
        ("br", gzip(&plain), 415),
        ("zstd", gzip(&plain), 415),
        ("gzip", plain.clone().into_bytes(), 400),
        ("gzip", gzip(&plain)[..40].to_vec(), 400),
        ("gzip", gzip(&large), 413),
    ] {
        let mut stream = running.connect().await;
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-encoding: {coding}\r\ncontent-length: {}\r\n\r\n",
            PATHS[0],
            body.len()
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        stream.write_all(&body).await.unwrap();
        let (head, body) = read_answer(&mut stream).await;
        let body = String::from_utf8_lossy(&body).into_owned();
        assert!(head.starts_with(&format!("HTTP/1.1 {status}")), "{coding}: {head}{body}");
        assert!(status != 415 || body.contains("gzip"), "{body}");
        if status == 200 {
            assert_eq!(
                (server.last().header("content-encoding"), server.last().json()["model"].as_str()),
                (None, Some("m"))
            );
        }
    }
}

#[tokio::test]
async fn a_compressed_request_without_tools_is_routed_by_its_model() {
    let server = Server::start(|_| whole("200 OK", "", r#"{"data":[]}"#)).await;
    let running = Running::before(&server, &[("route.model", "huge"), ("upstream.engine", "generic")]).await;
    let mut stream = running.connect().await;
    let body = gzip(r#"{"input":"x","model":"big"}"#);
    let head = format!(
        "POST /v1/embeddings HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-encoding: gzip\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body).await.unwrap();
    read_answer(&mut stream).await;
    assert_eq!(server.last().header("content-encoding"), None);
    assert_eq!(server.last().body, br#"{"input":"x","model":"huge"}"#);
}

#[tokio::test]
async fn an_answer_that_is_compressed_unasked_is_read_and_streams() {
    let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let go = std::sync::Arc::clone(&flag);
    let server = Server::start(move |seen| {
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n";
        if seen.json()["stream"] != true {
            let body = gzip(ANSWER);
            let head = format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n\r\n", body.len());
            return vec![Step::Send([head.into_bytes(), body].concat())];
        }
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(chunk(r#"{"role":"assistant","content":"first"}"#, "null").as_bytes()).unwrap();
        encoder.flush().unwrap();
        let first = std::mem::take(encoder.get_mut());
        for frame in call_as_text() {
            encoder.write_all(frame.as_bytes()).unwrap();
        }
        let rest = encoder.finish().unwrap();
        vec![Step::Send(head.into()), Step::Send(first), Step::Until(go.clone()), Step::Send(rest), Step::Close]
    })
    .await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    let answer: Value = toolglot_json::from_slice(&body).unwrap();
    assert_eq!(answer["choices"][0]["message"]["tool_calls"][0]["function"]["name"], "ls", "{head}");
    assert_eq!(header(&head, "content-encoding"), None);
    let mut stream = running.connect().await;
    stream.write_all(post(PATHS[0], &request(PATHS[0], true)).as_bytes()).await.unwrap();
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("first") {
        let read = tokio::io::AsyncReadExt::read_buf(&mut stream, &mut seen);
        let count =
            tokio::time::timeout(Duration::from_secs(10), read).await.expect("the first piece does not wait").unwrap();
        assert!(count > 0);
    }
    flag.store(true, std::sync::atomic::Ordering::Relaxed);
    let (_, rest) = read_answer(&mut stream).await;
    let text = String::from_utf8_lossy(&seen).into_owned() + &String::from_utf8_lossy(&rest);
    assert!(!text.contains("<tool_call>"), "{text}");
}

#[tokio::test]
async fn an_answer_can_be_asked_for_by_its_id() {
    let server = Server::start(|seen| match seen.line.starts_with("POST /v1/chat/completions") {
        true => whole("200 OK", "", ANSWER),
        false => whole("404 Not Found", "", r#"{"error":{"message":"nothing here"}}"#),
    })
    .await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let (_, body) = running.post(PATHS[1], &request(PATHS[1], false)).await;
    let told: Value = toolglot_json::from_slice(&body).unwrap();
    let path = format!("/v1/responses/{}", told["id"].as_str().unwrap());
    let (head, again) = running.get(&path).await;
    assert_eq!(toolglot_json::from_str(&again).unwrap(), told, "{head}");
    let delete = format!("DELETE {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
    let (_, deleted) = running.ask(&delete).await;
    assert_eq!(toolglot_json::from_slice(&deleted).unwrap()["deleted"], true);
    let (head, _) = running.get(&path).await;
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
    let (head, _) = running
        .ask(&format!(
            "GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer other\r\nconnection: close\r\n\r\n"
        ))
        .await;
    assert!(head.starts_with("HTTP/1.1 404"), "{head}");
}
