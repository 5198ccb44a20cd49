//! Literals that values and text must exclude because a parser of the dialect would read them as markers.

use toolglot::{Outline, OutlinePart};

use crate::exclusion::Excluded;

/// The markers of a dialect, in all spellings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Markers {
    /// Openers and closers of calls and sections.
    pub(crate) calls: Vec<Excluded>,
    /// Openers and closers of parameters.
    pub(crate) params: Vec<Excluded>,
    /// Openers and closers of reasoning and content.
    pub(crate) regions: Vec<Excluded>,
    /// Literals around messages.
    pub(crate) turns: Vec<Excluded>,
}

/// A literal of a pattern in one spelling; if it contains names, it has several pieces.
type Pieces = Vec<String>;

impl Markers {
    /// Returns the markers of calls to tools of these names, with parameters of these keys.
    pub(crate) fn new(outline: &Outline<'_>, names: &[String], keys: &[String]) -> Self {
        let of = |patterns: &[Vec<OutlinePart<'_>>], names: &[String]| {
            let mut found: Vec<Excluded> = Vec::new();
            for (place, pattern) in patterns.iter().enumerate() {
                found.extend(openers(outline, pattern, names));
                found.extend(closers(outline, pattern, names, place == 0));
            }
            found
        };
        let mut calls = of(&outline.sections, names);
        calls.extend(of(&outline.calls, names));
        let mut regions = of(&outline.reasoning, names);
        regions.extend(of(&outline.content, names));
        let plain = |text: &String| Excluded::anywhere(text.trim());
        let turns = outline.turns.iter().flat_map(|list| list.iter()).chain(outline.skip).map(plain).collect();
        // A value that holds a piece of a marker is not trusted.
        let pieces = outline.pieces.iter().map(Excluded::anywhere);
        let params = pieces.chain(of(&outline.params, keys)).collect();
        Self { calls, params, regions, turns }
    }
}

/// Returns the opener of a pattern: the text to its first white space; everywhere if it is strong, otherwise at
/// the start of a line.
fn openers(outline: &Outline<'_>, pattern: &[OutlinePart<'_>], names: &[String]) -> Vec<Excluded> {
    let literal: Vec<OutlinePart<'_>> =
        pattern.iter().copied().take_while(|part| !matches!(part, OutlinePart::Hole { .. })).collect();
    let hole = pattern.get(literal.len()).copied();
    let mut found = Vec::new();
    for text in spellings(&literal) {
        let first = text.trim_start().split(char::is_whitespace).next().unwrap_or_default().to_owned();
        let reaches_hole = text.trim_start().len() == first.len();
        let dynamic = reaches_hole && matches!(hole, Some(OutlinePart::Hole { name: "name" | "key", .. }));
        let apart = markers_apart(&first);
        if let Some(marker) = apart.first().filter(|marker| apart.len() > 1 && outline.is_strong(marker)) {
            found.push(Excluded::anywhere(marker));
            continue;
        }
        match outline.is_strong(&first) {
            // A tag is read without its bracket, too.
            true => {
                let word = first.split('>').next().filter(|word| word.starts_with('<') && outline.is_strong(word));
                found.push(Excluded::anywhere(word.unwrap_or(&first)));
            }
            false if dynamic && first.ends_with('<') => {
                let tag = |name: &String| Excluded::anywhere(format!("{first}{name}"));
                found.extend(names.iter().map(tag));
            }
            // A parameter that opens with a sign is read wherever the sign and its name are.
            false if dynamic && is_key(hole) && !first.is_empty() => {
                let word = |name: &String| Excluded::anywhere(format!("{first}{name}"));
                found.extend(names.iter().map(word));
            }
            false if dynamic => {
                let word = |name: &String| Excluded::at_line_start(format!("{first}{name}"));
                found.extend(names.iter().map(word));
            }
            false if first.is_empty() => found.extend(opens_with_body(hole)),
            // A parameter that opens with a word is read wherever the word is.
            false if is_key(hole) && first.contains(char::is_alphabetic) => {
                found.push(Excluded::anywhere(first));
            }
            false => found.push(Excluded::at_line_start(first)),
        }
    }
    found
}

