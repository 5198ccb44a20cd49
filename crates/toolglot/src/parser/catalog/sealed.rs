//! Dialects as they are read when the caller marks special tokens: what such a token opens, nothing else opens.

use std::sync::Arc;

use super::{Candidate, CandidateRole, Strength};
use crate::dialect::{Dialect, HeadPart, Literal, Pattern, Spelling, SpellingPart, is_strong};

/// Returns everything that is a special token in one of the dialects.
pub(super) fn tokens(dialects: &[Arc<Dialect>]) -> Arc<[Box<str>]> {
    let mut tokens: Vec<Box<str>> = Vec::new();
    for token in dialects.iter().flat_map(|dialect| &dialect.special).filter(|token| !token.is_empty()) {
        if !tokens.iter().any(|known| **known == **token) {
            tokens.push(token.as_str().into());
        }
    }
    tokens.into()
}

/// Returns a dialect without the markers that spell a special token in another way: such a token has one spelling.
pub(super) fn seal(dialect: &Arc<Dialect>) -> Arc<Dialect> {
    if dialect.special.is_empty() {
        return Arc::clone(dialect);
    }
    let mut sealed = Dialect::clone(dialect);
    let Dialect { calls, sections, params, reasoning, content, openings, param_openings, .. } = &mut sealed;
    for pattern in [calls, sections, params, reasoning, content].into_iter().flatten() {
        let Pattern { head, tail, .. } = pattern;
        let heads =
            head.iter_mut().filter_map(|node| if let HeadPart::Literal(literal) = node { Some(literal) } else { None });
        heads.chain(tail).for_each(|literal| seal_literal(literal, dialect));
    }
    openings.iter_mut().chain(param_openings).for_each(|literal| seal_literal(literal, dialect));
    Arc::new(sealed)
}

/// Keeps the spellings with the token, and those that leave it out: they are part of the canonical one.
fn seal_literal(literal: &mut Literal, dialect: &Dialect) {
    let Some(canonical) = literal.spellings.first().filter(|canonical| is_token_in(dialect, canonical)) else { return };
    let canonical = canonical.plain();
    let stays = |spelling: &&Spelling| {
        let plain = spelling.plain();
        is_token_in(dialect, spelling) || canonical.contains(&plain) && !is_strong(&plain)
    };
    literal.spellings = literal.spellings.iter().filter(stays).cloned().collect();
}

/// Says whether a spelling has a whole token in it; one with white space inside is none.
fn is_token_in(dialect: &Dialect, spelling: &Spelling) -> bool {
    let has = |text: &str| dialect.special.iter().any(|token| text.contains(token.as_str()));
    spelling.parts.iter().filter_map(SpellingPart::text).any(has)
}

/// Bars what opens without a special token where its dialect opens with one.
///
/// A barred call is still tried, so that the text it would have been can be reported; weak evidence says too little.
pub(super) fn bar(dialects: &[Arc<Dialect>], candidates: &mut Vec<Candidate>) {
    let proper = |candidate: &Candidate, own: &dyn Fn(&Dialect) -> bool, first: &dyn Fn(&Dialect) -> bool| {
        let dialect = &dialects[candidate.dialect];
        own(dialect) || !first(dialect)
    };
    candidates.retain_mut(|candidate| {
        let Candidate { section, pattern: number, .. } = *candidate;
        match candidate.role {
            CandidateRole::Skip | CandidateRole::TurnEnd | CandidateRole::TurnStart => return true,
            CandidateRole::Reasoning => {
                return proper(candidate, &|d| has_token(d, &d.reasoning[number]), &|d| has_token(d, &d.reasoning[0]));
            }
            CandidateRole::Content => {
                return proper(candidate, &|d| has_token(d, &d.content[number]), &|d| has_token(d, &d.content[0]));
            }
            CandidateRole::Call => {}
        }
        let first = |dialect: &Dialect| opens_with_token(dialect, (!dialect.sections.is_empty()).then_some(0), 0);
        candidate.is_barred = !proper(candidate, &|d| opens_with_token(d, section, number), &first);
        !candidate.is_barred || candidate.evidence == Strength::Strong
    });
}

/// Says whether a call cannot be opened without a special token.
pub(super) fn opens_with_token(dialect: &Dialect, section: Option<usize>, call: usize) -> bool {
    let section = section.and_then(|section| dialect.sections.get(section));
    section.into_iter().chain(dialect.calls.get(call)).any(|pattern| has_token(dialect, pattern))
}

/// Says whether a pattern's head cannot be read without a special token.
fn has_token(dialect: &Dialect, pattern: &Pattern) -> bool {
    let needed = |literal: &Literal| literal.spellings.iter().all(|spelling| is_token_in(dialect, spelling));
    pattern.head.iter().any(|node| matches!(node, HeadPart::Literal(literal) if needed(literal)))
}
