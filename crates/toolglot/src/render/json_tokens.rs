//! JSON as a flat list of tokens: members keep their order, numbers their text, and depth costs no stack.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::json::string_end;

/// One token of JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum JsonToken<'t> {
    Open(TokenBracket),
    Close(TokenBracket),
    Key(Cow<'t, str>),
    Text(Cow<'t, str>),
    Number(&'t str),
    Word(&'static str),
}

impl JsonToken<'_> {
    /// Returns a scalar without quotes; `None` for brackets and keys.
    pub(super) fn bare(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number,
            Self::Word(word) => word,
            Self::Open(_) | Self::Close(_) | Self::Key(_) => "",
        }
    }
}

/// Which pair of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenBracket {
    Object,
    Array,
}

/// The tokens of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonTokens<'t>(Vec<JsonToken<'t>>);

/// An error in JSON text, and its byte offset.
#[derive(Clone, Debug)]
pub(crate) struct JsonFault {
    pub(super) at: usize,
    pub(super) why: &'static str,
}

impl JsonFault {
    fn of(text: &str, error: &serde_json::Error) -> Self {
        let lines = text.split_inclusive('\n').take(error.line().saturating_sub(1));
        let at = lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1);
        Self { at, why: if error.is_eof() { "unexpected end" } else { "unexpected character" } }
    }
}

impl<'t> JsonTokens<'t> {
    /// Reads the text of one object; blank text is an empty one.
    pub(crate) fn object(text: &'t str) -> Result<Self, JsonFault> {
        let text = if text.trim_ascii().is_empty() { "{}" } else { text };
        // Parsing to text checks the grammar, at any depth without recursion.
        serde_json::from_str::<&RawValue>(text).map_err(|error| JsonFault::of(text, &error))?;
        let tokens = TokenReader { text, rest: text }.read()?;
        match tokens.first() {
            Some(JsonToken::Open(TokenBracket::Object)) => Ok(Self(tokens)),
            _ => Err(JsonFault { at: 0, why: "unexpected value" }),
        }
    }

    /// Returns all tokens, brackets included.
    pub(super) fn tokens(&self) -> &[JsonToken<'t>] {
        &self.0
    }

    /// Iterates over the members: keys and the tokens of their values.
    pub(crate) fn members(&self) -> impl Iterator<Item = (&str, &[JsonToken<'t>])> {
        let mut rest = &self.0[1..];
        std::iter::from_fn(move || {
            let (JsonToken::Key(key), after) = rest.split_first()? else { return None };
            let (value, next) = after.split_at(value_length(after));
            rest = next;
            Some((key.as_ref(), value))
        })
    }
}

/// Returns the number of tokens of the first value.
fn value_length(tokens: &[JsonToken<'_>]) -> usize {
    let mut depth = 0_usize;
    for (number, token) in tokens.iter().enumerate() {
        match token {
            JsonToken::Open(_) => depth += 1,
            JsonToken::Close(_) => depth -= 1,
            _ => {}
        }
        if depth == 0 && !matches!(token, JsonToken::Key(_)) {
            return number + 1;
        }
    }
    tokens.len()
}

/// The tokens of text that is JSON.
struct TokenReader<'t> {
    text: &'t str,
    rest: &'t str,
}

impl<'t> TokenReader<'t> {
    fn read(mut self) -> Result<Vec<JsonToken<'t>>, JsonFault> {
        let mut tokens = Vec::new();
        self.pass(&[' ', '\t', '\n', '\r']);
        while let Some(first) = self.rest.bytes().next() {
            let bracket = if matches!(first, b'{' | b'}') { TokenBracket::Object } else { TokenBracket::Array };
            let (token, length) = match first {
                b'{' | b'[' => (JsonToken::Open(bracket), 1),
                b'}' | b']' => (JsonToken::Close(bracket), 1),
                b'"' => self.string()?,
                _ => self.scalar(),
            };
            tokens.push(token);
            self.rest = &self.rest[length..];
            self.pass(&[' ', '\t', '\n', '\r', ',', ':']);
        }
        Ok(tokens)
    }

    fn pass(&mut self, between: &[char]) {
        self.rest = self.rest.trim_start_matches(between);
    }

    /// Returns a key or a text, and its length.
    fn string(&self) -> Result<(JsonToken<'t>, usize), JsonFault> {
        let length = string_end(&self.rest[1..]).unwrap_or_default() + 2;
        let (quoted, behind) = self.rest.split_at(length);
        let inside = &quoted[1..length - 1];
        let text = if inside.contains('\\') {
            let at = self.text.len() - self.rest.len();
            Cow::Owned(serde_json::from_str(quoted).map_err(|_| JsonFault { at, why: "invalid Unicode in a string" })?)
        } else {
            Cow::Borrowed(inside)
        };
        let is_key = behind.trim_start_matches([' ', '\t', '\n', '\r']).starts_with(':');
        Ok((if is_key { JsonToken::Key(text) } else { JsonToken::Text(text) }, length))
    }

    fn scalar(&self) -> (JsonToken<'t>, usize) {
        let length = self.rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(self.rest.len());
        let text = &self.rest[..length];
        let word = WORDS.into_iter().find(|word| *word == text);
        (word.map_or(JsonToken::Number(text), JsonToken::Word), length)
    }
}

const WORDS: [&str; 3] = ["true", "false", "null"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_strict_json_and_nothing_else() {
        for good in ["", " ", "{}", r#"{"a": [1, -0.5e+3, {}], "b\n": "é\u00e9", "c": null}"#, "{\"a\"\t:[ ] }"] {
            assert!(JsonTokens::object(good).is_ok(), "{good}");
        }
        let bad = [
            "[]",
            "1",
            "{",
            "{]",
            "{} {}",
            "{\"a\"}",
            "{\"a\":01}",
            "{\"a\":1,}",
            "{\"a\":\"\\ud800\"}",
            "{\"a\":\"\n\"}",
            "{'a':1}",
        ];
        for bad in bad {
            assert!(JsonTokens::object(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn members_keep_their_order_and_numbers_their_text() {
        let tape = JsonTokens::object(r#"{"z": 1.50, "a": {"y": [1e400]}, "m": ""}"#).unwrap();
        let lengths: Vec<_> = tape.members().map(|(key, value)| (key, value.len())).collect();
        assert_eq!(lengths, [("z", 1), ("a", 6), ("m", 1)]);
        assert_eq!(tape.tokens()[2], JsonToken::Number("1.50"));
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(1 << 18), "]".repeat(1 << 18));
        assert_eq!(JsonTokens::object(&deep).unwrap().members().count(), 1);
    }
}
