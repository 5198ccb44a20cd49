//! The markers of a dialect: the parts of its canonical patterns that a chat template spells out.

use crate::{Dialect, Outline, OutlinePart};

/// A pattern as text: what is left without its holes, in order.
#[derive(Clone, Debug)]
pub(super) struct PatternText {
    /// The text between two holes, unchanged.
    pub(super) text: String,
    pub(super) pieces: Vec<MarkerPiece>,
}

/// A token, a tag or a word of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkerPiece {
    pub(super) text: String,
    pub(super) kind: MarkerKind,
}

/// The weight of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// A token or a tag: the template must contain it.
    Marker,
    /// A marker that some spellings omit.
    Optional,
    /// A plain word: templates compose it from parts, or use it with another meaning.
    Word,
}

/// A pattern split into pieces.
type Parts<'d> = [OutlinePart<'d>];

/// The ways in which a dialect writes a call: its section, the call, one parameter. Calls other than the first count if
/// they have a special token: a template may contain the spelling of another model of the family.
///
/// Each way is a list of patterns, each with a description.
pub(super) fn ways(dialect: &Dialect, outline: &Outline<'_>) -> Vec<Vec<(&'static str, Vec<PatternText>)>> {
    let is_token = |text: &str| dialect.special().iter().any(|token| text.contains(token.as_str()));
    let has_token =
        |call: &Parts<'_>| call.iter().any(|part| matches!(part, OutlinePart::Text(text) if is_token(text)));
    let calls = outline.calls.iter().enumerate().filter(|(number, call)| *number == 0 || has_token(call));
    calls.flat_map(|(_, call)| ways_of(dialect, outline, call)).collect()
}

fn ways_of(dialect: &Dialect, outline: &Outline<'_>, call: &Parts<'_>) -> Vec<Vec<(&'static str, Vec<PatternText>)>> {
    let or_none = |all: &[Vec<OutlinePart<'_>>]| match all.len() {
        0 => vec![None],
        count => (0..count).map(Some).collect::<Vec<_>>(),
    };
    let params = if has_hole(call, "params") { &outline.params[..] } else { &[] };
    let way = |section: Option<usize>, param: Option<usize>| {
        let around = section.map(|number| ("section", &outline.sections[number][..]));
        let inside = param.map(|number| ("parameter", &params[number][..]));
        let patterns = around.into_iter().chain([("call", call)]).chain(inside);
        patterns.map(|(what, pattern)| (what, chunks(dialect, pattern))).collect()
    };
    let (sections, params) = (or_none(&outline.sections), or_none(params));
    sections.iter().flat_map(|section| params.iter().map(move |param| way(*section, *param))).collect()
}

/// Returns whether a pattern has a hole of that name.
pub(super) fn has_hole(pattern: &Parts<'_>, wanted: &str) -> bool {
    pattern.iter().any(|part| matches!(part, OutlinePart::Hole { name, .. } if *name == wanted))
}

/// Splits a pattern's text at its holes; words have their canonical spelling.
pub(super) fn chunks(dialect: &Dialect, pattern: &Parts<'_>) -> Vec<PatternText> {
    let (mut list, mut text, mut optional) = (Vec::new(), String::new(), Vec::new());
    for part in pattern {
        match part {
            OutlinePart::Text(part) => text.push_str(part),
            OutlinePart::Word(spellings) => {
                let start = text.len();
                text.push_str(spellings.first().map(String::as_str).unwrap_or_default());
                if spellings.iter().any(String::is_empty) {
                    optional.push(start..text.len());
                }
            }
            _ => list.push(chunk(dialect, std::mem::take(&mut text), &std::mem::take(&mut optional))),
        }
    }
    list.push(chunk(dialect, text, &optional));
    list.retain(|chunk: &PatternText| !chunk.pieces.is_empty());
    list
}

fn chunk(dialect: &Dialect, text: String, optional: &[std::ops::Range<usize>]) -> PatternText {
    let (mut pieces, mut at) = (Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let length = piece_length(dialect, &text[at..]);
        let piece = &text[at..at + length.max(c.len_utf8())];
        let is_marker = length > 0 && (dialect.special().iter().any(|special| special == piece) || is_tag(piece));
        let kind = match is_marker {
            true if optional.iter().any(|range| range.contains(&at)) => MarkerKind::Optional,
            true => MarkerKind::Marker,
            false => MarkerKind::Word,
        };
        if is_marker || piece.chars().filter(|c| c.is_alphanumeric()).count() > 3 {
            let boundary = text[at + piece.len()..].starts_with(' ') && !piece.ends_with('>') && is_marker;
            let text = if boundary { format!("{piece} ") } else { piece.to_owned() };
            pieces.push(MarkerPiece { text, kind });
        }
        at += piece.len();
    }
    PatternText { text, pieces }
}

/// The length of the token, tag or word at the beginning of a text; 0 if there is none.
fn piece_length(dialect: &Dialect, text: &str) -> usize {
    let special = dialect.special().iter().filter(|special| text.starts_with(special.as_str())).map(String::len).max();
    if let Some(length) = special {
        return length;
    }
    let end =
        |stop: fn(char) -> bool| text.char_indices().skip(1).find(|(_, c)| stop(*c)).map_or(text.len(), |(at, _)| at);
    match text.chars().next() {
        Some('<') => end(|c| matches!(c, '>' | ' ' | '\n' | '<')) + usize::from(closes(text)),
        Some('[') if is_tag(text) => text.find(']').map_or(text.len(), |at| at + 1),
        Some(c) if c.is_whitespace() => 0,
        _ => end(|c| c.is_whitespace() || matches!(c, '<' | '[' | '{' | '}' | '(' | ')' | '"')),
    }
}

/// Returns whether a tag is closed by the first character that ends it.
fn closes(text: &str) -> bool {
    let stop = text.char_indices().skip(1).find(|(_, c)| matches!(c, '>' | ' ' | '\n' | '<'));
    stop.is_some_and(|(_, c)| c == '>')
}

fn is_tag(piece: &str) -> bool {
    let mut characters = piece.chars();
    match (characters.next(), characters.next()) {
        (Some('<'), Some(next)) => next.is_alphabetic() || matches!(next, '|' | '/' | '｜'),
        (Some('['), Some(next)) => next.is_ascii_uppercase(),
        _ => false,
    }
}
