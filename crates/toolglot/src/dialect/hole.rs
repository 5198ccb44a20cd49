//! The table of holes: their names, their readers, and where they are allowed.

use super::nearest::nearest;
use super::pattern::{BodyKind, Hole};

/// A hole: the text between braces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Holder {
    Head(Hole),
    Body(BodyKind),
    Attrs,
    Mark,
}

/// The key of the file that a pattern belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PatternKey {
    Call,
    Section,
    Param,
    Reasoning,
    Content,
}

const TABLE: [(&str, Holder); 19] = [
    ("name", Holder::Head(Hole::Name)),
    ("id", Holder::Head(Hole::Id)),
    ("index", Holder::Head(Hole::Index)),
    ("_", Holder::Head(Hole::Ignored)),
    ("arguments", Holder::Body(BodyKind::Arguments)),
    ("call", Holder::Body(BodyKind::Call)),
    ("params", Holder::Body(BodyKind::Params)),
    ("kwargs", Holder::Body(BodyKind::Kwargs)),
    ("object", Holder::Body(BodyKind::Object)),
    ("lines", Holder::Body(BodyKind::Lines)),
    ("content", Holder::Body(BodyKind::Content)),
    ("attrs", Holder::Attrs),
    ("calls", Holder::Body(BodyKind::Calls)),
    ("key", Holder::Head(Hole::Key)),
    ("type", Holder::Head(Hole::Type)),
    ("value", Holder::Body(BodyKind::Value)),
    ("tree", Holder::Body(BodyKind::Tree)),
    ("text", Holder::Body(BodyKind::Text)),
    ("mark", Holder::Mark),
];

impl Holder {
    pub(crate) fn by_name(name: &str) -> Option<Self> {
        TABLE.iter().find(|row| row.0 == name).map(|row| row.1)
    }

    pub(super) fn by_number(number: usize) -> Option<Self> {
        TABLE.get(number).map(|row| row.1)
    }

    /// Returns its number in tables.
    #[cfg(test)]
    pub(super) fn number(self) -> usize {
        TABLE.iter().position(|row| row.1 == self).unwrap_or_default()
    }

    pub(super) fn name(self) -> &'static str {
        TABLE.iter().find(|row| row.1 == self).map_or("", |row| row.0)
    }

    /// Returns the names of the hole's options.
    pub(super) fn options(self) -> &'static [&'static str] {
        match self {
            Self::Body(BodyKind::Value | BodyKind::Tree) => &["trim", "cdata", "entities"],
            Self::Body(BodyKind::Text) => &["opaque", "calls"],
            Self::Body(BodyKind::Params) => &["between"],
            _ => &[],
        }
    }
}

impl PatternKey {
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Call => "call",
            Self::Section => "section",
            Self::Param => "param",
            Self::Reasoning => "reasoning",
            Self::Content => "content",
        }
    }

    pub(super) fn allows(self, hole: Holder) -> bool {
        use BodyKind as B;
        match hole {
            Holder::Mark | Holder::Head(Hole::Ignored) => true,
            Holder::Head(Hole::Key | Hole::Type) | Holder::Body(B::Value | B::Tree) => self == Self::Param,
            Holder::Body(B::Calls) => self == Self::Section,
            Holder::Body(B::Text) => matches!(self, Self::Reasoning | Self::Content),
            Holder::Head(_) | Holder::Attrs | Holder::Body(_) => self == Self::Call,
        }
    }

    /// Returns the fix for a hole that is unknown or in the wrong place.
    pub(super) fn advice(self, given: &str, words: &[(String, Vec<String>)]) -> String {
        if !is_word(given) {
            return "write `{{` for a literal brace".to_owned();
        }
        let holes: Vec<&str> = TABLE.iter().filter(|row| self.allows(row.1)).map(|row| row.0).collect();
        let words: Vec<&str> = words.iter().map(|word| word.0.as_str()).collect();
        let similar = nearest(given, holes.iter().chain(&words).copied());
        let similar = similar.map(|name| format!("write `{{{name}}}`; ")).unwrap_or_default();
        let list = format!("holes of `{}` are {}", self.key(), holes.join(", "));
        let words = if words.is_empty() { String::new() } else { format!("; words are {}", words.join(", ")) };
        similar + &list + &words
    }
}

/// Returns whether a text is a possible name of a hole or a word.
pub(super) fn is_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
