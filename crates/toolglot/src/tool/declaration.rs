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

/// Returns the name and parameters of each function of a list that declares any.
#[cfg(feature = "json-schema")]
pub(super) fn declared(tools: &Value) -> Vec<(String, Value)> {
    let declared = shape::entries(tools).unwrap_or_default().into_iter().filter_map(|(_, entry)| {
        let entry = entry.as_object().filter(|entry| is_function(entry))?;
        let function = entry.get("function").and_then(Value::as_object).unwrap_or(entry);
        let name = function.get("name").and_then(Value::as_str)?;
        Some((name.to_owned(), parameters(function).ok()??.into_owned()))
    });
    declared.collect()
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
