//! `response_template`, the declaration that a tokenizer's configuration carries beside its chat template: how servers and
//! libraries read the model's answers. Dialects become such templates, and such templates dialects.
//!
//! The format is regular expressions around fields, and says less than a dialect file. What it cannot say is refused by
//! name, or noted where the rest still reads.

mod export;
mod file;
mod import;
mod pieces;
mod regex;
mod spec;

pub use export::{Exported, export};
pub use import::import;
pub use spec::Inexpressible;
