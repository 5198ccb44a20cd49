//! A call that the server sent as one, with its arguments read as they arrive.

use toolglot::{ArgumentsReader, FinishReason, Outcome, Tools};

use super::SharedByChoices;
use super::call_emitter::CallEmitter;
use crate::policy::Duplicates;
use crate::response_event::CallKind;

/// An empty object longer than this is none that a server put there.
const MAX_EARLY: usize = 64;

/// One native call.
#[derive(Default)]
pub(super) struct NativeCall {
    /// The server's number for it.
    pub(super) number: usize,
    id: Option<String>,
    name: String,
    kind: CallKind,
    /// The server said that it is over, or began another in its place.
    pub(super) ended: bool,
    /// A limit of the server ended the answer inside it.
    cut: bool,
    started: bool,
    /// The beginning, as long as it may be the empty object that some servers send before the real one.
    early: Option<String>,
    /// Reads the arguments; free text has none.
    reader: Option<Box<ArgumentsReader>>,
    /// The input of a free-text tool that the server knows as a function: models write either form.
    free: Option<String>,
    /// What was read before the call could be said.
    ready: String,
    last: Option<u8>,
    /// All text of the arguments, since some servers repeat it; repetitions are emitted once.
    sent: String,
    once: bool,
    /// The server sent again what it had sent.
    repeats: bool,
    /// The call is none that the model's text has.
    is_other: bool,
    /// Whether the arguments arrived in place of the name.
    in_name: bool,
}

impl NativeCall {
    pub(super) fn new(number: usize, id: Option<String>, name: &str, kind: CallKind, shared: &SharedByChoices) -> Self {
        let wants = &shared.wants;
        let (name, markup) = named(name, &wants.tools);
        let reader = || ArgumentsReader::new(&wants.dialects, &wants.tools, name, &wants.options);
        let reader = (kind == CallKind::Function).then(|| Box::new(reader()));
        let early = reader.is_some().then(String::new);
        let free = (reader.is_some() && wants.custom.contains(name)).then(String::new);
        let mut call = Self {
            number,
            id,
            name: name.to_owned(),
            kind,
            early,
            reader,
            free,
            once: wants.duplicates == Duplicates::Once,
            in_name: !markup.is_empty(),
            ..Self::default()
        };
        call.read(markup);
        call
    }

    /// Reads on.
    pub(super) fn push(&mut self, text: &str) {
        let text = &text[self.repeated(text)..];
        self.sent.push_str(text);
        self.last = text.trim_end().bytes().next_back().or(self.last);
        match self.early.take() {
            None => self.read(text),
            Some(mut early) => {
                early.push_str(text);
                match after_empty(&early) {
                    _ if self.in_name => self.early = Some(early),
                    None if early.len() < MAX_EARLY => self.early = Some(early),
                    None => self.read(&early),
                    Some(at) => self.read(&early[at..]),
                }
            }
        }
    }

    /// Returns how much of a piece was sent before. Some servers send the whole arguments after their pieces, or each piece
    /// with all before it. Two braces in a row, or an object directly after an identical one, are not JSON.
    fn repeated(&mut self, text: &str) -> usize {
        let is_object = self.once && self.reader.is_some() && self.sent.starts_with('{');
        if !is_object || !text.starts_with(self.sent.as_str()) {
            return 0;
        }
        self.repeats = true;
        self.sent.len()
    }

    /// Reads on; says whether what can be said is just that.
    pub(super) fn passes(&mut self, text: &str) -> bool {
        self.push(text);
        let passes = self.ready == text;
        if passes {
            self.ready.clear();
        }
        passes
    }

    fn read(&mut self, text: &str) {
        if let Some(free) = &mut self.free {
            free.push_str(text);
        }
        match &mut self.reader {
            Some(reader) => reader.push(text, &mut self.ready),
            None => self.ready.push_str(text),
        }
    }

    /// Says what can be said of the call now.
    pub(super) fn speak(&mut self, emitter: &mut CallEmitter, shared: &mut SharedByChoices) {
        if self.may_be_text(emitter) {
            return;
        }
        if !std::mem::replace(&mut self.started, true) {
            emitter.start(self.id.as_deref(), &self.name, self.kind, shared);
        }
        emitter.arguments(&self.ready, shared);
        self.ready.clear();
    }

    /// Says whether the model's text may contain the same call: it is emitted when it is known to be another one.
    fn may_be_text(&self, emitter: &CallEmitter) -> bool {
        self.once && !self.started && !self.is_other && self.reader.is_some() && emitter.has_text_call(&self.name)
    }

    /// Says whether the call is whole and one that the model's text has, too.
    fn is_text(&self, emitter: &mut CallEmitter) -> bool {
        let Some(reader) = self.reader.as_ref().filter(|_| !self.cut && self.may_be_text(emitter)) else {
            return false;
        };
        let mut whole = self.ready.clone();
        let outcome = reader.clone().finish(&mut whole).outcome;
        outcome.is_call() && emitter.takes_text_call(&self.name, &whole)
    }

