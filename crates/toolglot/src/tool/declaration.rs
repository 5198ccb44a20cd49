//! How vendors' requests declare tools.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Tool;
use super::error::{ToolsError, ToolsErrorKind};
use super::shape::{self, PARAMETERS};
use crate::diagnostic::kind_of;
use crate::schema::Schema;

/// Returns the declared functions; tools of other types are left out, and so are later ones of the same name.
pub(super) fn tools(tools: &Value) -> Result<Vec<Tool>, ToolsError> {
    let entries = shape::entries(tools)?.into_iter();
    let tools = entries.filter_map(|(at, entry)| tool(&entry).map_err(|kind| ToolsError::entry(at, kind)).transpose());
    let mut tools = tools.collect::<Result<Vec<_>, _>>()?;
    let mut names = HashSet::new();
    tools.retain(|tool| names.insert(tool.name.clone()));
    Ok(tools)
}

fn tool(entry: &Value) -> Result<Option<Tool>, ToolsErrorKind> {
    let entry = entry.as_object().ok_or(ToolsErrorKind::NoObject(kind_of(entry)))?;
    if !is_function(entry) {
        return Ok(None);
    }
    let function = entry.get("function").and_then(Value::as_object).unwrap_or(entry);
    let name = function.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty());
    let name = name.ok_or(ToolsErrorKind::NoName)?.to_owned();
    let schema = parameters(function)?.map(|parameters| Schema::compile(&parameters));
    Ok(Some(Tool { name: name.into(), schema }))
}

/// A declared function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Declaration {
    /// The name as declared.
    pub name: String,
    /// The schema of its parameters; `None` if it declares none, so that anything goes.
    pub parameters: Option<Value>,
    /// The function as declared.
    pub function: Map<String, Value>,
}

impl Declaration {
    /// Says whether arguments are to be held to the schema while they are written: `"strict": true`.
    pub fn is_strict(&self) -> bool {
        self.function.get("strict") == Some(&Value::Bool(true))
    }
}

/// Returns the functions of a list; of several with the same name the first.
pub(super) fn declared(tools: &Value) -> Result<Vec<Declaration>, ToolsError> {
    let mut declared: Vec<Declaration> = Vec::new();
    let mut names = HashSet::new();
    for (at, entry) in shape::entries(tools)? {
        let Some(entry) = entry.as_object().filter(|entry| is_function(entry)) else { continue };
        let function = entry.get("function").and_then(Value::as_object).unwrap_or(entry);
        let Some(name) = function.get("name").and_then(Value::as_str) else { continue };
        let parameters = parameters(function).map_err(|kind| ToolsError::entry(at, kind))?.map(Cow::into_owned);
        if names.insert(name.to_owned()) {
            declared.push(Declaration { name: name.to_owned(), parameters, function: function.clone() });
        }
    }
    Ok(declared)
}

/// A tool without a type is a function; `custom` is one where Anthropic's schema stands beside it.
fn is_function(entry: &Map<String, Value>) -> bool {
    match entry.get("type").and_then(Value::as_str) {
        None | Some("function") => true,
        Some("custom") => PARAMETERS.iter().any(|key| entry.contains_key(*key)),
        Some(_) => false,
    }
}

/// Returns the schema of a function's parameters; some clients send it as text.
fn parameters(function: &Map<String, Value>) -> Result<Option<Cow<'_, Value>>, ToolsErrorKind> {
    let Some(declared) = PARAMETERS.iter().find_map(|key| function.get(*key)) else { return Ok(None) };
    let parameters = match declared {
        Value::String(text) if text.trim().is_empty() => Cow::Owned(Value::Null),
        Value::String(text) => Cow::Owned(
            serde_json::from_str(text).map_err(|error| ToolsErrorKind::ParametersNotJson(error.to_string()))?,
        ),
        // Bedrock keeps the schema one step further in.
        value => Cow::Borrowed(value.get("json").filter(|json| json.is_object()).unwrap_or(value)),
    };
    match &*parameters {
        Value::Null => Ok(None),
        Value::Object(_) | Value::Bool(_) => Ok(Some(parameters)),
        other => Err(ToolsErrorKind::ParametersNoObject(kind_of(other))),
    }
}
