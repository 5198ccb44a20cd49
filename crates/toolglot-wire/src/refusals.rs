//! What servers refuse in a request for chat, and what is sent in its place: one table.

use serde_json::{Map, Value, json};
use toolglot::{Dialects, Options, Tools, parse, repair};

use crate::chat::history::{identify, later_instructions};
use crate::chat::pairs::one_a_turn;
use crate::chat::request::allow_only;
use crate::fault::Fault;
use crate::policy::HistoryIds;

/// A refusal that another request gets around.
struct Refusal {
    /// Words that the refusal has, in lower case.
    says: &'static [&'static str],
    /// Why the other request may pass.
    why: &'static str,
    /// Changes the request; false if there is nothing to change.
    mend: fn(&mut Map<String, Value>) -> bool,
}

const TABLE: [Refusal; 5] = [
    // LM Studio takes no object.
    Refusal { says: &["tool_choice"], why: "the server takes no tool by name as `tool_choice`", mend: require_one },
    Refusal {
        says: &["parallel_tool_calls"],
        why: "the server does not know `parallel_tool_calls`",
        mend: |request| request.shift_remove("parallel_tool_calls").is_some(),
    },
    Refusal { says: &["strict"], why: "the server does not know `strict`", mend: without_strict },
    // Mistral's servers: "must be a-z, A-Z, 0-9, with a length of 9".
    Refusal {
        says: &["id", "length of 9"],
        why: "the server takes ids of nine letters and digits",
        mend: |request| changed(request, |request| identify(request, HistoryIds::Nine)),
    },
    Refusal {
        says: &["system", "at the beginning"],
        why: "the server takes instructions at the beginning only",
        mend: |request| changed(request, instruct_at_once),
    },
];

/// Changes a chat request that a server refused, if another form of it may pass; returns why.
pub(crate) fn amend(request: &mut Map<String, Value>, fault: &Fault) -> Option<&'static str> {
    let message = fault.message.to_lowercase();
    let told = |refusal: &&Refusal| refusal.says.iter().all(|word| message.contains(word));
    TABLE.iter().filter(told).find(|refusal| (refusal.mend)(request)).map(|refusal| refusal.why)
}

fn changed(request: &mut Map<String, Value>, change: impl FnOnce(&mut Map<String, Value>)) -> bool {
    let before = request.get("messages").cloned();
    change(request);
    before.as_ref() != request.get("messages")
}

/// Demands a call where only the one tool is left.
fn require_one(request: &mut Map<String, Value>) -> bool {
    let name = request.get("tool_choice").and_then(|choice| choice.pointer("/function/name")).cloned();
    let Some(name) = name else { return false };
    let tools = json!([{"type": "function", "function": {"name": name}}]);
    request.insert("tool_choice".to_owned(), json!({"type": "allowed_tools", "mode": "required", "tools": tools}));
    allow_only(request);
    true
}

fn without_strict(request: &mut Map<String, Value>) -> bool {
    let tools = request.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten();
    let functions = tools.filter_map(|tool| tool.get_mut("function")?.as_object_mut());
    functions.filter_map(|function| function.shift_remove("strict")).count() > 0
}

/// Turns instructions in the middle of a conversation into messages of the user's.
fn instruct_at_once(request: &mut Map<String, Value>) {
    let Some(Value::Array(messages)) = request.get_mut("messages") else { return };
    let is_instruction =
        |message: &Value| matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"));
    let first = messages.iter().position(|message| !is_instruction(message)).unwrap_or(messages.len());
    for message in messages.iter_mut().skip(first).filter(|message| is_instruction(message)) {
        *message = later_instructions(message.get_mut("content").map(Value::take).unwrap_or_default());
    }
    *messages = one_a_turn(std::mem::take(messages));
}

/// Returns a chat answer that says what the model wrote, where a server refuses that and tells it: it is streamed if `stream`.
/// Nothing where no call is in it, for then the refusal says more.
pub(crate) fn answer(
    body: &[u8],
    stream: bool,
    (dialects, tools, options): (&Dialects, &Tools, &Options),
) -> Option<Vec<u8>> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let text = written(&body)?;
    let message = match parse(text, dialects, tools, options).calls[..] {
        // Arguments alone are those of the only tool.
        [] => {
            let name = tools.names().next().filter(|_| tools.len() == 1)?;
            repair(text, dialects, tools, options).arguments?;
            json!({"role": "assistant", "content": null, "tool_calls": [
                {"index": 0, "id": "", "type": "function", "function": {"name": name, "arguments": text}}]})
        }
        _ => json!({"role": "assistant", "content": text}),
    };
    let of = |kind: &str, key: &str, finish: Value| {
        json!({"id": "", "object": kind, "created": 0, "model": "",
            "choices": [{"index": 0, key: message, "finish_reason": finish}]})
    };
    Some(if stream {
        let chunk = of("chat.completion.chunk", "delta", Value::Null);
        let end =
            json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]});
        format!("data: {chunk}\n\ndata: {end}\n\ndata: [DONE]\n\n").into_bytes()
    } else {
        of("chat.completion", "message", "stop".into()).to_string().into_bytes()
    })
}

/// Returns what the model wrote, of a refusal: in a field of its own, or in the words `raw='…'`.
fn written(refusal: &Value) -> Option<&str> {
    let field = refusal.pointer("/error/failed_generation").and_then(Value::as_str);
    let message = refusal.pointer("/error/message").or_else(|| refusal.get("error")).and_then(Value::as_str);
    let raw = || message?.split_once("error parsing tool call: raw='")?.1.rsplit_once("', err=").map(|(raw, _)| raw);
    field.or_else(raw).filter(|text| !text.trim().is_empty())
}
