//! Lines of `key: value`, a small unambiguous part of YAML: scalars, blocks of text, lists of scalars.

use std::borrow::Cow;
use std::ops::Range;

use crate::coerce::{self, Conversion, Hint};
use crate::options::Options;
use crate::schema::{SchemaNode, Types};

/// One key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineMember<'t> {
    pub(crate) key: &'t str,
    pub(crate) value: LineValue<'t>,
    /// The position of the key, and that of the value with all its lines.
    pub(crate) key_at: Range<usize>,
    pub(crate) value_at: Range<usize>,
}

/// The value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum LineValue<'t> {
    One(LineScalar<'t>),
    List(Vec<LineScalar<'t>>),
}

/// A value that is one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LineScalar<'t> {
    pub(crate) text: Cow<'t, str>,
    /// The type of a plain word or line is open; quotes and blocks are text.
    pub(crate) hint: Hint,
}

/// Parses a whole text; `None` if a line has no key, or a value is not in this part of YAML.
pub(crate) fn members(text: &str) -> Option<Vec<LineMember<'_>>> {
    let mut lines = TextLines { text, at: 0 };
    let indent = lines.peek_solid()?.indent;
    let mut members = Vec::new();
    while let Some(line) = lines.next_solid() {
        if line.indent != indent {
            return None;
        }
        members.push(member(&line, &mut lines)?);
    }
    Some(members)
}

/// Returns whether every unindented line has a key, and the first key is known.
pub(crate) fn is_outline(text: &str, knows: impl FnOnce(&str) -> bool) -> bool {
    let mut lines = TextLines { text, at: 0 };
    let Some(first) = lines.peek_solid() else { return false };
    let known = split(first.body).is_some_and(|(key, _)| knows(key));
    let has_key = |line: TextLine<'_>| line.indent > first.indent || line.is_item() || split(line.body).is_some();
    known && std::iter::from_fn(|| lines.next_solid()).all(has_key)
}

impl LineValue<'_> {
    /// Appends the value's JSON, typed by the schema.
    pub(crate) fn write(&self, node: Option<SchemaNode<'_>>, options: &Options, out: &mut String) -> Conversion {
        let items = match self {
            Self::One(scalar) => return scalar.write(node, options, out),
            Self::List(items) => items,
        };
        out.push('[');
        for (number, item) in items.iter().enumerate() {
            out.push_str(if number == 0 { "" } else { ", " });
            item.write(node.and_then(|node| node.item(number)), options, out);
        }
        out.push(']');
        let fits = node.is_none_or(|node| node.types().is_open() || node.types().has(Types::ARRAY));
        if fits { Conversion::Fits } else { Conversion::Mismatch }
    }
}

impl<'t> LineScalar<'t> {
    fn plain(text: &'t str) -> Self {
        Self { text: text.into(), hint: Hint::None }
    }

    fn write(&self, node: Option<SchemaNode<'_>>, options: &Options, out: &mut String) -> Conversion {
        coerce::text(&self.text, node, self.hint, options, out, &mut Vec::new())
    }
}

/// The lines of a text, one after another.
struct TextLines<'t> {
    text: &'t str,
    at: usize,
}

/// A line: its indentation, its content without surrounding white space, and its position.
struct TextLine<'t> {
    indent: usize,
    body: &'t str,
    at: usize,
}

impl TextLine<'_> {
    fn is_item(&self) -> bool {
        self.body == "-" || self.body.starts_with("- ")
    }
}

impl<'t> TextLines<'t> {
    /// Returns the next line and where it ends, without consuming it.
    fn peek(&self) -> Option<(TextLine<'t>, usize)> {
        let rest = &self.text[self.at..];
        let length = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let line = &rest[..length];
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        let line = TextLine { indent, body: line.trim(), at: self.at + indent };
        (length > 0).then_some((line, self.at + length))
    }

    /// Returns and consumes the next line that is not blank.
    fn next_solid(&mut self) -> Option<TextLine<'t>> {
        let line = self.peek_solid()?;
        self.at = self.peek()?.1;
        Some(line)
    }

    /// Returns the next line that is not blank; consumes only the blank lines before it.
    fn peek_solid(&mut self) -> Option<TextLine<'t>> {
        while let Some((line, end)) = self.peek() {
            if !line.body.is_empty() {
                return Some(line);
            }
            self.at = end;
        }
        None
    }
}

fn member<'t>(line: &TextLine<'t>, lines: &mut TextLines<'t>) -> Option<LineMember<'t>> {
    let (key, rest) = split(line.body)?;
    let from = line.at + (line.body.len() - rest.len());
    let value = match rest {
        "|" | "|-" | "|+" | ">" | ">-" | ">+" => {
            let text = block(rest, line.indent, lines).into();
            LineValue::One(LineScalar { text, hint: Hint::String })
        }
        "" => list(line.indent, lines)?,
        _ => LineValue::One(scalar(rest)?),
    };
    let deeper = lines.peek_solid().is_some_and(|next| next.indent > line.indent);
    let end = from + lines.text[from..lines.at.max(from)].trim_end().len();
    let member = LineMember { key, value, key_at: line.at..line.at + key.len(), value_at: from..end.max(from) };
    (!deeper).then_some(member)
}

