//! The built-in dialects of a process: each is compiled on first use.

use std::sync::{Arc, OnceLock};

use super::{Dialect, same_bytes, shelf};

/// A file of the library, and its dialect once it has been requested.
#[derive(Debug)]
pub(super) struct Builtin {
    pub(super) name: &'static str,
    source: &'static str,
    dialect: OnceLock<Option<Arc<Dialect>>>,
}

impl Builtin {
    pub(super) fn new(name: &'static str, source: &'static str) -> Self {
        Self { name, source, dialect: OnceLock::new() }
    }

    /// Returns the dialect, from the precompiled table or, if the file has changed since, from the file.
    pub(super) fn dialect(&self) -> Option<&Arc<Dialect>> {
        // Tests prove that every built-in file loads; leaving a broken one out keeps the rest at work.
        let door = || Dialect::from_toml(self.name, self.source).ok();
        let read = || shelf::read(self.name, self.source).or_else(door).map(Arc::new);
        self.dialect.get_or_init(read).as_ref()
    }

    /// Returns whether a name is one of the dialect's aliases; reads only files that contain it in quotes.
    pub(super) fn has_alias(&self, alias: &str) -> bool {
        let source = self.source.as_bytes();
        let stands = |quote: usize| {
            let (start, end) = (quote + 1, quote + 1 + alias.len());
            source.get(end) == Some(&b'"') && same_bytes(&source[start..end], alias.as_bytes())
        };
        memchr::memchr_iter(b'"', source).any(stands) && self.dialect().is_some_and(|dialect| dialect.has_alias(alias))
    }
}
