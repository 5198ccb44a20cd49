//! Names of tools: their characters, and where one ends.

use std::ops::Range;

use super::{Head, HeadText, field_end, skip_gap, stands, token};
use crate::dialect::Literal;
use crate::view::{NotYet, View};

/// Bytes of a name. Chat protocols allow 64; this parser gives up after twice as many.
pub(crate) const NAME_LIMIT: usize = 128;

/// Returns the end of the name at `at`, including words and a special token that may be attached to it.
pub(super) fn end(view: View<'_>, at: usize, next: Option<&Literal>, head: &mut Head) -> Result<Option<usize>, NotYet> {
    let end = match name_end(view, at)? {
        Some(end) => Some(name_before(view, at..end, next, head)?),
        None => quoted_name(view, at)?,
    };
    let Some(end) = end else { return Ok(None) };
    let Some(next) = next else { return Ok(Some(end)) };
    if let Some(end) = spaced(view, at..end, next, head)? {
        head.spaced = true;
        return Ok(Some(end));
    }
    let stuck = if stands(view, end, [next], head)?.is_none() { token(view, end)? } else { None };
    let Some(token) = stuck else { return Ok(Some(end)) };
    let behind = name_end(view, token)?.unwrap_or(token);
    Ok(stands(view, skip_gap(view, behind)?, [next], head)?.map(|_| behind).or(Some(end)))
}

/// Returns the end of a name of these letters; the literal after it may look like a part of it.
fn name_before(view: View<'_>, word: Range<usize>, next: Option<&Literal>, head: &Head) -> Result<usize, NotYet> {
    let Some(next) = next.filter(|next| next.may_end_name()) else { return Ok(word.end) };
    if stands(view, skip_gap(view, word.end)?, [next], head)?.is_some() {
        return Ok(word.end);
    }
    for (length, _) in view.slice(word.start, word.end).char_indices().skip(1).collect::<Vec<_>>().into_iter().rev() {
        if stands(view, word.start + length, [next], head)?.is_some() {
            return Ok(word.start + length);
        }
    }
    Ok(word.end)
}

/// Returns the end of a name with spaces: the literal after it must follow.
fn spaced(view: View<'_>, word: Range<usize>, next: &Literal, head: &Head) -> Result<Option<usize>, NotYet> {
    if view.byte(word.end)? != Some(b' ') || stands(view, skip_gap(view, word.end)?, [next], head)?.is_some() {
        return Ok(None);
    }
    let (at, bounded) = (word.start, view.limited(word.start + NAME_LIMIT));
    let whole = view.within(bounded, field_end(bounded, at, Some(next), head))?;
    let is_word = |word: &str| word.chars().all(|next| is_name_char(next, false));
    Ok(whole.filter(|whole| view.slice(at, *whole).trim_end().split(' ').all(|word| !word.is_empty() && is_word(word))))
}

/// Returns the end of a name in quotes.
pub(super) fn quoted_name(view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
    let Some(quote @ (b'"' | b'\'')) = view.byte(at)? else { return Ok(None) };
    let end = name_end(view, at + 1)?;
    Ok(if end.map(|end| view.byte(end)).transpose()? == Some(Some(quote)) { end.map(|end| end + 1) } else { None })
}

/// Returns the end of the name that starts at `at`, `None` if there is none or it is too long.
pub(crate) fn name_end(view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
    let mut end = at;
    if view.byte(at)?.is_some_and(|first| first.is_ascii() && is_name_char(char::from(first), true)) {
        let peeked = view.peek(at, NAME_LIMIT + 1);
        end += peeked.iter().position(|byte| !NAME_BYTES[usize::from(*byte)]).unwrap_or(peeked.len());
    }
    // An ASCII byte that is none of a plain name ends it.
    while end - at <= NAME_LIMIT
        && !view.byte(end)?.is_some_and(|next| next.is_ascii())
        && let Some(next) = view.char(end)?.filter(|next| is_name_char(*next, end == at))
    {
        end += next.len_utf8();
        end += view.peek(end, NAME_LIMIT).iter().take_while(|byte| NAME_BYTES[usize::from(**byte)]).count();
    }
    if end - at > NAME_LIMIT {
        return Ok(None);
    }
    let name = &view.rest(at)[..end - at];
    let joints = name.iter().rev().take_while(|byte| matches!(byte, b':' | b'/' | b'-')).count();
    Ok((joints < name.len()).then_some(end - joints))
}

/// Reads a name with Markdown escapes before underscores, the first of them after `word`; returns it unescaped.
pub(crate) fn escaped_name(view: View<'_>, at: usize, word: Option<usize>) -> Result<Option<HeadText>, NotYet> {
    let mut end = word.unwrap_or(at);
    let plain = end;
    while view.byte(end)? == Some(b'\\') && view.byte(end + 1)? == Some(b'_') && end - at <= NAME_LIMIT {
        end = name_end(view, end + 2)?.unwrap_or(end + 2);
    }
    Ok((end > plain).then(|| HeadText::new(&view.slice(at, end).replace("\\_", "_"), at..end)))
}

/// Returns whether a whole text is one legal name.
pub(crate) fn is_name(text: &str) -> bool {
    let legal = |(at, next): (usize, char)| is_name_char(next, at == 0);
    !text.is_empty() && text.len() <= NAME_LIMIT && text.char_indices().all(legal)
}

/// The plain bytes that may be in names.
const NAME_BYTES: [bool; 256] = {
    let mut names = [false; 256];
    let mut byte = 0u8;
    while byte < 0x80 {
        names[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':' | b'/' | b'-');
        byte += 1;
    }
    names
};

fn is_name_char(next: char, first: bool) -> bool {
    next.is_alphanumeric() || next == '_' || !first && matches!(next, '.' | ':' | '/' | '-')
}
