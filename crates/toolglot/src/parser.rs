//! The parser: text in, events out.

use std::sync::Arc;

use crate::dialect::Dialects;
use crate::event::{Event, EventKind};
use crate::options::{FinishReason, Options};
use crate::sink::{Kind, Sink};
use crate::tool::Tools;
use crate::trace::Step;

/// Reads one message at a time, in pieces of any size.
#[derive(Debug)]
pub struct Parser {
    buffer: String,
    sink: Sink,
}

impl Parser {
    /// Returns a parser for messages that may call `tools` in any of `dialects`.
    pub fn new(_dialects: &Dialects, _tools: &Tools, options: &Options) -> Self {
        Self { buffer: String::new(), sink: Sink::new(options.repairs) }
    }

    /// Reads on; the events borrow the parser.
    pub fn push(&mut self, text: &str) -> Events<'_> {
        self.sink.clear();
        self.buffer.push_str(text);
        self.sink.text(self.buffer.len());
        Events { parser: self, next: 0 }
    }

    /// Reads on from bytes: UTF-8 may be cut anywhere, what is none becomes U+FFFD with a diagnostic.
    pub fn push_bytes(&mut self, bytes: &[u8]) -> Events<'_> {
        let text = String::from_utf8_lossy(bytes).into_owned();
        self.push(&text)
    }

    /// Ends the message; the parser is as new afterwards.
    pub fn finish(&mut self) -> Events<'_> {
        self.sink.clear();
        Events { parser: self, next: 0 }
    }

    /// Says why the server ended the message, if that is known only at its end.
    pub fn set_finish_reason(&mut self, _reason: Option<FinishReason>) {}

    /// Returns the dialect of the message's first call, until the next message begins.
    pub fn dialect(&self) -> Option<&Arc<str>> {
        None
    }

    /// Keeps a trace from now on, see [`Parser::take_trace`].
    pub fn enable_trace(&mut self) {}

    /// Returns the steps since the last time.
    pub fn take_trace(&mut self) -> Vec<Step> {
        Vec::new()
    }
}

/// The events of one push.
#[derive(Debug)]
pub struct Events<'p> {
    parser: &'p Parser,
    next: usize,
}

impl<'p> Iterator for Events<'p> {
    type Item = Event<'p>;

    fn next(&mut self) -> Option<Event<'p>> {
        let entry = self.parser.sink.entries.get(self.next)?;
        self.next += 1;
        let kind = match &entry.kind {
            Kind::Text => EventKind::Text(&self.parser.buffer[entry.span.clone()]),
            _ => EventKind::Markup,
        };
        Some(Event { span: entry.span.clone(), kind })
    }
}
