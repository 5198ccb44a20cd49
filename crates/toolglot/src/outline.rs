//! The parts of a dialect, for programs that generate grammars from it.

use crate::dialect::{Dialect, Holder, Pattern};

/// The patterns of a dialect as in its file, and the literals between and around them. The parser accepts all items of a
/// list; the renderer writes the first.
///
/// # Example
/// ```
/// use toolglot::{Dialect, OutlinePart};
/// let dialect = Dialect::from_toml("mine", r#"call = "<run>{call}</run>""#)?;
/// let outline = dialect.outline();
/// assert!(matches!(&outline.calls[0][..], [OutlinePart::Text("<run>"), OutlinePart::Hole { name: "call", .. }, _]));
/// # Ok::<(), toolglot::DialectError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outline<'d> {
    /// Patterns around calls.
    pub sections: Vec<Vec<OutlinePart<'d>>>,
    /// Patterns of one call.
    pub calls: Vec<Vec<OutlinePart<'d>>>,
    /// Patterns of one parameter.
    pub params: Vec<Vec<OutlinePart<'d>>>,
    /// Patterns of reasoning.
    pub reasoning: Vec<Vec<OutlinePart<'d>>>,
    /// Patterns of wrapped content.
    pub content: Vec<Vec<OutlinePart<'d>>>,
    /// The text between calls.
    pub join: &'d str,
    /// The members of a `{call}` object that carry the name and the arguments.
    pub members: [&'d str; 2],
    /// The member that carries the id, if the renderer writes one.
    pub id_member: Option<&'d str>,
    /// The token around strings in `{object}`.
    pub quote: Option<&'d str>,
    /// The text before and after the name in an id that contains it.
    pub id: Option<[&'d str; 2]>,
    /// Literals that are dropped outside calls.
    pub skip: &'d [String],
    /// Literals that end and start a turn.
    pub turns: [&'d [String]; 2],
    /// Fragments of damaged markers: a value that only the next marker ends is not trusted if it contains one.
    pub pieces: &'d [String],
    dialect: &'d Dialect,
}

/// One part of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutlinePart<'d> {
    /// Literal text.
    Text(&'d str),
    /// The spellings of a word; the renderer writes the first. The choice is the same everywhere in a literal.
    Word(&'d [String]),
    /// A hole.
    #[non_exhaustive]
    Hole {
        /// Its name.
        name: &'d str,
        /// Its options, separated by commas.
        options: &'d str,
        /// Where it is.
        place: HolePlace,
    },
}

/// The position of a hole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HolePlace {
    /// In text.
    Text,
    /// The value of an attribute, in which markup is written as entities.
    Attribute,
}

impl Dialect {
    /// Returns the parts of the dialect's patterns.
    pub fn outline(&self) -> Outline<'_> {
        Outline {
            sections: self.outlined(&self.sections),
            calls: self.outlined(self.calls.iter().filter(|call| !call.is_unopened())),
            params: self.outlined(&self.params),
            reasoning: self.outlined(&self.reasoning),
            content: self.outlined(&self.content),
            join: &self.join,
            members: [first(&self.members.name), first(&self.members.arguments)],
            id_member: self.members.writes_id.then(|| first(&self.members.id)),
            quote: self.quote.as_deref(),
            id: self.id.as_ref().map(|id| [&*id.before, &*id.between]),
            skip: &self.skip,
            turns: [&self.turn_end, &self.turn_start],
            pieces: &self.pieces,
            dialect: self,
        }
    }

    fn outlined<'d>(&'d self, patterns: impl IntoIterator<Item = &'d Pattern>) -> Vec<Vec<OutlinePart<'d>>> {
        patterns.into_iter().map(|pattern| self.parts(&pattern.source).collect()).collect()
    }

    /// Iterates over the parts of a pattern's text.
    pub(crate) fn parts<'d>(&'d self, source: &'d str) -> impl Iterator<Item = OutlinePart<'d>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = source.get(at..).filter(|rest| !rest.is_empty())?;
            let (part, length) = self.part(&source[..at], rest);
            at += length;
            Some(part)
        })
    }

    /// Returns the first part and its length in the pattern.
    fn part<'d>(&'d self, before: &str, rest: &'d str) -> (OutlinePart<'d>, usize) {
        if rest.starts_with("{{") || rest.starts_with("}}") {
            return (OutlinePart::Text(&rest[..1]), 2);
        }
        let Some(inside) = rest.strip_prefix('{') else {
            let length = rest.find(['{', '}']).unwrap_or(rest.len()).max(1);
            return (OutlinePart::Text(&rest[..length]), length);
        };
        let inside = inside.split('}').next().unwrap_or_default();
        let (name, options) = inside.split_once(':').unwrap_or((inside, ""));
        let length = (inside.len() + 2).min(rest.len());
        let part = match self.words.iter().find(|word| word.0 == name) {
            Some(word) => OutlinePart::Word(&word.1),
            // A pattern has no other names, or it would not have compiled.
            None if Holder::by_name(name).is_none() => OutlinePart::Text(""),
            None => {
                let place = match before.ends_with("=\"") && rest[length..].starts_with('"') {
                    true => HolePlace::Attribute,
                    false => HolePlace::Text,
                };
                OutlinePart::Hole { name, options, place }
            }
        };
        (part, length)
    }

    /// Returns the value of `{type}` for a JSON type.
    pub(crate) fn type_word<'d>(&'d self, name: &'d str) -> &'d str {
        let Some(words) = &self.types else { return name };
        let word = match name {
            "string" => words.string.as_deref(),
            "integer" => words.integer.as_deref().or(words.other.as_deref()),
            _ => words.other.as_deref(),
        };
        word.unwrap_or(name)
    }
}

impl<'d> Outline<'d> {
    /// Returns the value of `{type}` for a JSON type.
    pub fn type_word(&self, name: &'d str) -> &'d str {
        self.dialect.type_word(name)
    }

    /// Returns whether each call has its own section.
    pub fn has_one_section(&self) -> bool {
        self.dialect.one_section
    }

    /// Returns whether a literal is strong: prose does not contain it.
    pub fn is_strong(&self, literal: &str) -> bool {
        self.dialect.is_strong(literal)
    }
}

fn first(names: &[String]) -> &str {
    names.first().map_or("", String::as_str)
}
