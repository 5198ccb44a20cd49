//! An output item while it is written: its parts, their texts, and the item as JSON at any time.

use std::borrow::Cow;

use toolglot_json::{Map, Value, json};

use super::event::EventBuilder;
use crate::responses::kinds::ItemKind;

/// The kind of a text in an item: that of a part, or the input of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Text,
    Refusal,
    Summary,
    Reasoning,
    Arguments,
    Input,
}

/// The names that the protocol has for a kind of text.
struct TextNames {
    /// The events of the text, without their prefix and suffix.
    event: &'static str,
    /// The field of the whole text, in its last event and in the part.
    field: &'static str,
    /// The type of the part, the events of the part, and the field of its index; empty for the input of a call.
    part: &'static str,
    part_event: &'static str,
    index: &'static str,
}

impl PartKind {
    /// Returns the name of an event of the text: `.delta` or `.done`.
    pub(super) fn text_event(self, suffix: &'static str) -> [&'static str; 3] {
        ["response.", self.names().event, suffix]
    }

    /// Returns the name of an event of the part: `.added` or `.done`.
    pub(super) fn part_event(self, suffix: &'static str) -> [&'static str; 3] {
        ["response.", self.names().part_event, suffix]
    }

    fn names(self) -> TextNames {
        let [event, field, part, part_event, index] = match self {
            Self::Text => ["output_text", "text", "output_text", "content_part", "content_index"],
            Self::Refusal => ["refusal", "refusal", "refusal", "content_part", "content_index"],
            Self::Summary => {
                ["reasoning_summary_text", "text", "summary_text", "reasoning_summary_part", "summary_index"]
            }
            Self::Reasoning => ["reasoning_text", "text", "reasoning_text", "content_part", "content_index"],
            Self::Arguments => ["function_call_arguments", "arguments", "", "", ""],
            Self::Input => ["custom_tool_call_input", "input", "", "", ""],
        };
        TextNames { event, field, part, part_event, index }
    }
}

/// An item that is open.
#[derive(Debug)]
pub(super) struct OpenItem {
    pub(super) kind: ItemKind,
    pub(super) index: usize,
    id: String,
    /// Fields of the item in addition to those that every item of its kind has.
    head: Map,
    /// The parts that have ended.
    parts: Vec<Value>,
    /// The open part.
    pub(super) part: Option<PartKind>,
    /// The text of the open part, or the input of a call.
    pub(super) text: String,
    annotations: Vec<Value>,
    /// The log probabilities of the open text's tokens.
    logprobs: Vec<Value>,
    seal: Option<String>,
}

impl OpenItem {
    pub(super) fn new(kind: ItemKind, index: usize, id: String, head: Map) -> Self {
        let [parts, annotations, logprobs] = [const { Vec::new() }; 3];
        Self { kind, index, id, head, parts, part: None, text: String::new(), annotations, logprobs, seal: None }
    }

    /// Returns the kind of a call's input; none for other items.
    pub(super) fn input_kind(&self) -> Option<PartKind> {
        match self.kind {
            ItemKind::Function => Some(PartKind::Arguments),
            ItemKind::Custom => Some(PartKind::Input),
            // The input of a search has no events; it is sent with the complete item.
            ItemKind::Search | ItemKind::Message | ItemKind::Reasoning => None,
        }
    }

    /// Adds data that the client sends back with the reasoning.
    pub(super) fn seal(&mut self, seal: &str) {
        self.seal.get_or_insert_default().push_str(seal);
    }

    pub(super) fn begin_part(&mut self, part: PartKind, event: EventBuilder<'_>) {
        self.part = Some(part);
        drop(self.located(event).json("part", &self.part_json().to_string()));
    }

    pub(super) fn delta(&mut self, piece: &str, logprobs: Vec<Value>, event: EventBuilder<'_>) {
        self.text.push_str(piece);
        let event = self.located(event).text("delta", piece);
        if self.part == Some(PartKind::Text) {
            drop(event.json("logprobs", &list(&logprobs)));
        }
        self.logprobs.extend(logprobs);
    }

    /// Writes the whole of the open text.
    pub(super) fn end_text(&mut self, event: EventBuilder<'_>) {
        let Some(part) = self.part.or(self.input_kind()) else { return };
        let mut event = self.located(event).text(part.names().field, &self.text);
        if part == PartKind::Text {
            event = event.json("logprobs", &list(&self.logprobs));
        }
        if let Some(name) = self.head.get("name").filter(|_| part == PartKind::Arguments) {
            drop(event.json("name", &name.to_string()));
        }
    }

    pub(super) fn end_part(&mut self, event: EventBuilder<'_>) {
        drop(self.located(event).json("part", &self.part_json().to_string()));
        self.cut();
    }

    /// Ends the open part without an event.
    pub(super) fn cut(&mut self) {
        if self.part.is_some() {
            self.parts.push(self.part_json());
            self.part = None;
            self.text.clear();
            self.annotations.clear();
            self.logprobs.clear();
        }
    }

    /// Adds an annotation to the open text.
    pub(super) fn annotate(&mut self, annotation: &Value, event: EventBuilder<'_>) {
        let number = self.annotations.len();
        drop(self.located(event).number("annotation_index", number).json("annotation", &annotation.to_string()));
        self.annotations.push(annotation.clone());
    }

    /// Returns the item as JSON text.
    pub(super) fn text(&self, status: &str) -> String {
        let fields = match self.kind {
            ItemKind::Message => json!({"status": status, "role": "assistant", "content": self.parts}),
            ItemKind::Reasoning => self.reasoning(),
            ItemKind::Function => json!({"status": status, "arguments": self.text}),
            ItemKind::Custom => json!({"status": status, "input": self.text}),
            ItemKind::Search => {
                let written = || serde_json::from_str(&self.text).unwrap_or_else(|_| Value::from(self.text.as_str()));
                let arguments = if status == "in_progress" { json!({}) } else { written() };
                json!({"status": status, "execution": "client", "arguments": arguments})
            }
        };
        let mut item = json!({"id": self.id, "type": self.kind.name()});
        // The writer's own fields take precedence over those that the server announced.
        for (key, value) in fields.as_object().into_iter().flatten().chain(&self.head) {
            if item.get(key).is_none() {
                item[key] = value.clone();
            }
        }
        item.to_string()
    }

    fn reasoning(&self) -> Value {
        let is_summary = |part: &&Value| part["type"] == PartKind::Summary.names().part;
        let (summary, content): (Vec<&Value>, Vec<&Value>) = self.parts.iter().partition(is_summary);
        let mut item = json!({"summary": summary});
        if !content.is_empty() {
            item["content"] = json!(content);
        }
        if let Some(seal) = &self.seal {
            item["encrypted_content"] = seal.as_str().into();
        }
        item
    }

    fn part_json(&self) -> Value {
        let Some(part) = self.part else { return Value::Null };
        let names = part.names();
        let mut json = json!({"type": names.part, (names.field): self.text});
        if part == PartKind::Text {
            json["annotations"] = json!(self.annotations);
            json["logprobs"] = json!(self.logprobs);
        }
        json
    }

    /// Appends the fields that locate the open text in the response.
    fn located<'a>(&self, event: EventBuilder<'a>) -> EventBuilder<'a> {
        let event = event.text("item_id", &self.id).number("output_index", self.index);
        match self.part {
            Some(part) => event.number(part.names().index, self.parts.len()),
            None => event,
        }
    }
}

/// Returns a list as JSON text; most are empty.
fn list(values: &[Value]) -> Cow<'static, str> {
    if values.is_empty() { "[]".into() } else { json!(values).to_string().into() }
}
