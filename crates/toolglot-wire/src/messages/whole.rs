//! Writes a whole answer, with the same content as the stream.

use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::value::RawValue;
use toolglot_json::{Map, Value};

use super::answer::AnswerEnvelope;
use super::blocks::{BlockEvent, BlockPiece, Blocks};
use crate::port::Client;
use crate::response_event::{ResponseEvent, ResponseStart};

/// Returns the body of a response that is not streamed.
pub(crate) fn whole(events: &[ResponseEvent], client: &Client) -> Vec<u8> {
    let (mut blocks, mut answer, mut begin) = (Blocks::default(), AnswerEnvelope::default(), &ResponseStart::default());
    let mut content = Vec::new();
    for event in events {
        answer.add(event);
        match event {
            ResponseEvent::Begin(first) => begin = first,
            ResponseEvent::Part { choice: 0, part } => blocks.add(part, &mut |event| add(event, &mut content)),
            _ => {}
        }
    }
    blocks.close(&mut |event| add(event, &mut content));
    let mut head = answer.head(begin, client);
    (head["stop_reason"], head["stop_sequence"]) = answer.stop(blocks.refused, client);
    if let Some(counts) = answer.counts() {
        head["usage"] = counts.into();
    }
    head.extend(answer.extra(client));
    let blocks: Vec<String> = content.iter().map(WholeBlock::json).collect();
    let content = format!("[{}]", blocks.join(","));
    JsonObject { members: &head, exact: ("content", &content) }.json().into_bytes()
}

/// An object with one member that is JSON text.
struct JsonObject<'a> {
    members: &'a Map,
    /// The key of this member, and its text; if that is invalid, the value in `members` is written.
    exact: (&'static str, &'a str),
}

impl JsonObject<'_> {
    fn json(&self) -> String {
        // Serialization only fails for keys that are not strings.
        serde_json::to_string(self).unwrap_or_default()
    }
}

impl Serialize for JsonObject<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (exact, text) = self.exact;
        let text = serde_json::from_str::<&RawValue>(text).ok();
        let mut map = serializer.serialize_map(Some(self.members.len()))?;
        for (key, value) in self.members {
            match text {
                Some(text) if key == exact => map.serialize_entry(key, text)?,
                _ => map.serialize_entry(key, value)?,
            }
        }
        map.end()
    }
}

/// A block of the body.
#[derive(Debug)]
struct WholeBlock {
    fields: Map,
    /// The JSON text of the input, which is passed on unchanged, including its spaces.
    input: String,
}

/// Adds an event to the blocks of a body.
fn add(event: BlockEvent<'_>, content: &mut Vec<WholeBlock>) {
    if let Some(Value::Object(fields)) = event.content_block {
        content.push(WholeBlock { fields, input: String::new() });
    }
    let Some((block, piece)) = content.get_mut(event.index).zip(event.delta) else { return };
    match piece {
        BlockPiece::Text { text } => block.append("text", text),
        BlockPiece::Thinking { thinking } => block.append("thinking", thinking),
        BlockPiece::Signature { signature } => block.fields["signature"] = signature.into(),
        BlockPiece::Input { partial_json } => block.input.push_str(partial_json),
        BlockPiece::Own(delta) => block.add_own(delta),
    }
}

impl WholeBlock {
    fn json(&self) -> String {
        JsonObject { members: &self.fields, exact: ("input", &self.input) }.json()
    }

    fn append(&mut self, key: &str, piece: &str) {
        match self.fields.get_mut(key) {
            Some(Value::String(text)) => text.push_str(piece),
            _ => {
                self.fields.insert(key.to_owned(), piece.into());
            }
        }
    }

    /// Adds a delta that only this protocol has: strings are appended, citations collected, and inputs are JSON text.
    fn add_own(&mut self, delta: &Value) {
        for (key, value) in delta.as_object().into_iter().flatten().filter(|(key, _)| *key != "type") {
            match (key.as_str(), value) {
                ("partial_json", Value::String(piece)) => self.input.push_str(piece),
                ("citation", citation) => match self.fields.get_mut("citations") {
                    Some(Value::Array(citations)) => citations.push(citation.clone()),
                    _ => {
                        self.fields["citations"] = vec![citation.clone()].into();
                    }
                },
                (_, Value::String(piece)) => self.append(key, piece),
                _ => {
                    self.fields.insert(key.clone(), value.clone());
                }
            }
        }
    }
}
