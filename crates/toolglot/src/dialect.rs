//! A dialect: how one family of models writes tool calls, compiled from its file.

use std::borrow::Cow;
use std::sync::Arc;

mod builtin;
mod check;
mod compile;
mod compiled;
mod dialects;
mod drift;
mod error;
mod file;
mod hole;
mod nearest;
mod pattern;
mod place;
mod shelf;
mod spell;
mod teach;
mod token;
mod values;

pub(crate) use builtin::QUOTE_TOKENS;
pub use dialects::{Dialects, UnknownDialect};
pub use error::DialectError;
pub(crate) use hole::Holder;
pub(crate) use nearest::{distance, nearest};
pub(crate) use pattern::{
    Attributes, BodyHole, BodyKind, HeadPart, Hole, Inside, Literal, Pattern, Spelling, SpellingPart, each_once,
    is_strong,
};
pub use teach::{Teach, TeachPlace};

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
    /// The file's name: the dialect's canonical name.
    pub(crate) name: Arc<str>,
    /// A description in one sentence.
    pub(crate) about: Cow<'static, str>,
    /// Other names that engines use for it.
    pub(crate) aliases: Vec<String>,
    /// Globs over model names.
    pub(crate) models: Vec<String>,
    /// Literals that are single special tokens in the models' tokenizers.
    pub(crate) special: Vec<String>,
    /// Literals that prose never contains, according to the file.
    pub(crate) strong: Vec<String>,
    pub(crate) weak: Vec<String>,
    /// Patterns of one call.
    pub(crate) calls: Vec<Pattern>,
    /// Patterns around calls, each with a `{calls}` body.
    pub(crate) sections: Vec<Pattern>,
    /// Strong openers of calls and sections.
    pub(crate) openings: Vec<Literal>,
    /// Openers of parameters, except tags named after the key.
    pub(crate) param_openings: Vec<Literal>,
    /// Fragments of markers that damage leaves in a value that only the next marker ends.
    pub(crate) pieces: Vec<String>,
    /// Any tag may open a call or a parameter: its name is that of the tool or the key.
    pub(crate) has_call_tags: bool,
    pub(crate) has_param_tags: bool,
    /// Patterns of one parameter, repeated by `{params}`.
    pub(crate) params: Vec<Pattern>,
    /// Patterns of reasoning regions.
    pub(crate) reasoning: Vec<Pattern>,
    /// Patterns of content regions: text that is returned as text, without its wrapper.
    pub(crate) content: Vec<Pattern>,
    /// Literals that are dropped anywhere outside calls and regions.
    pub(crate) skip: Vec<String>,
    /// Literals that end a turn; markup at the end of the input or next to a call.
    pub(crate) turn_end: Vec<String>,
    /// Literals that start a turn; if the text quotes one, it quotes the ends of turns, too.
    pub(crate) turn_start: Vec<String>,
    /// The text between calls when they are rendered.
    pub(crate) join: Cow<'static, str>,
    /// Whether a section is written around each call instead of around all.
    pub(crate) one_section: bool,
    /// Member names of `{call}` objects.
    pub(crate) members: MemberNames,
    /// The values of `{type}`, if they are not JSON type names.
    pub(crate) types: Option<TypeWords>,
    /// The string token of `{object}`.
    pub(crate) quote: Option<String>,
    /// The pattern of `{id}`, if ids contain the tool's name: the text around the name.
    pub(crate) id: Option<IdPattern>,
    /// Named spellings: for each word all alternatives, the first one canonical.
    pub(crate) words: Vec<(String, Vec<String>)>,
    /// How tools and results are written into the prompt.
    pub(crate) teach: Teach,
    /// The text of the file.
    pub(crate) source: Cow<'static, str>,
}

/// The member names of the parts of a `{call}` object; the renderer writes the first of each.
#[derive(Clone, Debug)]
pub(crate) struct MemberNames {
    pub(crate) name: Vec<String>,
    pub(crate) arguments: Vec<String>,
    pub(crate) id: Vec<String>,
    /// The file names the id's member, so the renderer writes it.
    pub(crate) writes_id: bool,
}

