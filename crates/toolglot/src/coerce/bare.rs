//! Bare text with declared types: the most specific type that matches wins.

use std::borrow::Cow;

use super::number::Number;
use super::whole::{self, Output};
use super::{Conversion, Hint, choice, converts, only_scalar, open, trim, wraps};
use crate::diagnostic::{Code, Diagnostic, excerpt};
use crate::json::{LEVELS, WholeValue};
use crate::options::{NullText, Options};
use crate::schema::{SchemaNode, Types};

/// Appends the JSON of bare text for a node that declares types.
///
/// Text that matches none of them is a string or, if no string is declared, the JSON value that it spells, if any.
pub(super) fn read(raw: &str, node: SchemaNode<'_>, options: &Options, out: &mut Output<'_>) -> Conversion {
    let types = node.types();
    if types.only(Types::STRING) {
        return plain(raw, node, options, out);
    }
    if raw == "null" && types.has(Types::NULL) && types.has(Types::STRING) && options.null_text == NullText::Null {
        out.push("null");
        return Conversion::Fits;
    }
    let choice = choice::of_exact_text(trim(raw), node);
    if let Some(choice) = choice.filter(|choice| !choice.is_string() || choice.text == raw) {
        out.push(&choice.json);
        return Conversion::Fits;
    }
    if let Some(verdict) = convert(raw, node, options, 0, out) {
        return verdict;
    }
    if types.has(Types::STRING) {
        return plain(raw, node, options, out);
    }
    if let Some((json, repair)) = guessed(trim(raw), node, options) {
        out.push(&json);
        out.repairs.push(repair);
        return Conversion::Fits;
    }
    match trim(raw).eq_ignore_ascii_case("null") {
        true => out.push("null"),
        false => open::infer(raw, None, options, out),
    }
    Conversion::Mismatch
}

/// Returns text as an array of one value, or as the only member of an object, and reports it.
fn guessed(text: &str, node: SchemaNode<'_>, options: &Options) -> Option<(String, Diagnostic)> {
    let (code, json) = match wraps(node, options) {
        Some(None) => {
            let mut out = String::new();
            open::infer(text, None, options, &mut Output { json: &mut out, repairs: &mut Vec::new() });
            (Code::WrapScalar, format!("[{out}]"))
        }
        Some(Some(item)) => {
            let mut out = String::new();
            let verdict = super::text(text, Some(item), Hint::None, options, &mut out, &mut Vec::new());
            (Code::WrapScalar, Some(format!("[{out}]")).filter(|_| verdict != Conversion::Mismatch)?)
        }
        None => {
            let allowed = text.starts_with('{') && converts(options) && options.repairs.allow(Code::UnwrapObject);
            let whole = whole::read(text, None, options).filter(|_| allowed)?;
            let (mut out, member) = (String::new(), only_scalar(&whole.json)?);
            let verdict = super::value(member, node, options, &mut out);
            (Code::UnwrapObject, Some(out).filter(|_| verdict != Conversion::Mismatch)?)
        }
    };
    let message = format!("read `{}` as `{}`", excerpt(text), excerpt(&json));
    Some((json, Diagnostic::new(code, 0..text.len(), message)))
}

/// Appends text as a string: unchanged, or as the one value of an `enum` that it spells.
pub(super) fn plain(raw: &str, node: SchemaNode<'_>, options: &Options, out: &mut Output<'_>) -> Conversion {
    if choice::allows_string(raw, node) {
        out.string(raw);
        return Conversion::Fits;
    }
    match choice::of_text(raw, node).filter(|_| converts(options)) {
        Some(choice) => {
            out.push(&choice.json);
            Conversion::Coerced
        }
        None => {
            out.string(raw);
            Conversion::Mismatch
        }
    }
}

/// Appends text as a declared type other than string; `None` if none matches.
///
/// If a string is declared, too, only text that is spelled exactly like another type becomes one: `007` and `+5` stay
/// text. `level` counts the strings that were decoded to reach the text.
pub(super) fn convert(
    text: &str,
    node: SchemaNode<'_>,
    options: &Options,
    level: u8,
    out: &mut Output<'_>,
) -> Option<Conversion> {
    let text = trim(text);
    if let Some((json, verdict)) = literal(text, node.types()).or_else(|| numeric(text, node.types())) {
        if !choice::allows_scalar(&json, node) {
            return None;
        }
        out.push(&json);
        return Some(verdict);
    }
    if let Some(whole) = compound(text, node, options) {
        out.whole(whole);
        return Some(if level == 0 { Conversion::Fits } else { Conversion::Coerced });
    }
    if node.types().has(Types::STRING) || level >= LEVELS {
        return None;
    }
    convert(&unquoted(text)?, node, options, level + 1, out).map(|_| Conversion::Coerced)
}

/// Returns the content of quoted text: a JSON string, or single quotes around text that needs no escapes.
fn unquoted(text: &str) -> Option<Cow<'_, str>> {
    if text.starts_with('"') {
        return serde_json::from_str::<String>(text).ok().map(Cow::Owned);
    }
    let content = text.strip_prefix('\'')?.strip_suffix('\'')?;
    (!content.contains(['\'', '\\'])).then_some(Cow::Borrowed(content))
}

/// Reads null and booleans, also as `True`, `False` and `None`, since templates of untyped dialects write them.
fn literal(text: &str, types: Types) -> Option<(Cow<'_, str>, Conversion)> {
    if text.eq_ignore_ascii_case("null") || text == "None" {
        let verdict = if text == "null" || text == "None" { Conversion::Fits } else { Conversion::Coerced };
        return (types.has(Types::NULL) && !types.has(Types::STRING)).then_some(("null".into(), verdict));
    }
    let value = ["true", "false"].into_iter().find(|value| value.eq_ignore_ascii_case(text))?;
    let usual = matches!(text, "true" | "false" | "True" | "False");
    let allowed = types.has(Types::BOOLEAN) && (usual || !types.has(Types::STRING));
    allowed.then_some((value.into(), if usual { Conversion::Fits } else { Conversion::Coerced }))
}

fn numeric(text: &str, types: Types) -> Option<(Cow<'_, str>, Conversion)> {
    let number = Number::parse(text)?;
    let exact = number.is_strict()
        && (types.has(Types::NUMBER) || types.has(Types::INTEGER) && (number.is_integer() || number.is_integral()));
    if exact {
        return Some((text.into(), Conversion::Fits));
    }
    if types.has(Types::STRING) {
        return None;
    }
    let decimal = if types.has(Types::NUMBER) { Some(number.decimal()) } else { None };
    let decimal = decimal.or_else(|| number.integer().filter(|_| types.has(Types::INTEGER)));
    decimal.map(|decimal| (decimal.into(), Conversion::Coerced))
}

fn compound(text: &str, node: SchemaNode<'_>, options: &Options) -> Option<WholeValue> {
    let declared = match text.as_bytes().first()? {
        b'{' => Types::OBJECT,
        b'[' => Types::ARRAY,
        _ => return None,
    };
    let reader = if node.types().has(Types::STRING) { whole::read_strict } else { whole::read };
    reader(text, Some(node), options).filter(|_| node.types().has(declared))
}
