//! Messages, events and diagnostics as JSON.

use toolglot::{Call, Diagnostic, Event, EventKind, Message};
use toolglot_json::json;

use crate::json::{self, Object};
use crate::saved::Native;

/// Writes the answer to a line.
pub(crate) fn write_answer(out: &mut Vec<u8>, id: Option<&str>, message: &Message) {
    json::object(out, |object| {
        object.raw("id", id.unwrap_or("null"));
        object.object("message", |object| add_message(object, message));
        add_end(object, message);
        object.list("diagnostics", &message.diagnostics, write_diagnostic);
    });
}

/// Writes a message in the form of a chat API, with its finish reason and incomplete calls.
pub(crate) fn write_message(out: &mut Vec<u8>, file: Option<&str>, message: &Message) {
    json::object(out, |object| {
        if let Some(file) = file {
            object.add("file", file);
        }
        add_message(object, message);
        add_end(object, message);
    });
}

fn add_end(object: &mut Object<'_>, message: &Message) {
    object.add("finish_reason", message.finish_reason);
    object.add("dialect", message.dialect.as_deref());
    if !message.incomplete.is_empty() {
        object.add("incomplete_calls", &message.incomplete);
    }
}

fn add_message(object: &mut Object<'_>, message: &Message) {
    object.add("role", "assistant");
    object.add("content", Some(message.content.as_str()).filter(|text| !text.is_empty()));
    if !message.reasoning.is_empty() {
        object.add("reasoning_content", &message.reasoning);
    }
    if !message.calls.is_empty() {
        object.list("tool_calls", &message.calls, write_call);
    }
}

fn write_call(out: &mut Vec<u8>, call: &Call) {
    json::object(out, |object| {
        object.add("id", &call.id);
        object.add("type", "function");
        object.object("function", |function| {
            function.add("name", &call.name);
            function.add("arguments", &call.arguments);
        });
    });
}

/// Writes a diagnostic; positions are byte offsets in the text. Unlike the library, the command line omits the dialect
/// if there is none.
pub(crate) fn write_diagnostic(out: &mut Vec<u8>, diagnostic: &Diagnostic) {
    json::object(out, |object| {
        object.add("code", diagnostic.code);
        object.add("start", diagnostic.span.start);
        object.add("end", diagnostic.span.end);
        add_words(object, diagnostic);
    });
}

fn add_words(object: &mut Object<'_>, diagnostic: &Diagnostic) {
    object.add("message", &diagnostic.message);
    if let Some(dialect) = diagnostic.dialect.as_deref() {
        object.add("dialect", dialect);
    }
}

/// Writes an event as a line.
pub(crate) fn write_event(out: &mut Vec<u8>, event: &Event<'_>) {
    match &event.kind {
        EventKind::Diagnostic(diagnostic) => json::object(out, |object| {
            object.add("type", event.kind.name());
            object.add("start", event.span.start);
            object.add("end", event.span.end);
            object.add("code", diagnostic.code);
            add_words(object, diagnostic);
        }),
        _ => json::write(out, event),
    }
    out.push(b'\n');
}

/// Writes a line for a native call of a saved response.
pub(crate) fn write_native(out: &mut Vec<u8>, call: &Native) {
    let Native { id, name, arguments, outcome, .. } = call;
    let outcome = outcome.name();
    let line = json!({"type": "native_call", "id": id, "name": name, "arguments": arguments, "outcome": outcome});
    json::write(out, &line);
    out.push(b'\n');
}

/// Writes the line after the last event: how the message ended.
pub(crate) fn write_end(out: &mut Vec<u8>, message: &Message) {
    let (reason, dialect) = (message.finish_reason.name(), message.dialect.as_deref());
    json::write(out, &json!({"type": "end", "finish_reason": reason, "dialect": dialect}));
    out.push(b'\n');
}
