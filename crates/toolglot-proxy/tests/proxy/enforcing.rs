//! `enforce`: what a client demands is held by a grammar where the server takes one, and checked where it does not.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolglot_json::{Value, json};

use crate::support::*;

const CALL: &str = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";
const SHAPED: &str = "{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}";

/// Members in which requests carry grammars.
const MEMBERS: [&str; 6] =
    ["grammar", "grammar_lazy", "grammar_triggers", "preserved_tokens", "structured_outputs", "response_format"];

/// A server that says these texts, one after the other, and refuses what holds one of the fields.
async fn server(said: &[&str], refused: &'static [&'static str]) -> Server {
    let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
    let asked = AtomicUsize::new(0);
    Server::start(move |seen| {
        if !seen.line.starts_with("POST") {
            return whole("404 Not Found", "", "{}");
        }
        let body = seen.json();
        if let Some(field) = refused.iter().find(|field| body.get(**field).is_some()) {
            let error = json!({"error": {"message": format!("{field}: extra fields not permitted")}});
            return whole("400 Bad Request", "", &error.to_string());
        }
        let text = &said[asked.fetch_add(1, Ordering::Relaxed).min(said.len() - 1)];
        if body["stream"] != true {
            let message = json!({"role": "assistant", "content": text});
            let choice = json!({"index": 0, "finish_reason": "stop", "message": message});
            let answer =
                json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]});
            return whole("200 OK", "", &answer.to_string());
        }
        let delta = |piece: char| chunk(&json!({"content": piece.to_string()}).to_string(), "null");
        let mut frames: Vec<String> = text.chars().map(delta).collect();
        frames.push(chunk("{}", "\"stop\""));
        frames.push("data: [DONE]\n\n".to_owned());
        stream(&frames)
    })
    .await
}

fn asked(server: &Server) -> Vec<Value> {
    server.seen().iter().filter(|seen| seen.line.starts_with("POST")).map(Seen::json).collect()
}

/// A chat request with two tools, of which the second is strict, and these members besides.
fn with(members: &Value) -> String {
    let tool = |name: &str, strict: bool| {
        let path = format!("{name}_path");
        let properties = json!({path: {"type": "string"}});
        let parameters = json!({"type": "object", "properties": properties});
        json!({"type": "function", "function": {"name": name, "strict": strict, "parameters": parameters}})
    };
    let mut body = json!({"model": "m", "messages": [{"role": "user", "content": "go"}],
        "tools": [tool("ls", false), tool("rm", true)]});
    for (key, value) in members.as_object().unwrap() {
        body[key.as_str()] = value.clone();
    }
    body.to_string()
}

/// What is sent for a request by a proxy with these settings.
async fn sent(settings: &[(&str, &str)], members: &Value) -> Value {
    let server = server(&[CALL], &[]).await;
    let running = Running::before(&server, &[&[("route.dialect", "hermes")], settings].concat()).await;
    let (head, body) = running.post(PATHS[0], &with(members)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}{}", String::from_utf8_lossy(&body));
    asked(&server).remove(0)
}

/// The grammar that a request carries, as text.
fn grammar(body: &Value) -> String {
    let tag = body.pointer("/structured_outputs/structural_tag").and_then(Value::as_str);
    let gbnf = body.get("grammar").and_then(Value::as_str);
    gbnf.or(tag).map_or_else(|| body["response_format"].to_string(), str::to_owned)
}

fn is_held(body: &Value) -> bool {
    MEMBERS.iter().any(|member| body.get(member).is_some())
}

fn demanding(path: &str, stream: bool) -> String {
    let mut body: Value = toolglot_json::from_str(&request(path, stream)).unwrap();
    body["tool_choice"] = if path == "/v1/messages" { json!({"type": "any"}) } else { json!("required") };
    body.to_string()
}

