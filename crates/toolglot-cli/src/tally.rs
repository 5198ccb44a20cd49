//! The summary of a run, for its last line on stderr.

use std::collections::BTreeMap;
use std::fmt;

use toolglot::{Code, Diagnostic, Message, MissReason};

/// Counts over many answers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    calls: usize,
    incomplete: usize,
    pub(crate) failed: usize,
    /// Answers that look like a call but have none, by reason.
    misses: BTreeMap<&'static str, usize>,
    diagnostics: BTreeMap<Code, usize>,
}

impl Tally {
    pub(crate) fn message(&mut self, message: &Message, miss: Option<MissReason>) {
        self.calls += message.calls.len();
        self.incomplete += message.incomplete.len();
        add_counts(&mut self.misses, miss.map(|reason| (reason.name(), 1)));
        self.diagnostics(&message.diagnostics);
    }

    pub(crate) fn diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        let codes = diagnostics.iter().map(|one| (one.code, 1)).filter(|(code, _)| *code != Code::NearMiss);
        add_counts(&mut self.diagnostics, codes);
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.incomplete += other.incomplete;
        self.failed += other.failed;
        add_counts(&mut self.misses, other.misses);
        add_counts(&mut self.diagnostics, other.diagnostics);
    }

    /// The codes of repairs, or of other diagnostics.
    fn codes(&self, of_repairs: bool) -> String {
        listed(self.diagnostics.iter().filter(|(code, _)| code.is_repair() == of_repairs))
    }
}

fn add_counts<K: Ord>(counts: &mut BTreeMap<K, usize>, more: impl IntoIterator<Item = (K, usize)>) {
    more.into_iter().for_each(|(key, count)| *counts.entry(key).or_default() += count);
}

/// Names with their counts, the most frequent first.
fn listed<'c, K: fmt::Display + 'c>(counts: impl Iterator<Item = (&'c K, &'c usize)>) -> String {
    let mut counts: Vec<_> = counts.collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    counts.iter().map(|(name, count)| format!("{name} {count}")).collect::<Vec<_>>().join(", ")
}

/// A number and what is counted, in the plural unless it is one.
pub(crate) fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.calls, "call"), (self.incomplete, "incomplete call"), (self.failed, "failed line")];
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| counted(*count, what));
        let misses = listed(self.misses.iter());
        let codes = [("missed: ", misses), ("repairs: ", self.codes(true)), ("other diagnostics: ", self.codes(false))];
        let codes =
            codes.into_iter().filter(|(_, codes)| !codes.is_empty()).map(|(label, codes)| label.to_owned() + &codes);
        f.write_str(&counts.chain(codes).collect::<Vec<_>>().join("; "))
    }
}
