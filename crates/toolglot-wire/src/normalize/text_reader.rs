//! The text of one alternative, read for calls and reasoning.

use toolglot::{Code, Diagnostic, Event, EventKind, FinishReason, Parser};

use super::SharedByChoices;
use super::call_emitter::CallEmitter;
use crate::response_event::{CallKind, Part, ResponseEvent};
use crate::suspect;

/// Reads the text of one alternative.
#[derive(Default)]
pub(super) struct TextReader {
    parser: Option<Box<Parser>>,
    /// Bytes of the message that were pushed.
    pushed: usize,
    observed: ObservedText,
    /// What the prompt opened has been left, or never was.
    left_reasoning: bool,
}

/// What was observed of the message.
#[derive(Default)]
struct ObservedText {
    /// So many bytes of it.
    read: usize,
    /// Its text, if the answer comes whole, so that a call that fails can be text again.
    text: String,
    /// Where in it the open call begins.
    call: usize,
}

impl TextReader {
    /// Reads on.
    pub(super) fn push(
        &mut self,
        text: &str,
        emitter: &mut CallEmitter,
        shared: &mut SharedByChoices,
        out: &mut Vec<ResponseEvent>,
    ) {
        if !self.passes(text, emitter, shared, out) {
            return;
        }
        emitter.push_event(Part::Text(text.to_owned()), shared, out);
    }

    /// Reads text; returns whether it may be passed on unchanged, and otherwise emits the result.
    pub(super) fn passes(
        &mut self,
        text: &str,
        emitter: &mut CallEmitter,
        shared: &mut SharedByChoices,
        out: &mut Vec<ResponseEvent>,
    ) -> bool {
        if !shared.wants.parse {
            return true;
        }
        let Self { parser, left_reasoning, .. } = self;
        let parser = parser.get_or_insert_with(|| {
            let wants = &shared.wants;
            let open = wants.reasoning_open && !*left_reasoning;
            let options = wants.options.clone().with_reasoning_open(open);
            Box::new(Parser::new(&wants.dialects, &wants.tools, &options))
        });
        suspect::keep(&mut shared.read, text);
        if !shared.wants.streamed {
            self.observed.text.push_str(text);
        }
        let mut events = parser.push(text);
        let mut first = events.next();
        if self.pushed == self.observed.read && matches!(&first, Some(event) if event.kind == EventKind::Text(text)) {
            let second = events.next();
            if second.is_none() {
                shared.tally.spoke = shared.tally.spoke || !text.trim().is_empty();
                self.pushed += text.len();
                self.observed.read = self.pushed;
                return true;
            }
            first
                .take()
                .into_iter()
                .chain(second)
                .for_each(|event| observe(&event, &mut self.observed, emitter, shared, out));
        }
        self.pushed += text.len();
        first.into_iter().chain(events).for_each(|event| observe(&event, &mut self.observed, emitter, shared, out));
        self.note_dialect(shared);
        false
    }

    /// Ends the text that was read so far; what comes later is read anew.
    pub(super) fn finish(
        &mut self,
        reason: Option<FinishReason>,
        emitter: &mut CallEmitter,
        shared: &mut SharedByChoices,
        out: &mut Vec<ResponseEvent>,
    ) {
        let Some(parser) = &mut self.parser else { return };
        parser.set_finish_reason(reason);
        parser.finish().for_each(|event| observe(&event, &mut self.observed, emitter, shared, out));
        self.note_dialect(shared);
        self.parser = None;
        (self.pushed, self.observed, self.left_reasoning) = (0, ObservedText::default(), true);
    }

    /// Ends the text where the answer broke off: nothing that is not certain becomes a call.
    pub(super) fn give_up(
        &mut self,
        emitter: &mut CallEmitter,
        shared: &mut SharedByChoices,
        out: &mut Vec<ResponseEvent>,
    ) {
        let Some(parser) = &mut self.parser else { return };
        for event in parser.finish() {
            if emitter.is_open() || matches!(event.kind, EventKind::CallStart { .. }) {
                break;
            }
            observe(&event, &mut self.observed, emitter, shared, out);
        }
    }

    /// Says that the server tells reasoning from text itself, so that the text begins outside of any.
    pub(super) fn leave_reasoning(&mut self) {
        self.left_reasoning = true;
    }

    pub(super) fn held(&self) -> usize {
        self.pushed - self.observed.read
    }

    fn note_dialect(&self, shared: &mut SharedByChoices) {
        if shared.tally.dialect.is_none() {
            shared.tally.dialect = self.parser.as_ref().and_then(|parser| parser.dialect().cloned());
        }
    }
}

/// Says what the parser found.
fn observe(
    event: &Event<'_>,
    observed: &mut ObservedText,
    emitter: &mut CallEmitter,
    shared: &mut SharedByChoices,
    out: &mut Vec<ResponseEvent>,
) {
    match &event.kind {
        EventKind::Text(text) => {
            shared.tally.spoke |= !text.trim().is_empty();
            emitter.push_event(Part::Text((*text).to_owned()), shared, out);
        }
        EventKind::Reasoning(text) => {
            shared.tally.thought = true;
            emitter.push_event(Part::Reasoning((*text).to_owned()), shared, out);
        }
        EventKind::CallStart { id, name, .. } => {
            shared.tally.spoke = true;
            observed.call = event.span.start;
            emitter.start(*id, name, CallKind::Function, shared, out);
            emitter.is_text();
        }
        EventKind::Arguments { json, .. } => emitter.arguments(json, out),
        EventKind::CallEnd { outcome, .. } => {
            let before = shared.tally.calls;
            let source = observed.text.get(observed.call..event.span.end);
            emitter.end(*outcome, source, shared, out);
            shared.tally.text_calls += shared.tally.calls - before;
        }
        EventKind::Diagnostic(found) => {
            emitter.note(found.code);
            shared.tally.orphan_closer |= found.code == Code::OrphanCloser && !emitter.has_made();
            shared.tally.left += usize::from(is_rejection(found));
            *shared.tally.diagnostics.entry(found.code.name()).or_default() += 1;
            return;
        }
        _ => {}
    }
    observed.read = event.span.end;
}

/// Says whether a diagnostic is about a call that remains text; those about recognised calls name the dialect.
fn is_rejection(found: &Diagnostic) -> bool {
    matches!(found.code, Code::Rejected | Code::UnknownTool) && found.dialect.is_none()
}
