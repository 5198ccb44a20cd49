//! Who may ask, and for how much.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use toolglot_proxy::{Config, Proxy};
use tower::ServiceExt as _;

use crate::support::*;

#[tokio::test]
async fn keys_are_asked_for_everywhere_but_where_probes_look() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    let path = std::env::temp_dir().join(format!("toolglot-keys-{}", std::process::id()));
    std::fs::write(&path, "# people\nfile-key\n\n").unwrap();
    let running = Running::before(&server, &[("keys", "a,b"), ("keys_file", path.to_str().unwrap())]).await;
    std::fs::remove_file(path).unwrap();
    for (line, key, wanted) in [
        ("GET /v1/models", "", 401),
        ("GET /v1/models", "authorization: Bearer x\r\n", 401),
        ("GET /v1/models", "authorization: Bearer b\r\n", 200),
        ("GET /v1/models", "x-api-key: a\r\n", 200),
        ("GET /v1/models", "x-api-key: file-key\r\n", 200),
        ("POST /v1/messages", "x-api-key: ab\r\n", 401),
        ("POST /v1/messages/count_tokens", "", 401),
        ("GET /metrics", "", 401),
        ("GET /metrics", "authorization: Bearer a\r\n", 200),
        ("GET /health", "", 200),
        ("GET /livez", "", 200),
        ("GET /readyz", "", 200),
    ] {
        let request =
            format!("{line} HTTP/1.1\r\nhost: localhost\r\n{key}connection: close\r\ncontent-length: 0\r\n\r\n");
        let (head, body) = running.ask(&request).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {wanted}")), "{line} {key}: {head}");
        let body = String::from_utf8(body).unwrap();
        assert_eq!(body.contains("key"), wanted == 401, "{body}");
        assert_eq!(body.starts_with(r#"{"type":"error""#), wanted == 401 && line.contains("messages"), "{body}");
    }
    assert!(
        server.seen().iter().all(|seen| seen.header("authorization").is_none() && seen.header("x-api-key").is_none())
    );
}

#[test]
fn beyond_this_machine_only_with_keys() {
    let made = |flags: &[(&str, &str)]| {
        let all = [&[("upstream", "http://localhost:1")], flags].concat();
        Proxy::new(Config::load(&sources(&all)).unwrap()).map(drop)
    };
    let error = made(&[("listen", "0.0.0.0:0")]).unwrap_err().to_string();
    assert!(
        error.contains("`0.0.0.0:0` is reachable from other machines") && error.contains("`--insecure`"),
        "{error}"
    );
    assert!(error.starts_with("`--listen`: "), "{error}");
    assert_eq!(made(&[("listen", "0.0.0.0:0"), ("keys", "k")]), Ok(()));
    assert_eq!(made(&[("listen", "0.0.0.0:0"), ("insecure", "true")]), Ok(()));
    assert_eq!(made(&[("listen", "unix:/tmp/x")]), Ok(()));
}

#[test]
fn settings_that_fit_nothing_are_refused() {
    for (flags, wanted) in [
        ([("upstream", "localhost:8000"), ("log", "off")], "`localhost:8000` is not a server URL"),
        ([("upstream", "http://a"), ("route.upstream", "b")], "unknown upstream `b`; use one of default"),
        ([("upstream", "http://a"), ("route.dialect", "klingon")], "`klingon`"),
        ([("upstream", "http://a"), ("route.dialect", "./no.toml")], "cannot read `./no.toml`"),
        ([("upstream", "http://a"), ("tls_cert", "x.pem")], "`tls_cert` requires `tls_key`"),
        ([("upstream", "http://a"), ("keys_file", "/no/such")], "cannot read `/no/such`"),
        ([("upstream", "https://a"), ("upstream.ca", "/no/such")], "cannot read `/no/such`"),
    ] {
        let error = Proxy::new(Config::load(&sources(&flags)).unwrap()).map(drop).unwrap_err().to_string();
        assert!(error.contains(wanted), "{error}");
    }
}

#[tokio::test]
async fn requests_have_a_size() {
    let server = Server::start(|_| whole("200 OK", "", "{}")).await;
    let running = Running::before(&server, &[("limits.body", "1 KiB"), ("timeouts.body", "200 ms")]).await;
    let large = request("/v1/messages", false).replacen("go", &"x".repeat(2000), 1);
    let (head, body) = running.post("/v1/messages", &large).await;
    assert!(head.starts_with("HTTP/1.1 413"), "{head}");
    let body = String::from_utf8(body).unwrap();
    assert!(body.contains("request_too_large") && body.contains("`limits.body`"), "{body}");
    // Without a length it is found out on the way.
    let chunked = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
        large.len()
    );
    assert!(running.ask(&chunked).await.0.starts_with("HTTP/1.1 413"));
    let slow = "POST /v1/messages HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 10\r\n\r\n{";
    assert!(running.ask(slow).await.0.starts_with("HTTP/1.1 408"));
}

