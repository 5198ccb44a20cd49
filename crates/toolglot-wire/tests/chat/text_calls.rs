//! Calls that come as text, and what the client asked for around them.

use toolglot_json::{Value, json};
use toolglot_wire::{Fault, FaultKind, Finish, Policy, ReasoningField};

use crate::accumulate::{Answer, answer, answers};
use crate::script::{chunk, delta, events, exchange, good, request, stream, stream_in};

const CALL: &str = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>";

/// A stream of text pieces with a finish reason.
fn spoken(pieces: &[&str], finish: &str) -> Vec<Value> {
    let mut chunks = vec![delta(json!({"role": "assistant", "content": ""}))];
    chunks.extend(pieces.iter().map(|piece| delta(json!({"content": piece}))));
    chunks.push(chunk(json!({}), json!(finish)));
    chunks
}

fn names(answer: &Answer) -> Vec<&str> {
    answer.calls.iter().map(|call| call.1.as_str()).collect()
}

#[test]
fn a_call_in_text_becomes_a_call() {
    let pieces: Vec<String> = format!("Let me look.{CALL}").chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    let out = answer(&stream(&request(json!({})), &events(&spoken(&pieces, "stop"))));
    assert_eq!((out.text.as_str(), out.finish.as_str()), ("Let me look.", "tool_calls"));
    assert_eq!(out.calls[0].2, "{\"city\": \"Paris\"}");
    assert!(out.calls[0].0.starts_with("call_"));
}

#[test]
fn the_report_tells_what_happened() {
    let exchange = exchange(&request(json!({})), &Policy::default());
    let text = events(&spoken(&[CALL, "</think>"], "stop"));
    let (_, report) = stream_in(&exchange, text.as_bytes(), 9, None);
    assert_eq!(report.dialect.as_deref(), Some("hermes"));
    assert_eq!((report.calls, report.text_calls, report.dropped, report.held), (1, 1, 0, 0));
    assert_eq!(report.finish, Some(Finish::ToolCalls));
    let text = events(&spoken(&["I think.</think>Hi."], "stop"));
    assert!(stream_in(&exchange, text.as_bytes(), 9, None).1.begins_inside_reasoning == Some(true));
}

#[test]
fn chunks_of_plain_text_go_on_as_they_came() {
    let mut chunks = spoken(&["Hello", " wor\"ld", "\n\u{e9}"], "stop");
    chunks.iter_mut().for_each(|chunk| chunk["system_fingerprint"] = json!("fp"));
    chunks[2]["choices"][0]["logprobs"] = json!({"content": [{"token": " wor\"ld", "logprob": -1}]});
    let out = stream(&request(json!({})), &events(&chunks));
    for chunk in &chunks[1..4] {
        assert!(out.contains(&format!("data: {chunk}\n\n")), "{out}");
    }
    assert_eq!(answer(&out).text, "Hello wor\"ld\n\u{e9}");
}

#[test]
fn text_that_is_held_for_a_while_keeps_its_probabilities() {
    let mut chunks = spoken(&["Hello", " a <tool", "s> b"], "stop");
    chunks.iter_mut().for_each(|chunk| chunk["system_fingerprint"] = json!("fp"));
    for (chunk, token) in chunks[1..4].iter_mut().zip(["Hello", " a <tool", "s> b"]) {
        chunk["choices"][0]["logprobs"] = json!({"content": [{"token": token, "logprob": -1}]});
    }
    let out = stream(&request(json!({})), &events(&chunks));
    assert_eq!(answer(&out).text, "Hello a <tools> b");
    let first = out.split_once("\n\n").unwrap().0;
    assert!(first.contains("\"role\"") && first.contains("\"system_fingerprint\":\"fp\""), "{out}");
    assert!(out.contains(&format!("data: {}\n\n", chunks[1])), "{out}");
    let tokens: Vec<&str> = out.split("\"token\":").skip(1).filter_map(|rest| rest.split('"').nth(1)).collect();
    assert_eq!(tokens, ["Hello", " a <tool", "s> b"], "{out}");
}

#[test]
fn log_probabilities_of_swallowed_text_are_dropped() {
    let mut chunks = spoken(&[CALL], "stop");
    chunks[1]["choices"][0]["logprobs"] = json!({"content": [{"token": CALL, "logprob": -1}]});
    let out = stream(&request(json!({})), &events(&chunks));
    assert!(!out.contains("logprob"), "{out}");
}

#[test]
fn fields_that_we_do_not_know_survive() {
    let mut chunks = spoken(&["a", CALL], "stop");
    chunks[2]["timings"] = json!({"ms": 1});
    chunks[2]["choices"][0]["token_ids"] = json!([1, 2]);
    chunks[3]["kv_transfer_params"] = json!({"a": 1});
    let out = stream(&request(json!({})), &events(&chunks));
    answer(&out);
    for field in [r#""timings":{"ms":1}"#, r#""token_ids":[1,2]"#, r#""kv_transfer_params":{"a":1}"#] {
        assert_eq!(out.matches(field).count(), 1, "{field}\n{out}");
    }
}

