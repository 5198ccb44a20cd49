//! Writes out every spelling of a literal, with the joints where white space may stand.

use std::ops::Range;

use super::error::Fault;
use super::pattern::{Literal, Part, Spelling};
use super::token::Piece;

/// More spellings than this of one literal are a mistake in the file.
const MAX_SPELLINGS: usize = 64;

/// Compiles a literal: every combination of its words' spellings, canonical first.
pub(super) fn literal(
    pieces: &[Piece],
    at: &Range<usize>,
    words: &[(String, Vec<String>)],
    special: &[String],
) -> Result<Literal, Fault> {
    let mut combinations = vec![pieces.to_vec()];
    for (index, (_, alternatives)) in words.iter().enumerate().filter(|word| pieces.contains(&Piece::Word(word.0))) {
        if combinations.len() * alternatives.len() > MAX_SPELLINGS {
            let fault = Fault::new(at.clone(), format!("more than {MAX_SPELLINGS} spellings of one literal"));
            return Err(fault.help("give the words fewer spellings, or write several patterns"));
        }
        let spelled =
            |pieces: &Vec<Piece>| alternatives.iter().map(|text| replaced(pieces, index, text)).collect::<Vec<_>>();
        combinations = combinations.iter().flat_map(spelled).collect();
    }
    let mut spellings: Vec<Spelling> = Vec::new();
    for pieces in &combinations {
        let spelling = spelling(pieces, special);
        if !spellings.contains(&spelling) {
            spellings.push(spelling);
        }
    }
    Ok(Literal { spellings })
}

fn replaced(pieces: &[Piece], word: usize, text: &str) -> Vec<Piece> {
    let spell = |&piece: &Piece| match piece {
        Piece::Word(index) if index == word => text.chars().map(Piece::Char).collect(),
        _ => vec![piece],
    };
    pieces.iter().flat_map(spell).collect()
}

fn spelling(pieces: &[Piece], special: &[String]) -> Spelling {
    let (glued, seams) = (glued(pieces, special), seams(pieces, special));
    let (mut parts, mut blank) = (Vec::new(), false);
    for (index, &piece) in pieces.iter().enumerate() {
        if matches!(piece, Piece::Char(c) if c.is_whitespace()) {
            blank = true;
            continue;
        }
        let before = index.checked_sub(1).and_then(|before| pieces.get(before));
        let natural =
            before.is_some_and(|&before| meets(before, piece)) && !glued.iter().any(|range| range.contains(&index));
        if (blank || natural || seams.contains(&index)) && !parts.is_empty() {
            parts.push(Part::Joint);
        }
        blank = false;
        push(&mut parts, piece);
    }
    Spelling::new(parts)
}

/// Says whether white space may stand between two pieces: before a tag, between brackets, behind a key of JSON.
fn meets(before: Piece, piece: Piece) -> bool {
    let bracket = matches!(before, Piece::Char('>' | ']' | '}' | '[' | '{'));
    match piece {
        Piece::Char('<') => true,
        Piece::Char('[' | '{' | '"' | ']' | '}') => bracket,
        Piece::Char(':') => before == Piece::Char('"'),
        _ => false,
    }
}

/// Returns the insides of special tokens: nothing can stand there, a token has no seams.
fn glued(pieces: &[Piece], special: &[String]) -> Vec<Range<usize>> {
    let tokens = special.iter().map(|token| token.chars().collect::<Vec<_>>());
    tokens
        .flat_map(|token| {
            let windows = pieces.windows(token.len().max(1)).enumerate();
            let same =
                move |window: &[Piece]| window.iter().map(|piece| piece.char()).eq(token.iter().copied().map(Some));
            windows.filter(move |window| same(window.1)).map(|window| window.0 + 1..window.0 + window.1.len())
        })
        .collect()
}

/// Returns where special tokens in angle brackets end: detokenizers put blanks there.
fn seams(pieces: &[Piece], special: &[String]) -> Vec<usize> {
    let bracketed: Vec<String> =
        special.iter().filter(|token| token.starts_with('<') && token.ends_with('>')).cloned().collect();
    glued(pieces, &bracketed).into_iter().map(|inside| inside.end).collect()
}

fn push(parts: &mut Vec<Part>, piece: Piece) {
    match (piece, parts.last_mut()) {
        (Piece::Char(c), Some(Part::Text(text))) => text.push(c),
        (Piece::Char(c), _) => parts.push(Part::Text(c.to_string())),
        (Piece::Mark, _) => parts.push(Part::Mark),
        (Piece::Name, _) => parts.push(Part::Name),
        (Piece::Key, _) => parts.push(Part::Key),
        // Every word was replaced by its spelling before.
        (Piece::Word(_), _) => {}
    }
}
