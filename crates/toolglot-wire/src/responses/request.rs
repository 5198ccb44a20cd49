//! Converts a Responses request to a Chat Completions request.

use toolglot_json::{Map, Value, json};

use super::history;
use super::pairs::pair;
use super::tools::{ToolChoice, Toolbox, json_text, kind, text};
use crate::chat::history::{HistoryRepairer, is_object};
use crate::fault::{Fault, FaultKind};
use crate::members::{list, put};

/// Fields that a chat server does not have, or that only a server of this protocol can honour.
const DROPPED: [&str; 15] = [
    "background",
    "client_metadata",
    "context_management",
    "conversation",
    "max_tool_calls",
    "metadata",
    "previous_response_id",
    "prompt",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "service_tier",
    "store",
    "stream_options",
    "truncation",
];

/// The value of `include` that requests log probabilities.
const LOGPROBS: &str = "message.output_text.logprobs";

/// Fields that refer to something that another server stores.
const REMEMBERED: [&str; 3] = ["previous_response_id", "conversation", "prompt"];

/// Converts a Responses request to a Chat Completions request; omissions are described in `notes`.
///
/// # Errors
/// If the request refers to something that only its own server stores, or has no input.
pub(crate) fn to_chat(request: &Map, notes: &mut Vec<String>) -> Result<Map, Fault> {
    refuse_memory(request)?;
    let (chat, fault) = convert(request, notes);
    fault.map_or(Ok(chat), Err)
}

/// Converts a request to a server of this protocol, to read its tools and its requirements for the answer.
pub(crate) fn as_chat(request: &Map) -> Map {
    convert(request, &mut Vec::new()).0
}

/// Returns the chat request, and the first error, if a part of the request cannot be omitted.
fn convert(request: &Map, notes: &mut Vec<String>) -> (Map, Option<Fault>) {
    let toolbox = Toolbox::read(request, notes);
    let mut chat = Map::new();
    if let Some(model) = request.get("model") {
        chat["model"] = model.clone();
    }
    let (messages, fault) = history::messages(request, &toolbox, notes);
    chat["messages"] = messages.into();
    let others = request.iter().filter(|(key, value)| !value.is_null() && !DROPPED.contains(&key.as_str()));
    for (key, value) in others {
        match key.as_str() {
            "model" | "instructions" | "input" | "tools" | "tool_choice" | "parallel_tool_calls" => {}
            "max_output_tokens" => put(&mut chat, "max_tokens", value.clone()),
            "text" => {
                put(&mut chat, "response_format", value.get("format").and_then(response_format));
                put(&mut chat, "verbosity", value["verbosity"].clone());
            }
            "include" => put(&mut chat, "logprobs", list(value).contains(&LOGPROBS.into()).then_some(true)),
            "top_logprobs" if value.as_u64().is_none_or(|number| number == 0) => {}
            "top_logprobs" => {
                put(&mut chat, "logprobs", true);
                put(&mut chat, key, value.clone());
            }
            "reasoning" => put(&mut chat, "reasoning_effort", value["effort"].clone()),
            _ => put(&mut chat, key, value.clone()),
        }
    }
    put_tools(&mut chat, request, &toolbox, notes);
    (chat, fault)
}

/// Sets the fields about tools, if there are any: servers refuse empty lists, and choices without tools.
fn put_tools(chat: &mut Map, request: &Map, toolbox: &Toolbox, notes: &mut Vec<String>) {
    let choice = ToolChoice::read(request, toolbox, notes);
    let tools = toolbox.definitions(&choice);
    if tools.is_empty() {
        return;
    }
    put(chat, "tools", tools);
    put(chat, "tool_choice", choice.chat);
    put(chat, "parallel_tool_calls", request["parallel_tool_calls"].clone());
}

/// Returns `text.format` as chat's `response_format`; plain text needs none.
fn response_format(format: &Value) -> Option<Value> {
    match kind(format) {
        "" | "text" => None,
        "json_schema" => {
            let mut schema = format.as_object()?.clone();
            schema.remove("type");
            Some(json!({"type": "json_schema", "json_schema": schema}))
        }
        _ => Some(format.clone()),
    }
}

fn refuse_memory(request: &Map) -> Result<(), Fault> {
    let unsupported = |key: &str, message: String| {
        Err(Fault::new(FaultKind::Request, message).with_code("unsupported_parameter").with_param(key))
    };
    if let Some(key) = REMEMBERED.into_iter().find(|key| !request[key].is_null()) {
        let message = format!(
            "`{key}` refers to something that this proxy does not store; send the whole conversation in `input` and set `store` to false"
        );
        return unsupported(key, message);
    }
    if request["background"] == true {
        let message = "`background` is not supported; remove it and wait for the response";
        return unsupported("background", message.to_owned());
    }
    Ok(())
}

/// Makes the history of a request to a server of this protocol valid: earlier calls have valid arguments and results.
pub(crate) fn make_safe(request: &mut Map, repairer: &mut HistoryRepairer<'_>) {
    let remembers = REMEMBERED.iter().any(|key| !request[key].is_null());
    let Some(items) = request.get_mut("input").and_then(Value::as_array_mut) else { return };
    for item in items.iter_mut().filter(|item| kind(item) == "function_call") {
        let arguments = item.get("arguments").map(json_text).unwrap_or_default();
        if text(item, "arguments").is_none_or(|text| !is_object(text)) {
            let name = text(item, "name").unwrap_or_default();
            item["arguments"] = repairer.arguments(&arguments, name).into();
        }
    }
    // A reference may stand for a result that seems to be missing, or for its call.
    if !items.iter().any(|item| kind(item) == "item_reference") {
        *items = pair(std::mem::take(items), remembers);
        repairer.note_pairs(items);
    }
}
