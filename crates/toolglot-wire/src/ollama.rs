//! Ollama's own API, `/api/chat` and `/api/generate`: requests, a reader for servers, a writer for clients.

mod answer;
mod from_chat;
mod history;
mod read;
mod request;
mod write;

pub(crate) use answer::OllamaAnswer;
pub(crate) use from_chat::from_chat;
pub(crate) use history::make_safe;
pub(crate) use read::{OllamaReader, is_piece};
pub(crate) use request::to_chat;
pub(crate) use write::whole;

use toolglot_json::Map;

/// Returns whether a request is for `/api/generate`, which has no conversation.
pub(crate) fn generates(request: &Map) -> bool {
    !request.contains_key("messages")
}

/// Options of the model that both protocols have: the name in Chat Completions, the name in `options`.
const OPTIONS: [(&str, &str); 11] = [
    ("temperature", "temperature"),
    ("top_p", "top_p"),
    ("top_k", "top_k"),
    ("min_p", "min_p"),
    ("seed", "seed"),
    ("stop", "stop"),
    ("presence_penalty", "presence_penalty"),
    ("frequency_penalty", "frequency_penalty"),
    ("repeat_penalty", "repeat_penalty"),
    ("max_tokens", "num_predict"),
    ("max_completion_tokens", "num_predict"),
];

#[cfg(test)]
mod tests;
