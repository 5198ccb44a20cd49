//! The history of a Messages request that goes on to a server of the same protocol, made safe.

use serde_json::{Map, Value, json};
use toolglot::{Tools, repair};

use super::block::kind;
use super::history::blocks;
use crate::chat::pairs::{ORPHAN, UNANSWERED};
use crate::policy::Policy;

/// Makes the input of every earlier call an object and gives each a result, which servers insist on.
///
/// A text in its place is read as arguments. What cannot be read stays as the only member of an object, so that the model
/// sees what it wrote.
pub(crate) fn make_safe(request: &mut Map<String, Value>, tools: &Tools, policy: &Policy) {
    let messages = request.get_mut("messages").and_then(Value::as_array_mut);
    let contents = messages.into_iter().flatten().filter_map(|message| message.get_mut("content"));
    let blocks = contents.filter_map(Value::as_array_mut).flatten();
    for block in blocks.filter(|block| kind(block) == "tool_use") {
        let Some(block) = block.as_object_mut() else { continue };
        let name = block.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        let input = block.entry("input").or_insert(Value::Null);
        if !input.is_object() {
            *input = object(input.take(), &tools.only_named(&name), policy);
        }
    }
    if let Some(messages) = request.get_mut("messages").and_then(Value::as_array_mut) {
        *messages = pair(std::mem::take(messages));
    }
}

/// Says of every call without a result that it has none: servers refuse what follows it otherwise.
fn pair(messages: Vec<Value>) -> Vec<Value> {
    let (mut paired, mut open) = (Vec::with_capacity(messages.len()), Vec::new());
    for mut message in messages {
        let ids = |message: &Value, kind: &str, key: &str| -> Vec<Value> {
            let blocks = message.get("content").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            let of_kind = blocks.iter().filter(|block| self::kind(block) == kind);
            of_kind.filter_map(|block| block.get(key).cloned()).collect()
        };
        adopt(&mut message, &open);
        let answered = ids(&message, "tool_result", "tool_use_id");
        open.retain(|id| !answered.contains(id));
        let is_user = message.get("role").and_then(Value::as_str) == Some("user");
        if !open.is_empty() && is_user {
            let rest = blocks(message.get_mut("content").map(Value::take).unwrap_or_default());
            message["content"] = unanswered(&mut open).chain(rest).collect();
        } else if !open.is_empty() {
            paired.push(json!({"role": "user", "content": unanswered(&mut open).collect::<Vec<_>>()}));
        }
        open = ids(&message, "tool_use", "id");
        paired.push(message);
    }
    if !open.is_empty() {
        paired.push(json!({"role": "user", "content": unanswered(&mut open).collect::<Vec<_>>()}));
    }
    paired
}

/// Makes results of calls that were not made just before plain blocks, behind all results: servers refuse them.
fn adopt(message: &mut Value, made: &[Value]) {
    let Some(content) = message.get_mut("content").and_then(Value::as_array_mut) else { return };
    let is_orphan =
        |block: &Value| kind(block) == "tool_result" && block.get("tool_use_id").is_none_or(|id| !made.contains(id));
    if !content.iter().any(is_orphan) {
        return;
    }
    let (orphans, mut rest): (Vec<Value>, Vec<Value>) = std::mem::take(content).into_iter().partition(is_orphan);
    for mut orphan in orphans {
        rest.push(json!({"type": "text", "text": ORPHAN}));
        let said = blocks(orphan.get_mut("content").map(Value::take).unwrap_or_default());
        rest.extend(said.into_iter().filter(|block| block.get("text") != Some(&"".into())));
    }
    *content = rest;
}

fn unanswered(open: &mut Vec<Value>) -> impl Iterator<Item = Value> {
    open.drain(..).map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": UNANSWERED}))
}

fn object(input: Value, tool: &Tools, policy: &Policy) -> Value {
    let text = match &input {
        Value::Null => return json!({}),
        Value::String(text) => text,
        _ => return json!({"raw": input}),
    };
    let read = repair(text, &policy.dialects, tool, &policy.options).arguments;
    read.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_else(|| json!({"raw": text}))
}
