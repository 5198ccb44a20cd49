//! Scripted servers, shaped like those that people run.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use super::{Condition, Examination, examine};

/// Paths, what has to stand in the request, and the answers; the first that fits counts.
type Script = &'static [(&'static str, &'static str, u16, &'static str)];

const PLAIN: &str =
    r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}]}"#;
const NATIVE: &str = r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\": \"Oslo\"}"}}]}, "finish_reason": "tool_calls"}]}"#;
const NATIVE_STREAM: &str = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"tool_calls\": [{\"index\": 0, \"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"arguments\": \"{\\\"city\\\": \\\"Oslo\\\"}\"}}]}}]}\n\ndata: {\"choices\": [{\"index\": 0, \"delta\": {}, \"finish_reason\": \"tool_calls\"}]}\n\ndata: [DONE]\n\n";
const TEXT: &str = r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>"}, "finish_reason": "stop"}]}"#;
const TEXT_STREAM: &str = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"<tool_call>{\\\"name\\\": \\\"get_weather\\\", \\\"arg\"}}]}\n\ndata: {\"choices\": [{\"index\": 0, \"delta\": {\"content\": \"uments\\\": {\\\"city\\\": \\\"Oslo\\\"}}</tool_call>\"}, \"finish_reason\": \"stop\"}]}\n\ndata: [DONE]\n\n";

const BROKEN: &str = r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "get_weather\n<arg_key>city", "arguments": "{"}}]}, "finish_reason": "tool_calls"}]}"#;
const BROKEN_STREAM: &str = "data: {\"choices\": [{\"index\": 0, \"delta\": {\"tool_calls\": [{\"index\": 0, \"id\": \"c1\", \"type\": \"function\", \"function\": {\"name\": \"get_weather\", \"arguments\": \"{\\\"city\\\": \"}}]}}]}\n\ndata: [DONE]\n\n";

/// Serves a script on a port of its own; returns the address.
fn serve(script: Script) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || listener.incoming().flatten().for_each(|stream| answer(stream, script)));
    url
}

fn answer(mut stream: TcpStream, script: Script) {
    let (mut request, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length =
                head.to_lowercase().lines().find_map(|line| line.strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                break;
            }
        }
        match stream.read(&mut piece) {
            Ok(read) if read > 0 => request.extend_from_slice(&piece[..read]),
            _ => return,
        }
    }
    let text = String::from_utf8_lossy(&request);
    let path = text.split(' ').nth(1).unwrap_or_default();
    let found = script.iter().find(|(known, word, ..)| *known == path && text.contains(word));
    let (status, body) = found.map_or((404, "{}"), |(_, _, status, body)| (*status, *body));
    let kind = if body.starts_with("data:") { "text/event-stream" } else { "application/json" };
    // A proxy names itself in what it passes on.
    let via = if body.contains("through a proxy") { "via: 1.1 toolglot\r\n" } else { "" };
    let head = format!(
        "HTTP/1.1 {status} X\r\n{via}content-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

fn seen(script: Script) -> Examination {
    examine(&serve(script), None, None, None).unwrap()
}

const CHAT: &str = "/v1/chat/completions";

#[test]
fn a_llama_server_that_reads_its_calls_is_healthy() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "qwen2.5-7b-instruct", "owned_by": "llamacpp"}]}"#),
        (
            "/props",
            "",
            200,
            r#"{"default_generation_settings": {}, "chat_template": "{%- if tools %}<tool_call>\n{\"name\": <function-name>, \"arguments\": <args-json-object>}\n</tool_call>{% endif %}"}"#,
        ),
        (CHAT, "\"stream\":true", 200, NATIVE_STREAM),
        (CHAT, "\"tools\"", 200, NATIVE),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("llama.cpp", Condition::Healthy));
    assert_eq!(found.model, "qwen2.5-7b-instruct");
    assert_eq!(found.template.as_deref(), Some("hermes"));
    assert!(found.fixes.is_empty() && found.probes.iter().all(|probe| probe.fault.is_none()), "{found:?}");
}

#[test]
fn a_vllm_without_its_flags_refuses_tools() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "Qwen/Qwen3-8B", "owned_by": "vllm"}]}"#),
        (
            CHAT,
            "\"tools\"",
            400,
            r#"{"error": {"message": "\"auto\" tool choice requires --enable-auto-tool-choice"}}"#,
        ),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("vllm", Condition::RefusesTools));
    assert!(found.probes[1].fault.as_deref().is_some_and(|fault| fault.contains("--enable-auto-tool-choice")));
    let own = "vllm serve Qwen/Qwen3-8B --enable-auto-tool-choice --tool-call-parser hermes";
    assert_eq!(found.fixes.get(1).map(String::as_str), Some(own), "{found:?}");
}

#[test]
fn an_sglang_without_a_parser_leaves_calls_in_the_text() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "m", "owned_by": "sglang"}]}"#),
        (CHAT, "\"stream\":true", 200, TEXT_STREAM),
        (CHAT, "\"tools\"", 200, TEXT),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("sglang", Condition::CallsInText));
    assert_eq!(found.probes[2].dialect.as_deref(), Some("hermes"));
    assert!(found.fixes[0].ends_with("--dialect hermes"), "{found:?}");
    assert_eq!(found.fixes[1], "python -m sglang.launch_server --model-path m --tool-call-parser hermes");
}

