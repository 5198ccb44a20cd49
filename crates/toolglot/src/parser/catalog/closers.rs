//! Closers that may stand where nothing is open: reasoning's, and those of a call that has been closed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::dialect::{Dialect, Inside, Literal, Pattern, Spelling};

/// Strong closers of reasoning regions, each once.
pub(super) fn reasoning_closers(dialects: &[Arc<Dialect>]) -> Vec<Literal> {
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

/// The strong closers of some dialects, each once, but for those that repeat a name.
pub(super) fn strong_closers(dialects: &[Arc<Dialect>], of: &BTreeSet<usize>) -> Vec<Literal> {
    let mut closers: Vec<Literal> = Vec::new();
    for closer in of.iter().flat_map(|number| closers_of(&dialects[*number])) {
        if !closers.contains(&closer) {
            closers.push(closer);
        }
    }
    closers
}

/// The closers of calls and sections in their strong spellings, but for what stands between calls anyway.
fn closers_of(dialect: &Dialect) -> impl Iterator<Item = Literal> {
    let closers = dialect.calls.iter().chain(&dialect.sections).flat_map(|pattern| &pattern.tail);
    let may =
        |spelling: &&Spelling| spelling.is_fixed() && spelling.is_strong() && !dialect.skip.contains(&spelling.plain());
    let strong = move |closer: &Literal| Literal { spellings: closer.spellings.iter().filter(may).cloned().collect() };
    closers.map(strong)
}

/// What every closer of a region begins with.
pub(super) fn region_closers(dialects: &[Arc<Dialect>]) -> impl Iterator<Item = &str> {
    let regions = dialects.iter().flat_map(|dialect| dialect.reasoning.iter().chain(&dialect.content));
    openers_in(regions.filter_map(|pattern| pattern.tail.first()))
}

fn openers_in<'l>(literals: impl Iterator<Item = &'l Literal>) -> impl Iterator<Item = &'l str> {
    literals.flat_map(|literal| &literal.spellings).map(Spelling::opener)
}
