//! Merges the parts of a schema: `allOf`, and the keywords next to `anyOf`.

use toolglot_json::{Map, Value};

/// Keywords that constrain nothing.
const NOTES: [&str; 14] = [
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
    "$comment",
    "$schema",
    "$id",
    "$defs",
    "definitions",
    "nullable",
];

/// Keywords whose value is a schema, a list of schemas, or a map of schemas.
const INSIDE: [&str; 8] =
    ["properties", "items", "prefixItems", "additionalProperties", "anyOf", "oneOf", "$defs", "definitions"];

/// Returns an equivalent schema with as few `allOf` and single `anyOf` as possible.
pub(crate) fn merged(schema: &Value) -> Value {
    let Value::Object(members) = schema else { return schema.clone() };
    let mut out = members.clone();
    if let Some(Value::Array(all)) = out.get("allOf").cloned() {
        let parts: Vec<Value> = all.iter().map(merged).collect();
        let mut whole: Map = out.iter().filter(|(key, _)| *key != "allOf").map(owned).collect();
        if parts.iter().all(|part| part.as_object().is_some_and(|part| join(&mut whole, part))) {
            out = whole;
        }
    }
    for key in INSIDE {
        if let Some(inside) = out.get_mut(key) {
            *inside = merged_inside(key, inside);
        }
    }
    for key in ["anyOf", "oneOf"] {
        spread(&mut out, key);
    }
    Value::Object(out)
}

fn owned((key, value): (&String, &Value)) -> (String, Value) {
    (key.clone(), value.clone())
}

fn merged_inside(key: &str, value: &Value) -> Value {
    match value {
        Value::Array(items) => Value::Array(items.iter().map(merged).collect()),
        Value::Object(map) if matches!(key, "properties" | "$defs" | "definitions") => {
            Value::Object(map.iter().map(|(name, schema)| (name.clone(), merged(schema))).collect())
        }
        value => merged(value),
    }
}

/// Adds another schema's keywords; `false` if both constrain the same thing differently.
fn join(whole: &mut Map, part: &Map) -> bool {
    for (key, value) in part {
        match (whole.get_mut(key), value) {
            (None, value) => drop(whole.insert(key.clone(), value.clone())),
            (Some(Value::Object(ours)), Value::Object(theirs)) if key == "properties" => {
                for (name, schema) in theirs {
                    if ours.get(name).is_some_and(|own| own != schema) {
                        return false;
                    }
                    ours.insert(name.clone(), schema.clone());
                }
            }
            (Some(Value::Array(ours)), Value::Array(theirs)) if key == "required" => {
                let new: Vec<Value> = theirs.iter().filter(|name| !ours.contains(name)).cloned().collect();
                ours.extend(new);
            }
            (Some(ours), theirs) if ours == theirs || NOTES.contains(&key.as_str()) => {}
            _ => return false,
        }
    }
    true
}

/// Adds the keywords next to alternatives to each of them.
fn spread(schema: &mut Map, key: &str) {
    let Some(Value::Array(all)) = schema.get(key) else { return };
    let beside: Map =
        schema.iter().filter(|(name, _)| *name != key && !NOTES.contains(&name.as_str())).map(owned).collect();
    if beside.is_empty() {
        return;
    }
    let with = |one: &Value| {
        let mut whole = one.as_object().filter(|one| !one.contains_key("$ref"))?.clone();
        join(&mut whole, &beside).then_some(Value::Object(whole))
    };
    let spread: Option<Vec<Value>> = all.iter().map(with).collect();
    match spread {
        Some(all) => {
            schema.retain(|name, _| NOTES.contains(&name.as_str()));
            schema.insert(key.to_owned(), Value::Array(all));
        }
        // A grammar cannot express both: it stays in `allOf`, which is refused by name.
        None => {
            let left = schema.remove(key).unwrap_or_default();
            schema.insert("allOf".to_owned(), Value::Array(vec![left]));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolglot_json::json;

    #[test]
    fn what_is_said_in_several_places_is_said_in_one() {
        let schema =
            json!({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}, {"required": ["b"]}]});
        let merged_schema = merged(&schema);
        assert_eq!(merged_schema["anyOf"][0]["properties"], json!({"a": {}}));
        assert_eq!(merged_schema["anyOf"][1]["type"], json!("object"));
        let all =
            json!({"allOf": [{"properties": {"a": {"type": "string"}}}, {"properties": {"b": {}}, "required": ["b"]}]});
        assert_eq!(merged(&all), json!({"properties": {"a": {"type": "string"}, "b": {}}, "required": ["b"]}));
        let torn = json!({"allOf": [{"minLength": 1}, {"minLength": 2}]});
        assert_eq!(merged(&torn), torn);
    }
}
