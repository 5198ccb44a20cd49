//! Measures what a chunk of a stream costs on its way from a chat server to a chat client.

use std::error::Error;
use std::time::{Duration, Instant};

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, TurnEnd};

const CHUNKS: u32 = 1000;

fn main() -> Result<(), Box<dyn Error>> {
    let request = json!({"model": "m", "stream": true, "messages": [], "tools": [{"type": "function", "function": {
        "name": "note", "parameters": {"type": "object", "properties": {"text": {"type": "string"}}}}}]});
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.to_string().as_bytes(), &Policy::default())?;
    let words = ["Hello", " world", ",", " this", " is", " \u{e9}t\u{e9}", " a", " test.", "\n", " 12"];
    let text = |text: &str| json!({"content": text});
    let arguments = |text: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": text}}]});
    let head = json!({"tool_calls": [{"index": 0, "id": "call_a", "type": "function",
        "function": {"name": "note", "arguments": "{\"text\": \""}}]});
    let called = text("<tool_call>{\"name\": \"note\", \"arguments\": {\"text\": \"");
    let of = |first: Value, piece: &dyn Fn(&str) -> Value| {
        let deltas = std::iter::once(first).chain(words.iter().cycle().take(CHUNKS as usize).map(|word| piece(word)));
        deltas.map(chunk).collect::<Vec<_>>()
    };
    println!("text:         {:?} a chunk", cost(&exchange, &of(text("Hi"), &text)));
    println!("text call:    {:?} a chunk", cost(&exchange, &of(called, &text)));
    println!("native call:  {:?} a chunk", cost(&exchange, &of(head, &arguments)));
    Ok(())
}

fn chunk(delta: Value) -> String {
    let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}]});
    format!("data: {chunk}\n\n")
}

/// Returns the time that one chunk takes in the fastest of many runs.
fn cost(exchange: &Exchange, chunks: &[String]) -> Duration {
    let run = || {
        let (mut turn, mut out) = (exchange.turn(1, 0), Vec::new());
        let began = Instant::now();
        for chunk in chunks {
            out.clear();
            turn.push(chunk.as_bytes(), &mut out);
        }
        let took = began.elapsed();
        turn.finish(TurnEnd::Over, &mut out);
        took / CHUNKS
    };
    (0..100).map(|_| run()).min().unwrap_or_default()
}