    /// Returns how many bytes of arguments wait to be said.
    pub(super) fn held(&self) -> usize {
        self.ready.len()
    }

    pub(super) fn is_started(&self) -> bool {
        self.started
    }

    /// Says whether the call is over whatever the server says next. One that ends in the middle of its arguments, or before
    /// them, may have been cut off: servers end all that is open.
    pub(super) fn is_over(&self) -> bool {
        self.ended && self.reader.as_ref().is_none_or(|reader| reader.is_over())
    }

    /// Notes that a limit of the server ended the answer here.
    pub(super) fn cut_off(&mut self) {
        self.cut = !self.is_over();
    }

    /// Says whether the arguments are whole, so that the call is over when something else follows.
    pub(super) fn is_whole(&self) -> bool {
        if self.last != Some(b'}') {
            return false;
        }
        match (&self.reader, &self.early) {
            (_, Some(early)) => early.trim_start().starts_with('{'),
            (Some(reader), None) => reader.clone().finish(&mut String::new()).outcome.is_call(),
            (None, None) => false,
        }
    }

    /// Ends the open call; returns another one whose arguments followed its own.
    pub(super) fn finish(mut self, emitter: &mut CallEmitter, shared: &mut SharedByChoices) -> Option<Self> {
        let is_said = |early: &String| !self.in_name || !matches!(early.trim(), "" | "{}");
        if let Some(early) = self.early.take().filter(|early| !self.cut && is_said(early)) {
            self.read(&early);
        }
        if self.is_text(emitter) {
            shared.count(DUPLICATE);
            return None;
        }
        self.is_other = true;
        self.speak(emitter, shared);
        let Some(mut reader) = self.reader.take() else {
            emitter.end(if self.cut { Outcome::Truncated } else { Outcome::Complete }, None, shared);
            return None;
        };
        if self.cut {
            reader.set_finish_reason(Some(FinishReason::Length));
        }
        let mut tail = String::new();
        let end = reader.finish(&mut tail);
        for found in &end.diagnostics {
            emitter.note(found.code);
            shared.count(found.code.name());
        }
        emitter.arguments(&tail, shared);
        let free = self.free.take().filter(|text| !self.cut && is_free_text(text, end.outcome));
        if let Some(text) = free {
            emitter.free_text(&text);
            emitter.end(Outcome::Complete, None, shared);
            return None;
        }
        let rest = end.rest.trim();
        let is_again = self.once && is_twice(&self.sent, rest);
        if self.repeats || is_again {
            shared.count(DUPLICATE);
        }
        emitter.end(end.outcome, None, shared);
        if is_again || !rest.starts_with('{') || emitter.is_full(shared) {
            return None;
        }
        let mut next = Self::new(self.number, None, &self.name, self.kind, shared);
        (next.ended, next.cut) = (true, self.cut);
        next.early = None;
        next.push(&end.rest);
        Some(next)
    }
}

/// Returns the tool that a name means, and the arguments that some servers leave in it: `read<arg_key>path</arg_key>…`.
fn named<'n>(name: &'n str, tools: &'n Tools) -> (&'n str, &'n str) {
    if let Some(tool) = tools.resolve(name) {
        return (tool, "");
    }
    let (head, markup) = name.split_at(name.find('<').unwrap_or(name.len()));
    tools.resolve(head.trim()).map_or((name, ""), |tool| (tool, markup))
}

/// Counts calls of which the server sent the arguments again.
const DUPLICATE: &str = "duplicate_call";

/// Says whether the rest of a text repeats the text before it.
fn is_twice(sent: &str, rest: &str) -> bool {
    let sent = sent.trim();
    !rest.is_empty() && sent.len() >= 2 * rest.len() && sent[..sent.len() - rest.len()].trim() == rest
}

/// Says whether the input is the free text itself instead of an object.
fn is_free_text(text: &str, outcome: Outcome) -> bool {
    !text.trim().is_empty() && (!text.trim_start().starts_with('{') || outcome == Outcome::Broken)
}

/// Returns where the arguments begin: after an empty object if another follows it; `None` if that is not known yet.
fn after_empty(early: &str) -> Option<usize> {
    let start = early.trim_start();
    let Some(inside) = start.strip_prefix('{') else {
        return (!start.is_empty()).then_some(0);
    };
    let inside = inside.trim_start();
    let Some(behind) = inside.strip_prefix('}') else {
        return (!inside.is_empty()).then_some(0);
    };
    let rest = behind.trim_start();
    match rest.chars().next() {
        None => None,
        Some('{') => Some(early.len() - rest.len()),
        Some(_) => Some(0),
    }
}
