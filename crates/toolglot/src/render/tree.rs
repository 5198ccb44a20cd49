//! Writes `{tree}`: objects and arrays as nested elements.

use super::RenderError;
use super::json_tokens::{JsonToken, TokenBracket};
use super::template::fill;
use crate::dialect::{Dialect, Holder, Hole, Literal, Pattern};
use crate::json::is_number;
use crate::parser::is_name;

/// The element of an array's item.
const ITEM: &str = "item";

/// Returns whether a value can be written as elements: its text contains no markers, and it parses back without a schema.
pub(super) fn fits(pattern: &Pattern, tokens: &[JsonToken<'_>]) -> bool {
    let nests = matches!(tokens.first(), Some(JsonToken::Open(_))) && pattern.opening().is_some_and(Literal::is_strong);
    let plain = |pair: &[JsonToken<'_>]| match pair {
        [JsonToken::Open(_), JsonToken::Close(_)] => false,
        [JsonToken::Key(key), _] => is_name(key) && key != ITEM,
        [JsonToken::Text(text), _] => is_plain(text),
        _ => true,
    };
    nests && tokens.windows(2).all(plain)
}

/// Returns whether bare text is read as a string even without a schema.
fn is_plain(text: &str) -> bool {
    let text = text.trim();
    let word = matches!(text, "true" | "false" | "null" | "True" | "False" | "None");
    !word && !is_number(text.as_bytes()) && !text.starts_with(['{', '[', '"', '<'])
}

/// Writes the elements of an object or array.
pub(super) fn write(
    dialect: &Dialect,
    pattern: &Pattern,
    tokens: &[JsonToken<'_>],
    out: &mut String,
) -> Result<(), RenderError> {
    let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
    let (mut closers, mut key): (Vec<String>, _) = (Vec::new(), None);
    for token in inner {
        match token {
            JsonToken::Key(name) => key = Some(name.as_ref()),
            JsonToken::Close(TokenBracket::Object | TokenBracket::Array) => {
                out.push_str(&closers.pop().unwrap_or_default())
            }
            value => {
                let (opener, closer) = element(dialect, pattern, key.take().unwrap_or(ITEM))?;
                out.push_str(&opener);
                if matches!(value, JsonToken::Open(_)) {
                    closers.push(closer);
                } else {
                    out.push_str(value.bare());
                    out.push_str(&closer);
                }
            }
        }
    }
    Ok(())
}

/// Returns the text before and after the data of an element.
fn element(dialect: &Dialect, pattern: &Pattern, key: &str) -> Result<(String, String), RenderError> {
    let (mut opener, mut place) = (String::new(), 0);
    fill(dialect, pattern, &mut opener, |holder, out| {
        match holder {
            Holder::Head(Hole::Key) => out.push_str(key),
            Holder::Body(_) => place = out.len(),
            _ => {}
        }
        Ok(())
    })?;
    let closer = opener.split_off(place);
    Ok((opener, closer))
}
