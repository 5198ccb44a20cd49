//! `tool_choice`: an answer that has to hold a call is checked before its first byte goes out, and asked for once more.

use std::sync::atomic::{AtomicUsize, Ordering};

use toolglot_json::{Value, json};

use crate::support::*;

const CALL: &str = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>";

/// A server that says these things, one after the other; each answer counts three tokens. It refuses what holds the field.
async fn server_without(field: &'static str, said: &[&str], finish: &'static str) -> Server {
    let said: Vec<String> = said.iter().map(|text| (*text).to_owned()).collect();
    let asked = AtomicUsize::new(0);
    Server::start(move |seen| {
        if !seen.line.starts_with("POST") {
            return whole("404 Not Found", "", "{}");
        }
        let body: Value = toolglot_json::from_slice(&seen.body).unwrap();
        if body.get(field).is_some() {
            // As FastAPI says it of some fields.
            let status = if field == "response_format" { "422 Unprocessable Entity" } else { "400 Bad Request" };
            return whole(status, "", &json!({"error": {"message": format!("no {field} here")}}).to_string());
        }
        let text = &said[asked.fetch_add(1, Ordering::Relaxed).min(said.len() - 1)];
        let usage = json!({"prompt_tokens": 2, "completion_tokens": 1, "total_tokens": 3});
        if body["stream"] != true {
            let message = json!({"role": "assistant", "content": text});
            let choice = json!({"index": 0, "finish_reason": finish, "message": message});
            let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice],
                "usage": usage});
            return whole("200 OK", "", &body.to_string());
        }
        let delta = |piece: char| chunk(&json!({"content": piece.to_string()}).to_string(), "null");
        let mut frames: Vec<String> = text.chars().map(delta).collect();
        frames.push(chunk("{}", &format!("\"{finish}\"")));
        let count = json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [],
            "usage": usage});
        frames.push(format!("data: {count}\n\n"));
        frames.push("data: [DONE]\n\n".to_owned());
        stream(&frames)
    })
    .await
}

async fn server(said: &[&str], finish: &'static str) -> Server {
    server_without("nothing", said, finish).await
}

/// A request with a choice, as each protocol writes it.
fn demanding(path: &str, named: bool, stream: bool) -> String {
    let mut body: Value = toolglot_json::from_str(&request(path, stream)).unwrap();
    body["tool_choice"] = match (path, named) {
        ("/v1/messages", true) => json!({"type": "tool", "name": "ls"}),
        ("/v1/messages", false) => json!({"type": "any"}),
        (_, false) => json!("required"),
        ("/v1/responses", true) => json!({"type": "function", "name": "ls"}),
        (_, true) => json!({"type": "function", "function": {"name": "ls"}}),
    };
    if stream && path == "/v1/chat/completions" {
        body["stream_options"] = json!({"include_usage": true});
    }
    body.to_string()
}

fn asked(server: &Server) -> Vec<Value> {
    server.seen().iter().filter(|seen| seen.line.starts_with("POST")).map(Seen::json).collect()
}

