//! The log line and the span of a finished request.

use std::sync::atomic::Ordering;
use std::time::Duration;

use toolglot_json::Value;
use toolglot_wire::{Fault, Usage};

use super::Record;

impl Record {
    pub(super) fn log(&mut self, status: u16) {
        // The status of a truncated answer was sent before the error.
        let is_error = status >= 500 || self.error().is_some_and(|fault| fault.status >= 500);
        let level = if is_error { "error" } else { "info" };
        let details = self.details(status);
        self.shared.event(level, &self.line, &details);
        self.end_span(is_error, details);
    }

    /// Returns the error of the request, or that of its answer.
    pub(super) fn error(&self) -> Option<&Fault> {
        self.fault.as_ref().or_else(|| self.report.as_ref()?.fault.as_ref())
    }

    fn details(&self, status: u16) -> [(&'static str, Value); 20] {
        let millis = |time: Duration| Value::from((time.as_secs_f64() * 1e5).round() / 100.0);
        let some = |text: &str| if text.is_empty() { Value::Null } else { Value::from(text) };
        let number = |count: usize| if count == 0 { Value::Null } else { Value::from(count) };
        let report = self.report.clone().unwrap_or_default();
        let codes = &report.diagnostics;
        [
            ("status", Value::from(status)),
            ("client", self.client.as_ref().map_or(Value::Null, |client| some(&client.name))),
            ("model", some(&self.shown_model())),
            ("upstream", some(&self.upstream)),
            ("dialect", report.dialect.as_deref().map_or(Value::Null, Value::from)),
            ("prompt", self.dialect_taught.as_deref().map_or(Value::Null, Value::from)),
            ("calls", number(report.calls)),
            ("repaired", number(report.repaired)),
            ("dropped", number(report.dropped)),
            ("left", number(report.left)),
            ("diagnostics", if codes.is_empty() { Value::Null } else { toolglot_json::json!(codes.clone()) }),
            ("first_byte_ms", self.first_byte.map_or(Value::Null, millis)),
            ("total_ms", millis(self.started.elapsed())),
            ("overhead_ms", millis(self.busy)),
            ("bytes", Value::from(self.bytes)),
            ("retry", self.retry.map_or(Value::Null, Value::from)),
            ("resent", number(self.resent.load(Ordering::Relaxed))),
            ("notes", notes(&self.notes)),
            ("error", self.error().map_or(Value::Null, |fault| Value::from(fault.message.as_str()))),
            ("id", some(self.id.to_str().unwrap_or_default())),
        ]
    }

    fn end_span(&mut self, is_error: bool, details: [(&'static str, Value); 20]) {
        let Some(span) = self.span.take() else { return };
        let (method, path) = self.line.split_once(' ').unwrap_or_default();
        let usage = self.report.as_ref().and_then(|report| report.usage.as_ref());
        let tokens = |count: fn(&Usage) -> u64| usage.map_or(Value::Null, |usage| count(usage).into());
        let more = [
            ("method", Value::from(method)),
            ("path", Value::from(path)),
            ("protocol", Value::from(self.ingress)),
            ("input_tokens", tokens(|usage| usage.input)),
            ("output_tokens", tokens(|usage| usage.output)),
        ];
        span.end(is_error, details.into_iter().chain(more));
    }
}

/// The first few distinct notes on a request: a long history may repeat them many times.
fn notes(notes: &[String]) -> Value {
    let mut shown: Vec<&str> = notes.iter().map(String::as_str).collect();
    shown.dedup();
    shown.truncate(MAX_NOTES);
    if shown.is_empty() { Value::Null } else { shown.join("; ").into() }
}

/// Maximum number of notes per log line.
const MAX_NOTES: usize = 8;
