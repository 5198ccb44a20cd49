//! Conversion between dialects and `response_template`, the part of a tokenizer's configuration that tells servers and
//! libraries how to read the model's answers.
//!
//! The format consists of regular expressions around fields and is less expressive than a dialect file. If a construct
//! has no equivalent, the conversion fails and names it, or leaves it out with a note if the rest can still be read.

mod export;
mod file;
mod import;
mod pieces;
mod regex;
mod spec;

pub use export::{Exported, export};
pub use import::import;
pub use spec::Inexpressible;
