//! Converts a Chat Completions request to a request of Ollama's API.

use toolglot_json::{Map, Value, json};

use super::{OPTIONS, history};
use crate::chat::fields::NEUTRAL;
use crate::members::put;

/// More fields that are dropped: the proxy applies them when it reads the answer, or they do not affect it.
const APPLIED: [&str; 4] = ["parallel_tool_calls", "stream", "tool_choice", "user"];

/// Fields that change the answer and that this protocol does not have.
const MISSED: [&str; 5] = ["audio", "logit_bias", "n", "prediction", "web_search_options"];

/// Converts a Chat Completions request with a valid history to a request of `/api/chat`; see the table of `to_chat`.
pub(crate) fn from_chat(mut chat: Map, notes: &mut Vec<String>) -> Map {
    let mut request = Map::from_iter(chat.remove_entry("model"));
    let messages = chat.remove("messages").unwrap_or_default();
    let messages = if let Value::Array(messages) = messages { messages } else { Vec::new() };
    request["messages"] = history::from_chat(messages, notes).into();
    // The protocol has no tool choice: tools that must not be called are not declared.
    if chat.get("tool_choice").is_some_and(|choice| choice == "none") {
        chat.remove("tools");
    }
    let streams = chat.get("stream") == Some(&Value::Bool(true));
    request["stream"] = streams.into();
    let mut options = Map::new();
    for (key, value) in chat.into_iter().filter(|(_, value)| !value.is_null()) {
        match OPTIONS.iter().find(|(theirs, _)| *theirs == key) {
            Some((_, ours)) => _ = options.insert((*ours).to_owned(), value),
            None => field(key, value, &mut request, notes),
        }
    }
    if !options.is_empty() {
        let given = request.entry("options").or_insert_with(|| json!({}));
        let given = given.as_object().cloned().unwrap_or_default();
        // Options that the client gives in Ollama's form take precedence.
        request["options"] = options.into_iter().chain(given).collect();
    }
    request
}

fn field(key: String, value: Value, request: &mut Map, notes: &mut Vec<String>) {
    match key.as_str() {
        "response_format" => put(request, "format", format(&value)),
        "reasoning_effort" => put(request, "think", think(&value)),
        "n" if value == 1 => {}
        missed if MISSED.contains(&missed) => {
            notes.push(format!("`{missed}` omitted: Ollama's API has no such field"));
        }
        other if NEUTRAL.contains(&other) || APPLIED.contains(&other) => {}
        _ => _ = request.insert(key, value),
    }
}

fn format(format: &Value) -> Option<Value> {
    let schema = format.pointer("/json_schema/schema").cloned();
    schema.or_else(|| (format.get("type")? == "json_object").then(|| "json".into()))
}

/// Returns the value of `think`; Ollama has three levels.
fn think(effort: &Value) -> Option<Value> {
    Some(match effort.as_str()? {
        "none" => false.into(),
        "minimal" => "low".into(),
        "xhigh" => "high".into(),
        word => word.into(),
    })
}
