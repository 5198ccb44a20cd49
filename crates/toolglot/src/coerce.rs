//! Converts text and scalars to JSON of the type that a schema declares.
//!
//! Only the declared types determine the result. Numbers are
//! converted as text, so that no digit is lost in a float.

use crate::diagnostic::Diagnostic;
use crate::json::decode;
use crate::options::{Options, Untyped, Validation};
use crate::schema::{SchemaNode, Types};

mod bare;
mod choice;
mod fit;
mod number;
mod open;
mod whole;
mod wrap;

pub(crate) use fit::misfit;
use number::Number;
use whole::Output;
pub(crate) use wrap::{echoed, only_scalar, wrapped, wraps};

/// The result of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Conversion {
    /// The value has its declared type, or none is declared.
    Fits,
    /// The value was converted to a declared type.
    Coerced,
    /// No declared type fits; the value is unchanged.
    Mismatch,
}

/// What the dialect itself declares about a value's type (`string="true"`, `type="number"`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Hint {
    /// Nothing: the schema decides, then the caller's policy for untyped text.
    #[default]
    None,
    /// The value is text.
    String,
    /// The value is JSON.
    Json,
}

/// Appends the JSON of a value that its dialect writes as bare text, and the repairs made in it; spans count from the
/// start of `raw`.
pub(crate) fn text(
    raw: &str,
    node: Option<SchemaNode<'_>>,
    hint: Hint,
    options: &Options,
    out: &mut String,
    repairs: &mut Vec<Diagnostic>,
) -> Conversion {
    let known = repairs.len();
    let verdict = hinted(raw, node, hint, options, &mut Output { json: out, repairs });
    let leading = raw.len() - raw.trim_start_matches(BLANKS).len();
    for repair in repairs.iter_mut().skip(known) {
        let place = |at: usize| (at + leading).min(raw.len());
        repair.span = place(repair.span.start)..place(repair.span.end);
    }
    verdict
}

/// Reads bare text according to its known type: the dialect's hint, the schema, the caller's policy.
fn hinted(raw: &str, node: Option<SchemaNode<'_>>, hint: Hint, options: &Options, out: &mut Output<'_>) -> Conversion {
    let declared = node.filter(|node| !node.types().is_open());
    match (hint, declared) {
        (Hint::Json, _) => json(raw, node, options, out),
        (Hint::None, Some(node)) => bare::read(raw, node, options, out),
        (Hint::String, Some(node)) if node.types().has(Types::STRING) => bare::plain(raw, node, options, out),
        (Hint::String, Some(node)) => match bare::read(raw, node, options, out) {
            Conversion::Fits => Conversion::Coerced,
            verdict => verdict,
        },
        (Hint::None, None) if options.untyped == Untyped::Infer => {
            open::infer(raw, node, options, out);
            Conversion::Fits
        }
        (Hint::None | Hint::String, None) => {
            out.string(raw);
            Conversion::Fits
        }
    }
}

/// Appends the JSON of a string or scalar, converted if the schema requires it.
pub(crate) fn value(json: &str, node: SchemaNode<'_>, options: &Options, out: &mut String) -> Conversion {
    match json.strip_prefix('"').and_then(|json| json.strip_suffix('"')) {
        Some(content) => string(&decode(content), json, node, options, out),
        None => scalar(json, node, options, out),
    }
}

/// Appends the JSON of a value that was written as a JSON string, converted if the schema requires it.
///
/// `source` is the strict JSON string to emit if nothing is converted, `content` its decoded text.
pub(crate) fn string(
    content: &str,
    source: &str,
    node: SchemaNode<'_>,
    options: &Options,
    out: &mut String,
) -> Conversion {
    if node.types().is_open() || node.types().has(Types::STRING) && choice::allows_string(content, node) {
        out.push_str(source);
        return Conversion::Fits;
    }
    if converts(options) && convert_string(content, node, options, out) {
        return Conversion::Coerced;
    }
    out.push_str(source);
    Conversion::Mismatch
}

/// Appends the JSON of a number, boolean or null, converted if the schema requires it.
pub(crate) fn scalar(token: &str, node: SchemaNode<'_>, options: &Options, out: &mut String) -> Conversion {
    if is_declared(token, node) {
        out.push_str(token);
        return Conversion::Fits;
    }
    match scalar_as_declared(token, node).filter(|_| converts(options)) {
        Some(converted) => {
            out.push_str(&converted);
            Conversion::Coerced
        }
        None => {
            out.push_str(token);
            Conversion::Mismatch
        }
    }
}

/// Appends the JSON of text that its dialect declares to be JSON; other text is read as if nothing were declared.
fn json(raw: &str, node: Option<SchemaNode<'_>>, options: &Options, out: &mut Output<'_>) -> Conversion {
    let text = trim(raw);
    let declared = node.filter(|node| !node.types().is_open());
    match declared {
        Some(node) if open::is_scalar(text) => scalar(text, node, options, out.json),
        Some(node) if text.starts_with('"') => match serde_json::from_str::<String>(text) {
            Ok(content) => string(&content, text, node, options, out.json),
            Err(_) => bare::read(raw, node, options, out),
        },
        Some(node) if node.types().only(Types::STRING) && converts(options) => match whole::read(text, None, options) {
            Some(whole) => {
                out.string(&whole.json);
                out.repairs.extend(whole.repairs);
                Conversion::Coerced
            }
            None => bare::plain(raw, node, options, out),
        },
        Some(node) => bare::read(raw, node, options, out),
        None => {
            match open::is_scalar(text) {
                true => out.push(text),
                false => open::infer(raw, node, options, out),
            }
            Conversion::Fits
        }
    }
}

fn convert_string(content: &str, node: SchemaNode<'_>, options: &Options, out: &mut String) -> bool {
    if !node.types().has(Types::STRING) {
        let mut out = Output { json: out, repairs: &mut Vec::new() };
        return bare::convert(content, node, options, 1, &mut out).is_some();
    }
    let choice = choice::of_text(content, node);
    out.push_str(choice.map_or("", |choice| &choice.json));
    choice.is_some()
}

/// Returns whether a number, boolean or null may stay unchanged.
pub(crate) fn is_declared(token: &str, node: SchemaNode<'_>) -> bool {
    node.types().is_open() || scalar_fits(token, node)
}

/// Returns whether a number, boolean or null has the type that a node declares.
fn scalar_fits(token: &str, node: SchemaNode<'_>) -> bool {
    let types = node.types();
    let typed = match token {
        "null" => return types.has(Types::NULL),
        "true" | "false" => types.has(Types::BOOLEAN),
        _ if types.has(Types::NUMBER) => true,
        _ => types.has(Types::INTEGER) && Number::parse(token).is_some_and(Number::is_whole),
    };
    typed && choice::allows_scalar(token, node)
}

/// Returns a number or boolean as the string that a node declares; `None` for null.
fn scalar_as_declared(token: &str, node: SchemaNode<'_>) -> Option<String> {
    if !node.types().has(Types::STRING) || token == "null" {
        return None;
    }
    if node.choices().is_empty() {
        return Some(format!("\"{token}\""));
    }
    choice::of_text(token, node).filter(|choice| choice.is_string()).map(|choice| choice.json.clone())
}

/// Returns whether values are converted, not only compared with what is declared.
fn converts(options: &Options) -> bool {
    options.validation != Validation::Lenient
}

/// Trims the white space of JSON from both ends.
fn trim(text: &str) -> &str {
    text.trim_matches(BLANKS)
}

const BLANKS: [char; 4] = [' ', '\t', '\n', '\r'];

#[cfg(test)]
mod tests;
