//! Writes a stream for clients of the Messages protocol.

use toolglot_json::{Map, Value, json};

use super::answer::AnswerEnvelope;
use super::blocks::{BlockEvent, Blocks};
use crate::port::{Client, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::{ResponseEvent, ResponseStart};
use crate::sse::write_json;

/// Writes a stream: `message_start`, then each block's start, deltas and stop, then `message_delta` and `message_stop`.
#[derive(Debug, Default)]
pub(crate) struct MessagesWriter {
    client: Client,
    begun: bool,
    over: bool,
    blocks: Blocks,
    answer: AnswerEnvelope,
}

impl MessagesWriter {
    /// Returns a writer for a client.
    pub(crate) fn new(client: Client) -> Self {
        Self { client, ..Self::default() }
    }

    fn begin(&mut self, begin: &ResponseStart, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            let message = self.answer.head(begin, &self.client);
            write_json(Some("message_start"), &json!({"type": "message_start", "message": message}), out);
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.begin(&ResponseStart::default(), out);
        self.blocks.close(&mut |event| write_event(&event, out));
        let (reason, sequence) = self.answer.stop(self.blocks.refused, &self.client);
        let mut delta = Map::from_iter([("stop_reason".to_owned(), reason), ("stop_sequence".to_owned(), sequence)]);
        let usage = self.answer.counts().map_or_else(|| json!({"output_tokens": 0}), Value::from);
        let mut extra = self.answer.extra(&self.client);
        let context = extra.remove("context_management");
        delta.extend(extra);
        let mut event = json!({"type": "message_delta", "delta": delta, "usage": usage});
        if let Some(context) = context {
            event["context_management"] = context;
        }
        write_json(Some("message_delta"), &event, out);
        write_json(Some("message_stop"), &json!({"type": "message_stop"}), out);
    }
}

impl ProtocolWriter for MessagesWriter {
    fn write(&mut self, event: &ResponseEvent, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        self.answer.add(event);
        match event {
            ResponseEvent::Begin(begin) => self.begin(begin, out),
            ResponseEvent::Part { choice: 0, part } => {
                self.begin(&ResponseStart::default(), out);
                self.blocks.add(part, &mut |event| write_event(&event, out));
            }
            // The protocol has no alternatives.
            ResponseEvent::Part { .. } | ResponseEvent::Usage(_) | ResponseEvent::Extra(_) | ResponseEvent::Lost => {}
            ResponseEvent::Fault(fault) => {
                self.over = true;
                write_json(Some("error"), &fault.body(Protocol::Messages), out);
            }
            ResponseEvent::End => {
                self.over = true;
                self.end(out);
            }
        }
    }

    fn keep_alive(&self) -> &'static [u8] {
        b"event: ping\ndata: {\"type\": \"ping\"}\n\n"
    }
}

fn write_event(event: &BlockEvent<'_>, out: &mut Vec<u8>) {
    write_json(Some(event.kind), event, out);
}
