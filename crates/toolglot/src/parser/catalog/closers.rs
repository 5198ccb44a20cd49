//! Closers that may occur where nothing is open: those of reasoning, and those of a closed call.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dialect::{Dialect, Inside, Literal, Pattern, Spelling, each_once};
use crate::parser::head::{Head, stands};
use crate::parser::openers::{Opener, Openers};
use crate::view::{NotYet, View};

/// Closers that count even if what they close is not open.
#[derive(Debug)]
pub(crate) struct LoneClosers {
    openers: Openers,
    literals: Vec<Literal>,
}

impl LoneClosers {
    pub(super) fn new(literals: Vec<Literal>) -> Self {
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

    /// Returns the end of a closer at `at`.
    pub(crate) fn stands(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let (mut found, mut end) = (Vec::new(), None);
        self.openers.find(view, at, &mut found)?;
        for number in found {
            end = stands(view, at, [&self.literals[number]], &Head::default())?.max(end);
        }
        Ok(end)
    }
}

/// The lone closers of reasoning, the openers of the answer that close it, and the strays of a pinned dialect.
pub(super) fn lone_closers(dialects: &[Arc<Dialect>]) -> [LoneClosers; 3] {
    let reasoning = |answer| reasoning_closers(dialects, answer);
    [reasoning(false), reasoning(true), stray_closers(dialects)].map(LoneClosers::new)
}

/// Strong closers of reasoning regions, each once: those that open the `answer`, or the others.
fn reasoning_closers(dialects: &[Arc<Dialect>], answer: bool) -> Vec<Literal> {
    let opaque = |pattern: &&Pattern| !pattern.body.as_ref().is_some_and(|body| body.inside == Inside::Opaque);
    each_once(dialects.iter().flat_map(|dialect| {
        let openers = dialect.content.iter().filter_map(|pattern| pattern.opening());
        let counts = move |own: &&Spelling| openers.clone().any(|open| open.spellings.contains(own)) == answer;
        let closers = dialect.reasoning.iter().filter(opaque).filter_map(|pattern| pattern.tail.first());
        closers.filter(|closer| closer.is_strong()).map(move |closer| closer.only(&counts))
    }))
}

/// The closers of a pinned dialect's patterns that are never text: a plain tag may be ordinary markup, and
/// an opener of a call is excluded. If several dialects compete, one's closer is another's text.
fn stray_closers(dialects: &[Arc<Dialect>]) -> Vec<Literal> {
    let [dialect] = dialects else { return Vec::new() };
    let patterns = dialect.calls.iter().chain(&dialect.sections).chain(&dialect.params);
    let opens = |spelling: &Spelling| dialect.openings.iter().any(|opener| opener.spellings.contains(spelling));
    strong_spellings(dialect, patterns, |spelling| is_stray(spelling) && !opens(spelling)).collect()
}

fn is_stray(spelling: &Spelling) -> bool {
    spelling.is_fixed() && !spelling.bytes().all(|byte| b"</>".contains(&byte) || byte.is_ascii_alphanumeric())
}

/// The strong closers of the dialects, except for those that repeat a name or end a turn.
pub(super) fn strong_closers(dialects: &[Arc<Dialect>]) -> LoneClosers {
    let turn_ends: BTreeSet<&String> = dialects.iter().flat_map(|dialect| &dialect.turn_end).collect();
    let counts = |spelling: &Spelling| spelling.is_fixed() && !turn_ends.contains(&spelling.plain());
    let closers = dialects.iter().flat_map(|dialect| {
        let patterns = dialect.calls.iter().chain(&dialect.sections).chain(&dialect.params);
        strong_spellings(dialect, patterns, &counts).collect::<Vec<_>>()
    });
    LoneClosers::new(closers.collect())
}

/// The closers of some patterns, each once, in the strong spellings that count, except those that also occur between calls.
fn strong_spellings<'d>(
    dialect: &'d Dialect,
    patterns: impl Iterator<Item = &'d Pattern>,
    counts: impl Fn(&Spelling) -> bool,
) -> impl Iterator<Item = Literal> {
    let closers = each_once(patterns.flat_map(|pattern| &pattern.tail));
    let may = move |spelling: &&Spelling| {
        let strong = spelling.is_strong() && counts(spelling);
        strong && (dialect.skip.is_empty() || !dialect.skip.contains(&spelling.plain()))
    };
    closers.into_iter().map(move |closer| closer.only(&may))
}

/// The beginnings of all closers of regions, except words, which are searched for when their region opens.
pub(super) fn region_closers(dialects: &[Arc<Dialect>]) -> impl Iterator<Item = &str> {
    let regions = dialects.iter().flat_map(|dialect| dialect.reasoning.iter().chain(&dialect.content));
    let closers = regions.filter(|pattern| !pattern.opens_with_word()).filter_map(|pattern| pattern.tail.first());
    closers.flat_map(|literal| &literal.spellings).map(Spelling::opener)
}
