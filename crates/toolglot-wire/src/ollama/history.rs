//! Converts messages between Ollama's API and Chat Completions.
//!
//! In Ollama's messages, arguments are objects, and images are next to the text. Calls need no ids: a result names its
//! tool in `tool_name`, and results are in the order of their calls.

use toolglot::mint;
use toolglot_json::{Map, Value, json};

use crate::chat::fields::text;
use crate::chat::history as chat_history;
use crate::members::{json_text, list};

/// Returns the messages of a chat request.
pub(super) fn to_chat(messages: Vec<Value>, reasoning: &[&str]) -> Vec<Value> {
    let mut open = OpenCalls::default();
    let messages = messages.into_iter().enumerate();
    messages.map(|(place, message)| to_chat_message(place, message, reasoning, &mut open)).collect()
}

/// The ids and tools of calls whose results have not been found.
#[derive(Default)]
struct OpenCalls {
    calls: Vec<(String, String)>,
    answered: bool,
}

impl OpenCalls {
    fn begin(&mut self) {
        // Messages with calls and no results between them are one turn.
        if std::mem::take(&mut self.answered) {
            self.calls.clear();
        }
    }

    /// Returns the id of a result's call; a result without an id or a tool's name belongs to the first open call.
    fn answer(&mut self, id: Option<&str>, name: Option<&str>) -> Option<String> {
        self.answered = true;
        let at = self.calls.iter().position(|(call, tool)| match (id, name) {
            (Some(id), _) => call == id,
            (None, Some(name)) => tool == name,
            (None, None) => true,
        });
        at.map(|at| self.calls.remove(at).0).or_else(|| id.or(name).map(str::to_owned))
    }
}

fn to_chat_message(place: usize, message: Value, reasoning: &[&str], open: &mut OpenCalls) -> Value {
    let Value::Object(mut message) = message else { return message };
    let content = content_with(message.remove("content"), message.remove("images"));
    let role = text(&message, "role").unwrap_or("user").to_owned();
    let mut chat = Map::from_iter([("role".to_owned(), role.as_str().into()), ("content".to_owned(), content)]);
    match role.as_str() {
        "assistant" => {
            open.begin();
            if let Some(thought) = message.remove("thinking").filter(|thought| *thought != "") {
                chat.extend(reasoning.iter().map(|name| ((*name).to_owned(), thought.clone())));
            }
            if let Some(Value::Array(calls)) = message.remove("tool_calls") {
                let calls = calls.into_iter().enumerate().map(|(at, call)| to_chat_call((place, at), call, open));
                chat["tool_calls"] = calls.collect();
            }
        }
        "tool" => {
            let [id, name] = ["tool_call_id", "tool_name"].map(|key| text(&message, key));
            let id = open.answer(id, name.or_else(|| text(&message, "name")));
            chat["tool_call_id"] = id.unwrap_or_default().into();
            for key in ["tool_call_id", "tool_name", "name"] {
                message.remove(key);
            }
        }
        _ => {}
    }
    message.retain(|key, value| !chat.contains_key(key) && !value.is_null());
    chat.extend(message);
    chat.into()
}

fn to_chat_call((place, at): (usize, usize), call: Value, open: &mut OpenCalls) -> Value {
    let name = call["function"]["name"].as_str().unwrap_or_default();
    let id = call["id"].as_str().filter(|id| !id.is_empty());
    let id = id.map_or_else(|| mint(place as u64, at), str::to_owned);
    let arguments = arguments_text(&call);
    open.calls.push((id.clone(), name.to_owned()));
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// Returns the arguments of a call as JSON text.
pub(super) fn arguments_text(call: &Value) -> String {
    json_text(&call["function"]["arguments"]).unwrap_or_else(|| "{}".to_owned())
}

fn content_with(content: Option<Value>, images: Option<Value>) -> Value {
    let content = content.unwrap_or_else(|| "".into());
    let images = images.as_ref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if images.is_empty() {
        return content;
    }
    let text = content.as_str().filter(|text| !text.is_empty()).map(|text| json!({"type": "text", "text": text}));
    let images = images.iter().filter_map(Value::as_str).map(|data| {
        let url = format!("data:{};base64,{data}", media_type(data));
        json!({"type": "image_url", "image_url": {"url": url}})
    });
    text.into_iter().chain(images).collect()
}

/// Returns the media type of an image by the start of its base64 text.
fn media_type(data: &str) -> &'static str {
    const STARTS: [(&str, &str); 4] =
        [("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp"), ("iVBOR", "image/png")];
    STARTS.iter().find(|(start, _)| data.starts_with(start)).map_or("image/png", |(_, media)| media)
}

