//! What the tests of arguments share.

use serde_json::{Value, json};
use toolglot::Tools;

/// Returns one tool `f` with these parameters.
pub(crate) fn tools_of(parameters: &Value) -> Tools {
    let declared = json!([{"name": "f", "parameters": parameters}]).to_string();
    Tools::from_json_str(&declared).expect("a tool")
}

/// Says whether a text is JSON by its grammar, which allows lone surrogates and numbers of any size.
pub(crate) fn is_json(text: &str) -> bool {
    let text = text.replace("\\ud", "\\u0").replace("\\uD", "\\u0");
    serde_json::from_str::<Value>(&text).map_or_else(|error| error.to_string().contains("out of range"), |_| true)
}
