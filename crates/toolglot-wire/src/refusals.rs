//! Chat requests that servers reject, and what to send instead.

use toolglot::{Dialects, parse, repair};
use toolglot_json::{Map, Value, json};

use crate::chat::history::{identify, later_instructions};
use crate::chat::pairs::one_a_turn;
use crate::chat::request::allow_only;
use crate::fault::Fault;
use crate::members::{list, take};
use crate::normalize::AnswerSettings;
use crate::policy::HistoryIds;
use crate::prompt;

/// A rejection that another form of the request avoids.
struct Refusal {
    /// Phrases in the error, in lower case.
    phrases: &'static [&'static str],
    /// Why the other form may succeed.
    why: &'static str,
    /// Changes the request; false if there is nothing to change.
    apply: fn(&mut Map) -> bool,
}

// In order: a row that finds nothing to change leaves the error to the next.
const TABLE: [Refusal; 7] = [
    // LM Studio does not accept an object.
    Refusal {
        phrases: &["tool_choice"],
        why: "the server does not accept a tool name as `tool_choice`",
        apply: require_one,
    },
    Refusal {
        phrases: &["parallel_tool_calls"],
        why: "the server does not support `parallel_tool_calls`",
        apply: |request| request.remove("parallel_tool_calls").is_some(),
    },
    Refusal { phrases: &["strict"], why: "the server does not support `strict`", apply: without_strict },
    // Mistral's servers: "must be a-z, A-Z, 0-9, with a length of 9".
    Refusal {
        phrases: &["id", "length of 9"],
        why: "the server requires ids of nine letters and digits",
        apply: |request| changed(request, |request| identify(request, HistoryIds::Nine)),
    },
    Refusal {
        phrases: &["system", "at the beginning"],
        why: "the server accepts instructions only at the beginning",
        apply: |request| changed(request, move_instructions),
    },
    Refusal { phrases: &["role"], why: NO_ROLE, apply: |request| changed(request, without_results) },
    // Servers whose template fails at a role report only this.
    Refusal { phrases: &["internal", "error"], why: NO_ROLE, apply: |request| changed(request, without_results) },
];

const NO_ROLE: &str = "the server does not support the role `tool`";

/// Changes a chat request that a server rejected, if another form may succeed; returns why.
pub(crate) fn amend(request: &mut Map, fault: &Fault) -> Option<&'static str> {
    let message = fault.message.to_lowercase();
    let matches = |refusal: &&Refusal| refusal.phrases.iter().all(|word| message.contains(word));
    TABLE.iter().filter(matches).find(|refusal| (refusal.apply)(request)).map(|refusal| refusal.why)
}

fn changed(request: &mut Map, change: impl FnOnce(&mut Map)) -> bool {
    let before = request.get("messages").cloned();
    change(request);
    before.as_ref() != request.get("messages")
}

/// Requires a call, and removes all other tools.
fn require_one(request: &mut Map) -> bool {
    let name = request.get("tool_choice").and_then(|choice| choice.pointer("/function/name")).cloned();
    let Some(name) = name else { return false };
    let tools = json!([{"type": "function", "function": {"name": name}}]);
    request["tool_choice"] = json!({"type": "allowed_tools", "mode": "required", "tools": tools});
    allow_only(request);
    true
}

fn without_strict(request: &mut Map) -> bool {
    let tools = request.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten();
    let functions = tools.filter_map(|tool| tool.get_mut("function")?.as_object_mut());
    functions.filter_map(|function| function.remove("strict")).count() > 0
}

/// Converts instructions in the middle of a conversation to user messages.
fn move_instructions(request: &mut Map) {
    let Some(Value::Array(messages)) = request.get_mut("messages") else { return };
    let is_instruction = |message: &Value| matches!(message["role"].as_str(), Some("system" | "developer"));
    let first = messages.iter().position(|message| !is_instruction(message)).unwrap_or(messages.len());
    for message in messages.iter_mut().skip(first).filter(|message| is_instruction(message)) {
        *message = later_instructions(take(message, "content"));
    }
    *messages = one_a_turn(std::mem::take(messages));
}

/// Writes earlier calls and results as text, for a server without the role `tool`. The declarations are kept, so that a
/// call that the model writes in the same form is found.
fn without_results(request: &mut Map) {
    let dialect = Dialects::builtin().get(PLAIN).cloned();
    let Some(dialect) = dialect.filter(|_| mentions_results(request)) else { return };
    let Some(Value::Array(messages)) = request.get_mut("messages") else { return };
    *messages = prompt::in_words(std::mem::take(messages), &dialect);
}

/// The dialect in which earlier calls are written.
const PLAIN: &str = "hermes";

fn mentions_results(request: &Map) -> bool {
    list(&request["messages"]).iter().any(|message| message["role"] == "tool")
}

/// Returns a chat answer, streamed or whole, with the model's text that a server quotes in its error; none if there is
/// no call in the text, since the error is then more useful.
pub(crate) fn answer(body: &[u8], stream: bool, settings: &AnswerSettings) -> Option<Vec<u8>> {
    let message = message(body, settings)?;
    Some(if stream {
        format!("data: {}\n\ndata: [DONE]\n\n", chunk_of(&message)).into_bytes()
    } else {
        response("chat.completion", "message", &message).to_string().into_bytes()
    })
}

/// Returns whether the data of an event may be such an error, without parsing it.
pub(crate) fn may_be_refusal(data: &str) -> bool {
    [FIELD, RAW].iter().any(|word| data.contains(word))
}

/// Returns the last chunk of a stream with the model's text, in place of the event with the error.
pub(crate) fn chunk(data: &str, settings: &AnswerSettings) -> Option<String> {
    message(data.as_bytes(), settings).map(|message| chunk_of(&message).to_string())
}

fn chunk_of(message: &Value) -> Value {
    response("chat.completion.chunk", "delta", message)
}

fn response(kind: &str, key: &str, message: &Value) -> Value {
    json!({"id": "", "object": kind, "created": 0, "model": "",
        "choices": [{"index": 0, key: message, "finish_reason": "stop"}]})
}

/// Returns the message quoted in a server's error, if it contains a call.
fn message(body: &[u8], settings: &AnswerSettings) -> Option<Value> {
    let (dialects, tools, options) = (&settings.dialects, &settings.asked.tools, &settings.options);
    let body: Value = toolglot_json::from_slice(body).ok()?;
    let text = quoted_text(&body)?;
    if !parse(text, dialects, tools, options).calls.is_empty() {
        return Some(json!({"role": "assistant", "content": text}));
    }
    // Arguments without a name are those of the only tool.
    let name = tools.names().next().filter(|_| tools.len() == 1)?;
    repair(text, dialects, tools, options).arguments?;
    Some(json!({"role": "assistant", "content": null, "tool_calls": [
        {"index": 0, "id": "", "type": "function", "function": {"name": name, "arguments": text}}]}))
}

/// The field and the phrase with which such errors quote the model's text.
const FIELD: &str = "failed_generation";
const RAW: &str = "error parsing tool call: raw='";

/// Returns the model's text that an error quotes: in a separate field, or in the message as `raw='…'`.
fn quoted_text(refusal: &Value) -> Option<&str> {
    let field = refusal.get("error").and_then(|error| error.get(FIELD)?.as_str());
    let message = refusal.pointer("/error/message").or_else(|| refusal.get("error")).and_then(Value::as_str);
    let raw = || message?.split_once(RAW)?.1.rsplit_once("', err=").map(|(raw, _)| raw);
    field.or_else(raw).filter(|text| !text.trim().is_empty())
}
