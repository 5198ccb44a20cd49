//! Closers that may stand where nothing is open: reasoning's, and those of a call that has been closed.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use super::{Candidate, openers_of};
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

/// Of each dialect, the strong closers of all dialects that share an opener with it, but for those that repeat a name.
pub(super) fn spent_closers(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Vec<Vec<Literal>> {
    let mut openers = vec![HashSet::new(); dialects.len()];
    let mut sharers: HashMap<_, BTreeSet<usize>> = HashMap::new();
    for candidate in candidates.iter().filter(|candidate| candidate.is_strong_call()) {
        for opener in openers_of(&dialects[candidate.dialect], candidate) {
            sharers.entry(opener.text.clone()).or_default().insert(candidate.dialect);
            openers[candidate.dialect].insert(opener.text);
        }
    }
    let of = |number: usize| {
        let sharing = openers[number].iter().filter_map(|opener| sharers.get(opener)).flatten().copied();
        let kin: BTreeSet<usize> = sharing.chain([number]).collect();
        let mut closers: Vec<Literal> = Vec::new();
        for closer in kin.iter().flat_map(|kin| strong_closers(&dialects[*kin])) {
            if !closers.contains(&closer) {
                closers.push(closer);
            }
        }
        closers
    };
    (0..dialects.len()).map(of).collect()
}

/// The closers of calls and sections in their strong spellings, but for what stands between calls anyway.
fn strong_closers(dialect: &Dialect) -> impl Iterator<Item = Literal> {
    let closers = dialect.calls.iter().chain(&dialect.sections).flat_map(|pattern| &pattern.tail);
    let may =
        |spelling: &&Spelling| spelling.is_fixed() && spelling.is_strong() && !dialect.skip.contains(&spelling.plain());
    let strong = move |closer: &Literal| Literal { spellings: closer.spellings.iter().filter(may).cloned().collect() };
    closers.map(strong)
}
