//! Converts a Chat Completions request to a Messages request.

use toolglot_json::{Map, Value, json};

use super::turns::turns;
use crate::chat::fields::NEUTRAL;
use crate::members::put;

/// The default of `max_tokens`, which the protocol requires.
const MAX_TOKENS: u64 = 8192;

/// Fields that change the answer and that this protocol does not have.
const MISSED: [&str; 12] = [
    "audio",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "n",
    "prediction",
    "presence_penalty",
    "reasoning_effort",
    "response_format",
    "seed",
    "top_logprobs",
    "web_search_options",
];

/// Converts a Chat Completions request with a valid history to a Messages request.
///
/// | Chat Completions | Messages |
/// |---|---|
/// | system messages at the beginning | `system` |
/// | a call, a result | `tool_use`, `tool_result`; invalid ids are replaced |
/// | `tools`, `tool_choice`, `parallel_tool_calls` | `tools`, `tool_choice` |
/// | `max_completion_tokens`, `max_tokens` | `max_tokens`, 8,192 if there is none |
/// | `stop`, `user`, `temperature` | `stop_sequences`, `metadata.user_id`, `temperature` of 1 at most |
/// | `response_format` with a schema | `output_config.format` |
///
/// Reasoning of earlier turns is omitted: servers accept it only with their own signature. Other omissions are
/// described in `notes`.
pub(crate) fn from_chat(mut chat: Map, notes: &mut Vec<String>) -> Map {
    let mut request = Map::new();
    let messages = chat.remove("messages");
    let (system, messages) = turns(messages.unwrap_or_default(), notes);
    put(&mut request, "model", chat.remove("model"));
    let [old, new] = ["max_tokens", "max_completion_tokens"].map(|key| chat.remove(key));
    let most = new.into_iter().chain(old).find(Value::is_number);
    put(&mut request, "max_tokens", most.unwrap_or_else(|| MAX_TOKENS.into()));
    put(&mut request, "system", Some(system).filter(|text| !text.is_empty()));
    choose(&mut chat, &mut request, &messages);
    put(&mut request, "messages", messages);
    for (key, value) in chat {
        field(key, value, &mut request, notes);
    }
    request
}

fn field(key: String, value: Value, request: &mut Map, notes: &mut Vec<String>) {
    match key.as_str() {
        _ if value.is_null() => {}
        "stop" if value.is_string() => put(request, "stop_sequences", json!([value])),
        "stop" => put(request, "stop_sequences", value),
        "user" => put(request, "metadata", json!({"user_id": value})),
        "temperature" => {
            let is_hot = value.as_f64().is_some_and(|number| number > 1.0);
            put(request, "temperature", if is_hot { 1.into() } else { value });
        }
        "response_format" if value.pointer("/json_schema/schema").is_some() => {
            let schema = value.pointer("/json_schema/schema").cloned();
            put(request, "output_config", json!({"format": {"type": "json_schema", "schema": schema}}));
        }
        "response_format" if value.get("type") == Some(&"text".into()) => {}
        "n" if value == 1 => {}
        "logprobs" if value == false => {}
        missed if MISSED.contains(&missed) => {
            notes.push(format!("`{missed}` omitted: the Messages protocol has no such field"));
        }
        neutral if NEUTRAL.contains(&neutral) => {}
        _ => put(request, &key, value),
    }
}

/// Sets `tools` and `tool_choice`. Servers require declarations of all tools that the history calls.
fn choose(chat: &mut Map, request: &mut Map, messages: &[Value]) {
    let [tools, choice, parallel] = ["tools", "tool_choice", "parallel_tool_calls"].map(|key| chat.remove(key));
    let declared: Vec<Value> = tools.iter().filter_map(Value::as_array).flatten().filter_map(declared).collect();
    if declared.is_empty() {
        let called = called(messages);
        if !called.is_empty() {
            put(request, "tools", called);
            put(request, "tool_choice", json!({"type": "none"}));
        }
        return;
    }
    put(request, "tools", declared);
    let choice = choice.unwrap_or_default();
    let name = choice["function"]["name"].as_str();
    let mut chosen = match (choice.as_str(), name) {
        (Some("none"), _) => Some(json!({"type": "none"})),
        (Some("required"), _) => Some(json!({"type": "any"})),
        (Some("auto"), _) => Some(json!({"type": "auto"})),
        (_, Some(name)) => Some(json!({"type": "tool", "name": name})),
        _ => None,
    };
    if parallel == Some(Value::Bool(false)) && choice != "none" {
        let chosen = chosen.get_or_insert_with(|| json!({"type": "auto"}));
        chosen["disable_parallel_tool_use"] = true.into();
    }
    put(request, "tool_choice", chosen);
}

fn declared(tool: &Value) -> Option<Value> {
    let function = tool.get("function")?;
    let mut declared = Map::from_iter([("name".to_owned(), function.get("name")?.clone())]);
    put(&mut declared, "description", function["description"].clone());
    let schema = function.get("parameters").filter(|schema| schema.is_object()).cloned();
    put(&mut declared, "input_schema", schema.unwrap_or_else(|| json!({"type": "object", "properties": {}})));
    put(&mut declared, "strict", function.get("strict").filter(|strict| strict.is_boolean()).cloned());
    Some(declared.into())
}

/// Returns declarations of the tools that the conversation calls.
fn called(messages: &[Value]) -> Vec<Value> {
    let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    let mut names: Vec<&Value> = Vec::new();
    for block in blocks.filter(|block| block["type"] == "tool_use") {
        if !names.contains(&&block["name"]) {
            names.push(&block["name"]);
        }
    }
    names.into_iter().map(|name| json!({"name": name, "input_schema": {"type": "object"}})).collect()
}