#[tokio::test]
async fn each_engine_gets_the_grammar_in_its_form() {
    for (engine, member, choice, said) in [
        ("llama.cpp", "grammar", Value::Null, CALL),
        ("vllm", "structured_outputs", json!("none"), CALL),
        ("sglang", "response_format", json!("auto"), CALL),
        ("ollama", "response_format", json!("required"), SHAPED),
        ("lmstudio", "response_format", json!("required"), SHAPED),
        ("generic", "response_format", json!("required"), SHAPED),
    ] {
        for (mode, path) in ["auto", "prompt"].into_iter().flat_map(|mode| PATHS.map(|path| (mode, path))) {
            for streamed in [false, true] {
                let server = server(&[said], &[]).await;
                let settings = [
                    ("route.mode", mode),
                    ("route.dialect", "hermes"),
                    ("route.enforce", "choice"),
                    ("upstream.engine", engine),
                ];
                let running = Running::before(&server, &settings).await;
                let (head, body) = running.post(path, &demanding(path, streamed)).await;
                let body = String::from_utf8(body).unwrap();
                let place = format!("{engine} {mode} {path} {streamed}");
                assert!(head.starts_with("HTTP/1.1 200"), "{place}: {head}{body}");
                assert!(body.contains(r#""name":"ls""#), "{place}: {body}");
                let asked = asked(&server);
                assert_eq!(asked.len(), 1, "{place}");
                let sent = &asked[0];
                assert!(sent.get(member).is_some(), "{place}: {sent}");
                // llama-server refuses a grammar beside tools.
                let prompted = mode == "prompt" || engine == "llama.cpp";
                assert_eq!(sent.get("tools").is_none(), prompted, "{place}: {sent}");
                assert_eq!(sent["tool_choice"], if prompted { Value::Null } else { choice.clone() }, "{place}");
                let last = sent["messages"].as_array().unwrap().last().unwrap();
                assert_eq!(last["role"], "user", "nothing is begun that the grammar begins, {place}");
                let text = grammar(sent);
                assert!(text.contains("ls"), "{place}: {text}");
                assert_eq!(text.contains("tool_call>"), said == CALL, "{place}: {text}");
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_held_unless_it_is_set_and_asked_for() {
    let required = json!({"tool_choice": "required"});
    let format = json!({"response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": {
        "type": "object", "properties": {"answer": {"type": "integer"}}}}}});
    for engine in ["vllm", "sglang"] {
        let engine = ("upstream.engine", engine);
        assert!(!is_held(&sent(&[engine], &required).await), "it is off unless it is set");
        assert!(!is_held(&sent(&[engine, ("route.enforce", "choice")], &json!({})).await));
        let none = json!({"tool_choice": "none"});
        assert!(!is_held(&sent(&[engine, ("route.enforce", "strict")], &none).await));
        let kept = sent(&[engine, ("route.enforce", "choice")], &format).await;
        assert_eq!(kept["response_format"], format["response_format"]);
        let united = sent(&[engine, ("route.enforce", "auto")], &format).await;
        assert!(!united.to_string().contains("json_schema\":{\"name"), "the grammar has the schema: {united}");
        let text = grammar(&united);
        assert!(text.contains("answer") && text.contains("tool_call"), "{text}");
    }
    let mlx = sent(&[("upstream.engine", "mlx-lm"), ("route.enforce", "strict")], &required).await;
    assert!(!is_held(&mlx), "{mlx}");
    let own = json!({"tool_choice": "required", "structured_outputs": {"choice": ["a"]}});
    let kept = sent(&[("upstream.engine", "vllm"), ("route.enforce", "strict")], &own).await;
    assert_eq!(kept["structured_outputs"], own["structured_outputs"], "the client's own grammar stays");
    assert_eq!(kept["tool_choice"], "required");
}

#[tokio::test]
async fn arguments_are_held_as_far_as_is_set() {
    for (enforce, members, ls, rm) in [
        ("choice", json!({"tool_choice": "required"}), false, false),
        ("auto", json!({}), false, true),
        ("auto", json!({"tool_choice": "required"}), false, true),
        ("strict", json!({}), true, true),
    ] {
        for engine in ["llama.cpp", "vllm", "sglang"] {
            let settings = [("upstream.engine", engine), ("route.enforce", enforce), ("route.mode", "auto")];
            let text = grammar(&sent(&settings, &members).await);
            assert_eq!((text.contains("ls_path"), text.contains("rm_path")), (ls, rm), "{enforce} {engine}: {text}");
        }
    }
}

#[tokio::test]
async fn a_named_tool_is_the_only_one_and_one_call_is_one() {
    let named = json!({"tool_choice": {"type": "function", "function": {"name": "ls"}}});
    let one = json!({"tool_choice": "required", "parallel_tool_calls": false});
    for engine in ["llama.cpp", "vllm", "sglang"] {
        let settings = [("upstream.engine", engine), ("route.enforce", "choice"), ("route.mode", "auto")];
        let text = grammar(&sent(&settings, &named).await);
        assert!(text.contains(r#"ls\"#) && !text.contains(r#"rm\"#), "{engine}: {text}");
        let (single, several) = (
            grammar(&sent(&settings, &one).await),
            grammar(&sent(&settings, &json!({"tool_choice": "required"})).await),
        );
        assert!(single.len() < several.len(), "{engine}: {single} {several}");
        let alone = json!({"parallel_tool_calls": false});
        assert!(is_held(&sent(&settings, &alone).await), "{engine}");
    }
}

#[tokio::test]
async fn llama_server_waits_for_the_marker_where_text_is_free() {
    let settings = [("upstream.engine", "llama.cpp"), ("route.enforce", "auto"), ("route.mode", "auto")];
    let sent = sent(&settings, &json!({})).await;
    assert_eq!(sent["grammar_lazy"], true);
    assert_eq!(sent["grammar_triggers"], json!([{"type": 1, "value": "<tool_call>"}]));
    let preserved = sent["preserved_tokens"].as_array().unwrap();
    assert!(preserved.contains(&json!("<tool_call>")), "{preserved:?}");
    assert!(sent["grammar"].as_str().unwrap().starts_with("root ::= \"<tool_call>"), "{sent}");
}

#[tokio::test]
async fn tools_stay_native_where_the_route_says_so() {
    let server = server(&[CALL], &[]).await;
    let settings = [("upstream.engine", "llama.cpp"), ("route.enforce", "strict")];
    let running = Running::before(&server, &settings).await;
    let (head, _) = running.post(PATHS[0], &demanding(PATHS[0], false)).await;
    assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    let sent = asked(&server).remove(0);
    assert!(sent.get("tools").is_some() && !is_held(&sent), "{sent}");
}

#[tokio::test]
async fn a_model_of_which_no_dialect_is_known_is_not_held_natively() {
    let server = server(&[CALL], &[]).await;
    let settings = [("upstream.engine", "vllm"), ("route.enforce", "strict")];
    let running = Running::before(&server, &settings).await;
    running.post(PATHS[0], &demanding(PATHS[0], false)).await;
    assert!(!is_held(&asked(&server)[0]));
    let named = demanding(PATHS[0], false).replace("\"model\":\"m\"", "\"model\":\"Qwen3-Coder-30B-A3B\"");
    running.post(PATHS[0], &named).await;
    let sent = asked(&server).pop().unwrap();
    assert!(grammar(&sent).contains("<function="), "{sent}");
}

#[tokio::test]
async fn a_grammar_that_a_server_refuses_is_not_sent_to_it_again() {
    for (engine, fields) in [
        ("llama.cpp", &["grammar"][..]),
        ("vllm", &["structured_outputs"]),
        ("sglang", &["response_format"]),
        ("ollama", &["response_format"]),
    ] {
        for mode in ["auto", "prompt"] {
            for streamed in [false, true] {
                let server = server(&[CALL], fields).await;
                let settings = [
                    ("route.mode", mode),
                    ("route.dialect", "hermes"),
                    ("route.enforce", "strict"),
                    ("route.prefill", "false"),
                    ("upstream.engine", engine),
                ];
                let running = Running::before(&server, &settings).await;
                for asked_so_far in [2, 3] {
                    let (head, body) = running.post(PATHS[0], &demanding(PATHS[0], streamed)).await;
                    let body = String::from_utf8(body).unwrap();
                    let place = format!("{engine} {mode} {streamed}");
                    assert!(head.starts_with("HTTP/1.1 200"), "{place}: {head}{body}");
                    assert!(body.contains(r#""name":"ls""#), "{place}: {body}");
                    let asked = asked(&server);
                    assert_eq!(asked.len(), asked_so_far, "{place}");
                    let last = asked.last().unwrap();
                    assert!(!is_held(last), "{place}: {last}");
                    assert_eq!(last.get("tools").is_some(), mode == "auto", "{place}: {last}");
                    assert!(mode == "prompt" || last["tool_choice"] == "required", "{place}: {last}");
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_refused_for_another_reason_is_held_again() {
    let server = server(&[CALL], &["parallel_tool_calls"]).await;
    let settings = [("route.dialect", "hermes"), ("route.enforce", "choice"), ("upstream.engine", "vllm")];
    let running = Running::before(&server, &settings).await;
    let body = with(&json!({"tool_choice": "required", "parallel_tool_calls": false}));
    for _ in 0..2 {
        let (head, _) = running.post(PATHS[0], &body).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
    }
    let asked = asked(&server);
    assert!(!is_held(&asked[2]) && asked[2].get("parallel_tool_calls").is_none(), "{}", asked[2]);
    assert!(is_held(asked.last().unwrap()), "{}", asked.last().unwrap());
}

#[tokio::test]
async fn a_server_that_passes_over_the_grammar_is_asked_once_more_without() {
    for (mode, streamed) in [("native", false), ("native", true), ("prompt", false), ("prompt", true)] {
        let server = server(&["I would rather talk.", CALL], &[]).await;
        let settings = [
            ("route.mode", mode),
            ("route.dialect", "hermes"),
            ("route.enforce", "choice"),
            ("upstream.engine", "vllm"),
        ];
        let running = Running::before(&server, &settings).await;
        let (head, body) = running.post(PATHS[0], &demanding(PATHS[0], streamed)).await;
        let body = String::from_utf8(body).unwrap();
        assert!(head.starts_with("HTTP/1.1 200") && body.contains(r#""name":"ls""#), "{mode}: {head}{body}");
        let asked = asked(&server);
        assert_eq!(asked.len(), 2, "{mode}");
        assert!(asked[0].get("structured_outputs").is_some() && asked[1].get("structured_outputs").is_none());
        assert!(mode == "prompt" || asked[1]["tool_choice"] == "required", "{}", asked[1]);
        assert!(asked[1].to_string().contains("required now"), "{}", asked[1]);
    }
}
