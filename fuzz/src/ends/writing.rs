//! The text of a message: what stands around arguments comes from the renderer, keys and values from here.

use std::ops::Range;

use toolglot::Rendering;
use toolglot_json::Value;

use super::home::{Home, StringStyle};
use super::message::{Calling, Meant, Member};
use crate::random::Random;

/// How text is put into quotes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Escaping {
    /// As it should be.
    All,
    /// Half of the quotes are bare.
    Half,
    /// Quotes are bare.
    Bare,
    /// Quotes and line breaks are bare, backslashes are not.
    Backslashes,
    /// Quotes and backslashes are bare.
    Quotes,
}

/// How arguments are spelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Style {
    pub(super) comma: &'static str,
    pub(super) colon: &'static str,
    /// What opens and closes an object.
    pub(super) braces: [&'static str; 2],
    /// What strings of keyword arguments stand in.
    pub(super) quote: char,
    pub(super) escaping: Escaping,
}

/// The text of a message, and what stands where.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) text: String,
    /// Where the names of the calls stand.
    pub(super) names: Vec<usize>,
    /// The arguments of each call; of raw values from the first key to the last value.
    pub(super) arguments: Vec<Range<usize>>,
    /// Where things stand that can be other things: call, member, place.
    pub(super) parts: Vec<Part>,
}

/// One place of a text.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) call: usize,
    pub(super) member: usize,
    pub(super) what: What,
    /// Where it is in the arguments, as a JSON pointer; of a key, where its value is.
    pub(super) pointer: String,
    pub(super) span: Range<usize>,
}

/// What stands at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum What {
    /// A key of a raw value; of `<{key}>…</{key}>` the first.
    Key,
    /// A value that is text, without its quotes.
    Text,
    /// Another value that stands raw.
    Literal,
}

impl Style {
    /// Returns one of the usual spellings.
    pub(super) fn any(random: &mut Random, escaping: Escaping) -> Self {
        let quote = if random.one_in(2) { '"' } else { '\'' };
        let style = Self { comma: ", ", colon: ": ", braces: ["{", "}"], quote, escaping };
        match random.below(20) {
            0..=9 => style,
            10..=16 => Self { comma: ",", colon: ":", ..style },
            _ => Self { comma: ",\n  ", braces: ["{\n  ", "\n}"], ..style },
        }
    }

    /// Appends the inside of a string.
    pub(super) fn text(self, text: &str, quote: char, escaping: Escaping, random: &mut Random, out: &mut String) {
        use Escaping as E;
        for c in text.chars() {
            let escaped = match c {
                '\\' => escaping != E::Quotes,
                '\n' | '\t' => escaping != E::Backslashes,
                _ if c == quote => escaping == E::All || (escaping == E::Half && random.one_in(2)),
                _ => false,
            };
            match c {
                '\n' if escaped => out.push_str("\\n"),
                '\t' if escaped => out.push_str("\\t"),
                _ if escaped => out.extend(['\\', c]),
                _ => out.push(c),
            }
        }
    }
}

/// Returns the text of a message.
pub(super) fn write(home: &Home, meant: &Meant, style: Style, random: &mut Random) -> Option<Written> {
    let numbered = || meant.calls.iter().enumerate();
    let words: Vec<(String, String)> = numbered()
        .map(|(number, call)| match home.kind {
            StringStyle::Raw => (format!("zq{number}n0x"), placeholders(number, call)),
            _ => (format!("zq{number}n0x"), format!("{{\"zq{number}a0x\": 0}}")),
        })
        .collect();
    let rendering = Rendering::new().with_content(meant.content);
    let rendering = words.iter().fold(rendering, |all, (name, arguments)| all.with_call(name, arguments));
    let template = home.renderer.render(&rendering).ok()?;
    let mut written = Written::default();
    let mut rest = template.as_str();
    while let Some(at) = rest.find("zq") {
        let word = Word::read(&rest[at..])?;
        written.text.push_str(&rest[..at]);
        rest = &rest[at + word.length..];
        let call = meant.calls.get(word.call)?;
        match word.what {
            'n' => written.name(word.call, call),
            'a' => rest = written.arguments(home.kind, style, (word.call, call), rest, random),
            what => {
                let member = call.members.get(word.member)?;
                let framed = what != 'k' && member.value.as_str().is_some_and(|text| text.starts_with('\n'));
                let [before, after] = if framed { home.frame.each_ref().map(String::as_str) } else { ["", ""] };
                written.text.push_str(before);
                written.member(&word, what == 'k', member, rest)?;
                written.text.push_str(after);
            }
        }
    }
    written.text.push_str(rest);
    written.close(meant.calls.len());
    Some(written)
}

