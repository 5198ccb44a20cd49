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

    /// Those of the calls of a pinned dialect; where several compete, one's closer is another's text.
    pub(super) fn of_calls(dialects: &[Arc<Dialect>]) -> Self {
        Self::new(if let [pinned] = dialects { stray_closers(pinned) } else { Vec::new() })
    }

    /// All that a pinned dialect closes, its values too: what a call leaves that never began.
    pub(super) fn of_all(dialects: &[Arc<Dialect>]) -> Self {
        Self::new(if let [pinned] = dialects { all_closers(pinned) } else { Vec::new() })
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
        for closer in found.iter().filter_map(|number| self.literals.get(*number)) {
            end = stands(view, at, closer, &Head::default())?.max(end);
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
    let plain =
        |spelling: &Spelling| spelling.bytes().all(|byte| b"</>".contains(&byte) || byte.is_ascii_alphanumeric());
    let counts = move |spelling: &Spelling| spelling.is_fixed() && !plain(spelling) && !opens(dialect, spelling);
    closers_of(dialect, &[], counts).collect()
}

/// The closers of a dialect's values, calls and sections, plain tags too, but for those that repeat a name.
fn all_closers(dialect: &Dialect) -> Vec<Literal> {
    closers_of(dialect, &dialect.params, |spelling| !spelling.repeats_name() && !opens(dialect, spelling)).collect()
}

fn opens(dialect: &Dialect, spelling: &Spelling) -> bool {
    dialect.openings.iter().any(|opener| opener.spellings.contains(spelling))
}

/// The strong closers of some dialects, each once, but for those that repeat a name.
pub(super) fn strong_closers(dialects: &[Arc<Dialect>], of: &BTreeSet<usize>) -> Vec<Literal> {
    let mut closers: Vec<Literal> = Vec::new();
    for closer in of.iter().flat_map(|number| closers_of(&dialects[*number], &[], Spelling::is_fixed)) {
        if !closers.contains(&closer) {
            closers.push(closer);
        }
    }
    closers
}

/// The closers of calls, sections and `params` in those of their strong spellings that count, but for what stands between calls
/// anyway.
fn closers_of<'d>(
    dialect: &'d Dialect,
    params: &'d [Pattern],
    counts: impl Fn(&Spelling) -> bool + 'd,
) -> impl Iterator<Item = Literal> {
    let mut closers: Vec<&Literal> = Vec::new();
    for closer in dialect.calls.iter().chain(&dialect.sections).chain(params).flat_map(|pattern| &pattern.tail) {
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
    openers_in(regions.filter(|pattern| !pattern.opens_with_word()).filter_map(|pattern| pattern.tail.first()))
}

fn openers_in<'l>(literals: impl Iterator<Item = &'l Literal>) -> impl Iterator<Item = &'l str> {
    literals.flat_map(|literal| &literal.spellings).map(Spelling::opener)
}
