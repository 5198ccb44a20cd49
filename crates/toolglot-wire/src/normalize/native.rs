//! A native call, whose arguments are read as they arrive.

use toolglot::{ArgumentsReader, FinishReason, Outcome, Tools};

use super::AnswerState;
use super::call_emitter::CallEmitter;
use crate::policy::Duplicates;
use crate::response_event::CallKind;

/// A longer object is not the empty placeholder that some servers send first.
const MAX_PLACEHOLDER: usize = 64;

/// One native call.
#[derive(Default)]
pub(super) struct NativeCall {
    /// The server's number for it.
    pub(super) number: usize,
    id: Option<String>,
    name: String,
    kind: CallKind,
    /// Whether the server ended it, or began another in its place.
    pub(super) ended: bool,
    /// Whether a limit of the server ended the answer inside it.
    is_truncated: bool,
    pub(super) started: bool,
    /// The beginning of the arguments, while it may be the empty object that some servers send before the real one.
    placeholder: Option<String>,
    /// Reads the arguments; none for free text.
    reader: Option<Box<ArgumentsReader>>,
    /// The unchanged input of a free-text tool that the server knows as a function: models write text or an object.
    free_text: Option<String>,
    /// The arguments that have been read and not emitted.
    ready: String,
    last_byte: Option<u8>,
    /// The arguments as sent, since some servers repeat them; repetitions are emitted once.
    sent: String,
    merges_repeats: bool,
    /// Whether the server repeated its arguments.
    is_repeated: bool,
    /// Whether it is known that the model's text does not contain this call.
    is_distinct: bool,
    /// Whether the arguments arrived inside the name.
    in_name: bool,
}

impl NativeCall {
    pub(super) fn new(number: usize, id: Option<String>, name: &str, kind: CallKind, state: &AnswerState) -> Self {
        let settings = &state.settings;
        let (name, markup) = split_name(name, &settings.asked.tools);
        let reader = || ArgumentsReader::new(&settings.dialects, &settings.asked.tools, name, &settings.options);
        let reader = (kind == CallKind::Function).then(|| Box::new(reader()));
        let placeholder = reader.is_some().then(String::new);
        let free_text = (reader.is_some() && settings.asked.custom.contains(name)).then(String::new);
        let mut call = Self {
            number,
            id,
            name: name.to_owned(),
            kind,
            placeholder,
            reader,
            free_text,
            merges_repeats: settings.duplicates == Duplicates::Once,
            in_name: !markup.is_empty(),
            ..Self::default()
        };
        call.read(markup);
        call
    }

    /// Reads a piece of the arguments.
    pub(super) fn push(&mut self, text: &str) {
        let text = &text[self.repeated_len(text)..];
        self.sent.push_str(text);
        self.last_byte = text.trim_end().bytes().next_back().or(self.last_byte);
        let Some(mut start) = self.placeholder.take() else { return self.read(text) };
        start.push_str(text);
        match after_empty(&start) {
            _ if self.in_name => self.placeholder = Some(start),
            None if start.len() < MAX_PLACEHOLDER => self.placeholder = Some(start),
            None => self.read(&start),
            Some(at) => self.read(&start[at..]),
        }
    }

    /// Returns the length of the start of a piece that was sent before. Some servers send the whole arguments after
    /// their pieces, or each piece with everything before it. Valid JSON has no two braces in a row and no two objects
    /// in a row, so this cannot be new input.
    fn repeated_len(&mut self, text: &str) -> usize {
        let is_object = self.merges_repeats && self.reader.is_some() && self.sent.starts_with('{');
        if !is_object || !text.starts_with(self.sent.as_str()) {
            return 0;
        }
        self.is_repeated = true;
        self.sent.len()
    }

    /// Reads a piece of the arguments; returns whether it can be passed on unchanged.
    pub(super) fn pass_arguments(&mut self, text: &str) -> bool {
        self.push(text);
        let is_unchanged = self.ready == text;
        if is_unchanged {
            self.ready.clear();
        }
        is_unchanged
    }

    fn read(&mut self, text: &str) {
        if let Some(free_text) = &mut self.free_text {
            free_text.push_str(text);
        }
        match &mut self.reader {
            Some(reader) => reader.push(text, &mut self.ready),
            None => self.ready.push_str(text),
        }
    }

    /// Emits what has been read.
    pub(super) fn emit(&mut self, emitter: &mut CallEmitter, state: &mut AnswerState) {
        if self.may_repeat_text_call(emitter) {
            return;
        }
        if !std::mem::replace(&mut self.started, true) {
            emitter.start(self.id.as_deref(), &self.name, self.kind, state);
        }
        emitter.push_arguments(&self.ready, state);
        self.ready.clear();
    }

    /// Returns whether the model's text may contain the same call, so that it must not be emitted yet.
    fn may_repeat_text_call(&self, emitter: &CallEmitter) -> bool {
        let may_repeat = self.merges_repeats && !self.started && !self.is_distinct;
        may_repeat && self.reader.is_some() && emitter.has_text_call(&self.name)
    }

