//! Writes JSON with members in a chosen order, and indents JSON text without changing its values.

/// Writes a JSON object; members appear in the order they are added.
pub(crate) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    pub(crate) fn new(out: &'o mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, empty: true }
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        string(self.key(key), value);
    }

    /// A string, or null if there is none.
    pub(crate) fn text_or_null(&mut self, key: &str, value: Option<&str>) {
        match value {
            Some(value) => self.text(key, value),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn number(&mut self, key: &str, value: usize) {
        self.raw(key, &value.to_string());
    }

    /// A value that is already JSON text.
    pub(crate) fn raw(&mut self, key: &str, json: &str) {
        self.key(key).extend_from_slice(json.as_bytes());
    }

    pub(crate) fn object(&mut self, key: &str, members: impl FnOnce(&mut Object<'_>)) {
        object(self.key(key), members);
    }

    pub(crate) fn list<T>(&mut self, key: &str, items: impl IntoIterator<Item = T>, each: impl FnMut(&mut Vec<u8>, T)) {
        list(self.key(key), items, each);
    }

    fn key(&mut self, key: &str) -> &mut Vec<u8> {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        string(self.out, key);
        self.out.push(b':');
        self.out
    }
}

/// Writes an object with the members that are added to it.
pub(crate) fn object(out: &mut Vec<u8>, members: impl FnOnce(&mut Object<'_>)) {
    members(&mut Object::new(out));
    out.push(b'}');
}

/// Writes an array of what `each` writes.
pub(crate) fn list<T>(out: &mut Vec<u8>, items: impl IntoIterator<Item = T>, mut each: impl FnMut(&mut Vec<u8>, T)) {
    out.push(b'[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        each(out, item);
    }
    out.push(b']');
}

/// Writes a string.
pub(crate) fn string(out: &mut Vec<u8>, text: &str) {
    // Writing a string to a vector cannot fail.
    let _ = serde_json::to_writer(out, text);
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
            object.text("z", "a \"quote\"\n");
            object.text_or_null("b", None);
            object.object("o", |_| {});
            object.list("a", [1, 2], |out, n| out.extend_from_slice(format!("{n}").as_bytes()));
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
