//! Servers that fail, stall and break off; clients that leave.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toolglot_json::Value;
use toolglot_proxy::Sources;

use crate::support::*;

/// Checks that a body is an error in the shape of the path's protocol; returns its message.
fn message(path: &str, body: &[u8]) -> String {
    let body: Value = toolglot_json::from_slice(body).unwrap();
    assert_eq!(body["type"] == "error", path == "/v1/messages", "{body}");
    assert!(body["error"]["type"].is_string(), "{body}");
    body["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn refusals_come_in_the_shape_of_the_clients_protocol() {
    let refusal = r#"{"error":{"message":"slow down","type":"rate_limit_error","param":null,"code":"r"}}"#;
    let server =
        Server::start(move |_| whole("429 Too Many Requests", "retry-after: 60\r\nx-should-retry: true\r\n", refusal))
            .await;
    let running = Running::before(&server, &[]).await;
    for path in PATHS {
        for stream in [false, true] {
            let (head, body) = running.post(path, &request(path, stream)).await;
            assert!(head.starts_with("HTTP/1.1 429"), "{head}");
            assert_eq!(message(path, &body), "slow down");
            assert_eq!((header(&head, "retry-after"), header(&head, "x-should-retry")), (Some("60"), Some("true")));
        }
    }
    let (_, same) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert_eq!(same, refusal.as_bytes(), "what is in the right shape passes as it is");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_so() {
    let running = run(sources(&[("upstream", "http://127.0.0.1:1"), ("upstream.retries", "0")])).await;
    for path in PATHS {
        let (head, body) = running.post(path, &request(path, true)).await;
        assert!(head.starts_with("HTTP/1.1 502"), "{head}");
        let message = message(path, &body);
        assert!(message.contains("cannot reach the model server `http://127.0.0.1:1`: "), "{message}");
    }
    let (head, body) = running.get("/v1/models").await;
    assert!(head.starts_with("HTTP/1.1 502") && body.contains("upstream_unreachable"), "{head}{body}");
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("toolglot_upstream_errors_total{upstream=\"default\",code=\"upstream_unreachable\"} 4"));
}

#[tokio::test]
async fn one_of_several_servers_is_shown_with_its_name() {
    let path = std::env::temp_dir().join(format!("toolglot-several-{}.toml", std::process::id()));
    let server = |name: &str| format!("[[upstream]]\nname = '{name}'\nurl = 'http://127.0.0.1:1'\nretries = 0\n");
    std::fs::write(&path, server("one") + &server("two")).unwrap();
    let running = run(Sources { file: Some(path.clone()), ..sources(&[("watch", "no")]) }).await;
    std::fs::remove_file(path).unwrap();
    let (_, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    let message = message(PATHS[0], &body);
    assert!(message.contains("cannot reach the model server `one` (`http://127.0.0.1:1`): "), "{message}");
}

#[tokio::test]
async fn what_passes_is_tried_again_before_the_first_byte() {
    let server = Server::start(move |seen| match seen.line.contains("/chat/") {
        true => whole("503 Service Unavailable", "retry-after-ms: 30\r\n", "{}"),
        false => whole("404 Not Found", "", "{}"),
    })
    .await;
    let running = Running::before(&server, &[("upstream.retries", "2")]).await;
    let start = Instant::now();
    let (head, _) = running.post(PATHS[0], &request(PATHS[0], true)).await;
    assert!(head.starts_with("HTTP/1.1 503") && start.elapsed() >= Duration::from_millis(60), "{head}");
    let tries = server.seen().iter().filter(|seen| seen.line.contains("/chat/")).count();
    assert_eq!(tries, 3);
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("toolglot_resent_total{upstream=\"default\"} 2"), "{metrics}");
}

#[tokio::test]
async fn a_kept_connection_that_the_server_leaves_costs_no_request() {
    let asked = AtomicUsize::new(0);
    let server = Server::start(move |seen| match seen.line.contains("/chat/") {
        // Every second request finds its connection closed.
        true if asked.fetch_add(1, Ordering::Relaxed) % 2 == 1 => vec![Step::Close],
        true => whole("200 OK", "", r#"{"choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}"#),
        false => whole("404 Not Found", "", "{}"),
    })
    .await;
    let running = Running::before(&server, &[("upstream.protocol", "chat")]).await;
    for _ in 0..3 {
        let (head, _) = running.post(PATHS[0], &request(PATHS[0], false)).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    let never = Server::start(|_| vec![Step::Close]).await;
    let running = Running::before(&never, &[("upstream.protocol", "chat")]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    assert!(message(PATHS[0], &body).contains("closed the connection before it answered"));
    assert_eq!(never.seen().iter().filter(|seen| seen.line.contains("/chat/")).count(), 2);
}

#[tokio::test]
async fn broken_requests_are_told_what_is_wrong() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    let running = Running::before(&server, &[]).await;
    for path in PATHS {
        let (head, body) = running.post(path, "{nonsense").await;
        assert!(head.starts_with("HTTP/1.1 400") && header(&head, "x-should-retry") == Some("false"), "{head}");
        message(path, &body);
    }
    assert!(server.seen().iter().all(|seen| !seen.line.starts_with("POST")));
}

#[tokio::test]
async fn bodies_that_are_no_requests_are_told_so_in_plain_words() {
    let running = run(sources(&[("demo", "true")])).await;
    for path in PATHS {
        for body in ["[]", "[1,2,3,4]", "\"x\"", "7"] {
            let (head, answer) = running.post(path, body).await;
            assert!(head.starts_with("HTTP/1.1 400"), "{head}");
            assert_eq!(message(path, &answer), "invalid request: expected a JSON object", "{body}");
        }
    }
}

#[tokio::test]
async fn a_compressed_answer_is_told_as_such() {
    let server = Server::start(|_| whole("200 OK", "content-encoding: br\r\n", "xyz")).await;
    let running = Running::before(&server, &[]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 502") && message(PATHS[0], &body).contains("compressed its answer"), "{head}");
}

/// Every frame is whole, and the end is the protocol's or an error; nothing is left open.
fn check_end(path: &str, cut: usize, body: &[u8]) {
    let text = String::from_utf8(body.to_vec()).unwrap();
    assert!(text.is_empty() || text.ends_with("\n\n"), "{path} cut at {cut}: {text}");
    let frames = frames(body);
    let parsed: Vec<Value> =
        frames.iter().filter(|frame| *frame != "[DONE]").map(|frame| serde_json::from_str(frame).unwrap()).collect();
    let is_error = parsed
        .last()
        .is_some_and(|last| !last["error"].is_null() || last["type"] == "error" || last["type"] == "response.failed");
    let is_end = match path {
        "/v1/chat/completions" => frames.last().is_some_and(|last| last == "[DONE]"),
        "/v1/responses" => parsed.last().is_some_and(|last| last["type"] == "response.completed"),
        _ => parsed.last().is_some_and(|last| last["type"] == "message_stop"),
    };
    assert!(is_error != is_end, "{path} cut at {cut}: {text}");
}

#[tokio::test]
async fn a_stream_that_is_cut_at_any_byte_ends_honestly() {
    let whole = call_as_text().concat();
    let sent = whole.clone();
    // A chunked body without its last chunk: the transport itself says that it was cut.
    let server = Server::start(move |seen| {
        let cut: usize = seen.header("x-cut").and_then(|cut| cut.parse().ok()).unwrap_or_default();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        vec![Step::Send(format!("{head}{:x}\r\n{}", sent.len(), &sent[..cut]).into_bytes()), Step::Close]
    })
    .await;
    let running = Running::before(&server, &[]).await;
    for path in PATHS {
        for cut in 0..whole.len() {
            let asked = post(path, &request(path, true)).replacen(
                "host: localhost",
                &format!("host: localhost\r\nx-cut: {cut}"),
                1,
            );
            let (head, body) = running.ask(&asked).await;
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            check_end(path, cut, &body);
        }
    }
}

#[tokio::test]
async fn garbage_and_giants_do_no_harm() {
    let giant = format!("data: {}\n\n", "x".repeat(3 << 20));
    for (frames, limit) in [
        (vec!["\u{0}\u{1}: : :\n\ndata: {\"a\n\n".to_owned(), "event: x\nid: 1\n\n".to_owned()], "8 MiB"),
        (vec![giant], "1 MiB"),
    ] {
        let all: Vec<String> = frames.into_iter().chain(call_as_text()).collect();
        let server = Server::start(move |_| stream(&all)).await;
        let running = Running::before(&server, &[("limits.line", limit)]).await;
        for path in PATHS {
            let (head, body) = running.post(path, &request(path, true)).await;
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            check_end(path, 0, &body);
        }
    }
}

#[tokio::test]
async fn a_server_that_never_begins_is_given_up() {
    let server = Server::start(|_| vec![Step::Hang]).await;
    let running = Running::before(&server, &[("timeouts.first_byte", "150 ms"), ("upstream.engine", "generic")]).await;
    for path in PATHS {
        let (head, body) = running.post(path, &request(path, true)).await;
        assert!(head.starts_with("HTTP/1.1 504"), "{head}");
        assert!(message(path, &body).contains("did not answer within 150ms"));
    }
}

#[tokio::test]
async fn a_stalled_stream_is_kept_alive_and_then_given_up() {
    let first = call_as_text()[..2].concat();
    let server =
        Server::start(move |_| vec![Step::Send(STREAM.into()), Step::Send(first.clone().into_bytes()), Step::Hang])
            .await;
    let flags = [("timeouts.idle", "400 ms"), ("timeouts.keep_alive", "100 ms")];
    let mut running = Running::before(&server, &flags).await;
    for path in PATHS {
        let (_, body) = running.post(path, &request(path, true)).await;
        let text = String::from_utf8(body.clone()).unwrap();
        let alive = text.matches(": keepalive").count() + text.matches("event: ping").count();
        assert!((2..=4).contains(&alive), "{path}: {text}");
        assert!(text.contains("no data from the model server for 400ms"), "{path}: {text}");
        check_end(path, 0, &body);
    }
    let total = [("timeouts.total", "300 ms"), ("timeouts.keep_alive", "100 ms")];
    running = Running::before(&server, &total).await;
    let (_, body) = running.post(PATHS[0], &request(PATHS[0], true)).await;
    assert!(String::from_utf8(body).unwrap().contains("took longer than 300ms"));
}

#[tokio::test]
async fn a_client_hears_of_a_stream_that_says_nothing_for_it() {
    let frames = call_as_text();
    let server = Server::start(move |_| {
        let mut steps = vec![Step::Send(STREAM.into()), Step::Send(frames[..2].concat().into_bytes())];
        // The server is heard of all the time, but there is nothing to pass on.
        for _ in 0..20 {
            steps.extend([Step::Pause(Duration::from_millis(30)), Step::Send(b": ping\n\n".to_vec())]);
        }
        steps.extend([Step::Send(frames[2..].concat().into_bytes()), Step::Close]);
        steps
    })
    .await;
    let running = Running::before(&server, &[("timeouts.keep_alive", "100 ms"), ("timeouts.idle", "10 s")]).await;
    for path in PATHS {
        let (_, body) = running.post(path, &request(path, true)).await;
        let text = String::from_utf8(body).unwrap();
        let alive = text.matches(": keepalive").count() + text.matches("event: ping").count();
        assert!((2..=7).contains(&alive) && text.contains("\"ls\""), "{path}: {text}");
    }
}

#[tokio::test]
async fn a_relayed_answer_that_is_cut_is_cut_for_the_client_too() {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\ndata:\r\n";
    let server = Server::start(move |_| vec![Step::Send(head.into()), Step::Close]).await;
    let running = Running::before(&server, &[]).await;
    let mut client = running.connect().await;
    client.write_all(post("/v1/embeddings", r#"{"model":"m","stream":true}"#).as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    let _ = client.read_to_end(&mut bytes).await;
    assert!(!bytes.ends_with(b"0\r\n\r\n"), "the end of a body that has none is not invented");
}

#[tokio::test]
async fn a_relayed_stream_that_fails_ends_with_an_error() {
    let first = chunk(r#"{"content":"Hi"}"#, "null");
    let sent = STREAM.to_owned() + &first + "data: {\"cho";
    for (last, wanted) in [(Step::Close, "ended early"), (Step::Hang, "no data from the model server for 200ms")] {
        let (sent, last) = (sent.clone(), last.clone());
        let server = Server::start(move |_| vec![Step::Send(sent.clone().into_bytes()), last.clone()]).await;
        let running = Running::before(&server, &[("timeouts.idle", "200 ms"), ("upstream.engine", "generic")]).await;
        let (_, body) = running.post(PATHS[0], r#"{"model":"m","stream":true,"messages":[]}"#).await;
        let text = String::from_utf8(body.clone()).unwrap();
        assert!(text.starts_with(&first) && text.contains(wanted), "{text}");
        check_end(PATHS[0], 0, &body);
    }
}

#[tokio::test]
async fn answers_that_are_none_are_counted_as_what_the_client_gets() {
    let server = Server::start(|_| whole("200 OK", "", r#"{"id":"x","choi"#)).await;
    let running = Running::before(&server, &[]).await;
    let (head, _) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("model=\"*\",status=\"502\"} 1") && !metrics.contains("status=\"200\""), "{metrics}");
}

#[tokio::test]
async fn a_client_that_leaves_takes_its_request_along() {
    let first = call_as_text()[..2].concat();
    let mut server = Server::start(move |seen| match (seen.line.contains("/chat/"), seen.header("x-late")) {
        (false, _) => whole("404 Not Found", "", "{}"),
        (_, Some(_)) => vec![Step::Hang],
        _ => vec![Step::Send(STREAM.into()), Step::Send(first.clone().into_bytes()), Step::Hang],
    })
    .await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    for (late, stream) in [("", true), ("", false), ("x-late: 1\r\n", true), ("x-late: 1\r\n", false)] {
        for path in PATHS {
            let mut client = running.connect().await;
            let asked = post(path, &request(path, stream)).replacen(
                "host: localhost\r\n",
                &format!("host: localhost\r\n{late}"),
                1,
            );
            client.write_all(asked.as_bytes()).await.unwrap();
            let before = server.seen().len();
            until("the server has the request", || server.seen().len() >= before.max(1)).await;
            tokio::time::sleep(Duration::from_millis(30)).await;
            drop(client);
            let left = tokio::time::timeout(Duration::from_secs(2), server.left.recv()).await;
            assert!(left.is_ok(), "{path} {late:?} stream {stream}: the server was not told");
        }
    }
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("toolglot_client_disconnects_total{ingress=\"chat\"} 4"), "{metrics}");
    assert!(metrics.contains("toolglot_in_flight_requests 0"), "{metrics}");
}
