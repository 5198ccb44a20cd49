//! The summary of a run, for its last line on stderr.

use std::collections::BTreeMap;
use std::fmt;

use toolglot::{Code, Diagnostic, Message};

/// Counts over many answers.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    calls: usize,
    incomplete: usize,
    failed: usize,
    diagnostics: BTreeMap<Code, usize>,
}

impl Tally {
    pub(crate) fn message(&mut self, message: &Message) {
        self.calls += message.calls.len();
        self.incomplete += message.incomplete.len();
        self.diagnostics(&message.diagnostics);
    }

    pub(crate) fn diagnostics(&mut self, diagnostics: &[Diagnostic]) {
        diagnostics.iter().for_each(|one| *self.diagnostics.entry(one.code).or_default() += 1);
    }

    /// Counts a failed line.
    pub(crate) fn failure(&mut self) {
        self.failed += 1;
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.calls += other.calls;
        self.incomplete += other.incomplete;
        self.failed += other.failed;
        other.diagnostics.into_iter().for_each(|(code, count)| *self.diagnostics.entry(code).or_default() += count);
    }

    pub(crate) fn is_fine(&self) -> bool {
        self.failed == 0
    }

    /// The codes of repairs, or of other diagnostics, with their counts, the most frequent first.
    fn codes(&self, of_repairs: bool) -> String {
        let mut codes: Vec<_> = self.diagnostics.iter().filter(|(code, _)| code.is_repair() == of_repairs).collect();
        codes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        codes.iter().map(|(code, count)| format!("{code} {count}")).collect::<Vec<_>>().join(", ")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let counts = [(self.calls, "calls"), (self.incomplete, "incomplete calls"), (self.failed, "failed lines")];
        let counts = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let codes = [("repairs: ", self.codes(true)), ("other diagnostics: ", self.codes(false))];
        let codes =
            codes.into_iter().filter(|(_, codes)| !codes.is_empty()).map(|(label, codes)| label.to_owned() + &codes);
        f.write_str(&counts.chain(codes).collect::<Vec<_>>().join("; "))
    }
}
