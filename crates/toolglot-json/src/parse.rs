//! The parser: strict JSON, with limited depth.

use crate::number::Number;
use crate::value::{Map, Value};

/// The nesting limit of arrays and objects, equal to that of `serde_json`.
const MOST_DEPTH: usize = 127;

/// Why a text is not a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It is not JSON.
    Syntax,
    /// It matches JSON's grammar, but is not a value: the reason, and the offset after which it shows.
    Content(&'static str, usize),
}

/// Parses a text as one value.
pub(crate) fn value(text: &str) -> Result<Value, Refusal> {
    let mut parser = Parser { text, at: 0, depth: 0, decoded: String::new() };
    let value = parser.value()?;
    parser.pass_blank();
    if parser.at == text.len() { Ok(value) } else { Err(Refusal::Syntax) }
}

/// A text that is being parsed.
struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    /// The string that is being decoded; reused for the next.
    decoded: String,
}

impl Parser<'_> {
    fn value(&mut self) -> Result<Value, Refusal> {
        match self.peek()? {
            b'"' => self.string().map(Value::String),
            b'{' => self.nested(Self::object),
            b'[' => self.nested(Self::array),
            b't' => self.word("true", Value::Bool(true)),
            b'f' => self.word("false", Value::Bool(false)),
            b'n' => self.word("null", Value::Null),
            _ => self.number(),
        }
    }

    fn pass_blank(&mut self) {
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
        self.at += self.text.as_bytes()[self.at..].iter().take_while(is_blank).count();
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.text.as_bytes().get(at).copied()
    }

    /// Returns the next byte that is not white space, without consuming it.
    fn peek(&mut self) -> Result<u8, Refusal> {
        self.pass_blank();
        self.byte(self.at).ok_or(Refusal::Syntax)
    }

    /// Consumes the next byte that is not white space.
    fn next(&mut self) -> Result<u8, Refusal> {
        let byte = self.peek()?;
        self.at += 1;
        Ok(byte)
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, Refusal> {
        let found = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        if found { Ok(value) } else { Err(Refusal::Syntax) }
    }

    /// Parses an array or object.
    fn nested(&mut self, inside: fn(&mut Self) -> Result<Value, Refusal>) -> Result<Value, Refusal> {
        self.at += 1;
        if self.depth == MOST_DEPTH {
            return Err(Refusal::Content("recursion limit exceeded", self.at));
        }
        self.depth += 1;
        let value = inside(self);
        self.depth -= 1;
        value
    }

    fn array(&mut self) -> Result<Value, Refusal> {
        let mut items = Vec::new();
        if self.peek()? == b']' {
            self.at += 1;
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value()?);
            match self.next()? {
                b',' => {}
                b']' => return Ok(Value::Array(items)),
                _ => return Err(Refusal::Syntax),
            }
        }
    }

    fn object(&mut self) -> Result<Value, Refusal> {
        let mut members = Map::new();
        if self.peek()? == b'}' {
            self.at += 1;
            return Ok(Value::Object(members));
        }
        loop {
            if self.peek()? != b'"' {
                return Err(Refusal::Syntax);
            }
            let key = self.string()?;
            if self.next()? != b':' {
                return Err(Refusal::Syntax);
            }
            let value = self.value()?;
            members.insert(key, value);
            match self.next()? {
                b',' => {}
                b'}' => return Ok(Value::Object(members)),
                _ => return Err(Refusal::Syntax),
            }
        }
    }

    fn number(&mut self) -> Result<Value, Refusal> {
        let start = self.at;
        self.at += usize::from(self.byte(start) == Some(b'-'));
        match self.byte(self.at) {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.byte(self.at) == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.byte(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(self.at), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Value::Number(Number::written(&self.text[start..self.at])))
    }

    /// Consumes one or more digits.
    fn digits(&mut self) -> Result<(), Refusal> {
        let count = self.text.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += count;
        if count > 0 { Ok(()) } else { Err(Refusal::Syntax) }
    }

    /// Parses a string from its quote on.
    fn string(&mut self) -> Result<String, Refusal> {
        self.at += 1;
        self.decoded.clear();
        loop {
            let rest = &self.text[self.at..];
            let end = memchr::memchr2(b'"', b'\\', rest.as_bytes()).ok_or(Refusal::Syntax)?;
            let piece = &rest[..end];
            if has_control(piece) {
                return Err(Refusal::Syntax);
            }
            let is_over = rest.as_bytes()[end] == b'"';
            self.at += end + 1;
            if is_over && self.decoded.is_empty() {
                return Ok(piece.to_owned());
            }
            self.decoded.push_str(piece);
            if is_over {
                return Ok(self.decoded.as_str().to_owned());
            }
            let escaped = self.escape()?;
            self.decoded.push(escaped);
        }
    }

    /// Parses the text after a backslash.
    fn escape(&mut self) -> Result<char, Refusal> {
        let byte = self.byte(self.at).ok_or(Refusal::Syntax)?;
        self.at += 1;
        Ok(match byte {
            b'"' | b'\\' | b'/' => char::from(byte),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.unit_or_pair(),
            _ => return Err(Refusal::Syntax),
        })
    }

    /// Parses four digits, and four more if they are the first half of a surrogate pair.
    fn unit_or_pair(&mut self) -> Result<char, Refusal> {
        let first = self.hex()?;
        let (lone, end) = ("lone leading surrogate in hex escape", "unexpected end of hex escape");
        match first {
            0xd800..=0xdbff if self.text.as_bytes()[self.at..].starts_with(b"\\u") => self.at += 2,
            0xd800..=0xdbff => return Err(Refusal::Content(end, self.at)),
            first => return char::from_u32(first).ok_or(Refusal::Content(lone, self.at)),
        }
        let second = self.hex()?;
        let pair = (0xdc00..=0xdfff).contains(&second).then(|| 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00));
        pair.and_then(char::from_u32).ok_or(Refusal::Content(lone, self.at))
    }

    fn hex(&mut self) -> Result<u32, Refusal> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4).ok_or(Refusal::Syntax)?;
        self.at += 4;
        digits
            .iter()
            .try_fold(0, |number, digit| Some(number << 4 | char::from(*digit).to_digit(16)?))
            .ok_or(Refusal::Syntax)
    }
}

/// Returns whether a string contains bytes that must be escaped. It checks all bytes, which is faster than stopping early.
fn has_control(piece: &str) -> bool {
    piece.bytes().fold(false, |found, byte| found | (byte < b' '))
}
