//! What is done in one go: parse, explain, near miss, repair.

use toolglot::{Collector, Dialects, Event, Message, Options, Parser, Tools};
use toolglot_json::{Value, json};

use crate::answer;

/// Reads a whole text, which need not be UTF-8.
pub(crate) fn parse(input: &[u8], dialects: &Dialects, tools: &Tools, options: &Options) -> Value {
    let mut parser = Parser::new(dialects, tools, options);
    let mut collector = Collector::new(options);
    parser.push_bytes(input).for_each(|event| collector.add(&event));
    parser.finish().for_each(|event| collector.add(&event));
    collector.set_dialect(parser.dialect().cloned());
    answer::message(&whole(collector, input, dialects, tools, options))
}

/// Returns the message, with the near miss if the text looks like a call.
fn whole(collector: Collector, input: &[u8], dialects: &Dialects, tools: &Tools, options: &Options) -> Message {
    let mut message = collector.finish(input);
    message.add_near_miss(input, dialects, tools, options);
    message
}

/// Parses a whole text and returns how it was parsed.
pub(crate) fn explain(input: &[u8], dialects: &Dialects, tools: &Tools, options: &Options) -> Value {
    let mut parser = Parser::new(dialects, tools, options);
    parser.enable_trace();
    let mut collector = Collector::new(options);
    let mut events = Vec::new();
    let mut tell = |event: Event<'_>| {
        collector.add(&event);
        events.push(answer::event(&event));
    };
    parser.push_bytes(input).for_each(&mut tell);
    let mut steps = parser.take_trace();
    parser.finish().for_each(tell);
    steps.append(&mut parser.take_trace());
    collector.set_dialect(parser.dialect().cloned());
    json!({
        "steps": steps.iter().map(answer::step).collect::<Value>(),
        "events": events,
        "message": answer::message(&whole(collector, input, dialects, tools, options)),
    })
}

/// Parses a whole text and returns why no call was found, if it looks like one.
pub(crate) fn near_miss(input: &[u8], dialects: &Dialects, tools: &Tools, options: &Options) -> Value {
    let text = String::from_utf8_lossy(input);
    let message = toolglot::parse(&text, dialects, tools, options);
    toolglot::near_miss(&text, &message, dialects, tools, options).as_ref().map_or(Value::Null, answer::near_miss)
}

/// Reads the `arguments` string of a call.
pub(crate) fn repair(text: &str, tool: &str, dialects: &Dialects, tools: &Tools, options: &Options) -> Value {
    let tools = if tool.is_empty() { tools.clone() } else { tools.only_named(tool) };
    answer::repaired(&toolglot::repair(text, dialects, &tools, options))
}
