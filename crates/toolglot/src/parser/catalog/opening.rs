//! The literals that open a candidate.

use std::sync::Arc;

use super::behind::bytes_behind;
use super::{Candidate, CandidateRole, Strength, first_pattern, skipped};
use crate::dialect::{BodyKind, Dialect, HeadPart, Literal, Pattern};
use crate::parser::openers::{BytesBehind, Opener, Openers};

/// The literals that open a candidate of its strength, for the scanner.
///
/// If there are several dialects, more than the next bytes is worth checking.
fn openers_of<'d>(dialect: &'d Dialect, candidate: &Candidate, several: bool) -> Vec<Opener<'d>> {
    let mut texts = opener_texts(dialect, candidate, |first| bytes_behind(dialect, candidate, first, several));
    let strong = candidate.evidence == Strength::Strong;
    texts.retain(|opener| skipped(dialect, candidate).is_some() || opener.strong == strong);
    texts
}

/// The literals that open a candidate: spellings of its first literal, or the brace of a body.
pub(super) fn opener_texts<'d>(
    dialect: &'d Dialect,
    candidate: &Candidate,
    behind: impl FnOnce(&'d Pattern) -> Option<BytesBehind<'d>>,
) -> Vec<Opener<'d>> {
    if let Some(literal) = skipped(dialect, candidate) {
        return vec![Opener::of(literal)];
    }
    let first = first_pattern(dialect, candidate.role, candidate.section, candidate.pattern);
    match (first.opening(), first.kind()) {
        (Some(literal), kind) => {
            let json = matches!(kind, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object));
            let mut openers = spelled_openers(first, literal, behind(first));
            openers.iter_mut().for_each(|opener| opener.json = json && first.head.len() == 1);
            openers
        }
        (None, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object)) if first.head.is_empty() => {
            vec![Opener::of("{")]
        }
        _ => Vec::new(),
    }
}

/// An optional first literal makes the next one the opener.
fn spelled_openers<'d>(pattern: &'d Pattern, first: &'d Literal, behind: Option<BytesBehind<'d>>) -> Vec<Opener<'d>> {
    let mut texts = Vec::with_capacity(first.spellings.len());
    first.spellings.iter().for_each(|spelling| Opener::add_spelled(spelling, behind, &mut texts));
    if first.is_optional()
        && let Some(HeadPart::Literal(next)) = pattern.head.get(1)
    {
        next.spellings.iter().for_each(|spelling| Opener::add_spelled(spelling, None, &mut texts));
    }
    texts.retain(|opener| !opener.text.is_empty());
    texts
}

/// The openers of the selected candidates, each with its number.
pub(super) fn openers(
    dialects: &[Arc<Dialect>],
    candidates: &[Candidate],
    is_meant: impl Fn(&Candidate) -> bool,
) -> Openers {
    let texts = |(number, candidate): (usize, &Candidate)| {
        openers_of(&dialects[candidate.dialect], candidate, dialects.len() > 1)
            .into_iter()
            .map(move |text| (text, number))
    };
    Openers::new(candidates.iter().enumerate().filter(|(_, candidate)| is_meant(candidate)).flat_map(texts))
}

/// The weak openers of heads that contain a special token.
pub(super) fn headers(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Openers {
    let is_header = |candidate: &Candidate| {
        let dialect = &dialects[candidate.dialect];
        let has_token = |pattern: &Pattern| match candidate.role {
            CandidateRole::Call => pattern.head.iter().any(|part| is_token(dialect, part)),
            _ => is_special(dialect, pattern),
        };
        let skips = matches!(candidate.role, CandidateRole::Skip | CandidateRole::TurnEnd | CandidateRole::TurnStart);
        let weak = candidate.evidence == Strength::Weak && !skips && !candidate.is_named;
        weak && has_token(first_pattern(dialect, candidate.role, candidate.section, candidate.pattern))
    };
    openers(dialects, candidates, is_header)
}

/// Returns whether a region's opener has a special token in it. A plain tag may be the text's own: it needs a pinned dialect.
pub(super) fn is_special(dialect: &Dialect, region: &Pattern) -> bool {
    region.opener().is_some_and(|opener| dialect.special.iter().any(|token| opener.contains(token.as_str())))
}

/// Returns whether a part of a head is a special token, however it is spelled.
fn is_token(dialect: &Dialect, part: &HeadPart) -> bool {
    let Some(literal) = part.literal() else { return false };
    let token = |text: &str| dialect.special.iter().any(|token| text.contains(token.as_str()));
    !literal.is_optional() && literal.spellings.iter().all(|spelling| token(&spelling.plain()))
}
