//! Unpaired surrogates in JSON, which occur where JavaScript cut a string or a server cut a token.

use std::borrow::Cow;

use toolglot_json::Value;

/// Parses JSON; unpaired surrogates become U+FFFD.
pub(crate) fn value(json: &[u8]) -> serde_json::Result<Value> {
    toolglot_json::from_slice(json).or_else(|error| match repaired(json) {
        Cow::Owned(repaired) => toolglot_json::from_slice(&repaired),
        Cow::Borrowed(_) => Err(error),
    })
}

/// Replaces the escapes of unpaired surrogates.
pub(crate) fn repaired(json: &[u8]) -> Cow<'_, [u8]> {
    let mut repaired = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(ahead) = json[at..].iter().position(|byte| *byte == b'\\') {
        at += ahead;
        // A code unit has six bytes. Of other escapes, two are skipped, since the second may be a backslash, too.
        let length = match (unit(&json[at..]), json.get(at + 6..).and_then(unit)) {
            (Some(0xd800..=0xdbff), Some(0xdc00..=0xdfff)) => 12,
            (Some(0xd800..=0xdfff), _) => {
                repaired.extend_from_slice(&json[from..at]);
                repaired.extend_from_slice(br"\ufffd");
                from = at + 6;
                6
            }
            _ => 2,
        };
        at = (at + length).min(json.len());
    }
    if from == 0 {
        return Cow::Borrowed(json);
    }
    repaired.extend_from_slice(&json[from..]);
    Cow::Owned(repaired)
}

/// Returns the UTF-16 code unit of the escape at the start of a text.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_halves_are_mended() {
        let said = |json: &str| String::from_utf8(repaired(json.as_bytes()).into_owned()).unwrap();
        for whole in [r#"{"a": "é\n\\ud83c \ud83c\udf89 \u00e9"}"#, r#""\"#, r#""\u12"#, ""] {
            assert_eq!(said(whole), whole);
        }
        assert_eq!(
            said(r#"["\ud83c", "\uDF89x", "\ud83c\ud83c\udf89"]"#),
            r#"["\ufffd", "\ufffdx", "\ufffd\ud83c\udf89"]"#
        );
        assert_eq!(value(br#"{"a": "cut \ud83c"}"#).unwrap(), toolglot_json::json!({"a": "cut \u{fffd}"}));
        assert!(value(br#"{"a": \ud83c}"#).is_err());
    }
}
