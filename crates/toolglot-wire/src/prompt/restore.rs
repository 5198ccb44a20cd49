//! Reads a conversation in prompt mode back into calls and results.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, Options, Teach, Tools, mint, parse};
use toolglot_json::{Value, json};

use crate::members::list;

/// Converts the messages of a conversation in prompt mode back to chat messages with calls and results, with new ids.
/// Messages without calls of the dialect are unchanged.
///
/// # Example
/// ```
/// use toolglot_json::json;
/// use toolglot::{Dialects, Tools};
/// let dialects = Dialects::builtin();
/// let hermes = dialects.get("hermes").ok_or("no such dialect")?;
/// let messages = [
///     json!({"role": "assistant", "content": "<tool_call>\n{\"name\": \"ls\", \"arguments\": {}}\n</tool_call>"}),
///     json!({"role": "user", "content": "<tool_response>\na.txt\n</tool_response>\n\nSo?"}),
/// ];
/// let restored = toolglot_wire::restore(&messages, hermes, &Tools::default());
/// assert_eq!(restored[0]["tool_calls"][0]["function"]["name"], "ls");
/// assert_eq!((&restored[1]["content"], &restored[2]["content"]), (&json!("a.txt"), &json!("So?")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn restore(messages: &[Value], dialect: &Arc<Dialect>, tools: &Tools) -> Vec<Value> {
    let pinned: Dialects = [Arc::clone(dialect)].into_iter().collect();
    let (mut restored, mut called): (Vec<Value>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    for message in messages {
        let content = message["content"].as_str();
        let role = message["role"].as_str();
        match (role, content) {
            (Some("assistant"), Some(text)) => {
                let (message, calls) = assistant(text, &pinned, tools, restored.len());
                restored.push(message);
                called = calls;
            }
            (Some("user"), Some(text)) if !called.is_empty() => {
                let calls = std::mem::take(&mut called);
                let names: Vec<&str> = calls.iter().map(|(_, name)| name.as_str()).collect();
                let Some((results, text)) = results_of(text, &names, dialect.teach()) else {
                    restored.push(message.clone());
                    continue;
                };
                let result = |((id, _), text): (&(String, String), String)| json!({"role": "tool", "tool_call_id": id, "content": text});
                restored.extend(calls.iter().zip(results).map(result));
                restored.extend((!text.is_empty()).then(|| json!({"role": "user", "content": text})));
            }
            _ => restored.push(message.clone()),
        }
    }
    restored
}

/// Reads a model's text; returns the message, and the ids and names of its calls.
fn assistant(text: &str, pinned: &Dialects, tools: &Tools, seed: usize) -> (Value, Vec<(String, String)>) {
    let read = parse(text, pinned, tools, &Options::default());
    if read.calls.is_empty() {
        return (json!({"role": "assistant", "content": read.content}), Vec::new());
    }
    let id = |place: usize| mint(seed as u64, place);
    let call = |(place, call): (usize, &toolglot::Call)| {
        let function = json!({"name": call.name, "arguments": call.arguments});
        json!({"id": id(place), "type": "function", "function": function})
    };
    let calls: Vec<Value> = read.calls.iter().enumerate().map(call).collect();
    let names = read.calls.iter().enumerate().map(|(place, call)| (id(place), call.name.clone())).collect();
    // White space before the calls belongs to the dialect.
    let text = read.content.trim_end();
    let content = if text.is_empty() { Value::Null } else { text.into() };
    (json!({"role": "assistant", "content": content, "tool_calls": calls}), names)
}

/// Returns the results of these calls in a user message, and the text after them; none if it does not begin with them.
pub(super) fn results_of(text: &str, names: &[&str], teach: &Teach) -> Option<(Vec<String>, String)> {
    let (start, end) = teach.results().split_once("{results}")?;
    let mut rest = text.strip_prefix(start)?;
    let around = |name: &str| {
        let form = teach.result().replace("{name}", name);
        form.split_once("{text}").map(|(before, behind)| (before.to_owned(), behind.to_owned()))
    };
    let mut results = Vec::with_capacity(names.len());
    for (at, name) in names.iter().enumerate() {
        let (before, behind) = around(name)?;
        rest = rest.strip_prefix(before.as_str())?;
        let next = names.get(at + 1).map(|next| around(next));
        let (result, after) = match next {
            Some(next) => {
                let closer = format!("{behind}{}{}", teach.between(), next?.0);
                let (result, _) = rest.split_once(&closer)?;
                (result, &rest[result.len() + behind.len() + teach.between().len()..])
            }
            None => last(rest, &format!("{behind}{end}"))?,
        };
        results.push(result.to_owned());
        rest = after;
    }
    Some((results, rest.strip_prefix("\n\n").unwrap_or(rest).to_owned()))
}

/// Splits off the last result: its closer is at the end, or a blank line follows.
fn last<'t>(text: &'t str, closer: &str) -> Option<(&'t str, &'t str)> {
    let mut from = 0;
    loop {
        let at = from + text.get(from..)?.find(closer)?;
        let after = &text[at + closer.len()..];
        if after.is_empty() || after.starts_with("\n\n") {
            return Some((&text[..at], after));
        }
        from = at + text[at..].chars().next().map_or(1, char::len_utf8);
    }
}

/// Returns the id, the name and the arguments of each call of a message.
pub(super) fn calls(message: &Value) -> impl Iterator<Item = (String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    list(&message["tool_calls"]).iter().map(move |call| {
        let function = &call["function"];
        (text(&call["id"]), text(&function["name"]), text(&function["arguments"]))
    })
}
