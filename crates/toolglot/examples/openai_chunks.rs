//! Writes the chunks of a streamed chat completion: what a server sends to its clients for a model's raw text.

use serde_json::{Value, json};
use toolglot::{Dialects, Event, EventKind, Options, Parser, Tools, mint};

/// The seed of ids for calls whose model writes none; a server takes a new one for each request.
const SEED: u64 = 7;

/// Returns the `delta` of the chunk that says what an event says, if clients are told of it.
fn delta(event: &Event<'_>) -> Option<Value> {
    Some(match &event.kind {
        EventKind::Text(text) => json!({"content": text}),
        EventKind::Reasoning(text) => json!({"reasoning_content": text}),
        EventKind::CallStart { index, id, name } => {
            let id = id.map_or_else(|| mint(SEED, *index), str::to_owned);
            let function = json!({"name": name, "arguments": ""});
            json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})
        }
        EventKind::Arguments { index, json } => {
            json!({"tool_calls": [{"index": index, "function": {"arguments": json}}]})
        }
        _ => return None,
    })
}

fn chunk(delta: &Value, finish_reason: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish_reason});
    format!("data: {}\n", json!({"object": "chat.completion.chunk", "choices": [choice]}))
}

fn main() {
    let pieces = ["I'll look", ".\n<function=ls><para", "meter=path>src</parameter></func", "tion>"];
    let mut parser = Parser::new(&Dialects::builtin(), &Tools::default(), &Options::default());
    let mut called = false;
    for piece in pieces {
        for event in parser.push(piece) {
            called |= matches!(event.kind, EventKind::CallEnd { outcome, .. } if outcome.is_call());
            delta(&event).iter().for_each(|delta| println!("{}", chunk(delta, None)));
        }
    }
    for event in parser.finish() {
        called |= matches!(event.kind, EventKind::CallEnd { outcome, .. } if outcome.is_call());
        delta(&event).iter().for_each(|delta| println!("{}", chunk(delta, None)));
    }
    println!("{}", chunk(&json!({}), Some(if called { "tool_calls" } else { "stop" })));
    println!("data: [DONE]\n");
}
