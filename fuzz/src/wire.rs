//! What holds for the framing of streams: any split of the bytes gives the same frames and lines.

use toolglot_wire::{NdjsonReader, SseReader, WireLimits};

use crate::message::shown;
use crate::random::Random;

/// Frames and lines are the same at any split, no byte of a frame is invented, and limits are kept.
pub fn sse(data: &[u8]) {
    let [first, second, bytes @ ..] = data else { return };
    let limits = match first % 4 {
        0 => WireLimits::default().with_line(24).with_event(40),
        _ => WireLimits::default(),
    };
    let mut random = Random::new((*second).into());
    for longest in [1, 1 + random.below(9), 64] {
        let (whole, pieces) = (frames(bytes, &limits, None), frames(bytes, &limits, Some((longest, *second))));
        assert_eq!(pieces, whole, "frames in pieces up to {longest}: {}", shown(bytes));
        let (whole, pieces) = (lines(bytes, &limits, None), lines(bytes, &limits, Some((longest, *second))));
        assert_eq!(pieces, whole, "lines in pieces up to {longest}: {}", shown(bytes));
    }
}

/// Cuts bytes in pieces of random length, up to the longest.
pub(crate) fn pieces(bytes: &[u8], cuts: Option<(usize, u8)>) -> Vec<&[u8]> {
    let Some((longest, seed)) = cuts else { return vec![bytes] };
    let (mut random, mut rest, mut pieces) = (Random::new(seed.into()), bytes, Vec::new());
    while !rest.is_empty() {
        let (piece, more) = rest.split_at((1 + random.below(longest)).min(rest.len()));
        pieces.push(piece);
        rest = more;
    }
    pieces
}

fn frames(bytes: &[u8], limits: &WireLimits, cuts: Option<(usize, u8)>) -> Vec<String> {
    let (mut reader, mut found, mut raw) = (SseReader::new(limits), Vec::new(), 0);
    for piece in pieces(bytes, cuts) {
        reader.push(piece);
        while let Some(frame) = reader.next_frame() {
            if let Ok(frame) = &frame {
                raw += frame.raw.len();
            }
            found.push(format!("{frame:?}"));
        }
    }
    if let Some(frame) = reader.finish() {
        raw += frame.raw.len();
        found.push(format!("end {frame:?}"));
    }
    assert!(raw <= bytes.len(), "frames of {raw} bytes out of {}: {}", bytes.len(), shown(bytes));
    found
}

fn lines(bytes: &[u8], limits: &WireLimits, cuts: Option<(usize, u8)>) -> Vec<String> {
    let (mut reader, mut found) = (NdjsonReader::new(limits), Vec::new());
    for piece in pieces(bytes, cuts) {
        reader.push(piece);
        while let Some(line) = reader.next_line() {
            found.push(line.map_or_else(|fault| fault.message, shown));
        }
    }
    found.extend(reader.finish().map(|line| format!("end {}", shown(line))));
    found
}
