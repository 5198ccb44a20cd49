//! Reads a settings file; errors name the line and the fix.

use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::config::section::Section;
use crate::config::setting::Raw;
use crate::config::{
    ClientSettings, Config, ConfigError, Limits, RouteSettings, ServerSettings, Timeouts, Upstream, near, setting_name,
    unreadable,
};

/// A file being read.
struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

/// Reads a file into the settings; records errors in single keys there, and continues.
pub(super) fn read(config: &mut Config, path: &Path) -> Result<(), ConfigError> {
    read_some(config, path, |_| true)
}

/// Reads a file that may only contain clients.
pub(super) fn read_clients(config: &mut Config, path: &Path) -> Result<(), ConfigError> {
    read_some(config, path, |name| name == ClientSettings::NAME)
}

fn read_some(config: &mut Config, path: &Path, belongs: fn(&str) -> bool) -> Result<(), ConfigError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| ConfigError { place: String::new(), message: unreadable(path, &error) })?;
    let file = File { path, text: &text };
    let table = DeTable::parse(&text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        file.wrong(at, error.message())
    })?;
    let mut entries: Vec<_> = table.get_ref().iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    for (key, value) in entries {
        let read = if belongs(key.get_ref()) {
            file.top(config, key, value)
        } else {
            let message =
                format!("`{}` is not allowed in this file; use only `[[{}]]`", key.get_ref(), ClientSettings::NAME);
            Err(file.wrong(key.span().start, message))
        };
        config.faults.extend(read.err());
    }
    Ok(())
}

impl File<'_> {
    /// Reads a top-level key, or a table.
    fn top(
        &self,
        config: &mut Config,
        key: &Spanned<impl AsRef<str>>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let name = key.get_ref().as_ref();
        match name {
            Limits::NAME => self.table(config, |config| &mut config.limits, 0, value),
            Timeouts::NAME => self.table(config, |config| &mut config.timeouts, 0, value),
            Upstream::NAME => self.tables(config, |config| &mut config.upstreams, value),
            ClientSettings::NAME => self.tables(config, |config| &mut config.clients, value),
            RouteSettings::NAME => self.tables(config, |config| &mut config.routes, value),
            _ => self.key::<ServerSettings>(config, |config| &mut config.server, 0, (name, key.span().start), value),
        }
    }

    fn tables<S: Section>(
        &self,
        config: &mut Config,
        all: fn(&mut Config) -> &mut Vec<S>,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let DeValue::Array(tables) = value.get_ref() else {
            return Err(self.wrong(value.span().start, format!("expected an array of tables; use `[[{}]]`", S::NAME)));
        };
        let before = all(config).len();
        for (at, table) in (before..).zip(tables.iter()) {
            all(config).push(S::default());
            let read = self.table(config, move |config| &mut all(config)[at], at, table);
            config.faults.extend(read.err());
        }
        Ok(())
    }

    fn table<S: Section>(
        &self,
        config: &mut Config,
        section: impl Fn(&mut Config) -> &mut S + Copy,
        at: usize,
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let DeValue::Table(table) = value.get_ref() else {
            return Err(self.wrong(value.span().start, format!("expected a table; use `[{}]`", S::NAME)));
        };
        for (key, value) in table {
            let read = self.key(config, section, at, (key.get_ref(), key.span().start), value);
            config.faults.extend(read.err());
        }
        Ok(())
    }

    fn key<S: Section>(
        &self,
        config: &mut Config,
        section: impl Fn(&mut Config) -> &mut S,
        at: usize,
        (name, start): (&str, usize),
        value: &Spanned<DeValue<'_>>,
    ) -> Result<(), ConfigError> {
        let Some(key) = S::keys().iter().find(|key| key.name == name) else {
            return Err(self.wrong(start, near::unknown_key::<S>(name)));
        };
        let set = (key.set)(section(config), Raw::Toml(value.get_ref()));
        set.map_err(|message| self.wrong(value.span().start, format!("`{name}`: {message}")))?;
        config.origins.insert(setting_name::<S>(at, name), self.place(start));
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
