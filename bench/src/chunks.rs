//! The chunks of a stream on their way through the proxy, without its sockets: each server's, as text and as a call in text.

use serde_json::json;
use toolglot_wire::{Exchange, Policy, Protocol};

use crate::budgets;
use crate::envelope::Envelope;
use crate::work::Work;

/// The servers whose chunks are counted.
const SERVERS: [&str; 11] = [
    "plain",
    "llama_server",
    "llama_timings",
    "vllm",
    "vllm_usage",
    "vllm_logprobs",
    "sglang",
    "sglang_usage",
    "ollama",
    "lm_studio",
    "openai",
];

const HEAD: &str = "\
# How many instructions each chunk of a stream may take, by whose it is, as text and as a call in text.
# Each is a hundredth above what was counted; `--features wire -- chunks --update` counts anew.
";

/// Counts what each server's chunks take and fails if one takes more than its budget.
pub(crate) fn run(update: bool) -> Result<(), String> {
    let of = |server: &str| ["text", "call"].map(|kind| format!("wire chunk {kind} {server} 1000"));
    budgets::check(SERVERS.into_iter().flat_map(of).collect(), ("chunks.txt", HEAD), Vec::new(), update)
}

/// Returns the work of taking so many chunks to a client; the stream is under way.
pub(crate) fn work(kind: &str, server: &str, count: &str) -> Result<Work, String> {
    let envelope: Envelope = server.parse().map_err(|()| format!("nobody knows the server `{server}`"))?;
    let count: u32 = count.parse().map_err(|_| "COUNT is a number")?;
    let options = json!({"include_usage": true, "continuous_usage_stats": true});
    let tool = json!({"type": "function", "function": {"name": "write", "parameters": {"type": "object",
        "properties": {"content": {"type": "string"}}}}});
    let request = json!({"model": "bench", "stream": true, "stream_options": options, "messages": [], "tools": [tool]});
    let request = request.to_string();
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.as_bytes(), &Policy::default());
    let mut turn = exchange.map_err(|fault| fault.message)?.turn(1, 1000);
    let head = r#"<tool_call>\n{\"name\": \"write\", \"arguments\": {\"content\": \""#;
    let first = if kind == "call" { head } else { "So" };
    let mut out = Vec::new();
    let chunk = |text: &str, number: u32| envelope.chunk(text, number, 1000 + u64::from(number / 50));
    // What is learned from the first chunks is not counted.
    for (text, number) in ["", first, " word", " word"].into_iter().zip(0..) {
        turn.push(chunk(text, number).as_bytes(), &mut out);
    }
    let chunks: Vec<String> = (0..count).map(|number| chunk(" word", number + 4)).collect();
    Ok(Box::new(move || {
        for chunk in &chunks {
            out.clear();
            turn.push(chunk.as_bytes(), &mut out);
        }
    }))
}
