//! Chunks that need no change go on as they came, and those beside them are read as ever.

use toolglot_json::{Value, json};
use toolglot_wire::Policy;

use crate::accumulate::answers;
use crate::generated::Dice;
use crate::script::{call, chunk, delta, events, exchange, request, stream, stream_in};

fn first(index: u64, name: &str, arguments: &str) -> Value {
    let id = format!("call_{index:0>24}");
    call(json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}}))
}

fn next(index: u64, arguments: &str) -> Value {
    call(json!({"index": index, "function": {"arguments": arguments}}))
}

fn text(text: &str) -> Value {
    delta(json!({"content": text}))
}

/// Says of each chunk whether its bytes are in the client's stream.
fn relayed(chunks: &[Value], wish: &Value) -> Vec<bool> {
    let out = stream(wish, &events(chunks));
    chunks.iter().map(|chunk| out.contains(&format!("data: {chunk}\n\n"))).collect()
}

#[track_caller]
fn check(what: &str, before: &[Value], chunks: &[(bool, Value)]) {
    let all: Vec<Value> = before.iter().cloned().chain(chunks.iter().map(|(_, chunk)| chunk.clone())).collect();
    let found = relayed(&all, &request(json!({})));
    let expected: Vec<bool> = chunks.iter().map(|(relayed, _)| *relayed).collect();
    assert_eq!(found[before.len()..], expected, "{what}");
}

fn role() -> Value {
    delta(json!({"role": "assistant", "content": ""}))
}

#[test]
fn text_goes_on_as_it_came() {
    let with = |key: &str, value: Value| {
        let mut chunk = text(" one");
        chunk["choices"][0][key] = value;
        chunk
    };
    let mut other = text(" two");
    other["id"] = json!("chatcmpl-2");
    let mut more = text(" three");
    more["system_fingerprint"] = json!("fp");
    let chunks = [
        (true, text("Hi")),
        (true, text(" \"there\"\n\u{1f600}")),
        (true, text(r#"","finish_reason":"stop"#)),
        (true, with("logprobs", Value::Null)),
        (true, with("logprobs", json!({"content": []}))),
        (false, delta(json!({"role": "assistant", "content": " x"}))),
        (false, delta(json!({"content": " x", "made_up": 1}))),
        (false, other),
        (true, more),
        (false, text("")),
        (true, delta(json!({"content": " x", "tool_calls": null, "refusal": null}))),
    ];
    check("text", &[role()], &chunks);
    let of = |choice: usize, text: &str| {
        let mut chunk = delta(json!({"content": text}));
        chunk["choices"][0]["index"] = json!(choice);
        chunk
    };
    let roles: Vec<Value> = (0..9).map(|choice| of(choice, "So")).collect();
    let chunks: Vec<(bool, Value)> = (0..27).map(|at| (true, of(at % 9, &format!(" word {at}")))).collect();
    check("alternatives", &roles, &chunks);
}

#[test]
fn reasoning_goes_on_as_it_came() {
    let chunks = [
        (true, delta(json!({"reasoning_content": "Hm"}))),
        (true, delta(json!({"content": null, "reasoning_content": " so"}))),
        (false, delta(json!({"reasoning": " it"}))),
        (false, delta(json!({"reasoning_content": " is", "content": "Hi"}))),
        (true, text(" there")),
        (true, delta(json!({"reasoning_content": " again"}))),
    ];
    check("reasoning", &[role()], &chunks);
}

#[test]
fn arguments_go_on_as_they_came() {
    // What is held back at an opening brace or a closing quote comes with the next piece.
    let chunks = [
        (false, next(0, "{")),
        (false, next(0, r#""city": "Pa"#)),
        (true, next(0, "ris")),
        (false, call(json!({"index": 0, "type": "function", "function": {"arguments": " is"}}))),
        (true, next(0, r#" \"nice\""#)),
        (false, next(0, r#"""#)),
        (false, next(0, r#", "days": "3""#)),
        // Written when the call is over, in the same bytes.
        (true, next(0, "}")),
    ];
    check("a call", &[role(), first(0, "get_weather", "")], &chunks);
    let made = [role(), first(0, "get_weather", r#"{"city": "Paris"}"#), first(1, "get_time", r#"{"zone": "U"#)];
    check("the second call", &made, &[(true, next(1, "T")), (false, next(0, " ")), (true, next(1, "C"))]);
    let late = [role(), first(1, "get_weather", r#"{"city": "Pa"#)];
    check("a call by another number", &late, &[(false, next(1, "ris")), (false, next(1, " "))]);
}

#[test]
fn a_call_that_the_client_knows_in_another_way_is_written() {
    let chunks = [
        delta(json!({"role": "assistant"})),
        first(0, "get_weather", "{\"city\": \"Pa"),
        next(0, "ris"),
        next(0, "\"}"),
    ];
    let legacy = json!({"model": "m", "stream": true, "messages": [],
        "functions": [{"name": "get_weather", "parameters": {"type": "object"}}]});
    assert_eq!(relayed(&chunks, &legacy), [false; 4]);
    let none = request(json!({"tool_choice": "none"}));
    assert_eq!(relayed(&chunks, &none), [false; 4]);
}

/// The same chunks once as they may be relayed and once framed so that they have to be read.
#[test]
fn a_relayed_stream_says_what_a_written_one_does() {
    let texts = [
        "Hi",
        " there",
        "\n",
        "",
        "<",
        "<tool_call>\n",
        "{\"name\": \"get_time\", \"arguments\": {",
        "}}",
        "</tool_call>",
    ];
    let pieces =
        ["{", "\"city\": ", "\"Par", "is", "\\\"", "\"", ", \"days\": ", "3", "\"4\"", "}", "", "{}", " ", "Tru"];
    let (mut relayed, mut written) = (0, 0);
    for round in 0..600 {
        let mut dice = Dice(round);
        let mut draw = |below: usize| dice.roll(below);
        let mut chunks = vec![delta(json!({"role": "assistant", "content": ""}))];
        for _ in 0..draw(14) {
            let index = draw(2) as u64;
            let mut chunk = match draw(8) {
                0 => first(index, ["get_weather", "get_time"][draw(2)], pieces[draw(3)]),
                1..=4 => next(index, pieces[draw(pieces.len())]),
                5 => delta(json!({(["reasoning", "reasoning_content"][draw(2)]): texts[draw(5)]})),
                _ => text(texts[draw(texts.len())]),
            };
            if draw(6) == 0 {
                chunk["choices"][0]["index"] = json!(1);
            }
            chunks.push(chunk);
        }
        chunks.push(chunk(json!({}), json!(["stop", "tool_calls", "length"][draw(3)])));
        let wish = request(json!({"n": 1 + draw(2), "parallel_tool_calls": draw(3) > 0}));
        let bytes = events(&chunks);
        let exchange = exchange(&wish, &Policy::default());
        let (fast, _) = stream_in(&exchange, bytes.as_bytes(), bytes.len(), None);
        let (slow, _) = stream_in(&exchange, bytes.replace("data: {", "data:{").as_bytes(), bytes.len(), None);
        let found = answers(&fast);
        assert_eq!(found, answers(&slow), "round {round}: {bytes}");
        assert!(found.is_ok() || fast.contains("data: {\"error\":"), "round {round}: {found:?}");
        if found.is_err() {
            // Nobody can go on from a call without a name.
            continue;
        }
        relayed += chunks.iter().filter(|chunk| fast.contains(&format!("data: {chunk}\n\n"))).count();
        written += chunks.len();
    }
    assert!(relayed * 4 > written, "{relayed} of {written} chunks were relayed");
}
