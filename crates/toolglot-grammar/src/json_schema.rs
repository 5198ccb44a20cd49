//! Calls as a JSON schema, for APIs that only support JSON schemas.

use toolglot_json::{Map, Value, json};

use crate::declared::GrammarTool;
use crate::error::GrammarError;

/// Returns the schema of one call, or of a list of calls.
pub(crate) fn calls(tools: &[&GrammarTool], parallel: bool) -> Result<Value, GrammarError> {
    let mut definitions = Map::new();
    let all: Vec<Value> = tools.iter().map(|tool| call(tool, &schema(tool), &mut definitions)).collect();
    let mut root = if parallel { json!({"type": "array", "items": one_of(all), "minItems": 1}) } else { one_of(all) };
    attach(&mut root, definitions);
    Ok(root)
}

/// Returns the same in the strict form: `{"calls": [...]}`.
pub(crate) fn openai(tools: &[&GrammarTool], parallel: bool) -> Result<Value, GrammarError> {
    let mut definitions = Map::new();
    let mut all = Vec::new();
    for tool in tools {
        let schema = strict(&schema(tool), &format!("tool `{}`: ", tool.name))?;
        all.push(call(tool, &schema, &mut definitions));
    }
    let (name, value) = match parallel {
        true => ("tool_calls", json!({"type": "array", "items": one_of(all)})),
        false => ("tool_call", one_of(all)),
    };
    let mut root =
        json!({"type": "object", "properties": {name: value}, "required": [name], "additionalProperties": false});
    attach(&mut root, definitions);
    Ok(root)
}

fn schema(tool: &GrammarTool) -> Value {
    match &tool.parameters {
        Some(Value::Object(schema)) => Value::Object(schema.clone()),
        _ => json!({"type": "object"}),
    }
}

fn one_of(mut all: Vec<Value>) -> Value {
    match all.len() {
        1 => all.remove(0),
        _ => json!({"anyOf": all}),
    }
}

fn call(tool: &GrammarTool, schema: &Value, definitions: &mut Map) -> Value {
    let mut schema = schema.clone();
    for key in ["$defs", "definitions"] {
        let own = schema.as_object_mut().and_then(|schema| schema.remove(key));
        for (name, definition) in own.and_then(|own| own.as_object().cloned()).into_iter().flatten() {
            let mut definition = definition;
            point(&mut definition, &tool.name);
            definitions.insert(format!("{}.{name}", tool.name), definition);
        }
    }
    point(&mut schema, &tool.name);
    json!({
        "type": "object",
        "properties": {"name": {"type": "string", "const": tool.name}, "arguments": schema},
        "required": ["name", "arguments"],
        "additionalProperties": false,
    })
}

/// Redirects references to the tool's own definitions at the new root.
fn point(schema: &mut Value, tool: &str) {
    match schema {
        Value::Object(members) => {
            if let Some(Value::String(pointer)) = members.get_mut("$ref") {
                let name = pointer.strip_prefix("#/$defs/").or_else(|| pointer.strip_prefix("#/definitions/"));
                if let Some(name) = name {
                    *pointer = format!("#/$defs/{tool}.{name}");
                }
            }
            members.values_mut().for_each(|member| point(member, tool));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| point(item, tool)),
        _ => {}
    }
}

fn attach(root: &mut Value, definitions: Map) {
    if let Some(root) = root.as_object_mut().filter(|_| !definitions.is_empty()) {
        root.insert("$defs".to_owned(), Value::Object(definitions));
    }
}

/// Rewrites a schema: every object is closed and requires all members, and an optional one may be `null`.
fn strict(schema: &Value, path: &str) -> Result<Value, GrammarError> {
    let Value::Object(members) = schema else { return Ok(schema.clone()) };
    let mut out = Map::new();
    for (key, value) in members {
        let path = format!("{path}/{key}");
        let value = match (key.as_str(), value) {
            ("properties" | "$defs" | "definitions", Value::Object(map)) => {
                let inner =
                    map.iter().map(|(name, schema)| Ok((name.clone(), strict(schema, &format!("{path}/{name}"))?)));
                Value::Object(inner.collect::<Result<_, GrammarError>>()?)
            }
            ("items" | "not", schema) => strict(schema, &path)?,
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(all)) => {
                Value::Array(all.iter().map(|one| strict(one, &path)).collect::<Result<_, GrammarError>>()?)
            }
            ("default", _) => continue,
            (_, value) => value.clone(),
        };
        out.insert(if key == "oneOf" { "anyOf".to_owned() } else { key.clone() }, value);
    }
    let is_object = members
        .get("type")
        .is_some_and(|kind| kind == "object" || kind.as_array().is_some_and(|all| all.contains(&json!("object"))))
        || members.contains_key("properties");
    if is_object {
        close(&mut out, members, path)?;
    }
    Ok(Value::Object(out))
}

fn close(out: &mut Map, members: &Map, path: &str) -> Result<(), GrammarError> {
    let open = members.get("additionalProperties").is_some_and(|others| *others != Value::Bool(false));
    let declared = members.get("properties").and_then(Value::as_object);
    if open
        || declared.is_none_or(Map::is_empty)
            && !members.contains_key("additionalProperties")
            && !members.contains_key("properties")
    {
        let why = "the strict form does not allow open objects; list the members in `properties`";
        return Err(GrammarError::new(format!("{path}: {why}")));
    }
    let required: Vec<&str> =
        members.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if let Some(properties) = out.get_mut("properties").and_then(Value::as_object_mut) {
        for (name, schema) in properties.iter_mut().filter(|(name, _)| !required.contains(&name.as_str())) {
            let _ = name;
            *schema = nullable(schema.take());
        }
    }
    let names: Vec<Value> = declared.into_iter().flatten().map(|(name, _)| Value::String(name.clone())).collect();
    out.insert("required".to_owned(), Value::Array(names));
    out.insert("additionalProperties".to_owned(), Value::Bool(false));
    Ok(())
}

fn nullable(schema: Value) -> Value {
    match &schema {
        Value::Object(members) => match (members.get("type"), members.contains_key("enum")) {
            (Some(Value::String(kind)), false) if kind != "null" => {
                let mut members = members.clone();
                members.insert("type".to_owned(), json!([kind, "null"]));
                Value::Object(members)
            }
            _ => json!({"anyOf": [schema, {"type": "null"}]}),
        },
        _ => json!({"anyOf": [schema, {"type": "null"}]}),
    }
}
