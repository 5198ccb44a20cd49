//! The commands around the proxy.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixStream;
use std::process::Child;
use std::time::Duration;

use crate::{command, file, toolglot};

#[test]
fn settings_are_checked_with_line_and_advice() {
    let good = file("serve_good.toml", "keys = ['sesame']\n[[upstream]]\nurl = 'http://localhost:1'\n");
    let done = toolglot(&["config", "check", "--config", &good], "");
    assert_eq!((done.code, done.out.as_str()), (0, "the settings are valid\n"), "{}", done.err);
    let shown = toolglot(&["config", "show", "-c", &good, "--set", "limits.body=1 KiB"], "").out;
    assert!(shown.contains("body = \"1 KiB\"  # `--set limits.body`"), "{shown}");
    assert!(shown.contains("keys = [\"***\"]") && !shown.contains("sesame"), "{shown}");
    let unknown = command(&["config", "check", "-c", &good]).env("TOOLGLOT_LIMTS_BODY", "1").output().unwrap();
    let told = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(!unknown.status.success() && told.contains("unknown setting `TOOLGLOT_LIMTS_BODY`"), "{told}");
    let bad = file("serve_bad.toml", "\nlimits = 1\n");
    for (args, hint) in [
        (&["config", "check", "-c", &bad][..], "serve_bad.toml:2: expected a table; use `[limits]`"),
        (&["config", "check"], "`--upstream http://localhost:8000`"),
        (&["serve", "-u", "localhost"], "`--upstream`: `localhost` is not a server URL"),
        (&["serve", "--demo", "-l", "0.0.0.0:0"], "`--insecure`"),
        (&["serve", "--demo", "-l", "nonsense"], "`nonsense` is not an address; use one such as `127.0.0.1:8642`"),
        (&["serve", "--demo", "-d", "off", "-d", "hermes"], "`off` cannot be combined"),
        (&["serve", "--demo", "--set", "x=1"], "`--set x`: unknown setting `x`"),
        (&["serve", "--set", "x"], "NAME=VALUE"),
        (&["serve", "--config", "no/such"], "error: cannot read `no/such`: no such file"),
        (&["replay", "no/such.json"], "error: cannot read `no/such.json`: no such file"),
        (&["captures", "no/such"], "error: cannot read `no/such`: no such file; set `capture"),
    ] {
        let done = toolglot(args, "");
        assert_eq!(done.code, 2, "{args:?}: {}", done.err);
        assert!(done.err.contains(hint), "{args:?} says {}", done.err);
    }
}

#[test]
fn all_wrong_settings_are_named_at_once() {
    let bad = file(
        "serve_many.toml",
        "lisen = 'x'\n[limits]\nbody = 'much'\n[[upstream]]\nurl = 'http://localhost:1'\nkind = 5\n",
    );
    let done = toolglot(&["config", "check", "-c", &bad, "--set", "x=1"], "");
    assert_eq!(done.code, 2);
    for hint in
        ["serve_many.toml:1: unknown setting `lisen`", "serve_many.toml:3: `body`", "serve_many.toml:6: ", "`--set x`"]
    {
        assert!(done.err.contains(hint), "{hint} in {}", done.err);
    }
}

#[test]
fn an_unhealthy_proxy_says_why() {
    let done = toolglot(&["health", "-l", "127.0.0.1:1"], "");
    assert!(done.code == 1 && done.err.contains("unhealthy: 127.0.0.1:1: no answer"), "{}", done.err);
    let place = server(vec!["HTTP/1.1 503 Service Unavailable\r\ncontent-length: 8\r\n\r\nstopping".to_owned()]);
    let done = toolglot(&["health", "-l", place.trim_start_matches("http://")], "");
    assert!(done.code == 1 && done.err.contains("HTTP/1.1 503 Service Unavailable stopping"), "{}", done.err);
}

#[test]
fn schema_is_json_and_reference_has_tables() {
    let schema: serde_json::Value = serde_json::from_str(&toolglot(&["config", "schema"], "").out).unwrap();
    assert_eq!(schema["properties"]["listen"]["type"], "string");
    assert!(toolglot(&["config", "reference"], "").out.contains("| `listen` | `127.0.0.1:8642` |"));
}

/// Says whether a health check succeeds before long.
fn gets_well(args: &[&str]) -> bool {
    (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(20));
        toolglot(args, "").code == 0
    })
}

/// Ends a proxy by a signal and returns what it logged.
fn end(mut child: Child) -> String {
    let signal = std::process::Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap();
    assert!(signal.success());
    assert!(child.wait().unwrap().success());
    let mut log = String::new();
    child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
    log
}

fn socket(name: &str) -> String {
    std::env::temp_dir().join(format!("toolglot-{name}-{}", std::process::id())).display().to_string()
}

/// Starts the demonstration, asks whether it is well, ends it by signal.
#[test]
fn the_demonstration_runs_until_a_signal_ends_it() {
    let place = format!("unix:{}", socket("serve"));
    assert_eq!(toolglot(&["health", "-l", &place], "").code, 1);
    let child = command(&["serve", "--demo", "--listen", &place, "--log", "json"]).spawn().unwrap();
    assert!(gets_well(&["health", "-l", &place]));
    let log = end(child);
    assert!(log.contains("listening on unix:") && log.contains("all requests finished"), "{log}");
}

#[test]
fn the_demonstration_prints_what_to_try_in_a_pipe() {
    let mut child = command(&["serve", "--demo", "--listen", "127.0.0.1:0"]).spawn().unwrap();
    let log = BufReader::new(child.stderr.take().unwrap());
    let curls = log.lines().map_while(Result::ok).filter(|line| line.starts_with("curl -s http://")).take(2).count();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(curls, 2);
}

