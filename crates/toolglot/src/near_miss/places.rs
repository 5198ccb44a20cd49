//! Places where a call may be hidden in a text: code, words that may be names, bytes with which calls begin.

use std::collections::BTreeSet;
use std::ops::Range;

/// Returns where the last `size` bytes of a text begin, at a character.
pub(super) fn window(text: &str, size: usize) -> usize {
    let start = text.len().saturating_sub(size);
    (start..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// Returns the last end of a character at or before a length.
pub(super) fn floor(text: &str, length: usize) -> usize {
    let length = length.min(text.len());
    (0..=length).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// Returns the contents of Markdown fences and code spans; an open fence ends with the text.
pub(super) fn code(text: &str) -> Vec<Range<usize>> {
    let (mut found, mut fence) = (Vec::new(), None::<(usize, &str)>);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, next) = (at, at + line.len());
        at = next;
        let trimmed = line.trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        match (fence, mark) {
            (Some((from, open)), Some(mark)) if open == mark => {
                found.push(from..start);
                fence = None;
            }
            (None, Some(mark)) if !trimmed[mark.len()..].contains('`') => fence = Some((next, mark)),
            (None, _) => spans(line, start, &mut found),
            _ => {}
        }
    }
    found.extend(fence.map(|(from, _)| from..text.len()));
    found.retain(|place| !place.is_empty());
    found
}

/// Returns a text with some spans blanked, so that all positions stay the same.
pub(super) fn without(text: &str, places: &[Range<usize>]) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for place in places {
        bytes[place.clone()].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Adds the code spans of a line.
fn spans(line: &str, start: usize, found: &mut Vec<Range<usize>>) {
    let mut at = 0;
    while let Some(open) = line[at..].find('`').map(|open| at + open) {
        let run = line[open..].bytes().take_while(|byte| *byte == b'`').count();
        let inside = open + run;
        let Some(length) = line[inside..].find(&line[open..inside]) else { return };
        found.push(start + inside..start + inside + length);
        at = inside + length + run;
    }
}

/// Returns the words with which JSON names a tool, such as `ls` in `"name": "ls"`.
pub(super) fn json_names(text: &str) -> BTreeSet<&str> {
    let keys = ["\"name\"", "\"tool\"", "\"function\"", "\"tool_name\""];
    let behind = keys.iter().flat_map(|key| text.match_indices(key).map(|(at, key)| &text[at + key.len()..]));
    behind.filter_map(json_name).collect()
}

/// Returns the string after a key, if it is a possible name.
fn json_name(rest: &str) -> Option<&str> {
    let word = rest.trim_start().strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let length = word.bytes().take_while(|byte| is_name(*byte)).count();
    (length > 0 && length <= LONGEST_NAME && word[length..].starts_with('"')).then(|| &word[..length])
}

/// Returns the words in the usual places of a tool's name: next to a quote, a bracket or a tag, after a colon,
/// or alone on a line.
pub(super) fn names(text: &str) -> BTreeSet<&str> {
    let mut names = BTreeSet::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let length = bytes[at..].iter().take_while(|byte| is_name(**byte)).count();
        if length == 0 {
            at += 1;
            continue;
        }
        let word = at..at + length;
        at = word.end;
        let before = text[..word.start].trim_end_matches([' ', '\t']).bytes().next_back();
        let after = text[word.end..].trim_start_matches([' ', '\t']).bytes().next();
        let marked = |byte: Option<u8>| byte.is_none_or(|byte| b"\"'<>=[](){}:\n|".contains(&byte) || byte > 127);
        let begins = bytes[word.start].is_ascii_alphabetic() || bytes[word.start] == b'_';
        // Any tag would be a call if its name were that of a tool.
        let is_tag = text[..word.start].ends_with(['<', '/']);
        if begins && !is_tag && length <= LONGEST_NAME && marked(before) && marked(after) {
            names.extend(text.get(word).map(|word| word.trim_end_matches(['.', '-'])));
        }
    }
    names
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// The names of functions that APIs allow.
const LONGEST_NAME: usize = 64;

/// Returns the places where a call may begin: a bracket, or a word with a bracket or colon after it.
pub(super) fn beginnings(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let word_end = move |at: usize| at + bytes[at..].iter().take_while(|byte| is_name(**byte)).count();
    (0..bytes.len()).filter(move |&at| match bytes[at] {
        b'<' | b'[' | b'{' => bytes.get(at + 1).is_some_and(|next| !next.is_ascii_whitespace() || bytes[at] == b'{'),
        byte if byte.is_ascii_alphabetic() => {
            let is_start = at == 0 || !is_name(bytes[at - 1]);
            is_start && bytes.get(word_end(at)).is_some_and(|next| matches!(next, b'(' | b':'))
        }
        _ => false,
    })
}
