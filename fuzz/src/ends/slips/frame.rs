//! Slips in what stands around a call, and in its name.

use super::Slip;
use super::place::Place;
use crate::ends::writing::Part;

pub(super) const SLIPS: &[Slip] = &[
    ("closer missing", |it| Some(it.with(it.last_marker()?, ""))),
    ("closer doubled", |it| closer(it, |marker| marker.repeat(2))),
    ("closer in capitals", |it| closer(it, str::to_uppercase)),
    ("closer with a space", |it| closer(it, blank)),
    ("closer without its bracket", |it| closer(it, |marker| marker[..marker.len() - 1].to_owned())),
    ("closer without its first bracket", |it| closer(it, |marker| marker[first_char(marker)..].to_owned())),
    ("closer of a sibling", |it| {
        Some(it.with(it.last_marker().filter(|at| it.text[at.clone()].starts_with("</"))?, "</invoke>"))
    }),
    ("closer without its slash", |it| closer(it, |marker| marker.replacen("</", "<", 1))),
    ("opener doubled", |it| opener(it, |marker| marker.repeat(2))),
    ("opener in capitals", |it| opener(it, str::to_uppercase)),
    ("opener with a space", |it| opener(it, blank)),
    ("opener without its bracket", |it| opener(it, |marker| marker[..marker.len() - 1].to_owned())),
    ("opener without its first bracket", |it| opener(it, |marker| marker[first_char(marker)..].to_owned())),
    ("opener missing", |it| opener(it, |_| String::new())),
    ("text between section and call", |it| {
        let section = it.text[..it.opener.start].trim_end().ends_with(['>', ']']);
        section.then(|| it.put(it.opener.start, "I call it now.\n"))
    }),
    ("text before the arguments", |it| text_before(it)),
    ("text before the closer", |it| text_behind(it)),
    ("end of turn before the closer", |it| Some(it.put(it.last_marker()?.start, "<|im_end|>"))),
    ("end of turn after the call", |it| Some(it.put(it.text.len(), "<|im_end|>"))),
    ("a byte order mark before", |it| Some(it.put(0, "\u{feff}"))),
    ("a zero-width space before", |it| Some(it.put(it.opener.start, "\u{200b}"))),
    ("name: `functions.`", |it| Some(it.put(it.name.start, "functions."))),
    ("name: `default_api:`", |it| Some(it.put(it.name.start, "default_api:"))),
    ("name: `functions_`", |it| Some(it.put(it.name.start, "functions_"))),
    ("name: counter appended", |it| Some(it.put(it.name.end, ":0"))),
    ("name: other case", |it| Some(it.with(it.name.clone(), &camel(it.call.name)))),
    ("name: doubled", |it| Some(it.put(it.name.end, it.call.name))),
    ("name: token appended", |it| Some(it.put(it.name.end, "<|channel|>commentary"))),
    ("name: quoted", |it| Some(it.with(it.name.clone(), &format!("\"{}\"", it.call.name)))),
];

fn closer(place: &Place<'_>, change: impl Fn(&str) -> String) -> Option<String> {
    let at = place.last_marker()?;
    Some(place.with(at.clone(), &change(&place.text[at])))
}

fn opener(place: &Place<'_>, change: impl Fn(&str) -> String) -> Option<String> {
    let at = place.first_marker()?;
    Some(place.with(at.clone(), &change(&place.text[at])))
}

fn first_char(marker: &str) -> usize {
    marker.chars().next().map_or(0, char::len_utf8)
}

/// Returns a marker with a blank before its last character.
fn blank(marker: &str) -> String {
    format!("{} {}", &marker[..marker.len() - 1], &marker[marker.len() - 1..])
}

/// Puts words between the marker of a call and what stands behind it.
fn text_before(place: &Place<'_>) -> Option<String> {
    let marker = place.first_marker()?;
    let bare = place.text[marker.end..].trim_start().starts_with('{');
    bare.then(|| place.put(marker.end, "\nSure, here it is:\n"))
}

/// Puts words before the marker that closes a call, where they are not the end of a value that nothing else closes.
fn text_behind(place: &Place<'_>) -> Option<String> {
    let marker = place.last_marker()?;
    let touches =
        |part: &Part| part.span.end <= marker.start && place.text[part.span.end..marker.start].trim_start().is_empty();
    (!place.parts.iter().any(|part| touches(part))).then(|| place.put(marker.start, "\nDone.\n"))
}

fn camel(name: &str) -> String {
    let mut parts = name.split(['_', '-', '.']);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |all, part| all + &part[..1].to_uppercase() + &part[1..])
}
