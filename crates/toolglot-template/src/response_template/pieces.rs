//! The pieces of a pattern, and their regular expressions.

use super::file::DialectFile;

/// One piece of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    Literal(String),
    /// White space, which may be missing.
    Blank(String),
    /// A word with its spellings.
    Word(Vec<String>),
    /// A hole with its options.
    Hole(String, Vec<String>),
}

use Piece::{Blank, Hole, Literal, Word};

/// Splits a pattern into its pieces.
pub(super) fn pieces(pattern: &str, file: &DialectFile) -> Vec<Piece> {
    let (mut pieces, mut literal, mut rest) = (Vec::new(), String::new(), pattern);
    let flush = |literal: &mut String, pieces: &mut Vec<Piece>| {
        if !literal.is_empty() {
            pieces.push(Literal(std::mem::take(literal)));
        }
    };
    while let Some(c) = rest.chars().next() {
        if rest.starts_with("{{") || rest.starts_with("}}") {
            literal.push(c);
            rest = &rest[2..];
        } else if c == '{' {
            flush(&mut literal, &mut pieces);
            let end = rest.find('}').unwrap_or(rest.len() - 1);
            pieces.push(hole(&rest[1..end], file));
            rest = &rest[end + 1..];
        } else if c.is_whitespace() {
            flush(&mut literal, &mut pieces);
            let end = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
            pieces.push(Blank(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            literal.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    flush(&mut literal, &mut pieces);
    pieces
}

fn hole(inside: &str, file: &DialectFile) -> Piece {
    let (name, options) = inside.split_once(':').unwrap_or((inside, ""));
    match file.word(name) {
        Some(spellings) => Word(spellings.to_vec()),
        None => Hole(name.to_owned(), options.split(',').filter(|one| !one.is_empty()).map(str::to_owned).collect()),
    }
}

/// The pieces before and after a hole with one of these names, and the hole.
pub(super) fn around<'p>(pieces: &'p [Piece], names: &[&str]) -> Option<(&'p [Piece], &'p Piece, &'p [Piece])> {
    let is_hole = |piece: &Piece| matches!(piece, Hole(name, _) if names.contains(&name.as_str()));
    let at = pieces.iter().position(is_hole)?;
    Some((&pieces[..at], &pieces[at], &pieces[at + 1..]))
}

/// Whether there is only white space.
pub(super) fn is_blank(pieces: &[Piece]) -> bool {
    pieces.iter().all(|piece| matches!(piece, Blank(_)))
}

/// The pieces without white space at their edges.
pub(super) fn trimmed(mut pieces: &[Piece]) -> &[Piece] {
    while let [Blank(_), rest @ ..] = pieces {
        pieces = rest;
    }
    while let [rest @ .., Blank(_)] = pieces {
        pieces = rest;
    }
    pieces
}

/// Every text that the pieces represent, if they are only literals and words, and few.
pub(super) fn spellings(pieces: &[Piece]) -> Option<Vec<String>> {
    let mut all = vec![String::new()];
    for piece in trimmed(pieces) {
        let next: &[String] = match piece {
            Literal(text) | Blank(text) => std::slice::from_ref(text),
            Word(spellings) => spellings,
            Hole(name, _) if name == "mark" => &[String::new()],
            Hole(..) => return None,
        };
        all = all.iter().flat_map(|start| next.iter().map(move |text| format!("{start}{text}"))).collect();
        if all.len() > MOST_SPELLINGS {
            return None;
        }
    }
    Some(all)
}

/// Servers that convert a template to a grammar accept this many literals as a delimiter.
const MOST_SPELLINGS: usize = 16;

/// A text with all special characters of regular expressions escaped.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if "\\.+*?()|[]{}^$".contains(c) => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// One of several texts.
pub(super) fn one_of(texts: &[String]) -> String {
    let is_optional = texts.iter().any(String::is_empty);
    let mut texts: Vec<&String> = texts.iter().filter(|text| !text.is_empty()).collect();
    texts.sort_by_key(|text| std::cmp::Reverse(text.len()));
    let list = texts.iter().map(|text| loose(text)).collect::<Vec<_>>().join("|");
    let is_single = texts.len() == 1 && !is_optional;
    let end = if is_optional { "?" } else { "" };
    if is_single { list } else { format!("(?:{list}){end}") }
}

/// A text whose white space may differ.
fn loose(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(char::is_whitespace) {
        out.push_str(&escaped(&rest[..at]));
        out.push_str("\\s*");
        rest = rest[at..].trim_start();
    }
    out + &escaped(rest)
}

/// What a hole matches: as much as possible without white space and what may follow it, or as little if a text follows.
pub(super) fn up_to(rest: &[Piece], body: Option<char>) -> String {
    let mut followers: Vec<char> = Vec::new();
    for piece in rest {
        match piece {
            Literal(text) if followers.is_empty() => {
                let first = text.chars().next().map(in_class).unwrap_or_default();
                return format!("[^{first}\\n]+?");
            }
            Literal(text) => {
                followers.extend(text.chars().next());
                return class(&followers);
            }
            Word(spellings) => {
                followers.extend(spellings.iter().filter_map(|text| text.chars().next()));
                if spellings.iter().all(|text| !text.is_empty()) {
                    return class(&followers);
                }
            }
            Blank(_) | Hole(..) => {}
        }
    }
    followers.extend(body);
    class(&followers)
}

fn class(followers: &[char]) -> String {
    let mut followers = followers.to_vec();
    followers.sort_unstable();
    followers.dedup();
    format!("[^{}\\s]+", followers.into_iter().map(in_class).collect::<String>())
}

/// A character for a class of an expression.
fn in_class(c: char) -> String {
    if "^]\\[-".contains(c) { format!("\\{c}") } else { c.to_string() }
}

/// White space between two pieces: required between words, otherwise optional.
pub(super) fn blank(before: Option<&Piece>, behind: Option<&Piece>) -> &'static str {
    let ends = |piece: &Piece| matches!(piece, Literal(text) if text.ends_with(char::is_alphanumeric));
    let starts = |piece: &Piece| matches!(piece, Literal(text) if text.starts_with(char::is_alphanumeric));
    if before.is_some_and(ends) && behind.is_some_and(starts) { "\\s+" } else { "\\s*" }
}
