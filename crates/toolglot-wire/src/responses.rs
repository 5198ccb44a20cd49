//! OpenAI Responses.
#![allow(dead_code)]

mod history;
mod request;
mod tools;

pub(crate) use request::{chat_tools, make_safe, to_chat, to_chat_noting};
