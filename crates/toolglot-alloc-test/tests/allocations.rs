//! Streaming a long argument in small pieces allocates nothing per piece.

use toolglot::{Dialects, EventKind, Options, Parser, Tools};
use toolglot_alloc_test::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TOOLS: &str = r#"[{"name": "write_file", "parameters": {"type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string"}}}}]"#;

/// One test, so that no other thread counts.
#[test]
fn nothing_is_allocated_per_piece() {
    let line = "let total = items.iter().map(price).sum(); // as before\n";
    let json_line = "let total = items.iter().map(price).sum(); // as before\\n";
    let json = r#"{"name": "write_file", "arguments": {"path": "a", "content": ""#;
    let all = Dialects::builtin();
    let few = all.only(&["hermes", "qwen3_coder", "use_tool", "lfm2", "tool_calls_array"]).expect("they are built in");
    let mut faults = Vec::new();
    for (what, head, line) in [
        ("prose", "Let me explain.\n".to_owned(), line),
        ("reasoning", "<think>So.\n".to_owned(), line),
        ("a JSON string", format!("<tool_call>\n{json}"), json_line),
        ("a JSON string in an array", format!("<tool_calls>[{json}"), json_line),
        ("a tag's value", "<tool_call>\n<function=write_file>\n<parameter=content>\n".to_owned(), line),
        ("an element", "<write_file><content>".to_owned(), line),
        ("a Python string", "<|tool_call_start|>[write_file(content=\"".to_owned(), json_line),
    ] {
        for (dialects, which) in [(&all, "all dialects"), (&few, "five dialects")] {
            for (as_bytes, how) in [(false, "text"), (true, "bytes")] {
                let (count, bytes) = steady_state(dialects, &head, line, as_bytes);
                // Buffers may still double once or twice; nothing may happen per piece.
                if count > 4 || bytes < 60_000 {
                    faults.push(format!(
                        "{what}, {which}, as {how}: {count} allocations, {bytes} of 64000 bytes came out"
                    ));
                }
            }
        }
    }
    assert!(faults.is_empty(), "in 16000 pieces:\n{}", faults.join("\n"));
}

/// Streams lines after a head in pieces of four bytes; returns how often the second half allocated and how much came out of it.
fn steady_state(dialects: &Dialects, head: &str, line: &str, as_bytes: bool) -> (usize, usize) {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    let mut parser = Parser::new(dialects, &tools, &Options::default());
    parser.push(head);
    let body = line.repeat(128_000 / line.len() + 1);
    let (mut before, mut out) = (0, 0);
    for at in 0..32_000 {
        let piece = &body[at * 4..at * 4 + 4];
        if at == 16_000 {
            before = Counting::count();
        }
        for event in if as_bytes { parser.push_bytes(piece.as_bytes()) } else { parser.push(piece) } {
            if at >= 16_000 && !matches!(event.kind, EventKind::Markup) {
                out += event.span.len();
            }
        }
    }
    (Counting::count() - before, out)
}
