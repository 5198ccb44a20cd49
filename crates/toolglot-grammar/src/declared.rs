//! Declared tools. Their schemas keep the order of members, which models follow.

use toolglot::{Declaration, Tools, ToolsError};
use toolglot_json::{Map, Value};

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct GrammarTool {
    /// The declared name.
    pub name: String,
    /// The schema of the parameters; `None` if the tool declares none, so any arguments are allowed.
    pub parameters: Option<Value>,
    /// Whether to constrain arguments to the schema: `"strict": true`.
    pub strict: bool,
}

impl GrammarTool {
    /// Reads tools from a JSON value in any form that [`Tools::from_json`] accepts.
    ///
    /// # Errors
    /// See [`Tools::from_json`].
    pub fn list(tools: &Value) -> Result<Vec<Self>, ToolsError> {
        let declared = Tools::declarations(&tools.into())?;
        Ok(declared.into_iter().map(|tool| Self::as_written(tool, tools)).collect())
    }

    /// Reads tools from JSON text; blank text means no tools.
    ///
    /// # Errors
    /// See [`Tools::from_json_str`].
    pub fn from_json_str(text: &str) -> Result<Vec<Self>, ToolsError> {
        Tools::from_json_str(text)?;
        toolglot_json::from_str(text).map_or_else(|_| Ok(Vec::new()), |tools| Self::list(&tools))
    }

    /// Restores the order of members in a copy of the value whose declarations have lost it.
    fn as_written(tool: Declaration, tools: &Value) -> Self {
        let written = |schema| function(&tool, tools).and_then(|function| equal_part(function, schema));
        let parameters =
            tool.parameters.as_ref().map(|schema| written(schema).unwrap_or_else(|| schema.clone().into()));
        Self { parameters, strict: tool.is_strict(), name: tool.name }
    }
}

/// Returns the part of a value that declares a tool: the function, or the entry of its name in a map.
fn function<'v>(tool: &Declaration, value: &'v Value) -> Option<&'v Value> {
    let under_name = |(key, inner): (&String, &'v Value)| {
        let named = || tool.parameters.as_ref().is_some_and(|schema| inner == schema) || is_function(tool, inner);
        if *key == tool.name && named() { Some(inner) } else { function(tool, inner) }
    };
    match value {
        Value::Object(members) if members.contains_key("name") && is_function(tool, value) => Some(value),
        Value::Object(members) => members.iter().find_map(under_name),
        Value::Array(items) => items.iter().find_map(|item| function(tool, item)),
        _ => None,
    }
}

/// Returns whether an object is the function of a tool, whose name may be outside.
fn is_function(tool: &Declaration, value: &Value) -> bool {
    let others = |members: &Map| members.len() - usize::from(members.contains_key("name"));
    value.as_object().is_some_and(|members| {
        members.get("name").is_none_or(|name| *name == tool.name)
            && others(members) + 1 == tool.function.len()
            && members.iter().all(|(key, value)| tool.function.get(key).is_some_and(|other| value == other))
    })
}

/// Returns the part of a value that is equal to a schema; the value may contain it as text.
fn equal_part(value: &Value, schema: &serde_json::Value) -> Option<Value> {
    match value {
        value if value == schema => Some(value.clone()),
        Value::Object(members) => members.values().find_map(|member| equal_part(member, schema)),
        Value::String(text) if text.trim_start().starts_with('{') => {
            toolglot_json::from_str(text).ok().filter(|value| value == schema)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use toolglot_json::from_str;

    use super::*;

    #[test]
    fn schemas_keep_their_order_in_every_form_of_a_list() {
        let schema = r#"{"type":"object","properties":{"to":{"type":"string"},"from":{"enum":[1.0,2]}}}"#;
        let other = r#"{"properties":{"from":{"enum":[1.0,2]},"to":{"type":"string"}},"type":"object"}"#;
        let text = toolglot_json::Value::from(schema);
        for list in [
            format!(r#"[{{"name":"z","parameters":{other}}},{{"name":"a","strict":true,"parameters":{schema}}}]"#),
            format!(
                r#"{{"messages":[{{"name":"a"}}],"tools":[{{"type":"function","function":{{"strict":true,"name":"a","parameters":{schema}}}}}]}}"#
            ),
            format!(
                r#"[{{"functionDeclarations":[{{"name":"z"}},{{"name":"a","strict":true,"parameters":{text}}}]}}]"#
            ),
            format!(r#"{{"tools":[{{"toolSpec":{{"name":"a","strict":true,"inputSchema":{{"json":{schema}}}}}}}]}}"#),
            format!(r#"{{"z":{{"strict":true,"parameters":{other}}},"a":{{"strict":true,"input_schema":{schema}}}}}"#),
        ] {
            let tools = GrammarTool::list(&from_str(&list).unwrap()).unwrap();
            let tool = tools.iter().find(|tool| tool.name == "a").unwrap();
            assert_eq!(tool.parameters.as_ref().unwrap().to_string(), schema, "{list}");
            assert!(tool.strict, "{list}");
        }
        let map = GrammarTool::list(&from_str(&format!(r#"{{"z":{other},"a":{schema}}}"#)).unwrap()).unwrap();
        let order: Vec<String> = map.iter().filter_map(|tool| tool.parameters.as_ref()).map(Value::to_string).collect();
        assert!(order.contains(&schema.to_owned()) && order.contains(&other.to_owned()), "{order:?}");
    }
}
