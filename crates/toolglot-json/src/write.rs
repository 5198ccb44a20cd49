//! Values as text.

use std::fmt;

use serde::ser::{Error as _, Serialize, Serializer};
use serde_json::value::RawValue;

use crate::number::Number;
use crate::value::{Map, Value};

impl fmt::Display for Value {
    /// Writes compact JSON; `{:#}` indents it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if f.alternate() {
            return f.write_str(&serde_json::to_string_pretty(self).map_err(|_| fmt::Error)?);
        }
        let mut out = String::new();
        self.write(&mut out);
        f.write_str(&out)
    }
}

impl Map {
    /// Returns the object as compact JSON.
    pub fn to_vec(&self) -> Vec<u8> {
        let mut out = String::new();
        self.write(&mut out);
        out.into_bytes()
    }

    fn write(&self, out: &mut String) {
        out.push('{');
        for (at, (key, value)) in self.iter().enumerate() {
            out.push_str(if at > 0 { "," } else { "" });
            string(key, out);
            out.push(':');
            value.write(out);
        }
        out.push('}');
    }
}

impl Value {
    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Number(number) => out.push_str(number.as_str()),
            Self::String(text) => string(text, out),
            Self::Array(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at > 0 { "," } else { "" });
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(members) => members.write(out),
        }
    }
}

fn string(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            8 => out.push_str("\\b"),
            12 => out.push_str("\\f"),
            control if control < b' ' => out.push_str(&format!("\\u{control:04x}")),
            other => out.extend(['\\', char::from(other)]),
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Number(number) => number.serialize(serializer),
            Self::String(text) => serializer.serialize_str(text),
            Self::Array(items) => items.serialize(serializer),
            Self::Object(members) => members.serialize(serializer),
        }
    }
}

impl Serialize for Map {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl Serialize for Number {
    /// A number that is not written as an integer is emitted as raw text, which only `serde_json` accepts.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_str();
        if let Some(number) = self.as_u64() {
            return serializer.serialize_u64(number);
        }
        // Of JSON's integers only this one is not written as Rust writes it.
        match self.as_i64().filter(|_| text != "-0") {
            Some(number) => serializer.serialize_i64(number),
            None => RawValue::from_string(text.to_owned()).map_err(S::Error::custom)?.serialize(serializer),
        }
    }
}
