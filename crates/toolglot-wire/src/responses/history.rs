//! Converts the items of a Responses request to chat messages.

use toolglot_json::{Map, Value, json};

use super::tools::{SEARCH, Toolbox, json_text, kind, listed, text};
use crate::chat::history::{assistant, later_instructions, result_text};
use crate::fault::{Fault, FaultKind};
use crate::members::list;

/// Returns the messages of a request's `instructions` and `input`, and the first error.
pub(super) fn messages(request: &Map, toolbox: &Toolbox, notes: &mut Vec<String>) -> (Vec<Value>, Option<Fault>) {
    let (messages, turn, attachments) = (Vec::new(), AssistantTurn::default(), Vec::new());
    let mut history = ItemHistory { toolbox, notes, fault: None, messages, turn, attachments };
    if let Some(instructions) = request.get("instructions").filter(|value| !value.is_null()) {
        history.system(instructions);
    }
    match request.get("input") {
        Some(Value::String(text)) => history.messages.push(json!({"role": "user", "content": text})),
        Some(Value::Array(items)) => items.iter().for_each(|item| history.item(item)),
        _ => {
            let message = "missing `input`; send a string or a list of items";
            history.refuse("missing_required_parameter", message.to_owned());
        }
    }
    history.end_turn();
    history.add_attachments();
    (history.messages, history.fault)
}

/// The conversation, as far as it has been converted.
struct ItemHistory<'a> {
    toolbox: &'a Toolbox,
    notes: &'a mut Vec<String>,
    /// The first part of the conversation that cannot be converted or omitted.
    fault: Option<Fault>,
    messages: Vec<Value>,
    turn: AssistantTurn,
    /// Parts of results other than text; only a user message can contain them, after all results.
    attachments: Vec<Value>,
}

/// The model's output between two inputs. It becomes one message, since templates refuse two in a row.
#[derive(Default)]
struct AssistantTurn {
    reasoning: String,
    text: String,
    refusal: String,
    calls: Vec<Value>,
}