#[tokio::test]
async fn a_model_that_makes_no_call_is_asked_once_more() {
    for mode in ["native", "prompt"] {
        for path in PATHS {
            for (named, streamed) in [(false, false), (false, true), (true, false), (true, true)] {
                let server = server(&["I would rather talk.", CALL], "stop").await;
                let running = Running::before(&server, &[("route.mode", mode)]).await;
                let (head, body) = running.post(path, &demanding(path, named, streamed)).await;
                let body = String::from_utf8(body).unwrap();
                let place = format!("{mode} {path} named {named} streamed {streamed}");
                assert!(head.starts_with("HTTP/1.1 200"), "{place}: {head}{body}");
                assert!(body.contains(r#""name":"ls""#) && !body.contains("rather"), "{place}: {body}");
                let total = if path == PATHS[0] { "\"completion_tokens\":2" } else { "\"output_tokens\":2" };
                assert!(body.contains(total), "both answers are counted, {place}: {body}");
                let asked = asked(&server);
                assert_eq!(asked.len(), 2, "{place}");
                let messages = asked[1]["messages"].as_array().unwrap();
                let last: Vec<_> =
                    messages[messages.len() - 2..].iter().map(|it| it["content"].as_str().unwrap()).collect();
                assert_eq!(last[0], "I would rather talk.", "{place}");
                assert!(last[1].contains("required now"), "{last:?}");
                assert_eq!(
                    last[1].contains(r#"{"name":"ls","arguments":{"path":"value"}}"#),
                    mode == "prompt",
                    "{last:?}"
                );
                let schema = &asked[1]["response_format"]["json_schema"]["schema"]["anyOf"][0]["properties"];
                assert_eq!(schema["name"] == json!({"const": "ls"}), mode == "prompt", "{schema}");
                assert_eq!(header(&head, "x-toolglot-attempts"), Some("2"), "{head}");
            }
        }
    }
}

#[tokio::test]
async fn an_answer_that_holds_the_call_goes_out_at_once() {
    for path in PATHS {
        for streamed in [false, true] {
            let server = server(&[CALL], "stop").await;
            let running = Running::before(&server, &[]).await;
            let (head, body) = running.post(path, &demanding(path, true, streamed)).await;
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            assert!(String::from_utf8(body).unwrap().contains(r#""name":"ls""#));
            assert_eq!(asked(&server).len(), 1);
        }
    }
}

#[tokio::test]
async fn a_second_failure_is_told() {
    for path in PATHS {
        for streamed in [false, true] {
            let server = server(&["No.", "Never."], "stop").await;
            let running = Running::before(&server, &[]).await;
            let (head, body) = running.post(path, &demanding(path, false, streamed)).await;
            let body = String::from_utf8(body).unwrap();
            assert!(head.starts_with("HTTP/1.1 502") && body.contains("`tool_choice`"), "{path}: {head}{body}");
            assert_eq!(asked(&server).len(), 2);
        }
    }
}

#[tokio::test]
async fn an_answer_that_was_cut_off_or_may_be_text_is_not_asked_for_again() {
    for (body, finish) in [
        (demanding(PATHS[0], false, true), "length"),
        (demanding(PATHS[0], false, false), "content_filter"),
        (request(PATHS[0], true), "stop"),
        (request(PATHS[0], false), "stop"),
    ] {
        let server = server(&["No."], finish).await;
        let running = Running::before(&server, &[]).await;
        let (head, answer) = running.post(PATHS[0], &body).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        let answer = String::from_utf8(answer).unwrap();
        assert!(["\"content\":\"N\"", "\"content\":\"No.\""].iter().any(|text| answer.contains(text)), "{answer}");
        assert_eq!(asked(&server).len(), 1, "{body}");
    }
}

#[tokio::test]
async fn a_model_may_answer_the_second_question_as_json() {
    for streamed in [false, true] {
        let server = server(&["No.", r#"{"name": "ls", "arguments": {"path": "b"}}"#], "stop").await;
        let running = Running::before(&server, &[("route.mode", "prompt")]).await;
        let (_, body) = running.post(PATHS[0], &demanding(PATHS[0], true, streamed)).await;
        let body = String::from_utf8(body).unwrap();
        assert!(body.contains(r#""name":"ls""#) && body.contains(r#"\"b\""#) && !body.contains("No."), "{body}");
    }
}

#[tokio::test]
async fn a_server_without_schemas_is_shown_the_call_as_its_model_writes_it() {
    let server = server_without("response_format", &["No.", CALL], "stop").await;
    let running = Running::before(&server, &[("route.mode", "prompt")]).await;
    let (head, body) = running.post(PATHS[0], &demanding(PATHS[0], false, true)).await;
    assert!(head.starts_with("HTTP/1.1 200") && String::from_utf8(body).unwrap().contains(r#""name":"ls""#), "{head}");
    let asked = asked(&server);
    assert_eq!(asked.len(), 3);
    let last = asked[2]["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap();
    assert!(last.contains("<tool_call>\n{\"name\": \"ls\"") && !last.contains("{\"name\":\"ls"), "{last}");
}

#[tokio::test]
async fn a_schema_that_a_server_refuses_is_not_sent_to_it_again() {
    let server = server_without("response_format", &["No.", CALL, "No.", CALL], "stop").await;
    let running = Running::before(&server, &[("route.mode", "prompt")]).await;
    for asked_so_far in [3, 5] {
        let (head, _) = running.post(PATHS[0], &demanding(PATHS[0], false, false)).await;
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert_eq!(asked(&server).len(), asked_so_far);
    }
    let last = asked(&server)[4]["messages"].as_array().unwrap().last().unwrap().clone();
    assert!(last["content"].as_str().unwrap().contains("<tool_call>\n{\"name\": \"ls\""), "{last}");
}

#[tokio::test]
async fn a_call_is_begun_for_models_whose_server_goes_on_with_it() {
    for (engine, field) in [("vllm", true), ("sglang", true), ("llama.cpp", false), ("ollama", false)] {
        for path in PATHS {
            for (named, streamed) in [(false, false), (false, true), (true, false), (true, true)] {
                let rest = match named {
                    true => " {\"path\": \"a\"}}\n</tool_call>",
                    false => "ls\", \"arguments\": {\"path\": \"a\"}}\n</tool_call>",
                };
                let server = server(&[rest], "stop").await;
                let settings = [("route.mode", "prompt"), ("upstream.engine", engine)];
                let running = Running::before(&server, &settings).await;
                let (head, body) = running.post(path, &demanding(path, named, streamed)).await;
                let body = String::from_utf8(body).unwrap();
                assert!(
                    head.starts_with("HTTP/1.1 200") && body.contains(r#""name":"ls""#),
                    "{engine} {path}: {head}{body}"
                );
                let asked = asked(&server);
                assert_eq!(asked.len(), 1, "{engine} {path}");
                let last = asked[0]["messages"].as_array().unwrap().last().unwrap().clone();
                assert_eq!(last["role"], "assistant");
                assert!(last["content"].as_str().unwrap().starts_with("<tool_call>\n{\"name\": \""), "{last}");
                assert_eq!(asked[0].get("continue_final_message").is_some(), field, "{engine}");
                assert_eq!(asked[0]["add_generation_prompt"] == false, field, "{engine}");
            }
        }
    }
}

#[tokio::test]
async fn what_a_server_refuses_to_go_on_with_is_not_sent_to_it_again() {
    let server = server_without("continue_final_message", &[CALL], "stop").await;
    let running = Running::before(&server, &[("route.mode", "prompt"), ("upstream.engine", "vllm")]).await;
    for _ in 0..2 {
        let (head, body) = running.post(PATHS[0], &demanding(PATHS[0], true, false)).await;
        assert!(head.starts_with("HTTP/1.1 200") && String::from_utf8(body).unwrap().contains(r#""name":"ls""#));
    }
    assert_eq!(asked(&server).len(), 3, "the second request is not refused");
    let off = [("route.mode", "prompt"), ("upstream.engine", "vllm"), ("route.prefill", "false")];
    let running = Running::before(&server, &off).await;
    running.post(PATHS[0], &demanding(PATHS[0], true, false)).await;
    assert_eq!(asked(&server).len(), 4);
}

#[tokio::test]
async fn a_choice_of_nothing_reads_no_call() {
    for mode in ["native", "prompt"] {
        for path in PATHS {
            let server = server(&[CALL], "stop").await;
            let running = Running::before(&server, &[("route.mode", mode)]).await;
            let mut body: Value = toolglot_json::from_str(&request(path, false)).unwrap();
            body["tool_choice"] = if path == "/v1/messages" { json!({"type": "none"}) } else { json!("none") };
            let (head, answer) = running.post(path, &body.to_string()).await;
            let answer = String::from_utf8(answer).unwrap();
            assert!(head.starts_with("HTTP/1.1 200"), "{head}");
            assert!(answer.contains("<tool_call>") && !answer.contains("tool_use\""), "{mode} {path}: {answer}");
            let sent = &asked(&server)[0];
            match mode {
                "native" => assert_eq!(sent["tool_choice"], "none", "{path}"),
                _ => assert!(!sent.to_string().contains("# Tools"), "{sent}"),
            }
        }
    }
}

#[tokio::test]
async fn only_the_first_call_counts_where_one_is_wanted() {
    for mode in ["native", "prompt"] {
        for path in PATHS {
            for streamed in [false, true] {
                let two = format!("{CALL}\n{}", CALL.replace("\"a\"", "\"b\""));
                let server = server(&[&two], "stop").await;
                let running = Running::before(&server, &[("route.mode", mode)]).await;
                let mut body: Value = toolglot_json::from_str(&request(path, streamed)).unwrap();
                match path {
                    "/v1/messages" => body["tool_choice"] = json!({"type": "auto", "disable_parallel_tool_use": true}),
                    _ => body["parallel_tool_calls"] = false.into(),
                }
                let (_, answer) = running.post(path, &body.to_string()).await;
                let answer = String::from_utf8(answer).unwrap();
                assert!(answer.contains("ls") && !answer.contains(r#"\"b\""#), "{mode} {path} {streamed}: {answer}");
                let sent = &asked(&server)[0];
                match mode {
                    "native" => assert_eq!(sent["parallel_tool_calls"], false, "{path}"),
                    _ => assert!(sent.to_string().contains("only one function at a time"), "{sent}"),
                }
            }
        }
    }
}
