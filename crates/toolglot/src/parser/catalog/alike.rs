//! Candidates with equal heads: the result for one of them holds for the others.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Candidate, CandidateRole};
use crate::dialect::{BodyKind, Dialect, HeadPart, Literal, Spelling};
use crate::lead::Lead;

/// Everything that the result of reading a candidate's heads depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct HeadKey<'d> {
    section: &'d [HeadPart],
    call: &'d [HeadPart],
    after: Option<&'d Literal>,
    has_body: bool,
    /// The head may be repeated only if data cannot begin with it.
    is_data: bool,
}

/// The beginnings and lengths of the canonical openers distinguish most heads; hashing everything would cost too much.
impl Hash for HeadKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for literal in self.section.iter().chain(self.call).filter_map(HeadPart::literal) {
            let opener = literal.spellings.first().map_or("", Spelling::opener);
            (Lead::of(opener.as_bytes()), opener.len()).hash(state);
        }
    }
}

/// Returns a number for each candidate, shared by those with equal heads.
pub(super) fn alike(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Vec<usize> {
    numbers(candidates, |candidate| Some(heads(&dialects[candidate.dialect], candidate)))
}

/// Returns a number for each candidate, shared by those with equal section heads.
pub(super) fn alike_sections(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Vec<usize> {
    let whole = HeadKey { section: &[], call: &[], after: None, has_body: false, is_data: false };
    let section = |candidate: &Candidate| heads(&dialects[candidate.dialect], candidate).section;
    let key = |candidate: &Candidate| Some(HeadKey { section: section(candidate), ..whole });
    numbers(candidates, |candidate| key(candidate).filter(|key| !key.section.is_empty()))
}

fn numbers<'d>(candidates: &[Candidate], key: impl Fn(&Candidate) -> Option<HeadKey<'d>>) -> Vec<usize> {
    let mut known = HashMap::with_capacity(candidates.len());
    let number = |(number, candidate): (usize, &Candidate)| {
        let call = candidate.role == CandidateRole::Call && !candidate.is_barred;
        let key = if call { key(candidate) } else { None };
        key.map_or(number, |key| *known.entry(key).or_insert(number))
    };
    candidates.iter().enumerate().map(number).collect()
}

fn heads<'d>(dialect: &'d Dialect, candidate: &Candidate) -> HeadKey<'d> {
    let call = &dialect.calls[candidate.pattern];
    HeadKey {
        section: candidate.section.map_or(&[], |section| &dialect.sections[section].head),
        call: &call.head,
        after: call.after_head(),
        has_body: call.body.is_some(),
        is_data: matches!(call.kind(), Some(BodyKind::Content) | None),
    }
}
