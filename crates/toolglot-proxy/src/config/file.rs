//! Reads a settings file; errors name the line and the fix.

use std::borrow::Cow;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::section::Section;
use crate::config::setting::Raw;
use crate::config::{ClientSettings, Config, ConfigError, ServerSettings, TABLES, near, unreadable};

/// A key, with its place in the file.
type Key<'k> = &'k Spanned<Cow<'k, str>>;

/// A value, with its place in the file.
type Entry<'e> = &'e Spanned<DeValue<'e>>;

/// A file being read into the settings.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
    config: &'a mut Config,
}

/// Reads a file into the settings; records errors in single keys there, and continues.
pub(super) fn read(config: &mut Config, path: &Path) -> Result<(), ConfigError> {
    read_some(config, path, |_| true)
}

/// Reads a file that may only contain clients.
pub(super) fn read_clients(config: &mut Config, path: &Path) -> Result<(), ConfigError> {
    read_some(config, path, |name| name == ClientSettings::SECTION.name)
}

fn read_some(config: &mut Config, path: &Path, belongs: fn(&str) -> bool) -> Result<(), ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ConfigError { place: String::new(), message: unreadable(path, &error) })?;
    let mut file = File { path, text: &text, config };
    let table = DeTable::parse(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        file.wrong(at, error.message())
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let read = if belongs(key.get_ref()) {
            file.top(key, value)
        } else {
            let (name, only) = (key.get_ref(), ClientSettings::SECTION.title());
            Err(file.wrong(key.span().start, format!("`{name}` is not allowed in this file; use only `{only}`")))
        };
        file.config.faults.extend(read.err());
    }
    Ok(())
}

impl File<'_> {
    /// Reads a top-level key, or a table.
    fn top(&mut self, key: Key<'_>, value: Entry<'_>) -> Result<(), ConfigError> {
        match TABLES.into_iter().find(|section| section.name == key.get_ref()) {
            Some(section) if section.is_array => self.tables(section, value),
            Some(section) => self.table(section, 0, value),
            None => self.key(ServerSettings::SECTION, 0, key, value),
        }
    }

    fn tables(&mut self, section: &Section, value: Entry<'_>) -> Result<(), ConfigError> {
        let DeValue::Array(tables) = value.get_ref() else {
            let message = format!("expected an array of tables; use `{}`", section.title());
            return Err(self.wrong(value.span().start, message));
        };
        for (at, table) in ((section.count)(self.config)..).zip(tables.iter()) {
            (section.add)(self.config);
            let read = self.table(section, at, table);
            self.config.faults.extend(read.err());
        }
        Ok(())
    }

    fn table(&mut self, section: &Section, at: usize, value: Entry<'_>) -> Result<(), ConfigError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span().start, format!("expected a table; use `[{}]`", section.name)));
        };
        for (key, value) in table {
            let read = self.key(section, at, key, value);
            self.config.faults.extend(read.err());
        }
        Ok(())
    }

    fn key(&mut self, section: &Section, at: usize, key: Key<'_>, value: Entry<'_>) -> Result<(), ConfigError> {
        let (name, start) = (key.get_ref().as_ref(), key.span().start);
        let Some(key) = section.key(name) else { return Err(self.wrong(start, near::unknown_key(section, name))) };
        let set = (key.set)(self.config, at, Raw::Toml(value.get_ref()));
        set.map_err(|message| self.wrong(value.span().start, format!("`{name}`: {message}")))?;
        let place = self.place(start);
        self.config.origins.insert(section.path_in(at, name), place);
        Ok(())
    }

    fn wrong(&self, at: usize, message: impl Into<String>) -> ConfigError {
        ConfigError { place: self.place(at), message: message.into() }
    }

    fn place(&self, at: usize) -> String {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        format!("{}:{}", self.path.display(), 1 + before.iter().filter(|byte| **byte == b'\n').count())
    }
}
