//! Infers the dialect in which a chat template writes tool calls, and certifies it.
//!
//! A chat template writes a conversation into a model's prompt, earlier tool calls included: so it knows their format.
//! [`infer`] runs the template with probe messages, looks for the [`Dialect`](toolglot::Dialect) that reads its turns back, derives a new
//! one if there is none, and proves what it found with a [`Certificate`].
//!
//! A template is code from a stranger: it runs in a sandbox, with limited fuel, recursion and output.

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
