//! The traits that each protocol implements: a reader for servers, and a writer for clients.

use std::sync::Arc;

use toolglot_json::Map;

use crate::fault::Fault;
use crate::policy::{ReasoningField, ReasoningItem};
use crate::protocol::Protocol;
use crate::response_event::ResponseEvent;
use crate::sse::Frame;

/// A comment, which all readers of server-sent events skip.
pub(crate) const KEEP_ALIVE: &[u8] = b": keepalive\n\n";

/// The client and its request, for writers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    /// The client's unchanged request, in any protocol.
    pub(crate) request: Arc<Map>,
    /// The protocol in which the model server answers.
    pub(crate) upstream: Protocol,
    /// The model as the client named it.
    pub(crate) model: String,
    /// The seed for generated ids.
    pub(crate) seed: u64,
    /// Seconds since 1970.
    pub(crate) now: u64,
    /// The field for reasoning in Chat Completions.
    pub(crate) reasoning_field: ReasoningField,
    /// The field of a reasoning item in Responses.
    pub(crate) reasoning_item: ReasoningItem,
    /// Whether later requests may refer to the answer.
    pub(crate) remembers: bool,
}

/// Reads answers of a model server in one protocol, including invalid ones.
pub(crate) trait ProtocolReader: Send {
    /// Reads one event of a stream. After [`ResponseEvent::End`] or [`ResponseEvent::Fault`] nothing is emitted.
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>);

    /// Reads a whole response; ends with [`ResponseEvent::End`] or [`ResponseEvent::Fault`].
    fn whole(&mut self, body: &[u8], out: &mut Vec<ResponseEvent>);

    /// Reads the end of the bytes: emits [`ResponseEvent::End`] if the answer is complete without the protocol's own
    /// end, otherwise the fault; nothing if the answer has ended.
    fn cut(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>);

    /// Reads a further piece of the arguments of the call with this index, from an event with nothing else; returns the
    /// call's number, or none if the piece may not continue a call.
    fn continues_call(&mut self, _choice: usize, _index: u64, _text: &str) -> Option<usize> {
        None
    }
}

/// Writes a stream for a client of one protocol; its input is valid.
pub(crate) trait ProtocolWriter: Send {
    /// Writes one normalized event.
    fn write(&mut self, event: &ResponseEvent, out: &mut Vec<u8>);

    /// Returns the keep-alive to send while there is no output.
    fn keep_alive(&self) -> &'static [u8] {
        KEEP_ALIVE
    }

    /// Returns the whole answer once it is over and nothing failed, where later requests may refer to it.
    fn settled(&self) -> Option<String> {
        None
    }
}
