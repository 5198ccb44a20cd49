//! Conversations read as the strictest server of each protocol reads them.

use std::collections::{BTreeSet, HashMap, VecDeque};

use toolglot_json::Value;
use toolglot_wire::Protocol;

use crate::made::{Call, Turn};

/// Says what is wrong with a conversation.
type Wrong = String;

/// One thing that a conversation says, in any protocol.
enum Item {
    Asked(String),
    Said(String),
    Called { id: String, name: String, arguments: Value },
    Answered { id: String, text: String },
}

/// Reads a request's conversation: every call has its result at once, and nothing else stands between them.
pub(crate) fn read(protocol: Protocol, request: &Value) -> Result<Vec<Turn>, Wrong> {
    turns(items(protocol, request)?)
}

/// Says whether a server would take a request. One of the Responses protocol finds results by their ids, wherever they are.
pub(crate) fn check(protocol: Protocol, request: &Value) -> Result<(), Wrong> {
    if protocol != Protocol::Responses {
        return read(protocol, request).map(drop);
    }
    let (mut called, mut answered) = (BTreeSet::new(), BTreeSet::new());
    for item in items(protocol, request)? {
        match item {
            Item::Called { id, .. } => _ = called.insert(id),
            Item::Answered { id, .. } => _ = answered.insert(id),
            _ => {}
        }
    }
    if called == answered { Ok(()) } else { Err(format!("{called:?} called, {answered:?} answered")) }
}

/// Returns the texts of the results of a request.
pub(crate) fn results(protocol: Protocol, request: &Value) -> Vec<String> {
    let items = items(protocol, request).unwrap_or_default();
    items
        .into_iter()
        .filter_map(|item| if let Item::Answered { text, .. } = item { Some(text) } else { None })
        .collect()
}

fn items(protocol: Protocol, request: &Value) -> Result<Vec<Item>, Wrong> {
    let key = if protocol == Protocol::Responses { "input" } else { "messages" };
    let list = request[key].as_array().ok_or("no conversation")?;
    let (mut items, mut open) = (Vec::new(), VecDeque::new());
    for entry in list {
        match protocol {
            Protocol::Chat => chat(entry, &mut items)?,
            Protocol::Responses => response(entry, &mut items)?,
            Protocol::Messages => message(entry, &mut items)?,
            Protocol::Ollama => line(entry, &mut items, &mut open)?,
        }
    }
    Ok(items)
}

/// Puts the turns together; a word ends with a full stop, so that words that were joined can be told apart.
fn turns(items: Vec<Item>) -> Result<Vec<Turn>, Wrong> {
    let (mut turns, mut open): (Vec<Turn>, HashMap<String, usize>) = (vec![Turn::default()], HashMap::new());
    let mut answered = false;
    for item in items {
        let is_answer = matches!(item, Item::Answered { .. });
        let is_models = matches!(item, Item::Said(_) | Item::Called { .. });
        let last = turns.last().unwrap();
        let has_spoken = !last.said.is_empty() || !last.calls.is_empty();
        if !open.is_empty() && !is_answer && (answered || !is_models) {
            return Err(format!("calls without results: {open:?}"));
        }
        if !is_answer && has_spoken && (!is_models || answered) {
            turns.push(Turn::default());
        }
        answered = is_answer;
        let turn = turns.last_mut().unwrap();
        match item {
            Item::Asked(text) => turn.asked.extend(words(&text)),
            Item::Said(text) => turn.said.extend(words(&text)),
            Item::Called { id, name, arguments } => {
                if open.insert(id.clone(), turn.calls.len()).is_some() {
                    return Err(format!("two calls with the id {id}"));
                }
                turn.calls.push(Call { name, arguments, result: String::new() });
            }
            Item::Answered { id, text } => {
                let at = open.remove(&id).ok_or_else(|| format!("a result of no call: {id}"))?;
                turn.calls[at].result = text;
            }
        }
    }
    if open.is_empty() { Ok(turns) } else { Err(format!("calls without results: {open:?}")) }
}

fn words(text: &str) -> Vec<String> {
    text.split_inclusive('.').map(str::trim).filter(|word| word.ends_with('.')).map(str::to_owned).collect()
}

