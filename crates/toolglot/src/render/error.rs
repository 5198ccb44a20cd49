//! Why a message cannot be written.

use std::fmt;
use std::sync::Arc;

/// The error for a message that cannot be rendered in a dialect.
///
/// # Example
/// ```
/// use toolglot::{Dialects, RenderError, Renderer, Rendering, Tools};
/// let dialects = Dialects::builtin();
/// let dialect = dialects.get("gemma4").ok_or("no such dialect")?;
/// let message = Rendering::new().with_call("say", r#"{"text": "a <|\"|> b"}"#);
/// let error = Renderer::new(dialect, &Tools::default()).render(&message).unwrap_err();
/// assert!(matches!(error, RenderError::Inexpressible { .. }));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RenderError {
    /// The arguments of a call are not the JSON text of one object.
    #[non_exhaustive]
    Arguments {
        /// The call's index, from 0.
        call: usize,
        /// The byte offset of the error in the arguments.
        at: usize,
        /// What is wrong.
        why: String,
    },
    /// The dialect marks calls by the names of declared tools, and no tools are declared.
    #[non_exhaustive]
    Undeclared {
        /// The dialect's name.
        dialect: Arc<str>,
    },
    /// The dialect cannot express the message so that it parses back.
    #[non_exhaustive]
    Inexpressible {
        /// The dialect's name.
        dialect: Arc<str>,
        /// The part of the message that cannot be expressed.
        what: String,
        /// The reason.
        why: String,
    },
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments { call, at, why } => {
                write!(f, "the arguments of call {} are not a JSON object: {why} at byte {at}", call + 1)
            }
            Self::Undeclared { dialect } => write!(
                f,
                "`{dialect}` marks a call by its tool's name alone; declare the tools that are called, or choose \
                 another dialect"
            ),
            Self::Inexpressible { dialect, what, why } => {
                write!(f, "`{dialect}` cannot express {what}: {why}; change it, or choose another dialect")
            }
        }
    }
}

impl std::error::Error for RenderError {}