/// The values of `{type}` that are not JSON type names: text, an integer, anything but text.
#[derive(Clone, Debug)]
pub(crate) struct TypeWords {
    pub(crate) string: Option<String>,
    pub(crate) integer: Option<String>,
    pub(crate) other: Option<String>,
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
    /// Loads a dialect from the text of a TOML file; `name` is the file's name without its ending.
    ///
    /// # Errors
    /// If the file is not TOML, or violates a rule of the notation; the error has the position and the fix.
    pub fn from_toml(name: &str, source: &str) -> Result<Self, DialectError> {
        file::read(name, source)
    }

    /// Returns the dialect's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the description in one sentence.
    pub fn about(&self) -> &str {
        &self.about
    }

    /// Returns the aliases: other names that engines use for it.
    pub fn aliases(&self) -> &[String] {
        &self.aliases
    }

    /// Returns globs for the names of models that write it.
    pub fn models(&self) -> &[String] {
        &self.models
    }

    /// Returns whether a region opens with a word of prose or half of a call's header, so that only its closer proves it.
    pub(crate) fn is_proven_by_closer(&self, region: &Pattern) -> bool {
        let begins =
            |opener: String| self.calls.iter().filter_map(Pattern::opener).any(|call| call.starts_with(&opener));
        region.opens_with_word() || region.opener().is_some_and(begins)
    }

    /// Returns the literals that are single special tokens in the models' tokenizers.
    pub fn special(&self) -> &[String] {
        &self.special
    }

    /// Returns how tools and results are written into the prompt of a server without tool support.
    pub fn teach(&self) -> &Teach {
        &self.teach
    }

    /// Returns the text of its file.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns whether a name is one of its aliases.
    fn has_alias(&self, name: &str) -> bool {
        self.aliases.iter().any(|alias| same_name(alias, name))
    }

    /// Returns the weak openers of its calls and sections: those that prose may contain, which count only where they can
    /// mean nothing else, such as at the start of a line.
    ///
    /// # Example
    /// ```
    /// use toolglot::Dialect;
    /// let weak = Dialect::from_toml("weak", r#"call = "<<call:{name} {arguments}>>""#)?;
    /// assert_eq!(weak.weak_openers(), ["<<call:"]);
    /// let strong = Dialect::from_toml("strong", "strong = '<<call:'\ncall = '<<call:{name} {arguments}>>'")?;
    /// assert!(strong.weak_openers().is_empty());
    /// # Ok::<(), toolglot::DialectError>(())
    /// ```
    pub fn weak_openers(&self) -> Vec<String> {
        let openings = self.sections.iter().chain(&self.calls).filter_map(Pattern::opening);
        let spellings = openings.flat_map(|opening| &opening.spellings);
        let spellings = spellings.filter(|spelling| !self.is_strong(spelling.opener()));
        let mut weak: Vec<String> = spellings.map(Spelling::plain).filter(|text| !text.is_empty()).collect();
        weak.dedup();
        weak
    }

    /// Returns whether a literal is strong: prose does not contain it, by its shape or because the file declares so.
    pub(crate) fn is_strong(&self, literal: &str) -> bool {
        let has = |markers: &[String]| markers.iter().any(|marker| literal.contains(marker.as_str()));
        (is_strong(literal) || has(&self.strong)) && !has(&self.weak)
    }

    /// Iterates over the name and the aliases.
    fn names(&self) -> impl Iterator<Item = &str> {
        [self.name()].into_iter().chain(self.aliases.iter().map(String::as_str))
    }
}

/// Returns whether two names of dialects are equivalent.
fn same_name(a: &str, b: &str) -> bool {
    same_bytes(a.as_bytes(), b.as_bytes())
}

fn same_bytes(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| folded_byte(*a) == folded_byte(*b))
}

fn folded(name: &str) -> String {
    name.to_ascii_lowercase().replace(['-', '.'], "_")
}

/// The bytes of a name in the form that [`folded`] compares.
fn folded_byte(byte: u8) -> u8 {
    match byte {
        b'-' | b'.' => b'_',
        byte => byte.to_ascii_lowercase(),
    }
}

#[cfg(test)]
mod tests;
