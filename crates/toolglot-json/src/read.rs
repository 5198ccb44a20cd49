//! Parses text and converts structs. The errors are `serde_json`'s.

use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, Unexpected};
use serde_json::Error;
use serde_json::value::RawValue;

use crate::parse::{self, Refusal};
use crate::value::{Map, Value};

/// Parses a value from text.
///
/// # Errors
/// If the text is not valid JSON, or is nested deeper than 127 levels.
pub fn from_str(text: &str) -> Result<Value, Error> {
    parse::value(text).map_err(|refusal| error(text.as_bytes(), refusal))
}

/// Parses a value from bytes.
///
/// # Errors
/// Those of [`from_str`], and if the bytes are not UTF-8.
pub fn from_slice(text: &[u8]) -> Result<Value, Error> {
    match std::str::from_utf8(text) {
        Ok(text) => from_str(text),
        Err(wrong) => Err(error(text, Refusal::Content("invalid unicode code point", wrong.valid_up_to() + 1))),
    }
}

/// Parses an object from bytes.
///
/// # Errors
/// Those of [`from_slice`], and if the value is not an object.
pub fn object_from_slice(text: &[u8]) -> Result<Map, Error> {
    match from_slice(text)? {
        Value::Object(members) => Ok(members),
        _ => serde_json::from_slice(text),
    }
}

/// Returns the error. `serde_json` provides the message, by parsing the text again; but it also stops at a number
/// that it cannot store.
fn error(text: &[u8], refusal: Refusal) -> Error {
    let words = serde_json::from_slice::<serde_json::Value>(text).err();
    let words = words.filter(|error| !error.to_string().starts_with("number out of range"));
    words.unwrap_or_else(|| match refusal {
        Refusal::Content(why, end) => at(text, why, end),
        Refusal::Syntax => match serde_json::from_slice::<IgnoredAny>(text) {
            Err(error) => error,
            Ok(_) => Error::custom("invalid JSON"),
        },
    })
}

/// Returns an error with the line and the column of the last of so many bytes.
fn at(text: &[u8], why: &str, end: usize) -> Error {
    let before = &text[..end.min(text.len())];
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let column = before.iter().rev().take_while(|byte| **byte != b'\n').count();
    Error::custom(format_args!("{why} at line {line} column {column}"))
}

impl<'de> Deserialize<'de> for Value {
    /// Only `serde_json` hands out the text that this takes.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Box::<RawValue>::deserialize(deserializer)?;
        parse::value(text.get()).map_err(|refusal| match refusal {
            Refusal::Content(why, _) => D::Error::custom(why),
            Refusal::Syntax => D::Error::custom("invalid JSON"),
        })
    }
}

impl<'de> Deserialize<'de> for Map {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wrong = |found| Err(D::Error::invalid_type(found, &"a map"));
        match Value::deserialize(deserializer)? {
            Value::Object(members) => Ok(members),
            Value::Null => wrong(Unexpected::Unit),
            Value::Bool(value) => wrong(Unexpected::Bool(value)),
            Value::Number(_) => wrong(Unexpected::Other("number")),
            Value::String(text) => wrong(Unexpected::Str(&text)),
            Value::Array(_) => wrong(Unexpected::Seq),
        }
    }
}
