//! Spans of requests at a collector.

use std::collections::BTreeMap;

use toolglot_json::{Value, json};
use toolglot_proxy::Control;

use crate::support::*;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

/// A collector that takes everything.
async fn collector() -> Server {
    Server::start(|_| whole("200 OK", "", "{}")).await
}

/// The spans that a collector got.
fn spans(collector: &Server) -> Vec<Value> {
    let bodies = collector
        .seen()
        .iter()
        .filter(|seen| seen.line.starts_with("POST /v1/traces"))
        .map(Seen::json)
        .collect::<Vec<_>>();
    let list = |value: &Value, name: &str| value[name].as_array().unwrap().clone();
    let scopes = bodies.iter().flat_map(|body| list(body, "resourceSpans")).flat_map(|one| list(&one, "scopeSpans"));
    scopes.flat_map(|one| list(&one, "spans")).collect()
}

/// The attributes of a span; OTLP writes whole numbers as strings.
fn attributes(span: &Value) -> BTreeMap<String, Value> {
    let pair = |one: &Value| {
        let value = one["value"].as_object().unwrap().values().next().unwrap().clone();
        (one["key"].as_str().unwrap().to_owned(), value)
    };
    span["attributes"].as_array().unwrap().iter().map(pair).collect()
}

/// Asks a server once with a caller's span and once without, ends the proxy, and returns the server's requests and the spans.
async fn traced(server: &Server) -> (Vec<Seen>, Vec<Value>) {
    let collector = collector().await;
    let running = Running::before(
        server,
        &[("otlp", &collector.url()), ("upstream.engine", "generic"), ("upstream.retries", "0")],
    )
    .await;
    let body = request(PATHS[0], true);
    let text = post(PATHS[0], &body).replacen("\r\n", &format!("\r\ntraceparent: 00-{TRACE}-{CALLER}-01\r\n"), 1);
    running.ask(&text).await;
    running.post(PATHS[0], &body).await;
    running.wishes.send(Control::Drain).await.unwrap();
    running.done.await.unwrap();
    let asked = server.seen().into_iter().filter(|seen| seen.line.starts_with("POST")).collect();
    (asked, spans(&collector))
}

#[tokio::test]
async fn a_request_is_a_span_between_the_client_s_and_the_server_s() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let (asked, spans) = traced(&server).await;
    assert_eq!((asked.len(), spans.len()), (2, 2), "{spans:?}");
    let (own, other) = (&spans[0], &spans[1]);
    assert_eq!((&own["traceId"], &own["parentSpanId"]), (&json!(TRACE), &json!(CALLER)));
    assert_eq!(own["name"], "POST /v1/chat/completions");
    let id = own["spanId"].as_str().unwrap();
    assert_ne!(id, CALLER);
    assert_eq!(asked[0].header("traceparent"), Some(format!("00-{TRACE}-{id}-01").as_str()));
    let found = attributes(own);
    for (name, wanted) in [
        ("http.request.method", "POST"),
        ("url.path", PATHS[0]),
        ("http.response.status_code", "200"),
        ("toolglot.calls", "1"),
        ("toolglot.dialect", "hermes"),
    ] {
        assert_eq!(found[name], wanted, "{name}: {found:?}");
    }
    assert_ne!(other["traceId"], TRACE, "the second request had no caller");
    let theirs = asked[1].header("traceparent").unwrap();
    assert!(theirs.contains(other["traceId"].as_str().unwrap()) && theirs.contains(other["spanId"].as_str().unwrap()));
}

#[tokio::test]
async fn the_span_of_a_failed_request_says_so() {
    let server =
        Server::start(|_| whole("500 Internal Server Error", "", r#"{"error":{"message":"no memory"}}"#)).await;
    let (_, spans) = traced(&server).await;
    assert_eq!(spans.len(), 2);
    for span in spans {
        assert_eq!(span["status"]["code"], 2, "{span}");
        assert!(attributes(&span)["error.message"].as_str().unwrap().contains("no memory"), "{span}");
    }
}

#[tokio::test]
async fn a_collector_that_is_gone_costs_no_request() {
    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[("otlp", "http://127.0.0.1:1")]).await;
    let (head, _) = running.post(PATHS[0], &request(PATHS[0], true)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    running.wishes.send(Control::Drain).await.unwrap();
    running.done.await.unwrap();
}
