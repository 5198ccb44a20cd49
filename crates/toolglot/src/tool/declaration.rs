//! Tool declarations in the formats of vendors.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::{Map, Value};

use super::Tool;
use super::error::{ToolsError, ToolsErrorKind};
use super::shape::{self, PARAMETERS};
use crate::diagnostic::kind_of;
use crate::schema::Schema;

/// Returns the declared functions, without tools of other types and repeated names.
pub(super) fn tools(tools: &Value) -> Result<Vec<Tool>, ToolsError> {
    let compile = |parameters: Cow<'_, Value>| Schema::compile(&parameters);
    functions(tools, |name, parameters, _| Tool { name: name.into(), schema: parameters.map(compile) })
}

/// A declared function.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Declaration {
    /// The name as declared.
    pub name: String,
    /// The schema of its parameters; `None` if it declares none, so that any arguments are allowed.
    pub parameters: Option<Value>,
    /// The declaration, unchanged.
    pub function: Map<String, Value>,
}

impl Declaration {
    /// Returns whether arguments must match the schema while they are generated: `"strict": true`.
    pub fn is_strict(&self) -> bool {
        self.function.get("strict") == Some(&Value::Bool(true))
    }
}

/// Returns the functions of a list; if several have the same name, the first.
pub(super) fn declared(tools: &Value) -> Result<Vec<Declaration>, ToolsError> {
    functions(tools, |name, parameters, function| Declaration {
        name: name.to_owned(),
        parameters: parameters.map(Cow::into_owned),
        function: function.clone(),
    })
}

/// Returns what is made of the name, the parameters and the rest of each function.
fn functions<T>(
    tools: &Value,
    make: impl Fn(&str, Option<Cow<'_, Value>>, &Map<String, Value>) -> T,
) -> Result<Vec<T>, ToolsError> {
    let (mut functions, mut names) = (Vec::new(), HashSet::new());
    for (at, entry) in shape::entries(tools)? {
        let wrong = |kind| ToolsError::entry(at, kind);
        let entry = entry.as_object().ok_or_else(|| wrong(ToolsErrorKind::NoObject(kind_of(&entry))))?;
        if is_function(entry) {
            let function = entry.get("function").and_then(Value::as_object).unwrap_or(entry);
            let name = function.get("name").and_then(Value::as_str).filter(|name| !name.trim().is_empty());
            let name = name.ok_or_else(|| wrong(ToolsErrorKind::NoName))?;
            let parameters = parameters(function).map_err(wrong)?;
            if names.insert(name.to_owned()) {
                functions.push(make(name, parameters, function));
            }
        }
    }
    Ok(functions)
}

/// A tool without a type is a function; `custom` is one if it has Anthropic's schema.
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
