//! Members of JSON objects.

use toolglot_json::{Map, Value};

/// Returns the items of a list; none if it is not a list.
pub(crate) fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Sets a member unless its value is missing or null.
pub(crate) fn put(map: &mut Map, key: &str, value: Option<Value>) {
    map.extend(value.filter(|value| !value.is_null()).map(|value| (key.to_owned(), value)));
}
