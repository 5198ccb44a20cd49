//! Converts a client's request of Ollama's API to a Chat Completions request.

use toolglot_json::{Map, Value, json};

use super::{OPTIONS, generates, history};
use crate::fault::{Fault, FaultKind};
use crate::members::put;

/// Converts a request of `/api/chat` or `/api/generate` to a Chat Completions request.
///
/// | Ollama | Chat Completions |
/// |---|---|
/// | `messages`; `system` and `prompt` of `/api/generate` | `messages` |
/// | `images` | parts of type `image_url` with the image in it |
/// | a call's `arguments`, `tool_name` of a result | JSON text, `tool_call_id`; calls without an id get one |
/// | `thinking` | the fields that `reasoning` names |
/// | `options` | `temperature`, `stop`, `max_tokens` and the like; settings of the engine, such as `num_ctx`, nothing |
/// | `format` | `response_format` |
/// | `think` as a word | `reasoning_effort` |
/// | `stream`, true if it is not there | `stream` |
///
/// Omissions are described in `notes`.
///
/// # Errors
/// If `messages` is not a list, or if the request asks for a prompt without a template.
pub(crate) fn to_chat(request: &Map, reasoning: &[&str], notes: &mut Vec<String>) -> Result<Map, Fault> {
    let mut request = request.clone();
    let messages = if generates(&request) { prompt(&mut request, notes)? } else { conversation(&mut request)? };
    // Written out, because the default is a stream here, and not in Chat Completions.
    let streams = request.remove("stream") != Some(Value::Bool(false));
    let mut chat = Map::from_iter(request.remove_entry("model"));
    chat["messages"] = history::to_chat(messages, reasoning).into();
    chat["stream"] = streams.into();
    for (key, value) in request.into_iter().filter(|(_, value)| !value.is_null()) {
        field(key, value, &mut chat, notes);
    }
    Ok(chat)
}

fn conversation(request: &mut Map) -> Result<Vec<Value>, Fault> {
    match request.remove("messages") {
        Some(Value::Array(messages)) => Ok(messages),
        Some(Value::Null) => Ok(Vec::new()),
        _ => Err(Fault::new(FaultKind::Request, "`messages` must be a list").with_param("messages")),
    }
}

/// Returns a prompt as a conversation; options that bypass a model's template do not apply.
fn prompt(request: &mut Map, notes: &mut Vec<String>) -> Result<Vec<Value>, Fault> {
    for key in ["raw", "suffix", "template"] {
        let value = request.remove(key).unwrap_or_default();
        if value != Value::Null && value != false && value != "" {
            let message = format!("`{key}` requires an upstream that supports Ollama's API; remove it");
            return Err(Fault::new(FaultKind::Request, message).with_param(key));
        }
    }
    if request.remove("context").is_some_and(|context| !context.is_null()) {
        notes.push(
            "`context` omitted: the upstream does not accept tokens of earlier answers; use /api/chat".to_owned(),
        );
    }
    let mut messages = Vec::new();
    if let Some(Value::String(system)) = request.remove("system").filter(|system| *system != "") {
        messages.push(json!({"role": "system", "content": system}));
    }
    let prompt = request.remove("prompt").unwrap_or_default();
    let mut asked = json!({"role": "user", "content": prompt.as_str().unwrap_or_default()});
    if let Some(images) = request.remove("images") {
        asked["images"] = images;
    }
    messages.push(asked);
    Ok(messages)
}

fn field(key: String, value: Value, chat: &mut Map, notes: &mut Vec<String>) {
    match (key.as_str(), value) {
        ("options", Value::Object(options)) => {
            options.into_iter().for_each(|(name, value)| option(&name, value, chat, notes));
        }
        ("format", value) => put(chat, "response_format", response_format(value)),
        ("think", Value::String(effort)) => put(chat, "reasoning_effort", effort),
        ("think", value) => notes.push(format!("`think: {value}` omitted: the upstream's protocol has no such field")),
        // Only Ollama manages how long a model stays in memory.
        ("keep_alive" | "options", _) => {}
        // Servers refuse an empty list.
        ("tools", Value::Array(tools)) if tools.is_empty() => {}
        (_, value) => _ = chat.insert(key, value),
    }
}

fn option(name: &str, value: Value, chat: &mut Map, notes: &mut Vec<String>) {
    let known = OPTIONS.iter().find(|(_, ours)| *ours == name);
    // Numbers below 1 mean that there is no limit.
    let is_no_limit = name == "num_predict" && value.as_i64().is_some_and(|count| count < 1);
    match known {
        _ if value.is_null() || is_no_limit => {}
        Some((theirs, _)) => _ = chat.insert((*theirs).to_owned(), value),
        None => notes.push(format!("`options.{name}` omitted: only Ollama has this setting")),
    }
}

fn response_format(format: Value) -> Option<Value> {
    match format {
        Value::String(word) => (word == "json").then(|| json!({"type": "json_object"})),
        schema @ Value::Object(_) => {
            Some(json!({"type": "json_schema", "json_schema": {"name": "output", "schema": schema}}))
        }
        _ => None,
    }
}
