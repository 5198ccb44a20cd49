//! What may stand behind an opener: most candidates that share one are told by the next byte.

use std::sync::Arc;

use super::Candidate;
use crate::dialect::{BodyHole, BodyKind, Dialect, HeadPart, Hole, Literal, Pattern, SpellingPart};
use crate::parser::bytes::ByteBits;

/// Returns the bytes with which a candidate can go on behind its first literal, white space apart; `None` if any may.
///
/// The literal, or all of a head that is nothing else, may stand there once more.
pub(super) fn bytes_behind(dialect: &Dialect, candidate: &Candidate, first: &Pattern) -> Option<ByteBits> {
    let call = (first.kind() == Some(BodyKind::Calls)).then(|| &dialect.calls[candidate.pattern]);
    let last = call.unwrap_or(first);
    let nodes = first.head.iter().skip(1).chain(call.into_iter().flat_map(|call| &call.head));
    let mut bytes = ByteBits::default();
    if let Some(again) = first.opening() {
        bytes.add(first_bytes(again)?);
        bytes.extend(again.spellings.iter().filter_map(|spelling| spelling.parts.last()?.text()?.bytes().next()));
    }
    for node in nodes {
        match node {
            HeadPart::Literal(literal) => {
                bytes.add(first_bytes(literal)?);
                if literal.is_optional() {
                    continue;
                }
            }
            HeadPart::Hole(Hole::Name | Hole::Ignored | Hole::Index) => bytes.add(ByteBits::LETTERS),
            HeadPart::Attributes(expected) if expected.named.iter().any(|(_, hole)| *hole != Hole::Type) => {
                bytes.add(ByteBits::LETTERS);
                bytes.extend(*b".:-");
            }
            HeadPart::Hole(Hole::Id | Hole::Key | Hole::Type) | HeadPart::Attributes(_) => return None,
        }
        return Some(bytes);
    }
    bytes.add(bytes_of_body(last.body.as_ref()?, last.tail.first())?);
    Some(bytes)
}

/// Returns the bytes with which a call can go on behind the name that opens it.
pub(super) fn bytes_behind_name(dialects: &[Arc<Dialect>], candidate: &Candidate) -> Vec<u8> {
    let call = &dialects[candidate.dialect].calls[candidate.pattern];
    match (call.head.get(1), call.kind()) {
        (Some(HeadPart::Literal(next)), _) if !next.is_optional() => {
            next.spellings.iter().filter_map(|spelling| spelling.opener().bytes().next()).collect()
        }
        (None, Some(BodyKind::Arguments)) => vec![b'{', b'"'],
        _ => (0..=u8::MAX).collect(),
    }
}

/// Returns the bytes with which a literal begins that stands there; `None` if only the text tells.
fn first_bytes(literal: &Literal) -> Option<ByteBits> {
    let told = |part: Option<&SpellingPart>| part.is_none_or(|part| part.text().is_some());
    let all = literal.spellings.iter().all(|spelling| told(spelling.parts.first()));
    all.then(|| literal.spellings.iter().filter_map(|spelling| spelling.opener().bytes().next()).collect())
}

/// Returns the bytes with which a body can begin, or the closer behind one that is empty.
fn bytes_of_body(body: &BodyHole, closer: Option<&Literal>) -> Option<ByteBits> {
    match body.kind {
        BodyKind::Call => Some(b"{[`".iter().copied().collect()),
        BodyKind::Arguments => {
            let mut bytes: ByteBits = b"{\"`".iter().copied().collect();
            bytes.add(closer.map_or(Some(ByteBits::default()), first_bytes)?);
            Some(bytes)
        }
        _ => None,
    }
}
