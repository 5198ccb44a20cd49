//! Closers that may stand where nothing is open: reasoning's, and those of a call that has been closed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dialect::{Dialect, HeadPart, Inside, Literal, Pattern, Spelling};
use crate::parser::head::{Head, skip_gap, stands};
use crate::parser::openers::{Opener, Openers};
use crate::view::{NotYet, View};

/// Closers that count where nothing that they close is open.
#[derive(Debug)]
pub(crate) struct LoneClosers {
    openers: Openers,
    literals: Vec<Literal>,
}

impl LoneClosers {
    /// The closers of reasoning regions.
    pub(super) fn of_reasoning(dialects: &[Arc<Dialect>]) -> Self {
        Self::new(reasoning_closers(dialects))
    }

    /// Those of a pinned dialect's calls. Where several compete, one's closer is another's text.
    pub(super) fn of_calls(dialects: &[Arc<Dialect>]) -> Self {
        match dialects {
            [pinned] => Self::new(stray_closers(pinned)),
            _ => Self::new(Vec::new()),
        }
    }

    fn new(literals: Vec<Literal>) -> Self {
        let spelled = literals.iter().enumerate().flat_map(|(number, closer)| {
            closer.spellings.iter().map(move |spelling| (Opener::of(spelling.opener()), number))
        });
        Self { openers: Openers::new(spelled), literals }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.literals.is_empty()
    }

    pub(super) fn starts(&self) -> Vec<Vec<u8>> {
        self.openers.starts()
    }

    /// Returns the end of a closer that stands at `at`.
    pub(crate) fn stands(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let (mut found, mut end) = (Vec::new(), None);
        self.openers.find(view, at, &mut found)?;
        for number in found {
            end = stands(view, at, &self.literals[number], &Head::default())?.max(end);
        }
        Ok(end)
    }
}

/// Returns the end of a section that stands at `at` and holds nothing.
pub(super) fn empty_section(section: &Pattern, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
    let ([HeadPart::Literal(opener)], Some(closer)) = (&section.head[..], section.tail.first()) else {
        return Ok(None);
    };
    let opened = if opener.is_strong() { stands(view, at, opener, &Head::default())? } else { None };
    let Some(end) = opened else { return Ok(None) };
    stands(view, skip_gap(view, end)?, closer, &Head::default())
}

/// Strong closers of reasoning regions, each once.
fn reasoning_closers(dialects: &[Arc<Dialect>]) -> Vec<Literal> {
    let opaque = |pattern: &&Pattern| !pattern.body.as_ref().is_some_and(|body| body.inside == Inside::Opaque);
    let regions = dialects.iter().flat_map(|dialect| &dialect.reasoning).filter(opaque);
    let mut closers: Vec<Literal> = Vec::new();
    for closer in regions.filter_map(|pattern| pattern.tail.first()).filter(|closer| closer.is_strong()) {
        if !closers.contains(closer) {
            closers.push(closer.clone());
        }
    }
    closers
}

/// The closers of a dialect's calls and sections that text has no use for: a plain tag may be markup of its own.
fn stray_closers(dialect: &Dialect) -> Vec<Literal> {
    closers_of(outer(dialect), dialect, is_stray).collect()
}

fn is_stray(spelling: &Spelling) -> bool {
    let mut bytes = spelling.bytes();
    spelling.is_fixed() && !bytes.all(|byte| b"</>".contains(&byte) || byte.is_ascii_alphanumeric())
}

fn outer(dialect: &Dialect) -> impl Iterator<Item = &Pattern> {
    dialect.calls.iter().chain(&dialect.sections)
}

/// The strong closers of some dialects, each once, but for those that repeat a name.
pub(super) fn strong_closers(dialects: &[Arc<Dialect>], of: &BTreeSet<usize>) -> Vec<Literal> {
    let mut closers: Vec<Literal> = Vec::new();
    for dialect in of.iter().map(|number| &dialects[*number]) {
        let strong = outer(dialect).flat_map(|pattern| &pattern.tail);
        for closer in strong_spellings(strong, dialect, Spelling::is_fixed) {
            if !closers.contains(&closer) {
                closers.push(closer);
            }
        }
    }
    closers
}

/// The closers of patterns in those of their strong spellings that count, but for what opens a call or stands between calls.
fn closers_of<'d>(
    patterns: impl IntoIterator<Item = &'d Pattern>,
    dialect: &'d Dialect,
    counts: impl Fn(&Spelling) -> bool + 'd,
) -> impl Iterator<Item = Literal> {
    let opens = |spelling: &Spelling| dialect.openings.iter().any(|opener| opener.spellings.contains(spelling));
    let closers = patterns.into_iter().flat_map(|pattern| &pattern.tail);
    strong_spellings(closers, dialect, move |spelling| counts(spelling) && !opens(spelling))
}

/// Closers, each once, in those of their strong spellings that count, but for what stands between calls anyway.
fn strong_spellings<'d>(
    all: impl Iterator<Item = &'d Literal>,
    dialect: &'d Dialect,
    counts: impl Fn(&Spelling) -> bool + 'd,
) -> impl Iterator<Item = Literal> {
    let mut closers: Vec<&Literal> = Vec::new();
    for closer in all {
        if !closers.contains(&closer) {
            closers.push(closer);
        }
    }
    let may = move |spelling: &&Spelling| {
        let strong = spelling.is_strong() && counts(spelling);
        strong && (dialect.skip.is_empty() || !dialect.skip.contains(&spelling.plain()))
    };
    closers
        .into_iter()
        .map(move |closer| Literal { spellings: closer.spellings.iter().filter(&may).cloned().collect() })
}

/// What every closer of a region begins with, but for words: those are sought when their region opens.
pub(super) fn region_closers(dialects: &[Arc<Dialect>]) -> impl Iterator<Item = &str> {
    let regions = dialects.iter().flat_map(|dialect| dialect.reasoning.iter().chain(&dialect.content));
    let closers = regions.filter(|pattern| !pattern.opens_with_word()).filter_map(|pattern| pattern.tail.first());
    closers.flat_map(|literal| &literal.spellings).map(Spelling::opener)
}
