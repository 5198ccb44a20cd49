//! JSON values that preserve the source: numbers are text, members keep their order.
//!
//! `serde_json` can do this with two of its features. But Cargo enables features for a whole program, and these change
//! the behaviour of `serde_json` for all other crates. So the values are separate types; structs are still serialized
//! and deserialized by `serde_json`.
//!
//! # Example
//! ```
//! use toolglot_json::{Value, json};
//! let mut value = toolglot_json::from_str(r#"{"z": 0.10, "a": 12345678901234567890123}"#)?;
//! value["b"] = json!([null, {"c": "d"}]);
//! assert_eq!(value.to_string(), r#"{"z":0.10,"a":12345678901234567890123,"b":[null,{"c":"d"}]}"#);
//! assert_eq!(value.pointer("/b/1/c").and_then(Value::as_str), Some("d"));
//! # Ok::<(), toolglot_json::Error>(())
//! ```

#![forbid(unsafe_code)]
#![deny(missing_docs)]

/// The example in the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct JsonReadme;

mod convert;
mod equal;
mod index;
mod macros;
mod map;
mod number;
mod parse;
mod read;
mod to_json;
mod value;
mod write;

pub use index::ValueIndex;
pub use map::{Entry, IntoIter, Iter, IterMut};
pub use number::Number;
pub use read::{from_slice, from_str, object_from_slice};
pub use serde_json::Error;
pub use to_json::{ToJson, to_value};
pub use value::{Map, Value};
