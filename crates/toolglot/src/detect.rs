//! Which dialect it is: from what a model wrote, from its chat template, from its name, each with its reasons.

use std::ops::Range;
use std::sync::Arc;

use crate::Dialect;

mod markers;
mod model;
mod output;
mod template;

pub use model::{fits, from_model};
pub use output::from_output;
pub use template::from_template;

/// One dialect that something speaks for, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The dialect's name.
    pub dialect: Arc<str>,
    /// Other dialects that the same evidence speaks for as much; the first in order is the one above.
    pub alike: Vec<Arc<str>>,
    /// The weights of the evidence added up; it compares verdicts on one subject, nothing else.
    pub score: i32,
    /// The reasons, the weightiest first.
    pub evidence: Vec<Reason>,
}

/// One reason for a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// What was seen, in words.
    pub what: String,
    /// Where it was seen, in bytes of the subject.
    pub span: Option<Range<usize>>,
    /// How much it counts; what speaks against the dialect is negative.
    pub weight: i32,
}

impl Reason {
    fn new(what: impl Into<String>, span: Option<Range<usize>>, weight: usize) -> Self {
        Self { what: what.into(), span, weight: i32::try_from(weight).unwrap_or(i32::MAX) }
    }

    fn against(what: impl Into<String>, weight: usize) -> Self {
        let Self { what, weight, .. } = Self::new(what, None, weight);
        Self { what, span: None, weight: -weight }
    }
}

impl Verdict {
    /// Returns a verdict that was proved by other means than this module's, such as rendering a template.
    pub fn proven(dialect: &Dialect, what: impl Into<String>, weight: usize) -> Self {
        Self::new(dialect.name(), vec![Reason::new(what, None, weight)])
    }

    fn new(dialect: &str, mut evidence: Vec<Reason>) -> Self {
        evidence.sort_by_key(|evidence| -evidence.weight);
        let score = evidence.iter().fold(0_i32, |sum, evidence| sum.saturating_add(evidence.weight));
        Self { dialect: dialect.into(), alike: Vec::new(), score, evidence }
    }
}

/// Notes beside the first verdict the others that have its score: what ties is not decided.
fn with_ties(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let Some(best) = verdicts.first().map(|verdict| verdict.score) else { return verdicts };
    let ties: Vec<Arc<str>> =
        verdicts[1..].iter().take_while(|other| other.score == best).map(|other| Arc::clone(&other.dialect)).collect();
    verdicts[0].alike = ties;
    verdicts
}

/// Puts the best first; equals keep the order of the dialects.
fn ranked(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    verdicts.sort_by_key(|verdict| -verdict.score);
    verdicts
}
