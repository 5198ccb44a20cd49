//! Makes the history of a Messages request to a server of the same protocol valid.

use toolglot_json::{Map, Value, json};

use super::block::kind;
use super::pairs::pair;
use super::turns::MessagesIds;
use crate::chat::history::HistoryRepairer;

/// Makes the input of every earlier call an object and adds missing results, since servers require both.
///
/// A string is parsed as arguments. If that fails, it becomes the only member of an object, so that the model sees what
/// it wrote.
pub(crate) fn make_safe(request: &mut Map, repairer: &mut HistoryRepairer<'_>) {
    let Some(messages) = request.get_mut("messages").and_then(Value::as_array_mut) else { return };
    for block in blocks(messages).filter(|block| kind(block) == "tool_use") {
        let Some(block) = block.as_object_mut() else { continue };
        let name = block["name"].as_str().unwrap_or_default().to_owned();
        let input = block.entry("input").or_insert(Value::Null);
        if !input.is_object() {
            *input = object(input.take(), &name, repairer);
        }
    }
    *messages = pair(std::mem::take(messages));
    repairer.note_pairs(messages);
    // Last, because results find their calls by the client's ids.
    make_legal(messages);
}

/// Returns the blocks of all messages.
fn blocks(messages: &mut [Value]) -> impl Iterator<Item = &mut Value> {
    messages.iter_mut().filter_map(|message| message.get_mut("content")?.as_array_mut()).flatten()
}

/// Replaces invalid ids of calls and of their results.
fn make_legal(messages: &mut [Value]) {
    let mut ids = MessagesIds::default();
    for block in blocks(messages) {
        let is_call = kind(block) == "tool_use";
        if let Some(Value::String(id)) = block.get_mut(if is_call { "id" } else { "tool_use_id" }) {
            *id = if is_call { ids.of_call(id) } else { ids.renamed.of_result(id) };
        }
    }
}

fn object(input: Value, name: &str, repairer: &mut HistoryRepairer<'_>) -> Value {
    match &input {
        Value::Null => json!({}),
        Value::String(text) => {
            let json = repairer.arguments(text, name);
            serde_json::from_str(&json).unwrap_or_else(|_| json!({"raw": text}))
        }
        _ => {
            repairer.note(format!("arguments of `{name}` are not a JSON object; sent as `{{\"raw\": …}}`"));
            json!({"raw": input})
        }
    }
}
