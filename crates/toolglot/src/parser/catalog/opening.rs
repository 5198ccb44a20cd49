//! The literals that open a candidate.

use std::sync::Arc;

use super::behind::bytes_behind;
use super::{Candidate, Strength, first_pattern, skipped};
use crate::dialect::{BodyKind, Dialect, HeadPart, Literal, Pattern};
use crate::parser::bytes::ByteBits;
use crate::parser::openers::{Opener, Openers};

/// The literals that open a candidate of its strength.
fn openers_of<'d>(dialect: &'d Dialect, candidate: &Candidate) -> Vec<Opener<'d>> {
    let mut texts = opener_texts(dialect, candidate, |first| bytes_behind(dialect, candidate, first));
    let strong = candidate.evidence == Strength::Strong;
    texts.retain(|opener| skipped(dialect, candidate).is_some() || opener.strong == strong);
    texts
}

/// The literals that open a candidate: spellings of its first literal, or the brace of a body.
pub(super) fn opener_texts<'d>(
    dialect: &'d Dialect,
    candidate: &Candidate,
    behind: impl FnOnce(&Pattern) -> Option<ByteBits>,
) -> Vec<Opener<'d>> {
    if let Some(literal) = skipped(dialect, candidate) {
        return vec![Opener::of(literal)];
    }
    let first = first_pattern(dialect, candidate.role, candidate.section, candidate.pattern);
    match (first.opening(), first.kind()) {
        (Some(literal), kind) => {
            let json = matches!(kind, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object));
            let openers = spelled_openers(first, literal, behind(first));
            openers.into_iter().map(|opener| opener.with_json(json && first.head.len() == 1)).collect()
        }
        (None, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object)) if first.head.is_empty() => {
            vec![Opener::of("{")]
        }
        _ => Vec::new(),
    }
}

/// An optional first literal leaves the next one as the opener.
fn spelled_openers<'d>(pattern: &'d Pattern, first: &'d Literal, behind: Option<ByteBits>) -> Vec<Opener<'d>> {
    let mut texts: Vec<Opener<'d>> = first.spellings.iter().map(|spelling| Opener::spelled(spelling, behind)).collect();
    if first.is_optional()
        && let Some(HeadPart::Literal(next)) = pattern.head.get(1)
    {
        texts.extend(next.spellings.iter().map(|spelling| Opener::spelled(spelling, None)));
    }
    texts.retain(|opener| !opener.text.is_empty());
    texts
}

pub(super) fn openers(dialects: &[Arc<Dialect>], candidates: &[Candidate], strength: Strength) -> Openers {
    let of_strength = candidates.iter().enumerate().filter(|(_, candidate)| candidate.evidence == strength);
    let texts = |(number, candidate): (usize, &Candidate)| {
        let texts = openers_of(&dialects[candidate.dialect], candidate);
        texts.into_iter().map(move |text| (text, number)).collect::<Vec<_>>()
    };
    Openers::new(of_strength.flat_map(texts))
}
