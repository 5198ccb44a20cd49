//! Errors in a list of tools.

use std::fmt;

/// The error for an invalid list of tools; its text names the entry and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsError {
    entry: Option<usize>,
    kind: ToolsErrorKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ToolsErrorKind {
    NotJson(String),
    NoList(&'static str),
    NoTools(Vec<String>),
    NoObject(&'static str),
    NoName,
    ParametersNotJson(String),
    ParametersNoObject(&'static str),
}

impl ToolsError {
    pub(super) fn list(kind: ToolsErrorKind) -> Self {
        Self { entry: None, kind }
    }

    pub(super) fn entry(entry: usize, kind: ToolsErrorKind) -> Self {
        Self { entry: Some(entry), kind }
    }

    /// Returns the index of the wrong entry; `None` if the list itself is wrong.
    pub fn index(&self) -> Option<usize> {
        self.entry
    }
}

impl fmt::Display for ToolsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entry) = self.entry {
            write!(f, "tool {entry}: ")?;
        }
        match &self.kind {
            ToolsErrorKind::NotJson(error) => write!(f, "the tools are not valid JSON: {error}"),
            ToolsErrorKind::NoList(found) => write!(f, "expected a list of tools, found {found}"),
            ToolsErrorKind::NoTools(keys) if keys.is_empty() => write!(f, "expected tools, found an empty object"),
            ToolsErrorKind::NoTools(keys) => {
                let shown = keys.iter().take(5).map(|key| format!("`{key}`")).collect::<Vec<_>>().join(", ");
                write!(f, "no tools in an object with {shown}; pass a list of tools, or an object with `tools`")
            }
            ToolsErrorKind::NoObject(found) => {
                write!(f, "expected an object with `name` and `parameters`, found {found}")
            }
            ToolsErrorKind::NoName => write!(f, "missing `name`; set `name` or `function.name` to a non-empty string"),
            ToolsErrorKind::ParametersNotJson(error) => {
                write!(f, "`parameters` is a string that is not valid JSON ({error}); pass a JSON Schema object")
            }
            ToolsErrorKind::ParametersNoObject(found) => {
                write!(f, "`parameters` must be a JSON Schema object, found {found}")
            }
        }
    }
}

impl std::error::Error for ToolsError {}
