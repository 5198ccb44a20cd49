//! An ordered set of dialects: the built-in ones, a selection of them, and a caller's own.

use std::fmt;
use std::slice::Iter;
use std::sync::{Arc, LazyLock, OnceLock};

use super::builtin::FILES;
use super::compiled::Builtin;
use super::nearest::distance;
use super::{Dialect, folded, same_name};
use crate::parser::catalog::Catalog;

/// Dialects in order of preference: if several match the same text, the first wins. Cheap to clone.
///
/// # Example
/// ```
/// use toolglot::{Dialect, Dialects};
/// let all = Dialects::builtin();
/// assert_eq!(all.get("Qwen3-XML").map(|dialect| dialect.name()), Some("qwen3_coder"));
///
/// let mine = Dialect::from_toml("mine", r#"call = "<run>{call}</run>""#)?;
/// let set = all.only(&["hermes", "glm-4.5"])?.with(mine);
/// let names: Vec<&str> = set.iter().map(|dialect| dialect.name()).collect();
/// assert_eq!(names, ["mine", "hermes", "glm45"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Dialects(Arc<DialectSet>);

/// The dialects of a set, their names, and the catalogs made of them.
#[derive(Debug)]
struct DialectSet {
    entries: Box<[DialectSlot]>,
    /// All of them compiled, once all are needed.
    list: OnceLock<Box<[Arc<Dialect>]>>,
    /// The catalog of the dialects, built when the first parser needs it.
    catalog: OnceLock<Arc<Catalog>>,
    /// The same for callers that mark special tokens.
    marked: OnceLock<Arc<Catalog>>,
}

/// One dialect of a set; a built-in one is compiled when it is needed.
#[derive(Clone, Debug)]
enum DialectSlot {
    Own(Arc<Dialect>),
    Builtin(&'static Shelved),
}

/// A built-in dialect, and the set of only this dialect: everyone who pins it shares its catalog.
#[derive(Debug)]
struct Shelved {
    builtin: Builtin,
    alone: OnceLock<Dialects>,
}

/// Every built-in dialect, in the order of preference.
static SHELF: LazyLock<Box<[Shelved]>> = LazyLock::new(|| {
    let unread = |(name, source)| Shelved { builtin: Builtin::new(name, source), alone: OnceLock::new() };
    FILES.into_iter().map(unread).collect()
});

static BUILTIN: LazyLock<Dialects> = LazyLock::new(|| Dialects::of(SHELF.iter().map(DialectSlot::Builtin).collect()));

impl Dialects {
    /// Returns every built-in dialect. Each is compiled once per process, on first use.
    pub fn builtin() -> Self {
        BUILTIN.clone()
    }

    fn of(entries: Box<[DialectSlot]>) -> Self {
        Self(Arc::new(DialectSet { entries, list: OnceLock::new(), catalog: OnceLock::new(), marked: OnceLock::new() }))
    }

    /// Finds a dialect by its name or an alias; case, `-`, `_` and `.` are ignored.
    pub fn get(&self, name: &str) -> Option<&Arc<Dialect>> {
        self.find(name)?.dialect()
    }

    fn find(&self, name: &str) -> Option<&DialectSlot> {
        let entries = &self.0.entries;
        let named = entries.iter().find(|entry| same_name(entry.name(), name));
        named.or_else(|| entries.iter().find(|entry| entry.has_alias(name)))
    }

    /// Returns only the dialects with the given names or aliases, in the order of the names: this pins them.
    ///
    /// # Errors
    /// If a name is unknown; the error lists similar names.
    pub fn only(&self, names: &[impl AsRef<str>]) -> Result<Self, UnknownDialect> {
        let mut chosen: Vec<DialectSlot> = Vec::new();
        for name in names {
            let entry = self.find(name.as_ref()).ok_or_else(|| self.unknown(name.as_ref()))?;
            if !chosen.iter().any(|other| other.is(entry)) {
                chosen.push(entry.clone());
            }
        }
        match chosen[..] {
            [DialectSlot::Builtin(shelved)] => {
                Ok(shelved.alone.get_or_init(|| Self::of(Box::new([DialectSlot::Builtin(shelved)]))).clone())
            }
            _ => Ok(Self::of(chosen.into())),
        }
    }

    /// Returns the set with one more dialect in first place; it replaces one of the same name.
    #[must_use]
    pub fn with(&self, dialect: Dialect) -> Self {
        let others = self.0.entries.iter().filter(|other| !same_name(other.name(), &dialect.name)).cloned();
        let others = others.collect::<Vec<_>>();
        Self::of([DialectSlot::Own(Arc::new(dialect))].into_iter().chain(others).collect())
    }

