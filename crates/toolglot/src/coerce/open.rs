//! Bare text where no schema gives its type.

use super::number::Number;
use super::{trim, whole};
use crate::json::write_string;
use crate::options::Options;
use crate::schema::Node;

/// Appends the JSON value that text spells exactly; any other text as a string, white space and all.
pub(super) fn infer(raw: &str, node: Option<Node<'_>>, options: &Options, out: &mut String) {
    let text = trim(raw);
    match text {
        "True" => out.push_str("true"),
        "False" => out.push_str("false"),
        "None" => out.push_str("null"),
        _ if is_scalar(text) && !overflows(text) => out.push_str(text),
        _ => match compound_or_string(text, node, options) {
            Some(json) => out.push_str(&json),
            None => write_string(raw, out),
        },
    }
}

/// Says whether text is a JSON number, boolean or null.
pub(super) fn is_scalar(text: &str) -> bool {
    matches!(text, "true" | "false" | "null") || Number::parse(text).is_some_and(Number::is_strict)
}

fn compound_or_string(text: &str, node: Option<Node<'_>>, options: &Options) -> Option<String> {
    match text.as_bytes().first()? {
        b'{' | b'[' => whole::read(text, node, options),
        b'"' => whole::read_strict(text, node, options),
        _ => None,
    }
}

/// Says whether a number is too large for a double, which most readers would make infinite.
fn overflows(text: &str) -> bool {
    text.parse::<f64>().is_ok_and(f64::is_infinite)
}
