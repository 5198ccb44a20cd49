//! Markers in front of a declared name or a call's JSON: those that no dialect has, and what they resemble; those behind
//! which no call can be read.

use std::ops::Range;
use std::sync::Arc;

use crate::dialect::{Dialects, HeadPart, distance};
use crate::tool::Tools;

/// A marker that no dialect has.
pub(super) struct UnknownMarker {
    pub(super) text: String,
    pub(super) span: Range<usize>,
    /// The marker of a dialect that it resembles.
    pub(super) near: Option<(String, Arc<str>)>,
}

/// Returns the first tag or token that stands in front of a call and is no marker.
pub(super) fn unknown(text: &str, dialects: &Dialects, tools: &Tools) -> Option<UnknownMarker> {
    let known = markers(dialects);
    markup(text).take(MOST).find_map(|span| {
        let marker = text.get(span.clone())?;
        let behind = text.get(span.end..)?;
        let behind = &behind[..super::places::floor(behind, NEAR)];
        if !names_a_call(behind, tools)
            || known.iter().any(|(known, _)| known.starts_with(marker) || begins_with(marker, known))
        {
            return None;
        }
        let near = known.iter().map(|(known, dialect)| (distance(marker, known), known, dialect));
        let near = near.min_by_key(|(distance, _, _)| *distance);
        let near = near.filter(|(distance, _, _)| *distance <= (marker.chars().count() / 3).max(2));
        let is_telling =
            ["call", "tool", "func", "invoke", "action"].iter().any(|word| marker.to_lowercase().contains(word));
        let near = near.map(|(_, known, dialect)| (known.clone(), Arc::clone(dialect)));
        (near.is_some() || is_telling).then(|| UnknownMarker { text: marker.to_owned(), span, near })
    })
}

/// Says whether a marker begins with a known one that is not merely the beginning of its word.
fn begins_with(marker: &str, known: &str) -> bool {
    let is_word = |text: Option<char>| text.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | ':'));
    marker.strip_prefix(known).is_some_and(|rest| !is_word(known.chars().next_back()) || !is_word(rest.chars().next()))
}

/// Returns the first tool with a parameter of its own and a value close behind it: their names, and where they stand.
pub(super) fn unmarked<'t>(text: &str, tools: &'t Tools) -> Option<(&'t str, &'t str, Range<usize>)> {
    tools.ids().map(|id| tools.get(id)).find_map(|tool| {
        let properties = tool.schema.as_ref()?.root().properties();
        words(text, &tool.name).take(MOST).find_map(|name| {
            let behind = &text[name.end..];
            let behind = &behind[..super::places::floor(behind, NEAR / 2)];
            let is_given =
                |key: &Range<usize>| behind[key.end..].trim_start_matches(['"', '\'', ' ']).starts_with(['=', ':']);
            properties.iter().find_map(|parameter| {
                let key = words(behind, parameter).find(is_given)?;
                Some((&*tool.name, parameter.as_str(), name.start..name.end + key.end))
            })
        })
    })
}

/// Returns the places of a whole word.
fn words<'w>(text: &'w str, word: &'w str) -> impl Iterator<Item = Range<usize>> + 'w {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let places = text.match_indices(word).map(|(at, word)| at..at + word.len());
    places.filter(move |place| !text[..place.start].ends_with(goes_on) && !text[place.end..].starts_with(goes_on))
}

/// A marker with a call behind it that cannot be read.
pub(super) struct UnreadBody {
    pub(super) marker: String,
    pub(super) dialect: Arc<str>,
    /// From the marker to where its JSON breaks, or of the marker alone.
    pub(super) span: Range<usize>,
    /// How its JSON breaks.
    pub(super) fault: Option<String>,
}

