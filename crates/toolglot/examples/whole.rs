//! Reads a whole answer: `cargo run --example whole -- answer.txt tools.json`.

use std::env::args;
use std::fs::read_to_string;

use toolglot::{Dialects, Options, Tools, near_miss, parse};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let text = match args().nth(1) {
        Some(path) => read_to_string(path)?,
        None => "I'll look.\n<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": 'src',}}</tool_call>".to_owned(),
    };
    let tools = args().nth(2).map(read_to_string).transpose()?.unwrap_or_default();
    let (dialects, tools, options) = (Dialects::builtin(), Tools::from_json_str(&tools)?, Options::default());

    let message = parse(&text, &dialects, &tools, &options);
    println!("text: {:?}", message.content);
    for call in &message.calls {
        println!("call: {}({})", call.name, call.arguments);
    }
    for diagnostic in &message.diagnostics {
        println!("{diagnostic}");
    }
    if let Some(miss) = near_miss(&text, &message, &dialects, &tools, &options) {
        println!("no call: {}", miss.diagnostic.message);
    }
    Ok(())
}
