//! Slips in parameters that stand between markers.

use super::Slip;
use super::place::Place;
use crate::ends::home::StringStyle;

pub(super) const SLIPS: &[Slip] = &[
    ("value's closer missing", |it| {
        let at = it.value_closer()?;
        Some(without(it, at))
    }),
    ("last value's closer missing", |it| {
        // Members that are no text may follow.
        let at = it.last_value_closer()?;
        Some(without(it, at))
    }),
    ("value's closer doubled", |it| closer(tagged(it)?, |closer| closer.repeat(2))),
    ("value's closer of a sibling", |it| {
        closer(it, |closer| if closer.starts_with("</") { "</argument>".to_owned() } else { closer.to_owned() })
    }),
    ("value's closer in capitals", |it| closer(it, str::to_uppercase)),
    ("value's closer with a space", |it| closer(it, |closer| closer.replacen('>', " >", 1))),
    ("value's closer without its bracket", |it| {
        closer(it, |closer| closer.strip_suffix('>').unwrap_or(closer).to_owned())
    }),
    ("key's opener missing", |it| opener(it, it.raw_key()?)),
    ("last key's opener missing", |it| opener(it, it.last_raw_key()?)),
    ("value's opener missing", |it| {
        let (_, value) = tagged(it)?.string()?;
        let key = it.raw_keys().rfind(|key| key.end <= value.start)?;
        let at = it.text[key.end..value.start].rfind('<')? + key.end;
        let others = ["</", "<![", it.home.end.as_str()];
        (!others.iter().any(|other| it.text[at..].starts_with(other))).then(|| it.with(at..value.start, ""))
    }),
    ("key: quoted", |it| {
        let key = it.raw_key()?;
        let word = &it.text[key.clone()];
        Some(it.with(key, &format!("\"{word}\"")))
    }),
    ("key: space appended", |it| Some(it.put(it.closed()?.raw_key()?.end, " "))),
    ("JSON for parameters", |it| {
        let raw = it.is(StringStyle::Raw) && it.raw_key().is_some();
        let from = head(it)?;
        let last = it.home.end_of(it.call.members.last()?.key);
        let end = it.closer.start + it.text.get(it.closer.clone())?.find(&last)? + last.len();
        raw.then(|| it.with(from..end, &it.call.arguments().to_string()))
    }),
];

/// Returns the place if its values end with a whole tag or token.
fn tagged<'p, 'm>(place: &'p Place<'m>) -> Option<&'p Place<'m>> {
    (place.home.end.starts_with('<') && place.home.end.ends_with('>')).then_some(place)
}

/// Returns the message without a closer and the rest of its line.
fn without(place: &Place<'_>, at: std::ops::Range<usize>) -> String {
    let blank = place.text[at.end..].len() - place.text[at.end..].trim_start().len();
    place.with(at.start..at.end + blank, "")
}

fn closer(place: &Place<'_>, change: impl FnOnce(&str) -> String) -> Option<String> {
    let at = place.value_closer()?;
    Some(place.with(at.clone(), &change(&place.text[at])))
}

/// Returns the message without the marker before a key, from its bracket on.
fn opener(place: &Place<'_>, key: std::ops::Range<usize>) -> Option<String> {
    let at = tagged(place.closed()?)?.text[..key.start].rfind('<')?;
    // Commas and braces are around members, and in no marker.
    (!place.text[at..key.start].contains([',', '{'])).then(|| place.with(at..key.start, ""))
}

/// Returns where the first parameter begins.
fn head(place: &Place<'_>) -> Option<usize> {
    let key = place.raw_key()?;
    let before = &place.text[place.name.end..key.start];
    before.rfind('<').map(|at| place.name.end + at)
}