impl ItemHistory<'_> {
    fn item(&mut self, item: &Value) {
        let is_output = ["function_call_output", "custom_tool_call_output", "tool_search_output"].contains(&kind(item));
        let is_users = item["role"] == "user";
        // A user message takes the attachments into its own content.
        if !is_output && !is_users {
            self.add_attachments();
        }
        match kind(item) {
            "message" => self.message(item),
            "" if item.get("role").is_some() => self.message(item),
            "reasoning" => self.reasoning(item),
            "function_call" | "tool_search_call" => self.call(item, "function", "arguments"),
            "tool_search_output" => self.found(item),
            "custom_tool_call" => self.call(item, "custom", "input"),
            "function_call_output" | "custom_tool_call_output" => self.output(item),
            kind if kind == "item_reference" || (kind.is_empty() && item.get("id").is_some()) => {
                let id = text(item, "id").unwrap_or_default();
                let message = format!(
                    "item `{id}` refers to an item that this proxy does not store; send the whole item and set `store` to false"
                );
                self.refuse("unsupported_parameter", message);
            }
            other => self.notes.push(format!("item of type `{other}` omitted: chat completions have no equivalent")),
        }
    }

    fn refuse(&mut self, code: &str, message: String) {
        let fault = Fault::new(FaultKind::Request, message).with_code(code).with_param("input");
        self.fault.get_or_insert(fault);
    }

    fn message(&mut self, item: &Value) {
        let content = &item["content"];
        match text(item, "role") {
            Some("assistant") => self.assistant(content),
            Some("system" | "developer") => self.system(content),
            role => {
                self.end_turn();
                let mut content = self.content(content);
                if !self.attachments.is_empty() {
                    let own = match content {
                        Value::Array(parts) => parts,
                        text => vec![json!({"type": "text", "text": text})],
                    };
                    content = std::mem::take(&mut self.attachments).into_iter().chain(own).collect();
                }
                self.messages.push(json!({"role": role.unwrap_or("user"), "content": content}));
            }
        }
    }

    fn assistant(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            join(&mut self.turn.text, text);
        }
        for part in list(content) {
            match (text(part, "text"), text(part, "refusal")) {
                (Some(text), _) => join(&mut self.turn.text, text),
                (None, Some(refusal)) => join(&mut self.turn.refusal, refusal),
                _ => self.notes.push(format!("part of type `{}` omitted from an answer", kind(part))),
            }
        }
    }

    /// Adds instructions: those before the conversation to one system message. Many templates accept no later ones, so
    /// they become user messages.
    fn system(&mut self, content: &Value) {
        self.end_turn();
        let mut content = self.content(content);
        let texts: Option<Vec<&str>> = list(&content).iter().map(|part| text(part, "text")).collect();
        if let Some(texts) = texts.filter(|texts| !texts.is_empty()) {
            content = texts.join("\n\n").into();
        }
        match self.messages.last_mut().map(|last| (last["role"] == "system", &mut last["content"])) {
            Some((true, Value::String(before))) if content.is_string() => {
                before.push_str("\n\n");
                before.push_str(content.as_str().unwrap_or_default());
            }
            Some((false, _)) => self.messages.push(later_instructions(content)),
            _ => self.messages.push(json!({"role": "system", "content": content})),
        }
    }

    fn reasoning(&mut self, item: &Value) {
        let raw: Vec<&str> = list(&item["content"]).iter().filter_map(|part| text(part, "text")).collect();
        let summary = || list(&item["summary"]).iter().filter_map(|part| text(part, "text")).collect();
        let parts = if raw.is_empty() { summary() } else { raw };
        join(&mut self.turn.reasoning, &parts.join("\n\n"));
    }

    fn call(&mut self, item: &Value, kind: &str, input: &str) {
        let name = match self::kind(item) {
            "tool_search_call" => SEARCH.to_owned(),
            _ => self.toolbox.chat_name(text(item, "name").unwrap_or_default(), text(item, "namespace")),
        };
        let written = item.get(input).map(json_text).unwrap_or_default();
        self.turn.calls.push(json!({"id": call_id(item), "type": kind, kind: {"name": name, input: written}}));
    }

    /// Adds the names of tools that a search found; the request declares them.
    fn found(&mut self, item: &Value) {
        self.end_turn();
        let name = |(tool, namespace)| Some(self.toolbox.chat_name(text(tool, "name")?, namespace));
        let names: Vec<String> = listed(&item["tools"]).filter_map(name).collect();
        let content =
            if names.is_empty() { "No tools found.".to_owned() } else { format!("Tools found: {}", names.join(", ")) };
        self.messages.push(json!({"role": "tool", "tool_call_id": call_id(item), "content": content}));
    }

    fn output(&mut self, item: &Value) {
        self.end_turn();
        let content = match item.get("output") {
            Some(output @ (Value::String(_) | Value::Array(_))) => {
                let content = self.content(output);
                result_text(content, &mut self.attachments)
            }
            Some(output) => json_text(output),
            None => String::new(),
        };
        self.messages.push(json!({"role": "tool", "tool_call_id": call_id(item), "content": content}));
    }

    fn add_attachments(&mut self) {
        if !self.attachments.is_empty() {
            let parts = std::mem::take(&mut self.attachments);
            self.messages.push(json!({"role": "user", "content": parts}));
        }
    }

    /// Converts a content: to a string if it is one text, otherwise to parts.
    fn content(&mut self, content: &Value) -> Value {
        let Value::Array(parts) = content else { return Value::from(content.as_str().unwrap_or_default()) };
        let mut parts: Vec<Value> = parts.iter().filter_map(|part| self.part(part)).collect();
        match parts.as_mut_slice() {
            [] => Value::from(""),
            [only] if only["type"] == "text" => only["text"].take(),
            _ => Value::Array(parts),
        }
    }

    fn part(&mut self, part: &Value) -> Option<Value> {
        let take = |keys: &[&str]| {
            let found = keys.iter().filter_map(|key| Some(((*key).to_owned(), part.get(*key)?.clone())));
            found.filter(|(_, value)| !value.is_null()).collect::<Map>()
        };
        match kind(part) {
            "input_text" | "output_text" | "text" => Some(json!({"type": "text", "text": text(part, "text")?})),
            "refusal" => Some(json!({"type": "text", "text": text(part, "refusal")?})),
            // Chat Completions has images only by URL, and files by anything but URL.
            "input_image" => match part.get("image_url").filter(|url| !url.is_null()) {
                Some(url) => {
                    let mut image = take(&["detail"]);
                    image["url"] = url.clone();
                    Some(json!({"type": "image_url", "image_url": image}))
                }
                None => Some(json!({"type": "file", "file": take(&["file_id"])})),
            },
            "input_file" => match text(part, "file_url").filter(|_| take(&["file_data", "file_id"]).is_empty()) {
                Some(url) => {
                    let lines: Vec<&str> = text(part, "filename").into_iter().chain([url]).collect();
                    Some(json!({"type": "text", "text": lines.join("\n")}))
                }
                None => Some(json!({"type": "file", "file": take(&["file_data", "file_id", "filename"])})),
            },
            "input_audio" | "image_url" | "file" | "video_url" | "audio_url" => Some(part.clone()),
            other => {
                self.notes.push(format!("part of type `{other}` omitted: chat completions have no equivalent"));
                None
            }
        }
    }

    fn end_turn(&mut self) {
        let AssistantTurn { reasoning, text, refusal, calls } = std::mem::take(&mut self.turn);
        if reasoning.is_empty() && text.is_empty() && refusal.is_empty() && calls.is_empty() {
            return;
        }
        self.messages.push(assistant(text, &refusal, (&["reasoning_content"], &reasoning), calls));
    }
}

/// Joins texts of several items, with a line feed if there is no white space between them.
fn join(before: &mut String, next: &str) {
    let touches = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
    if touches(before.chars().next_back()) && touches(next.chars().next()) {
        before.push('\n');
    }
    before.push_str(next);
}

fn call_id(item: &Value) -> &str {
    text(item, "call_id").or_else(|| text(item, "id")).unwrap_or_default()
}
