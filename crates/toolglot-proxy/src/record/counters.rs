//! Updates the metrics for a finished request.

use std::sync::atomic::Ordering;

use toolglot_wire::{Fault, Report};

use super::{LEFT, Record};
use crate::metrics::Metrics;

impl Record {
    pub(super) fn count(&self, status: u16) {
        let metrics = &self.shared.metrics;
        self.count_request(metrics, status);
        self.count_server(metrics);
        self.report.iter().for_each(|report| count_answer(metrics, report));
    }

    fn count_request(&self, metrics: &Metrics, status: u16) {
        let labels = [self.ingress, self.upstream.as_str()];
        metrics.requests.add(&[labels[0], labels[1], &self.model_label, &status.to_string()], 1);
        metrics.durations.note(&labels, self.started.elapsed());
        metrics.overheads.note(&labels, self.busy);
        if let Some(time) = self.first_byte {
            metrics.first_bytes.note(&labels, time);
        }
        if status == LEFT {
            metrics.disconnects.add(&[self.ingress], 1);
        }
    }

    fn count_server(&self, metrics: &Metrics) {
        if let Some(fault) = self.error().filter(|fault| fault.status >= 500) {
            metrics.upstream_errors.add(&[&self.upstream, word(fault)], 1);
        }
        if self.retry.is_some() {
            metrics.retries.add(&[&self.upstream], 1);
        }
        let resent = self.resent.load(Ordering::Relaxed);
        if resent > 0 {
            metrics.resent.add(&[&self.upstream], resent as u64);
        }
        if let Some(dialect) = &self.dialect_taught {
            metrics.prompts.add(&[&self.upstream, dialect], 1);
        }
    }
}

fn count_answer(metrics: &Metrics, report: &Report) {
    for (code, count) in &report.diagnostics {
        metrics.diagnostics.add(&[code], *count as u64);
    }
    let dialect = report.dialect.as_deref();
    let outcomes = [
        (dialect.unwrap_or("native"), "parsed", report.calls.saturating_sub(report.repaired)),
        (dialect.unwrap_or("native"), "repaired", report.repaired),
        (dialect.unwrap_or("native"), "invalid", report.dropped),
        (dialect.unwrap_or("unknown"), "text", report.left),
    ];
    for (dialect, outcome, count) in outcomes.into_iter().filter(|(.., count)| *count > 0) {
        metrics.calls.add(&[dialect, outcome], count as u64);
    }
    if let Some(dialect) = dialect {
        metrics.dialects.add(&[dialect], 1);
    }
}

/// The code of one of the proxy's errors; codes of servers are unbounded and must not become labels.
fn word(fault: &Fault) -> &str {
    let code = fault.code.as_deref().unwrap_or_default();
    if code.starts_with("upstream_") || OURS.contains(&code) { code } else { "answered_with_error" }
}

/// Codes of other errors that a server causes.
const OURS: [&str; 6] = [
    "tool_choice_unsatisfied",
    "answer_too_large",
    "line_too_long",
    "event_too_large",
    "tool_call_cut_off",
    "tool_call_broken",
];
