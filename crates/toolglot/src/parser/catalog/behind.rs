//! The bytes that may follow an opener: the next byte rules out most candidates that share one.

use std::sync::Arc;

use super::Candidate;
use crate::dialect::{BodyHole, BodyKind, Dialect, HeadPart, Hole, Literal, Pattern, SpellingPart};
use crate::parser::bytes::{ByteBits, NextBytes};
use crate::parser::openers::BytesBehind;

/// Returns the bytes with which a candidate can continue after its first literal, apart from white space; `None` for any.
///
/// The literal, or all of a head without holes, may be repeated there, or the closer of an empty section may follow.
pub(super) fn bytes_behind<'d>(
    dialect: &'d Dialect,
    candidate: &Candidate,
    first: &'d Pattern,
    several: bool,
) -> Option<BytesBehind<'d>> {
    let call = (first.kind() == Some(BodyKind::Calls)).then(|| &dialect.calls[candidate.pattern]);
    let last = call.unwrap_or(first);
    let nodes = first.head.iter().skip(1).chain(call.into_iter().flat_map(|call| &call.head));
    let mut bytes = NextBytes::default();
    if let Some(again) = first.opening() {
        bytes.add(first_bytes(again)?);
        let last_parts =
            again.spellings.iter().filter_map(|spelling| spelling.parts.last()?.text()).filter(|text| *text != ">");
        last_parts.for_each(|text| bytes.add(NextBytes::of_text(text)));
    }
    for closer in first.tail.iter().filter(|_| call.is_some()) {
        bytes.add(first_bytes(closer)?);
    }
    bytes.add(bytes_of_nodes(nodes.clone(), last)?);
    let is_strong = |pattern: &Pattern| pattern.opening().is_some_and(Literal::is_strong);
    if is_strong(first) && (last.kind() == Some(BodyKind::Call) || call.is_some_and(is_strong)) {
        // Words before the object, or before the marker of a section's call, are skipped.
        bytes.add(NextBytes::of_bytes(ByteBits::LETTERS));
    }
    Some(BytesBehind { bytes, after: if several { behind_next(nodes, last) } else { None } })
}

/// Returns the bytes with which some nodes can begin, and the body of a pattern after them.
fn bytes_of_nodes<'d>(nodes: impl Iterator<Item = &'d HeadPart>, last: &Pattern) -> Option<NextBytes> {
    let mut bytes = NextBytes::default();
    for node in nodes {
        match node {
            HeadPart::Literal(literal) => {
                bytes.add(first_bytes(literal)?);
                if literal.is_optional() {
                    continue;
                }
            }
            HeadPart::Hole(Hole::Name | Hole::Ignored | Hole::Index) => {
                bytes.add(NextBytes::of_bytes(ByteBits::LETTERS));
                bytes.add(NextBytes::of_bytes([b'"', b'\''].into_iter().collect()));
            }
            HeadPart::Attributes(expected) if expected.named.iter().any(|(_, hole)| *hole != Hole::Type) => {
                bytes.add(NextBytes::of_attributes());
            }
            HeadPart::Hole(Hole::Id | Hole::Key | Hole::Type) | HeadPart::Attributes(_) => return None,
        }
        return Some(bytes);
    }
    bytes.add(bytes_of_body(last.body.as_ref()?, last.tail.first())?);
    Some(bytes)
}

/// Returns the text of the next literal, if it has one spelling, and how it continues.
fn behind_next<'d>(
    mut nodes: impl Iterator<Item = &'d HeadPart> + Clone,
    last: &Pattern,
) -> Option<(&'d str, NextBytes)> {
    let Some(HeadPart::Literal(Literal { spellings })) = nodes.next() else { return None };
    let [spelling] = &spellings[..] else { return None };
    match &spelling.parts[..] {
        [SpellingPart::Text(text)] => Some((text, bytes_of_nodes(nodes, last)?)),
        [SpellingPart::Text(text), SpellingPart::Joint, SpellingPart::Text(next), ..] => {
            Some((text, NextBytes::of_text(next)))
        }
        _ => None,
    }
}

/// Returns the bytes with which a call can continue after the name that opens it.
pub(super) fn bytes_behind_name(dialects: &[Arc<Dialect>], candidate: &Candidate) -> ByteBits {
    let call = &dialects[candidate.dialect].calls[candidate.pattern];
    match (call.head.get(1), call.kind()) {
        (Some(HeadPart::Literal(next)), _) if !next.is_optional() => {
            next.spellings.iter().filter_map(|spelling| spelling.opener().bytes().next()).collect()
        }
        (None, Some(BodyKind::Arguments)) => [b'{', b'"'].into_iter().collect(),
        _ => ByteBits::ALL,
    }
}

/// Returns the bytes with which the next literal begins; `None` if only the text shows.
fn first_bytes(literal: &Literal) -> Option<NextBytes> {
    let mut bytes = NextBytes::default();
    for spelling in &literal.spellings {
        if let Some(part) = spelling.parts.first() {
            bytes.add(NextBytes::of_text(part.text()?));
        }
    }
    Some(bytes)
}

/// Returns the bytes with which a body can begin, or the closer after an empty one.
fn bytes_of_body(body: &BodyHole, closer: Option<&Literal>) -> Option<NextBytes> {
    let of = |bytes: &[u8]| NextBytes::of_bytes(bytes.iter().copied().collect());
    match body.kind {
        BodyKind::Call => Some(of(b"{[`")),
        BodyKind::Arguments => {
            let mut bytes = closer.map_or(Some(NextBytes::default()), first_bytes)?;
            bytes.add(of(b"{\"`"));
            Some(bytes)
        }
        _ => None,
    }
}
