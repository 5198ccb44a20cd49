//! Messages, events and diagnostics as JSON.

use toolglot::{Call, Diagnostic, Event, EventKind, IncompleteCall, Message};

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
            object.text("file", file);
        }
        add_message(object, message);
        add_end(object, message);
    });
}

fn add_end(object: &mut Object<'_>, message: &Message) {
    object.text("finish_reason", message.finish_reason.name());
    object.text_or_null("dialect", message.dialect.as_deref());
    if !message.incomplete.is_empty() {
        object.list("incomplete_calls", &message.incomplete, write_incomplete);
    }
}

fn add_message(object: &mut Object<'_>, message: &Message) {
    object.text("role", "assistant");
    object.text_or_null("content", Some(message.content.as_str()).filter(|text| !text.is_empty()));
    if !message.reasoning.is_empty() {
        object.text("reasoning_content", &message.reasoning);
    }
    if !message.calls.is_empty() {
        object.list("tool_calls", &message.calls, write_call);
    }
}

fn write_call(out: &mut Vec<u8>, call: &Call) {
    json::object(out, |object| {
        object.text("id", &call.id);
        object.text("type", "function");
        object.object("function", |function| {
            function.text("name", &call.name);
            function.text("arguments", &call.arguments);
        });
    });
}

fn write_incomplete(out: &mut Vec<u8>, call: &IncompleteCall) {
    json::object(out, |object| {
        object.text("name", &call.name);
        object.text("arguments", &call.arguments);
        object.text("text", &call.text);
        object.text("outcome", call.outcome.name());
    });
}

/// Writes a diagnostic; positions are byte offsets in the text.
pub(crate) fn write_diagnostic(out: &mut Vec<u8>, diagnostic: &Diagnostic) {
    json::object(out, |object| {
        object.text("code", diagnostic.code.name());
        object.number("start", diagnostic.span.start);
        object.number("end", diagnostic.span.end);
        add_words(object, diagnostic);
    });
}

fn add_words(object: &mut Object<'_>, diagnostic: &Diagnostic) {
    object.text("message", &diagnostic.message);
    if let Some(dialect) = &diagnostic.dialect {
        object.text("dialect", dialect);
    }
}

/// Writes an event as a line.
pub(crate) fn write_event(out: &mut Vec<u8>, event: &Event<'_>) {
    json::object(out, |object| {
        object.text("type", event.kind.name());
        object.number("start", event.span.start);
        object.number("end", event.span.end);
        add_kind(object, &event.kind);
    });
    out.push(b'\n');
}

fn add_kind(object: &mut Object<'_>, kind: &EventKind<'_>) {
    match kind {
        EventKind::Text(text) | EventKind::Reasoning(text) => object.text("text", text),
        EventKind::CallStart { index, id, name } => {
            object.number("index", *index);
            object.text_or_null("id", *id);
            object.text("name", name);
        }
        EventKind::Arguments { index, json } => {
            object.number("index", *index);
            object.text("json", json);
        }
        EventKind::CallEnd { index, id, outcome } => {
            object.number("index", *index);
            object.text_or_null("id", *id);
            object.text("outcome", outcome.name());
        }
        EventKind::Diagnostic(diagnostic) => {
            object.text("code", diagnostic.code.name());
            add_words(object, diagnostic);
        }
        _ => {}
    }
}

/// Writes a line for a native call of a saved response.
pub(crate) fn write_native(out: &mut Vec<u8>, call: &Native) {
    json::object(out, |object| {
        object.text("type", "native_call");
        object.text_or_null("id", call.id.as_deref());
        object.text("name", &call.name);
        object.text("arguments", &call.arguments);
        object.text("outcome", call.outcome.name());
    });
    out.push(b'\n');
}

/// Writes the line after the last event: how the message ended.
pub(crate) fn write_end(out: &mut Vec<u8>, message: &Message) {
    json::object(out, |object| {
        object.text("type", "end");
        object.text("finish_reason", message.finish_reason.name());
        object.text_or_null("dialect", message.dialect.as_deref());
    });
    out.push(b'\n');
}
