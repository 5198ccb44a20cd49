//! Many streams, slow readers, and changes while they run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use toolglot_proxy::Control;

use crate::support::*;

/// Memory of this process in MiB: the fake clients and servers are in it, too.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    (pages.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096) >> 20
}

/// A server whose streams stop before the call until they are let go.
async fn gated() -> (Server, Arc<AtomicBool>) {
    let open = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&open);
    let server = Server::start(move |seen| {
        // Only turns wait for the gate: what is asked before new settings are in force must not.
        if seen.line.starts_with("GET ") {
            return whole("404 Not Found", "", "{}");
        }
        let frames = call_as_text();
        let mut steps = vec![Step::Send(STREAM.into()), Step::Send(frames[..3].concat().into_bytes())];
        steps.push(Step::Until(Arc::clone(&gate)));
        steps.push(Step::Send(frames[3..].concat().into_bytes()));
        steps.push(Step::Close);
        steps
    })
    .await;
    (server, open)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_streams_at_once_take_little_memory() {
    let (server, open) = gated().await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    running.get("/health").await;
    let before = resident();
    let mut clients = Vec::new();
    for at in 0..200 {
        let path = PATHS[at % 3];
        let mut client = running.connect().await;
        client.write_all(post(path, &request(path, true)).as_bytes()).await.unwrap();
        clients.push((path, client));
    }
    until("all streams are open", || server.seen().len() == 200).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let metrics = running.get("/metrics").await.1;
    assert!(metrics.contains("toolglot_in_flight_requests 200"), "{metrics}");
    let grown = resident().saturating_sub(before);
    assert!(grown < 60, "{grown} MiB for 200 streams, clients and servers");
    open.store(true, Ordering::Relaxed);
    for (path, mut client) in clients {
        let (_, body) = read_answer(&mut client).await;
        let text = String::from_utf8(body).unwrap();
        assert!(text.contains("\"ls\"") && !text.contains("\"error\":{"), "{path}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_slow_reader_slows_the_server_down() {
    let piece = chunk(&format!("{{\"content\":\"{}\"}}", "word ".repeat(2000)), "null");
    // Many copies would count as memory of the test beside this one.
    let (count, whole) = (10_000, piece.len() * 10_000);
    let mut server = Server::start(move |_| {
        vec![Step::Send(STREAM.into()), Step::Repeat(piece.clone().into_bytes(), count), Step::Close]
    })
    .await;
    for body in [request(PATHS[0], true), r#"{"model":"m","stream":true}"#.to_owned()] {
        let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
        let mut client = running.connect().await;
        client.write_all(post(PATHS[0], &body).as_bytes()).await.unwrap();
        let mut first = vec![0; 1000];
        client.read_exact(&mut first).await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        drop(client);
        let sent = tokio::time::timeout(Duration::from_secs(5), server.left.recv()).await.unwrap().unwrap();
        // What fits into the buffers of four sockets, and little more.
        assert!(
            sent < 16 << 20 && sent < whole / 4,
            "{sent} of {whole} bytes were taken for a client that reads nothing"
        );
    }
}

/// Pieces of a burst, each a chunk of HTTP's own, in one packet; what comes later is not waited for.
#[tokio::test]
async fn pieces_that_arrive_together_go_out_together() {
    const PIECES: usize = 300;
    let has_burst = Arc::new(AtomicBool::new(false));
    let gate = Arc::clone(&has_burst);
    let server = Server::start(move |seen| {
        if seen.line.starts_with("GET ") {
            return whole("404 Not Found", "", "{}");
        }
        let framed = |frame: &String| format!("{:x}\r\n{frame}\r\n", frame.len());
        let role = chunk(r#"{"role":"assistant","content":""}"#, "null");
        let pieces = vec![chunk(r#"{"content":" word"}"#, "null"); PIECES];
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let burst: String = pieces.iter().map(framed).collect();
        let last = [chunk("{}", "\"stop\""), "data: [DONE]\n\n".to_owned()].iter().map(framed).collect::<String>();
        vec![
            Step::Send(format!("{head}{}{burst}", framed(&role)).into_bytes()),
            Step::Until(Arc::clone(&gate)),
            Step::Send(format!("{last}0\r\n\r\n").into_bytes()),
        ]
    })
    .await;
    let running = Running::before(&server, &[]).await;
    let mut stream = running.connect().await;
    let path = "/v1/chat/completions";
    stream.write_all(post(path, &request(path, true)).as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    while bytes.windows(5).filter(|five| five == b" word").count() < PIECES {
        assert!(stream.read_buf(&mut bytes).await.unwrap() > 0, "{}", String::from_utf8_lossy(&bytes));
    }
    has_burst.store(true, Ordering::Relaxed);
    let text = String::from_utf8(bytes).unwrap();
    let is_size = |line: &&str| usize::from_str_radix(line, 16).is_ok();
    let writes = text.split("\r\n").filter(is_size).count();
    assert!(writes <= PIECES / 10, "{PIECES} pieces went out in {writes} writes");
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(String::from_utf8_lossy(&rest).contains("[DONE]"));
}

#[tokio::test]
async fn two_requests_in_one_packet_get_two_answers_in_order() {
    let server = Server::start(|seen| whole("200 OK", "", &format!("{:?}", seen.line))).await;
    let running = Running::before(&server, &[]).await;
    let keep = |text: String| text.replacen("connection: close\r\n", "", 1);
    let body = r#"{"model":"m"}"#;
    let both = keep(post("/v1/one", body)) + &post("/v1/two", body);
    let mut client = running.connect().await;
    client.write_all(both.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    client.read_to_end(&mut bytes).await.unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let places: Vec<usize> = ["/v1/one HTTP", "/v1/two HTTP"].iter().map(|word| text.find(word).unwrap()).collect();
    assert!(places[0] < places[1] && text.matches("HTTP/1.1 200").count() == 2, "{text}");

    let server = Server::start(|_| stream(&call_as_text())).await;
    let running = Running::before(&server, &[]).await;
    let both = keep(post(PATHS[0], &request(PATHS[0], true))) + &post(PATHS[0], &request(PATHS[0], true));
    let mut client = running.connect().await;
    client.write_all(both.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    client.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(String::from_utf8(bytes).unwrap().matches("data: [DONE]").count(), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reload_and_drain_leave_running_streams_alone() {
    let (server, open) = gated().await;
    let path = std::env::temp_dir().join(format!("toolglot-reload-{}.toml", std::process::id()));
    let settings = |more: &str| {
        format!(
            "listen = '127.0.0.1:0'\nlog = 'off'\n{more}\n[[upstream]]\nengine = 'generic'\nurl = '{}'\n",
            server.url()
        )
    };
    std::fs::write(&path, settings("")).unwrap();
    let running = run(toolglot_proxy::Sources { file: Some(path.clone()), ..Default::default() }).await;
    let mut clients = Vec::new();
    for _ in 0..20 {
        let mut client = running.connect().await;
        client.write_all(post(PATHS[0], &request(PATHS[0], true)).as_bytes()).await.unwrap();
        clients.push(client);
    }
    until("all streams are open", || server.seen().len() == 20).await;

    std::fs::write(&path, settings("keys = 'k'")).unwrap();
    running.wishes.send(Control::Reload).await.unwrap();
    until_answer(&running, "GET /v1/models", "401").await;
    std::fs::write(&path, settings("kesy = 'k'")).unwrap();
    running.wishes.send(Control::Reload).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    until_answer(&running, "GET /v1/models", "401").await;
    std::fs::remove_file(&path).unwrap();
    let metrics =
        running.ask("GET /metrics HTTP/1.1\r\nhost: localhost\r\nx-api-key: k\r\nconnection: close\r\n\r\n").await.1;
    let metrics = String::from_utf8(metrics).unwrap();
    assert!(
        metrics.contains("reloads_total{result=\"success\"} 1")
            && metrics.contains("reloads_total{result=\"failure\"} 1"),
        "{metrics}"
    );

    // A connection from before the drain still learns that no more is taken.
    let mut probe = running.connect().await;
    probe.write_all(b"GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut some = [0; 12];
    probe.read_exact(&mut some).await.unwrap();
    running.wishes.send(Control::Drain).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(tokio::net::TcpStream::connect(running.address).await.is_err(), "no new connections");
    assert!(!running.done.is_finished(), "streams are still running");
    open.store(true, Ordering::Relaxed);
    for mut client in clients {
        let (_, body) = read_answer(&mut client).await;
        assert!(String::from_utf8(body).unwrap().ends_with("data: [DONE]\n\n"));
    }
    tokio::time::timeout(Duration::from_secs(5), running.done).await.expect("it ends").unwrap();
}

async fn until_answer(running: &Running, line: &str, status: &str) {
    for _ in 0..200 {
        let (head, _) = running.ask(&format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")).await;
        if head.starts_with(&format!("HTTP/1.1 {status}")) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{line} never gave {status}");
}

#[tokio::test]
async fn a_drain_has_an_end() {
    for (drain, wish) in [("100 ms", None), ("60 s", Some(Control::Drain))] {
        let (server, _) = gated().await;
        let running = Running::before(&server, &[("upstream.engine", "generic"), ("timeouts.drain", drain)]).await;
        let mut client = running.connect().await;
        client.write_all(post(PATHS[0], &request(PATHS[0], true)).as_bytes()).await.unwrap();
        until("the stream is open", || server.seen().len() == 1).await;
        running.wishes.send(Control::Drain).await.unwrap();
        if let Some(wish) = wish {
            running.wishes.send(wish).await.unwrap();
        }
        tokio::time::timeout(Duration::from_secs(5), running.done).await.expect("it ends").unwrap();
    }
}

/// An answer of four megabytes that is hard to read: calls that never become any.
fn hard() -> String {
    let text = r#"<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": [[[[\"a"#.repeat(64 << 10);
    format!(
        "{{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{{\"index\":0,\
         \"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\"finish_reason\":\"stop\"}}]}}"
    )
}

/// With one thread, whatever keeps it busy keeps all clients waiting.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_long_decision_holds_no_other_client() {
    let server = Server::start(|_| whole("200 OK", "", &hard())).await;
    let running = Running::before(&server, &[("upstream.engine", "generic")]).await;
    let mut client = running.connect().await;
    client.write_all(post(PATHS[0], &request(PATHS[0], false)).as_bytes()).await.unwrap();
    let began = Instant::now();
    let hostile = tokio::spawn(async move {
        let answer = read_answer(&mut client).await;
        (answer, began.elapsed())
    });
    let mut slowest = Duration::ZERO;
    while !hostile.is_finished() {
        let asked = Instant::now();
        assert_eq!(running.get("/health").await.1, "ok\n");
        slowest = slowest.max(asked.elapsed());
    }
    let ((head, _), took) = hostile.await.unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    println!("read in {took:?}, others waited {slowest:?}");
    assert!(slowest < took / 3, "another client waited {slowest:?} of {took:?}");
}
