//! The four protocols, with their names and paths.

use std::fmt;
use std::str::FromStr;

/// A protocol of clients and model servers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a new protocol concerns every caller")]
pub enum Protocol {
    /// OpenAI Chat Completions.
    #[default]
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

    /// Returns the path of the protocol's requests, relative to `/v1` of the base URL, or to its root for Ollama.
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
            Self::Ollama => "/api/chat",
        }
    }

    /// Returns whether a request asks for a stream, which is the default in Ollama's protocol.
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
        found.ok_or_else(|| format!("unknown protocol `{text}`; use chat, responses, messages or ollama"))
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
