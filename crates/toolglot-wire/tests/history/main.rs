//! Histories at random, between all protocols: each result arrives behind its call, once and unchanged.
//!
//! `HISTORY_ROUNDS=100000 HISTORY_SEED=1 cargo test --release -p toolglot-wire --test history` asks for more of them.
#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

mod legal;
mod made;
mod told;

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol};

use legal::read;
use made::{Dice, history};
use told::request;

fn exchange(ingress: Protocol, upstream: Protocol, request: &Value) -> Exchange {
    Exchange::read(ingress, upstream, request.to_string().as_bytes(), &Policy::default()).unwrap()
}

/// What a server of a protocol gets of a client's request.
fn sent(ingress: Protocol, upstream: Protocol, request: &Value) -> Value {
    serde_json::from_slice(&exchange(ingress, upstream, request).upstream_body()).unwrap()
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

#[test]
fn a_history_arrives_in_another_protocol_and_comes_back() {
    let (rounds, seed) = (number("HISTORY_ROUNDS", 200), number("HISTORY_SEED", 1));
    let mut calls = 0;
    for round in 0..rounds {
        let mut dice = Dice::new(seed.wrapping_mul(1_000_003).wrapping_add(round));
        let history = history(&mut dice);
        calls += history.iter().map(|turn| turn.calls.len()).sum::<usize>();
        for ingress in Protocol::ALL {
            let asked = request(ingress, &history, &mut dice);
            for upstream in Protocol::ALL {
                let place = format!("seed {seed}, round {round}, {ingress} to {upstream}: {asked}");
                let there = sent(ingress, upstream, &asked);
                assert_eq!(read(upstream, &there), Ok(history.clone()), "{place}\nbecame {there}");
                let back = sent(upstream, ingress, &there);
                assert_eq!(
                    read(ingress, &back),
                    Ok(history.clone()),
                    "{place}\nbecame {there}\nand came back as {back}"
                );
            }
        }
    }
    assert!(calls as u64 > rounds, "{calls} calls");
}

#[test]
fn a_history_in_order_goes_on_as_it_is() {
    for round in 0..200 {
        let mut dice = Dice::new(round);
        let mut history = history(&mut dice);
        // What the user says in several messages becomes one.
        history.iter_mut().for_each(|turn| turn.asked.truncate(1));
        for protocol in Protocol::ALL {
            let asked = told::in_order(protocol, &history);
            assert_eq!(sent(protocol, protocol, &asked), asked, "round {round}, {protocol}");
            for upstream in Protocol::ALL {
                let exchange = exchange(protocol, upstream, &asked);
                let told = exchange.notes().iter().filter(|note| note.starts_with("history: "));
                assert_eq!(told.count(), 0, "round {round}, {protocol} to {upstream}: {:?}", exchange.notes());
            }
        }
    }
}

#[test]
fn what_is_put_right_is_told() {
    const REPAIRED: &str = "arguments of `ls` are not a JSON object; repaired";
    const WRAPPED: &str = "arguments of `ls` are not a JSON object; sent as `{\"raw\": …}`";
    let asked = json!({"role": "user", "content": "go"});
    let called = |name: &str, arguments: &str| {
        let call = json!({"id": "a", "type": "function", "function": {"name": name, "arguments": arguments}});
        json!({"role": "assistant", "content": null, "tool_calls": [call]})
    };
    let result = json!({"role": "tool", "tool_call_id": "a", "content": "ok"});
    let used = |input: Value| {
        let block = json!({"type": "tool_use", "id": "a", "name": "ls", "input": input});
        let result = json!({"type": "tool_result", "tool_use_id": "a", "content": "ok"});
        json!([asked, {"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}])
    };
    let call = json!({"type": "function_call", "call_id": "a", "name": "ls", "arguments": "{'a': 1}"});
    let output = json!({"type": "function_call_output", "call_id": "a", "output": "ok"});
    let (no_result, no_call) =
        ("a call has no result; a placeholder was added", "a result has no call; sent as a user message");
    for (ingress, key, history, told) in [
        (Protocol::Chat, "messages", json!([asked, called("ls", "{'a': 1}"), result]), REPAIRED),
        (Protocol::Chat, "messages", json!([asked, called("ls", "no idea"), result]), WRAPPED),
        (Protocol::Chat, "messages", json!([asked, called("", "{}"), result]), "a call without a name was omitted"),
        (
            Protocol::Chat,
            "messages",
            json!([asked, called("a.b", "{}"), result]),
            "`a.b` is not a valid tool name; sent as `a_b`",
        ),
        (Protocol::Chat, "messages", json!([asked, called("ls", "{}"), asked]), no_result),
        (Protocol::Chat, "messages", json!([result]), no_call),
        (Protocol::Messages, "messages", used(json!("{'a': 1}")), REPAIRED),
        (Protocol::Messages, "messages", used(json!([1])), WRAPPED),
        (Protocol::Responses, "input", json!([call, output]), REPAIRED),
        (Protocol::Responses, "input", json!([output]), no_call),
    ] {
        let request = json!({"model": "m", "max_tokens": 9, key: history});
        for upstream in [ingress, Protocol::Ollama] {
            let exchange = exchange(ingress, upstream, &request);
            let notes = exchange.notes();
            let is_told = notes.iter().any(|note| note.strip_prefix("history: ") == Some(told));
            assert!(is_told, "{ingress} to {upstream}: {notes:?} of {request}");
        }
    }
}

#[test]
fn no_result_is_lost_or_said_twice_in_a_damaged_history() {
    for round in 0..600 {
        let mut dice = Dice::new(round);
        let history = history(&mut dice);
        for ingress in Protocol::ALL {
            let mut asked = request(ingress, &history, &mut dice);
            told::damage(ingress, &mut asked, &mut dice);
            let results = legal::results(ingress, &asked);
            for upstream in Protocol::ALL {
                let there = sent(ingress, upstream, &asked);
                let text = there.to_string();
                for result in &results {
                    let times = text.matches(result.as_str()).count();
                    assert_eq!(times, 1, "round {round}, {ingress} to {upstream}: {result} in {text}\nof {asked}");
                }
                legal::check(upstream, &there).unwrap_or_else(|why| panic!("{why}: {there}\nof {asked}"));
            }
        }
    }
}
