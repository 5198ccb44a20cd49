//! Converts the messages of a Messages request to those of a Chat Completions request.

use toolglot_json::{Value, json};

use super::block::{ConvertedBlock, blocks, kind, show, text_of};
use super::exact::ExactInputs;
use crate::chat::history::{assistant, later_instructions};
use crate::members::take;

/// The conversation, as far as it has been converted.
pub(super) struct ChatConversation<'h> {
    /// The fields for reasoning.
    pub(super) reasoning: &'h [&'h str],
    pub(super) notes: &'h mut Vec<String>,
    pub(super) messages: Vec<Value>,
}

impl ChatConversation<'_> {
    /// Adds instructions, which are a string or blocks.
    pub(super) fn add_system(&mut self, system: Value) {
        let texts: Vec<String> = blocks(system).into_iter().map(text_of).collect();
        let text = texts.join("\n\n");
        let is_first = self.messages.iter().all(|message| message["role"] == "system");
        if !text.is_empty() && is_first {
            self.messages.push(json!({"role": "system", "content": text}));
        } else if !text.is_empty() {
            self.messages.push(later_instructions(text.into()));
        }
    }

    /// Adds a message; `inputs` are those of its blocks as JSON text.
    pub(super) fn add(&mut self, mut message: Value, inputs: &ExactInputs<'_>) {
        if message.is_string() {
            return self.add_user(blocks(message));
        }
        let content = take(&mut message, "content");
        match message["role"].as_str() {
            Some("assistant") => self.add_assistant(blocks(content), inputs),
            Some("system") => self.add_system(content),
            _ => self.add_user(blocks(content)),
        }
    }

    /// Adds a user message. Results come first, each in its own message: nothing may separate calls from their results.
    fn add_user(&mut self, blocks: Vec<Value>) {
        let (mut parts, mut from_results, mut results) = (Vec::new(), Vec::new(), 0);
        for block in blocks {
            if kind(&block) == "tool_result" {
                results += 1;
                let message = result(block, &mut from_results);
                self.messages.push(message);
            } else {
                parts.extend(show(block).into_parts());
            }
        }
        from_results.append(&mut parts);
        if results == 0 || !from_results.is_empty() {
            self.messages.push(json!({"role": "user", "content": joined(from_results)}));
        }
    }

    fn add_assistant(&mut self, blocks: Vec<Value>, inputs: &ExactInputs<'_>) {
        let (mut text, mut reasoning, mut calls) = (String::new(), String::new(), Vec::new());
        let mut is_text = false;
        for (place, block) in blocks.into_iter().enumerate() {
            let was_text = std::mem::replace(&mut is_text, kind(&block) == "text");
            match kind(&block) {
                "tool_use" => calls.push(call(block, inputs.object(place))),
                "thinking" => add(&mut reasoning, "\n", block["thinking"].as_str().unwrap_or_default()),
                // Only the server that encrypted it can read it.
                "redacted_thinking" => {}
                // Citations split a sentence into blocks, so consecutive text blocks are joined without a gap.
                "text" => add(&mut text, if was_text { "" } else { "\n\n" }, &text_of(block)),
                other => {
                    let note = format!("only Anthropic's models understand the `{other}` block of an earlier turn");
                    match block["content"].as_str() {
                        Some(content) => add(&mut text, "\n\n", content),
                        None => self.notes.push(note + "; it was omitted"),
                    }
                }
            }
        }
        self.messages.push(assistant(text, "", (self.reasoning, &reasoning), calls));
    }
}

/// Converts a call; its arguments are the input as JSON text, or a string in its place.
fn call(mut block: Value, exact: Option<&str>) -> Value {
    let arguments = match (exact, take(&mut block, "input")) {
        (Some(exact), _) => exact.to_owned(),
        (None, Value::Null) => "{}".to_owned(),
        (None, Value::String(text)) => text,
        (None, input) => input.to_string(),
    };
    let [id, name] = ["id", "name"].map(|key| take(&mut block, key));
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// Converts a result to text; other parts are replaced by a word and added to `after`, which follows all results.
fn result(mut block: Value, after: &mut Vec<Value>) -> Value {
    let mut text = String::new();
    for inner in blocks(take(&mut block, "content")) {
        match show(inner) {
            ConvertedBlock::Text(inner) => add(&mut text, "\n", &inner),
            ConvertedBlock::Other { word, part } => {
                add(&mut text, "\n", &format!("[{word}]"));
                after.push(part);
            }
        }
    }
    let failed = block["is_error"].as_bool().unwrap_or_default();
    let says_so = text.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("error"));
    let text = if failed && !says_so { format!("Error: {text}").trim_end().to_owned() } else { text };
    let id = take(&mut block, "tool_use_id");
    json!({"role": "tool", "tool_call_id": id, "content": text})
}

/// Joins the parts if all are text: every engine's template accepts a string.
fn joined(parts: Vec<Value>) -> Value {
    let texts: Option<Vec<&str>> = parts.iter().map(|part| part["text"].as_str()).collect();
    match texts {
        Some(texts) => texts.join("\n\n").into(),
        None => parts.into(),
    }
}

/// Appends a piece with a separator.
fn add(text: &mut String, between: &str, piece: &str) {
    if !text.is_empty() && !piece.is_empty() {
        text.push_str(between);
    }
    text.push_str(piece);
}