fn is_key(hole: Option<OutlinePart<'_>>) -> bool {
    matches!(hole, Some(OutlinePart::Hole { name: "key", .. }))
}

/// Returns the bracket with which a hole at the beginning of a pattern begins.
fn opens_with_body(hole: Option<OutlinePart<'_>>) -> Option<Excluded> {
    match hole {
        Some(OutlinePart::Hole { name: "call" | "arguments" | "object", .. }) => Some(Excluded::at_line_start("{")),
        _ => None,
    }
}

/// Returns the literals after a pattern's last hole, each to its first white space; of patterns that are only parsed, the
/// strong ones.
fn closers(outline: &Outline<'_>, pattern: &[OutlinePart<'_>], names: &[String], written: bool) -> Vec<Excluded> {
    let is_body = |part: &OutlinePart<'_>| matches!(part, OutlinePart::Hole { name, .. } if is_data(name));
    let Some(at) = pattern.iter().rposition(is_body) else { return Vec::new() };
    let mut found = Vec::new();
    for pieces in named_spellings(&pattern[at + 1..], names) {
        let words = pieces.split_whitespace().enumerate();
        for (place, word) in words {
            let apart = markers_apart(word);
            // What follows white space or another marker ends nothing by itself, unless prose does not contain it.
            let ends = written && place == 0 && apart.len() == 1 && !word.chars().all(|c| "}])>".contains(c));
            let markers = apart.into_iter().filter(|word| ends || outline.is_strong(word));
            found.extend(markers.map(Excluded::anywhere));
        }
    }
    found
}

/// Returns whether a hole contains data up to a closer.
fn is_data(hole: &str) -> bool {
    !matches!(hole, "name" | "key" | "id" | "index" | "_" | "type" | "attrs" | "mark")
}

/// Splits `</a></b>`, since each part can close alone.
fn markers_apart(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for c in word.chars() {
        match parts.last_mut() {
            Some(last) if !(c == '<' && last.ends_with('>')) => last.push(c),
            _ => parts.push(c.to_string()),
        }
    }
    parts
}

/// Returns a literal in every spelling of its words.
fn spellings(parts: &[OutlinePart<'_>]) -> Vec<String> {
    named_spellings(parts, &[])
}

/// The same for literals that may contain names: one spelling for each name. White space replaces other holes.
fn named_spellings(parts: &[OutlinePart<'_>], names: &[String]) -> Vec<String> {
    let mut words: Vec<&[String]> = Vec::new();
    for part in parts {
        if let OutlinePart::Word(spellings) = part
            && !words.contains(spellings)
        {
            words.push(spellings);
        }
    }
    let has_name = parts.iter().any(|part| matches!(part, OutlinePart::Hole { name: "name" | "key", .. }));
    let mut choices: Vec<Vec<&str>> = vec![Vec::new()];
    for word in &words {
        let mut longer = Vec::new();
        for chosen in &choices {
            longer.extend(word.iter().map(|one| [&chosen[..], &[one.as_str()]].concat()));
        }
        choices = longer;
    }
    let named: Vec<&str> =
        if has_name && !names.is_empty() { names.iter().map(String::as_str).collect() } else { vec![" "] };
    let mut found = Vec::new();
    for chosen in &choices {
        for name in &named {
            found.push(spelled(parts, &words, chosen, name).concat());
        }
    }
    found
}

fn spelled(parts: &[OutlinePart<'_>], words: &[&[String]], chosen: &[&str], named: &str) -> Pieces {
    let piece = |part: &OutlinePart<'_>| match part {
        OutlinePart::Text(text) => (*text).to_owned(),
        OutlinePart::Word(spellings) => {
            let at = words.iter().position(|word| word == spellings);
            at.and_then(|at| chosen.get(at)).map_or(String::new(), |word| (*word).to_owned())
        }
        OutlinePart::Hole { name: "name" | "key", .. } => named.to_owned(),
        OutlinePart::Hole { name: "mark" | "attrs", .. } => String::new(),
        _ => " ".to_owned(),
    };
    parts.iter().map(piece).collect()
}