/// Returns the messages of an Ollama request for those of a chat request with a valid history.
pub(super) fn from_chat(messages: Vec<Value>, notes: &mut Vec<String>) -> Vec<Value> {
    let (mut list, mut calls): (Vec<Value>, Vec<(String, String)>) = (Vec::new(), Vec::new());
    let mut results: Vec<(usize, Value)> = Vec::new();
    for message in messages {
        let Value::Object(mut message) = message else { continue };
        let role = text(&message, "role").unwrap_or("user").to_owned();
        let content = message.remove("content").unwrap_or_default();
        if role == "tool" {
            let id = text(&message, "tool_call_id").unwrap_or_default();
            let at = calls.iter().position(|(call, _)| call == id).unwrap_or(calls.len());
            let name = calls.get(at).map_or("", |(_, name)| name.as_str());
            let mut result = from_content("tool", content, notes);
            result["tool_name"] = name.into();
            result["tool_call_id"] = id.into();
            results.push((at, result));
            continue;
        }
        put_results(&mut results, &mut list);
        let role = if role == "developer" { "system" } else { role.as_str() };
        let mut turn = from_content(role, content, notes);
        if role == "assistant" {
            calls = complete_assistant(&mut turn, &message);
        }
        list.push(turn);
    }
    put_results(&mut results, &mut list);
    list
}

/// Adds results in the order of their calls: without ids, a model cannot identify them otherwise.
fn put_results(results: &mut Vec<(usize, Value)>, list: &mut Vec<Value>) {
    results.sort_by_key(|(at, _)| *at);
    list.extend(results.drain(..).map(|(_, result)| result));
}

/// Adds the reasoning, refusal and calls of an assistant message; returns the ids and tools of the calls.
fn complete_assistant(turn: &mut Value, message: &Map) -> Vec<(String, String)> {
    let thought = ["reasoning_content", "reasoning"].iter().find_map(|key| text(message, key));
    if let Some(thought) = thought {
        turn["thinking"] = thought.into();
    }
    if let (Some(refusal), Some("")) = (text(message, "refusal"), turn["content"].as_str()) {
        turn["content"] = refusal.into();
    }
    let (mut known, mut calls) = (Vec::new(), Vec::new());
    for call in list(&message["tool_calls"]) {
        let function = &call["function"];
        let [id, name, arguments] =
            [&call["id"], &function["name"], &function["arguments"]].map(|value| value.as_str().unwrap_or_default());
        let arguments: Value = toolglot_json::from_str(arguments).unwrap_or_else(|_| json!({}));
        calls.push(json!({"id": id, "function": {"name": name, "arguments": arguments}}));
        known.push((id.to_owned(), name.to_owned()));
    }
    if !calls.is_empty() {
        turn["tool_calls"] = calls.into();
    }
    known
}

/// Returns a message with the text and the images of a content.
fn from_content(role: &str, content: Value, notes: &mut Vec<String>) -> Value {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    match &content {
        Value::String(text) => texts.push(text.as_str()),
        Value::Array(parts) => {
            for part in parts {
                let words = part.get("text").or_else(|| part.get("refusal")).and_then(Value::as_str);
                let url = part.pointer("/image_url/url").or_else(|| part.get("image_url")).and_then(Value::as_str);
                match (words, url.map(|url| url.split_once(";base64,"))) {
                    (Some(words), _) => texts.push(words),
                    (None, Some(Some((_, data)))) => images.push(data),
                    (None, _) => {
                        let kind = part["type"].as_str().unwrap_or_default();
                        notes.push(format!(
                            "part of type `{kind}` omitted: Ollama's API accepts only text, and images as data"
                        ));
                    }
                }
            }
        }
        _ => {}
    }
    let mut message = json!({"role": role, "content": texts.join("\n")});
    if !images.is_empty() {
        message["images"] = images.into();
    }
    message
}

/// Makes the earlier turns of a request to a server of this protocol valid; a valid history is unchanged.
pub(crate) fn make_safe(request: &mut Map, repairer: &mut chat_history::HistoryRepairer<'_>) {
    const REASONING: &[&str] = &["reasoning"];
    let Some(Value::Array(messages)) = request.get("messages") else { return };
    let before = to_chat(messages.clone(), REASONING);
    let mut chat = Map::from_iter([("messages".to_owned(), Value::from(before.clone()))]);
    chat_history::make_safe(&mut chat, repairer);
    let Some(Value::Array(after)) = chat.remove("messages") else { return };
    if after != before || !messages.iter().all(has_objects) {
        request["messages"] = from_chat(after, &mut Vec::new()).into();
    }
}

/// Returns whether the arguments of all calls of a message are objects, which servers require.
fn has_objects(message: &Value) -> bool {
    list(&message["tool_calls"]).iter().all(|call| call["function"]["arguments"].is_object())
}
