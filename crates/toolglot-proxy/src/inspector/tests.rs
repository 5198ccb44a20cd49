//! The page by itself, and beside the proxy with what was captured.

use std::path::PathBuf;

use axum::Router;
use axum::body::Body;
use http::{Request, StatusCode, header};
use http_body_util::BodyExt;
use toolglot_json::{Value, json};
use tower::ServiceExt;

use crate::show::alone;
use crate::{Config, PageFiles, Proxy, Sources};

const FILES: PageFiles =
    &[("index.html", b"<!doctype html>"), ("assets/index.js", b"0"), ("toolglot.wasm.gz", b"packed")];

fn proxy(settings: &[(&str, &str)]) -> Proxy {
    let flag = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned(), "a test".to_owned());
    let flags = [("demo", "true"), ("log", "off")].iter().chain(settings).map(flag).collect();
    let config = Config::load(&Sources { flags, ..Sources::default() }).unwrap();
    Proxy::new(config).unwrap().with_page(FILES)
}

async fn ask(
    router: &Router,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
) -> (StatusCode, http::HeaderMap, Vec<u8>) {
    let mut request = Request::builder().method(method).uri(path).header(header::HOST, "localhost");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let answer = router.clone().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    let (parts, body) = answer.into_parts();
    (parts.status, parts.headers, body.collect().await.unwrap().to_bytes().to_vec())
}

fn json_of(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap_or_default()
}

#[tokio::test]
async fn the_page_alone_serves_its_files_under_a_strict_policy() {
    let proxy = proxy(&[]);
    let router = alone(&proxy.shared, FILES, "{\"text\":\"hi\"}".to_owned());
    let (status, headers, body) = ask(&router, "GET", "/", &[]).await;
    assert_eq!((status, &body[..]), (StatusCode::OK, &b"<!doctype html>"[..]));
    let policy = headers[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self' 'wasm-unsafe-eval';"), "{policy}");
    let (_, headers, body) = ask(&router, "GET", "/toolglot.wasm", &[]).await;
    assert_eq!(headers[header::CONTENT_TYPE], "application/wasm");
    assert_eq!(headers[header::CONTENT_ENCODING], "gzip");
    assert_eq!(body, b"packed");
    assert_eq!(json_of(&ask(&router, "GET", "/session.json", &[]).await.2), json!({"text": "hi"}));
    assert_eq!(ask(&router, "GET", "/assets/../../etc/passwd", &[]).await.0, StatusCode::BAD_REQUEST);
    assert_eq!(ask(&router, "GET", "/assets/etc/passwd", &[]).await.0, StatusCode::NOT_FOUND);
    assert_eq!(ask(&router, "POST", "/", &[]).await.0, StatusCode::METHOD_NOT_ALLOWED);
    for foreign in [("host", "evil.example"), ("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
        let request = Request::builder().uri("/session.json").header(foreign.0, foreign.1).body(Body::empty()).unwrap();
        assert_eq!(router.clone().oneshot(request).await.unwrap().status(), StatusCode::FORBIDDEN, "{foreign:?}");
    }
}

/// A folder of this test's own, with one captured exchange.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("toolglot-inspector-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let text = "<tool_call>{\"name\": \"ls\", \"arguments\": {\"all\": True}}</tool_call>";
    let message = json!({"role": "assistant", "content": text});
    let answer =
        json!({"id": "c", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
    let tool =
        json!({"type": "function", "function": {"name": "ls", "parameters": {"type": "object", "properties": {}}}});
    let request = json!({"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": [tool]});
    let capture = json!({"toolglot": "0.1.0", "id": "1", "time": 1_790_000_000, "model": "m", "miss": ["other_dialect", "words"],
        "protocols": ["chat", "chat"], "engine": "generic", "prompt": null, "reasoning_open": false, "begun": false,
        "attempts": 1, "streamed": false, "cut": false, "request": request, "answer": answer.to_string(), "told": "was"});
    std::fs::write(folder.join("1790000000-1.json"), capture.to_string()).unwrap();
    std::fs::write(folder.join("secret.json"), "{}").unwrap();
    folder
}

#[tokio::test]
async fn captures_are_listed_shown_and_read_again_behind_the_key() {
    let folder = folder();
    let captures = ("captures", folder.to_str().unwrap());
    assert_eq!(ask(&proxy(&[]).router(), "GET", "/inspector/", &[]).await.2, b"<!doctype html>", "the demo has it");
    let off = proxy(&[captures, ("inspector", "false")]).router();
    assert_eq!(json_of(&ask(&off, "GET", "/inspector/session.json", &[]).await.2)["captures"], Value::Null);
    let router = proxy(&[captures, ("inspector", "true"), ("keys", "secret-key-0123456789")]).router();
    let key = [("authorization", "Bearer secret-key-0123456789")];
    assert_eq!(ask(&router, "GET", "/inspector", &[]).await.1[header::LOCATION], "/inspector/");
    assert_eq!(ask(&router, "GET", "/inspector/", &[]).await.2, b"<!doctype html>");
    assert_eq!(ask(&router, "GET", "/inspector/captures", &[]).await.0, StatusCode::UNAUTHORIZED);
    let list = json_of(&ask(&router, "GET", "/inspector/captures", &key).await.2);
    let row = json!({"name": "1790000000-1.json", "time": 1_790_000_000, "model": "m", "miss": ["other_dialect", "words"], "repairs": 1});
    assert_eq!(list, json!([row]));
    let one = json_of(&ask(&router, "GET", "/inspector/captures/1790000000-1.json", &key).await.2);
    assert_eq!(one["told"], "was");
    let again = "/inspector/captures/1790000000-1.json/replay";
    let replayed = json_of(&ask(&router, "POST", again, &key).await.2);
    assert_eq!(replayed["before"], "was");
    assert!(replayed["after"].as_str().is_some_and(|after| after.contains("tool_calls") && after.contains("\"ls\"")));
    let (none, climbs) = (StatusCode::NOT_FOUND, StatusCode::BAD_REQUEST);
    for (path, wanted) in [
        ("secret.json", none),
        ("..%2Fsecret.json", climbs),
        ("../Cargo.toml", climbs),
        ("1790000000-1.json/other", none),
    ] {
        let status = ask(&router, "GET", &format!("/inspector/captures/{path}"), &key).await.0;
        assert_eq!(status, wanted, "{path}");
    }
    std::fs::remove_dir_all(folder).unwrap();
}
