//! Closes a truncated object, for callers that accept unfinished calls.

use std::ops::Range;

use super::strict::{string_end, tokens};

/// The state at the end of a truncated object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CutPlace {
    /// After an opening bracket or a comma: a member may follow.
    Member,
    /// In a string.
    Text,
    /// After a key.
    Key,
    /// After a colon.
    Colon,
    /// After a value.
    Value,
}

/// Appends what a truncated strict JSON object lacks: a quote, the value of a key, brackets. An empty text
/// becomes an empty object.
///
/// | cut | appended |
/// |---|---|
/// | in a string | `"`; before that, half an escape is dropped |
/// | in or after a key | `:null` |
/// | after a colon | `null` |
/// | after a comma | nothing; the comma is dropped |
/// | anywhere | the brackets that are open |
pub(crate) fn close(json: &mut String) {
    if json.trim().is_empty() {
        return json.push_str("{}");
    }
    let (place, open, key) = place(json);
    match place {
        CutPlace::Text => {
            json.truncate(json.len() - half_escape(json.as_bytes()));
            json.push_str(if key { "\":null" } else { "\"" });
        }
        CutPlace::Key => json.push_str(":null"),
        CutPlace::Colon => json.push_str("null"),
        CutPlace::Member => {
            let kept = json.trim_end().trim_end_matches(',').len();
            json.truncate(kept);
        }
        CutPlace::Value => {}
    }
    json.extend(open.iter().rev().map(|bracket| char::from(*bracket)));
}

/// Returns the state at the end of an object, the brackets that close it (innermost last), and whether the last string is a key.
fn place(json: &str) -> (CutPlace, Vec<u8>, bool) {
    let (mut place, mut open, mut key) = (CutPlace::Member, Vec::new(), false);
    for Range { start, end } in tokens(json) {
        place = match json.as_bytes()[start] {
            b'"' => {
                key = place == CutPlace::Member && open.last() == Some(&b'}');
                match string_end(&json[start + 1..end]) {
                    None => CutPlace::Text,
                    Some(_) if key => CutPlace::Key,
                    Some(_) => CutPlace::Value,
                }
            }
            bracket @ (b'{' | b'[') => {
                open.push(bracket + 2);
                CutPlace::Member
            }
            b'}' | b']' => {
                open.pop();
                CutPlace::Value
            }
            b',' => CutPlace::Member,
            b':' => CutPlace::Colon,
            _ => CutPlace::Value,
        };
    }
    (place, open, key)
}

/// Returns the length of the incomplete escape at the end of a string's content.
fn half_escape(json: &[u8]) -> usize {
    let tail = json.len().saturating_sub("\\u000".len());
    let Some(at) = json[tail..].iter().rposition(|byte| *byte == b'\\').map(|at| tail + at) else { return 0 };
    let slashes = json[..=at].iter().rev().take_while(|byte| **byte == b'\\').count();
    let half = json[at..].len() == 1 || json[at + 1] == b'u';
    if half && slashes % 2 == 1 { json.len() - at } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::close;

    #[test]
    fn every_beginning_of_an_object_is_closed_as_one() {
        let whole = r#"{"a\\": "x\"y\u00e9\\", "b": [1, {"c": {}, "d": [[], "e"]}], "f": null, "g": {"h": -1.5}}"#;
        for cut in 0..=whole.len() {
            let mut json = whole[..cut].to_owned();
            // Numbers and words go out whole.
            let scalar = json.trim_end_matches(|last: char| last.is_ascii_alphanumeric() || "-.".contains(last));
            if scalar.len() < cut && scalar.ends_with(": ") {
                continue;
            }
            close(&mut json);
            let value = serde_json::from_str::<serde_json::Map<String, serde_json::Value>>(&json);
            assert!(value.is_ok(), "{cut}: {json}");
        }
    }

    #[test]
    fn what_is_open_is_closed_and_nothing_else_changes() {
        for (cut, closed) in [
            ("", "{}"),
            ("{", "{}"),
            (r#"{"a"#, r#"{"a":null}"#),
            (r#"{"a""#, r#"{"a":null}"#),
            (r#"{"a": "#, r#"{"a": null}"#),
            (r#"{"a": "b"#, r#"{"a": "b"}"#),
            (r#"{"a": "b\"#, r#"{"a": "b"}"#),
            (r#"{"a": "b\\"#, r#"{"a": "b\\"}"#),
            (r#"{"a": "b\u00e"#, r#"{"a": "b"}"#),
            (r#"{"a": "b\u00e9"#, r#"{"a": "b\u00e9"}"#),
            (r#"{"a": ["b", "#, r#"{"a": ["b"]}"#),
            (r#"{"a": [{"b": 1"#, r#"{"a": [{"b": 1}]}"#),
            (r#"{"a": 1}"#, r#"{"a": 1}"#),
        ] {
            let mut json = cut.to_owned();
            close(&mut json);
            assert_eq!(json, closed, "{cut}");
        }
    }
}
