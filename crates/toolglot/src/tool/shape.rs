//! Finds the declarations of tools in any container: a list, a request, a server's answer, one tool, a map.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

use super::error::{ToolsError, ToolsErrorKind};
use crate::diagnostic::kind_of;

/// A declaration, and its index in the outermost list or map, for messages.
pub(super) type FoundDeclaration<'v> = (usize, Cow<'v, Value>);

/// Members that contain the tools of a request or an answer: chat requests, MCP's `tools/list`, Gemini, Bedrock.
const LEADS: &[&str] =
    &["tools", "result", "functions", "functionDeclarations", "function_declarations", "toolConfig", "config"];

/// Members for the schema: OpenAI, Anthropic, MCP and Bedrock, Gemini.
pub(super) const PARAMETERS: &[&str] = &["parameters", "input_schema", "inputSchema", "parametersJsonSchema"];

/// An object with one of these members is a declaration, or a schema.
const SIGNS: &[&str] = &["type", "properties", "description", "anyOf", "oneOf", "allOf", "$ref", "enum"];

/// Returns the declarations in a value.
pub(super) fn entries(tools: &Value) -> Result<Vec<FoundDeclaration<'_>>, ToolsError> {
    let mut tools = tools;
    // Each step goes one member deeper, so this ends with the value's own nesting.
    while let Some(inner) = tools.as_object().filter(|object| !is_declaration(object)).and_then(lead) {
        tools = inner;
    }
    match tools {
        Value::Null => Ok(Vec::new()),
        Value::Array(list) => Ok(list.iter().enumerate().flat_map(|(at, entry)| declarations(at, entry)).collect()),
        Value::Object(one) if is_declaration(one) => Ok(declarations(0, tools)),
        Value::Object(map) => by_name(map),
        _ => Err(ToolsError::list(ToolsErrorKind::NoList(kind_of(tools)))),
    }
}

fn lead(object: &Map<String, Value>) -> Option<&Value> {
    LEADS.iter().find_map(|key| object.get(*key).filter(|value| value.is_array() || value.is_object()))
}

/// An entry of Gemini's declares several functions; one of Bedrock's wraps its declaration again.
fn declarations(at: usize, entry: &Value) -> Vec<FoundDeclaration<'_>> {
    let several = ["functionDeclarations", "function_declarations"].iter().find_map(|key| entry.get(key)?.as_array());
    match several {
        Some(several) => several.iter().map(|function| (at, Cow::Borrowed(function))).collect(),
        None => vec![(at, Cow::Borrowed(entry.get("toolSpec").unwrap_or(entry)))],
    }
}

fn is_declaration(object: &Map<String, Value>) -> bool {
    object.get("name").is_some_and(Value::is_string)
        || ["function", "toolSpec"].iter().any(|key| object.get(*key).is_some_and(Value::is_object))
}

/// Reads a map from names to schemas, or to declarations without a name.
fn by_name(map: &Map<String, Value>) -> Result<Vec<FoundDeclaration<'_>>, ToolsError> {
    let declares = |value: &Value| {
        value.as_object().is_some_and(|object| {
            object.is_empty() || SIGNS.iter().chain(PARAMETERS).any(|key| object.contains_key(*key))
        })
    };
    if map.is_empty() || !map.values().all(declares) {
        return Err(ToolsError::list(ToolsErrorKind::NoTools(map.keys().cloned().collect())));
    }
    Ok(map.iter().enumerate().map(|(at, (name, value))| (at, Cow::Owned(named(name, value)))).collect())
}

fn named(name: &str, value: &Value) -> Value {
    match value.as_object().filter(|object| PARAMETERS.iter().any(|key| object.contains_key(*key))) {
        Some(object) => {
            let mut object = object.clone();
            object.insert("name".to_owned(), name.into());
            Value::Object(object)
        }
        None => json!({"name": name, "parameters": value}),
    }
}
