//! Why a message cannot be written.

use std::fmt;
use std::sync::Arc;

/// A message that cannot be written in a dialect.
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
    /// The arguments of a call are not the text of one JSON object.
    #[non_exhaustive]
    Arguments {
        /// The call's place, from 0.
        call: usize,
        /// The byte of the arguments where the mistake is.
        at: usize,
        /// What is wrong.
        why: String,
    },
    /// The dialect's calls are known by the names of declared tools, and none are declared.
    #[non_exhaustive]
    Undeclared {
        /// The dialect's name.
        dialect: Arc<str>,
    },
    /// The dialect cannot say the message so that it reads back the same.
    #[non_exhaustive]
    Inexpressible {
        /// The dialect's name.
        dialect: Arc<str>,
        /// The part of the message.
        what: String,
        /// Why the part cannot be said.
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