/// Returns the first marker of a dialect outside code with what looks like a call behind it.
pub(super) fn unreadable(text: &str, dialects: &Dialects, tools: &Tools) -> Option<UnreadBody> {
    let (known, code) = (markers(dialects), super::places::code(text));
    markup(text).take(MOST).find_map(|span| {
        let marker = text.get(span.clone())?;
        let (_, dialect) = known.iter().find(|(known, _)| known == marker)?;
        let behind = text.get(span.end..)?;
        let near = &behind[..super::places::floor(behind, NEAR)];
        if !names_a_call(near, tools) || code.iter().any(|place| place.contains(&span.start)) {
            return None;
        }
        let broken = json_break(behind);
        let end = broken.as_ref().map_or(span.end, |(at, _)| span.end + at);
        let (marker, dialect) = (marker.to_owned(), Arc::clone(dialect));
        Some(UnreadBody { marker, dialect, span: span.start..end, fault: broken.map(|(_, fault)| fault) })
    })
}

/// Says where the object that a text begins with breaks, and how.
fn json_break(text: &str) -> Option<(usize, String)> {
    let start = text.len() - text.trim_start().len();
    let object = text.get(start..).filter(|object| object.starts_with('{'))?;
    let mut values = serde_json::Deserializer::from_str(object).into_iter::<serde_json::Value>();
    let error = values.next()?.err()?;
    let line: usize = object.split_inclusive('\n').take(error.line() - 1).map(str::len).sum();
    let told = error.to_string();
    let told = told.split(" at line ").next().unwrap_or_default().to_owned();
    Some((super::places::floor(text, start + line + error.column()), told))
}

/// Markers that are looked at; a text with more of them is markup.
const MOST: usize = 64;

/// How far behind a marker the name of a call stands.
const NEAR: usize = 128;

/// Says whether a call's name follows: a declared one, as an attribute too, or that of a call's JSON.
fn names_a_call(behind: &str, tools: &Tools) -> bool {
    let json = behind.trim_start().starts_with('{')
        && ["\"name", "\"function", "\"tool", "\"arguments\""].iter().any(|key| behind.contains(key));
    let (word, rest) = first_word(behind);
    let is_attribute = matches!(word, "name" | "tool" | "function") && rest.starts_with('=');
    let name = if is_attribute { first_word(rest).0 } else { word };
    json || tools.resolve(name).is_some()
}

/// Returns the first word of a text that may be a name, and what stands behind it.
fn first_word(text: &str) -> (&str, &str) {
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_');
    let end = start.find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '.')).unwrap_or(start.len());
    start.split_at(end)
}

/// Returns the places of opening tags, tokens in angle brackets, and words in capitals in square brackets.
fn markup(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(['<', '[', '@']).filter_map(|(start, open)| {
        let rest = &text[start..];
        let end = match open {
            "<" => {
                rest.find(['>', ' ', '\n', '{', '=', '"']).map(|end| end + usize::from(rest[end..].starts_with('>')))?
            }
            "[" => rest.find(']')? + 1,
            _ => rest.find([' ', '\n', '{', '(', '<', '"'])?,
        };
        let inside = rest[1..end].trim_end_matches(['>', ']']);
        let is_marker = match open {
            "[" => inside.len() > 2 && inside.chars().all(|c| c.is_ascii_uppercase() || c == '_' || c == '/'),
            _ => inside.len() > 2 && !inside.starts_with(['/', '!', '?']) && end <= LONGEST,
        };
        is_marker.then_some(start..start + end)
    })
}

/// No marker of any dialect is longer.
const LONGEST: usize = 48;

/// Returns what the dialects' sections and calls open with.
fn markers(dialects: &Dialects) -> Vec<(String, Arc<str>)> {
    let mut markers = Vec::new();
    for dialect in dialects {
        for pattern in dialect.sections.iter().chain(&dialect.calls) {
            let Some(HeadPart::Literal(literal)) = pattern.head.first() else { continue };
            let texts = literal.spellings.iter().map(|spelling| spelling.opener().trim().to_owned());
            markers.extend(texts.filter(|text| text.len() > 2).map(|text| (text, Arc::clone(&dialect.name))));
        }
    }
    markers
}
