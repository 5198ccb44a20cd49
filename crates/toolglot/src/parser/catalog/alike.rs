//! Candidates whose heads are alike: what one of them read there the next need not read again.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Candidate, CandidateRole};
use crate::dialect::{BodyKind, Dialect, HeadPart, Literal, Spelling};
use crate::lead::Lead;

/// All that reading a candidate's heads depends on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct HeadKey<'d> {
    section: &'d [HeadPart],
    call: &'d [HeadPart],
    after: Option<&'d Literal>,
    has_body: bool,
    /// The head may stand a second time only where data cannot begin with it.
    is_data: bool,
}

/// How the canonical openers begin and how long they are tells most heads apart; there is too much to hash it all.
impl Hash for HeadKey<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for node in self.section.iter().chain(self.call) {
            if let HeadPart::Literal(literal) = node {
                let opener = literal.spellings.first().map_or("", Spelling::opener);
                (Lead::of(opener.as_bytes()), opener.len()).hash(state);
            }
        }
    }
}

/// Numbers of a candidate, each shared with those that read the same there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alike {
    pub(super) heads: usize,
    /// The head of the section, for candidates that have one.
    pub(super) section: usize,
}

/// Returns of each candidate what it shares with others.
pub(super) fn alike(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Vec<Alike> {
    let mut known = HashMap::with_capacity(candidates.len());
    let numbers = |(number, candidate): (usize, &Candidate)| {
        if candidate.role != CandidateRole::Call || candidate.is_barred {
            return Alike { heads: number, section: number };
        }
        let heads = heads(&dialects[candidate.dialect], candidate);
        let section = HeadKey { call: &[], after: None, has_body: false, is_data: false, ..heads };
        let section = if heads.section.is_empty() { number } else { *known.entry(section).or_insert(number) };
        Alike { heads: *known.entry(heads).or_insert(number), section }
    };
    candidates.iter().enumerate().map(numbers).collect()
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
