//! How three clients put a stream together, each with what it cannot bear; written from what was measured of them.

use toolglot_json::{Map, Value};

/// What a client ends up with.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) reasoning: String,
    pub(crate) calls: Vec<(String, String, String)>,
    pub(crate) finish: String,
}

/// One alternative as a client knows it.
#[derive(Default)]
struct Known {
    message: Map,
    finish: Option<String>,
}

/// Reads the data of a stream: chunks up to `[DONE]`; an error event is an error.
fn chunks(stream: &str) -> Result<Vec<Value>, String> {
    let frames: Vec<&str> = stream.split("\n\n").filter(|frame| !frame.is_empty()).collect();
    let data = frames.iter().map(|frame| frame.strip_prefix("data: ").ok_or(format!("no data line: {frame}")));
    let mut chunks = Vec::new();
    let mut done = false;
    for data in data {
        let data = data?;
        if done {
            return Err("something after the end".into());
        }
        done = data == "[DONE]";
        if done {
            continue;
        }
        let chunk: Value = toolglot_json::from_str(data).map_err(|error| format!("{error}: {data}"))?;
        if let Some(error) = chunk.get("error") {
            return Err(format!("error: {error}"));
        }
        chunks.push(chunk);
    }
    if done { Ok(chunks) } else { Err("no end".into()) }
}

/// The alternatives of a stream after all three clients, which have to agree.
pub(crate) fn answers(stream: &str) -> Result<Vec<Answer>, String> {
    let chunks = chunks(stream)?;
    let found = openai_python(&chunks).map_err(|error| format!("openai-python: {error}"))?;
    openai_node(&chunks).map_err(|error| format!("openai-node: {error}"))?;
    ai_sdk(&chunks).map_err(|error| format!("ai sdk: {error}"))?;
    found.into_iter().map(Known::answer).collect()
}

/// The only alternative of a stream.
#[track_caller]
pub(crate) fn answer(stream: &str) -> Answer {
    let mut answers = answers(stream).unwrap_or_else(|error| panic!("{error}\n{stream}"));
    assert_eq!(answers.len(), 1, "{stream}");
    answers.remove(0)
}

fn choices(chunk: &Value) -> Result<&Vec<Value>, String> {
    chunk.get("choices").and_then(Value::as_array).ok_or("TypeError: no choices".into())
}

/// Adds every field of a delta to what was there, as texts, lists and maps are added.
fn openai_python(chunks: &[Value]) -> Result<Vec<Known>, String> {
    let mut known: Vec<Known> = Vec::new();
    let first = chunks.first().ok_or("no chunk")?;
    for chunk in chunks {
        if chunk["object"] != "chat.completion.chunk" {
            return Err("AssertionError: the object".into());
        }
        if ["id", "created", "model"].iter().any(|key| chunk[*key] != first[*key] || chunk[*key].is_null()) {
            return Err("the envelope changes".into());
        }
        for choice in choices(chunk)? {
            let index = choice["index"].as_u64().ok_or("TypeError: a choice without index")?;
            let index = usize::try_from(index).map_err(|_| "index")?;
            if index == known.len() {
                known.push(Known::default());
            }
            let known = known.get_mut(index).ok_or("IndexError: a choice")?;
            let delta = choice["delta"].as_object().ok_or("AttributeError: delta")?;
            merge(&mut known.message, delta)?;
            if let Some(finish) = choice["finish_reason"].as_str() {
                if known.finish.replace(finish.to_owned()).is_some() {
                    return Err("finished twice".into());
                }
            } else if known.finish.is_some() && !delta.is_empty() {
                return Err("something after the finish".into());
            }
        }
    }
    Ok(known)
}

fn merge(into: &mut Map, delta: &Map) -> Result<(), String> {
    for (key, value) in delta {
        let Some(old) = into.get_mut(key).filter(|old| !old.is_null()) else {
            if let Some(list) = value.as_array().filter(|list| list.first().is_some_and(Value::is_object)) {
                let mut fresh = Vec::new();
                list.iter().try_for_each(|entry| merge_entry(&mut fresh, entry))?;
                into.insert(key.clone(), fresh.into());
            } else {
                into.insert(key.clone(), value.clone());
            }
            continue;
        };
        match (key.as_str(), old, value) {
            ("index" | "type", _, Value::Null) => return Err("AssertionError: type".into()),
            ("index" | "type", old, value) => *old = value.clone(),
            (_, Value::String(old), Value::String(value)) => old.push_str(value),
            (_, Value::Object(old), Value::Object(value)) => merge(old, value)?,
            (_, Value::Array(old), Value::Array(list)) => {
                list.iter().try_for_each(|entry| merge_entry(old, entry))?;
            }
            (_, old, value) if value.is_null() || old == value => {}
            (key, old, value) => return Err(format!("TypeError: {key}: {old} + {value}")),
        }
    }
    Ok(())
}

fn merge_entry(list: &mut Vec<Value>, entry: &Value) -> Result<(), String> {
    let index = entry.get("index").and_then(Value::as_u64).ok_or("TypeError: an entry without index")?;
    let index = usize::try_from(index).map_err(|_| "index")?;
    if index == list.len() {
        list.push(entry.clone());
        return Ok(());
    }
    let old = list.get_mut(index).and_then(Value::as_object_mut).ok_or("IndexError: an entry")?;
    merge(old, entry.as_object().ok_or("an entry that is no object")?)
}

