//! Clients that close their side of the connection: those that wait for their answer, and those that have left.

use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::*;

/// Where a client stands when it closes its side.
const PLACES: [(&str, bool); 3] = [("early", true), ("early", false), ("midway", true)];

/// A server that says the beginning of a stream at once, and the rest when `last` comes to it.
fn script(seen: &Seen, last: &Step) -> Vec<Step> {
    let frames = call_as_text();
    let is_turn = seen.line.contains("/chat/");
    match (is_turn, seen.header("x-place"), seen.json()["stream"].as_bool() == Some(true)) {
        (false, ..) => whole("404 Not Found", "", "{}"),
        (_, Some("midway"), _) => {
            let (first, rest) = frames.split_at(2);
            let [first, rest] = [first, rest].map(|frames| Step::Send(frames.concat().into_bytes()));
            vec![Step::Send(STREAM.into()), first, last.clone(), rest, Step::Close]
        }
        (.., true) => {
            vec![last.clone(), Step::Send(STREAM.into()), Step::Send(frames.concat().into_bytes()), Step::Close]
        }
        _ => [vec![last.clone()], whole("200 OK", "", WHOLE)].concat(),
    }
}

const WHOLE: &str = r#"{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>"},"finish_reason":"stop"}]}"#;

/// Sends a request, and takes all that the server says before it waits.
async fn ask(running: &Running, path: &str, (place, stream): (&str, bool), version: &str) -> (TcpStream, String) {
    let mut client = running.connect().await;
    let asked = post(path, &request(path, stream)).replacen("HTTP/1.1", version, 1);
    let asked = asked.replacen("connection: close", &format!("x-place: {place}"), 1);
    client.write_all(asked.as_bytes()).await.unwrap();
    let (mut read, mut buffer) = (Vec::new(), [0; 4096]);
    while let Ok(Ok(count)) = tokio::time::timeout(Duration::from_millis(100), client.read(&mut buffer)).await {
        assert!(count > 0, "{path} {place}: it ended early");
        read.extend_from_slice(&buffer[..count]);
    }
    (client, String::from_utf8(read).unwrap())
}

/// Reads to the end of the connection, which follows that of the answer at once.
async fn rest(mut client: TcpStream) -> String {
    let mut bytes = Vec::new();
    let read = tokio::time::timeout(Duration::from_secs(5), client.read_to_end(&mut bytes)).await;
    read.expect("the connection ends").unwrap();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn a_client_that_closes_its_side_gets_its_answer() {
    let server = Server::start(|seen| script(seen, &Step::Pause(Duration::from_millis(400)))).await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    for place in PLACES {
        for path in PATHS {
            let (mut client, first) = ask(&running, path, place, "HTTP/1.1").await;
            client.shutdown().await.unwrap();
            let rest = rest(client).await;
            assert!(rest.contains(r#""ls""#) && !rest.contains(r#""error":{"#), "{path} {place:?}: {rest}");
            let (is_begun, is_asked) =
                (!first.is_empty(), rest.starts_with("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"));
            assert_eq!(
                (is_begun, is_asked),
                (place.0 == "midway", place.0 == "early"),
                "{path} {place:?}: {first}{rest}"
            );
            let whole = first + &rest;
            let end = if place.1 { "0\r\n\r\n" } else { "}" };
            assert!(whole.ends_with(end), "{path} {place:?}: {whole}");
        }
    }
    let metrics = running.get("/metrics").await.1;
    assert!(!metrics.contains("toolglot_client_disconnects_total{"), "{metrics}");
}

#[tokio::test]
async fn a_side_may_be_closed_with_the_last_byte_of_a_request() {
    let server = Server::start(|seen| {
        let answer = if seen.line.contains("/chat/") { WHOLE } else { r#"{"ls":1}"# };
        [vec![Step::Pause(Duration::from_millis(200))], whole("200 OK", "", answer)].concat()
    })
    .await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let turn = post(PATHS[0], &request(PATHS[0], false));
    let passing = ["GET /v1/files HTTP/1.1\r\nhost: localhost\r\n\r\n".to_owned(), post("/v1/embeddings", "{}")];
    for asked in passing.into_iter().chain([turn.clone()]) {
        let mut client = running.connect().await;
        client.write_all(asked.as_bytes()).await.unwrap();
        client.shutdown().await.unwrap();
        let rest = rest(client).await;
        assert!(rest.contains("HTTP/1.1 200 OK\r\n") && rest.contains("ls"), "{asked}: {rest}");
    }
    let mut client = running.connect().await;
    client.write_all(&turn.as_bytes()[..turn.len() - 5]).await.unwrap();
    client.shutdown().await.unwrap();
    let rest = rest(client).await;
    assert!(rest.is_empty() || rest.contains("the request ended early"), "{rest}");
}

#[tokio::test]
async fn a_client_that_left_is_noticed_whatever_it_had_read() {
    let mut server = Server::start(|seen| script(seen, &Step::Hang)).await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    for place in PLACES {
        for path in PATHS {
            drop(ask(&running, path, place, "HTTP/1.1").await);
            let left = tokio::time::timeout(Duration::from_secs(2), server.left.recv()).await;
            assert!(left.is_ok(), "{path} {place:?}: the server was not told");
        }
    }
    // Nothing may be sent to these before their answer.
    let (mut client, _) = ask(&running, PATHS[0], PLACES[0], "HTTP/1.0").await;
    client.shutdown().await.unwrap();
    assert_eq!(rest(client).await, "");
    assert!(tokio::time::timeout(Duration::from_secs(2), server.left.recv()).await.is_ok());
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("toolglot_client_disconnects_total{ingress=\"chat\"} 4"), "{metrics}");
    assert!(metrics.contains("toolglot_in_flight_requests 0"), "{metrics}");
}

#[tokio::test]
async fn a_connection_that_rests_ends_with_its_client() {
    let server = Server::start(|seen| script(seen, &Step::Pause(Duration::from_millis(1)))).await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let (mut client, first) = ask(&running, PATHS[0], ("early", false), "HTTP/1.1").await;
    assert!(first.starts_with("HTTP/1.1 200 OK\r\n"), "{first}");
    client.shutdown().await.unwrap();
    assert_eq!(rest(client).await, "");
}