/// Returns the arguments of a call with words in the place of keys and text.
fn placeholders(number: usize, call: &Calling) -> String {
    let members = call.members.iter().enumerate().map(|(at, member)| match &member.value {
        Value::String(_) => format!("\"zq{number}k{at}x\": \"zq{number}v{at}x\""),
        other => format!("\"zq{number}k{at}x\": {other}"),
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// Returns JSON with a blank behind each comma and colon.
fn spaced(value: &Value) -> String {
    match value {
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| format!("\"{key}\": {}", spaced(value));
            format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

/// A word of the template that stands for something: `zq`, the call, what it is, the member, `x`.
struct Word {
    call: usize,
    what: char,
    member: usize,
    length: usize,
}

impl Word {
    fn read(text: &str) -> Option<Self> {
        let length = text.find('x')? + 1;
        let inside = &text[2..length - 1];
        let at = inside.find(|c: char| c.is_ascii_lowercase())?;
        let (call, member) = (inside[..at].parse().ok()?, inside[at + 1..].parse().ok()?);
        Some(Self { call, what: inside[at..].chars().next()?, member, length })
    }
}

impl Written {
    /// Writes a name, which may stand again in what closes the call.
    fn name(&mut self, number: usize, call: &Calling) {
        if self.names.len() == number {
            self.names.push(self.text.len());
        }
        self.text.push_str(call.name);
    }

    /// Writes quoted arguments in the place of those of the template; returns what stands behind them.
    fn arguments<'t>(
        &mut self,
        kind: StringStyle,
        style: Style,
        (number, call): (usize, &Calling),
        rest: &'t str,
        random: &mut Random,
    ) -> &'t str {
        let (before, after) = if kind == StringStyle::Python { (0, 2) } else { (2, 5) };
        self.text.truncate(self.text.len() - before);
        let from = self.text.len();
        self.quoted(kind, style, number, call, random);
        self.arguments.push(from..self.text.len());
        &rest[after..]
    }

    /// Writes a key or a raw value.
    fn member(&mut self, word: &Word, is_key: bool, member: &Member, rest: &str) -> Option<()> {
        let from = self.text.len();
        let text = if is_key { member.key } else { member.value.as_str()? };
        let known = |it: &Part| it.call == word.call && it.member == word.member && it.what == What::Key;
        // A key may stand again in what closes its value.
        let again = is_key && self.parts.iter().rev().take(2).any(known);
        let mut part = |what, span| {
            let pointer = format!("/{}", member.key);
            self.parts.push(Part { call: word.call, member: word.member, what, pointer, span });
        };
        if !again {
            part(if is_key { What::Key } else { What::Text }, from..from + text.len());
        }
        if is_key && !again && !member.value.is_string() {
            // Where it is spelled otherwise than in JSON it is part of the structure.
            let end = rest.find("zq").unwrap_or(rest.len());
            let spellings = [member.value.to_string(), spaced(&member.value)];
            let found = |literal: &String| rest[1..end].find(literal).map(|at| at..at + literal.len());
            if let Some(span) = spellings.iter().find_map(found) {
                let at = from + text.len() + 1;
                part(What::Literal, at + span.start..at + span.end);
            }
        }
        self.text.push_str(text);
        self.close(word.call);
        if self.arguments.len() == word.call {
            self.arguments.push(from..from);
        }
        self.arguments[word.call].end = self.text.len();
        Some(())
    }

    /// Notes that the first calls have arguments, if only none.
    fn close(&mut self, calls: usize) {
        let here = self.text.len();
        self.arguments.resize(self.arguments.len().max(calls), here..here);
    }

    /// Returns where a call begins.
    pub(super) fn start(&self, home: &Home, call: usize) -> usize {
        self.names[call].saturating_sub(home.opener.len())
    }

    /// Returns where a call stands, with what parts it from the next.
    pub(super) fn call(&self, home: &Home, call: usize) -> Range<usize> {
        let end = if call + 1 == self.names.len() { self.text.len() } else { self.start(home, call + 1) };
        self.start(home, call)..end
    }

    /// Writes arguments as JSON or as keyword arguments.
    fn quoted(&mut self, kind: StringStyle, style: Style, number: usize, call: &Calling, random: &mut Random) {
        let python = kind == StringStyle::Python;
        if !python {
            self.text.push_str(style.braces[0]);
        }
        for (at, member) in call.members.iter().enumerate() {
            if at > 0 {
                self.text.push_str(style.comma);
            }
            match python {
                true => self.text.extend([member.key, "="]),
                false => self.text.extend(["\"", member.key, "\"", style.colon]),
            }
            let escaping = if member.code { style.escaping } else { Escaping::All };
            let span = self.text.len()..self.text.len();
            let part = Part { call: number, member: at, what: What::Text, pointer: format!("/{}", member.key), span };
            self.value(python, Style { escaping, ..style }, &member.value, &part, random);
        }
        if !python {
            self.text.push_str(style.braces[1]);
        }
    }

    /// Writes a value in quotes and brackets; `part` says where it belongs.
    fn value(&mut self, python: bool, style: Style, value: &Value, part: &Part, random: &mut Random) {
        let inside = |step: &str| Part { pointer: format!("{}/{step}", part.pointer), ..part.clone() };
        let quote = if python { style.quote } else { '"' };
        match value {
            Value::String(text) => {
                self.text.push(quote);
                let from = self.text.len();
                style.text(text, quote, style.escaping, random, &mut self.text);
                self.parts.push(Part { span: from..self.text.len(), ..part.clone() });
                self.text.push(quote);
            }
            Value::Array(items) => {
                self.text.push('[');
                for (at, item) in items.iter().enumerate() {
                    self.text.push_str(if at > 0 { style.comma } else { "" });
                    self.value(python, style, item, &inside(&at.to_string()), random);
                }
                self.text.push(']');
            }
            Value::Object(members) => {
                self.text.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    self.text.push_str(if at > 0 { style.comma } else { "" });
                    self.text.push_str(&format!("{quote}{key}{quote}{}", style.colon));
                    self.value(python, style, value, &inside(key), random);
                }
                self.text.push('}');
            }
            Value::Null if python => self.text.push_str("None"),
            Value::Bool(value) if python => self.text.push_str(if *value { "True" } else { "False" }),
            other => self.text.push_str(&other.to_string()),
        }
    }

    /// Returns a place in a span of the text: half of them are in no value.
    pub(super) fn place(&self, span: Range<usize>, random: &mut Random) -> usize {
        let any = |random: &mut Random| span.start + random.below(span.len());
        let inside = |at: usize| self.parts.iter().any(|it| it.what == What::Text && it.span.contains(&at));
        if random.one_in(2) {
            return any(random);
        }
        let outside: usize = span.clone().filter(|at| !inside(*at)).count();
        let number = random.below(outside);
        span.clone().filter(|at| !inside(*at)).nth(number).unwrap_or_else(|| any(random))
    }
}
