//! The markers of a dialect: the pieces of its canonical patterns that a chat template spells out.

use crate::dialect::{BodyKind, Dialect, Pattern};

/// A pattern as text: what its holes leave, in order.
#[derive(Clone, Debug)]
pub(super) struct PatternText {
    /// The text between two holes, as it is written.
    pub(super) text: String,
    pub(super) pieces: Vec<MarkerPiece>,
}

/// A token, a tag or a word of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkerPiece {
    pub(super) text: String,
    pub(super) kind: MarkerKind,
}

/// How much a piece says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkerKind {
    /// A token or a tag: it must stand in the template.
    Marker,
    /// A marker that some spellings leave out.
    Optional,
    /// A plain word: templates put it together from parts, or say it about something else.
    Word,
}

/// The ways in which a dialect writes a call: its section, the call, one parameter. Calls other than the first count if
/// they have a special token: a template may hold the spelling of another model of the family.
///
/// Each way is a list of patterns, every one with what it is for people.
pub(super) fn ways(dialect: &Dialect) -> Vec<Vec<(&'static str, Vec<PatternText>)>> {
    let has_token = |call: &Pattern| dialect.special.iter().any(|token| call.source.contains(token.as_str()));
    let calls = dialect.calls.iter().enumerate().filter(|(number, call)| *number == 0 || has_token(call));
    calls.flat_map(|(_, call)| ways_of(dialect, call)).collect()
}

fn ways_of(dialect: &Dialect, call: &Pattern) -> Vec<Vec<(&'static str, Vec<PatternText>)>> {
    let chunks = |what, pattern: &Pattern| (what, chunks(dialect, &pattern.source));
    let sections: Vec<Option<&Pattern>> = match &dialect.sections[..] {
        [] => vec![None],
        sections => sections.iter().map(Some).collect(),
    };
    let params: Vec<Option<&Pattern>> = match (call.kind(), &dialect.params[..]) {
        (Some(BodyKind::Params), [_, ..]) => dialect.params.iter().map(Some).collect(),
        _ => vec![None],
    };
    let way = |section: Option<&Pattern>, param: Option<&Pattern>| {
        let around = section.map(|section| chunks("section", section));
        let inside = param.map(|param| chunks("parameter", param));
        around.into_iter().chain([chunks("call", call)]).chain(inside).collect()
    };
    sections.iter().flat_map(|section| params.iter().map(move |param| way(*section, *param))).collect()
}

/// Cuts a pattern's text at its holes; words are spelled as they are written.
pub(super) fn chunks(dialect: &Dialect, source: &str) -> Vec<PatternText> {
    let (mut list, mut text, mut optional) = (Vec::new(), String::new(), Vec::new());
    let mut rest = source;
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("{{") || rest.starts_with("}}") {
            text.push(c);
            rest = &rest[2..];
            continue;
        }
        let hole = rest.strip_prefix('{').and_then(|inside| inside.split_once('}'));
        let Some((hole, after)) = hole else {
            text.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        };
        rest = after;
        match dialect.words.iter().find(|word| word.0 == hole) {
            Some((_, spellings)) => {
                let start = text.len();
                text.push_str(spellings.first().map(String::as_str).unwrap_or_default());
                if spellings.iter().any(String::is_empty) {
                    optional.push(start..text.len());
                }
            }
            None => list.push(chunk(dialect, std::mem::take(&mut text), &std::mem::take(&mut optional))),
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
        let is_marker = length > 0 && (dialect.special.iter().any(|special| special == piece) || is_tag(piece));
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

/// The length of the token, tag or word that a text begins with; 0 where none begins.
fn piece_length(dialect: &Dialect, text: &str) -> usize {
    let special = dialect.special.iter().filter(|special| text.starts_with(special.as_str())).map(String::len).max();
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

/// Says whether a tag is closed by the first character that ends it.
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
