//! The declared tools, compiled once per list.

use std::sync::Arc;

use serde_json::Value;

use crate::schema::Schema;

#[cfg(feature = "json-schema")]
mod check;
mod declaration;
mod error;
mod names;
mod shape;

#[cfg(feature = "json-schema")]
pub use check::SchemaCheck;
pub use declaration::Declaration;
pub use error::ToolsError;
use names::ToolNames;

/// One declared tool.
#[derive(Clone, Debug)]
pub(crate) struct Tool {
    /// The name as declared.
    pub(crate) name: Arc<str>,
    /// The parameters' schema; `None` if the tool declares none, so that any arguments are allowed.
    pub(crate) schema: Option<Schema>,
}

/// A list of declared tools; compiled once, cheap to clone.
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
    index: Arc<ToolNames>,
}

/// The index of a tool in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ToolId(u32);

/// The meaning of a name in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameLookup {
    /// A tool is declared by this name.
    Exact(ToolId),
    /// Exactly one tool is declared by this name in another spelling.
    Normalised(ToolId),
    /// No tool, or more than one.
    Unknown,
}

impl Tools {
    /// Returns the tools of a JSON value, in any vendor's format.
    ///
    /// A tool is OpenAI's `{type, function: {name, parameters}}` or `{type, name, parameters}`, Anthropic's `{name,
    /// input_schema}`, MCP's `{name, inputSchema}`, Gemini's `{functionDeclarations: […]}`, Bedrock's `{toolSpec}`, or
    /// a bare `{name, parameters}`. Tools may come as a list, as an object with `tools` such as a request or the result
    /// of MCP's `tools/list`, as a single tool, or as a map from names to schemas.
    ///
    /// Tools of other types, such as web search, are skipped, since the model does not write calls to them. `null` means no
    /// tools. If several tools have the same name, the first wins.
    ///
    /// # Example
    /// ```
    /// use toolglot::Tools;
    /// for text in [
    ///     r#"{"tools": [{"name": "ls", "inputSchema": {"type": "object"}}]}"#,
    ///     r#"[{"functionDeclarations": [{"name": "ls"}]}]"#,
    ///     r#"{"name": "ls", "parameters": {}}"#,
    ///     r#"{"ls": {"type": "object", "properties": {"path": {"type": "string"}}}}"#,
    /// ] {
    ///     assert_eq!(Tools::from_json_str(text)?.names().collect::<Vec<_>>(), ["ls"]);
    /// }
    /// # Ok::<(), toolglot::ToolsError>(())
    /// ```
    ///
    /// # Errors
    /// If the value contains no tools, or an entry is not a tool.
    pub fn from_json(tools: &Value) -> Result<Self, ToolsError> {
        declaration::tools(tools).map(Self::from_list)
    }

    /// Returns the tools of a JSON text, like [`Tools::from_json`]; blank text means no tools.
    ///
    /// # Errors
    /// Those of [`Tools::from_json`], and if the text is not valid JSON.
    pub fn from_json_str(text: &str) -> Result<Self, ToolsError> {
        let not_json = |fault: serde_json::Error| ToolsError::list(error::ToolsErrorKind::NotJson(fault.to_string()));
        match text.trim() {
            "" => Ok(Self::default()),
            text => Self::from_json(&serde_json::from_str(text).map_err(not_json)?),
        }
    }

    /// Returns whether no tool is declared.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the number of declared tools.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the tool, if exactly one is declared.
    pub(crate) fn only(&self) -> Option<&Tool> {
        if let [only] = &self.list[..] { Some(only) } else { None }
    }

    /// Returns a list with only the tool that a name means, or an empty one.
    pub fn only_named(&self, name: &str) -> Self {
        match self.find(name) {
            NameLookup::Exact(id) | NameLookup::Normalised(id) => Self::from_list(vec![self.get(id).clone()]),
            NameLookup::Unknown => Self::default(),
        }
    }

    /// Returns the list with additional tools of these names, which declare no parameters.
    pub(crate) fn with_names<'n>(&self, names: impl IntoIterator<Item = &'n str>) -> Self {
        let named = names.into_iter().map(|name| Tool { name: name.into(), schema: None });
        Self::from_list(self.list.iter().cloned().chain(named).collect())
    }

    /// Returns the names of the tools in their declared order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|tool| &*tool.name)
    }

    /// Returns the declared name that a name in a call means, by the spelling rules; `None` if no tool or several match.
    pub fn resolve(&self, name: &str) -> Option<&str> {
        match self.find(name) {
            NameLookup::Exact(id) | NameLookup::Normalised(id) => Some(&self.get(id).name),
            NameLookup::Unknown => None,
        }
    }

    /// Returns all declared tools.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ToolId> {
        (0..u32::try_from(self.len()).unwrap_or(u32::MAX)).map(ToolId)
    }

    /// Returns the tool that [`Tools::find`] named.
    ///
    /// # Panics
    /// If the id is from another list.
    pub(crate) fn get(&self, id: ToolId) -> &Tool {
        &self.list[id.0 as usize]
    }

    /// Returns whether a tool's name begins with a byte.
    pub(crate) fn may_begin(&self, first: u8) -> bool {
        self.index.first[usize::from(first >> 6)] >> (first & 63) & 1 == 1
    }

    /// Returns whether a tag that continues with `name` may be named after a tool, in any case; the name may be incomplete.
    pub(crate) fn may_begin_tag(&self, name: &[u8]) -> bool {
        let cases =
            |first: &u8| self.may_begin(first.to_ascii_lowercase()) || self.may_begin(first.to_ascii_uppercase());
        name.first().is_none_or(cases)
    }

    /// Returns whether a tag may name a tool, in any case, with or without `_file` at the end; most tags do not.
    pub(crate) fn may_have_tag(&self, tag: &str) -> bool {
        self.index.may_have_tag(tag)
    }

    /// Returns whether a tool is declared by exactly this name.
    pub(crate) fn is_declared(&self, name: &str) -> bool {
        self.index.exact.contains_key(name)
    }

    /// Returns the tool that a name in a call means, by the spelling rules; never by similarity.
    pub(crate) fn find(&self, name: &str) -> NameLookup {
        self.index.find(name)
    }

    /// Returns the functions of a JSON value, in any format that [`Tools::from_json`] accepts, with their schemas.
    ///
    /// # Errors
    /// Those of [`Tools::from_json`].
    pub fn declarations(tools: &Value) -> Result<Vec<Declaration>, ToolsError> {
        declaration::declared(tools)
    }

    fn from_list(list: Vec<Tool>) -> Self {
        Self { index: Arc::new(ToolNames::new(&list)), list: list.into() }
    }
}

#[cfg(test)]
mod tests;