/// Splits a line at its first separator, if an unquoted key precedes it.
fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once([':', '='])?;
    let key = key.trim();
    crate::json::is_bare_key(key).then_some((key, value.trim()))
}

/// Parses the value on one line; `None` for an unclosed quote.
fn scalar(text: &str) -> Option<LineScalar<'_>> {
    let Some(quote) = text.chars().next().filter(|first| matches!(first, '"' | '\'')) else {
        return Some(LineScalar::plain(text));
    };
    let inner = match quote {
        '"' => serde_json::from_str::<String>(text).ok(),
        _ => text[1..].strip_suffix(quote).map(|inner| inner.replace("''", "'")),
    };
    match inner {
        Some(inner) => Some(LineScalar { text: inner.into(), hint: Hint::String }),
        // Quoted words begin a line that continues.
        None => {
            let mut inside = text[1..].chars();
            inside.next_back();
            inside.as_str().contains(quote).then_some(LineScalar::plain(text))
        }
    }
}

/// Reads the lines of a block, which are indented deeper than its key; the first one sets the indentation.
fn block(header: &str, indent: usize, lines: &mut TextLines<'_>) -> String {
    let (mut out, mut base) = (String::new(), None);
    while let Some((line, end)) = lines.peek().filter(|(line, _)| line.indent > indent || line.body.is_empty()) {
        let raw = &lines.text[lines.at..end];
        if !line.body.is_empty() {
            base.get_or_insert(line.indent);
        }
        let skip = base.unwrap_or_default().min(raw.len() - raw.trim_start_matches([' ', '\t']).len());
        out.push_str(raw[skip..].strip_suffix('\n').unwrap_or(&raw[skip..]));
        out.push('\n');
        lines.at = end;
    }
    let body = out.trim_end_matches('\n');
    let ending = match header.get(1..) {
        Some("-") => "",
        Some("+") => &out[body.len()..],
        _ => &out[body.len()..out.len().min(body.len() + 1)],
    };
    let body = if header.starts_with('>') { folded(body) } else { body.to_owned() };
    body + ending
}

/// Joins lines into one paragraph; empty lines between them become line breaks.
fn folded(text: &str) -> String {
    let mut out = String::new();
    for (number, line) in text.split('\n').enumerate() {
        if line.is_empty() || number > 0 && !out.ends_with('\n') {
            out.push(if line.is_empty() { '\n' } else { ' ' });
        }
        out.push_str(line);
    }
    out
}

/// Reads the items of a key, if any; `None` if an item is not a scalar.
fn list<'t>(indent: usize, lines: &mut TextLines<'t>) -> Option<LineValue<'t>> {
    let mut items = Vec::new();
    while let Some(line) = lines.peek_solid().filter(|line| line.indent >= indent && line.is_item()) {
        let text = line.body[1..].trim();
        let is_mapping = text.ends_with(':') || text.contains(": ");
        if text.is_empty() || text.starts_with("- ") || is_mapping && !text.starts_with(['"', '\'']) {
            return None;
        }
        items.push(scalar(text)?);
        lines.next_solid();
    }
    Some(if items.is_empty() { LineValue::One(LineScalar::plain("")) } else { LineValue::List(items) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        let mut out = String::new();
        for member in members(text)? {
            out.push_str(&format!("{}=", member.key));
            member.value.write(None, &Options::default(), &mut out);
            out.push(';');
        }
        Some(out)
    }

    #[test]
    fn scalars_blocks_and_lists_are_read() {
        assert_eq!(
            json("a: x y\nb = 3\n\nc: \"q\\n\"\nd: 'it''s'\ne:\n").unwrap(),
            r#"a="x y";b=3;c="q\n";d="it's";e="";"#
        );
        assert_eq!(json("a: |\n  one\n    two\n\n  three\n\nb: 1").unwrap(), "a=\"one\\n  two\\n\\nthree\\n\";b=1;");
        assert_eq!(json("a: |-\n one\nb: >\n  x\n  y\n\n  z\n").unwrap(), r#"a="one";b="x y\nz\n";"#);
        assert_eq!(json("a:\n  - x\n  - 2\nb:\n- '3'\n").unwrap(), r#"a=["x", 2];b=["3"];"#);
    }

    #[test]
    fn what_is_more_is_not_read() {
        for text in ["", "prose", "a: b\nprose", "a:\n  b: c", "a:\n  - b: c", "a: b\n  c", "a: \"x", " a: 1\nb: 2"] {
            assert_eq!(members(text), None, "{text:?}");
        }
    }

    #[test]
    fn an_outline_has_keys_at_its_edge() {
        let known = |key: &str| key == "a";
        assert!(is_outline("\na: x\nb:\n  c: d\n- e\n", known));
        assert!(!is_outline("b: x\na: y", known));
        assert!(!is_outline("a: x\nand prose", known));
    }
}
