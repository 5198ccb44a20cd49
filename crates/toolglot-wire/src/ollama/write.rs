//! Writes an answer as clients of Ollama's API read it: one object a line, or one object.

use toolglot_json::{Map, Value};

use super::answer::{OllamaCalls, OllamaEnvelope, OllamaMessage};
use super::generates;
use crate::ndjson::write_line;
use crate::port::{Client, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::{Part, ResponseEvent, ResponseStart};

/// Writes a stream: a line for each piece and each whole call, and a last one.
#[derive(Debug)]
pub(crate) struct OllamaWriter {
    client: Client,
    envelope: OllamaEnvelope,
    calls: OllamaCalls,
    /// What to send with the next text.
    waiting: OllamaMessage,
    over: bool,
}

impl OllamaWriter {
    /// Returns a writer for a client.
    pub(crate) fn new(client: Client) -> Self {
        let envelope = OllamaEnvelope::new(&ResponseStart::default(), &client);
        Self { client, envelope, calls: OllamaCalls::default(), waiting: OllamaMessage::default(), over: false }
    }
}

impl ProtocolWriter for OllamaWriter {
    fn write(&mut self, said: &ResponseEvent, out: &mut Vec<u8>) {
        match said {
            // Counted before it comes here.
            ResponseEvent::Lost => {}
            _ if self.over => {}
            ResponseEvent::Begin(begin) => self.envelope = OllamaEnvelope::new(begin, &self.client),
            ResponseEvent::Part { choice: 0, part: Part::Finish(finish) } => {
                self.envelope.finish = Some(finish.clone())
            }
            ResponseEvent::Part { choice: 0, part } => {
                self.calls.add(part, &mut self.waiting);
                if !self.waiting.is_empty() {
                    write_line(&self.envelope.line(std::mem::take(&mut self.waiting)), out);
                }
            }
            ResponseEvent::Usage(usage) => self.envelope.usage = Some(usage.clone()),
            // The protocol has no alternatives.
            ResponseEvent::Part { .. } | ResponseEvent::Extra(_) => {}
            ResponseEvent::Fault(fault) => {
                self.over = true;
                write_line(&fault.body(Protocol::Ollama), out);
            }
            ResponseEvent::End => {
                self.over = true;
                write_line(&self.envelope.last(std::mem::take(&mut self.waiting)), out);
            }
        }
    }

    /// A line that adds nothing: clients fail on a blank one.
    fn keep_alive(&self) -> &'static [u8] {
        if generates(&self.client.request) {
            b"{\"model\":\"\",\"created_at\":\"1970-01-01T00:00:00Z\",\"response\":\"\",\"done\":false}\n"
        } else {
            b"{\"model\":\"\",\"created_at\":\"1970-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":false}\n"
        }
    }
}

/// Returns the body of a response that is not streamed.
pub(crate) fn whole(said: &[ResponseEvent], client: &Client) -> Value {
    let mut envelope = OllamaEnvelope::new(&ResponseStart::default(), client);
    let (mut calls, mut message) = (OllamaCalls::default(), OllamaMessage::default());
    for said in said {
        match said {
            ResponseEvent::Begin(begin) => envelope = OllamaEnvelope::new(begin, client),
            ResponseEvent::Part { choice: 0, part: Part::Finish(finish) } => envelope.finish = Some(finish.clone()),
            ResponseEvent::Part { choice: 0, part } => calls.add(part, &mut message),
            ResponseEvent::Usage(usage) => envelope.usage = Some(usage.clone()),
            _ => {}
        }
    }
    let body: Map = envelope.last(message);
    body.into()
}
