//! The four protocols, and what is different about each that is one word long.

use std::fmt;
use std::str::FromStr;

/// A protocol that clients and model servers speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a new protocol concerns every caller")]
pub enum Protocol {
    /// OpenAI Chat Completions.
    Chat,
    /// OpenAI Responses.
    Responses,
    /// Anthropic Messages.
    Messages,
    /// Ollama's own API: `/api/chat` and `/api/generate`.
    Ollama,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Self; 4] = [Self::Chat, Self::Responses, Self::Messages, Self::Ollama];

    /// Returns the protocol's name in settings, logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
            Self::Ollama => "ollama",
        }
    }

    /// Returns the path of the protocol's requests, below the base URL's `/v1`; below its root for
    /// Ollama's.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
            Self::Ollama => "/api/chat",
        }
    }

    /// Says whether a stream is what a request asks for: in Ollama's protocol, unless it says otherwise.
    pub(crate) fn is_stream(self, stream: Option<&toolglot_json::Value>) -> bool {
        match stream {
            Some(toolglot_json::Value::Bool(stream)) => *stream,
            _ => self == Self::Ollama,
        }
    }
}

impl FromStr for Protocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|protocol| protocol.name() == text);
        found.ok_or_else(|| format!("`{text}` is no protocol; use chat, responses, messages or ollama"))
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
