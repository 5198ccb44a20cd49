//! The three languages of values: JSON, Python literals, relaxed braces with a dialect's own quote.

use std::sync::Arc;

use toolglot_json::Value;

use crate::chars::Chars;
use crate::exclusion::{Excluded, Exclusion, Quoting};
use crate::node::{Node, Times};

/// How values are written, and the text that their strings exclude.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ValueStyle {
    pub(crate) language: Language,
    pub(crate) exclusion: Arc<Exclusion>,
}

/// The language of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Language {
    Json,
    Python,
    /// Bare keys, and strings between two of the token.
    Relaxed(String),
}

impl ValueStyle {
    pub(crate) fn json(exclusion: &Exclusion) -> Self {
        Self { language: Language::Json, exclusion: Arc::new(exclusion.in_one_line(Quoting::Json)) }
    }

    pub(crate) fn python(exclusion: &Exclusion) -> Self {
        Self { language: Language::Python, exclusion: Arc::new(exclusion.in_one_line(Quoting::Python)) }
    }

    pub(crate) fn relaxed(quote: &str, exclusion: &Exclusion) -> Self {
        let quoting = if quote == "\"" { Quoting::Json } else { Quoting::Bare };
        let own = Excluded::anywhere(quote);
        let literals = exclusion.literals().iter().cloned().chain((quoting == Quoting::Bare).then_some(own));
        Self { language: Language::Relaxed(quote.to_owned()), exclusion: Arc::new(Exclusion::new(quoting, literals)) }
    }

