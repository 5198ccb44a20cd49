//! What quotes in code mean.

use super::look::{Ahead, Lookahead};
use super::quote::Quote;
use super::state::OpenBracket;
use crate::view::{NotYet, is_blank};

/// Adjacent quotes that are examined: an empty triple-quoted string has six.
const ROW: usize = 6;

/// Characters before a string in code.
const BEFORE: &[u8] = b"([{=,:+ \t'";

/// Characters after a string in code, apart from white space and methods.
const BEHIND: &[u8] = b")]};,:\t\\'";

/// Returns whether a comma between a quote after the text `before` and one that ends at `behind` may be a string in code, as in
/// `join(", ")`, or separate two of them. Otherwise the quotes are the end of an array item and the start of the next.
pub(super) fn may_be_code(look: Lookahead<'_>, before: &str, behind: usize) -> Result<bool, NotYet> {
    let next = look.view.byte(behind)?;
    if before.ends_with("\\\"") || is_in_brackets(before) {
        return Ok(true);
    }
    if next == Some(b'"') {
        let ends = |byte| is_blank(byte) || matches!(byte, b',' | b']' | b')');
        let empty = look.view.byte(behind + 1)?.is_some_and(ends);
        return Ok(!empty);
    }
    let opens = before.bytes().last().is_some_and(|last| BEFORE.contains(&last)) || has_prefix(before.as_bytes());
    let Some(next) = next.filter(|_| opens) else { return Ok(false) };
    // Two blanks are an indentation, and a dot before anything but a letter begins a path.
    Ok(match next {
        b' ' => look.view.byte(behind + 1)? != Some(b' '),
        b'.' => look.view.byte(behind + 1)?.is_some_and(|byte| byte.is_ascii_alphabetic()),
        _ => BEHIND.contains(&next),
    })
}

/// Returns whether the text after a string that ends at `at` is that of a valid value, up to the end of all open brackets or
/// `reach`: a separator or the right bracket after each string.
pub(super) fn is_valid(look: Lookahead<'_>, open: &[OpenBracket], mut at: usize, reach: usize) -> Result<bool, NotYet> {
    let mut closers: Vec<u8> = open.iter().map(|frame| frame.bracket.closer()).collect();
    let mut ended = true;
    while at < reach && !closers.is_empty() {
        if let Some((quote, length)) = look.opens(at)? {
            let from = at + length;
            match look.string(quote, from, reach.saturating_sub(from))? {
                Ahead::Found(end) if !ended => (at, ended) = (end, true),
                Ahead::Found(_) => return Ok(false),
                Ahead::Ends => return Ok(true),
                Ahead::Absent => {
                    let inside = look.view.peek(from, reach.saturating_sub(from));
                    return Ok(!inside.iter().any(|byte| *byte < b' '));
                }
            }
            continue;
        }
        let Some(byte) = look.view.byte(at)? else { return Ok(true) };
        match byte {
            b'{' | b'[' | b'(' if !ended => closers.push(if byte == b'(' { b')' } else { byte + 2 }),
            b'}' | b']' | b')' if closers.pop() == Some(byte) => ended = true,
            b',' | b':' => ended = false,
            _ if is_blank(byte) => {}
            _ if ended || matches!(byte, b'}' | b']' | b')') => return Ok(false),
            _ => {}
        }
        at += 1;
    }
    Ok(true)
}

/// Returns whether a string of code may begin after a text: not after a word or a closing bracket.
pub(super) fn may_open(before: &str) -> bool {
    let closes = |last: char| last.is_alphanumeric() || ")]};.".contains(last);
    !before.ends_with(closes) || has_prefix(before.as_bytes())
}

/// Returns whether a text stops after a word in brackets that its last line opens: code breaks lines after a bracket or comma.
fn is_in_brackets(text: &str) -> bool {
    if !text.bytes().any(|byte| matches!(byte, b'(' | b'[' | b'{')) {
        return false;
    }
    let line = last_line(text);
    let depth = line.bytes().fold(0, |depth: i32, byte| match byte {
        b'(' | b'[' | b'{' => depth + 1,
        b')' | b']' | b'}' => depth - 1,
        _ => depth,
    });
    depth > 0 && !line.trim_end().ends_with(['(', '[', '{', ','])
}

/// Returns whether a quote after a text has the prefix of a string in code, as in `f("…")` with an `r` before the quote.
pub(super) fn has_prefix(before: &[u8]) -> bool {
    let (outer, prefix) = before.split_at(before.len().saturating_sub(1));
    let opens = outer.trim_ascii_end().last().is_some_and(|last| b"([{=,+".contains(last));
    opens && matches!(prefix, [b'f' | b'F' | b'r' | b'R' | b'b' | b'B' | b'u' | b'U' | b'L'])
}

/// Returns what precedes the quote that a text ends with.
pub(super) fn before_quote(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next_back();
    chars.as_str()
}

/// Returns the text after the last line break of a text, raw or escaped.
pub(super) fn last_line(text: &str) -> &str {
    text.rfind('\n').max(text.rfind("\\n")).map_or(text, |at| &text[at + 1..])
}

/// Counts the quotes in a text, escaped or not.
pub(super) fn count_quotes(text: &str, quote: Quote) -> usize {
    let bytes = text.as_bytes();
    (0..bytes.len())
        .filter(|&at| {
            quote.is(bytes[at]) && is_counted(last_before(&bytes[..at]), bytes[at], bytes.get(at + 1).copied())
        })
        .filter(|&at| !is_third(&bytes[..at], bytes[at]))
        .count()
}

/// Returns what precedes a quote after a text, apart from the backslash that escapes the quote.
pub(super) fn last_before(text: &[u8]) -> Option<u8> {
    text.strip_suffix(b"\\").unwrap_or(text).last().copied()
}

/// Returns whether a quote after a text is the last of three in a row, escaped or not, which open or close one string.
pub(super) fn is_third(before: &[u8], quote: u8) -> bool {
    let mut rest = before;
    let mut row = 0;
    while let Some(next) = rest.strip_suffix(b"\\").unwrap_or(rest).strip_suffix(&[quote]) {
        (rest, row) = (next, row + 1);
        if row == ROW {
            break;
        }
    }
    row % 3 == 2
}

/// Returns whether a quote counts: not an apostrophe in a word, nor a quote that is itself quoted.
pub(super) fn is_counted(before: Option<u8>, quote: u8, behind: Option<u8>) -> bool {
    let letter = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80);
    let apostrophe = quote == b'\'' && letter(before) && letter(behind);
    let quoted = before == behind && before.is_some_and(|byte| matches!(byte, b'"' | b'\'' | b'`') && byte != quote);
    !apostrophe && !quoted
}
