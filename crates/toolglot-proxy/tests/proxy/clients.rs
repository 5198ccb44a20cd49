//! Clients with keys of their own: what they may ask, how often, and with whose keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use toolglot_proxy::{Config, Sources};

use crate::support::*;

/// The digest of `second`.
const SECOND: &str = "sha256:16367aacb67a4a017c8da8ab95682ccb390863780f7114dda0a0e0c55644c7c4";

const CHAT: &str = "/v1/chat/completions";

fn asked(path: &str, key: &str, model: &str) -> String {
    let body = request(path, false).replace("\"m\"", &format!("\"{model}\""));
    post(path, &body).replacen("host: localhost", &format!("host: localhost\r\nauthorization: Bearer {key}"), 1)
}

fn got(key: &str, path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {key}\r\nconnection: close\r\n\r\n")
}

/// A proxy with settings from a file; the name is the test's own.
async fn with_file(name: &str, text: &str) -> Running {
    let path = std::env::temp_dir().join(format!("toolglot-{name}-{}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let running =
        run(Sources { file: Some(path.clone()), ..sources(&[("listen", "127.0.0.1:0"), ("watch", "no")]) }).await;
    std::fs::remove_file(path).unwrap();
    running
}

async fn server(name: &'static str) -> Server {
    Server::start(move |seen| match seen.line.starts_with("GET") {
        true => whole("200 OK", "", &format!(r#"{{"data":[{{"id":"{name}-1"}},{{"id":"{name}-2"}}]}}"#)),
        false => whole("200 OK", "", r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}"#),
    })
    .await
}

#[tokio::test]
async fn a_key_is_for_its_models_and_servers_and_sends_its_own_keys() {
    let (one, two) = (server("one").await, server("two").await);
    let text = format!(
        "keys = [\"all\"]\n[[upstream]]\nname = \"one\"\nurl = \"{}\"\nkey = \"ours\"\nprotocol = \"chat\"\n\
         [[upstream]]\nname = \"two\"\nurl = \"{}\"\nprotocol = \"chat\"\n[[route]]\nmodels = \"two-*\"\nupstream = \"two\"\n\
         [[client]]\nname = \"first\"\nkey = \"first\"\nmodels = \"*-1\"\nupstream_keys = {{ one = \"theirs\" }}\n\
         [[client]]\nname = \"second\"\nkey = \"{SECOND}\"\nupstreams = \"two\"\n",
        one.url(),
        two.url()
    );
    let running = with_file("clients", &text).await;
    for (key, model, wanted) in [
        ("all", "one-2", 200),
        ("first", "one-1", 200),
        ("first", "two-1", 200),
        ("first", "one-2", 403),
        ("second", "two-2", 200),
        ("second", "one-1", 403),
        ("third", "one-1", 401),
        (SECOND, "two-1", 401),
    ] {
        for path in [CHAT, "/v1/completions", "/v1/messages/count_tokens"] {
            let (head, body) = running.ask(&asked(path, key, model)).await;
            let body = String::from_utf8(body).unwrap();
            assert!(head.starts_with(&format!("HTTP/1.1 {wanted}")), "{key} {model} {path}: {head}{body}");
            assert_eq!(body.contains("ask the operator to add it to"), wanted == 403, "{body}");
        }
    }
    running.ask(&asked(CHAT, "first", "one-1")).await;
    assert_eq!(one.last().header("authorization"), Some("Bearer theirs"));
    running.ask(&asked(CHAT, "all", "one-1")).await;
    assert_eq!(one.last().header("authorization"), Some("Bearer ours"));
    let listed = async |key: &str| String::from_utf8(running.ask(&got(key, "/v1/models")).await.1).unwrap();
    for (key, wanted) in [("all", "one-1 one-2 two-1 two-2"), ("first", "one-1 two-1"), ("second", "two-1 two-2")] {
        let list: toolglot_json::Value = serde_json::from_str(&listed(key).await).unwrap();
        let names: Vec<&str> = list["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap()).collect();
        assert_eq!(names.join(" "), wanted, "{key}");
    }
    // What names no model, and what is of everybody, is for the operator's keys.
    for path in ["/v1/files", "/metrics", "/api/tags"] {
        assert!(running.ask(&got("first", path)).await.0.starts_with("HTTP/1.1 403"), "{path}");
        assert!(running.ask(&got("all", path)).await.0.starts_with("HTTP/1.1 200"), "{path}");
    }
}

#[tokio::test]
async fn a_key_is_for_so_many_requests() {
    let open = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&open);
    let server = Server::start(move |_| {
        let mut steps = vec![Step::Until(Arc::clone(&flag))];
        steps.extend(whole("200 OK", "", "{}"));
        steps
    })
    .await;
    let text = format!(
        "[[upstream]]\nurl = \"{}\"\nprotocol = \"chat\"\nengine = \"generic\"\n[[client]]\nkey = \"key-one\"\nconcurrent = 1\n\
         [[client]]\nkey = \"key-two\"\nper_minute = 2\n",
        server.url()
    );
    let running = with_file("rates", &text).await;
    let (running, server) = (Arc::new(running), server);
    let other = Arc::clone(&running);
    let first = tokio::spawn(async move { other.ask(&asked("/v1/embeddings", "key-one", "m")).await });
    until("the first request arrives", || !server.seen().is_empty()).await;
    let (head, body) = running.ask(&asked("/v1/embeddings", "key-one", "m")).await;
    assert!(head.starts_with("HTTP/1.1 429") && head.contains("retry-after"), "{head}");
    assert!(String::from_utf8(body).unwrap().contains("client_requests_at_once"));
    open.store(true, Ordering::Relaxed);
    assert!(first.await.unwrap().0.starts_with("HTTP/1.1 200"));
    for (key, wanted) in [("key-one", 200), ("key-two", 200), ("key-two", 200), ("key-two", 429), ("key-one", 200)] {
        let (head, body) = running.ask(&asked("/v1/embeddings", key, "m")).await;
        assert!(head.starts_with(&format!("HTTP/1.1 {wanted}")), "{key}: {head}");
        let body = String::from_utf8(body).unwrap();
        assert_eq!(body.contains("2 per minute are allowed"), wanted == 429, "{key}: {body}");
        // One in half a minute, less what has passed.
        let wait = header(&head, "retry-after").map(|value| value.parse::<u32>().unwrap());
        assert!(if wanted == 429 { wait > Some(10) } else { wait.is_none() }, "{key}: {head}");
    }
}

#[test]
fn a_file_has_further_clients_and_nothing_else() {
    let path = std::env::temp_dir().join(format!("toolglot-more-{}.toml", std::process::id()));
    let load = |text: &str| {
        std::fs::write(&path, text).unwrap();
        let file = path.to_str().unwrap();
        let config = Config::load(&sources(&[("upstream", "http://localhost:1"), ("clients_file", file)]));
        config.and_then(toolglot_proxy::Proxy::new).map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(load("[[client]]\nkey = \"k\"\n"), Ok(()));
    for (text, wanted) in [
        ("keys = \"k\"\n", "is not allowed in this file"),
        ("[[client]]\nname = \"x\"\n", "no key"),
        ("[[client]]\nkey = \"sha256:12\"\n", "64 hexadecimal digits"),
        ("[[client]]\nkey = \"k\"\nupstreams = \"x\"\n", "unknown upstream `x`; use one of default"),
        ("[[client]]\nkey = \"k\"\nupstream_keys = { x = \"y\" }\n", "unknown upstream `x`"),
    ] {
        let error = load(text).unwrap_err();
        assert!(error.contains(wanted), "{error}");
    }
    std::fs::remove_file(&path).unwrap();
}
