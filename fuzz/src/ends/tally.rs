//! What an oracle counts, and the failures it keeps.

use std::collections::BTreeMap;

use super::Run;
use super::message::{Calls, shown};

/// A case to look at.
pub(super) struct Sample {
    /// What went wrong, in a word.
    pub(super) kind: String,
    pub(super) case: usize,
    /// Everything about it, a line each.
    pub(super) lines: Vec<String>,
}

/// What was counted for one dialect.
#[derive(Default)]
pub(super) struct Tally {
    /// The case that is judged now.
    pub(super) case: usize,
    /// Numbers by group and outcome.
    pub(super) counts: BTreeMap<(&'static str, String), u64>,
    pub(super) samples: Vec<Sample>,
}

impl Tally {
    pub(super) fn count(&mut self, group: &'static str, outcome: &str) {
        *self.counts.entry((group, outcome.to_owned())).or_default() += 1;
    }

    /// Counts a message that was read in pieces.
    pub(super) fn pieces(&mut self, run: &Run, same: bool, lines: impl FnOnce() -> Vec<String>) {
        self.count("pieces", if same { "same" } else { "other" });
        if !same {
            self.show(run, "pieces", lines);
        }
    }

    /// Counts a message that is as it should be and comes back otherwise.
    pub(super) fn not_read_back(&mut self, run: &Run, text: &str, [meant, found]: [&Calls; 2]) {
        self.count("undamaged", "not read back");
        self.show(run, "not read back", || {
            let text = super::line(text.as_bytes());
            vec![format!("text  {text}"), format!("meant {}", shown(meant)), format!("found {}", shown(found))]
        });
    }

    /// Keeps a failure to show, if it is one of those asked for.
    pub(super) fn show(&mut self, run: &Run, kind: &str, lines: impl FnOnce() -> Vec<String>) {
        if self.samples.len() < run.show && run.kind.as_ref().is_none_or(|wanted| kind.contains(wanted.as_str())) {
            self.samples.push(Sample { kind: kind.to_owned(), case: self.case, lines: lines() });
        }
    }

    pub(super) fn add(&mut self, other: Self, show: usize) {
        for (key, count) in other.counts {
            *self.counts.entry(key).or_default() += count;
        }
        self.samples.extend(other.samples);
        self.samples.sort_by_key(|sample| sample.case);
        self.samples.truncate(show);
    }

    pub(super) fn sum(&self, group: &str) -> u64 {
        self.counts.iter().filter(|(key, _)| key.0 == group).map(|(_, count)| count).sum()
    }
}

/// Returns how many of some groups had an outcome that begins so, and how many there are.
pub(super) fn among(tally: &Tally, groups: &[&str], outcome: &str) -> (u64, u64) {
    let found = |group: &&str| -> u64 {
        let hit = |key: &(&str, String)| key.0 == *group && key.1.starts_with(outcome);
        tally.counts.iter().filter(|(key, _)| hit(key)).map(|(_, count)| count).sum()
    };
    (groups.iter().map(found).sum(), groups.iter().map(|group| tally.sum(group)).sum())
}
