//! Validates finished arguments against full JSON Schema: formats, bounds, conditions and everything else.

use std::collections::HashMap;
use std::fmt;

use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::{Tools, ToolsError};
use crate::diagnostic::{Code, Diagnostic};

/// Validates finished arguments against everything in the schemas of their tools.
///
/// The parser uses only types, choices and names. This check covers the rest, from `minimum` to `if`, and changes
/// nothing. It is compiled once for a list of tools, and used when a call is finished. References are followed only
/// inside a schema: nothing is fetched. `format` is an annotation, as in JSON Schema since the draft of 2019, and not
/// validated.
///
/// # Example
/// ```
/// use toolglot::{Code, SchemaCheck};
/// let tools = serde_json::json!([{"name": "wait", "parameters": {"properties": {"seconds": {"minimum": 1}}}}]);
/// let check = SchemaCheck::from_json(&tools)?;
/// let found = check.arguments("wait", r#"{"seconds": 0}"#);
/// assert_eq!(found[0].to_string(), "schema_violation: `/seconds`: 0 is less than the minimum of 1");
/// assert!(check.arguments("wait", r#"{"seconds": 5}"#).is_empty());
/// # Ok::<(), toolglot::ToolsError>(())
/// ```
pub struct SchemaCheck {
    tools: HashMap<String, Result<Validator, String>>,
}

impl SchemaCheck {
    /// Compiles the schemas of tools, in any format that [`Tools::from_json`] accepts.
    ///
    /// An invalid schema is not an error here, but it is reported for every call to its tool.
    ///
    /// # Errors
    /// Those of [`Tools::from_json`].
    pub fn from_json(tools: &Value) -> Result<Self, ToolsError> {
        let declared = Tools::declarations(tools)?.into_iter();
        let compiled = declared.filter_map(|tool| Some((tool.name, tool.parameters?))).map(|(name, parameters)| {
            (name, jsonschema::validator_for(&parameters).map_err(|error| format!("invalid schema: {error}")))
        });
        Ok(Self { tools: compiled.collect() })
    }

    /// Returns the violations in the arguments of a call, as `schema_violation`; spans count bytes of the arguments.
    ///
    /// A tool that is undeclared, or declares no parameters, allows any arguments.
    pub fn arguments(&self, tool: &str, arguments: &str) -> Vec<Diagnostic> {
        let wrong = |message| Diagnostic::new(Code::SchemaViolation, 0..arguments.len(), message);
        let (validator, value) = match (self.tools.get(tool), serde_json::from_str::<Value>(arguments)) {
            (None, _) => return Vec::new(),
            (Some(Err(error)), _) => return vec![wrong(error.clone())],
            (_, Err(error)) => return vec![wrong(format!("cannot check the arguments: {error}"))],
            (Some(Ok(validator)), Ok(value)) => (validator, value),
        };
        let message = |error: ValidationError<'_>| format!("`{}`: {error}", error.instance_path());
        validator.iter_errors(&value).map(|error| wrong(message(error))).collect()
    }
}

impl fmt::Debug for SchemaCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaCheck").field("tools", &self.tools.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(parameters: Value, arguments: &str) -> Vec<String> {
        let check = SchemaCheck::from_json(&serde_json::json!([{"name": "f", "parameters": parameters}]));
        let found = check.expect("tools").arguments("f", arguments);
        found.into_iter().map(|found| found.message).collect()
    }

    #[test]
    fn what_readers_do_not_know_is_found() {
        let schema = serde_json::json!({
            "properties": {"n": {"minimum": 1}, "s": {"maxLength": 2}, "l": {"uniqueItems": true}},
            "if": {"required": ["n"]}, "then": {"required": ["s"]},
        });
        assert!(found(schema.clone(), r#"{"n": 1, "s": "ab", "l": [1, 2]}"#).is_empty());
        assert_eq!(found(schema.clone(), r#"{"n": 0, "s": "abc", "l": [1, 1]}"#).len(), 3);
        assert_eq!(found(schema, r#"{"n": 1}"#), ["``: \"s\" is a required property"]);
    }

    #[test]
    fn what_cannot_be_checked_is_told() {
        assert_eq!(found(serde_json::json!({"type": "no type"}), "{}").len(), 1);
        assert_eq!(found(serde_json::json!({"$ref": "https://example.com/schema"}), "{}").len(), 1);
        assert!(found(serde_json::json!({}), "{").iter().all(|message| message.contains("cannot be checked")));
        let check = SchemaCheck::from_json(&serde_json::json!([{"name": "f"}])).expect("tools");
        assert!(check.arguments("f", "{}").is_empty() && check.arguments("g", "{").is_empty());
    }
}
