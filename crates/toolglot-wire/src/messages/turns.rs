//! Converts the messages of a Chat Completions request to the turns of a Messages request.

use std::collections::HashSet;

use toolglot::{mint, seed_of};
use toolglot_json::{Value, json};

use super::block::blocks;
use crate::chat::history::{RenamedIds, later_instructions};
use crate::members::{legal, take};

/// The user's turn before a conversation that begins with the model: servers require a user's turn first.
const OPENING: &str = "(The conversation begins with the assistant.)";

/// Returns the instructions and the turns; consecutive messages of one role become one turn.
pub(super) fn turns(messages: Value, notes: &mut Vec<String>) -> (String, Vec<Value>) {
    let mut turns = MessagesTurns { system: Vec::new(), turns: Vec::new(), ids: MessagesIds::default(), notes };
    let Value::Array(messages) = messages else { return (String::new(), Vec::new()) };
    messages.into_iter().for_each(|message| turns.add(message));
    turns.finish()
}

/// The turns so far, and the system prompt.
struct MessagesTurns<'n> {
    system: Vec<String>,
    /// The role and the blocks of each turn.
    turns: Vec<(&'static str, Vec<Value>)>,
    ids: MessagesIds,
    notes: &'n mut Vec<String>,
}

impl MessagesTurns<'_> {
    fn add(&mut self, mut message: Value) {
        let content = take(&mut message, "content");
        match message["role"].as_str() {
            Some("system" | "developer") if self.turns.is_empty() => {
                let texts = blocks(content).into_iter().filter_map(|part| Some(part.get("text")?.as_str()?.to_owned()));
                self.system.extend(texts.filter(|text| !text.is_empty()));
            }
            Some("system" | "developer") => self.add(later_instructions(content)),
            Some("assistant") => self.add_assistant(message, content),
            Some("tool") => {
                let id = message["tool_call_id"].as_str().unwrap_or_default();
                let id = self.ids.renamed.of_result(id);
                let content = self.result(content);
                self.push("user", vec![json!({"type": "tool_result", "tool_use_id": id, "content": content})]);
            }
            _ => {
                let content = self.content(content);
                self.push("user", content);
            }
        }
    }

    fn add_assistant(&mut self, mut message: Value, content: Value) {
        let refusal = take(&mut message, "refusal");
        let mut blocks = self.content(content);
        blocks.extend(text_block(refusal.as_str().unwrap_or_default()));
        let calls = take(&mut message, "tool_calls");
        let Value::Array(calls) = calls else { return self.push("assistant", blocks) };
        for call in calls {
            let function = &call["function"];
            let id = self.ids.of_call(call["id"].as_str().unwrap_or_default());
            let arguments = function["arguments"].as_str().unwrap_or_default();
            let input: Value = toolglot_json::from_str(arguments).unwrap_or_else(|_| json!({}));
            let name = function["name"].clone();
            blocks.push(json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        }
        self.push("assistant", blocks);
    }

    /// Returns a content as blocks; servers refuse empty texts.
    fn content(&mut self, content: Value) -> Vec<Value> {
        blocks(content).into_iter().filter_map(|part| self.block(part)).collect()
    }

    /// Returns the content of a result: a string, or blocks.
    fn result(&mut self, content: Value) -> Value {
        match content {
            text @ Value::String(_) => text,
            Value::Null => "".into(),
            parts => self.content(parts).into(),
        }
    }

    fn block(&mut self, part: Value) -> Option<Value> {
        let text = |key: &str| part[key].as_str();
        match text("type").unwrap_or("text") {
            "text" | "refusal" => text_block(text("text").or_else(|| text("refusal")).unwrap_or_default()),
            "image_url" => {
                let url = part.pointer("/image_url/url").or(part.get("image_url")).and_then(Value::as_str)?;
                Some(json!({"type": "image", "source": source(url)}))
            }
            "file" => {
                let file = part.get("file")?;
                let data = file["file_data"].as_str().map(source);
                let source = data.or_else(|| Some(json!({"type": "file", "file_id": file.get("file_id")?})))?;
                let mut block = json!({"type": "document", "source": source});
                if let Some(name) = file.get("filename") {
                    block["title"] = name.clone();
                }
                Some(block)
            }
            other => {
                self.notes.push(format!("part of type `{other}` omitted: the Messages protocol has no equivalent"));
                None
            }
        }
    }

    fn push(&mut self, role: &'static str, mut blocks: Vec<Value>) {
        match self.turns.last_mut().filter(|(last, _)| *last == role) {
            Some((_, last)) => last.append(&mut blocks),
            None => self.turns.push((role, blocks)),
        }
    }

    fn finish(mut self) -> (String, Vec<Value>) {
        self.turns.retain(|(_, blocks)| !blocks.is_empty());
        if self.turns.first().is_some_and(|(role, _)| *role == "assistant") {
            self.turns.insert(0, ("user", text_block(OPENING).into_iter().collect()));
        }
        // Servers refuse a prefilled answer that ends in white space.
        if let Some(("assistant", blocks)) = self.turns.last_mut()
            && let Some(Value::String(text)) = blocks.last_mut().and_then(|block| block.get_mut("text"))
        {
            text.truncate(text.trim_end().len());
        }
        let turn = |(role, blocks): (&str, Vec<Value>)| json!({"role": role, "content": blocks});
        (self.system.join("\n\n"), self.turns.into_iter().map(turn).collect())
    }
}

/// Returns a text block, unless the text is blank: servers refuse blank blocks.
fn text_block(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({"type": "text", "text": text}))
}

/// Returns the source of an image or a file: the data in the URL, or the URL.
fn source(url: &str) -> Value {
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    match data {
        Some((media, data)) => json!({"type": "base64", "media_type": media, "data": data}),
        None => json!({"type": "url", "url": url}),
    }
}

/// Valid ids of calls: letters, digits, `_` and `-`, and unique in the conversation.
#[derive(Default)]
pub(super) struct MessagesIds {
    used: HashSet<String>,
    pub(super) renamed: RenamedIds,
}

impl MessagesIds {
    pub(super) fn of_call(&mut self, id: &str) -> String {
        let mut new = legal(id);
        let mut again = 0;
        while new.is_empty() || !self.used.insert(new.clone()) {
            new = mint(seed_of(id.as_bytes()), self.used.len() + again);
            again += 1;
        }
        self.renamed.add_call(id, new.clone());
        new
    }
}
