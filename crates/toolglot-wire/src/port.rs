//! What the three protocols share in this crate: what a request asks, and how readers and writers are used.

use std::sync::Arc;

use serde_json::{Map, Value};
use toolglot::Tools;

use crate::chat;
use crate::fault::Fault;
use crate::messages;
use crate::policy::{Policy, ReasoningField, ReasoningItem, WireLimits};
use crate::protocol::Protocol;
use crate::responses;
use crate::said::Said;
use crate::sse::Frame;

/// What a writer knows of the client and its request.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// The client's request, as it came, whatever its protocol.
    pub(crate) request: Arc<Map<String, Value>>,
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
pub(crate) trait Read: Send {
    /// Reads one event of a stream. After [`Said::End`] or [`Said::Fault`] it says nothing more.
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<Said>);

    /// Reads a whole response; ends with [`Said::End`] or [`Said::Fault`].
    fn whole(&mut self, body: &[u8], out: &mut Vec<Said>);

    /// Reads the end of the bytes: says [`Said::End`] if the answer is whole without the protocol's own end, else the
    /// fault; nothing if it had ended before.
    fn cut(&mut self, fault: Fault, out: &mut Vec<Said>);

    /// Takes a further piece of the arguments of the call with this index, from an event that said nothing else; returns
    /// the call's number. Nothing if it is not clear that it goes on with a call.
    fn goes_on(&mut self, _choice: usize, _index: u64, _text: &str) -> Option<usize> {
        None
    }
}

/// Writes a stream for a client of one protocol; what it is told is clean.
pub(crate) trait Write: Send {
    /// Writes one thing that was said.
    fn write(&mut self, said: &Said, out: &mut Vec<u8>);

    /// Returns what to send while nothing is said.
    fn keep_alive(&self) -> &'static [u8];

    /// Returns the whole answer once it is over and nothing failed, where later requests may refer to it.
    fn settled(&self) -> Option<String> {
        None
    }
}

/// Returns a reader for a server's answer.
pub(crate) fn reader(upstream: Protocol, limits: &WireLimits) -> Box<dyn Read> {
    match upstream {
        Protocol::Chat => Box::new(chat::read::Reader::default()),
        Protocol::Responses => Box::new(responses::Reader::default()),
        Protocol::Messages => Box::new(messages::Reader::new(*limits)),
    }
}

/// Returns the body of a response that is not streamed, from clean parts.
pub(crate) fn whole(ingress: Protocol, said: &[Said], client: &Client) -> Vec<u8> {
    match ingress {
        Protocol::Chat => chat::whole::whole(said, client).to_string().into_bytes(),
        Protocol::Responses => responses::whole(said, client).to_string().into_bytes(),
        Protocol::Messages => messages::whole(said, client),
    }
}

/// Returns a request, which came as `body`, as one of Chat Completions. Tools with free text keep that protocol's form,
/// `{"type": "custom", "custom": {...}}`, also in the history.
///
/// # Errors
/// If chat cannot say what the request is about; what else it cannot say is left out with a note.
pub(crate) fn to_chat(
    ingress: Protocol,
    request: &Map<String, Value>,
    body: &[u8],
    policy: &Policy,
    notes: &mut Vec<String>,
) -> Result<Map<String, Value>, Fault> {
    match ingress {
        Protocol::Chat => Ok(request.clone()),
        Protocol::Responses => responses::to_chat(request, notes),
        Protocol::Messages => {
            let reasoning = chat::write::reasoning_names(policy.reasoning_field);
            messages::to_chat(request, body, reasoning, notes)
        }
    }
}

/// Returns what a chat request would say of a request that goes to a server of its own protocol, which may know more
/// than chat does.
pub(crate) fn as_chat(
    ingress: Protocol,
    request: &Map<String, Value>,
    body: &[u8],
    policy: &Policy,
) -> Map<String, Value> {
    match ingress {
        Protocol::Responses => responses::as_chat(request),
        Protocol::Chat | Protocol::Messages => {
            to_chat(ingress, request, body, policy, &mut Vec::new()).unwrap_or_default()
        }
    }
}

/// Makes the earlier turns of a request safe that goes to a server of its own protocol.
pub(crate) fn make_safe(ingress: Protocol, request: &mut Map<String, Value>, tools: &Tools, policy: &Policy) {
    match ingress {
        Protocol::Chat => {}
        Protocol::Responses => responses::make_safe(request, tools, policy),
        Protocol::Messages => messages::make_safe(request, tools, policy),
    }
}
