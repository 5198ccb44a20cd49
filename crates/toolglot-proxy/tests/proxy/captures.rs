//! Calls that were missed are told to the operator, and exchanges that are kept can be read again.

use std::path::PathBuf;

use toolglot_json::json;
use toolglot_proxy::{Capture, Config, captures, replay};

use crate::support::*;

const CALL: &str = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";

async fn server(text: &'static str) -> Server {
    Server::start(move |seen| {
        let is_stream = seen.body.windows(13).any(|bytes| bytes == b"\"stream\":true");
        if !is_stream {
            let choice =
                json!({"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}});
            return whole("200 OK", "", &json!({"id": "c", "model": "m", "choices": [choice]}).to_string());
        }
        let delta = |piece: char| chunk(&json!({"content": piece.to_string()}).to_string(), "null");
        let mut frames: Vec<String> = text.chars().map(delta).collect();
        frames.extend([chunk("{}", "\"stop\""), "data: [DONE]\n\n".to_owned()]);
        stream(&frames)
    })
    .await
}

/// A folder of this test's own.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("toolglot-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn kept(folder: &std::path::Path) -> Vec<Capture> {
    let files = captures(folder).unwrap_or_default();
    files.iter().filter_map(|(path, _)| Capture::read(path).ok()).collect()
}

async fn misses(running: &Running) -> String {
    let metrics = running.get("/metrics").await.1;
    metrics.lines().filter(|line| line.starts_with("toolglot_near_misses_total{")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missed_call_is_counted_kept_and_read_again() {
    let (server, folder) = (server(CALL).await, folder("misses"));
    let settings = [("route.dialect", "pythonic"), ("capture", "misses"), ("captures", folder.to_str().unwrap())];
    let running = Running::before(&server, &settings).await;
    let mut asked = 0;
    for path in PATHS {
        for streamed in [false, true] {
            let body = request(path, streamed).replace("\"go\"", "\"go sk-secret-0123456\"");
            let post =
                post(path, &body).replace("content-type", "authorization: Bearer sk-secret-0123456\r\ncontent-type");
            let (head, answer) = running.ask(&post).await;
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            assert!(!String::from_utf8_lossy(&answer).contains("\"name\":\"ls\",\"arguments\""));
            asked += 1;
            until("the exchange is kept", || kept(&folder).len() == asked).await;
        }
    }
    assert_eq!(misses(&running).await, "toolglot_near_misses_total{model=\"*\",reason=\"other_dialect\"} 6");
    for capture in kept(&folder) {
        assert!(!format!("{capture:?}").contains("sk-secret") && capture.request.to_string().contains("go ***"));
        assert_eq!(capture.miss.as_ref().map(|(reason, _)| reason.as_str()), Some("other_dialect"));
        let read = |dialect: &str| {
            let config = Config::load(&sources(&[("demo", "true"), ("route.dialect", dialect)])).unwrap();
            String::from_utf8(replay(&capture, config).unwrap()).unwrap()
        };
        let has_call = |answer: &str| {
            answer.contains("tool_calls\":[{") || answer.contains("tool_use\"") || answer.contains("function_call\"")
        };
        assert!(has_call(&read("auto")), "{}", read("auto"));
        assert!(!has_call(&capture.told) && !has_call(&read("pythonic")), "{}", capture.told);
    }
    #[cfg(unix)]
    for (path, _) in captures(&folder).unwrap() {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    std::fs::remove_dir_all(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn prose_and_calls_are_no_misses() {
    for text in ["Just prose (with brackets): a < b.", CALL] {
        let (server, folder) = (server(text).await, folder("fine"));
        let settings = [("capture", "misses"), ("captures", folder.to_str().unwrap())];
        let running = Running::before(&server, &settings).await;
        for streamed in [false, true] {
            running.post(PATHS[0], &request(PATHS[0], streamed)).await;
        }
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
        assert_eq!(misses(&running).await, "");
        assert!(kept(&folder).is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn all_exchanges_are_kept_as_far_as_there_is_room() {
    let (server, folder) = (server(CALL).await, folder("all"));
    let settings = [("capture", "all"), ("captures", folder.to_str().unwrap()), ("capture_bytes", "4096")];
    let running = Running::before(&server, &settings).await;
    for at in 0..12 {
        let post = post(PATHS[0], &request(PATHS[0], false));
        let post = post.replace("content-type", &format!("x-request-id: ../../r{at}/\r\ncontent-type"));
        running.ask(&post).await;
        until("the exchange is kept", || kept(&folder).iter().any(|capture| capture.id.contains(&format!("r{at}/"))))
            .await;
    }
    let files = captures(&folder).unwrap();
    let bytes: u64 = files.iter().map(|(_, size)| size).sum();
    assert!(files.len() < 12 && !files.is_empty() && bytes <= 4096, "{files:?}");
    assert!(kept(&folder).iter().all(|capture| capture.miss.is_none() && !capture.cut));
    std::fs::remove_dir_all(folder).unwrap();
}
