//! Messages, verdicts and traces as JSON.

use toolglot::detect::Verdict;
use toolglot::{Certificate, Diagnostic, Dialect, Event, EventKind, Message, NearMiss, Repaired, Step};
use toolglot_json::{Value, json};

/// A whole message.
pub(crate) fn message(message: &Message) -> Value {
    let call = |call: &toolglot::Call| json!({"id": call.id, "name": call.name, "arguments": call.arguments});
    let incomplete = |call: &toolglot::IncompleteCall| json!({"name": call.name, "arguments": call.arguments, "text": call.text, "outcome": call.outcome.name()});
    json!({
        "content": message.content,
        "reasoning": message.reasoning,
        "calls": message.calls.iter().map(call).collect::<Value>(),
        "incomplete": message.incomplete.iter().map(incomplete).collect::<Value>(),
        "finish_reason": message.finish_reason.name(),
        "dialect": message.dialect.as_deref(),
        "diagnostics": message.diagnostics.iter().map(diagnostic).collect::<Value>(),
    })
}

fn diagnostic(diagnostic: &Diagnostic) -> Value {
    json!({
        "code": diagnostic.code.name(),
        "start": diagnostic.span.start,
        "end": diagnostic.span.end,
        "message": diagnostic.message,
        "dialect": diagnostic.dialect.as_deref(),
    })
}

/// Why text that looks like a call was not read as one.
pub(crate) fn near_miss(miss: &NearMiss) -> Value {
    json!({"reason": miss.reason.name(), "tool": miss.tool, "diagnostic": diagnostic(&miss.diagnostic)})
}

/// What became of an `arguments` string.
pub(crate) fn repaired(repaired: &Repaired) -> Value {
    json!({
        "arguments": repaired.arguments,
        "diagnostics": repaired.diagnostics.iter().map(diagnostic).collect::<Value>(),
    })
}

/// A dialect that something speaks for.
pub(crate) fn verdict(verdict: &Verdict) -> Value {
    let evidence = |evidence: &toolglot::detect::Reason| {
        let span = evidence.span.as_ref().map(|span| [span.start, span.end]);
        json!({"what": evidence.what, "weight": evidence.weight, "span": span})
    };
    json!({
        "dialect": &*verdict.dialect,
        "alike": verdict.alike.iter().map(|name| &**name).collect::<Value>(),
        "score": verdict.score,
        "evidence": verdict.evidence.iter().map(evidence).collect::<Value>(),
    })
}

/// What a dialect is called and whose it is.
pub(crate) fn dialect(dialect: &Dialect) -> Value {
    json!({
        "name": dialect.name(),
        "about": dialect.about(),
        "aliases": dialect.aliases(),
        "models": dialect.models(),
        "special": dialect.special(),
    })
}

/// What a dialect can carry.
pub(crate) fn certificate(found: &Certificate) -> Value {
    let (example, why) = (found.example.as_ref().ok(), found.example.as_ref().err());
    json!({"example": example, "why": why, "lost": found.lost, "warnings": found.warnings})
}

/// A step of the parser.
pub(crate) fn step(step: &Step) -> Value {
    json!({
        "action": step.action.name(),
        "start": step.span.start,
        "end": step.span.end,
        "dialect": step.dialect.as_deref(),
        "detail": step.detail,
    })
}

/// An event.
pub(crate) fn event(event: &Event<'_>) -> Value {
    let (start, end) = (event.span.start, event.span.end);
    match &event.kind {
        EventKind::Text(text) => json!({"type": "text", "start": start, "end": end, "text": text}),
        EventKind::Reasoning(text) => json!({"type": "reasoning", "start": start, "end": end, "text": text}),
        EventKind::CallStart { index, id, name } => {
            json!({"type": "call_start", "start": start, "end": end, "index": index, "id": id, "name": name})
        }
        EventKind::Arguments { index, json } => {
            json!({"type": "arguments", "start": start, "end": end, "index": index, "json": json})
        }
        EventKind::CallEnd { index, id, outcome } => {
            json!({"type": "call_end", "start": start, "end": end, "index": index, "id": id, "outcome": outcome.name()})
        }
        EventKind::Diagnostic(found) => {
            let mut record = json!({"type": "diagnostic"});
            if let (Some(record), Value::Object(found)) = (record.as_object_mut(), diagnostic(found)) {
                record.extend(found);
            }
            record
        }
        _ => json!({"type": "markup", "start": start, "end": end}),
    }
}
