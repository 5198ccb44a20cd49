//! A dialect: how one family of models writes tool calls, as compiled from its file.

use std::sync::Arc;

mod builtin;
mod check;
mod compile;
mod dialects;
mod error;
mod file;
mod hole;
mod near;
mod pattern;
mod place;
mod spell;
#[cfg(test)]
mod tests;
mod token;
mod values;

pub use dialects::{Dialects, UnknownDialect};
pub use error::DialectError;
pub(crate) use hole::Holder;
pub(crate) use pattern::{Attributes, Body, BodyKind, Hole, Inside, Literal, Node, Part, Pattern, Spelling, is_strong};

/// One dialect, checked and compiled.
///
/// # Example
/// ```
/// use toolglot::Dialect;
/// let dialect = Dialect::from_toml("mine", r#"
/// about = "One JSON object per call."
/// call  = "<run>{call}</run>"
/// "#)?;
/// assert_eq!(dialect.about(), "One JSON object per call.");
/// # Ok::<(), toolglot::DialectError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dialect {
    /// The file's name: the dialect's one canonical name.
    pub(crate) name: Arc<str>,
    /// One sentence for people.
    pub(crate) about: String,
    /// Other names that engines use for it.
    pub(crate) aliases: Vec<String>,
    /// Globs over model names.
    pub(crate) models: Vec<String>,
    /// Literals that are single special tokens in the models' tokenizers.
    pub(crate) special: Vec<String>,
    /// Patterns of one call.
    pub(crate) calls: Vec<Pattern>,
    /// Patterns around calls, each with a `{calls}` body.
    pub(crate) sections: Vec<Pattern>,
    /// What opens calls and sections beyond doubt.
    pub(crate) openings: Vec<Literal>,
    /// Patterns of one parameter, what `{params}` repeats.
    pub(crate) params: Vec<Pattern>,
    /// Patterns of reasoning regions.
    pub(crate) reasoning: Vec<Pattern>,
    /// Patterns of content regions: text that goes out as text, without its wrapper.
    pub(crate) content: Vec<Pattern>,
    /// Literals that are dropped wherever they stand outside calls and regions.
    pub(crate) skip: Vec<String>,
    /// What stands between calls when they are written.
    pub(crate) join: String,
    /// Whether a section is written around each call rather than around all.
    pub(crate) one_section: bool,
    /// Member names of `{call}` objects.
    pub(crate) members: Members,
    /// How `{type}` is written, where it is not the JSON type's name.
    pub(crate) types: Option<TypeWords>,
    /// The string token of `{object}`.
    pub(crate) quote: Option<String>,
    /// The pattern of `{id}`: what stands around the name, if ids carry it.
    pub(crate) id: Option<IdPattern>,
    /// Named spellings: of each word all alternatives, the first canonical.
    pub(crate) words: Vec<(String, Vec<String>)>,
    /// The file's text, for people.
    pub(crate) source: String,
}

/// The member names by which a `{call}` object says its parts; the first of each is written.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    pub(crate) name: Vec<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) id: Vec<String>,
    /// The file names the id's member, so it is written.
    pub(crate) writes_id: bool,
}

/// How `{type}` says that a value is text, and that it is anything else.
#[derive(Clone, Debug)]
pub(crate) struct TypeWords {
    pub(crate) string: String,
    pub(crate) other: String,
}

/// The pattern of an id that carries the tool's name, such as `functions.{name}:{index}`.
#[derive(Clone, Debug)]
pub(crate) struct IdPattern {
    /// The literal before the name.
    pub(crate) before: String,
    /// The literal between the name and the index.
    pub(crate) between: String,
}

impl Dialect {
    /// Reads a dialect from the text of a TOML file; `name` is the file's name without its ending.
    ///
    /// # Errors
    /// If the file is not TOML, or breaks a rule of the notation.
    pub fn from_toml(name: &str, source: &str) -> Result<Self, DialectError> {
        file::read(name, source)
    }

    /// Returns the dialect's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what the dialect is, in one sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the other names that engines use for it.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Returns globs over the names of models that write it.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// Returns the literals that are single special tokens in the models' tokenizers.
    pub fn special(&self) -> &[String] {
        &self.special
    }

    /// Returns the text of the file it was read from.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Goes through the name and the aliases.
    fn names(&self) -> impl Iterator<Item = &str> {
        [self.name()].into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// Says whether two names of dialects are the same to people.
fn same_name(a: &str, b: &str) -> bool {
    a.len() == b.len() && folded(a) == folded(b)
}

fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}
