//! The three languages of values: JSON, Python literals, relaxed braces with a dialect's own quote.

use super::json_tokens::{JsonToken, TokenBracket};
use crate::json::write_string;
use crate::parser::is_name;

/// How values are spelled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Style<'s> {
    Json,
    Python,
    /// Bare keys, strings between two of the token.
    Relaxed(&'s str),
}

impl Style<'_> {
    /// Appends a value or an object; the error gives the reason why the style cannot express it.
    pub(super) fn write(self, tokens: &[JsonToken<'_>], out: &mut String) -> Result<(), String> {
        let mut follows = false;
        for token in tokens {
            if follows && !matches!(token, JsonToken::Close(_)) {
                out.push_str(if let Self::Relaxed(_) = self { "," } else { ", " });
            }
            self.token(token, out)?;
            follows = !matches!(token, JsonToken::Open(_) | JsonToken::Key(_));
        }
        Ok(())
    }

    fn token(self, token: &JsonToken<'_>, out: &mut String) -> Result<(), String> {
        match token {
            JsonToken::Open(TokenBracket::Object) => out.push('{'),
            JsonToken::Close(TokenBracket::Object) => out.push('}'),
            JsonToken::Open(TokenBracket::Array) => out.push('['),
            JsonToken::Close(TokenBracket::Array) => out.push(']'),
            JsonToken::Number(text) => out.push_str(text),
            JsonToken::Word(word) => out.push_str(self.word(word)),
            JsonToken::Text(text) => self.text(text, out)?,
            JsonToken::Key(key) => {
                match self {
                    Self::Relaxed(_) if is_name(key) => out.push_str(key),
                    _ => self.text(key, out)?,
                }
                out.push_str(if let Self::Relaxed(_) = self { ":" } else { ": " });
            }
        }
        Ok(())
    }

    fn word(self, word: &'static str) -> &'static str {
        match (self, word) {
            (Self::Python, "true") => "True",
            (Self::Python, "false") => "False",
            (Self::Python, _) => "None",
            _ => word,
        }
    }

    fn text(self, text: &str, out: &mut String) -> Result<(), String> {
        match self {
            Self::Json => write_string(text, out),
            Self::Python => python_string(text, out),
            Self::Relaxed(quote) if text.contains(quote) => {
                return Err(format!("a string contains `{quote}`, which ends it"));
            }
            Self::Relaxed(quote) => out.extend([quote, text, quote]),
        }
        Ok(())
    }
}

/// Appends a string as Python writes it, in double quotes.
fn python_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..' ' | '\x7f' => out.push_str(&format!("\\x{:02x}", u32::from(character))),
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::super::json_tokens::JsonTokens;
    use super::*;

    #[test]
    fn each_style_has_its_own_words_and_separators() {
        let tape = JsonTokens::object(r#"{"a": [true, null, 1.50], "b c": {"d": "x\"\n\u0001"}}"#).unwrap();
        let written = |style: Style<'_>| {
            let mut out = String::new();
            style.write(tape.tokens(), &mut out).map(|()| out)
        };
        assert_eq!(written(Style::Json).unwrap(), r#"{"a": [true, null, 1.50], "b c": {"d": "x\"\n\u0001"}}"#);
        assert_eq!(written(Style::Python).unwrap(), r#"{"a": [True, None, 1.50], "b c": {"d": "x\"\n\x01"}}"#);
        assert_eq!(written(Style::Relaxed("|")).unwrap(), "{a:[true,null,1.50],|b c|:{d:|x\"\n\u{1}|}}");
        assert!(written(Style::Relaxed("x")).is_err());
    }
}