#[test]
fn fields_that_chunks_of_a_call_repeat_are_said_with_what_follows_it() {
    let pieces: Vec<String> = CALL.chars().map(String::from).collect();
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).chain(["a", "b"]).collect();
    for silent in [0, 2] {
        let mut chunks = spoken(&pieces[..pieces.len() - silent], "stop");
        let count = chunks.len();
        let told = &mut chunks[1..count - 1];
        told.iter_mut().enumerate().for_each(|(at, chunk)| chunk["timings"] = json!({"n": at}));
        if silent == 0 {
            // The text behind the call has other fields.
            told.iter_mut().rev().take(2).for_each(|chunk| drop(chunk.as_object_mut().unwrap().remove("timings")));
        }
        let out = stream(&request(json!({})), &events(&chunks));
        assert_eq!(names(&answer(&out)), ["get_weather"]);
        let last = format!(r#""timings":{{"n":{}}}"#, CALL.len() - 1);
        assert_eq!(out.matches(&last).count(), 1, "{last}\n{out}");
    }
}

#[test]
fn a_limit_behind_a_native_call_does_not_cut_the_text_before_it() {
    let text = "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}";
    let native = json!([{"index": 0, "id": "call_b", "type": "function",
        "function": {"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"}}]);
    let letters: Vec<String> = text.chars().map(String::from).collect();
    let whole = json!({"choices": [{"index": 0, "finish_reason": "length",
        "message": {"content": text, "tool_calls": native}}]});
    let exchange = exchange(&request(json!({})), &Policy::default());
    let body: Value =
        serde_json::from_slice(&exchange.turn(1, 1).whole(whole.to_string().as_bytes()).unwrap()).unwrap();
    assert_eq!(body["choices"][0]["message"]["tool_calls"].as_array().map(Vec::len), Some(2), "{body}");
    for pieces in [vec![text], letters.iter().map(String::as_str).collect()] {
        let mut chunks = spoken(&pieces, "length");
        chunks.insert(chunks.len() - 1, delta(json!({"tool_calls": native})));
        let out = stream(&request(json!({})), &events(&chunks));
        assert_eq!(names(&answer(&out)), ["get_weather", "get_weather"], "{out}");
    }
}

#[test]
fn a_limit_that_ends_a_call_is_named_whole_and_streamed() {
    let limits = toolglot::Limits::default();
    let long = format!("{{\"city\": \"{}\"}}", "x".repeat(400));
    let deep = format!("{{\"city\": {}1{}}}", "[".repeat(9), "]".repeat(9));
    for (limits, arguments, named) in
        [(limits.with_arguments(200), long, "limits.arguments"), (limits.with_depth(4), deep, "limits.depth")]
    {
        let policy = Policy::default().with_options(toolglot::Options::default().with_limits(limits));
        let exchange = exchange(&request(json!({})), &policy);
        let text = format!("<tool_call>{{\"name\": \"get_weather\", \"arguments\": {arguments}}}</tool_call>");
        let native = json!([{"id": "call_a", "type": "function",
            "function": {"name": "get_weather", "arguments": arguments}}]);
        for message in [json!({"content": text}), json!({"content": null, "tool_calls": native})] {
            let whole = json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
            let fault = exchange.turn(1, 1).whole(whole.to_string().as_bytes()).unwrap_err();
            assert!(fault.message.contains(named), "{fault}");
            assert_eq!(fault.code.as_deref(), Some("tool_call_too_large"));
            let mut turn = exchange.turn(1, 1);
            turn.push_whole(whole.to_string().as_bytes(), &mut Vec::new());
            assert_eq!(turn.report().fault, Some(fault));
        }
    }
}

#[test]
fn calls_beyond_the_limit_are_noted() {
    let policy = Policy::default().with_limits(toolglot_wire::WireLimits::default().with_calls(2));
    let call = |id: usize| {
        json!({"id": format!("call_{id}"), "type": "function",
        "function": {"name": "get_time", "arguments": "{}"}})
    };
    let calls: Vec<Value> = (0..4).map(call).collect();
    let whole = json!({"choices": [{"index": 0, "message": {"tool_calls": calls}, "finish_reason": "stop"}]});
    let mut turn = exchange(&request(json!({})), &policy).turn(1, 1);
    turn.whole(whole.to_string().as_bytes()).unwrap();
    let report = turn.report();
    assert_eq!((report.calls, report.dropped, report.diagnostics.get("limit_calls")), (2, 2, Some(&2)));
}

