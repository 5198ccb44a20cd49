//! Assigns kinds to bytes for repairs and for skipped text.

use std::ops::Range;

use super::{ByteKind, Stretch};

/// Adds bytes to stretches that end where they begin; bytes of the same kind extend the last stretch.
pub(super) fn add(stretches: &mut Vec<Stretch>, span: Range<usize>, kind: ByteKind, call: Option<usize>) {
    if span.is_empty() {
        return;
    }
    match stretches.last_mut() {
        Some(last) if last.kind == kind && last.call == call => last.span.end = span.end,
        _ => stretches.push(Stretch { span, kind, call }),
    }
}

/// Paints spans, ordered by start: of a span that contains keys or values and other bytes, only the other bytes, and
/// text and reasoning only if `text` is set.
pub(super) fn over(stretches: Vec<Stretch>, places: &[Range<usize>], kind: ByteKind, text: bool) -> Vec<Stretch> {
    let (whole, mixed): (Vec<_>, Vec<_>) = places.iter().cloned().partition(|place| is_uniform(&stretches, place));
    let stretches = paint(stretches, &joined(&mixed), kind, |old| {
        matches!(old, ByteKind::Marker | ByteKind::Punctuation | ByteKind::Skipped)
    });
    paint(stretches, &joined(&whole), kind, |old| text || !matches!(old, ByteKind::Text | ByteKind::Reasoning))
}

fn is_uniform(stretches: &[Stretch], place: &Range<usize>) -> bool {
    let first = stretches.partition_point(|stretch| stretch.span.end <= place.start);
    stretches.get(first).is_some_and(|stretch| place.end <= stretch.span.end)
}

fn joined(places: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut joined: Vec<Range<usize>> = Vec::new();
    for place in places {
        match joined.last_mut().filter(|last| place.start <= last.end) {
            Some(last) => last.end = last.end.max(place.end),
            None => joined.push(place.clone()),
        }
    }
    joined
}

fn paint(
    stretches: Vec<Stretch>,
    places: &[Range<usize>],
    kind: ByteKind,
    may: impl Fn(ByteKind) -> bool,
) -> Vec<Stretch> {
    let (mut painted, mut places) = (Vec::with_capacity(stretches.len()), places.iter().peekable());
    for stretch in stretches {
        let (mut at, end) = (stretch.span.start, stretch.span.end);
        while at < end {
            while places.next_if(|place| place.end <= at).is_some() {}
            let place = places.peek().map_or(end..end, |place| place.start.clamp(at, end)..place.end.min(end));
            add(&mut painted, at..place.start, stretch.kind, stretch.call);
            let inside = if may(stretch.kind) { kind } else { stretch.kind };
            add(&mut painted, place.start..place.end.max(place.start), inside, stretch.call);
            at = place.end.max(place.start);
        }
    }
    painted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_within_one_stretch_is_painted_whole_and_one_across_keeps_values() {
        let kinds = [(0..4, ByteKind::Marker), (4..9, ByteKind::Value), (9..12, ByteKind::Punctuation)];
        let mut stretches = Vec::new();
        kinds.iter().for_each(|(span, kind)| add(&mut stretches, span.clone(), *kind, Some(0)));
        let painted = over(stretches, &[1..2, 5..6, 8..10], ByteKind::Repaired, false);
        let found: Vec<_> = painted.iter().map(|stretch| (stretch.span.start, stretch.kind.name())).collect();
        let expected = [
            (0, "marker"),
            (1, "repaired"),
            (2, "marker"),
            (4, "value"),
            (5, "repaired"),
            (6, "value"),
            (9, "repaired"),
            (10, "punctuation"),
        ];
        assert_eq!(found, expected);
        assert_eq!(painted.last().map(|last| last.span.end), Some(12));
    }
}