fn text_of(content: &Value) -> String {
    let parts = content.as_array().into_iter().flatten().filter_map(|part| part["text"].as_str());
    content.as_str().map_or_else(|| parts.collect::<Vec<_>>().join(" "), str::to_owned)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn parsed(arguments: &Value) -> Result<Value, Wrong> {
    let text = arguments.as_str().ok_or_else(|| format!("arguments that are no text: {arguments}"))?;
    serde_json::from_str(text).map_err(|error| format!("arguments that are no JSON: {text}: {error}"))
}

fn chat(message: &Value, items: &mut Vec<Item>) -> Result<(), Wrong> {
    let content = text_of(&message["content"]);
    match message["role"].as_str() {
        Some("assistant") => {
            if !content.is_empty() {
                items.push(Item::Said(content));
            }
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let (function, id) = (&call["function"], text(&call["id"]));
                let arguments = parsed(&function["arguments"])?;
                items.push(Item::Called { id, name: text(&function["name"]), arguments });
            }
        }
        Some("tool") => items.push(Item::Answered { id: text(&message["tool_call_id"]), text: content }),
        Some("user") => items.push(Item::Asked(content)),
        other => return Err(format!("a message of {other:?}")),
    }
    Ok(())
}

fn response(item: &Value, items: &mut Vec<Item>) -> Result<(), Wrong> {
    let id = text(&item["call_id"]);
    match (item["type"].as_str(), item["role"].as_str()) {
        (Some("function_call"), _) => {
            let arguments = parsed(&item["arguments"])?;
            items.push(Item::Called { id, name: text(&item["name"]), arguments });
        }
        (Some("function_call_output"), _) => items.push(Item::Answered { id, text: text_of(&item["output"]) }),
        (_, Some("assistant")) => items.push(Item::Said(text_of(&item["content"]))),
        (_, Some("user")) => items.push(Item::Asked(text_of(&item["content"]))),
        other => return Err(format!("an item of {other:?}")),
    }
    Ok(())
}

fn message(message: &Value, items: &mut Vec<Item>) -> Result<(), Wrong> {
    let is_models = message["role"] == "assistant";
    let one = vec![toolglot_json::json!({"type": "text", "text": message["content"]})];
    for block in message["content"].as_array().unwrap_or(&one) {
        match (is_models, block["type"].as_str()) {
            (true, Some("text")) => items.push(Item::Said(text(&block["text"]))),
            (true, Some("tool_use")) => {
                let arguments = block["input"].clone();
                if !arguments.is_object() {
                    return Err(format!("an input that is no object: {arguments}"));
                }
                items.push(Item::Called { id: text(&block["id"]), name: text(&block["name"]), arguments });
            }
            (false, Some("text")) => items.push(Item::Asked(text(&block["text"]))),
            (false, Some("tool_result")) => {
                items.push(Item::Answered { id: text(&block["tool_use_id"]), text: text_of(&block["content"]) });
            }
            (_, other) => return Err(format!("a block of {other:?}")),
        }
    }
    Ok(())
}

/// Reads a message: a result names its call, or stands in the order of the calls and names its tool.
fn line(message: &Value, items: &mut Vec<Item>, open: &mut VecDeque<(String, String)>) -> Result<(), Wrong> {
    let content =
        message["content"].as_str().ok_or_else(|| format!("a content that is no text: {message}"))?.to_owned();
    match message["role"].as_str() {
        Some("assistant") => {
            if !content.is_empty() {
                items.push(Item::Said(content));
            }
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let function = &call["function"];
                let id = call["id"].as_str().map_or_else(|| format!("call {}", items.len()), str::to_owned);
                let (name, arguments) = (text(&function["name"]), function["arguments"].clone());
                if !arguments.is_object() {
                    return Err(format!("arguments that are no object: {arguments}"));
                }
                open.push_back((id.clone(), name.clone()));
                items.push(Item::Called { id, name, arguments });
            }
        }
        Some("tool") => {
            let (name, id) = (text(&message["tool_name"]), text(&message["tool_call_id"]));
            let at = open.iter().position(|(call, tool)| if id.is_empty() { *tool == name } else { *call == id });
            let (id, _) = at.and_then(|at| open.remove(at)).ok_or_else(|| format!("a result of no call: {message}"))?;
            items.push(Item::Answered { id, text: content });
        }
        Some("user") => items.push(Item::Asked(content)),
        other => return Err(format!("a message of {other:?}")),
    }
    Ok(())
}