#[test]
fn a_call_that_is_cut_off_is_an_error_unless_a_limit_did_it() {
    const HALF: &str = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Par";
    fn native(finish: &str) -> Vec<Value> {
        let mut native = good();
        native.remove(3);
        native[3]["choices"][0]["finish_reason"] = json!(finish);
        native
    }
    let cut: [fn(&str) -> Vec<Value>; 2] = [|finish| spoken(&[HALF], finish), native];
    for chunks in cut {
        for finish in ["stop", "tool_calls"] {
            let out = stream(&request(json!({})), &events(&chunks(finish)));
            assert!(answers(&out).unwrap_err().contains("tool_call_cut_off"), "{out}");
        }
        for finish in ["length", "content_filter"] {
            let out = stream(&request(json!({})), &events(&chunks(finish)));
            let said = answer(&out);
            assert_eq!((said.finish.as_str(), said.calls.len()), (finish, 0), "{out}");
            assert!(out.contains("get_weather"), "{out}");
        }
    }
}

#[test]
fn a_limit_behind_a_whole_call_stays_a_limit() {
    let out = answer(&stream(&request(json!({})), &events(&spoken(&[CALL, " and th"], "length"))));
    assert_eq!((names(&out), out.finish.as_str(), out.text.trim()), (vec!["get_weather"], "length", "and th"));
}

#[test]
fn a_stream_that_breaks_off_says_so_at_every_byte() {
    for chunks in [spoken(&["Hi <tool", "_call>x", CALL], "stop"), good()] {
        let text = events(&chunks);
        let exchange = exchange(&request(json!({})), &Policy::default());
        let ends = text.rfind("finish_reason\":\"").unwrap() + "finish_reason\":\"stop\"}]".len();
        for at in 0..text.len() {
            let fault = Fault::new(FaultKind::Upstream, "connection lost");
            let (out, _) = stream_in(&exchange, &text.as_bytes()[..at], 64, Some(fault));
            match answers(&out) {
                Ok(_) => assert!(at > ends, "{at}: {out}"),
                Err(error) => assert!(error.contains("connection lost"), "{at}: {error}\n{out}"),
            }
        }
    }
}

#[test]
fn the_choice_none_leaves_text_alone_and_drops_calls() {
    let wish = request(json!({"tool_choice": "none"}));
    let out = answer(&stream(&wish, &events(&spoken(&["a", CALL], "stop"))));
    assert_eq!((out.text.as_str(), out.finish.as_str()), (format!("a{CALL}").as_str(), "stop"));
    let out = answer(&stream(&wish, &events(&good())));
    assert_eq!((out.calls.len(), out.finish.as_str()), (0, "stop"));
}

#[test]
fn one_call_is_enough_where_the_client_says_so() {
    let wish = request(json!({"parallel_tool_calls": false}));
    let twice = format!("{CALL}\n{CALL}");
    for pieces in [vec![twice.as_str()], vec![CALL, "\n", CALL, "more"], vec![CALL, "\n", "That is it."]] {
        let text = events(&spoken(&pieces, "stop"));
        let exchange = exchange(&wish, &Policy::default());
        for size in [1, 5, text.len()] {
            let mut turn = exchange.turn(1, 0);
            let mut out = Vec::new();
            let pieces = text.as_bytes().chunks(size);
            let read = pieces.clone().position(|piece| {
                turn.push(piece, &mut out);
                turn.is_over()
            });
            assert!(size > 5 || read.is_none_or(|read| read < pieces.len() - 2), "the rest is not wanted");
            assert!(read.is_some(), "{text}");
            turn.finish(toolglot_wire::TurnEnd::Over, &mut out);
            let out = answer(&String::from_utf8(out).unwrap());
            assert_eq!((names(&out), out.finish.as_str()), (vec!["get_weather"], "tool_calls"));
            assert_eq!(out.text.trim(), "");
        }
    }
    let mut native = good();
    let mut second = native[1..4].to_vec();
    second.iter_mut().for_each(|chunk| chunk["choices"][0]["delta"]["tool_calls"][0]["index"] = json!(1));
    native.splice(4..4, second);
    assert_eq!(names(&answer(&stream(&wish, &events(&native)))), ["get_weather"]);
    assert_eq!(answer(&stream(&wish, &events(&good()))).finish, "tool_calls");
}

#[test]
fn text_calls_and_native_calls_may_stand_in_one_answer() {
    for at in 1..5 {
        let mut chunks = good();
        let other = CALL.replace("Paris", "Oslo");
        chunks.insert(at, delta(json!({"content": format!("a{other}b")})));
        let out = answer(&stream(&request(json!({})), &events(&chunks)));
        assert_eq!((names(&out), out.text.as_str()), (vec!["get_weather", "get_weather"], "ab"), "{at}");
    }
    let mut chunks = spoken(&[&CALL[..30]], "stop");
    chunks.splice(2..2, good()[1..4].to_vec());
    chunks.insert(5, delta(json!({"content": &CALL[30..]})));
    let out = answers(&stream(&request(json!({})), &events(&chunks)));
    assert!(out.is_err() || names(&out.unwrap()[0]).contains(&"get_weather"));
}

