//! Bare text without a declared type.

use super::number::Number;
use super::trim;
use super::whole::{self, Output};
use crate::json::WholeValue;
use crate::options::Options;
use crate::schema::SchemaNode;

/// Appends the JSON value that text spells exactly; any other text as a string, including white space.
pub(super) fn infer(raw: &str, node: Option<SchemaNode<'_>>, options: &Options, out: &mut Output<'_>) {
    let text = trim(raw);
    match text {
        "True" => out.push("true"),
        "False" => out.push("false"),
        "None" => out.push("null"),
        _ if options.any_case_booleans && text.eq_ignore_ascii_case("true") => out.push("true"),
        _ if options.any_case_booleans && text.eq_ignore_ascii_case("false") => out.push("false"),
        // Most readers would make a number infinite that is too large for a double.
        _ if is_scalar(text) && !text.parse::<f64>().is_ok_and(f64::is_infinite) => out.push(text),
        _ => match compound_or_string(text, node, options) {
            Some(whole) => out.whole(whole),
            None => out.string(raw),
        },
    }
}

/// Returns whether text is a JSON number, boolean or null.
pub(super) fn is_scalar(text: &str) -> bool {
    matches!(text, "true" | "false" | "null") || Number::parse(text).is_some_and(Number::is_strict)
}

fn compound_or_string(text: &str, node: Option<SchemaNode<'_>>, options: &Options) -> Option<WholeValue> {
    match text.as_bytes().first()? {
        b'{' | b'[' => whole::read(text, node, options),
        b'"' => whole::read_strict(text, node, options),
        _ => None,
    }
}
