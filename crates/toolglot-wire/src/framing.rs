//! The frames of a server's stream: server-sent events, or lines of JSON.

use crate::fault::Fault;
use crate::ndjson::NdjsonReader;
use crate::policy::WireLimits;
use crate::protocol::Protocol;
use crate::sse::{Frame, SseReader, as_text};

/// Splits a stream into the frames of its protocol.
#[derive(Debug)]
pub(crate) enum Framing {
    Events(SseReader),
    Lines {
        reader: NdjsonReader,
        /// A line that was not UTF-8, as text.
        text: String,
    },
}

impl Framing {
    pub(crate) fn new(protocol: Protocol, limits: &WireLimits) -> Self {
        match protocol {
            Protocol::Ollama => Self::Lines { reader: NdjsonReader::new(limits), text: String::new() },
            Protocol::Chat | Protocol::Responses | Protocol::Messages => Self::Events(SseReader::new(limits)),
        }
    }

    /// Adds bytes; then call `next_frame` until it returns `None`.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        match self {
            Self::Events(reader) => reader.push(bytes),
            Self::Lines { reader, .. } => reader.push(bytes),
        }
    }

    /// Returns the next frame that is complete; a line is the data of one.
    pub(crate) fn next_frame(&mut self) -> Option<Result<Frame<'_>, Fault>> {
        match self {
            Self::Events(reader) => reader.next_frame(),
            Self::Lines { reader, text } => Some(reader.next_line()?.map(|line| line_frame(line, text))),
        }
    }

    /// Returns the last frame if the input ended without its end.
    pub(crate) fn finish(&mut self) -> Option<Frame<'_>> {
        match self {
            Self::Events(reader) => reader.finish(),
            Self::Lines { reader, text } => Some(line_frame(reader.finish()?, text)),
        }
    }

    /// Returns the number of buffered bytes.
    pub(crate) fn held(&self) -> usize {
        match self {
            Self::Events(reader) => reader.held(),
            Self::Lines { reader, .. } => reader.held(),
        }
    }
}

fn line_frame<'f>(line: &'f [u8], text: &'f mut String) -> Frame<'f> {
    Frame { event: None, data: as_text(line, text), raw: line }
}