#[tokio::test]
async fn answers_have_a_size() {
    let server = Server::start(|_| whole("200 OK", "", &format!("{{\"x\":\"{}\"}}", "y".repeat(5000)))).await;
    let running = Running::before(&server, &[("limits.answer", "2 KiB")]).await;
    let (head, body) = running.post(PATHS[0], &request(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 502"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("`limits.answer`"));
}

#[tokio::test]
async fn only_so_many_requests_run_at_once() {
    let server = Server::start(|_| vec![Step::Hang]).await;
    let running = Running::before(&server, &[("limits.streams", "1"), ("upstream.engine", "generic")]).await;
    let mut first = running.connect().await;
    first.write_all(post(PATHS[0], &request(PATHS[0], true)).as_bytes()).await.unwrap();
    until("the first request runs", || !server.seen().is_empty()).await;
    for path in PATHS {
        let (head, body) = running.post(path, &request(path, true)).await;
        assert!(head.starts_with("HTTP/1.1 503") && header(&head, "retry-after") == Some("1"), "{head}");
        assert!(String::from_utf8(body).unwrap().contains("1 are in progress"));
    }
    drop(first);
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert!(running.get("/metrics").await.1.contains("toolglot_in_flight_requests 0"));
}

#[tokio::test]
async fn metrics_have_the_names_and_no_words_of_clients() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[]).await;
    let asked = request(PATHS[0], true).replacen("\"m\"", "\"client's words\"", 1);
    running.post(PATHS[0], &asked).await;
    let metrics = running.get("/metrics").await.1;
    for line in [
        "toolglot_requests_total{ingress=\"chat\",upstream=\"default\",model=\"*\",status=\"200\"} 1",
        "toolglot_request_duration_seconds_count{ingress=\"chat\",upstream=\"default\"} 1",
        "toolglot_time_to_first_byte_seconds_count{ingress=\"chat\",upstream=\"default\"} 1",
        "toolglot_overhead_seconds_count{ingress=\"chat\",upstream=\"default\"} 1",
        "toolglot_tool_calls_total{dialect=\"hermes\",outcome=\"parsed\"} 1",
        "toolglot_dialect_detected_total{dialect=\"hermes\"} 1",
        "toolglot_in_flight_requests 0",
        "toolglot_held_bytes 0",
        "# TYPE toolglot_diagnostics_total counter",
        "# TYPE toolglot_config_reloads_total counter",
        "toolglot_build_info{version=",
    ] {
        assert!(metrics.contains(line), "{line} is not in\n{metrics}");
    }
    assert!(!metrics.contains("client's"));
}

#[tokio::test]
async fn calls_that_stay_text_are_counted() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[("route.unknown_tool", "text")]).await;
    let asked = request(PATHS[0], true).replacen("\"ls\"", "\"cat\"", 1);
    let (_, body) = running.post(PATHS[0], &asked).await;
    assert!(String::from_utf8(body).unwrap().contains("<tool_call>"));
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("toolglot_tool_calls_total{dialect=\"unknown\",outcome=\"text\"} 1"), "{metrics}");
}

#[tokio::test]
async fn the_table_of_routes_works_without_a_socket() {
    let proxy = Proxy::new(Config::load(&sources(&[("demo", "true")])).unwrap()).unwrap();
    let ask = |path: &str| http::Request::get(path).body(axum::body::Body::empty()).unwrap();
    for (path, wanted) in [("/health", 200), ("/readyz", 200), ("/v1/models", 200), ("/nothing", 404)] {
        assert_eq!(proxy.router().oneshot(ask(path)).await.unwrap().status(), wanted, "{path}");
    }
}
