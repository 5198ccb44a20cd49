//! JSON for the template engine, with members in their original order.

use minijinja::Value;
use toolglot_json::Value as Json;

/// Returns the value of a text.
pub(crate) fn value(text: &str) -> Value {
    toolglot_json::from_str(text).map(|json| converted(&json)).unwrap_or_default()
}

fn converted(json: &Json) -> Value {
    match json {
        Json::Null => Value::from(()),
        Json::Bool(is) => Value::from(*is),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => Value::from(number),
            (None, Some(number)) => Value::from(number),
            (None, None) => Value::from(number.to_string()),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(items) => items.iter().map(converted).collect(),
        Json::Object(members) => members.iter().map(|(key, member)| (key.clone(), converted(member))).collect(),
    }
}
