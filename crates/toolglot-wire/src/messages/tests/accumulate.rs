//! What the official clients make of a stream: their rules for putting events together.

use std::collections::BTreeMap;

use toolglot_json::{Map, Value};

use crate::policy::WireLimits;
use crate::sse::SseReader;

/// Returns the message that clients end up with, or why one of them gives up.
///
/// The rules are those of anthropic-python, the JavaScript SDK and the AI SDK, at each point of the strictest: events
/// have names, blocks count from 0 and one is open at a time, counts are there at the start and at the end, calls have
/// ids and begin with an empty input, inputs are JSON when their block stops, and both ends of the message come.
pub(super) fn accumulate(stream: &str) -> Result<Value, String> {
    let mut frames = SseReader::new(&WireLimits::default());
    frames.push(stream.as_bytes());
    let mut message = Message::default();
    while let Some(frame) = frames.next_frame() {
        let frame = frame.map_err(|fault| fault.message)?;
        message.event(frame.event.ok_or("an event without a name")?, frame.data)?;
    }
    message.finish()
}

#[derive(Default)]
struct Message {
    snapshot: Option<Map>,
    content: Vec<Value>,
    inputs: BTreeMap<usize, String>,
    open: Option<usize>,
    stopped: bool,
    finished: bool,
}

impl Message {
    fn event(&mut self, name: &str, data: &str) -> Result<(), String> {
        let event: Value = toolglot_json::from_str(data).map_err(|error| format!("{error}: {data}"))?;
        if name == "ping" {
            return Ok(());
        }
        if name == "error" {
            return Err(format!("error: {}", event["error"]["message"].as_str().ok_or("an error without a message")?));
        }
        if event["type"] != name {
            return Err(format!("event {name} has type {}", event["type"]));
        }
        if self.stopped {
            return Err(format!("{name} after message_stop"));
        }
        match name {
            "message_start" => self.start(&event["message"]),
            _ if self.snapshot.is_none() => Err(format!("{name} before message_start")),
            "content_block_start" => self.start_block(&event),
            "content_block_delta" => self.delta(&event),
            "content_block_stop" => self.stop_block(&event),
            "message_delta" => self.message_delta(&event),
            "message_stop" => {
                self.stopped = true;
                Ok(())
            }
            unknown => Err(format!("unknown event {unknown}")),
        }
    }

    fn start(&mut self, message: &Value) -> Result<(), String> {
        let snapshot = message.as_object().ok_or("no message")?;
        let text =
            |key: &str| snapshot.get(key).and_then(Value::as_str).filter(|text| !text.is_empty()).ok_or(key.to_owned());
        text("id")?;
        text("model")?;
        if text("type")? != "message" || text("role")? != "assistant" || snapshot["content"] != Value::Array(Vec::new())
        {
            return Err(format!("a strange message {message}"));
        }
        for key in ["input_tokens", "output_tokens"] {
            snapshot["usage"][key].as_u64().ok_or("no usage at the start")?;
        }
        match self.snapshot.replace(snapshot.clone()) {
            Some(_) => Err("a second message_start".into()),
            None => Ok(()),
        }
    }

    fn start_block(&mut self, event: &Value) -> Result<(), String> {
        if self.open.is_some() || event["index"] != self.content.len() {
            return Err(format!("block {} begins at {} with {:?} open", event["index"], self.content.len(), self.open));
        }
        let block = &event["content_block"];
        if block["type"] == "tool_use" {
            for key in ["id", "name"] {
                block[key].as_str().filter(|text| !text.is_empty()).ok_or(format!("a call without {key}"))?;
            }
            if block["input"] != Value::Object(Map::new()) {
                return Err(format!("input at the start: {block}"));
            }
        }
        self.open = Some(self.content.len());
        self.content.push(block.clone());
        Ok(())
    }

    fn delta(&mut self, event: &Value) -> Result<(), String> {
        let index = event["index"].as_u64().and_then(|index| usize::try_from(index).ok()).ok_or("no index")?;
        if self.open != Some(index) {
            return Err(format!("an addition to block {index} while {:?} is open", self.open));
        }
        let (block, delta) = (&mut self.content[index], &event["delta"]);
        let piece = |key: &str| delta[key].as_str().map(str::to_owned).ok_or(format!("no {key} in {delta}"));
        match (delta["type"].as_str().unwrap_or_default(), block["type"].as_str().unwrap_or_default()) {
            ("text_delta", "text") => append(block, "text", &piece("text")?),
            ("thinking_delta", "thinking") => append(block, "thinking", &piece("thinking")?),
            ("signature_delta", "thinking") => {
                block["signature"] = piece("signature")?.into();
                Ok(())
            }
            ("citations_delta", "text") => {
                if !block["citations"].is_array() {
                    block["citations"] = Value::Array(Vec::new());
                }
                block["citations"].as_array_mut().ok_or("no citations")?.push(delta["citation"].clone());
                Ok(())
            }
            ("input_json_delta", "tool_use" | "server_tool_use") => {
                self.inputs.entry(index).or_default().push_str(&piece("partial_json")?);
                Ok(())
            }
            (delta, block) => Err(format!("{delta} for a {block} block")),
        }
    }

    fn stop_block(&mut self, event: &Value) -> Result<(), String> {
        let index = self.open.take().filter(|open| event["index"] == *open).ok_or("a stop of no open block")?;
        if let Some(json) = self.inputs.get(&index).filter(|json| !json.is_empty()) {
            let input: Value = toolglot_json::from_str(json).map_err(|error| format!("{error}: {json}"))?;
            input.as_object().ok_or(format!("the input is no object: {json}"))?;
            self.content[index]["input"] = input;
        }
        Ok(())
    }

    fn message_delta(&mut self, event: &Value) -> Result<(), String> {
        if std::mem::replace(&mut self.finished, true) || self.open.is_some() {
            return Err("message_delta twice, or within a block".into());
        }
        let (delta, usage) = (&event["delta"], &event["usage"]);
        let snapshot = self.snapshot.as_mut().ok_or("no message")?;
        delta["stop_reason"].as_str().ok_or("no stop_reason")?;
        usage["output_tokens"].as_u64().ok_or("no usage at the end")?;
        for key in ["stop_reason", "stop_sequence"] {
            snapshot.insert(key.to_owned(), delta[key].clone());
        }
        for key in ["container", "stop_details"] {
            snapshot.extend(delta.get(key).map(|value| (key.to_owned(), value.clone())));
        }
        for key in USAGE {
            if let Some(count) = usage.get(key).filter(|count| !count.is_null()) {
                snapshot["usage"][key] = count.clone();
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Value, String> {
        let mut snapshot = self.snapshot.ok_or("ended without a message")?;
        if !self.stopped {
            return Err("ended without message_stop".into());
        }
        if !self.finished {
            return Err("ended without message_delta".into());
        }
        snapshot.insert("content".to_owned(), self.content.into());
        Ok(snapshot.into())
    }
}

/// The counts that a later event replaces.
pub(super) const USAGE: [&str; 6] = [
    "input_tokens",
    "output_tokens",
    "cache_creation_input_tokens",
    "cache_read_input_tokens",
    "server_tool_use",
    "output_tokens_details",
];

fn append(block: &mut Value, key: &str, piece: &str) -> Result<(), String> {
    match &mut block[key] {
        Value::String(text) => text.push_str(piece),
        other => return Err(format!("{key} of the block is {other}")),
    }
    Ok(())
}
