//! OpenAI Responses.

mod history;
mod read;
mod request;
mod tools;
mod whole;
mod write;

pub(crate) use read::Reader;
pub(crate) use request::{as_chat, make_safe, to_chat};
pub(crate) use whole::whole;
pub(crate) use write::Writer;
#[cfg(test)]
mod tests;
