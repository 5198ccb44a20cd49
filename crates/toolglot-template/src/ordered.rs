//! JSON as the template engine takes it, members in the order of the text.

use std::fmt;

use minijinja::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value as Json;

/// Returns the value of a text; the members of the outer object keep their order.
pub(crate) fn value(text: &str) -> Value {
    match serde_json::from_str::<Members>(text) {
        Ok(Members(members)) => members.iter().map(|(key, member)| (key.clone(), converted(member))).collect(),
        Err(_) => serde_json::from_str::<Json>(text).map(|json| converted(&json)).unwrap_or_default(),
    }
}

/// Numbers are read here, whatever representation other crates choose for `serde_json`.
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

struct Members(Vec<(String, Json)>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}
