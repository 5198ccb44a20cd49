//! Ways of feeding the same input to a parser.

use std::ops::Range;

use toolglot::{Events, Parser};

use crate::random::Random;
use crate::record::Record;

/// How an input is cut into pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cuts {
    /// In one piece.
    Whole,
    /// In two pieces.
    At(usize),
    /// One character at a time, or one byte where the input is not UTF-8.
    Characters,
    /// One byte at a time.
    Bytes,
    /// In pieces of random length.
    Random(u64),
    /// The same, but plain pieces are pushed later, joined; see [`Parser::stop_bytes`].
    Joined(u64),
}

/// Feeds an input cut in pieces, and ends it.
pub(crate) fn feed(parser: &mut Parser, input: &[u8], cuts: &Cuts) -> Record {
    feed_tokens(parser, input, &[], cuts)
}

/// Feeds an input some of which are special tokens, cut in pieces, and ends it; only text is cut within a character.
pub(crate) fn feed_tokens(parser: &mut Parser, input: &[u8], special: &[Range<usize>], cuts: &Cuts) -> Record {
    let mut record = Record::default();
    let inside = |at: &usize| special.iter().any(|token| token.start < *at && *at < token.end);
    let mut places = places(input, cuts);
    places.retain(|at| !inside(at) || std::str::from_utf8(&input[..*at]).is_ok());
    places.extend(special.iter().flat_map(|token| [token.start, token.end]).chain([input.len()]));
    places.sort_unstable();
    places.dedup();
    let (mut from, mut later) = (0, 0);
    for to in places {
        let piece = &input[from..to];
        let is_token = special.iter().any(|token| token.contains(&from));
        if matches!(cuts, Cuts::Joined(_)) && !is_token && is_plain(parser, piece) && record.goes_on(from, piece) {
            (from, later) = (to, later + piece.len());
            continue;
        }
        if later > 0 {
            push(parser, &input[from - later..from]).for_each(drop);
            later = 0;
        }
        let token = is_token.then(|| std::str::from_utf8(piece));
        match token {
            Some(Ok(token)) => parser.push_special(token),
            _ => push(parser, piece),
        }
        .for_each(|event| record.add(&event));
        from = to;
    }
    if later > 0 {
        push(parser, &input[from - later..from]).for_each(drop);
    }
    parser.finish().for_each(|event| record.add(&event));
    record.close()
}

/// Returns whether a piece would be one event as it is.
fn is_plain(parser: &Parser, piece: &[u8]) -> bool {
    let ends = match piece {
        [.., before, b' '] => *before > b' ',
        [.., last] => *last >= b' ',
        [] => false,
    };
    let plain = |stops: &[u8; 256]| piece.iter().all(|byte| stops[usize::from(*byte)] == 0);
    ends && std::str::from_utf8(piece).is_ok() && parser.stop_bytes().is_some_and(plain)
}

/// Pushes text as text, and pieces of characters as bytes.
fn push<'p>(parser: &'p mut Parser, piece: &[u8]) -> Events<'p> {
    match std::str::from_utf8(piece) {
        Ok(text) => parser.push(text),
        Err(_) => parser.push_bytes(piece),
    }
}

fn places(input: &[u8], cuts: &Cuts) -> Vec<usize> {
    match cuts {
        Cuts::Whole => Vec::new(),
        Cuts::At(at) => vec![*at],
        Cuts::Bytes => (1..input.len()).collect(),
        Cuts::Characters => {
            let text = std::str::from_utf8(input);
            (1..input.len()).filter(|&at| text.is_ok_and(|text| text.is_char_boundary(at)) || text.is_err()).collect()
        }
        Cuts::Random(seed) | Cuts::Joined(seed) => {
            let mut random = Random::new(*seed);
            let longest = [2, 5, 17, 60][random.below(4)];
            let mut places = Vec::new();
            let mut at = random.below(longest);
            while at < input.len() {
                places.push(at);
                at += 1 + random.below(longest);
            }
            places
        }
    }
}
