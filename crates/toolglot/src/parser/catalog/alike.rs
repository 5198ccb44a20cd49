//! Candidates whose heads are alike: what one of them read there the next need not read again.

use std::collections::HashMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::{Candidate, Role};
use crate::dialect::{BodyKind, Dialect, Literal, Node, Spelling};

/// All that reading a candidate's heads depends on.
#[derive(PartialEq, Eq)]
struct Heads<'d> {
    section: &'d [Node],
    call: &'d [Node],
    after: Option<&'d Literal>,
    has_body: bool,
    /// The head may stand a second time only where data cannot begin with it.
    is_data: bool,
}

/// The canonical openers tell most heads apart; there are too many spellings to hash them all.
impl Hash for Heads<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for node in self.section.iter().chain(self.call) {
            if let Node::Literal(literal) = node {
                literal.spellings.first().map(Spelling::opener).hash(state);
            }
        }
    }
}

/// Returns of each candidate a number that those share whose heads are alike.
pub(super) fn alike(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Vec<usize> {
    let mut known = HashMap::new();
    let number = |(number, candidate): (usize, &Candidate)| {
        if candidate.role != Role::Call || candidate.is_barred {
            return number;
        }
        *known.entry(heads(&dialects[candidate.dialect], candidate)).or_insert(number)
    };
    candidates.iter().enumerate().map(number).collect()
}

fn heads<'d>(dialect: &'d Dialect, candidate: &Candidate) -> Heads<'d> {
    let call = &dialect.calls[candidate.pattern];
    Heads {
        section: candidate.section.map_or(&[], |section| &dialect.sections[section].head),
        call: &call.head,
        after: call.after_head(),
        has_body: call.body.is_some(),
        is_data: matches!(call.kind(), Some(BodyKind::Content) | None),
    }
}
