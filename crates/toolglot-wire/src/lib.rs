//! The chat protocols with tool calls, as state machines without I/O.
//!
//! An [`Exchange`] reads a client's request: it has the request for the model server, and all that is needed to read the
//! answer. A [`Turn`] converts the bytes of the answer to bytes for the client: calls in text become native calls, broken
//! native calls are repaired, everything else is unchanged.
//!
//! [`ResponseEvent`] is common to all protocols. Each protocol has a reader, which turns a server's answer into these events,
//! and a writer, which turns events into an answer for a client.

#![deny(missing_docs)]

mod bare_arguments;
mod chat;
mod demand;
mod dispatch;
mod enforce;
mod engine;
mod exchange;
mod fault;
mod framing;
mod members;
mod messages;
mod ndjson;
mod normalize;
mod ollama;
mod partners;
mod policy;
mod port;
mod prompt;
mod protocol;
mod recall;
mod refusals;
mod relay;
mod report;
mod response_event;
mod responses;
mod secrets;
mod sse;
mod surrogates;
mod suspect;
mod text_completion;
mod tokens;
mod transcript;
mod transcript_choice;
mod turn;

pub use engine::EngineKind;
pub use exchange::Exchange;
pub use fault::{Fault, FaultKind};
pub use messages::count_tokens;
pub use ndjson::{NdjsonReader, write_line};
pub use policy::{Duplicates, Enforce, HistoryIds, Policy, ReasoningField, ReasoningItem, WireLimits};
pub use prompt::restore;
pub use protocol::Protocol;
pub use recall::{Recall, StoredAnswer};
pub use report::Report;
pub use response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart, Usage};
pub use secrets::Secrets;
pub use sse::{Frame, SseReader, write_frame, write_json};
pub use suspect::Suspect;
pub use text_completion::TextCompletion;
pub use transcript::Transcript;
pub use transcript_choice::{TranscriptCall, TranscriptChoice};
pub use turn::{Turn, TurnEnd};
