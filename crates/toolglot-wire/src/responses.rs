//! OpenAI Responses.
#![allow(dead_code, unused_imports)]

mod history;
mod read;
mod request;
mod tools;
mod whole;
mod write;

pub(crate) use read::Reader;
pub(crate) use request::{chat_tools, make_safe, to_chat, to_chat_noting};
pub(crate) use whole::whole;
pub(crate) use write::{ReasoningForm, Writer};
#[cfg(test)]
mod tests;