#[test]
fn a_vllm_with_another_models_parser_breaks_its_calls() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "zai-org/GLM-4.7", "owned_by": "vllm"}]}"#),
        (CHAT, "\"stream\":true", 200, BROKEN_STREAM),
        (CHAT, "\"tools\"", 200, BROKEN),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("vllm", Condition::CallsBroken));
    assert_eq!((found.probes[1].broken_calls, found.probes[2].broken_calls), (1, 1));
    assert!(found.fixes[1].ends_with("vllm serve zai-org/GLM-4.7 --enable-auto-tool-choice --tool-call-parser glm47"));
}

#[test]
fn a_llama_server_that_refuses_tools_is_told_its_flag() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "m.gguf", "owned_by": "llamacpp"}]}"#),
        ("/props", "", 200, r#"{"default_generation_settings": {}, "chat_template": "{{ messages }}"}"#),
        (CHAT, "\"tools\"", 500, r#"{"error": {"message": "tools param requires --jinja flag", "code": 500}}"#),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("llama.cpp", Condition::RefusesTools));
    assert_eq!(found.probes[1].fault.as_deref(), Some("tools param requires --jinja flag"));
    assert!(found.fixes[1].starts_with("llama-server --jinja"), "{found:?}");
}

#[test]
fn an_engine_without_a_parser_for_the_dialect_is_left_as_it_is() {
    const TOOL_USE: &str = r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "[{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Oslo\"}}]"}, "finish_reason": "stop"}]}"#;
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "m", "owned_by": "sglang"}]}"#),
        (CHAT, "\"stream\":true", 200, "data: [DONE]\n\n"),
        (CHAT, "\"tools\"", 200, TOOL_USE),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.verdict, found.fixes.len()), (Condition::CallsInText, 1), "{found:?}");
}

#[test]
fn an_ollama_that_reads_calls_only_in_whole_answers() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "qwen3:8b", "owned_by": "library"}]}"#),
        ("/api/version", "", 200, r#"{"version": "0.12.0"}"#),
        (
            "/api/show",
            "",
            200,
            r#"{"template": "{{ if .Tools }}<tool_call>{\"name\": \"x\", \"arguments\": {}}</tool_call>{{ end }}"}"#,
        ),
        (CHAT, "\"stream\":true", 200, TEXT_STREAM),
        (CHAT, "\"tools\"", 200, NATIVE),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("ollama", Condition::StreamsUnread));
    assert!(found.fixes[0].starts_with("toolglot serve --upstream http://127.0.0.1:"), "{found:?}");
}

#[test]
fn a_toolglot_is_recognised_and_needs_no_second_one() {
    const HELLO: &str = r#"{"choices": [{"index": 0, "message": {"role": "assistant", "content": "through a proxy"}, "finish_reason": "stop"}]}"#;
    let found = seen(&[("/v1/models", "", 200, r#"{"data": [{"id": "m"}]}"#), (CHAT, "", 200, HELLO)]);
    assert_eq!((found.is_toolglot, found.verdict), (true, Condition::NoCall));
    assert_eq!(found.fixes, ["restart the existing `toolglot serve` with --set route.mode=prompt"]);
}

#[test]
fn an_lm_studio_whose_model_does_not_call() {
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "m", "owned_by": "organization_owner"}]}"#),
        ("/api/v0/models", "", 200, r#"{"data": []}"#),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!((found.engine, found.verdict), ("lmstudio", Condition::NoCall));
    assert!(found.fixes[0].contains("route.mode=prompt"));
}

#[test]
fn a_model_that_tries_to_call_is_not_said_not_to() {
    const TEXT: &str = r#"{"choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant",
        "content": "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": Paris, France}}</tool_call>"}}]}"#;
    let found = seen(&[
        ("/v1/models", "", 200, r#"{"data": [{"id": "m"}]}"#),
        (CHAT, "\"tools\"", 200, TEXT),
        (CHAT, "", 200, PLAIN),
    ]);
    assert_eq!(found.probes[1].miss_reason, Some("broken"));
    assert!(found.fixes[0].contains("toolglot explain"), "{found:?}");
    let misses: Vec<&String> = found.probes.iter().filter_map(|probe| probe.near_miss.as_ref()).collect();
    assert!(
        misses.iter().any(|miss| miss.contains("a call to `get_weather` cannot be parsed to its end: ")),
        "{found:?}"
    );
}

#[test]
fn a_server_that_wants_a_key_and_one_that_is_not_there() {
    let found = seen(&[(CHAT, "bearer secret", 200, PLAIN), (CHAT, "", 401, r#"{"error": "no key"}"#)]);
    assert_eq!((found.verdict, found.probes[0].status), (Condition::Unanswered, 401));
    assert!(found.fixes[0].contains("--key"));
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let found = examine(&format!("http://{nobody}"), None, None, None).unwrap();
    assert_eq!((found.verdict, found.probes[0].status, found.probes.len()), (Condition::Unanswered, 0, 1));
    assert!(examine("not a url", None, None, None).is_err());
}
