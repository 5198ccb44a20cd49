//! Dialects as read when the caller marks special tokens: what such a token opens, nothing else opens.

use std::sync::Arc;

use super::{Candidate, CandidateRole, Strength, patterns};
use crate::dialect::{Dialect, HeadPart, Literal, Pattern, Spelling, SpellingPart, each_once, is_strong};

/// Returns all special tokens of the dialects.
pub(super) fn tokens(dialects: &[Arc<Dialect>]) -> Arc<[Box<str>]> {
    let tokens = dialects.iter().flat_map(|dialect| &dialect.special).filter(|token| !token.is_empty());
    each_once(tokens).into_iter().map(|token| token.as_str().into()).collect()
}

/// Returns a dialect without the markers that spell a special token differently: such a token has one spelling.
pub(super) fn seal(dialect: &Arc<Dialect>) -> Arc<Dialect> {
    if dialect.special.is_empty() {
        return Arc::clone(dialect);
    }
    let mut sealed = Dialect::clone(dialect);
    let Dialect { calls, sections, params, reasoning, content, openings, param_openings, .. } = &mut sealed;
    for pattern in [calls, sections, params, reasoning, content].into_iter().flatten() {
        pattern.literals_mut().for_each(|literal| seal_literal(literal, dialect));
    }
    openings.iter_mut().chain(param_openings).for_each(|literal| seal_literal(literal, dialect));
    Arc::new(sealed)
}

/// Keeps the spellings with the token, and those without it if they are part of the canonical one.
fn seal_literal(literal: &mut Literal, dialect: &Dialect) {
    let Some(canonical) = literal.spellings.first().filter(|canonical| is_token_in(dialect, canonical)) else { return };
    let canonical = canonical.plain();
    let stays = |spelling: &&Spelling| {
        let plain = spelling.plain();
        is_token_in(dialect, spelling) || canonical.contains(&plain) && !is_strong(&plain)
    };
    literal.spellings = literal.spellings.iter().filter(stays).cloned().collect();
}

/// Returns whether a spelling contains a whole token; one with white space inside does not count.
fn is_token_in(dialect: &Dialect, spelling: &Spelling) -> bool {
    let has = |text: &str| dialect.special.iter().any(|token| text.contains(token.as_str()));
    spelling.parts.iter().filter_map(SpellingPart::text).any(has)
}

/// Bars candidates that open without a special token if their dialect opens with one.
///
/// A barred call is still tried, so that the text it would have been can be reported; weak candidates are not.
pub(super) fn bar(dialects: &[Arc<Dialect>], candidates: &mut Vec<Candidate>) {
    candidates.retain_mut(|candidate| {
        let (dialect, is_call) = (&*dialects[candidate.dialect], candidate.role == CandidateRole::Call);
        let [own, first] = match candidate.role {
            CandidateRole::Skip | CandidateRole::TurnEnd | CandidateRole::TurnStart => return true,
            CandidateRole::Call => {
                let first = (!dialect.sections.is_empty()).then_some(0);
                [(candidate.section, candidate.pattern), (first, 0)].map(|it| opens_with_token(dialect, it.0, it.1))
            }
            role => [candidate.pattern, 0].map(|number| has_token(dialect, &patterns(dialect, role)[number])),
        };
        candidate.is_barred = is_call && first && !own;
        own || !first || is_call && candidate.evidence == Strength::Strong
    });
}

/// Returns whether a call cannot be opened without a special token.
pub(super) fn opens_with_token(dialect: &Dialect, section: Option<usize>, call: usize) -> bool {
    let section = section.and_then(|section| dialect.sections.get(section));
    section.into_iter().chain(dialect.calls.get(call)).any(|pattern| has_token(dialect, pattern))
}

/// Returns whether a pattern's head cannot be read without a special token.
fn has_token(dialect: &Dialect, pattern: &Pattern) -> bool {
    let needed = |literal: &Literal| literal.spellings.iter().all(|spelling| is_token_in(dialect, spelling));
    pattern.head.iter().filter_map(HeadPart::literal).any(needed)
}
