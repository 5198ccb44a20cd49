//! Events as lines of text, merged so that two runs over the same input can be compared.

use std::fmt::Write as _;
use std::ops::Range;

use toolglot::{Class, Diagnostic, Event, EventKind};

/// What one run said: the events merged, and the diagnostics in order of their places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    /// Everything but diagnostics, in order.
    pub(crate) entries: Vec<Entry>,
    /// Diagnostics, ordered by place.
    pub(crate) notes: Vec<Note>,
}

/// One event with its own copy of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The bytes of the input.
    pub(crate) span: Range<usize>,
    /// What was found there.
    pub(crate) kind: Kind,
}

/// The kinds of events that consume bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Text(String),
    Reasoning(String),
    Markup,
    Start { index: usize, id: Option<String>, name: String },
    Arguments { index: usize, json: String },
    End { index: usize, id: Option<String>, outcome: &'static str },
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Note {
    /// Where the bytes it is about begin.
    pub(crate) start: usize,
    /// Where they end.
    pub(crate) end: usize,
    /// The code's name, and for values and policies what the message quotes.
    pub(crate) text: String,
    /// The dialect and the message, which runs over the same input share.
    pub(crate) words: (Option<String>, String),
}

impl Record {
    /// Adds an event; adjacent pieces of the same thing become one.
    pub(crate) fn add(&mut self, event: &Event<'_>) {
        let kind = match &event.kind {
            EventKind::Text(text) => Kind::Text((*text).to_owned()),
            EventKind::Reasoning(text) => Kind::Reasoning((*text).to_owned()),
            EventKind::Markup => Kind::Markup,
            EventKind::CallStart { index, id, name } => {
                Kind::Start { index: *index, id: id.map(str::to_owned), name: (*name).to_owned() }
            }
            EventKind::Arguments { index, json } => Kind::Arguments { index: *index, json: (*json).to_owned() },
            EventKind::CallEnd { index, id, outcome } => {
                Kind::End { index: *index, id: id.map(str::to_owned), outcome: outcome.name() }
            }
            EventKind::Diagnostic(diagnostic) => return self.notes.push(Note::new(diagnostic)),
            other => panic!("an event that the tests do not know: {other:?}"),
        };
        match (self.entries.last_mut(), kind) {
            (Some(Entry { span, kind: Kind::Text(last) }), Kind::Text(more))
            | (Some(Entry { span, kind: Kind::Reasoning(last) }), Kind::Reasoning(more))
                if span.end == event.span.start =>
            {
                last.push_str(&more);
                span.end = event.span.end;
            }
            (
                Some(Entry { span, kind: Kind::Arguments { index: a, json: last } }),
                Kind::Arguments { index: b, json },
            ) if *a == b && span.end == event.span.start => {
                last.push_str(&json);
                span.end = event.span.end;
            }
            (_, kind) => self.entries.push(Entry { span: event.span.clone(), kind }),
        }
    }

    /// Adds a plain piece to text or reasoning that ends at `at`; false if nothing of the kind does.
    pub(crate) fn goes_on(&mut self, at: usize, piece: &[u8]) -> bool {
        let Some(Entry { span, kind: Kind::Text(last) | Kind::Reasoning(last) }) = self.entries.last_mut() else {
            return false;
        };
        let goes_on = span.end == at;
        if goes_on {
            last.push_str(&String::from_utf8_lossy(piece));
            span.end += piece.len();
        }
        goes_on
    }

    /// Puts the diagnostics in order; the record is then complete.
    pub(crate) fn close(mut self) -> Self {
        self.notes.sort();
        self
    }

    /// Returns one line for each event, then one for each diagnostic.
    pub(crate) fn lines(&self, input: &[u8]) -> String {
        let mut out = String::new();
        for Entry { span, kind } in &self.entries {
            let source = || visible(&String::from_utf8_lossy(input.get(span.clone()).unwrap_or_default()));
            let at = format!("{}..{}", span.start, span.end);
            let id = |id: &Option<String>| id.as_ref().map(|id| format!(" id={id}")).unwrap_or_default();
            let line = match kind {
                Kind::Text(text) => format!("text {at} |{}|", visible(text)),
                Kind::Reasoning(text) => format!("reasoning {at} |{}|", visible(text)),
                Kind::Markup => format!("markup {at} |{}|", source()),
                Kind::Start { index, id: given, name } => {
                    format!("call {at} #{index} {name}{} |{}|", id(given), source())
                }
                Kind::Arguments { index, json } => format!("arguments {at} #{index} {}", visible(json)),
                Kind::End { index, id: given, outcome } => {
                    format!("end {at} #{index} {outcome}{} |{}|", id(given), source())
                }
            };
            let _ = writeln!(out, "{line}");
        }
        for Note { start, end, text, .. } in &self.notes {
            let _ = writeln!(out, "! {start}..{end} {text}");
        }
        out
    }

    /// Says what is wrong with the record whatever the input was: bytes lost, calls without an end, arguments of a finished call
    /// that are no JSON, arguments of any other that are.
    pub(crate) fn faults(&self, input: &[u8]) -> Result<(), String> {
        let mut cursor = 0;
        let mut open: Option<(usize, String)> = None;
        let mut next = 0;
        for Entry { span, kind } in &self.entries {
            if span.start != cursor || span.end < span.start {
                return Err(format!("span {}..{} does not start at {cursor}", span.start, span.end));
            }
            cursor = span.end;
            match (kind, &mut open) {
                (Kind::Text(text) | Kind::Reasoning(text), _) => {
                    let source = String::from_utf8_lossy(input.get(span.clone()).unwrap_or_default());
                    if *text != source {
                        return Err(format!("{}..{} says {text:?}, the input {source:?}", span.start, span.end));
                    }
                }
                (Kind::Markup, _) => {}
                (Kind::Start { index, name, .. }, None) if *index == next && !name.is_empty() => {
                    next += 1;
                    open = Some((*index, String::new()));
                }
                (Kind::Arguments { index, json }, Some((current, all))) if index == current => all.push_str(json),
                (Kind::End { index, outcome, .. }, Some((current, all))) if index == current => {
                    // Half a surrogate pair and a number that is too large for a float are JSON all the same.
                    let paired = all.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
                    let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(&paired);
                    let is_whole = value.is_ok();
                    let error = value.err().filter(|error| !error.to_string().contains("out of range"));
                    match (*outcome == "complete" || *outcome == "repaired", error) {
                        (true, Some(error)) => {
                            return Err(format!("arguments of call {index} are not a JSON object ({error}): {all}"));
                        }
                        // Behind a number that is too large, nothing was looked at.
                        (false, _) if is_whole => {
                            return Err(format!("arguments of call {index}, {outcome}, are JSON: {all}"));
                        }
                        _ => {}
                    }
                    open = None;
                }
                _ => return Err(format!("{}..{} comes out of order: {kind:?}", span.start, span.end)),
            }
        }
        if open.is_some() {
            return Err("the last call does not end".to_owned());
        }
        if cursor != input.len() {
            return Err(format!("the events end at {cursor}, the input at {}", input.len()));
        }
        match self.notes.iter().find(|note| note.start > note.end || note.end > input.len()) {
            Some(note) => Err(format!("a diagnostic lies outside the input: {note:?}")),
            None => Ok(()),
        }
    }
}

impl Note {
    fn new(diagnostic: &Diagnostic) -> Self {
        let mut text = diagnostic.code.name().to_owned();
        if matches!(diagnostic.code.row().class, Class::Value | Class::Policy) {
            for quoted in diagnostic.message.split('`').skip(1).step_by(2) {
                text.push_str(&format!(" `{}`", visible(quoted)));
            }
        }
        let words = (diagnostic.dialect.as_deref().map(str::to_owned), diagnostic.message.clone());
        Self { start: diagnostic.span.start, end: diagnostic.span.end, text, words }
    }
}

/// Shows line breaks and control characters as signs of their own.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push('⏎'),
            '\r' => out.push('␍'),
            '\t' => out.push('␉'),
            c if c.is_control() => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}
