//! Case files: what is said about a case, and its sections.

/// A case as its file gives it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    /// The sections in order: the words after `---`, and the text.
    pub(crate) sections: Vec<(String, String)>,
    /// What stands before the first section: what the case is about.
    pub(crate) about: String,
}

impl Case {
    /// Reads a case file.
    pub(crate) fn read(text: &str) -> Self {
        let mut case = Self::default();
        for line in text.split_inclusive('\n') {
            match (line.strip_prefix("--- "), case.sections.last_mut()) {
                (Some(title), _) => case.sections.push((title.trim().to_owned(), String::new())),
                (None, Some((_, text))) => text.push_str(line),
                (None, None) => case.about.push_str(line),
            }
        }
        case
    }

    /// Returns the text of a section.
    pub(crate) fn section(&self, title: &str) -> Option<&str> {
        self.sections.iter().find(|(t, _)| t == title).map(|(_, text)| text.as_str())
    }

    /// Returns the input; the line break that ends its section is not part of it.
    pub(crate) fn input(&self) -> Result<Vec<u8>, String> {
        if let Some(text) = self.section("input escaped") {
            return unescape(text.strip_suffix('\n').unwrap_or(text));
        }
        if let Some(text) = self.section("input tokens") {
            return Ok(text.strip_suffix('\n').unwrap_or(text).replace(['⟦', '⟧'], "").into_bytes());
        }
        let text = self.section("input").ok_or("no section `input`")?;
        Ok(text.strip_suffix('\n').unwrap_or(text).as_bytes().to_vec())
    }
}

/// Reads `\n`, `\r`, `\t`, `\\` and `\xNN`; line breaks of the file are not part of the input.
fn unescape(text: &str) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut rest = text.bytes().filter(|byte| *byte != b'\n');
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match rest.next() {
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'\\') => b'\\',
            Some(b'x') => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).map_err(|_| format!("no byte: `\\x{digits}`"))?
            }
            other => return Err(format!("no escape: `\\{}`", other.map(char::from).unwrap_or(' '))),
        });
    }
    Ok(out)
}