/// Wants role, finish, and each call whole at its head.
fn openai_node(chunks: &[Value]) -> Result<(), String> {
    let (mut roles, mut finishes, mut heads) = (Vec::new(), Vec::new(), Vec::new());
    for chunk in chunks {
        for choice in choices(chunk)? {
            let index = choice["index"].as_u64().ok_or("a choice without index")?;
            if choice["delta"]["role"].is_string() {
                roles.push(index);
            }
            if choice["finish_reason"].is_string() {
                finishes.push(index);
            }
            for call in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
                let place = (index, call["index"].as_u64().ok_or("a call without index")?);
                if call.get("id").is_some() || call.get("type").is_some() {
                    heads.push(place);
                    let body = &call[call["type"].as_str().ok_or("missing type")?];
                    let whole = call["id"].as_str().is_some_and(|id| !id.is_empty()) && body["name"].is_string();
                    if !whole {
                        return Err(format!("missing id or name: {call}"));
                    }
                } else if !heads.contains(&place) {
                    return Err(format!("missing type: {call}"));
                }
            }
        }
    }
    let once = |list: &[u64]| list.iter().all(|of| list.iter().filter(|other| *other == of).count() == 1);
    if roles.is_empty() || !once(&roles) || !once(&finishes) || roles.len() != finishes.len() {
        return Err(format!("missing role or finish: {roles:?} {finishes:?}"));
    }
    Ok(())
}

/// Checks the form of each chunk, and lets a call go when another begins.
fn ai_sdk(chunks: &[Value]) -> Result<(), String> {
    for chunk in chunks {
        let mut last = None;
        for choice in choices(chunk)? {
            let delta = &choice["delta"];
            if !matches!(delta.get("role").and_then(Value::as_str), None | Some("assistant" | "")) {
                return Err("role".into());
            }
            for key in ["content", "reasoning_content", "reasoning"] {
                if delta.get(key).is_some_and(|text| !text.is_string() && !text.is_null()) {
                    return Err(format!("{key} is no text"));
                }
            }
            for call in delta["tool_calls"].as_array().into_iter().flatten() {
                let input = call["function"].get("arguments").or_else(|| call["custom"].get("input"));
                if !input.is_some_and(Value::is_string) {
                    return Err("arguments are no text".into());
                }
                let index = call["index"].as_u64();
                if index < last {
                    return Err("a call that was over goes on".into());
                }
                last = index;
            }
        }
    }
    Ok(())
}

impl Known {
    fn answer(self) -> Result<Answer, String> {
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let finish = self.finish.ok_or("no finish")?;
        let mut calls = Vec::new();
        for call in self.message.get("tool_calls").and_then(Value::as_array).into_iter().flatten() {
            if call["type"] == "custom" {
                calls.push((text(call.get("id")), text(call["custom"].get("name")), text(call["custom"].get("input"))));
                continue;
            }
            let arguments = text(call["function"].get("arguments"));
            let parsed: Value = match toolglot_json::from_str(&arguments) {
                // A call that a limit cut off is the last, and nobody runs it.
                Err(_) if ["length", "content_filter"].contains(&finish.as_str()) => break,
                parsed => parsed.map_err(|error| format!("{error}: {arguments}"))?,
            };
            if !parsed.is_object() || call["type"] != "function" {
                return Err(format!("no function call: {call}"));
            }
            calls.push((text(call.get("id")), text(call["function"].get("name")), arguments));
        }
        if let Some(function) = self.message.get("function_call") {
            calls.push((String::new(), text(function.get("name")), text(function.get("arguments"))));
        }
        if text(self.message.get("role")) != "assistant" {
            return Err("role".into());
        }
        Ok(Answer {
            text: text(self.message.get("content")),
            reasoning: text(self.message.get("reasoning_content")),
            calls,
            finish,
        })
    }
}

#[test]
fn the_clients_are_as_strict_as_the_real_ones() {
    use crate::script::{events, good};
    assert_eq!(answer(&events(&good())).calls[0].2, "{\"city\": \"Paris\"}");
    type Edit = fn(&mut Vec<Value>);
    let broken: [(&str, Edit); 9] = [
        ("role", |chunks| drop(chunks.remove(0))),
        ("AssertionError", |chunks| chunks[2]["choices"][0]["delta"]["tool_calls"][0]["type"] = Value::Null),
        ("IndexError", |chunks| chunks[1]["choices"][0]["delta"]["tool_calls"][0]["index"] = 1.into()),
        ("TypeError", |chunks| drop(chunks[1]["choices"][0]["delta"]["tool_calls"][0]["index"].take())),
        ("object", |chunks| drop(chunks[1]["object"].take())),
        ("delta", |chunks| drop(chunks[4]["choices"][0]["delta"].take())),
        ("missing role or finish", |chunks| drop(chunks.pop())),
        ("choices", |chunks| drop(chunks[4]["choices"].take())),
        ("EOF", |chunks| drop(chunks.remove(3))),
    ];
    for (error, edit) in broken {
        let mut chunks = good();
        edit(&mut chunks);
        let found = answers(&events(&chunks)).unwrap_err();
        assert!(found.contains(error), "{found} should contain {error}");
    }
}
