//! JSON as a flat list of tokens: members keep their order, numbers their text, and depth costs no stack.

use std::borrow::Cow;

/// One token of JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Open(Bracket),
    Close(Bracket),
    Key(Cow<'t, str>),
    Text(Cow<'t, str>),
    Number(&'t str),
    Word(&'static str),
}

impl Token<'_> {
    /// Returns a scalar without quotes; nothing for brackets and keys.
    pub(super) fn bare(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number,
            Self::Word(word) => word,
            Self::Open(_) | Self::Close(_) | Self::Key(_) => "",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bracket {
    Object,
    Array,
}

/// The tokens of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tape<'t>(Vec<Token<'t>>);

/// What is wrong with JSON text, and at which byte.
#[derive(Clone, Debug)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) why: String,
}

impl<'t> Tape<'t> {
    /// Reads the text of one object; blank text is an empty one.
    pub(super) fn object(text: &'t str) -> Result<Self, Fault> {
        if text.trim_ascii().is_empty() {
            return Ok(Self(vec![Token::Open(Bracket::Object), Token::Close(Bracket::Object)]));
        }
        let tokens = Reader { text, at: 0, open: Vec::new(), tokens: Vec::new() }.read()?;
        match tokens.first() {
            Some(Token::Open(Bracket::Object)) => Ok(Self(tokens)),
            _ => Err(Fault { at: 0, why: "another value stands there".to_owned() }),
        }
    }

    /// Returns all tokens, brackets included.
    pub(super) fn tokens(&self) -> &[Token<'t>] {
        &self.0
    }

    /// Goes through the members: keys and the tokens of their values.
    pub(super) fn members(&self) -> impl Iterator<Item = (&str, &[Token<'t>])> {
        let mut rest = &self.0[1..];
        std::iter::from_fn(move || {
            let (Token::Key(key), after) = rest.split_first()? else { return None };
            let (value, next) = after.split_at(value_length(after));
            rest = next;
            Some((key.as_ref(), value))
        })
    }
}

/// Returns how many tokens the first value has.
fn value_length(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (number, token) in tokens.iter().enumerate() {
        match token {
            Token::Open(_) => depth += 1,
            Token::Close(_) => depth -= 1,
            _ => {}
        }
        if depth == 0 && !matches!(token, Token::Key(_)) {
            return number + 1;
        }
    }
    tokens.len()
}

/// Reads strict JSON.
struct Reader<'t> {
    text: &'t str,
    at: usize,
    open: Vec<Bracket>,
    tokens: Vec<Token<'t>>,
}

/// What may come next.
#[derive(Clone, Copy)]
enum Next {
    Value,
    /// A value or `]`.
    FirstItem,
    Key,
    /// A key or `}`.
    FirstKey,
    /// `,` or a closing bracket, or the end.
    After,
}

impl<'t> Reader<'t> {
    fn read(mut self) -> Result<Vec<Token<'t>>, Fault> {
        let mut next = Next::Value;
        loop {
            self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t', '\n', '\r']).len();
            next = match (next, self.rest().bytes().next()) {
                (Next::After, None) if self.open.is_empty() => return Ok(self.tokens),
                (_, None) => return Err(self.fault("it ends too early")),
                (Next::Value | Next::FirstItem, Some(b'{')) => self.open(Bracket::Object, Next::FirstKey),
                (Next::Value | Next::FirstItem, Some(b'[')) => self.open(Bracket::Array, Next::FirstItem),
                (Next::FirstKey | Next::After, Some(b'}')) => self.close(Bracket::Object)?,
                (Next::FirstItem | Next::After, Some(b']')) => self.close(Bracket::Array)?,
                (Next::Value | Next::FirstItem, Some(b'"')) => {
                    let text = self.string()?;
                    self.push(Token::Text(text), Next::After)
                }
                (Next::Value | Next::FirstItem, Some(_)) => self.scalar()?,
                (Next::Key | Next::FirstKey, Some(b'"')) => self.key()?,
                (Next::After, Some(b',')) => self.comma()?,
                _ => return Err(self.fault("something else stands there")),
            };
        }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn fault(&self, why: &str) -> Fault {
        Fault { at: self.at, why: why.to_owned() }
    }

    fn push(&mut self, token: Token<'t>, next: Next) -> Next {
        self.tokens.push(token);
        next
    }

    fn open(&mut self, bracket: Bracket, next: Next) -> Next {
        self.at += 1;
        self.open.push(bracket);
        self.push(Token::Open(bracket), next)
    }

    fn close(&mut self, bracket: Bracket) -> Result<Next, Fault> {
        if self.open.pop() != Some(bracket) {
            return Err(self.fault("a bracket that closes nothing"));
        }
        self.at += 1;
        Ok(self.push(Token::Close(bracket), Next::After))
    }

    fn comma(&mut self) -> Result<Next, Fault> {
        let next = match self.open.last() {
            Some(Bracket::Object) => Next::Key,
            Some(Bracket::Array) => Next::Value,
            None => return Err(self.fault("more than one value")),
        };
        self.at += 1;
        Ok(next)
    }

    fn key(&mut self) -> Result<Next, Fault> {
        let key = self.string()?;
        let colon = self.rest().trim_start_matches([' ', '\t', '\n', '\r']).strip_prefix(':');
        let rest = colon.ok_or_else(|| self.fault("a key without a colon"))?;
        self.at = self.text.len() - rest.len();
        Ok(self.push(Token::Key(key), Next::Value))
    }

    fn string(&mut self) -> Result<Cow<'t, str>, Fault> {
        let length = string_length(self.rest()).ok_or_else(|| self.fault("a string without end"))?;
        let quoted = &self.rest()[..length];
        let inside = &quoted[1..length - 1];
        let text = if inside.bytes().all(|byte| byte != b'\\' && byte >= b' ') {
            Cow::Borrowed(inside)
        } else {
            Cow::Owned(serde_json::from_str(quoted).map_err(|_| self.fault("a string that is no Unicode text"))?)
        };
        self.at += length;
        Ok(text)
    }

    fn scalar(&mut self) -> Result<Next, Fault> {
        let rest = self.rest();
        let text = &rest[..rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len())];
        let token = match WORDS.iter().find(|word| **word == text) {
            Some(word) => Token::Word(word),
            None if is_number(text) => Token::Number(text),
            None => return Err(self.fault("no value of JSON")),
        };
        self.at += text.len();
        Ok(self.push(token, Next::After))
    }
}

const WORDS: [&str; 3] = ["true", "false", "null"];

/// Returns the length of the string that text starts with, quotes included.
fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'"' if !escaped => return Some(at + 1),
            _ => escaped = byte == b'\\' && !escaped,
        }
    }
    None
}