/// `docs/leaks.md` quotes what `doctor` prints if the proxy works.
#[test]
fn doctor_prints_what_the_page_about_leaks_quotes() {
    let mut child = command(&["serve", "--demo", "--listen", "127.0.0.1:0", "--log", "json"]).spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    log.read_line(&mut line).unwrap();
    let (_, place) = line.split_once("listening on ").expect("the first line names the address");
    let done = toolglot(&["doctor", &format!("http://{}", place.split('"').next().unwrap())], "");
    child.kill().unwrap();
    child.wait().unwrap();
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/leaks.md")).unwrap();
    let (_, promise) = page.split_once("Look for `").unwrap();
    let promise = promise.split('`').next().unwrap();
    assert!(done.code == 0 && done.out.contains(promise), "{promise} in {}", done.out);
}

/// Answers each connection to a port with the next of these, whatever it is asked.
fn server(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for (answer, stream) in answers.iter().zip(listener.incoming()) {
            let mut stream = stream.unwrap();
            let mut asked = vec![0; 1 << 16];
            let _ = stream.read(&mut asked).unwrap();
            let _ = stream.write_all(format!("{answer}\r\n").as_bytes());
        }
    });
    url
}

/// What servers say in their errors is told, but for keys; and what of a request they were not told.
#[test]
fn the_log_has_notes_and_errors_and_no_keys() {
    let refusal = r#"{"error":{"message":"wrong key Bearer sk-of-the-server, not sk-of-the-client"}}"#;
    let length = refusal.len();
    let close = "content-type: application/json\r\nconnection: close\r\n";
    let url = server(vec![
        format!("HTTP/1.1 401 No\r\n{close}content-length: {length}\r\n\r\n{refusal}"),
        format!(
            "HTTP/1.1 200 OK\r\n{}\r\ndata: {{\"error\":{{\"message\":\"out of memory\"}}}}\r\n",
            close.replace("json", "x").replace("application/x", "text/event-stream")
        ),
    ]);
    let socket = socket("log");
    let text = format!(
        "listen = 'unix:{socket}'\n[[upstream]]\nurl = '{url}'\nkey = 'sk-of-the-server'\nengine = 'generic'\n"
    );
    let settings = file("serve_log.toml", text);
    let child = command(&["serve", "-c", &settings, "--log", "json"]).spawn().unwrap();
    assert!(gets_well(&["health", "--config", &settings]));
    let ask = |stream: bool| {
        let tools = r#"[{"type":"web_search"},{"type":"web_search"},{"type":"function","name":"f"}]"#;
        let body = format!(r#"{{"model":"m","input":"a prompt","stream":{stream},"tools":{tools}}}"#);
        let head = "POST /v1/responses?key=sk-of-a-query HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer sk-of-the-client";
        let mut client = UnixStream::connect(&socket).unwrap();
        write!(client, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).unwrap();
        answer
    };
    let refused = ask(false);
    assert!(refused.contains("wrong key Bearer ***, not ***"), "{refused}");
    assert!(ask(true).contains("out of memory"));
    let log = end(child);
    assert!(!log.contains("a prompt"), "{log}");
    assert!(!log.contains("sk-of") && log.contains("wrong key Bearer ***, not ***"), "{log}");
    assert!(log.contains(r#""error":"out of memory""#), "{log}");
    assert!(
        log.contains(r#""notes":"tool of type `web_search` omitted: only its vendor's server can run it","#),
        "{log}"
    );
}

/// An exchange as the proxy keeps it, whose answer was read in another dialect.
fn captured() -> String {
    let answer = r#"{"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>"}}]}"#;
    let capture = serde_json::json!({
        "toolglot": "0.1.0", "id": "r1", "time": 1, "model": "m", "miss": ["other_dialect", "looks like `hermes`"],
        "protocols": ["chat", "chat"], "engine": "generic", "prompt": null, "reasoning_open": false, "begun": false,
        "attempts": 1, "streamed": false, "cut": false, "answer": answer, "told": answer,
        "request": {"model": "m", "messages": [], "tools": [{"type": "function", "function": {"name": "ls"}}]},
    });
    capture.to_string()
}

#[test]
fn a_captured_exchange_is_read_again() {
    let capture = file("replay.json", captured());
    let done = toolglot(&["replay", &capture], "");
    assert_eq!(done.code, 0, "{}", done.err);
    for line in ["near miss  other_dialect", "was        text", "would be   call       ls {\"path\": \"a\"}"] {
        assert!(done.out.contains(line), "{line} in {}", done.out);
    }
    let same = toolglot(&["replay", "--set", "route.dialect=pythonic", &capture], "");
    assert!(same.code == 0 && same.out.contains("unchanged"), "{}{}", same.out, same.err);
    let case = toolglot(&["replay", "--case", &capture], "").out;
    assert!(
        case.starts_with("looks like `hermes`\n--- tools\n[{") && case.contains("--- input\n<tool_call>\n{"),
        "{case}"
    );
    assert!(case.ends_with("</tool_call>\n--- expect\n"), "{case}");
    let none = file("replay_none.json", "{}");
    let done = toolglot(&["replay", &none], "");
    assert!(done.code == 2 && done.err.contains("not a captured exchange"), "{}", done.err);
}

#[test]
fn captured_exchanges_are_listed() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("captures");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("1-r1.json"), captured()).unwrap();
    std::fs::write(folder.join("notes.json"), "{}").unwrap();
    let done = toolglot(&["captures", folder.to_str().unwrap()], "");
    assert_eq!(done.out.lines().count(), 1, "{}", done.out);
    assert!(done.out.contains("1-r1.json\tm\tother_dialect\t"), "{}", done.out);
    let done = toolglot(&["captures", "no/such/folder"], "");
    assert!(done.code == 2 && done.err.contains("capture = "), "{}", done.err);
}
