//! What a web page may ask for without a key: nothing, unless it is told otherwise.

use crate::support::*;

/// Asks with these headers; returns the status and the answer.
async fn ask(running: &Running, line: &str, headers: &str, body: &str) -> (u16, String, String) {
    let length = body.len();
    let text = format!("{line} HTTP/1.1\r\n{headers}connection: close\r\ncontent-length: {length}\r\n\r\n{body}");
    let (head, body) = running.ask(&text).await;
    let status = head.get(9..12).and_then(|status| status.parse().ok()).unwrap_or_default();
    (status, head, String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test]
async fn a_page_that_calls_itself_by_another_name_is_refused() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    let running = Running::before(&server, &[("hosts", "toolglot,Proxy.Internal")]).await;
    for (host, wanted) in [
        ("localhost", 200),
        ("LOCALHOST:8642", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:1", 200),
        ("192.168.1.2", 200),
        ("toolglot:8642", 200),
        ("proxy.internal", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("", 403),
    ] {
        for line in ["POST /v1/chat/completions", "DELETE /api/delete", "GET /v1/models", "GET /metrics"] {
            let (status, _, body) = ask(&running, line, &format!("host: {host}\r\n"), "{}").await;
            assert_eq!(status, wanted, "{line} at {host}: {body}");
            assert_eq!(body.contains("`hosts`"), wanted == 403, "{body}");
        }
        let (status, _, _) = ask(&running, "GET /health", &format!("host: {host}\r\n"), "").await;
        assert_eq!(status, 200, "whether it is alive is no secret");
    }
    assert!(server.seen().iter().all(|seen| seen.header("host") == Some(&server.url()[7..])));
}

#[tokio::test]
async fn a_page_of_another_site_is_refused_unless_it_is_listed() {
    let server = Server::start(|_| whole("200 OK", "access-control-allow-origin: *\r\n", "{}")).await;
    let running = Running::before(&server, &[("origins", "https://chat.example")]).await;
    for (headers, wanted, reads) in [
        ("origin: https://evil.example", 403, false),
        ("origin: null", 403, false),
        ("origin: https://chat.example.evil.example", 403, false),
        ("sec-fetch-site: cross-site", 403, false),
        ("sec-fetch-site: same-origin", 200, false),
        ("origin: http://localhost:3000", 200, false),
        ("origin: https://chat.example", 200, true),
        ("x-none: 1", 200, false),
    ] {
        for line in ["POST /v1/chat/completions", "GET /v1/models"] {
            let (status, head, body) = ask(&running, line, &format!("host: localhost\r\n{headers}\r\n"), "{}").await;
            assert_eq!(status, wanted, "{line} {headers}: {body}");
            let allowed = header(&head, "access-control-allow-origin");
            assert_eq!(allowed, reads.then_some("https://chat.example"), "{line} {headers}");
        }
    }
    let asks = |origin: &str| {
        format!(
            "host: localhost\r\norigin: {origin}\r\naccess-control-request-method: POST\r\n\
             access-control-request-headers: content-type\r\n"
        )
    };
    let line = "OPTIONS /v1/chat/completions";
    let (status, head, _) = ask(&running, line, &asks("https://chat.example"), "").await;
    assert_eq!((status, header(&head, "access-control-allow-headers")), (204, Some("content-type")));
    let (status, head, _) = ask(&running, line, &asks("https://evil.example"), "").await;
    assert_eq!((status, header(&head, "access-control-allow-origin")), (403, None));
}

#[tokio::test]
async fn who_has_a_key_may_come_from_anywhere() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    let running = Running::before(&server, &[("keys", "sesame")]).await;
    let headers = "host: evil.example\r\norigin: https://evil.example\r\n";
    assert_eq!(ask(&running, "GET /v1/models", headers, "").await.0, 401);
    assert_eq!(ask(&running, "GET /v1/models", &format!("{headers}x-api-key: sesame\r\n"), "").await.0, 200);
}

#[tokio::test]
async fn bodies_and_methods_that_no_client_sends_are_refused() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    for keys in ["", "sesame"] {
        let running = Running::before(&server, &[("keys", keys)]).await;
        let headers = "host: localhost\r\nx-api-key: sesame\r\n";
        for path in PATHS {
            for (kind, wanted) in [("text/plain;charset=UTF-8", 415), ("multipart/form-data", 415), ("a/b", 200)] {
                let headers = format!("{headers}content-type: {kind}\r\n");
                let (status, _, body) = ask(&running, &format!("POST {path}"), &headers, r#"{"model":"m"}"#).await;
                assert_eq!(status == 415, wanted == 415, "{path} {kind}: {body}");
                assert_eq!(body.contains("application/json"), wanted == 415, "{body}");
            }
        }
        assert_eq!(ask(&running, "TRACE /v1/models", headers, "").await.0, 405);
        assert_eq!(ask(&running, "CONNECT other.example:443", headers, "").await.0, 405);
    }
    let is_passed = |seen: &Seen| seen.line.starts_with("TRACE") || seen.line.starts_with("CONNECT");
    assert!(!server.seen().iter().any(is_passed), "{:?}", server.seen());
}

#[tokio::test]
async fn what_two_programs_may_read_differently_is_refused() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    for keys in ["", "sesame"] {
        let running = Running::before(&server, &[("keys", keys)]).await;
        let headers = "host: localhost\r\nauthorization: bearer sesame\r\n";
        for path in ["/v1/../../admin", "/v1/%2e%2e/admin", "/v1/models/./x", "/v1/..%2fadmin"] {
            let (status, _, body) = ask(&running, &format!("GET {path}"), headers, "").await;
            assert!(status == 400 && body.contains("`..`"), "{path}: {body}");
        }
        let twice = format!("host: evil.example\r\n{headers}");
        let (status, _, body) = ask(&running, "GET /v1/models", &twice, "").await;
        assert!(status == 400 && body.contains("more than one `Host`"), "{body}");
        // The scheme of a key is written in any case.
        assert_eq!(ask(&running, "GET /v1/models", headers, "").await.0, 200);
    }
    let is_astray = |seen: &Seen| seen.line.contains("admin") || seen.line.contains("/x");
    assert!(!server.seen().iter().any(is_astray), "{:?}", server.seen());
}
