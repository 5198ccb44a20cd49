//! Members of JSON that is already strict.

use crate::json;

/// Returns what a key says that stands as [`members`] returns it.
pub(crate) fn key_text(key: &str) -> String {
    json::decode(key.get(1..key.len().saturating_sub(1)).unwrap_or_default()).into_owned()
}

/// Returns the members of a strict JSON object: each key and value as they stand.
pub(crate) fn members(json: &str) -> Vec<(&str, &str)> {
    let bytes = json.as_bytes();
    let (mut members, mut depth, mut quoted) = (Vec::new(), 0usize, false);
    let (mut start, mut colon) = (0, None);
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' if quoted => at += 1,
            b'"' => quoted = !quoted,
            _ if quoted => {}
            b'{' | b'[' => {
                depth += 1;
                start = if depth == 1 { at + 1 } else { start };
            }
            b':' if depth == 1 => colon = colon.or(Some(at)),
            next @ (b',' | b'}' | b']') => {
                if let (1, Some(colon)) = (depth, colon.take_if(|_| depth == 1)) {
                    members.push((json[start..colon].trim(), json[colon + 1..at].trim()));
                    start = at + 1;
                }
                depth -= usize::from(next != b',' && depth > 0);
            }
            _ => {}
        }
        at += 1;
    }
    members
}