#[test]
fn alternatives_do_not_know_of_each_other() {
    let of = |mut chunk: Value, index: u64| {
        chunk["choices"][0]["index"] = json!(index);
        chunk
    };
    let mut chunks = Vec::new();
    let (one, two) = (
        spoken(&["Hi", " there", "", ""], "stop"),
        spoken(&["a<tool_call>\n{\"name\": \"get_time\", ", "\"argu", "ments\": {}}</tool", "_call>"], "stop"),
    );
    for (one, two) in one.into_iter().zip(two) {
        chunks.extend([of(two, 1), of(one, 0)]);
    }
    let out = answers(&stream(&request(json!({"n": 2})), &events(&chunks))).unwrap();
    assert_eq!((names(&out[0]), out[0].text.as_str(), out[0].finish.as_str()), (vec!["get_time"], "a", "tool_calls"));
    assert_eq!((out[1].text.as_str(), out[1].finish.as_str()), ("Hi there", "stop"));
}

#[test]
fn reasoning_is_where_the_client_looks_for_it() {
    let text = events(&spoken(&["<think>hm</think>", "Hi"], "stop"));
    for (field, present, absent) in [
        (ReasoningField::ReasoningContent, vec!["reasoning_content"], vec!["reasoning"]),
        (ReasoningField::Reasoning, vec!["reasoning"], vec!["reasoning_content"]),
        (ReasoningField::Both, vec!["reasoning", "reasoning_content"], vec![]),
    ] {
        let policy = Policy::default().with_reasoning_field(field);
        let (out, _) = stream_in(&exchange(&request(json!({})), &policy), text.as_bytes(), 50, None);
        assert!(present.iter().all(|name| out.contains(&format!("\"{name}\":\"hm\""))), "{out}");
        assert!(absent.iter().all(|name| !out.contains(&format!("\"{name}\":"))), "{out}");
    }
    let mut turn = exchange(&request(json!({})), &Policy::default()).turn(1, 0).with_reasoning_open(true);
    let mut out = Vec::new();
    turn.push(events(&spoken(&["hm</think>Hi"], "stop")).as_bytes(), &mut out);
    let found = answer(&String::from_utf8(out).unwrap());
    assert_eq!((found.reasoning.as_str(), found.text.as_str()), ("hm", "Hi"));
}

#[test]
fn free_text_of_a_custom_tool_stays_free_text() {
    let wish = json!({"model": "m", "stream": true, "messages": [],
        "tools": [{"type": "custom", "custom": {"name": "run", "description": "Runs."}}]});
    let call = "<tool_call>{\"name\": \"run\", \"arguments\": {\"input\": \"a\\n\\\"b\\\"\"}}</tool_call>";
    let out = stream(&wish, &events(&spoken(&[call], "stop")));
    assert_eq!(answer(&out).calls[0].2, "a\n\"b\"");
    assert!(out.contains(r#""type":"custom""#));
    let head = json!({"index": 0, "id": "call_a", "type": "custom", "custom": {"name": "run", "input": "{a"}});
    let native = [delta(json!({"tool_calls": [head]})), chunk(json!({}), json!("tool_calls"))];
    assert_eq!(answer(&stream(&wish, &events(&native))).calls[0].2, "{a");
}

#[test]
fn clients_of_functions_get_a_function_call() {
    let wish = json!({"model": "m", "stream": true, "messages": [],
        "functions": [{"name": "get_weather", "parameters": {"type": "object"}}]});
    for chunks in [good(), spoken(&[CALL, CALL], "stop")] {
        let out = stream(&wish, &events(&chunks));
        let found = answer(&out);
        assert_eq!((names(&found), found.finish.as_str()), (vec!["get_weather"], "function_call"));
        assert!(!out.contains("tool_calls"), "{out}");
    }
}

#[test]
fn a_model_by_another_name_keeps_it() {
    let policy = Policy::default().with_upstream_model(Some("real".to_owned()));
    let exchange = exchange(&request(json!({"model": "mine"})), &policy);
    let body: Value = toolglot_json::from_slice(&exchange.upstream_body()).unwrap();
    assert_eq!((body["model"].as_str(), exchange.model()), (Some("real"), "mine"));
    let (out, _) = stream_in(&exchange, events(&spoken(&["Hi", "there"], "stop")).as_bytes(), 40, None);
    assert!(!out.contains(r#""model":"m""#) && out.contains(r#""model":"mine""#), "{out}");
}