    /// Returns whether the call is complete and the model's text contains it, too.
    fn repeats_text_call(&self, emitter: &mut CallEmitter) -> bool {
        let reader = self.reader.as_ref().filter(|_| !self.is_truncated && self.may_repeat_text_call(emitter));
        let Some(reader) = reader else { return false };
        let mut arguments = self.ready.clone();
        let outcome = reader.clone().finish(&mut arguments).outcome;
        outcome.is_call() && emitter.take_text_call(&self.name, &arguments)
    }

    /// Returns the number of bytes that have been read and not emitted.
    pub(super) fn held(&self) -> usize {
        self.ready.len()
    }

    /// Returns whether the call is over, whatever follows. A call that ends before or inside its arguments may have
    /// been truncated: at a limit, servers end everything that is open.
    pub(super) fn is_over(&self) -> bool {
        self.ended && self.reader.as_ref().is_none_or(|reader| reader.is_over())
    }

    /// Records that a limit of the server ended the answer here.
    pub(super) fn mark_truncated(&mut self) {
        self.is_truncated = !self.is_over();
    }

    /// Returns whether the arguments are complete, so that the call is over when something else follows.
    pub(super) fn is_complete(&self) -> bool {
        // Checked first, because the reader is copied below.
        if self.last_byte != Some(b'}') {
            return false;
        }
        match (&self.reader, &self.placeholder) {
            (_, Some(start)) => start.trim_start().starts_with('{'),
            (Some(reader), None) => reader.clone().finish(&mut String::new()).outcome.is_call(),
            (None, None) => false,
        }
    }

    /// Ends the open call; returns the next one if its arguments followed in the same call.
    pub(super) fn finish(mut self, emitter: &mut CallEmitter, state: &mut AnswerState) -> Option<Self> {
        let is_input = |start: &String| !self.in_name || !matches!(start.trim(), "" | "{}");
        if let Some(start) = self.placeholder.take().filter(|start| !self.is_truncated && is_input(start)) {
            self.read(&start);
        }
        if self.repeats_text_call(emitter) {
            state.count_diagnostic(DUPLICATE);
            return None;
        }
        self.is_distinct = true;
        self.emit(emitter, state);
        let Some(mut reader) = self.reader.take() else {
            emitter.end(if self.is_truncated { Outcome::Truncated } else { Outcome::Complete }, None, state);
            return None;
        };
        if self.is_truncated {
            // Then the reader does not close what is open.
            reader.set_finish_reason(Some(FinishReason::Length));
        }
        let mut tail = String::new();
        let end = reader.finish(&mut tail);
        for found in &end.diagnostics {
            emitter.record(found.code);
            state.count_diagnostic(found.code.name());
        }
        emitter.push_arguments(&tail, state);
        let free_text = self.free_text.take().filter(|text| !self.is_truncated && is_free_text(text, end.outcome));
        if let Some(text) = free_text {
            emitter.replace_arguments(&text);
            emitter.end(Outcome::Complete, None, state);
            return None;
        }
        let rest = end.rest.trim();
        let rest_is_repeated = self.merges_repeats && ends_with_repetition(&self.sent, rest);
        if self.is_repeated || rest_is_repeated {
            state.count_diagnostic(DUPLICATE);
        }
        emitter.end(end.outcome, None, state);
        if rest_is_repeated || !rest.starts_with('{') || emitter.is_full(state) {
            return None;
        }
        let mut next = Self::new(self.number, None, &self.name, self.kind, state);
        // All of its arguments are in the rest.
        (next.ended, next.is_truncated) = (true, self.is_truncated);
        next.placeholder = None;
        next.push(&end.rest);
        Some(next)
    }
}

/// Returns the tool of a name, and the arguments that some servers leave in it: `read<arg_key>path</arg_key>…`.
fn split_name<'n>(name: &'n str, tools: &'n Tools) -> (&'n str, &'n str) {
    if let Some(tool) = tools.resolve(name) {
        return (tool, "");
    }
    let (head, markup) = name.split_at(name.find('<').unwrap_or(name.len()));
    tools.resolve(head.trim()).map_or((name, ""), |tool| (tool, markup))
}

/// Counts calls that the server repeated.
const DUPLICATE: &str = "duplicate_call";

/// Returns whether `rest`, the end of a text, repeats everything before it.
fn ends_with_repetition(text: &str, rest: &str) -> bool {
    let text = text.trim();
    !rest.is_empty() && text.len() >= 2 * rest.len() && text[..text.len() - rest.len()].trim() == rest
}

/// Returns whether the input is the free text itself instead of an object.
fn is_free_text(text: &str, outcome: Outcome) -> bool {
    !text.trim().is_empty() && (!text.trim_start().starts_with('{') || outcome == Outcome::Broken)
}

/// Returns where the arguments begin: after an empty object if another follows it; none if that is not known yet.
fn after_empty(text: &str) -> Option<usize> {
    let start = text.trim_start();
    let Some(inside) = start.strip_prefix('{') else {
        return (!start.is_empty()).then_some(0);
    };
    let inside = inside.trim_start();
    let Some(behind) = inside.strip_prefix('}') else {
        return (!inside.is_empty()).then_some(0);
    };
    let rest = behind.trim_start();
    let at = if rest.starts_with('{') { text.len() - rest.len() } else { 0 };
    (!rest.is_empty()).then_some(at)
}
