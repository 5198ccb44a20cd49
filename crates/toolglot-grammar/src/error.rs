//! Errors and warnings of grammars.

use std::fmt;

/// Why a grammar cannot be created, and what to do about it.
///
/// # Example
/// ```
/// use toolglot::Dialects;
/// use toolglot_grammar::{Grammar, GrammarOptions, GrammarToolChoice};
/// let dialects = Dialects::builtin();
/// let dialect = dialects.get("hermes").ok_or("no such dialect")?;
/// let options = GrammarOptions::new().with_tool_choice(GrammarToolChoice::Named("ls".into()));
/// let error = Grammar::new(dialect, &[], &options).unwrap_err();
/// assert!(error.to_string().starts_with("no tool is declared"));
/// # Ok::<(), &str>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarError {
    message: String,
}

/// A constraint that a grammar does not enforce, or something that an engine may not handle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrammarWarning {
    message: String,
}

impl GrammarError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl GrammarWarning {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for GrammarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Display for GrammarWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for GrammarError {}
