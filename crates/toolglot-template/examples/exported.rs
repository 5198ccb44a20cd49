//! Writes every built-in dialect that can be exported with messages in it, a line of JSON each: what another reader of
//! response templates is compared with.

use toolglot::Dialects;
use toolglot_json::{Value, json};
use toolglot_template::response_template::export;

#[path = "../tests/messages/mod.rs"]
mod messages;

fn main() {
    let tools: Value = serde_json::from_str(messages::TOOLS).unwrap_or_default();
    for dialect in Dialects::builtin().iter() {
        let exported = match export(dialect, None) {
            Ok(exported) => exported,
            Err(why) => {
                println!("{}", json!({"dialect": dialect.name(), "refused": why.to_string()}));
                continue;
            }
        };
        let samples = messages::samples();
        let cases = samples.iter().filter_map(|sample| {
            let text = messages::written(dialect, sample)?;
            Some(
                json!({"text": text, "reasoning": sample.reasoning, "content": sample.content, "calls": calls(sample)}),
            )
        });
        let cases: Vec<_> = cases.collect();
        println!(
            "{}",
            json!({"dialect": dialect.name(), "template": exported.template, "tools": tools, "cases": cases})
        );
    }
}

fn calls(sample: &messages::Sample) -> Value {
    let call = |(name, arguments): &(&str, &str)| json!({"name": name, "arguments": toolglot_json::from_str(arguments).unwrap_or_default()});
    sample.calls.iter().map(call).collect()
}
