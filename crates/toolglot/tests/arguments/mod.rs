//! What the tests of arguments share.

pub mod dice;

use serde_json::{Value, json};
use toolglot::Tools;

/// Returns one tool `f` with these parameters.
pub fn tools_of(parameters: &Value) -> Tools {
    let declared = json!([{"name": "f", "parameters": parameters}]).to_string();
    Tools::from_json_str(&declared).expect("a tool")
}

/// Says whether a text is JSON by its grammar, which allows lone surrogates.
pub fn is_json(text: &str) -> bool {
    let text = text.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok()
}
