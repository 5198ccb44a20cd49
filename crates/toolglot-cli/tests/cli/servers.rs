//! `doctor` and `inspect`: one asks a server, one is a server.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

use serde_json::Value;

use crate::{command, file, toolglot};

const PLAIN: &str =
    r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}"#;
const TEXT: &str = r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}</tool_call>"},"finish_reason":"stop"}]}"#;
const MODELS: &str = r#"{"data":[{"id":"Qwen/Qwen3-8B","owned_by":"vllm"}]}"#;

/// Takes one request, as long as it says it is.
fn request(stream: &mut TcpStream) -> String {
    let (mut reader, mut head) = (BufReader::new(stream), String::new());
    while !head.ends_with("\r\n\r\n") && reader.read_line(&mut head).is_ok_and(|read| read > 0) {}
    let lower = head.to_lowercase();
    let length = lower.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    let _ = reader.read_exact(&mut body);
    head + &String::from_utf8_lossy(&body)
}

/// A vLLM that was started without a parser: calls stay in the text, and streams say nothing.
fn vllm() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let asked = request(&mut stream);
            let answer = match asked.split(' ').nth(1) {
                Some("/v1/models") => MODELS,
                Some("/v1/chat/completions")
                    if !asked.contains("bearer sesame") && !asked.contains("Bearer sesame") =>
                {
                    ""
                }
                Some("/v1/chat/completions") if asked.contains("\"tools\"") => TEXT,
                Some("/v1/chat/completions") => PLAIN,
                _ => "",
            };
            let status = if answer.is_empty() { "401 No" } else { "200 OK" };
            let head = "content-type: application/json\r\nconnection: close";
            let length = answer.len();
            let _ = write!(stream, "HTTP/1.1 {status}\r\n{head}\r\ncontent-length: {length}\r\n\r\n{answer}");
        }
    });
    url
}

#[test]
fn a_doctor_says_what_arrives_and_prints_the_command_that_mends_it() {
    let url = vllm();
    let done = toolglot(&["doctor", &url, "--key", "sesame"], "");
    assert_eq!(done.code, 1, "{}{}", done.out, done.err);
    let wanted = [
        &format!("server      {url}, vllm"),
        "model       Qwen/Qwen3-8B (of 1)",
        "plain       5 bytes of text",
        "1 call in the text",
        "the server leaves calls in the text; one of these fixes it:",
        &format!("  toolglot serve --upstream {url} --dialect hermes"),
        "  vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes",
    ];
    for line in wanted {
        assert!(done.out.contains(line), "{line} in {}", done.out);
    }
    assert!(!done.out.contains("sesame"));
}

#[test]
fn a_doctor_says_once_that_nobody_answers() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let done = toolglot(&["doctor", &format!("http://{nobody}")], "");
    assert_eq!((done.code, done.err.as_str(), done.out.lines().count()), (1, "", 1), "{}", done.out);
    assert!(done.out.contains("cannot reach") && done.out.contains("is it running?"), "{}", done.out);
    assert!(!done.out.contains("os error"), "{}", done.out);
}

#[test]
fn a_doctors_findings_are_data_for_scripts() {
    let url = vllm();
    let done = toolglot(&["doctor", &url, "--key", "sesame", "--json"], "");
    let found: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((done.code, &found["engine"], &found["verdict"]), (1, &"vllm".into(), &"calls_in_text".into()));
    assert_eq!(found["probes"][1]["dialect"], "hermes");
    assert_eq!(found["fixes"].as_array().map(Vec::len), Some(2));
    let refused: Value = serde_json::from_str(&toolglot(&["doctor", &url, "--json"], "").out).unwrap();
    assert_eq!((&refused["verdict"], &refused["probes"][0]["status"]), (&"unanswered".into(), &401.into()));
    assert_eq!(refused["fixes"][0], "pass the server's key with `--key`");
    assert_eq!(toolglot(&["doctor", "localhost"], "").code, 2);
}

/// Asks for a path of a page that is served at an address.
fn get(url: &str, path: &str) -> String {
    let place = url.trim_start_matches("http://").split('/').next().unwrap();
    let mut stream = TcpStream::connect(place).unwrap();
    write!(stream, "GET {path} HTTP/1.1\r\nhost: {place}\r\nconnection: close\r\n\r\n").unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn the_inspector_serves_its_page_and_what_it_was_given() {
    let text = file("inspect_text.txt", "Hi <tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call>");
    let tools = file("inspect_tools.json", r#"[{"name": "ls"}]"#);
    let mut child = command(&["inspect", &text, "--tools", &tools, "-d", "hermes"]).spawn().unwrap();
    let (mut out, mut url) = (BufReader::new(child.stdout.take().unwrap()), String::new());
    out.read_line(&mut url).unwrap();
    let url = url.trim();
    assert!(url.starts_with("http://127.0.0.1:"), "{url}");
    let base = url.splitn(4, '/').nth(3).map_or("/".to_owned(), |path| format!("/{path}"));
    let page = get(url, &base);
    let policy = "content-security-policy: default-src 'none'";
    assert!(page.starts_with("HTTP/1.1 200") && page.to_lowercase().contains(policy), "{page}");
    assert!(page.contains("<title>toolglot inspector</title>"), "{page}");
    let session = get(url, &format!("{base}session.json"));
    let session: Value = serde_json::from_str(session.split("\r\n\r\n").nth(1).unwrap()).unwrap();
    assert!(session["text"].as_str().is_some_and(|text| text.starts_with("Hi <tool_call>")), "{session}");
    assert_eq!((&session["tools"], &session["dialects"][0]), (&r#"[{"name": "ls"}]"#.into(), &"hermes".into()));
    assert!(get(url, &format!("{base}assets/index.js")).starts_with("HTTP/1.1 200"));
    assert!(get(url, &format!("{base}no/such")).starts_with("HTTP/1.1 404"));
    let ended = std::process::Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
    assert!(ended.success() && child.wait().unwrap().success());
}

#[test]
fn the_inspector_refuses_what_it_cannot_show() {
    let none = toolglot(&["inspect", "no/such.txt"], "");
    assert!(none.code == 2 && none.err.contains("no/such.txt"), "{}", none.err);
    let tools = file("inspect_bad.json", "[{]");
    let bad = toolglot(&["inspect", "--tools", &tools], "");
    assert!(bad.code == 2 && bad.err.contains("inspect_bad.json"), "{}", bad.err);
}
