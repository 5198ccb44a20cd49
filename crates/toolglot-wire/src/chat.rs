//! OpenAI Chat Completions.

pub(crate) mod fields;
pub(crate) mod glance;
pub(crate) mod history;
pub(crate) mod pairs;
pub(crate) mod read;
pub(crate) mod request;
pub(crate) mod shape;
mod template;
pub(crate) mod whole;
pub(crate) mod write;
