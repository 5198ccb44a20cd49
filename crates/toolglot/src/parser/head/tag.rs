//! Recognises tags and special tokens by their form.

use super::{NAME_LIMIT, name_end};
use crate::view::{NotYet, View, is_blank};

/// Returns the name of a bare tag whose `<` or `</` ends at `at`, and the tag's end.
pub(crate) fn named_tag(view: View<'_>, at: usize) -> Result<Option<(&str, usize)>, NotYet> {
    let Some(end) = name_end(view, at)? else { return Ok(None) };
    let closed = view.byte(end)? == Some(b'>') && !view.is_forged(at.saturating_sub(2), end + 1);
    Ok(closed.then(|| (view.slice(at, end), end + 1)))
}

/// Returns what a closing tag whose `</` ends at `at` closes, and the tag's end; it need not be a name.
pub(crate) fn closing_tag(view: View<'_>, at: usize) -> Result<Option<(&str, usize)>, NotYet> {
    let peeked = view.peek(at, NAME_LIMIT);
    match peeked.iter().position(|byte| matches!(byte, b'>' | b'<' | b'"' | b'\'') || is_blank(*byte)) {
        Some(length) if length > 0 && peeked[length] == b'>' => {
            let end = at + length + 1;
            Ok((!view.is_forged(at.saturating_sub(2), end)).then(|| (view.slice(at, end - 1), end)))
        }
        Some(_) => Ok(None),
        None if peeked.len() >= NAME_LIMIT => Ok(None),
        None => view.final_end().map(|_| None),
    }
}

/// Returns the end of a text with the form of a special token: `<` and a sign with which no tag begins, up to `>`.
pub(crate) fn token(view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
    let found = if view.byte(at)? == Some(b'<') { closing_tag(view, at + 1)? } else { None };
    let is_token = |name: &str| !name.starts_with(|first: char| first.is_alphanumeric() || first == '/');
    Ok(found.filter(|(name, _)| is_token(name)).map(|(_, end)| end))
}

/// How an open tag continues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TagEnd {
    Closed,
    /// Another tag begins, or the end is too far away.
    Open,
    /// The input ended inside it.
    Cut,
}

/// Returns how the tag that is open at `at` continues.
pub(crate) fn tag_end(view: View<'_>, at: usize) -> Result<TagEnd, NotYet> {
    let peeked = view.peek(at, NAME_LIMIT);
    match memchr::memchr2(b'>', b'<', peeked) {
        Some(ahead) if peeked[ahead] == b'>' => Ok(TagEnd::Closed),
        Some(_) => Ok(TagEnd::Open),
        None if peeked.len() >= NAME_LIMIT => Ok(TagEnd::Open),
        None => view.final_end().map(|_| TagEnd::Cut),
    }
}
