//! What the proxy has no part in goes through byte for byte.

use crate::support::*;

#[tokio::test]
async fn any_path_and_method_goes_through() {
    let server = Server::start(|seen| {
        let steps = whole("418 I'm a teapot", "x-theirs: 1\r\nkeep-alive: timeout=9\r\n", &seen.line);
        if seen.line.starts_with("GET /v1/models ") { whole("404 Not Found", "", "") } else { steps }
    })
    .await;
    let running = Running::before(&server, &[]).await;
    for (line, wanted) in [
        ("DELETE /v1/files/a%20b?x=1&y", "DELETE /v1/files/a%20b?x=1&y HTTP/1.1"),
        ("PUT /tokenize", "PUT /tokenize HTTP/1.1"),
        ("GET /v1/chat/completions", "GET /v1/chat/completions HTTP/1.1"),
        ("GET /anthropic/v1/models/m", "GET /v1/models/m HTTP/1.1"),
        ("POST /v1/embeddings", "POST /v1/embeddings HTTP/1.1"),
    ] {
        let request = format!(
            "{line} HTTP/1.1\r\nhost: localhost\r\nx-mine: 1\r\nauthorization: Bearer k\r\nte: trailers\r\nx-hop: 1\r\n\
             traceparent: 00-1\r\nconnection: close, x-hop\r\ncontent-length: 4\r\n\r\n\u{0}\u{1}{{x"
        );
        let (head, body) = running.ask(&request).await;
        assert_eq!(String::from_utf8_lossy(&body), wanted);
        assert!(head.starts_with("HTTP/1.1 418"), "{head}");
        assert_eq!((header(&head, "x-theirs"), header(&head, "keep-alive")), (Some("1"), None));
        let seen = server.last();
        assert_eq!(seen.body, b"\x00\x01{x");
        assert_eq!((seen.header("x-mine"), seen.header("x-hop"), seen.header("te")), (Some("1"), None, None));
        assert_eq!((seen.header("authorization"), seen.header("traceparent")), (Some("Bearer k"), Some("00-1")));
        assert_eq!(seen.header("via"), Some("1.1 toolglot"));
        assert_eq!(seen.header("x-request-id"), header(&head, "x-request-id"));
    }
}

#[tokio::test]
async fn no_path_leads_to_another_server() {
    let server = Server::start(|seen| whole("200 OK", "", &seen.line)).await;
    let other = Server::start(|_| whole("200 OK", "", "other")).await;
    let (running, host) = (Running::before(&server, &[]).await, other.url().replace("http://", ""));
    for path in [
        other.url(),
        format!("{}/v1/models", other.url()),
        format!("//{host}/v1/models"),
        format!("/@{host}/"),
        format!("/v1@{host}/"),
        format!("/v1/..//{host}/"),
        format!("/v1/chat/completions?u={}", other.url()),
    ] {
        for host in [host.as_str(), "localhost"] {
            let request =
                format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nx-forwarded-host: {host}\r\nconnection: close\r\n\r\n");
            let (head, body) = running.ask(&request).await;
            assert!(!body.starts_with(b"other"), "{path}");
            assert!(head.starts_with("HTTP/1.1 400") || body.starts_with(b"GET /"), "{path}: {head}");
            assert!(server.seen().iter().all(|seen| seen.header("host") == Some(&server.url()[7..])), "{path}");
        }
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn without_tools_request_and_answer_keep_every_byte() {
    let frames =
        vec![": hello\r\ndata:{\"odd\" :1}\r\n\r\n".to_owned(), "garbage\n\n".to_owned(), "data: [DONE]".to_owned()];
    let sent = frames.concat();
    let server = Server::start(move |_| stream(&frames)).await;
    let running = Running::before(&server, &[]).await;
    let request = "{ \"messages\":[] ,\"stream\" : true,\"unknown\":1e400, \"model\":\"m\"}";
    let (head, body) = running.post("/v1/chat/completions", request).await;
    assert_eq!(String::from_utf8(body).unwrap(), sent);
    assert_eq!(header(&head, "content-type"), Some("text/event-stream"));
    assert_eq!(String::from_utf8(server.last().body).unwrap(), request);
}

#[tokio::test]
async fn a_route_that_is_off_changes_nothing_but_the_models_name() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[("route.dialect", "off"), ("route.model", "real \"name\"")]).await;
    let request = request("/v1/chat/completions", true);
    let (_, body) = running.post("/v1/chat/completions", &request).await;
    assert_eq!(String::from_utf8(body).unwrap(), call_as_text().concat());
    let wanted = request.replacen("\"m\"", "\"real \\\"name\\\"\"", 1);
    assert_eq!(String::from_utf8(server.last().body).unwrap(), wanted);
}

