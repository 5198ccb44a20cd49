//! A chunk of a stream that needs no change goes on as it came, and costs no memory.

use serde_json::{Value, json};
use toolglot_alloc_test::Counting;
use toolglot_wire::{Exchange, Policy, Protocol, Turn};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What one chunk may allocate that is relayed; that is relayed and has escapes, which have to be read; that is rewritten.
const RELAYED: usize = 0;
const ESCAPED: usize = 4;
const REWRITTEN: usize = 3;

/// Chunks that are counted, after as many that fill buffers.
const CHUNKS: usize = 2000;

/// One test, so that no other thread counts.
#[test]
fn a_chunk_that_needs_no_change_costs_no_memory() {
    let call = |arguments: &str| {
        json!({"tool_calls": [{"index": 0, "id": "call_000000000000000000000001", "type": "function",
            "function": {"name": "write_file", "arguments": arguments}}]})
    };
    let text = |text: &str| json!({"content": text});
    let piece = |arguments: &str| json!({"tool_calls": [{"index": 0, "function": {"arguments": arguments}}]});
    let head = r#"{"content": "The"#;
    let text_call = format!("<tool_call>\n{{\"name\": \"write_file\", \"arguments\": {head}");
    for (what, first, next, most, relayed) in [
        ("text", text("So"), text(" word"), RELAYED, true),
        ("text with escapes", text("So"), text(" \"word\"\nthen"), ESCAPED, true),
        ("reasoning", json!({"reasoning_content": "So"}), json!({"reasoning_content": " word"}), RELAYED, true),
        ("arguments", call(head), piece(" word"), RELAYED, true),
        ("arguments with escapes", call(head), piece(" \\\"word\\\""), ESCAPED, true),
        ("a call in text", text(&text_call), text(" word"), REWRITTEN, false),
    ] {
        let mut turn = turn();
        let (mut out, mut before) = (Vec::new(), 0);
        turn.push(frame(json!({"role": "assistant", "content": ""})).as_bytes(), &mut out);
        turn.push(frame(first).as_bytes(), &mut out);
        let next = frame(next);
        for at in 0..2 * CHUNKS {
            if at == CHUNKS {
                before = Counting::count();
            }
            out.clear();
            turn.push(next.as_bytes(), &mut out);
            if at >= CHUNKS {
                assert!(
                    !out.is_empty() && (out == next.as_bytes()) == relayed,
                    "{what}: {}",
                    String::from_utf8_lossy(&out)
                );
            }
        }
        let count = Counting::count() - before;
        // A buffer may still double.
        assert!(count <= most * CHUNKS + 4, "{what}: {count} allocations for {CHUNKS} chunks, at most {most} each");
    }
}

fn turn() -> Turn {
    let request = json!({"model": "m", "stream": true, "messages": [], "tools": [{"type": "function", "function":
        {"name": "write_file", "parameters": {"type": "object", "properties": {"content": {"type": "string"}}}}}]});
    let request = request.to_string();
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.as_bytes(), &Policy::default());
    exchange.expect("it is a request").turn(1, 1000)
}

/// A chunk as servers write it.
fn frame(delta: Value) -> String {
    let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 7, "model": "m",
        "choices": [{"index": 0, "delta": delta, "logprobs": null, "finish_reason": null}]});
    format!("data: {chunk}\n\n")
}
