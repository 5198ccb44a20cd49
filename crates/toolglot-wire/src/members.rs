//! Members of JSON objects.

use toolglot_json::{Map, Value};

/// Returns the items of a list; none if it is not a list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns a string unchanged, and any other value but null as JSON text.
pub(crate) fn json_text(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        value => Some(value.to_string()),
    }
}

/// Returns a name or an id with `_` for each character that some servers do not accept in it.
pub(crate) fn legal(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect()
}

/// Joins two texts with a blank line between them, if neither is empty.
pub(crate) fn joined(first: &str, second: &str) -> String {
    let between = if first.is_empty() || second.is_empty() { "" } else { "\n\n" };
    format!("{first}{between}{second}")
}

/// Takes a member out, which becomes null; null if there is none.
pub(crate) fn take(value: &mut Value, key: &str) -> Value {
    value.get_mut(key).map(Value::take).unwrap_or_default()
}

/// Sets a member unless its value is missing or null.
pub(crate) fn put(map: &mut Map, key: &str, value: impl Into<Value>) {
    let value = value.into();
    if !value.is_null() {
        map.insert(key.to_owned(), value);
    }
}
