//! Identifies the dialect of a model's output, a chat template or a model's name, with the evidence.

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

/// A possible dialect, with its score and the evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Verdict {
    /// The dialect's name.
    pub dialect: Arc<str>,
    /// Other dialects with the same evidence; the first in order of preference is `dialect`.
    pub alike: Vec<Arc<str>>,
    /// The sum of the weights; comparable only between verdicts on the same subject.
    pub score: i32,
    /// The evidence, in descending order of weight.
    pub evidence: Vec<Reason>,
}

/// One piece of evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reason {
    /// What was found, in words.
    pub what: String,
    /// Where it was found, in bytes of the subject.
    pub span: Option<Range<usize>>,
    /// Its weight; negative if it is evidence against the dialect.
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
    /// Returns a verdict that was reached by other means than this module's, such as rendering a template.
    pub fn proven(dialect: &Dialect, what: impl Into<String>, weight: usize) -> Self {
        Self::new(dialect.name(), vec![Reason::new(what, None, weight)])
    }

    fn new(dialect: &str, mut evidence: Vec<Reason>) -> Self {
        evidence.sort_by_key(|evidence| -evidence.weight);
        let score = evidence.iter().fold(0_i32, |sum, evidence| sum.saturating_add(evidence.weight));
        Self { dialect: dialect.into(), alike: Vec::new(), score, evidence }
    }
}

/// Adds to the first verdict the others with the same score: a tie is not decided.
fn with_ties(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    let Some(best) = verdicts.first().map(|verdict| verdict.score) else { return verdicts };
    let ties: Vec<Arc<str>> =
        verdicts[1..].iter().take_while(|other| other.score == best).map(|other| Arc::clone(&other.dialect)).collect();
    verdicts[0].alike = ties;
    verdicts
}

/// Sorts the best first; equal scores keep the order of the dialects.
fn ranked(mut verdicts: Vec<Verdict>) -> Vec<Verdict> {
    verdicts.sort_by_key(|verdict| -verdict.score);
    verdicts
}
