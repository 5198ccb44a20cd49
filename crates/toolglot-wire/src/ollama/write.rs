//! Writes an answer for clients of Ollama's API: one object per line, or one object.

use toolglot_json::Value;

use super::answer::OllamaAnswer;
use crate::ndjson::write_line;
use crate::port::{Client, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::ResponseEvent;

/// Writes a stream: a line for each piece and each complete call, and a last one.
impl ProtocolWriter for OllamaAnswer {
    fn write(&mut self, event: &ResponseEvent, out: &mut Vec<u8>) {
        match event {
            ResponseEvent::Fault(fault) => write_line(&fault.body(Protocol::Ollama), out),
            ResponseEvent::End => write_line(&self.last_line(), out),
            event => {
                self.add(event);
                if self.has_content() {
                    write_line(&self.line(), out);
                }
            }
        }
    }

    /// Returns a line without content: clients fail on a blank one.
    fn keep_alive(&self) -> &'static [u8] {
        if self.generates {
            b"{\"model\":\"\",\"created_at\":\"1970-01-01T00:00:00Z\",\"response\":\"\",\"done\":false}\n"
        } else {
            b"{\"model\":\"\",\"created_at\":\"1970-01-01T00:00:00Z\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":false}\n"
        }
    }
}

/// Returns the body of a response that is not streamed.
pub(crate) fn whole(events: &[ResponseEvent], client: &Client) -> Value {
    let mut answer = OllamaAnswer::new(client);
    events.iter().for_each(|event| answer.add(event));
    answer.last_line()
}
