//! What can be wrong with a list of tools.

use std::fmt;

/// A list of tools that cannot be read; says which entry is wrong and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolsError {
    entry: Option<usize>,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    NotJson(String),
    NoList(&'static str),
    NoObject(&'static str),
    NoName,
    ParametersNotJson(String),
    ParametersNoObject(&'static str),
}

impl ToolsError {
    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        Self { entry: None, kind: Kind::NotJson(error.to_string()) }
    }

    pub(super) fn list(kind: Kind) -> Self {
        Self { entry: None, kind }
    }

    pub(super) fn entry(entry: usize, kind: Kind) -> Self {
        Self { entry: Some(entry), kind }
    }

    /// Returns the place of the wrong entry in the list, counted from 0; `None` if the list itself is wrong.
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
            Kind::NotJson(error) => write!(f, "the tools are not JSON ({error}); pass a JSON array of tools"),
            Kind::NoList(found) => write!(f, "the tools are {found}; pass a JSON array of tools"),
            Kind::NoObject(found) => write!(f, "found {found}; pass an object with `name` and `parameters`"),
            Kind::NoName => write!(f, "it has no name; set `name`, or `function.name`, to a string that is not empty"),
            Kind::ParametersNotJson(error) => {
                write!(f, "its `parameters` are text that is not JSON ({error}); pass a JSON Schema object")
            }
            Kind::ParametersNoObject(found) => write!(f, "its `parameters` are {found}; pass a JSON Schema object"),
        }
    }
}

impl std::error::Error for ToolsError {}
