//! Where a template's text may be split: never inside a marker.

use std::ops::Range;

/// The longest marker in angle brackets; longer ones are prose or markup of a value.
const LONGEST: usize = 96;

/// Returns the markers of a text in order: known tokens, then texts with the shape of a marker.
pub(crate) fn markers(text: &str, special: &[String]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match marker_at(text, at, special) {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at += text[at..].chars().next().map_or(1, char::len_utf8),
        }
    }
    found
}

/// Moves a position back to the start of the marker around it.
pub(crate) fn whole_before(text: &str, at: usize, special: &[String]) -> usize {
    markers(text, special).iter().find(|marker| marker.start < at && at < marker.end).map_or(at, |marker| marker.start)
}

/// Moves a position forward to the end of the marker around it.
pub(crate) fn whole_behind(text: &str, at: usize, special: &[String]) -> usize {
    markers(text, special).iter().find(|marker| marker.start < at && at < marker.end).map_or(at, |marker| marker.end)
}

fn marker_at(text: &str, at: usize, special: &[String]) -> Option<usize> {
    let rest = &text[at..];
    let known = special.iter().filter(|token| !token.is_empty() && rest.starts_with(token.as_str()));
    if let Some(token) = known.max_by_key(|token| token.len()) {
        return Some(at + token.len());
    }
    let length = match rest.chars().next()? {
        '<' => bracketed(rest, '<', '>').or_else(|| doubled(rest)),
        ']' => squared(rest),
        '[' => capitals(rest).or_else(|| squared(rest)),
        open => bracketed(rest, open, BRACKETS.iter().find(|pair| pair.0 == open)?.1),
    }?;
    Some(at + length)
}

/// Brackets that occur in few languages' prose, and not in JSON.
const BRACKETS: [(char, char); 8] =
    [('〈', '〉'), ('⟨', '⟩'), ('⟦', '⟧'), ('⟪', '⟫'), ('《', '》'), ('【', '】'), ('〔', '〕'), ('⦃', '⦄')];

/// `<<…>>` with as many brackets on both sides.
fn doubled(rest: &str) -> Option<usize> {
    let count = rest.bytes().take_while(|byte| *byte == b'<').count();
    let inner = bracketed(&rest[count - 1..], '<', '>')?;
    let end = count - 1 + inner;
    let closed = rest[end..].bytes().take_while(|byte| *byte == b'>').count() + 1;
    (count > 1 && closed >= count).then_some(end + count - 1)
}

/// `<…>` on one line.
fn bracketed(rest: &str, open: char, close: char) -> Option<usize> {
    let inside = &rest[open.len_utf8()..];
    let end = inside.find([close, open, '\n'])?;
    let is_marker = inside[end..].starts_with(close) && end > 0 && end <= LONGEST;
    let starts = inside.starts_with(|c: char| !c.is_whitespace() && c != '=');
    (is_marker && starts).then_some(open.len_utf8() + end + close.len_utf8())
}

/// `[TOOL_CALLS]`, `[/INST]`.
fn capitals(rest: &str) -> Option<usize> {
    let end = rest.find(']')?;
    let word = rest[1..end].trim_start_matches('/');
    let is_word = !word.is_empty() && word.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == ' ');
    is_word.then_some(end + 1)
}

/// `]<]minimax[>[`, `[e~[`, `]~b]`: a word between runs of brackets.
fn squared(rest: &str) -> Option<usize> {
    const BRACKETS: [char; 6] = ['[', ']', '<', '>', '~', '!'];
    let start = rest.find(|c| !BRACKETS.contains(&c))?;
    let word = rest[start..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != '/' && c != ':')?;
    let end = start + word;
    let close = rest[end..].chars().take_while(|c| BRACKETS.contains(c)).count();
    // All of these characters are single bytes.
    let marker = &rest[..end + close];
    (word > 0 && close > 0 && marker.contains('~') | (start > 1 && close > 1 && marker.contains('<')))
        .then_some(end + close)
}

#[cfg(test)]
mod tests {
    use super::{markers, whole_before};

    fn found(text: &str) -> Vec<&str> {
        markers(text, &["▁x▁".to_owned()]).into_iter().map(|marker| &text[marker]).collect()
    }

    #[test]
    fn markers_have_a_shape_or_are_known() {
        assert_eq!(found("a<|im_start|>b</think>\n<x y=\"1\">"), ["<|im_start|>", "</think>", "<x y=\"1\">"]);
        assert_eq!(found("[TOOL_CALLS][{\"a\": [1]}][/INST]"), ["[TOOL_CALLS]", "[/INST]"]);
        assert_eq!(
            found("]<]minimax[>[ ]~b]ai\n[e~[ 〈|EOS|〉▁x▁"),
            ["]<]minimax[>[", "]~b]", "[e~[", "〈|EOS|〉", "▁x▁"]
        );
        assert_eq!(found("a<<end>>b【x】⟦⟪y⟫⟧<<a>"), ["<<end>>", "【x】", "⟦⟪y⟫⟧", "<a>"]);
        assert_eq!(found("1 < 2 and 3 > 2, a <= b"), [""; 0]);
    }

    #[test]
    fn a_cut_moves_out_of_a_marker() {
        assert_eq!(whole_before("x</think>", 2, &[]), 1);
        assert_eq!(whole_before("x</think>", 1, &[]), 1);
    }
}
