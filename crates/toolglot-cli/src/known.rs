//! The dialects a run knows: the built-in ones and the user's own files.

use std::path::Path;

use toolglot::{Dialect, Dialects};

use crate::failure::Failure;
use crate::input;
use crate::shim::*;

/// What stands for every known dialect.
const AUTO: &str = "auto";

/// The dialects a run knows, and those its flags chose.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    all: Dialects,
    chosen: Dialects,
}

impl Known {
    /// Reads what `--dialect` said: names, files, `auto`.
    pub(crate) fn from_flags(flags: &[String]) -> Result<Self, Failure> {
        let mut all = Dialects::builtin();
        let mut names = Vec::new();
        for flag in flags {
            if flag == AUTO || all.get(flag).is_some() || !is_file(flag) {
                names.push(flag.clone());
                continue;
            }
            let dialect = load(Path::new(flag))?;
            names.push(dialect.name().to_owned());
            all = all.with(dialect);
        }
        let chosen = select(&all, &names).map_err(Failure::Usage)?;
        Ok(Self { all, chosen })
    }

    /// Returns what the flags chose.
    pub(crate) fn chosen(&self) -> &Dialects {
        &self.chosen
    }

    /// Returns the dialects of these names, in this order.
    pub(crate) fn select(&self, names: &[String]) -> Result<Dialects, String> {
        select(&self.all, names)
    }
}

/// Reads a dialect file; its name is the file's.
pub(crate) fn load(path: &Path) -> Result<Dialect, Failure> {
    let text = input::read_text(path)?;
    let message = |error| format!("`{}` is no dialect yet\n{error}", path.display());
    Dialect::from_toml(&stem(path), &text).map_err(|error| Failure::Usage(message(error)))
}

/// Returns a dialect's name from its file's.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Says whether a word means a file rather than a name.
pub(crate) fn is_file(word: &str) -> bool {
    word.contains(['/', '\\']) || word.ends_with(".toml") || Path::new(word).is_file()
}

fn select(all: &Dialects, names: &[String]) -> Result<Dialects, String> {
    if names.is_empty() || names.iter().any(|name| name == AUTO) {
        return Ok(all.clone());
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    all.only(&names).map_err(|error| format!("{error}; `toolglot dialects list` shows them all"))
}
