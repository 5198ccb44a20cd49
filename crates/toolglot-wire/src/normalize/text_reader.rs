//! Parses the text of one alternative for calls and reasoning.

use toolglot::{Code, Diagnostic, Event, EventKind, FinishReason, Parser};

use super::AnswerState;
use super::call_emitter::CallEmitter;
use crate::response_event::{CallKind, Part};
use crate::suspect;

/// Parses the text of one alternative.
#[derive(Default)]
pub(super) struct TextReader {
    parser: Option<Box<Parser>>,
    /// Bytes pushed to the parser.
    pushed: usize,
    handler: EventHandler,
    /// Whether the reasoning that the prompt opened has ended, or does not appear in the text.
    left_reasoning: bool,
}

/// Handles the parser's events.
#[derive(Default)]
struct EventHandler {
    /// Bytes covered by the events so far.
    handled: usize,
    /// The text of a whole answer, in which a call that fails becomes text.
    source: String,
    /// Where the open call begins in it.
    call_start: usize,
}

impl TextReader {
    /// Parses text; returns whether it can be passed on unchanged, and otherwise emits the result.
    pub(super) fn push(&mut self, text: &str, emitter: &mut CallEmitter, state: &mut AnswerState) -> bool {
        if !state.settings.parse {
            return true;
        }
        let parser = self.parser.get_or_insert_with(|| {
            let settings = &state.settings;
            let open = settings.reasoning_open && !self.left_reasoning;
            let options = settings.options.clone().with_reasoning_open(open);
            Box::new(Parser::new(&settings.dialects, &settings.asked.tools, &options))
        });
        suspect::keep(&mut state.recent_text, text);
        if !state.settings.streamed {
            self.handler.source.push_str(text);
        }
        let mut events = parser.push(text);
        let mut first = events.next();
        if self.pushed == self.handler.handled && matches!(&first, Some(event) if event.kind == EventKind::Text(text)) {
            let second = events.next();
            if second.is_none() {
                // Not `|=`, which would trim every piece of a long answer.
                state.has_text = state.has_text || !text.trim().is_empty();
                self.pushed += text.len();
                self.handler.handled = self.pushed;
                return true;
            }
            // Not joined with the rest: moving all events through an array costs 150 instructions for each chunk.
            let both = first.take().into_iter().chain(second);
            both.for_each(|event| self.handler.handle(&event, emitter, state));
        }
        self.pushed += text.len();
        first.into_iter().chain(events).for_each(|event| self.handler.handle(&event, emitter, state));
        self.record_dialect(state);
        false
    }

    /// Ends the text read so far; later text is parsed separately.
    pub(super) fn finish(&mut self, reason: Option<FinishReason>, emitter: &mut CallEmitter, state: &mut AnswerState) {
        let Some(parser) = &mut self.parser else { return };
        parser.set_finish_reason(reason);
        parser.finish().for_each(|event| self.handler.handle(&event, emitter, state));
        self.record_dialect(state);
        *self = Self { left_reasoning: true, ..Self::default() };
    }

    /// Emits text that is held back, because the answer failed; no further calls are emitted.
    pub(super) fn flush(&mut self, emitter: &mut CallEmitter, state: &mut AnswerState) {
        let Some(parser) = &mut self.parser else { return };
        for event in parser.finish() {
            if emitter.is_open() || matches!(event.kind, EventKind::CallStart { .. }) {
                break;
            }
            self.handler.handle(&event, emitter, state);
        }
    }

    /// Records that the server separates reasoning from text, so that the text begins outside of reasoning.
    pub(super) fn leave_reasoning(&mut self) {
        self.left_reasoning = true;
    }

    pub(super) fn held(&self) -> usize {
        self.pushed - self.handler.handled
    }

    fn record_dialect(&self, state: &mut AnswerState) {
        if state.report.dialect.is_none() {
            state.report.dialect = self.parser.as_ref().and_then(|parser| parser.dialect().map(ToString::to_string));
        }
    }
}

impl EventHandler {
    fn handle(&mut self, event: &Event<'_>, emitter: &mut CallEmitter, state: &mut AnswerState) {
        match &event.kind {
            EventKind::Text(text) => {
                state.has_text |= !text.trim().is_empty();
                emitter.push_part(Part::Text((*text).to_owned()), state);
            }
            EventKind::Reasoning(text) => {
                state.has_reasoning = true;
                emitter.push_part(Part::Reasoning((*text).to_owned()), state);
            }
            EventKind::CallStart { id, name, .. } => {
                state.has_text = true;
                self.call_start = event.span.start;
                emitter.start(*id, name, CallKind::Function, state);
                emitter.mark_as_text_call();
            }
            EventKind::Arguments { json, .. } => emitter.push_arguments(json, state),
            EventKind::CallEnd { outcome, .. } => {
                let before = state.report.calls;
                let source = self.source.get(self.call_start..event.span.end);
                emitter.end(*outcome, source, state);
                state.report.text_calls += state.report.calls - before;
            }
            EventKind::Diagnostic(found) => {
                emitter.record(found.code);
                state.orphan_closer |= found.code == Code::OrphanCloser && !emitter.has_completed();
                state.report.left += usize::from(is_rejection(found));
                state.count_diagnostic(found.code.name());
                // The spans of diagnostics overlap those of other events.
                return;
            }
            _ => {}
        }
        self.handled = event.span.end;
    }
}

/// Returns whether a diagnostic is about a call that remains text; those about recognised calls name the dialect.
fn is_rejection(found: &Diagnostic) -> bool {
    matches!(found.code, Code::Rejected | Code::UnknownTool) && found.dialect.is_none()
}
