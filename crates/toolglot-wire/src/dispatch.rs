//! Selects the implementation of a protocol. No other file knows all four.

use toolglot_json::Map;

use crate::chat;
use crate::chat::history::HistoryRepairer;
use crate::chat::write::ChatWriter;
use crate::fault::Fault;
use crate::messages;
use crate::ollama;
use crate::policy::{Policy, WireLimits};
use crate::port::{Client, ProtocolReader, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::ResponseEvent;
use crate::responses;

/// Returns a reader for a server's answer.
pub(crate) fn reader(upstream: Protocol, limits: &WireLimits) -> Box<dyn ProtocolReader> {
    match upstream {
        Protocol::Chat => Box::new(chat::read::ChatReader::default()),
        Protocol::Responses => Box::new(responses::ResponsesReader::default()),
        Protocol::Messages => Box::new(messages::MessagesReader::new(*limits)),
        Protocol::Ollama => Box::new(ollama::OllamaReader::default()),
    }
}

/// A client's writer. That of Chat Completions can also pass chunks of a server on unchanged.
///
/// An enum, because a downcast for each chunk costs more than a match, and with a method of the trait, `port` would
/// have to know the chat protocol.
pub(crate) enum ClientWriter {
    Chat(Box<ChatWriter>),
    Other(Box<dyn ProtocolWriter>),
}

impl ClientWriter {
    pub(crate) fn new(ingress: Protocol, client: Client) -> Self {
        match ingress {
            Protocol::Chat => Self::Chat(Box::new(ChatWriter::new(client))),
            Protocol::Responses => Self::Other(Box::new(responses::ResponsesWriter::new(client))),
            Protocol::Messages => Self::Other(Box::new(messages::MessagesWriter::new(client))),
            Protocol::Ollama => Self::Other(Box::new(ollama::OllamaAnswer::new(&client))),
        }
    }

    pub(crate) fn as_dyn(&self) -> &dyn ProtocolWriter {
        match self {
            Self::Chat(writer) => &**writer,
            Self::Other(writer) => &**writer,
        }
    }

    pub(crate) fn as_dyn_mut(&mut self) -> &mut dyn ProtocolWriter {
        match self {
            Self::Chat(writer) => &mut **writer,
            Self::Other(writer) => &mut **writer,
        }
    }
}

/// Returns the body of a response that is not streamed, from normalized events.
pub(crate) fn whole(ingress: Protocol, events: &[ResponseEvent], client: &Client) -> Vec<u8> {
    match ingress {
        Protocol::Chat => chat::whole::whole(events, client).to_string().into_bytes(),
        Protocol::Responses => responses::whole(events, client).to_string().into_bytes(),
        Protocol::Messages => messages::whole(events, client),
        Protocol::Ollama => ollama::whole(events, client).to_string().into_bytes(),
    }
}

/// Converts a request, of which `body` is the text, to Chat Completions. Free-text tools get that protocol's form,
/// `{"type": "custom", "custom": {...}}`, also in the history. Omissions are described in `notes`.
///
/// # Errors
/// If an essential part of the request cannot be converted.
pub(crate) fn to_chat(
    ingress: Protocol,
    request: &Map,
    body: &[u8],
    policy: &Policy,
    notes: &mut Vec<String>,
) -> Result<Map, Fault> {
    let reasoning = chat::write::reasoning_names(policy.reasoning_field);
    match ingress {
        Protocol::Chat => Ok(request.clone()),
        Protocol::Responses => responses::to_chat(request, notes),
        Protocol::Messages => messages::to_chat(request, body, reasoning, notes),
        Protocol::Ollama => ollama::to_chat(request, reasoning, notes),
    }
}

/// Converts a chat request with a valid history to the server's protocol. Omissions are described in `notes`.
pub(crate) fn from_chat(upstream: Protocol, chat: Map, notes: &mut Vec<String>) -> Map {
    match upstream {
        Protocol::Chat => chat,
        Protocol::Responses => responses::from_chat(chat, notes),
        Protocol::Messages => messages::from_chat(chat, notes),
        Protocol::Ollama => ollama::from_chat(chat, notes),
    }
}

/// Converts a request to a server of the same protocol, which may support more than Chat Completions, for reading it.
pub(crate) fn as_chat(ingress: Protocol, request: &Map, body: &[u8], policy: &Policy) -> Map {
    match ingress {
        Protocol::Responses => responses::as_chat(request),
        Protocol::Chat | Protocol::Messages | Protocol::Ollama => {
            to_chat(ingress, request, body, policy, &mut Vec::new()).unwrap_or_default()
        }
    }
}

/// Makes the earlier turns of a request to a server of the same protocol valid.
pub(crate) fn make_safe(ingress: Protocol, request: &mut Map, repairer: &mut HistoryRepairer<'_>) {
    match ingress {
        Protocol::Chat => {}
        Protocol::Responses => responses::make_safe(request, repairer),
        Protocol::Messages => messages::make_safe(request, repairer),
        Protocol::Ollama => ollama::make_safe(request, repairer),
    }
}
