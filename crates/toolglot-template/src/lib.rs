//! Infers the dialect in which a chat template writes tool calls, and certifies it.
//!
//! A chat template writes a conversation, including earlier tool calls, into a model's prompt, so it defines their
//! format. [`infer`] renders the template with probe messages, looks for a [`Dialect`](toolglot::Dialect) that reads the
//! result back, derives a new one if there is none, and returns a [`Certificate`] of how well it fits.
//!
//! Templates are untrusted code: they run in a sandbox with limited instructions, recursion and output.

#![deny(missing_docs)]

mod alike;
mod certificate;
mod derive;
mod example;
mod fit;
mod infer;
mod markers;
mod ordered;
mod probe;
mod python;
mod random;
pub mod response_template;
mod said;
mod sandbox;
mod source;

pub use certificate::{Certificate, Grade, Uncertified};
pub use example::{Answer, Draft};
pub use fit::Difference;
pub use infer::{InferError, Inferred, certify, derive_only, infer, rank};
pub use said::{Said, SaidCall, Shape};
pub use source::{Template, TemplateError};
