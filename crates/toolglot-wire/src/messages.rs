//! Anthropic Messages: requests, a reader for servers, a writer for clients.

mod answer;
mod block;
mod blocks;
mod count;
mod exact;
mod from_chat;
mod history;
mod pairs;
mod quick;
mod read;
mod request;
mod safe;
mod turns;
mod usage;
mod whole;
mod write;

pub use count::count_tokens;
pub(crate) use from_chat::from_chat;
pub(crate) use read::MessagesReader;
pub(crate) use request::to_chat;
pub(crate) use safe::make_safe;
pub(crate) use whole::whole;
pub(crate) use write::MessagesWriter;

#[cfg(test)]
mod tests;
