//! Values of an `enum` or `const`, and the texts that spell one of them.

use crate::schema::{EnumValue, SchemaNode};

/// Returns whether a string may stay unchanged: the node has no choices, or it is one of them.
pub(super) fn allows_string(content: &str, node: SchemaNode<'_>) -> bool {
    node.choices().is_empty() || node.choices().iter().any(|choice| choice.is_string() && choice.text == content)
}

/// Returns whether a number, boolean or null may stay unchanged.
///
/// Numbers are compared as floats, which only decides whether to report a mismatch.
pub(super) fn allows_scalar(token: &str, node: SchemaNode<'_>) -> bool {
    let same = |choice: &EnumValue| {
        choice.text == token || token.parse::<f64>().is_ok_and(|number| choice.text.parse() == Ok(number))
    };
    let mut others = node.choices().iter().filter(|choice| !choice.is_string());
    node.choices().is_empty() || node.only_strings_choose() || others.any(same)
}

/// Returns whether an object or array may stay unchanged; its JSON is compared by value.
pub(super) fn allows_compound(json: &str, node: SchemaNode<'_>) -> bool {
    if node.choices().is_empty() || node.only_strings_choose() {
        return true;
    }
    let value = |json: &str| serde_json::from_str::<serde_json::Value>(json).ok();
    let own = value(json);
    own.is_some() && node.choices().iter().any(|choice| value(&choice.json) == own)
}

/// Returns the choice that a text spells exactly; a string takes precedence over other values.
pub(super) fn of_exact_text<'s>(text: &str, node: SchemaNode<'s>) -> Option<&'s EnumValue> {
    let spelled = || node.choices().iter().filter(|choice| choice.text == text);
    spelled().find(|choice| choice.is_string()).or_else(|| spelled().next())
}

/// Returns the choice that a text spells if white space around it, then case, then quotes and an attached tag are ignored;
/// `None` unless there is exactly one.
pub(super) fn of_text<'s>(text: &str, node: SchemaNode<'s>) -> Option<&'s EnumValue> {
    let trimmed = text.trim();
    of_exact_text(text, node)
        .or_else(|| only(node, |choice| choice.text.trim() == trimmed))
        .or_else(|| {
            only(node, |choice| choice.is_string() && choice.text.trim().to_lowercase() == trimmed.to_lowercase())
        })
        .or_else(|| only(node, |choice| choice.is_string() && choice.text.trim() == unstuck(trimmed)))
}

/// Returns a text without the tag at its end and the quotes around it.
fn unstuck(text: &str) -> &str {
    let tag = text.rfind('<').filter(|_| text.ends_with('>'));
    tag.map_or(text, |tag| &text[..tag]).trim().trim_matches(['"', '\'', '`']).trim()
}

fn only<'s>(node: SchemaNode<'s>, fits: impl Fn(&EnumValue) -> bool) -> Option<&'s EnumValue> {
    let mut fitting = node.choices().iter().filter(|choice| fits(choice));
    fitting.next().filter(|first| fitting.all(|other| other == *first))
}
