//! The known dialects: the built-in ones and the user's files.

use std::path::Path;

use toolglot::{Dialect, DialectError, Dialects, UnknownDialect};

use crate::failure::Failure;
use crate::input;

/// The name for all known dialects.
const AUTO: &str = "auto";

/// The known dialects, and those that the flags select.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    all: Dialects,
    pub(crate) chosen: Dialects,
}

impl Known {
    /// Reads the values of `--dialect`: names, files, `auto`.
    pub(crate) fn from_flags(flags: &[String]) -> Result<Self, Failure> {
        let builtin = Dialects::builtin();
        let (mut names, mut own) = (Vec::new(), Vec::new());
        for flag in flags {
            if flag == AUTO || builtin.get(flag).is_some() || !is_file(flag) {
                check_ending(flag, &builtin)?;
                names.push(flag.clone());
            } else {
                own.push(load(Path::new(flag))?);
                names.extend(own.last().map(|dialect| dialect.name().to_owned()));
            }
        }
        // Each is added at the front, so that the first flag comes first.
        let all = own.into_iter().rev().fold(builtin, |all, dialect| all.with(dialect));
        let mut known = Self { all, chosen: Dialects::default() };
        known.chosen = known.select(&names).map_err(Failure::Usage)?;
        Ok(known)
    }

    /// Returns the dialects of these names; with `auto`, they are preferred to all others.
    pub(crate) fn select(&self, names: &[String]) -> Result<Dialects, String> {
        let unknown = |error: UnknownDialect| match names.iter().find(|name| is_file(name)) {
            Some(file) => {
                format!("unknown dialect `{file}`; pass the file with `--dialect`, and its name without `.toml` here")
            }
            None => error.to_string(),
        };
        if names.is_empty() || names.iter().any(|name| name == AUTO) {
            let named = names.iter().rev().filter(|name| *name != AUTO);
            // Each preference goes to the front, so that the first name is preferred to the others.
            return named.into_iter().try_fold(self.all.clone(), |all, name| all.prefer(name)).map_err(unknown);
        }
        self.all.only(names).map_err(unknown)
    }
}

/// Returns the dialect of a name, an alias or a file.
pub(crate) fn named(name: &str) -> Result<Dialect, Failure> {
    let builtin = Dialects::builtin();
    if let Some(dialect) = builtin.get(name) {
        return Ok(Dialect::clone(dialect));
    }
    if is_file(name) {
        return load(Path::new(name));
    }
    check_ending(name, &builtin)?;
    let unknown = builtin.only(&[name]).err().map(|error| error.to_string()).unwrap_or_default();
    Err(Failure::Usage(unknown))
}

/// Returns the name of the dialect in a file.
pub(crate) fn named_after(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a dialect file.
pub(crate) fn load(path: &Path) -> Result<Dialect, Failure> {
    let text = input::read_text(path)?;
    from_text(path, &text).map_err(|error| Failure::Usage(format!("invalid dialect\n{error}")))
}

/// Reads a dialect from its file's text.
pub(crate) fn from_text(path: &Path, text: &str) -> Result<Dialect, DialectError> {
    Dialect::from_toml(&named_after(path), text).map_err(|error| error.with_file(&path.display().to_string()))
}

/// Fails for a dialect file without its ending.
fn check_ending(name: &str, builtin: &Dialects) -> Result<(), Failure> {
    let file = format!("{name}.toml");
    if name != AUTO && builtin.get(name).is_none() && Path::new(&file).is_file() {
        return Err(Failure::Usage(format!("unknown dialect `{name}`; to read the file, write `{file}`")));
    }
    Ok(())
}

/// Returns whether a value is a file rather than a name.
pub(crate) fn is_file(word: &str) -> bool {
    word.contains(['/', '\\']) || word.ends_with(".toml") || Path::new(word).is_file()
}
