//! The text of one alternative, read for calls and reasoning.

use toolglot::{Code, Diagnostic, Event, EventKind, FinishReason, Parser};

use super::SharedByChoices;
use super::call_emitter::CallEmitter;
use crate::response_event::{CallKind, Part};
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
    /// Reads text; returns whether it may be passed on unchanged, and otherwise emits the result.
    pub(super) fn passes(&mut self, text: &str, emitter: &mut CallEmitter, shared: &mut SharedByChoices) -> bool {
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
        let (first, second) = (events.next(), events.next());
        let is_same = self.pushed == self.observed.read
            && second.is_none()
            && first.as_ref().is_some_and(|event| event.kind == EventKind::Text(text));
        self.pushed += text.len();
        if is_same {
            shared.spoke |= !text.trim().is_empty();
            self.observed.read = self.pushed;
            return true;
        }
        let events = [first, second].into_iter().flatten().chain(events);
        events.for_each(|event| self.observed.add(&event, emitter, shared));
        self.note_dialect(shared);
        false
    }

    /// Ends the text that was read so far; what comes later is read anew.
    pub(super) fn finish(
        &mut self,
        reason: Option<FinishReason>,
        emitter: &mut CallEmitter,
        shared: &mut SharedByChoices,
    ) {
        let Some(parser) = &mut self.parser else { return };
        parser.set_finish_reason(reason);
        parser.finish().for_each(|event| self.observed.add(&event, emitter, shared));
        self.note_dialect(shared);
        self.parser = None;
        (self.pushed, self.observed, self.left_reasoning) = (0, ObservedText::default(), true);
    }

    /// Ends the text where the answer broke off: nothing that is not certain becomes a call.
    pub(super) fn give_up(&mut self, emitter: &mut CallEmitter, shared: &mut SharedByChoices) {
        let Some(parser) = &mut self.parser else { return };
        for event in parser.finish() {
            if emitter.is_open() || matches!(event.kind, EventKind::CallStart { .. }) {
                break;
            }
            self.observed.add(&event, emitter, shared);
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
        if shared.report.dialect.is_none() {
            shared.report.dialect = self.parser.as_ref().and_then(|parser| parser.dialect().map(ToString::to_string));
        }
    }
}

impl ObservedText {
    /// Says what the parser found.
    fn add(&mut self, event: &Event<'_>, emitter: &mut CallEmitter, shared: &mut SharedByChoices) {
        match &event.kind {
            EventKind::Text(text) => {
                shared.spoke |= !text.trim().is_empty();
                emitter.push_event(Part::Text((*text).to_owned()), shared);
            }
            EventKind::Reasoning(text) => {
                shared.thought = true;
                emitter.push_event(Part::Reasoning((*text).to_owned()), shared);
            }
            EventKind::CallStart { id, name, .. } => {
                shared.spoke = true;
                self.call = event.span.start;
                emitter.start(*id, name, CallKind::Function, shared);
                emitter.is_text();
            }
            EventKind::Arguments { json, .. } => emitter.arguments(json, shared),
            EventKind::CallEnd { outcome, .. } => {
                let before = shared.report.calls;
                let source = self.text.get(self.call..event.span.end);
                emitter.end(*outcome, source, shared);
                shared.report.text_calls += shared.report.calls - before;
            }
            EventKind::Diagnostic(found) => {
                emitter.note(found.code);
                shared.orphan_closer |= found.code == Code::OrphanCloser && !emitter.has_made();
                shared.report.left += usize::from(is_rejection(found));
                shared.count(found.code.name());
                return;
            }
            _ => {}
        }
        self.read = event.span.end;
    }
}

/// Says whether a diagnostic is about a call that remains text; those about recognised calls name the dialect.
fn is_rejection(found: &Diagnostic) -> bool {
    matches!(found.code, Code::Rejected | Code::UnknownTool) && found.dialect.is_none()
}
