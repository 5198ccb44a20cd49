//! Strict JSON, possibly truncated: its tokens, and the members of an object.

use std::borrow::Cow;
use std::ops::Range;

use super::write::decode;
use crate::view::is_blank;

/// Iterates over the tokens of strict JSON with their positions; strings include their quotes.
pub(crate) fn tokens(json: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += json[at..].bytes().take_while(|byte| is_blank(*byte)).count();
        let (start, rest) = (at, &json[at..]);
        at += match rest.bytes().next()? {
            b'"' => string_end(&rest[1..]).map_or(rest.len(), |quote| quote + 2),
            b'{' | b'}' | b'[' | b']' | b':' | b',' => 1,
            _ => rest.bytes().position(|byte| b" \t\n\r,:{}[]\"".contains(&byte)).unwrap_or(rest.len()),
        };
        Some(start..at)
    })
}

/// Returns where the quote occurs that ends a string, whose content begins the text.
pub(crate) fn string_end(content: &str) -> Option<usize> {
    let mut escaped = false;
    content.bytes().position(|byte| {
        let closes = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        closes
    })
}

/// Returns the members of an object: each key, decoded, and its value, unchanged.
pub(crate) fn members(json: &str) -> Vec<(Cow<'_, str>, &str)> {
    let (mut members, mut depth, mut key, mut colon) = (Vec::new(), 0usize, None, None);
    for Range { start, end } in tokens(json) {
        match json.as_bytes()[start] {
            b'{' | b'[' => depth += 1,
            b'"' if depth == 1 && key.is_none() => key = json.get(start + 1..end - 1).map(decode),
            b':' if depth == 1 => colon = Some(end),
            next @ (b',' | b'}' | b']') => {
                if depth == 1 {
                    members.extend(key.take().zip(colon.take()).map(|(key, colon)| (key, json[colon..start].trim())));
                }
                depth = depth.saturating_sub(usize::from(next != b','));
            }
            _ => {}
        }
    }
    members
}
