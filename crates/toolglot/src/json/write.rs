//! Writes JSON strings, and decodes strict ones.

use std::borrow::Cow;

/// Appends `text` as a JSON string.
pub(crate) fn write_string(text: &str, out: &mut String) {
    out.push('"');
    write_escaped(text, out);
    out.push('"');
}

/// Appends `text` as the content of a JSON string.
pub(crate) fn write_escaped(text: &str, out: &mut String) {
    // Room for all at once, and for escapes as code has them: a long buffer that grows is copied.
    out.reserve(text.len() + text.len() / 16);
    let mut rest = text;
    loop {
        let run = clean_run(rest.as_bytes());
        let Some(&byte) = rest.as_bytes().get(run) else { return out.push_str(rest) };
        out.push_str(&rest[..run]);
        write_escape(byte, out);
        rest = &rest[run + 1..];
    }
}

/// Returns the length of the run of bytes that need no escape, found eight at a time.
pub(crate) fn clean_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const HIGH: u64 = ONES << 7;
    let zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let (blocks, rest) = bytes.as_chunks::<8>();
    for (at, block) in blocks.iter().enumerate() {
        let word = u64::from_le_bytes(*block);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let dirty = control | zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\')));
        if dirty & HIGH != 0 {
            return at * 8 + (dirty & HIGH).trailing_zeros() as usize / 8;
        }
    }
    blocks.len() * 8 + rest.iter().take_while(|&&byte| !DIRTY[byte as usize]).count()
}

fn write_escape(byte: u8, out: &mut String) {
    match byte {
        b'"' => out.push_str("\\\""),
        b'\\' => out.push_str("\\\\"),
        b'\n' => out.push_str("\\n"),
        b'\t' => out.push_str("\\t"),
        b'\r' => out.push_str("\\r"),
        0x08 => out.push_str("\\b"),
        0x0c => out.push_str("\\f"),
        _ => {
            out.push_str("\\u00");
            out.push(if byte < 0x10 { '0' } else { '1' });
            out.push(char::from(b"0123456789abcdef"[usize::from(byte & 15)]));
        }
    }
}

/// Decodes strict JSON string contents; a lone surrogate is U+FFFD.
pub(crate) fn decode(source: &str) -> Cow<'_, str> {
    if !source.contains('\\') {
        return Cow::Borrowed(source);
    }
    let mut out = String::with_capacity(source.len());
    let mut rest = source;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = decode_escape(&rest[at + 1..], &mut out);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Returns the position in strict JSON string contents of the byte that [`decode`] puts at `decoded`.
pub(super) fn source_offset(source: &str, decoded: usize) -> usize {
    let (mut rest, mut out) = (source, String::new());
    let mut left = decoded;
    while let Some(at) = rest.find('\\').filter(|at| *at < left) {
        out.clear();
        left -= at;
        rest = decode_escape(&rest[at + 1..], &mut out);
        left = left.saturating_sub(out.len());
    }
    (source.len() - rest.len() + left).min(source.len())
}

/// Decodes the escape whose backslash precedes `rest`; returns the remaining text.
fn decode_escape<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let mut chars = rest.chars();
    match chars.next() {
        Some('n') => out.push('\n'),
        Some('t') => out.push('\t'),
        Some('r') => out.push('\r'),
        Some('b') => out.push('\u{8}'),
        Some('f') => out.push('\u{c}'),
        Some('u') => return decode_unicode(chars.as_str(), out),
        Some(other) => out.push(other),
        None => {}
    }
    chars.as_str()
}

fn decode_unicode<'a>(rest: &'a str, out: &mut String) -> &'a str {
    let Some(first) = hex4(rest) else { return rest };
    let rest = &rest[4..];
    if let Some(second) = rest.strip_prefix("\\u").and_then(hex4)
        && (0xd800..0xdc00).contains(&first)
        && (0xdc00..0xe000).contains(&second)
    {
        let scalar = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
        out.push(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
        return &rest[6..];
    }
    out.push(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER));
    rest
}

fn hex4(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Returns whether a byte of content must be escaped in a JSON string.
pub(crate) const fn needs_escape(byte: u8) -> bool {
    byte < 0x20 || matches!(byte, b'"' | b'\\')
}

const DIRTY: [bool; 256] = {
    let mut dirty = [false; 256];
    let mut byte = 0;
    while byte < 0x80 {
        dirty[byte] = needs_escape(byte as u8);
        byte += 1;
    }
    dirty
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_what_serde_json_reads() {
        let all: String = (0..0x250)
            .filter_map(char::from_u32)
            .chain("plain text\u{1F600}é, long enough for blocks".chars())
            .collect();
        let mut out = String::new();
        write_string(&all, &mut out);
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), all);
        assert_eq!(decode(&out[1..out.len() - 1]), all);
        assert!(out.contains("\\u001f") && out.contains('\u{7f}') && out.contains("\\b") && out.contains('é'));
    }

    #[test]
    fn decodes_every_escape() {
        assert_eq!(
            decode(r#"a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\ud83dx"#),
            "a\"\\/\u{8}\u{c}\n\r\té\u{1F600}\u{fffd}x"
        );
    }
}
