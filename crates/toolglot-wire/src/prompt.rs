//! Prompt mode: a request for a server without tools. The prompt describes the tools, calls and results are text, and
//! nothing that belongs to tools is left for the server to refuse.

use std::sync::Arc;

use toolglot::{Dialect, TeachPlace, Tools};
use toolglot_json::{Map, Value, json};

use crate::chat::history::later_instructions;
use crate::chat::pairs::one_a_turn;
use crate::members::joined;

mod restore;
mod section;
mod talk;

pub use restore::restore;

/// Fields of a chat request that a server without tools refuses or misunderstands.
const FIELDS: [&str; 5] = ["tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"];

/// The most sequences that servers stop at.
const MAX_STOPS: usize = 4;

/// Converts a chat request with a valid history to one without tools; `tools` are those that it declares.
///
/// | of the request | becomes |
/// |---|---|
/// | system messages at the beginning | one, with the section about the tools where the dialect has it |
/// | a call | what a model of the dialect writes |
/// | the results of a turn, and the user's text after them | one user message |
/// | `tool_choice`, `parallel_tool_calls` | a sentence |
/// | reasoning of earlier turns | nothing |
///
/// The same request always becomes the same bytes. Calls that the dialect cannot express are approximated, with a note.
pub(crate) fn into_text(request: &mut Map, tools: &Tools, dialect: &Arc<Dialect>, notes: &mut Vec<String>) {
    let messages = request.get_mut("messages").map(Value::take).unwrap_or_default();
    let Value::Array(messages) = messages else { return };
    let section = section::of(request, dialect);
    FIELDS.iter().for_each(|key| _ = request.remove(key));
    let (system, rest) = instructions(messages);
    let mut talk = talk::written(rest, tools, dialect, notes);
    let is_taught = section.is_some();
    let system = match (dialect.teach().place(), section) {
        (_, None) => system,
        (TeachPlace::SystemEnd, Some(section)) => Some(joined(&system.unwrap_or_default(), &section)),
        (TeachPlace::SystemStart, Some(section)) => Some(joined(&section, &system.unwrap_or_default())),
        (TeachPlace::LastUser, Some(section)) => {
            put_before_last_user(&mut talk, &section);
            system
        }
    };
    talk.splice(0..0, system.map(|text| json!({"role": "system", "content": text})));
    request["messages"] = one_a_turn(talk).into();
    if is_taught {
        stop_before_results(request, dialect);
    }
}

/// Writes the calls and results of a valid conversation as text of a dialect; everything else is unchanged.
pub(crate) fn in_words(messages: Vec<Value>, dialect: &Arc<Dialect>) -> Vec<Value> {
    one_a_turn(talk::written(messages, &Tools::default(), dialect, &mut Vec::new()))
}

/// Removes the instructions at the beginning of a conversation, as one text; later ones become user messages.
fn instructions(messages: Vec<Value>) -> (Option<String>, Vec<Value>) {
    let (mut system, mut rest) = (None::<String>, Vec::with_capacity(messages.len()));
    for mut message in messages {
        let is_system = matches!(message["role"].as_str(), Some("system" | "developer"));
        match (is_system, rest.is_empty()) {
            (true, true) => system = Some(joined(&system.unwrap_or_default(), &talk::text_of(&message["content"]))),
            (true, false) => rest.push(later_instructions(message["content"].take())),
            (false, _) => rest.push(message),
        }
    }
    (system, rest)
}

fn put_before_last_user(messages: &mut Vec<Value>, section: &str) {
    let last = messages.iter_mut().rfind(|message| message["role"] == "user");
    match last.map(|message| &mut message["content"]) {
        Some(Value::String(text)) => *text = joined(section, text),
        Some(Value::Array(parts)) => parts.insert(0, json!({"type": "text", "text": section})),
        _ => messages.push(json!({"role": "user", "content": section})),
    }
}

/// Stops a model where it would invent a result.
fn stop_before_results(request: &mut Map, dialect: &Dialect) {
    let opener = dialect.teach().result().split(['{', '\n']).next().unwrap_or_default().trim().to_owned();
    // Ordinary text may contain a short opener, and would end there.
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