    /// Returns the set with one of its dialects at the front: if several match the same text, it wins.
    ///
    /// The dialect of an earlier message of the conversation is such a hint. If the text matches only one dialect,
    /// the order has no effect.
    ///
    /// # Errors
    /// If the name is unknown.
    pub fn prefer(&self, name: &str) -> Result<Self, UnknownDialect> {
        let first = self.find(name).ok_or_else(|| self.unknown(name))?;
        let others = self.0.entries.iter().filter(|other| !other.is(first));
        Ok(Self::of([first].into_iter().chain(others).cloned().collect()))
    }

    /// Returns whether every call of these dialects needs a special token.
    ///
    /// If so, a parser [with marked tokens](crate::Options::with_marked_tokens) reads no call from ordinary text,
    /// whatever it spells.
    ///
    /// # Example
    /// ```
    /// use toolglot::Dialects;
    /// let sealed = |name: &str| Dialects::builtin().only(&[name]).map(|set| set.is_sealed());
    /// assert_eq!(sealed("hermes"), Ok(true));
    /// assert_eq!(sealed("pythonic"), Ok(false));
    /// assert!(!Dialects::builtin().is_sealed());
    /// ```
    pub fn is_sealed(&self) -> bool {
        self.catalog(true).is_sealed()
    }

    /// Returns the number of dialects.
    pub fn len(&self) -> usize {
        self.0.entries.len()
    }

    /// Returns whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.entries.is_empty()
    }

    /// Iterates over the dialects in order of preference.
    pub fn iter(&self) -> Iter<'_, Arc<Dialect>> {
        self.list().iter()
    }

    pub(crate) fn list(&self) -> &[Arc<Dialect>] {
        self.0.list.get_or_init(|| self.0.entries.iter().filter_map(DialectSlot::dialect).cloned().collect())
    }

    /// Returns the catalog of all dialects, built once for the set.
    ///
    /// `marked` means that the caller marks special tokens.
    pub(crate) fn catalog(&self, marked: bool) -> Arc<Catalog> {
        let made = match marked {
            true => self.0.marked.get_or_init(|| Arc::new(Catalog::marked(self.list()))),
            false => self.0.catalog.get_or_init(|| Arc::new(Catalog::new(self.list()))),
        };
        Arc::clone(made)
    }

    fn unknown(&self, given: &str) -> UnknownDialect {
        let wanted = folded(given);
        let names = self.iter().flat_map(|dialect| dialect.names());
        let mut similar: Vec<(usize, &str)> = names.map(|name| (distance(&wanted, &folded(name)), name)).collect();
        similar.retain(|&(distance, name)| distance <= 2 || wanted.len() >= 4 && folded(name).contains(&wanted));
        similar.sort();
        UnknownDialect {
            given: given.to_owned(),
            similar: similar.into_iter().take(5).map(|(_, name)| name.to_owned()).collect(),
        }
    }
}

impl DialectSlot {
    fn name(&self) -> &str {
        match self {
            Self::Own(dialect) => &dialect.name,
            Self::Builtin(shelved) => shelved.builtin.name,
        }
    }

    fn has_alias(&self, name: &str) -> bool {
        match self {
            Self::Own(dialect) => dialect.has_alias(name),
            Self::Builtin(shelved) => shelved.builtin.has_alias(name),
        }
    }

    fn dialect(&self) -> Option<&Arc<Dialect>> {
        match self {
            Self::Own(dialect) => Some(dialect),
            Self::Builtin(shelved) => shelved.builtin.dialect(),
        }
    }

    /// Returns whether two entries of one set are the same.
    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Own(one), Self::Own(other)) => Arc::ptr_eq(one, other),
            (Self::Builtin(one), Self::Builtin(other)) => std::ptr::eq(*one, *other),
            _ => false,
        }
    }
}

impl Default for Dialects {
    fn default() -> Self {
        Self::builtin()
    }
}

impl From<Dialect> for Dialects {
    fn from(dialect: Dialect) -> Self {
        [Arc::new(dialect)].into_iter().collect()
    }
}

impl FromIterator<Arc<Dialect>> for Dialects {
    fn from_iter<I: IntoIterator<Item = Arc<Dialect>>>(dialects: I) -> Self {
        Self::of(dialects.into_iter().map(DialectSlot::Own).collect())
    }
}

impl FromIterator<Dialect> for Dialects {
    fn from_iter<I: IntoIterator<Item = Dialect>>(dialects: I) -> Self {
        dialects.into_iter().map(Arc::new).collect()
    }
}

impl<'a> IntoIterator for &'a Dialects {
    type Item = &'a Arc<Dialect>;
    type IntoIter = Iter<'a, Arc<Dialect>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The error for a name that no dialect of the set has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownDialect {
    given: String,
    similar: Vec<String>,
}

impl fmt::Display for UnknownDialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { given, similar } = self;
        match &similar[..] {
            [] => write!(f, "unknown dialect `{given}`; run `toolglot dialects list` to list all"),
            similar => write!(f, "unknown dialect `{given}`; did you mean `{}`?", similar.join("`, `")),
        }
    }
}

impl std::error::Error for UnknownDialect {}
