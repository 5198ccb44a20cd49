//! Maps a position inside a string of a TOML file to a position in the file.

use std::ops::Range;

/// Returns the position in the source of a part of a string; the whole string if that is not certain.
///
/// `span` is the string as written, with its quotes; `text` is its content.
pub(super) fn place(source: &str, span: &Range<usize>, text: &str, part: &Range<usize>) -> Range<usize> {
    let raw = source.get(span.clone()).unwrap_or_default();
    let offsets = offsets(raw);
    let exact = offsets.last().is_some_and(|last| last.0 == text.len());
    match (find(&offsets, part.start), find(&offsets, part.end)) {
        (Some(start), Some(end)) if exact && start < end => span.start + start..span.start + end,
        _ => span.clone(),
    }
}

fn find(offsets: &[(usize, usize)], at: usize) -> Option<usize> {
    // Of several places with one offset, the last is past a folded line break.
    offsets.iter().rev().find(|offset| offset.0 == at).map(|offset| offset.1)
}

/// Pairs each offset in a string's content with its offset in the string as written.
fn offsets(raw: &str) -> Vec<(usize, usize)> {
    let quote = raw.chars().next().unwrap_or('"');
    let long = raw.len() >= 6 && raw.chars().take(3).all(|c| c == quote);
    let open = if long { 3 } else { 1 };
    let end = raw.len().saturating_sub(open);
    let inside = raw.get(open..).filter(|_| long).unwrap_or_default();
    // A line break right after the three quotes is not part of the string.
    let mut at = open + ["\n", "\r\n"].iter().find(|end| inside.starts_with(**end)).map_or(0, |end| end.len());
    let mut offsets = vec![(0, at)];
    let mut value = 0;
    while let Some(rest) = raw.get(at..end).filter(|rest| !rest.is_empty()) {
        let (read, says) = step(rest, quote == '"');
        at += read;
        value += says;
        offsets.push((value, at));
    }
    offsets
}

/// Returns the number of bytes of the next character in the source and in the content.
fn step(raw: &str, escapes: bool) -> (usize, usize) {
    let mut chars = raw.chars();
    let first = chars.next().map_or(0, char::len_utf8);
    if !escapes || !raw.starts_with('\\') {
        return (first, first);
    }
    let digits = match chars.next() {
        Some('x') => 2,
        Some('u') => 4,
        Some('U') => 8,
        Some(c) if c.is_whitespace() => return (raw.len() - raw[1..].trim_start().len(), 0),
        _ => return (2, 1),
    };
    let code = raw.get(2..2 + digits).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    (2 + digits, code.and_then(char::from_u32).map_or(0, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::place;

    #[track_caller]
    fn check(raw: &str, text: &str, part: &str, expected: &str) {
        let start = text.find(part).expect("the part is in the text");
        let source = format!("call = {raw}");
        let found = place(&source, &(7..source.len()), text, &(start..start + part.len()));
        assert_eq!(&source[found], expected);
    }

    #[test]
    fn every_kind_of_string_is_walked() {
        check(r#""<a>{x}</a>""#, "<a>{x}</a>", "{x}", "{x}");
        check("'<a\\n>{x}'", "<a\\n>{x}", "{x}", "{x}");
        check(r#""\n\"\u00e9\U0001F600\x41{x}""#, "\n\"é😀A{x}", "{x}", "{x}");
        check("\"\"\"\n<a>\n{x}\"\"\"", "<a>\n{x}", "{x}", "{x}");
        check("'''\n<a>{x}'''", "<a>{x}", "{x}", "{x}");
        check("\"\"\"<a>\\\n   {x}\"\"\"", "<a>{x}", "{x}", "{x}");
    }

    #[test]
    fn what_does_not_add_up_is_marked_whole() {
        check("\"ab{x}\"", "ab{x}, and more", "{x}", "\"ab{x}\"");
    }
}
