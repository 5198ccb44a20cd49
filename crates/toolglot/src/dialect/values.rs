//! Reads the values of a TOML file with their positions, so that every error can be shown in place.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{DialectError, ValueFault};
use super::nearest::nearest;
use super::place::place;

/// A file's name and text: turns an error into one with a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct TomlSource<'a> {
    pub(super) name: &'a str,
    pub(super) source: &'a str,
}

/// A table of the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct TomlTable<'a> {
    pub(super) file: TomlSource<'a>,
    pub(super) table: &'a DeTable<'a>,
}

/// A string of the file.
#[derive(Clone, Debug)]
pub(super) struct TomlString<'a> {
    pub(super) text: &'a str,
    pub(super) span: Range<usize>,
}

impl TomlSource<'_> {
    /// Returns an error at a place in the file.
    pub(super) fn error(self, span: Range<usize>, message: impl Into<String>, help: impl Into<String>) -> DialectError {
        DialectError::new(self.name, self.source, span, ValueFault::new(0..0, message).help(help))
    }

    /// Returns an error at a place inside a string of the file.
    pub(super) fn error_in(self, text: &TomlString<'_>, fault: ValueFault) -> DialectError {
        let at = place(self.source, &text.span, text.text, &fault.at);
        DialectError::new(self.name, self.source, at, fault)
    }
}

impl<'a> TomlTable<'a> {
    /// Rejects unknown keys; `what` describes their table.
    pub(super) fn only(self, what: &str, known: &[&str]) -> Result<(), DialectError> {
        let unknown = self.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref()));
        let Some(key) = unknown.min_by_key(|key| key.span().start) else { return Ok(()) };
        let list = format!("keys of {what} are {}", known.join(", "));
        let help = match nearest(key.get_ref(), known.iter().copied()) {
            Some(similar) => format!("write `{similar}`; {list}"),
            None => list,
        };
        Err(self.file.error(key.span(), format!("unknown key `{}`", key.get_ref()), help))
    }

    /// Returns the position of a key, if it is present.
    pub(super) fn key(self, key: &str) -> Option<Range<usize>> {
        self.table.get_key_value(key).map(|(key, _)| key.span())
    }

    /// Reads a string.
    pub(super) fn text(self, key: &str) -> Result<Option<TomlString<'a>>, DialectError> {
        self.table.get(key).map(|value| self.as_text(key, value, "a quoted string")).transpose()
    }

    /// Reads a string or a list of strings; without the key, an empty list.
    pub(super) fn texts(self, key: &str) -> Result<Vec<TomlString<'a>>, DialectError> {
        let Some(value) = self.table.get(key) else { return Ok(Vec::new()) };
        let DeValue::Array(items) = value.get_ref() else {
            return Ok(vec![self.as_text(key, value, "a quoted string, or a list of them")?]);
        };
        if items.is_empty() {
            return Err(self.file.error(value.span(), format!("empty list for `{key}`"), "remove the key"));
        }
        items.iter().map(|item| self.as_text(key, item, "a list of quoted strings")).collect()
    }

    /// Reads a table; without the key, nothing.
    pub(super) fn table(self, key: &str, example: &str) -> Result<Option<Self>, DialectError> {
        match self.table.get(key).map(|value| (value.get_ref(), value.span())) {
            None => Ok(None),
            Some((DeValue::Table(table), _)) => Ok(Some(Self { table, ..self })),
            Some((_, span)) => {
                Err(self.file.error(span, format!("`{key}` must be a table"), format!("write {example}")))
            }
        }
    }

    /// Returns the keys in the order of the file.
    pub(super) fn keys(self) -> Vec<TomlString<'a>> {
        let key =
            |key: &'a Spanned<std::borrow::Cow<'a, str>>| TomlString { text: key.get_ref().as_ref(), span: key.span() };
        let mut keys: Vec<_> = self.table.keys().map(key).collect();
        keys.sort_by_key(|key| key.span.start);
        keys
    }

    fn as_text(self, key: &str, value: &'a Spanned<DeValue<'a>>, wanted: &str) -> Result<TomlString<'a>, DialectError> {
        match value.get_ref() {
            DeValue::String(text) => Ok(TomlString { text: text.as_ref(), span: value.span() }),
            other => {
                let message = format!("`{key}` must be a string, found {}", kind(other));
                Err(self.file.error(value.span(), message, format!("write {wanted}")))
            }
        }
    }
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}
