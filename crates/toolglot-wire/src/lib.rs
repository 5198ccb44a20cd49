//! The chat protocols that tool calls travel in, as state machines without I/O.
//!
//! A client's request becomes an [`Exchange`]: what to send to the model server, and all that is needed to read its
//! answer. A [`Turn`] takes the answer's bytes and gives the bytes for the client: calls that were written as text have
//! become native ones, broken native ones are right, everything else is as it came.
//!
//! Between the protocols stands one vocabulary, [`ResponseEvent`]. Each protocol has a reader, which says what a server sent, and
//! a writer, which sends what was said.

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
mod response_event;
mod responses;
mod secrets;
mod sse;
mod surrogates;
mod suspect;
mod text_completion;
mod tokens;
mod transcript;
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
pub use response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart, Usage};
pub use secrets::Secrets;
pub use sse::{Frame, SseReader, write_frame, write_json};
pub use suspect::Suspect;
pub use text_completion::TextCompletion;
pub use transcript::{Transcript, TranscriptCall, TranscriptChoice};
pub use turn::{Report, Turn, TurnEnd};
