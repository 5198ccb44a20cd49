//! `--tokens`: a text given as its tokens, one JSON object per line, each marked as special or not.

use std::ops::Range;

use toolglot::{Events, Parser};
use toolglot_json::Value;

use crate::failure::Failure;

/// A piece of a text, and whether it is a special token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) place: Range<usize>,
    pub(crate) special: bool,
}

impl Piece {
    pub(crate) fn of_text(place: Range<usize>) -> Self {
        Self { place, special: false }
    }

    /// Feeds the piece of `input`, as text if it is UTF-8.
    pub(crate) fn feed<'p>(&self, parser: &'p mut Parser, input: &[u8]) -> Events<'p> {
        let bytes = input.get(self.place.clone()).unwrap_or_default();
        match std::str::from_utf8(bytes) {
            Ok(token) if self.special => parser.push_special(token),
            Ok(text) => parser.push(text),
            Err(_) => parser.push_bytes(bytes),
        }
    }
}

/// Reads lines of `{"text", "special"?}`; returns the text and its pieces.
pub(crate) fn read(bytes: &[u8]) -> Result<(Vec<u8>, Vec<Piece>), Failure> {
    let (mut text, mut pieces) = (Vec::new(), Vec::new());
    let lines = bytes.split(|byte| *byte == b'\n').enumerate().filter(|(_, line)| !line.trim_ascii().is_empty());
    for (number, line) in lines {
        let (token, special) = token(line).ok_or_else(|| {
            let wanted = r#"expected an object such as {"text": "<tool_call>", "special": true}"#;
            Failure::Usage(format!("line {} is not a token: {wanted}", number + 1))
        })?;
        let start = text.len();
        text.extend_from_slice(token.as_bytes());
        pieces.push(Piece { place: start..text.len(), special });
    }
    Ok((text, pieces))
}

fn token(line: &[u8]) -> Option<(String, bool)> {
    let Value::Object(mut members) = serde_json::from_slice(line).ok()? else { return None };
    let special = match members.remove("special") {
        None => false,
        Some(special) => special.as_bool()?,
    };
    match members.remove("text") {
        Some(Value::String(text)) => Some((text, special)),
        _ => None,
    }
}