    pub(crate) fn word(&self, word: &'static str) -> &'static str {
        match (&self.language, word) {
            (Language::Python, "true") => "True",
            (Language::Python, "false") => "False",
            (Language::Python, "null") => "None",
            _ => word,
        }
    }

    pub(crate) fn quote(&self) -> &str {
        match &self.language {
            Language::Relaxed(quote) => quote,
            _ => "\"",
        }
    }

    /// Returns a string of any text, or of a number of characters.
    pub(crate) fn string(&self, length: Option<Times>) -> Node {
        let quote = || Node::literal(self.quote());
        let inside = match length {
            None => Node::Text(Arc::clone(&self.exclusion)),
            Some(times) => limited(&self.exclusion, times),
        };
        Node::sequence([quote(), inside, quote()])
    }

    /// Returns the literal of a text; `None` if the style cannot express it.
    pub(crate) fn text(&self, text: &str) -> Option<String> {
        match (&self.language, self.exclusion.quoting()) {
            (Language::Python, _) => Some(self.escaped(text, python_escape)),
            (_, Quoting::Json) => Some(self.escaped(text, json_escape)),
            (Language::Relaxed(quote), _) => {
                (!self.exclusion.refuses(text)).then(|| [quote.as_str(), text, quote.as_str()].concat())
            }
            _ => None,
        }
    }

    /// Returns the literal of any value; `None` if the style cannot express it.
    pub(crate) fn value(&self, value: &Value) -> Option<String> {
        let (comma, colon) = if let Language::Relaxed(_) = self.language { (",", "") } else { (", ", " ") };
        Some(match value {
            Value::Null => self.word("null").to_owned(),
            Value::Bool(true) => self.word("true").to_owned(),
            Value::Bool(false) => self.word("false").to_owned(),
            Value::Number(number) => number.to_string(),
            Value::String(text) => self.text(text)?,
            Value::Array(items) => {
                let items: Option<Vec<String>> = items.iter().map(|item| self.value(item)).collect();
                format!("[{}]", items?.join(comma))
            }
            Value::Object(members) => {
                let member =
                    |(key, value): (&String, &Value)| Some([&self.key(key)?, colon, &self.value(value)?].concat());
                let members: Option<Vec<String>> = members.iter().map(member).collect();
                format!("{{{}}}", members?.join(comma))
            }
        })
    }

    /// Returns the literal of a key and the colon after it.
    pub(crate) fn key(&self, key: &str) -> Option<String> {
        match &self.language {
            Language::Relaxed(_) if is_bare_key(key) => Some(format!("{key}:")),
            _ => Some(self.text(key)? + ":"),
        }
    }

    /// Writes a text between quotes; the first character of each excluded literal in it is escaped, too.
    fn escaped(&self, text: &str, escape: fn(char, bool) -> Option<String>) -> String {
        let mut out = String::from("\"");
        let starts = |at: usize| {
            self.exclusion
                .literals()
                .iter()
                .any(|literal| text.get(at..).is_some_and(|rest| rest.starts_with(&literal.text)))
        };
        for (at, c) in text.char_indices() {
            match escape(c, starts(at)) {
                Some(escaped) => out.push_str(&escaped),
                None => out.push(c),
            }
        }
        out.push('"');
        out
    }

    /// Returns the optional white space of the language.
    pub(crate) fn blank(&self) -> Node {
        match self.language {
            Language::Json => Node::choice([
                Node::literal(" "),
                Node::sequence([Node::literal("\n"), Node::Class(Chars::of(" \t"), Times::between(0, 20))]),
            ])
            .optional(),
            _ => Node::literal(" ").optional(),
        }
    }
}

/// Returns a text of a number of characters, without any character that an excluded literal needs.
pub(crate) fn limited(exclusion: &Exclusion, times: Times) -> Node {
    let plain = Node::Class(exclusion.harmless(), Times::ONCE);
    let hex = || Chars::ranges([('0', '9'), ('a', 'f'), ('A', 'F')]);
    let escape = match exclusion.quoting() {
        Quoting::Bare | Quoting::Attribute => return Node::Class(exclusion.harmless(), times),
        Quoting::Json => escapes("\"\\bfnrt", hex()),
        Quoting::Python => escapes("\"\\nrt", hex()),
    };
    Node::choice([plain, escape]).times(times)
}

/// Returns an escaped character.
pub(crate) fn escapes(letters: &str, hex: Chars) -> Node {
    let unicode = |first: Chars, second: Chars| {
        [
            Node::Class(first, Times::ONCE),
            Node::Class(second, Times::ONCE),
            Node::Class(hex.clone(), Times::between(2, 2)),
        ]
    };
    // Half a pair of surrogates is no character, so neither is written.
    let low = unicode(hex.without(&Chars::of("dD")), hex.clone());
    let high = unicode(Chars::of("dD"), Chars::ranges([('0', '7')]));
    let code = Node::choice([Node::sequence(low), Node::sequence(high)]);
    let code = Node::sequence([Node::literal("u"), code]);
    Node::sequence([Node::literal("\\"), Node::choice([Node::Class(Chars::of(letters), Times::ONCE), code])])
}

fn json_escape(c: char, forced: bool) -> Option<String> {
    Some(match c {
        '"' => "\\\"".to_owned(),
        '\\' => "\\\\".to_owned(),
        '\n' => "\\n".to_owned(),
        '\r' => "\\r".to_owned(),
        '\t' => "\\t".to_owned(),
        '\u{8}' => "\\b".to_owned(),
        '\u{c}' => "\\f".to_owned(),
        c if forced || c < ' ' || c == '\u{7f}' => {
            c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect()
        }
        _ => return None,
    })
}

fn python_escape(c: char, forced: bool) -> Option<String> {
    match c {
        '\u{8}' | '\u{c}' => Some(format!("\\x{:02x}", u32::from(c))),
        c if !forced && (c < ' ' || c == '\u{7f}') && !"\n\r\t".contains(c) => Some(format!("\\x{:02x}", u32::from(c))),
        c if forced && u32::from(c) > 0xffff => Some(format!("\\U{:08x}", u32::from(c))),
        c => json_escape(c, forced),
    }
}

/// Returns whether a key needs no quotes.
pub(crate) fn is_bare_key(key: &str) -> bool {
    let legal = |(at, c): (usize, char)| c.is_alphanumeric() || c == '_' || at > 0 && "-.:/".contains(c);
    !key.is_empty() && key.char_indices().all(legal)
}