/// Says whether text is a JSON number.
pub(super) fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).map_or((unsigned, None), |(a, b)| (a, Some(b)));
    let (whole, fraction) = mantissa.split_once('.').map_or((mantissa, None), |(a, b)| (a, Some(b)));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_strict_json_and_nothing_else() {
        for good in ["", " ", "{}", r#"{"a": [1, -0.5e+3, {}], "b\n": "é\u00e9", "c": null}"#, "{\"a\"\t:[ ] }"] {
            assert!(Tape::object(good).is_ok(), "{good}");
        }
        let bad =
            ["[]", "1", "{", "{]", "{} {}", "{\"a\"}", "{\"a\":01}", "{\"a\":1,}", "{\"a\":\"\\ud800\"}", "{'a':1}"];
        for bad in bad {
            assert!(Tape::object(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn members_keep_their_order_and_numbers_their_text() {
        let tape = Tape::object(r#"{"z": 1.50, "a": {"y": [1e400]}, "m": ""}"#).unwrap();
        let lengths: Vec<_> = tape.members().map(|(key, value)| (key, value.len())).collect();
        assert_eq!(lengths, [("z", 1), ("a", 6), ("m", 1)]);
        assert_eq!(tape.tokens()[2], Token::Number("1.50"));
    }

    #[test]
    fn depth_costs_no_stack() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(1 << 18), "]".repeat(1 << 18));
        assert_eq!(Tape::object(&deep).unwrap().members().count(), 1);
    }
}
