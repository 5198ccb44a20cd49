//! Values as Python prints them: what Jinja2 writes for lists, dictionaries, `None` and `True`, and Python's `json.dumps`.

use std::fmt::Write;

use minijinja::Value;
use minijinja::value::ValueKind;

/// Returns `str(value)`: a string is itself, anything else is printed as Python prints it.
pub(crate) fn text(value: &Value) -> String {
    match (value.as_str(), value.kind()) {
        (Some(text), _) => text.to_owned(),
        (None, ValueKind::Undefined) => String::new(),
        (None, _) => printed(value, 0),
    }
}

/// Deeper values are truncated; no legitimate template prints them.
const DEEPEST: usize = 64;

/// Returns `repr(value)`.
fn printed(value: &Value, depth: usize) -> String {
    let items = || value.try_iter().into_iter().flatten();
    match value.kind() {
        _ if depth > DEEPEST => "...".to_owned(),
        ValueKind::None | ValueKind::Undefined => "None".to_owned(),
        ValueKind::Bool => if value.is_true() { "True" } else { "False" }.to_owned(),
        ValueKind::String => quoted(value.as_str().unwrap_or_default()),
        ValueKind::Number => number(value),
        ValueKind::Seq | ValueKind::Iterable => {
            format!("[{}]", items().map(|item| printed(&item, depth + 1)).collect::<Vec<_>>().join(", "))
        }
        ValueKind::Map => {
            let member = |key: Value| {
                let item = value.get_item(&key).unwrap_or_default();
                format!("{}: {}", printed(&key, depth + 1), printed(&item, depth + 1))
            };
            format!("{{{}}}", items().map(member).collect::<Vec<_>>().join(", "))
        }
        _ => value.to_string(),
    }
}

/// Python prefers single quotes, and uses double quotes only if the text contains only single ones.
fn quoted(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::from(quote);
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\\' => out.push_str("\\\\"),
            c if c == quote => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out.push(quote);
    out
}

fn number(value: &Value) -> String {
    let text = value.to_string();
    match text.as_str() {
        "inf" | "Infinity" => "inf".to_owned(),
        _ => text,
    }
}

/// The layout of `json.dumps`.
pub(crate) struct Layout {
    /// Spaces per level, if members are on separate lines.
    pub indent: Option<usize>,
    /// Separators between members, and between a key and its value.
    pub separators: (String, String),
    /// Whether characters outside ASCII are escaped.
    pub ascii: bool,
    /// Whether keys are sorted.
    pub sorted: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self { indent: None, separators: (", ".to_owned(), ": ".to_owned()), ascii: false, sorted: false }
    }
}

impl Layout {
    /// Returns `json.dumps(value, …)`.
    pub(crate) fn json(&self, value: &Value) -> String {
        let mut out = String::new();
        self.write(value, 0, &mut out);
        out
    }

    fn write(&self, value: &Value, depth: usize, out: &mut String) {
        match value.kind() {
            _ if depth > DEEPEST => out.push_str("null"),
            ValueKind::None | ValueKind::Undefined => out.push_str("null"),
            ValueKind::Bool => out.push_str(if value.is_true() { "true" } else { "false" }),
            ValueKind::String => self.write_string(value.as_str().unwrap_or_default(), out),
            ValueKind::Number => out.push_str(&number(value)),
            ValueKind::Seq | ValueKind::Iterable => {
                let items: Vec<Value> = value.try_iter().into_iter().flatten().collect();
                self.write_all(('[', ']'), &items, depth, out, |item, out| self.write(item, depth + 1, out));
            }
            ValueKind::Map => {
                let mut keys: Vec<Value> = value.try_iter().into_iter().flatten().collect();
                if self.sorted {
                    keys.sort();
                }
                self.write_all(('{', '}'), &keys, depth, out, |key, out| {
                    self.write_string(&text(key), out);
                    out.push_str(&self.separators.1);
                    self.write(&value.get_item(key).unwrap_or_default(), depth + 1, out);
                });
            }
            _ => self.write_string(&value.to_string(), out),
        }
    }

    fn write_all(
        &self,
        brackets: (char, char),
        items: &[Value],
        depth: usize,
        out: &mut String,
        mut write: impl FnMut(&Value, &mut String),
    ) {
        out.push(brackets.0);
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                out.push_str(&self.separators.0);
            }
            self.new_line(depth + 1, out);
            write(item, out);
        }
        if !items.is_empty() {
            self.new_line(depth, out);
        }
        out.push(brackets.1);
    }

    fn new_line(&self, depth: usize, out: &mut String) {
        if let Some(indent) = self.indent {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent * depth));
        }
    }

    fn write_string(&self, text: &str, out: &mut String) {
        out.push('"');
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if (c as u32) < 0x20 || (self.ascii && !c.is_ascii()) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // Writing to a string cannot fail.
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
    }
}
