//! JSON as a flat list of tokens: members keep their order, numbers their text, and depth costs no stack.

use std::borrow::Cow;

use crate::json::{is_number, string_end};

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
    pub(super) why: String,
}

impl<'t> JsonTokens<'t> {
    /// Reads the text of one object; blank text is an empty one.
    pub(crate) fn object(text: &'t str) -> Result<Self, JsonFault> {
        if text.trim_ascii().is_empty() {
            return Ok(Self(vec![JsonToken::Open(TokenBracket::Object), JsonToken::Close(TokenBracket::Object)]));
        }
        let tokens = TokenReader { text, at: 0, open: Vec::new(), tokens: Vec::new() }.read()?;
        match tokens.first() {
            Some(JsonToken::Open(TokenBracket::Object)) => Ok(Self(tokens)),
            _ => Err(JsonFault { at: 0, why: "unexpected value".to_owned() }),
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

/// Reads strict JSON.
struct TokenReader<'t> {
    text: &'t str,
    at: usize,
    open: Vec<TokenBracket>,
    tokens: Vec<JsonToken<'t>>,
}

/// What is allowed next.
///
/// ```text
///  Value ── { ──► FirstKey ─┬─ key ──► Value          Value ── scalar ──► After
///    │                      └─ } ────► After          After ── , ───────► Key or Value
///    └───── [ ──► FirstItem ┬─ value ► as Value         │ └─── } ] ─────► After
///                           └─ ] ────► After            └ outside all brackets the end
/// ```
#[derive(Clone, Copy)]
enum TokenExpect {
    Value,
    /// A value or `]`.
    FirstItem,
    Key,
    /// A key or `}`.
    FirstKey,
    /// `,` or a closing bracket, or the end.
    After,
}

impl<'t> TokenReader<'t> {
    fn read(mut self) -> Result<Vec<JsonToken<'t>>, JsonFault> {
        let mut next = TokenExpect::Value;
        loop {
            self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
            next = match (next, self.rest().bytes().next()) {
                (TokenExpect::After, None) if self.open.is_empty() => return Ok(self.tokens),
                (_, None) => return Err(self.fault("unexpected end")),
                (TokenExpect::Value | TokenExpect::FirstItem, Some(b'{')) => {
                    self.open(TokenBracket::Object, TokenExpect::FirstKey)
                }
                (TokenExpect::Value | TokenExpect::FirstItem, Some(b'[')) => {
                    self.open(TokenBracket::Array, TokenExpect::FirstItem)
                }
                (TokenExpect::FirstKey | TokenExpect::After, Some(b'}')) => self.close(TokenBracket::Object)?,
                (TokenExpect::FirstItem | TokenExpect::After, Some(b']')) => self.close(TokenBracket::Array)?,
                (TokenExpect::Value | TokenExpect::FirstItem, Some(b'"')) => {
                    let text = self.string()?;
                    self.push(JsonToken::Text(text), TokenExpect::After)
                }
                (TokenExpect::Value | TokenExpect::FirstItem, Some(_)) => self.scalar()?,
                (TokenExpect::Key | TokenExpect::FirstKey, Some(b'"')) => self.key()?,
                (TokenExpect::After, Some(b',')) => self.comma()?,
                _ => return Err(self.fault("unexpected character")),
            };
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn fault(&self, why: &str) -> JsonFault {
        JsonFault { at: self.at, why: why.to_owned() }
    }

    fn push(&mut self, token: JsonToken<'t>, next: TokenExpect) -> TokenExpect {
        self.tokens.push(token);
        next
    }

    fn open(&mut self, bracket: TokenBracket, next: TokenExpect) -> TokenExpect {
        self.at += 1;
        self.open.push(bracket);
        self.push(JsonToken::Open(bracket), next)
    }

    fn close(&mut self, bracket: TokenBracket) -> Result<TokenExpect, JsonFault> {
        if self.open.pop() != Some(bracket) {
            return Err(self.fault("unmatched closing bracket"));
        }
        self.at += 1;
        Ok(self.push(JsonToken::Close(bracket), TokenExpect::After))
    }

    fn comma(&mut self) -> Result<TokenExpect, JsonFault> {
        let next = match self.open.last() {
            Some(TokenBracket::Object) => TokenExpect::Key,
            Some(TokenBracket::Array) => TokenExpect::Value,
            None => return Err(self.fault("more than one value")),
        };
        self.at += 1;
        Ok(next)
    }

    fn key(&mut self) -> Result<TokenExpect, JsonFault> {
        let key = self.string()?;
        let colon = self.rest().trim_start_matches([' ', '\t', '\n', '\r']).strip_prefix(':');
        let rest = colon.ok_or_else(|| self.fault("expected `:` after the key"))?;
        self.at = self.text.len() - rest.len();
        Ok(self.push(JsonToken::Key(key), TokenExpect::Value))
    }

    fn string(&mut self) -> Result<Cow<'t, str>, JsonFault> {
        let length = string_end(&self.rest()[1..]).ok_or_else(|| self.fault("unterminated string"))?;
        let quoted = &self.rest()[..length + 2];
        let inside = &quoted[1..=length];
        let text = if inside.bytes().all(|byte| byte != b'\\' && byte >= b' ') {
            Cow::Borrowed(inside)
        } else {
            Cow::Owned(serde_json::from_str(quoted).map_err(|_| self.fault("invalid Unicode in a string"))?)
        };
        self.at += quoted.len();
        Ok(text)
    }

    fn scalar(&mut self) -> Result<TokenExpect, JsonFault> {
        let rest = self.rest();
        let text = &rest[..rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len())];
        let token = match WORDS.iter().find(|word| **word == text) {
            Some(word) => JsonToken::Word(word),
            None if is_number(text.as_bytes()) => JsonToken::Number(text),
            None => return Err(self.fault("expected a JSON value")),
        };
        self.at += text.len();
        Ok(self.push(token, TokenExpect::After))
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
        let bad =
            ["[]", "1", "{", "{]", "{} {}", "{\"a\"}", "{\"a\":01}", "{\"a\":1,}", "{\"a\":\"\\ud800\"}", "{'a':1}"];
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