#[tokio::test]
async fn a_route_that_is_off_reads_no_calls_for_clients_of_other_protocols_either() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[("route.dialect", "off"), ("upstream.engine", "llama.cpp")]).await;
    for path in PATHS {
        let (_, body) = running.post(path, &request(path, true)).await;
        let text = String::from_utf8(body).unwrap();
        assert!(!text.contains("tool_use") && !text.contains("function_call"), "{path}: {text}");
        assert!(text.contains("call>"), "{path}: {text}");
        assert_eq!(server.last().json().get("parse_tool_calls"), None, "{path}");
    }
}

#[tokio::test]
async fn other_requests_go_to_the_server_of_their_model() {
    let one = Server::start(|_| whole("200 OK", "", r#"{"data":[{"id":"one"}]}"#)).await;
    let two = Server::start(|_| whole("200 OK", "", r#"{"data":[{"id":"two"}]}"#)).await;
    let path = std::env::temp_dir().join(format!("toolglot-servers-{}.toml", std::process::id()));
    let file = format!(
        "listen = '127.0.0.1:0'\nlog = 'off'\n[[upstream]]\nname = 'one'\nurl = '{}'\n[[upstream]]\nname = 'two'\nurl = '{}'\n\
         [[route]]\nmodels = ['big*']\nupstream = 'two'\nmodel = 'huge'\n",
        one.url(),
        two.url()
    );
    std::fs::write(&path, file).unwrap();
    let running = run(toolglot_proxy::Sources { file: Some(path.clone()), ..Default::default() }).await;
    running.post("/v1/embeddings", r#"{"input": "x", "model":"bigger"}"#).await;
    assert_eq!(two.last().body, br#"{"input": "x", "model":"huge"}"#);
    running.post("/v1/embeddings", r#"{"model":"small"}"#).await;
    assert_eq!(one.last().body, br#"{"model":"small"}"#);
    let (_, models) = running.get("/v1/models").await;
    assert_eq!(models, r#"{"object":"list","data":[{"id":"one"},{"id":"two"}]}"#);
    std::fs::remove_file(path).unwrap();
}

#[tokio::test]
async fn tokens_are_counted_by_the_server_or_guessed() {
    let server = Server::start(|seen| match seen.header("x-can") {
        Some(_) => whole("200 OK", "", r#"{"input_tokens":7}"#),
        None => whole("404 Not Found", "", "{}"),
    })
    .await;
    let running = Running::before(&server, &[]).await;
    let body = r#"{"model":"m","messages":[{"role":"user","content":"How are you?"}]}"#;
    for path in ["/v1/messages/count_tokens", "/anthropic/v1/messages/count_tokens", "/messages/count_tokens"] {
        let (_, guess) = running.post(path, body).await;
        assert_eq!(guess, br#"{"input_tokens":11}"#, "of the messages, not of all the body");
        assert!(server.last().line.starts_with("POST /v1/messages/count_tokens"));
    }
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("ingress=\"other\",upstream=\"default\",model=\"\",status=\"200\"} 3"), "{metrics}");
    assert!(!metrics.contains("toolglot_client_disconnects_total{"), "{metrics}");
    let request = post("/v1/messages/count_tokens", body).replacen("host: localhost", "host: localhost\r\nx-can: 1", 1);
    assert_eq!(running.ask(&request).await.1, br#"{"input_tokens":7}"#);
}
