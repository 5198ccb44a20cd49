//! OpenAI Responses.

mod from_chat;
mod history;
mod kinds;
mod pairs;
mod read;
mod request;
mod tools;
mod write;

pub(crate) use from_chat::from_chat;
pub(crate) use read::ResponsesReader;
pub(crate) use request::{as_chat, make_safe, to_chat};
pub(crate) use write::{ResponsesWriter, whole};
#[cfg(test)]
mod tests;
