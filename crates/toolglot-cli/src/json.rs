//! Writes JSON with members in a chosen order, and indents JSON text without changing its values.

use serde::Serialize;
use toolglot_json::Value;

/// Writes a JSON object; members appear in the order they are added.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl Object<'_> {
    pub(crate) fn add(&mut self, key: &str, value: impl Serialize) {
        write(self.key(key), &value);
    }

    /// A value that is already JSON text.
    pub(crate) fn raw(&mut self, key: &str, json: &str) {
        self.key(key).extend_from_slice(json.as_bytes());
    }

    pub(crate) fn object(&mut self, key: &str, members: impl FnOnce(&mut Object<'_>)) {
        object(self.key(key), members);
    }

    /// An array of what `each` writes.
    pub(crate) fn list<T>(&mut self, key: &str, items: &[T], each: impl Fn(&mut Vec<u8>, &T)) {
        let out = self.key(key);
        out.push(b'[');
        for (at, item) in items.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            each(out, item);
        }
        out.push(b']');
    }

    fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        write(self.out, key);
        self.out.push(b':');
        self.out
    }
}

/// Writes an object with the members that are added to it.
pub(crate) fn object(out: &mut Vec<u8>, members: impl FnOnce(&mut Object<'_>)) {
    out.push(b'{');
    members(&mut Object { out, empty: true });
    out.push(b'}');
}

/// Writes a value.
pub(crate) fn write(out: &mut Vec<u8>, value: &(impl Serialize + ?Sized)) {
    // Text, numbers and the library's types can be written, and writing to a vector cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Returns a list with a line for each row.
pub(crate) fn rows(rows: impl Iterator<Item = Value>) -> String {
    let lines: Vec<String> = rows.map(|row| format!("\n{row}")).collect();
    format!("[{}]\n", lines.join(","))
}

/// Describes what is wrong with JSON text: the place, then the fault.
pub(crate) fn fault(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let words = error.to_string();
    let words = words.split(" at line ").next().unwrap_or_default();
    let words =
        words.strip_prefix("EOF while parsing").map_or_else(|| words.to_owned(), |part| format!("ends inside{part}"));
    format!("line {line}, column {column}: {words}")
}

/// Returns valid JSON text with one member or element per line; values keep their spelling.
pub(crate) fn indented(json: &str, margin: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut inside, mut escaped, mut opened) = (0_usize, false, false, false);
    for character in json.chars() {
        if inside {
            out.push(character);
            inside = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        let closes = matches!(character, '}' | ']');
        if character.is_ascii_whitespace() {
            continue;
        }
        depth -= usize::from(closes && depth > 0);
        if opened != closes {
            break_line(&mut out, margin, depth);
        }
        out.push(character);
        inside = character == '"';
        opened = matches!(character, '{' | '[');
        depth += usize::from(opened);
        match character {
            ',' => break_line(&mut out, margin, depth),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out
}

fn break_line(out: &mut String, margin: &str, depth: usize) {
    out.push('\n');
    out.push_str(margin);
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_has_its_place_first() {
        let found = |text: &str| fault(&serde_json::from_str::<serde_json::Value>(text).unwrap_err());
        assert_eq!(found("{\"id\":\n1"), "line 2, column 1: ends inside an object");
        assert_eq!(found("{1}"), "line 1, column 2: key must be a string");
    }

    #[test]
    fn members_keep_their_order() {
        let mut out = Vec::new();
        object(&mut out, |object| {
            object.add("z", "a \"quote\"\n");
            object.add("b", None::<&str>);
            object.object("o", |_| {});
            object.list("a", &[1, 2], write);
        });
        assert_eq!(String::from_utf8_lossy(&out), r#"{"z":"a \"quote\"\n","b":null,"o":{},"a":[1,2]}"#);
    }

    #[test]
    fn layout_keeps_numbers_and_strings() {
        let json = r#"{"a":1.000e5,"b":["x, {\"y\":1}",{}],"c":[]}"#;
        let wanted = "{\n  \"a\": 1.000e5,\n  \"b\": [\n    \"x, {\\\"y\\\":1}\",\n    {}\n  ],\n  \"c\": []\n}";
        assert_eq!(indented(json, ""), wanted);
    }
}
