//! The tools a caller declares, compiled once per list.

use std::sync::Arc;

use serde_json::Value;

use crate::schema::Schema;

mod declaration;
mod error;
mod names;

pub use error::ToolsError;
use names::Names;

/// One declared tool.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// The name as declared.
    pub(crate) name: String,
    /// The parameters' schema; `None` if the tool declares none, so that anything goes.
    pub(crate) schema: Option<Schema>,
}

/// A list of declared tools; cheap to clone, compiled once.
///
/// # Example
/// ```
/// let tools = toolglot::Tools::from_json_str(r#"[
///     {"type": "function", "function": {"name": "search", "parameters": {"type": "object"}}},
///     {"name": "read", "input_schema": {"type": "object"}}
/// ]"#)?;
/// assert_eq!(tools.names().collect::<Vec<_>>(), ["search", "read"]);
/// # Ok::<(), toolglot::ToolsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Tools {
    list: Arc<[Tool]>,
    index: Arc<Names>,
}

/// The place of a tool in the list it was declared in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToolId(u32);

/// What a name in a call means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// A tool is declared by this name.
    Exact(ToolId),
    /// Exactly one tool is declared by this name in another spelling.
    Normalised(ToolId),
    /// No tool, or more than one.
    Unknown,
}

impl Tools {
    /// Returns the tools of a JSON array, in the form of any vendor's requests.
    ///
    /// Read are OpenAI's `{type, function: {name, parameters}}` and
    /// `{type, name, parameters}`, Anthropic's `{name, input_schema}`, and bare
    /// `{name, parameters}`. Tools of other types, such as web search, are
    /// skipped, since the model does not write calls of them. `null` is no tools.
    /// Of several tools with the same name the first stands.
    ///
    /// # Errors
    /// If the value is no array, or an entry is not a tool.
    pub fn from_json(tools: &Value) -> Result<Self, ToolsError> {
        declaration::tools(tools).map(Self::from_list)
    }

    /// Returns the tools of a JSON array given as text; blank text is no tools.
    ///
    /// # Errors
    /// As [`Tools::from_json`], and if the text is not JSON.
    pub fn from_json_str(text: &str) -> Result<Self, ToolsError> {
        match text.trim() {
            "" => Ok(Self::default()),
            text => Self::from_json(&serde_json::from_str(text).map_err(|error| ToolsError::not_json(&error))?),
        }
    }

    /// Says whether no tool is declared.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns how many tools are declared.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the tool, if exactly one is declared.
    pub(crate) fn only(&self) -> Option<&Tool> {
        if let [only] = &self.list[..] { Some(only) } else { None }
    }

    /// Returns nothing but the tool that a name means, or no tools.
    pub fn only_named(&self, name: &str) -> Self {
        match self.find(name) {
            Found::Exact(id) | Found::Normalised(id) => Self::from_list(vec![self.get(id).clone()]),
            Found::Unknown => Self::default(),
        }
    }

    /// Returns the names of the tools in the order of their declaration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|tool| tool.name.as_str())
    }

    /// Returns the declared name that a name in a call means, whatever its spelling; `None` if no tool fits, or several.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        match self.find(name) {
            Found::Exact(id) | Found::Normalised(id) => Some(&self.get(id).name),
            Found::Unknown => None,
        }
    }

    /// Returns the tool that [`Tools::find`] named.
    ///
    /// # Panics
    /// If another list gave out the id.
    pub(crate) fn get(&self, id: ToolId) -> &Tool {
        &self.list[id.0 as usize]
    }

    /// Says whether a tool's name begins with a byte.
    pub(crate) fn may_begin(&self, first: u8) -> bool {
        self.index.may_begin(first)
    }

    /// Says whether a tag that goes on with `name` may be named after a tool, in any case; the name need not be there yet.
    pub(crate) fn may_begin_tag(&self, name: &[u8]) -> bool {
        let cases =
            |first: &u8| self.may_begin(first.to_ascii_lowercase()) || self.may_begin(first.to_ascii_uppercase());
        name.first().is_none_or(cases)
    }

    /// Says whether a tool is declared by exactly this name.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.index.is_declared(name)
    }

    /// Returns the tool that a name in a call means. Spellings differ only by rule, never by likeness.
    pub(crate) fn find(&self, name: &str) -> Found {
        self.index.find(name)
    }

    /// Returns the names and parameters of tools as [`Tools::from_json`] takes them.
    ///
    /// # Errors
    /// As [`Tools::from_json`].
    #[cfg(feature = "json-schema")]
    pub(crate) fn declared(tools: &Value) -> Result<Vec<(String, Value)>, ToolsError> {
        Self::from_json(tools).map(|_| declaration::declared(tools))
    }

    fn from_list(list: Vec<Tool>) -> Self {
        Self { index: Arc::new(Names::new(&list)), list: list.into() }
    }
}

#[cfg(test)]
mod tests;
