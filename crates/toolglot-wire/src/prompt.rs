//! Prompt mode: a request for a server without tools. The prompt describes the tools, calls and results are text, and
//! nothing that belongs to tools is left for the server to refuse.

use std::sync::Arc;

use toolglot::{Dialect, TeachPlace, Tools};
use toolglot_json::{Map, Value, json};

use crate::chat::history::later_instructions;
use crate::chat::pairs::one_a_turn;

mod restore;
mod section;
mod talk;

pub use restore::restore;

/// Fields of a chat request that a server without tools refuses or misunderstands.
const FIELDS: [&str; 5] = ["tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"];

/// The most sequences that servers stop at.
const MAX_STOPS: usize = 4;

/// Writes a chat request whose history is in order as one without tools; `tools` are those that it declares.
///
/// | of the request | becomes |
/// |---|---|
/// | system messages at the beginning | one, with the section about the tools where the dialect has it |
/// | a call | what a model of the dialect writes |
/// | the results of a turn, and the user's text after them | one user message |
/// | `tool_choice`, `parallel_tool_calls` | a sentence |
/// | reasoning of earlier turns | nothing |
///
/// The same request becomes the same bytes. What the dialect cannot express so that it reads back the same is written as
/// nearly as can be, with a sentence in `notes`.
pub(crate) fn into_text(request: &mut Map, tools: &Tools, dialect: &Arc<Dialect>, notes: &mut Vec<String>) {
    let messages = request.get_mut("messages").map(Value::take).unwrap_or_default();
    let Value::Array(messages) = messages else { return };
    let section = section::of(request, dialect);
    FIELDS.iter().for_each(|key| _ = request.remove(key));
    let (system, rest) = instructions(messages);
    let mut talk = talk::written(rest, tools, dialect, notes);
    let is_taught = section.is_some();
    match (dialect.teach().place(), section) {
        (_, None) => talk.splice(0..0, system.map(as_system)),
        (TeachPlace::SystemEnd, Some(section)) => talk.splice(0..0, Some(as_system(joined(system, &section, "")))),
        (TeachPlace::SystemStart, Some(section)) => {
            talk.splice(0..0, Some(as_system(joined(Some(section), &system.unwrap_or_default(), ""))))
        }
        (TeachPlace::LastUser, Some(section)) => {
            put_before_last_user(&mut talk, &section);
            talk.splice(0..0, system.map(as_system))
        }
    };
    request["messages"] = one_a_turn(talk).into();
    if is_taught {
        stop_before_results(request, dialect);
    }
}

/// Writes the calls and results of a conversation that is in order as text of a dialect; all else stays as it is.
pub(crate) fn in_words(messages: Vec<Value>, dialect: &Arc<Dialect>) -> Vec<Value> {
    one_a_turn(talk::written(messages, &Tools::default(), dialect, &mut Vec::new()))
}

/// Takes the instructions that a conversation begins with, as one text; later ones are a user's.
fn instructions(messages: Vec<Value>) -> (Option<String>, Vec<Value>) {
    let (mut system, mut rest) = (None, Vec::with_capacity(messages.len()));
    for mut message in messages {
        let is_system = matches!(message["role"].as_str(), Some("system" | "developer"));
        match (is_system, rest.is_empty()) {
            (true, true) => system = Some(joined(system, &talk::text_of(&message["content"]), "")),
            (true, false) => rest.push(later_instructions(message["content"].take())),
            (false, _) => rest.push(message),
        }
    }
    (system, rest)
}

fn as_system(text: String) -> Value {
    json!({"role": "system", "content": text})
}

/// Joins two texts with a blank line between them, if both say something.
fn joined(first: Option<String>, second: &str, end: &str) -> String {
    let first = first.unwrap_or_default();
    let between = if first.is_empty() || second.is_empty() { "" } else { "\n\n" };
    format!("{first}{between}{second}{end}")
}

fn put_before_last_user(messages: &mut Vec<Value>, section: &str) {
    let last = messages.iter_mut().rfind(|message| message["role"] == "user");
    match last.map(|message| &mut message["content"]) {
        Some(Value::String(text)) => *text = joined(Some(section.to_owned()), text, ""),
        Some(Value::Array(parts)) => parts.insert(0, json!({"type": "text", "text": section})),
        _ => messages.push(json!({"role": "user", "content": section})),
    }
}

/// Keeps a model from inventing results: it stops where one would begin.
fn stop_before_results(request: &mut Map, dialect: &Dialect) {
    let opener = dialect.teach().result().split(['{', '\n']).next().unwrap_or_default().trim().to_owned();
    if opener.len() < 4 {
        return;
    }
    let mut stops = match request.remove("stop") {
        Some(Value::Array(stops)) => stops,
        Some(stop @ Value::String(_)) => vec![stop],
        _ => Vec::new(),
    };
    if stops.len() < MAX_STOPS && !stops.iter().any(|stop| *stop == *opener) {
        stops.push(opener.into());
    }
    request["stop"] = stops.into();
}
