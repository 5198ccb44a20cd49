//! Converts a Chat Completions request to a Responses request, for servers with only this protocol.

use toolglot_json::{Map, Value, json};

use super::tools::{kind, text};
use crate::members::{list, put};

/// Fields of Chat Completions that do not change the answer.
const DROPPED: [&str; 4] = ["functions", "modalities", "prediction", "stream_options"];

/// Fields that change the answer and that this protocol does not have.
const MISSED: [&str; 8] =
    ["audio", "frequency_penalty", "logit_bias", "n", "presence_penalty", "seed", "stop", "web_search_options"];

/// Converts a Chat Completions request with a valid history to a Responses request.
///
/// | Chat Completions | Responses |
/// |---|---|
/// | system messages at the beginning | `instructions` |
/// | messages, calls, results | items of `input` |
/// | `tools`, `tool_choice` | the same, flat; schemas are not strict by default |
/// | `max_completion_tokens`, `max_tokens` | `max_output_tokens` |
/// | `response_format`, `verbosity`, `reasoning_effort` | `text.format`, `text.verbosity`, `reasoning.effort` |
/// | `logprobs` | `include` |
/// | `store` | the same, or `false`, the default of Chat Completions |
///
/// Reasoning of earlier turns is omitted: servers accept only their own items. Other omissions are described in
/// `notes`.
pub(crate) fn from_chat(mut chat: Map, notes: &mut Vec<String>) -> Map {
    let mut request = Map::new();
    put(&mut request, "model", chat.remove("model"));
    let messages = chat.remove("messages").unwrap_or_default();
    let (instructions, input) = items(&messages, notes);
    put(&mut request, "instructions", Some(instructions).filter(|text| !text.is_empty()));
    put(&mut request, "input", input);
    put(&mut request, "store", chat.remove("store").unwrap_or(false.into()));
    let (mut format, mut include) = (Map::new(), Vec::<&str>::new());
    for (key, value) in chat.into_iter().filter(|(_, value)| !value.is_null()) {
        match key.as_str() {
            "max_tokens" | "max_completion_tokens" => put(&mut request, "max_output_tokens", value),
            "response_format" => put(&mut format, "format", response_format(value)),
            "verbosity" => put(&mut format, "verbosity", value),
            "reasoning_effort" => put(&mut request, "reasoning", json!({"effort": value})),
            "logprobs" if value == true => include.push("message.output_text.logprobs"),
            "logprobs" => {}
            "tools" => put(&mut request, "tools", list(&value).iter().map(tool).collect::<Vec<_>>()),
            "tool_choice" => put(&mut request, "tool_choice", choice(value)),
            "n" if value == 1 => {}
            missed if MISSED.contains(&missed) => {
                notes.push(format!("`{missed}` omitted: the Responses protocol has no such field"));
            }
            dropped if DROPPED.contains(&dropped) => {}
            _ => put(&mut request, &key, value),
        }
    }
    put(&mut request, "text", Some(format).filter(|format| !format.is_empty()));
    put(&mut request, "include", Some(include).filter(|include| !include.is_empty()));
    request
}

fn response_format(format: Value) -> Value {
    let Some(schema) = format["json_schema"].as_object() else { return format };
    typed("json_schema", schema).into()
}

/// Returns an object of this type with the members of another.
fn typed(kind: &str, members: &Map) -> Map {
    [("type".to_owned(), kind.into())].into_iter().chain(members.clone()).collect()
}

fn tool(tool: &Value) -> Value {
    let Some(function) = tool["function"].as_object() else { return tool.clone() };
    let mut flat = typed("function", function);
    flat.entry("parameters").or_insert_with(|| json!({"type": "object", "properties": {}}));
    flat.entry("strict").or_insert(false.into());
    flat.into()
}

fn choice(choice: Value) -> Value {
    match choice.pointer("/function/name") {
        Some(name) => json!({"type": "function", "name": name}),
        None => choice,
    }
}

/// Returns the instructions at the beginning of the conversation, and everything after them as items.
fn items(messages: &Value, notes: &mut Vec<String>) -> (String, Vec<Value>) {
    let (mut instructions, mut items) = (Vec::new(), Vec::new());
    for message in list(messages) {
        let content = &message["content"];
        match text(message, "role").unwrap_or("user") {
            "system" | "developer" if items.is_empty() => instructions.extend(texts(content)),
            "assistant" => add_assistant(message, content, &mut items),
            "tool" => {
                let (id, output) = (&message["tool_call_id"], parts(content, notes));
                items.push(json!({"type": "function_call_output", "call_id": id, "output": output}));
            }
            role => {
                let content = parts(content, notes);
                items.push(json!({"type": "message", "role": role, "content": content}));
            }
        }
    }
    (instructions.join("\n\n"), items)
}

/// Returns the texts of a content.
fn texts(content: &Value) -> Vec<String> {
    let parts = list(content).iter().filter_map(|part| text(part, "text"));
    content.as_str().into_iter().chain(parts).filter(|text| !text.is_empty()).map(str::to_owned).collect()
}

fn add_assistant(message: &Value, content: &Value, items: &mut Vec<Value>) {
    let part = |text: String| json!({"type": "output_text", "text": text, "annotations": []});
    let refusal = text(message, "refusal").map(|text| json!({"type": "refusal", "refusal": text}));
    let parts: Vec<Value> = texts(content).into_iter().map(part).chain(refusal).collect();
    if !parts.is_empty() {
        items.push(json!({"type": "message", "role": "assistant", "content": parts}));
    }
    for call in list(&message["tool_calls"]) {
        let (id, function) = (&call["id"], &call["function"]);
        let [name, arguments] = ["name", "arguments"].map(|key| &function[key]);
        items.push(json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments}));
    }
}

/// Converts the parts of a user message or of a result; other content is unchanged.
fn parts(content: &Value, notes: &mut Vec<String>) -> Value {
    let Value::Array(all) = content else { return content.clone() };
    let mut part = |part: &Value| match kind(part) {
        "text" => Some(json!({"type": "input_text", "text": text(part, "text")?})),
        "refusal" => Some(json!({"type": "input_text", "text": text(part, "refusal")?})),
        "image_url" => {
            let url = part.pointer("/image_url/url").or(part.get("image_url"))?;
            let detail = part.pointer("/image_url/detail").cloned().unwrap_or_else(|| "auto".into());
            Some(json!({"type": "input_image", "image_url": url, "detail": detail}))
        }
        "file" => Some(typed("input_file", part["file"].as_object()?).into()),
        "input_audio" => Some(part.clone()),
        other => {
            notes.push(format!("part of type `{other}` omitted: the Responses protocol has no equivalent"));
            None
        }
    };
    all.iter().filter_map(&mut part).collect()
}
