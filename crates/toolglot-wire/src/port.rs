//! What each protocol has to bring: a reader of what servers send, a writer for clients, which knows the client.

use std::sync::Arc;

use toolglot_json::Map;

use crate::chat::write::ChatWriter;
use crate::fault::Fault;
use crate::policy::{ReasoningField, ReasoningItem};
use crate::protocol::Protocol;
use crate::response_event::ResponseEvent;
use crate::sse::Frame;

/// What a writer knows of the client and its request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// The client's unchanged request, in any protocol.
    pub(crate) request: Arc<Map>,
    /// The protocol in which the model server answers.
    pub(crate) upstream: Protocol,
    /// The model as the client named it.
    pub(crate) model: String,
    /// From what ids are made.
    pub(crate) seed: u64,
    /// Seconds since 1970.
    pub(crate) now: u64,
    /// In which field a chat client finds reasoning.
    pub(crate) reasoning_field: ReasoningField,
    /// In which field of an item a Responses client finds it.
    pub(crate) reasoning_item: ReasoningItem,
    /// Later requests may refer to the answer.
    pub(crate) remembers: bool,
}

/// Reads what a model server sends in one protocol; tolerates what servers get wrong.
pub(crate) trait ProtocolReader: Send {
    /// Reads one event of a stream. After [`ResponseEvent::End`] or [`ResponseEvent::Fault`] it says nothing more.
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>);

    /// Reads a whole response; ends with [`ResponseEvent::End`] or [`ResponseEvent::Fault`].
    fn whole(&mut self, body: &[u8], out: &mut Vec<ResponseEvent>);

    /// Reads the end of the bytes: says [`ResponseEvent::End`] if the answer is whole without the protocol's own end, else the
    /// fault; nothing if it had ended before.
    fn cut(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>);

    /// Takes a further piece of the arguments of the call with this index, from an event that said nothing else; returns
    /// the call's number. None if it is not clear that it continues a call.
    fn continues_call(&mut self, _choice: usize, _index: u64, _text: &str) -> Option<usize> {
        None
    }
}

/// Writes a stream for a client of one protocol; its input is valid.
pub(crate) trait ProtocolWriter: Send {
    /// Writes one thing that was said.
    fn write(&mut self, said: &ResponseEvent, out: &mut Vec<u8>);

    /// Returns the keep-alive to send while there is no output.
    fn keep_alive(&self) -> &'static [u8];

    /// Returns the whole answer once it is over and nothing failed, where later requests may refer to it.
    fn settled(&self) -> Option<String> {
        None
    }

    /// Returns the writer of Chat Completions, which can pass chunks of a server on unchanged.
    fn as_chat(&mut self) -> Option<&mut ChatWriter> {
        None
    }
}
