//! Converts a client's Messages request to a Chat Completions request, the form from which all other protocols are
//! made.

use std::iter;

use toolglot_json::{Map, Value, json};

use super::exact::ExactInputs;
use super::history::ChatConversation;
use crate::fault::{Fault, FaultKind};
use crate::members::{list, put};

/// Converts a Messages request to a Chat Completions request.
///
/// `body` is the unchanged request, from which the inputs of earlier calls are read as text. Reasoning of earlier turns
/// goes into the fields that `reasoning` names; without any it is omitted. Fields that the Messages protocol does not
/// have, such as `grammar` or `chat_template_kwargs`, belong to an engine and are kept.
///
/// | Messages | Chat Completions |
/// |---|---|
/// | `system` | the first message |
/// | `tools` with an `input_schema` | functions; other tools, which only Anthropic's models know, are omitted |
/// | `tool_choice` | `tool_choice`, `parallel_tool_calls` |
/// | `stop_sequences`, `metadata.user_id` | `stop`, `user` |
/// | `thinking.budget_tokens` | `reasoning_effort`: `low` up to 2,048, `medium` up to 8,192, else `high` |
/// | `output_config.format`, `output_format` | `response_format` |
/// | `stream` | `stream` and `stream_options.include_usage` |
/// | `context_management`, `betas`, `cache_control`, `container` and the like | nothing |
///
/// Omissions are described in `notes`.
///
/// # Errors
/// If the request has no list of messages.
pub(crate) fn to_chat(request: &Map, body: &[u8], reasoning: &[&str], notes: &mut Vec<String>) -> Result<Map, Fault> {
    let mut request = request.clone();
    let mut history = ChatConversation { reasoning, notes, messages: Vec::new() };
    if let Some(system) = request.remove("system") {
        history.add_system(system);
    }
    let Some(Value::Array(messages)) = request.remove("messages") else {
        return Err(Fault::new(FaultKind::Request, "`messages` must be a list").with_param("messages"));
    };
    let inputs = ExactInputs::of_request(body).into_iter().chain(iter::repeat_with(ExactInputs::default));
    messages.into_iter().zip(inputs).for_each(|(message, inputs)| history.add(message, &inputs));
    let messages = history.messages;
    let choice = request.remove("tool_choice").unwrap_or_default();
    let mut chat = Map::new();
    put(&mut chat, "model", request.remove("model"));
    put(&mut chat, "messages", messages);
    for (key, value) in request {
        field(key, value, &mut chat, notes);
    }
    choose(&choice, &mut chat, notes);
    Ok(chat)
}

/// Fields that only Anthropic's servers have.
const FOREIGN: [&str; 17] = [
    "anthropic_version",
    "betas",
    "billing_policy",
    "cache_control",
    "compaction",
    "container",
    "context_management",
    "diagnostics",
    "fallback_credit_token",
    "fallbacks",
    "inference_geo",
    "mcp_servers",
    "prefill",
    "service_tier",
    "speed",
    "thread",
    "user_profile_id",
];

fn field(key: String, value: Value, chat: &mut Map, notes: &mut Vec<String>) {
    match key.as_str() {
        "tools" => put(chat, "tools", tools(value, notes)),
        "stop_sequences" => {
            put(chat, "stop", Some(value).filter(|list| list.as_array().is_some_and(|it| !it.is_empty())))
        }
        "metadata" => put(chat, "user", value.get("user_id").filter(is_short).cloned()),
        "thinking" => put(chat, "reasoning_effort", value.get("budget_tokens").and_then(effort)),
        "output_config" => put(chat, "response_format", value.get("format").and_then(response_format)),
        "output_format" => put(chat, "response_format", response_format(&value)),
        "stream" => {
            let usage = value.as_bool().unwrap_or_default().then(|| json!({"include_usage": true}));
            put(chat, "stream", value);
            put(chat, "stream_options", usage);
        }
        "mcp_servers" => notes.push("`mcp_servers` omitted: only Anthropic's servers can run them".to_owned()),
        foreign if FOREIGN.contains(&foreign) => {}
        _ => put(chat, &key, value),
    }
}

/// Returns whether servers accept the name of a user: agents send whole objects, and some servers refuse long names.
fn is_short(user: &&Value) -> bool {
    user.as_str().is_some_and(|user| user.len() <= 64)
}

/// Returns the functions among the tools; none if there are none, since engines refuse an empty list.
fn tools(tools: Value, notes: &mut Vec<String>) -> Option<Value> {
    let Value::Array(tools) = tools else { return None };
    let functions: Vec<Value> = tools.into_iter().filter_map(|tool| function(tool, notes)).collect();
    (!functions.is_empty()).then(|| functions.into())
}

fn function(mut tool: Value, notes: &mut Vec<String>) -> Option<Value> {
    let kind = tool["type"].as_str().unwrap_or("custom");
    if kind == "function" && tool.get("function").is_some() {
        return Some(tool);
    }
    let name = tool["name"].as_str().unwrap_or(kind);
    if kind != "custom" && tool.get("input_schema").is_none() {
        notes.push(format!("tool `{name}` of type `{kind}` omitted: only Anthropic's models support it"));
        return None;
    }
    let mut function = Map::from_iter([("name".to_owned(), name.into())]);
    put(&mut function, "description", tool.get_mut("description").map(Value::take));
    let mut schema = tool.get_mut("input_schema").map(Value::take).filter(Value::is_object);
    if let Some(schema) = schema.as_mut().and_then(Value::as_object_mut).filter(|schema| schema.contains_key("type")) {
        // Chat servers refuse an object schema without properties.
        schema.entry("properties").or_insert_with(|| json!({}));
    }
    put(&mut function, "parameters", schema.unwrap_or_else(|| json!({"type": "object", "properties": {}})));
    put(&mut function, "strict", tool.get_mut("strict").map(Value::take).filter(Value::is_boolean));
    Some(json!({"type": "function", "function": function}))
}

/// Sets the tool choice if there are tools: engines refuse a choice without tools.
fn choose(choice: &Value, chat: &mut Map, notes: &mut Vec<String>) {
    if chat.get("tools").is_none() {
        return;
    }
    let name = choice["name"].as_str().unwrap_or_default();
    let chosen = match choice["type"].as_str() {
        Some("any") => Some("required".into()),
        Some("tool") if is_declared(name, chat) => Some(json!({"type": "function", "function": {"name": name}})),
        Some("tool") => {
            notes.push(format!("`tool_choice` names `{name}`, which is not among the remaining tools"));
            None
        }
        Some(word @ ("auto" | "none")) => Some(word.into()),
        _ => None,
    };
    put(chat, "tool_choice", chosen);
    let alone = choice["disable_parallel_tool_use"].as_bool().unwrap_or_default();
    put(chat, "parallel_tool_calls", alone.then_some(false));
}

fn is_declared(name: &str, chat: &Map) -> bool {
    list(&chat["tools"]).iter().any(|tool| tool["function"]["name"] == *name)
}

/// Returns the reasoning effort for a token budget.
fn effort(budget: &Value) -> Option<Value> {
    let word = match budget.as_u64()? {
        0..=2_048 => "low",
        2_049..=8_192 => "medium",
        _ => "high",
    };
    Some(word.into())
}

fn response_format(format: &Value) -> Option<Value> {
    let schema = format.get("schema")?;
    Some(json!({"type": "json_schema", "json_schema": {"name": "output", "schema": schema, "strict": true}}))
}
