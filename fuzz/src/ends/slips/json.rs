//! Slips in arguments that are JSON.

use toolglot_json::Value;

use super::Slip;
use super::place::Place;
use crate::ends::home::StringStyle;

pub(super) const SLIPS: &[Slip] = &[
    ("an extra brace", |it| arguments(it, |json| format!("{json}}}"))),
    ("a missing brace", |it| arguments(it, |json| json[..json.len() - 1].trim_end().to_owned())),
    ("braces doubled", |it| arguments(it, |json| format!("{{{json}}}"))),
    ("a comma at the end", |it| arguments(it, |json| format!("{},}}", json[..json.len() - 1].trim_end()))),
    ("a comment", |it| arguments(it, |json| format!("{{ // as asked\n{}", &json[1..]))),
    ("a list around", |it| arguments(it, |json| format!("[{json}]"))),
    ("as a string", |it| arguments(it, |json| Value::from(json).to_string())),
    ("nested again", |it| arguments(it, |json| format!("{{\"arguments\": {json}}}"))),
    ("the call in its arguments", |it| {
        let name = it.call.name;
        arguments(it.closed()?, |json| format!("{{\"name\": \"{name}\", \"arguments\": {json}}}"))
    }),
    ("in a fence", |it| arguments(alone(it)?, |json| format!("```json\n{json}\n```"))),
    ("words after", |it| arguments(alone(it)?, |json| format!("{json} as you asked."))),
    ("a zero-width space inside", |it| arguments(it, |json| format!("{{\u{200b}{}", &json[1..]))),
    ("a token before", |it| arguments(alone(it)?, |json| format!("<|message|>{json}"))),
    ("key: other case", |it| key(it.closed()?, camel)),
    ("key: unquoted", |it| around(it, ["", ""])),
    ("key: in single quotes", |it| around(it, ["'", "'"])),
    ("key: first quote lost", |it| around(it, ["", "\""])),
    ("key: last quote lost", |it| around(it, ["\"", ""])),
    ("key: quoted twice", |it| around(it, ["\"\"", "\"\""])),
    ("key: escaped quotes", |it| around(it, ["\\\"", "\\\""])),
    ("key: closing tag appended", |it| key(it.closed()?, |key| format!("{key}</arg_key>"))),
    ("colon lost", |it| {
        let (key, value) = (json_key(it)?, it.string()?.1);
        Some(it.with(key.end + 1..value.start - 1, " "))
    }),
    ("`=` for a colon", |it| {
        let (key, value) = (json_key(it)?, it.string()?.1);
        Some(it.with(key.end + 1..value.start - 1, "="))
    }),
    ("comma lost", |it| {
        let (_, value) = json_string(it)?;
        let rest = it.text[value.end + 1..it.arguments.end].strip_prefix(',')?;
        Some(it.with(value.end + 1..it.arguments.end, rest))
    }),
    ("comma and key's first quote lost", |it| {
        let (_, value) = json_string(it.closed()?)?;
        let value = Some(value).filter(|value| !it.text[value.clone()].trim_end().ends_with(','))?;
        let rest = it.text[value.end + 1..it.arguments.end].strip_prefix(',')?.trim_start().strip_prefix('"')?;
        Some(it.with(value.end + 1..it.arguments.end, rest))
    }),
    ("value: no quotes", |it| {
        let (_, value) = json_string(it.closed()?)?;
        let text = &it.text[value.clone()];
        let is_plain =
            !text.contains(['"', '\'', '`', ',', ':', ';', '{', '}', '[', ']', '(', ')', '<', '>', '=', '\\']);
        let is_word = is_plain && !text.is_empty() && text.trim() == text && text.parse::<f64>().is_err();
        is_word.then(|| it.with(value.start - 1..value.end + 1, text))
    }),
    ("value: first quote lost", |it| {
        let (_, value) = json_string(it)?;
        Some(it.with(value.start - 1..value.start, ""))
    }),
    ("value: last quote lost", |it| {
        let (_, value) = json_string(it)?;
        Some(it.with(value.end..value.end + 1, ""))
    }),
    ("value: in single quotes", |it| {
        let (_, value) = json_string(it)?;
        let text = it.text.get(value.clone()).filter(|text| !text.contains('\''))?;
        Some(it.with(value.start - 1..value.end + 1, &format!("'{text}'")))
    }),
    ("value: in curly quotes", |it| {
        let (_, value) = json_string(it)?;
        Some(it.with(value.start - 1..value.end + 1, &format!("“{}”", &it.text[value.clone()])))
    }),
    ("value: raw line breaks", |it| {
        let (_, value) = json_string(it)?;
        let text = &it.text[value.clone()];
        (text.contains("\\n") && !text.contains("\\\\")).then(|| it.with(value.clone(), &text.replace("\\n", "\n")))
    }),
];

fn arguments(place: &Place<'_>, change: impl FnOnce(&str) -> String) -> Option<String> {
    let json = place.is(StringStyle::Json) && place.text.get(place.arguments.clone())?.starts_with('{');
    json.then(|| place.with_arguments(change))?
}

/// Returns the place if its arguments stand for themselves, in no object of the call.
fn alone<'p, 'm>(place: &'p Place<'m>) -> Option<&'p Place<'m>> {
    (!place.text[place.closer.clone()].trim_start().starts_with('}')).then_some(place)
}

fn json_string(place: &Place<'_>) -> Option<(&'static str, std::ops::Range<usize>)> {
    place.string().filter(|_| place.is(StringStyle::Json))
}

/// Returns where the key of the first string stands, without its quotes.
fn json_key(place: &Place<'_>) -> Option<std::ops::Range<usize>> {
    json_string(place)?;
    place.key()
}

fn key(place: &Place<'_>, change: impl FnOnce(&str) -> String) -> Option<String> {
    let key = json_key(place)?;
    Some(place.with(key.clone(), &change(&place.text[key])))
}

/// Puts other quotes around a key.
fn around(place: &Place<'_>, [before, after]: [&str; 2]) -> Option<String> {
    let key = json_key(place)?;
    let word = &place.text[key.clone()];
    Some(place.with(key.start - 1..key.end + 1, &format!("{before}{word}{after}")))
}

fn camel(key: &str) -> String {
    match key.split_once('_') {
        Some((first, second)) => format!("{first}{}{}", second[..1].to_uppercase(), &second[1..]),
        None => key.to_uppercase(),
    }
}
