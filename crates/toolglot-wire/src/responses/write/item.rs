//! An output item while it is written: its parts, their texts, and the item as JSON at any time.

use std::borrow::Cow;

use toolglot_json::{Map, Value, json};

use super::event::EventBuilder;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemKind {
    Message,
    Reasoning,
    Function,
    Custom,
    Search,
}

/// What a text in an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartKind {
    Text,
    Refusal,
    Summary,
    Reasoning,
    Arguments,
    Input,
}

/// The names of a kind of text.
pub(super) struct TextNames {
    pub(super) delta: &'static str,
    pub(super) done: &'static str,
    /// The field of the whole text, in its last event and in the part.
    field: &'static str,
    /// The type of the part, if it is one.
    part: &'static str,
    /// The events around the part.
    frame: [&'static str; 2],
    index: &'static str,
}

impl ItemKind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Message => "message",
            Self::Reasoning => "reasoning",
            Self::Function => "function_call",
            Self::Custom => "custom_tool_call",
            Self::Search => "tool_search_call",
        }
    }

    pub(super) fn prefix(self) -> &'static str {
        match self {
            Self::Message => "msg",
            Self::Reasoning => "rs",
            Self::Function => "fc",
            Self::Custom => "ctc",
            Self::Search => "tsc",
        }
    }
}

const CONTENT: [&str; 2] = ["response.content_part.added", "response.content_part.done"];

const TEXT: TextNames = TextNames {
    delta: "response.output_text.delta",
    done: "response.output_text.done",
    field: "text",
    part: "output_text",
    frame: CONTENT,
    index: "content_index",
};

const REFUSAL: TextNames = TextNames {
    delta: "response.refusal.delta",
    done: "response.refusal.done",
    field: "refusal",
    part: "refusal",
    frame: CONTENT,
    index: "content_index",
};

const SUMMARY: TextNames = TextNames {
    delta: "response.reasoning_summary_text.delta",
    done: "response.reasoning_summary_text.done",
    field: "text",
    part: "summary_text",
    frame: ["response.reasoning_summary_part.added", "response.reasoning_summary_part.done"],
    index: "summary_index",
};

const REASONING: TextNames = TextNames {
    delta: "response.reasoning_text.delta",
    done: "response.reasoning_text.done",
    field: "text",
    part: "reasoning_text",
    frame: CONTENT,
    index: "content_index",
};

const ARGUMENTS: TextNames = TextNames {
    delta: "response.function_call_arguments.delta",
    done: "response.function_call_arguments.done",
    field: "arguments",
    part: "",
    frame: CONTENT,
    index: "",
};

const INPUT: TextNames = TextNames {
    delta: "response.custom_tool_call_input.delta",
    done: "response.custom_tool_call_input.done",
    field: "input",
    part: "",
    frame: CONTENT,
    index: "",
};

impl PartKind {
    pub(super) fn frame_added(self) -> &'static str {
        self.names().frame[0]
    }

    pub(super) fn frame_done(self) -> &'static str {
        self.names().frame[1]
    }

    pub(super) fn names(self) -> &'static TextNames {
        match self {
            Self::Text => &TEXT,
            Self::Refusal => &REFUSAL,
            Self::Summary => &SUMMARY,
            Self::Reasoning => &REASONING,
            Self::Arguments => &ARGUMENTS,
            Self::Input => &INPUT,
        }
    }
}

/// An item that is open.
#[derive(Debug)]
pub(super) struct OpenItem {
    pub(super) kind: ItemKind,
    pub(super) index: usize,
    id: String,
    /// Fields of the item besides those that every item of its kind has.
    head: Map,
    /// Parts that are over.
    parts: Vec<Value>,
    part: Option<PartKind>,
    /// The text of the open part, or the input of a call.
    text: String,
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

    pub(super) fn part_kind(&self) -> Option<PartKind> {
        self.part
    }

    /// Returns what the text of a call is, nothing for other items.
    pub(super) fn input_kind(&self) -> Option<PartKind> {
        match self.kind {
            ItemKind::Function => Some(PartKind::Arguments),
            ItemKind::Custom => Some(PartKind::Input),
            // It has no events for pieces: its item says them when it is done.
            ItemKind::Search | ItemKind::Message | ItemKind::Reasoning => None,
        }
    }

    /// Takes a piece that no event of its own says.
    pub(super) fn keep(&mut self, piece: &str) {
        self.text.push_str(piece);
    }

    /// Takes what has to come back with the reasoning.
    pub(super) fn seal(&mut self, seal: &str) {
        self.seal.get_or_insert_default().push_str(seal);
    }

    pub(super) fn begin_part(&mut self, part: PartKind, event: EventBuilder<'_>) {
        self.part = Some(part);
        drop(self.placed(event).json("part", &self.part_json().to_string()));
    }

    pub(super) fn delta(&mut self, piece: &str, tokens: Vec<Value>, event: EventBuilder<'_>) {
        self.text.push_str(piece);
        let event = self.placed(event).text("delta", piece);
        if self.part == Some(PartKind::Text) {
            drop(event.json("logprobs", &list(&tokens)));
        }
        self.logprobs.extend(tokens);
    }

    /// Says the whole of the open text.
    pub(super) fn end_text(&mut self, event: EventBuilder<'_>) {
        let Some(part) = self.part.or(self.input_kind()) else { return };
        let mut event = self.placed(event).text(part.names().field, &self.text);
        if part == PartKind::Text {
            event = event.json("logprobs", &list(&self.logprobs));
        }
        if let Some(name) = self.head.get("name").filter(|_| part == PartKind::Arguments) {
            drop(event.json("name", &name.to_string()));
        }
    }

    pub(super) fn end_part(&mut self, event: EventBuilder<'_>) {
        drop(self.placed(event).json("part", &self.part_json().to_string()));
        self.cut();
    }

    /// Ends the open part without a word.
    pub(super) fn cut(&mut self) {
        if self.part.is_some() {
            self.parts.push(self.part_json());
            self.part = None;
            self.text.clear();
            self.annotations.clear();
            self.logprobs.clear();
        }
    }

    /// Adds an annotation to the open text; says where it went.
    pub(super) fn annotate(&mut self, annotation: &Value, event: EventBuilder<'_>) {
        let number = self.annotations.len();
        drop(self.placed(event).number("annotation_index", number).json("annotation", &annotation.to_string()));
        self.annotations.push(annotation.clone());
    }

    /// Returns the item as JSON text.
    pub(super) fn text(&self, status: &str) -> String {
        let mut item = Map::from_iter([
            ("id".to_owned(), Value::from(self.id.as_str())),
            ("type".to_owned(), Value::from(self.kind.name())),
        ]);
        let rest = match self.kind {
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
        item.extend(rest.as_object().cloned().unwrap_or_default());
        for (key, value) in &self.head {
            item.entry(key.clone()).or_insert_with(|| value.clone());
        }
        Value::Object(item).to_string()
    }

    fn reasoning(&self) -> Value {
        let is_summary = |part: &&Value| part["type"] == SUMMARY.part;
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
        match part {
            PartKind::Text => json!({
                "type": names.part, (names.field): self.text, "annotations": self.annotations, "logprobs": self.logprobs,
            }),
            _ => json!({"type": names.part, (names.field): self.text}),
        }
    }

    /// Appends the fields that say where in the response the open text is.
    fn placed<'a>(&self, event: EventBuilder<'a>) -> EventBuilder<'a> {
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
