//! The raw contents of a dialect file: its lists of patterns and its tables of words.

use toml::de::{DeTable, DeValue};
use toolglot::Dialect;

/// A key and its texts.
type Row = (String, Vec<String>);

/// The keys of a file with their texts, in order.
#[derive(Debug, Default)]
pub(super) struct DialectFile {
    lists: Vec<Row>,
    tables: Vec<(String, Vec<Row>)>,
}

impl DialectFile {
    /// Reads the file of a dialect, which has been checked.
    pub(super) fn of(dialect: &Dialect) -> Self {
        let mut file = Self::default();
        let Ok(table) = DeTable::parse(dialect.source()) else { return file };
        for (key, value) in table.get_ref().iter() {
            let key = key.get_ref().to_string();
            match value.get_ref() {
                DeValue::Table(rows) => {
                    let rows = rows.iter().map(|(name, value)| (name.get_ref().to_string(), texts(value.get_ref())));
                    file.tables.push((key, rows.collect()));
                }
                value => file.lists.push((key, texts(value))),
            }
        }
        file
    }

    /// The texts of a key; empty if it is missing.
    pub(super) fn list(&self, key: &str) -> &[String] {
        self.lists.iter().find(|(name, _)| name == key).map_or(&[], |(_, texts)| texts)
    }

    pub(super) fn first(&self, key: &str) -> Option<&str> {
        self.list(key).first().map(String::as_str)
    }

    /// The spellings of a word.
    pub(super) fn word(&self, name: &str) -> Option<&[String]> {
        self.row("words", name)
    }

    /// The texts of a row of a table.
    pub(super) fn row(&self, table: &str, name: &str) -> Option<&[String]> {
        let (_, rows) = self.tables.iter().find(|(key, _)| key == table)?;
        rows.iter().find(|(key, _)| key == name).map(|(_, texts)| texts.as_slice())
    }
}

fn texts(value: &DeValue<'_>) -> Vec<String> {
    match value {
        DeValue::String(text) => vec![text.to_string()],
        DeValue::Array(items) => items.iter().flat_map(|item| texts(item.get_ref())).collect(),
        _ => Vec::new(),
    }
}
