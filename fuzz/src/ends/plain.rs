//! What a text says as it stands: strict readers of arguments, and what in a value no reader can tell from an end.

use serde_json::value::RawValue;
use toolglot_json::{Map, Value};

use super::home::{Home, StringStyle};
use super::message::Calling;
use super::tools::Parameter;
use super::writing::Style;

/// Returns the arguments that begin at a place of a text if a strict reader accepts them and the call's closer follows;
/// with `breaks` strings may run over lines.
pub(super) fn read(home: &Home, text: &str, at: usize, breaks: bool) -> Option<Value> {
    match home.kind {
        StringStyle::Json => json(home, &text[at..], breaks),
        StringStyle::Python => keywords(&text[at..], breaks),
        StringStyle::Raw => None,
    }
}

fn json(home: &Home, text: &str, breaks: bool) -> Option<Value> {
    let escaped;
    let text = if breaks {
        escaped = with_breaks(text);
        &escaped
    } else {
        text
    };
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let value = values.next()?.ok()?.get();
    let rest = text[values.byte_offset()..].trim_start();
    let value: Value = toolglot_json::from_str(value).ok()?;
    (value.is_object() && rest.starts_with(home.closer.trim_start())).then_some(value)
}

/// Escapes line breaks and tabs inside the strings of JSON.
fn with_breaks(text: &str) -> String {
    let (mut out, mut inside, mut escaped) = (String::new(), false, false);
    for c in text.chars() {
        match c {
            '\n' if inside => out.push_str("\\n"),
            '\t' if inside => out.push_str("\\t"),
            _ => out.push(c),
        }
        inside ^= c == '"' && !escaped;
        escaped = inside && c == '\\' && !escaped;
    }
    out
}

/// Reads `key=literal, …` up to a closing parenthesis.
fn keywords(mut rest: &str, breaks: bool) -> Option<Value> {
    let mut members = Map::new();
    while !rest.starts_with(')') {
        let (key, value) = rest.split_once('=')?;
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let (value, after) = literal(value, breaks, 0)?;
        if members.insert(key.to_owned(), value).is_some() {
            return None;
        }
        let after = after.trim_start();
        rest = match after.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if after.starts_with(')') => after,
            None => return None,
        };
    }
    Some(members.into())
}

fn literal(text: &str, breaks: bool, depth: usize) -> Option<(Value, &str)> {
    let text = text.trim_start();
    match text.chars().next()? {
        quote @ ('"' | '\'') => {
            let (mut all, mut rest) = string(&text[1..], quote, breaks)?;
            while let Some(next @ ('"' | '\'')) = rest.trim_start().chars().next() {
                let (more, after) = string(&rest.trim_start()[1..], next, breaks)?;
                all.push_str(&more);
                rest = after;
            }
            Some((all.into(), rest))
        }
        '[' if depth < 8 => {
            let (mut items, mut rest) = (Vec::new(), text[1..].trim_start());
            while !rest.starts_with(']') {
                let (item, after) = literal(rest, breaks, depth + 1)?;
                items.push(item);
                rest = after.trim_start();
                rest = rest.strip_prefix(',').map(str::trim_start).or(rest.starts_with(']').then_some(rest))?;
            }
            Some((items.into(), &rest[1..]))
        }
        '{' if depth < 8 => {
            let (mut members, mut rest) = (Map::new(), text[1..].trim_start());
            while !rest.starts_with('}') {
                let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
                let (key, after) = string(&rest[1..], quote, breaks)?;
                let (value, after) = literal(after.trim_start().strip_prefix(':')?, breaks, depth + 1)?;
                if members.insert(key, value).is_some() {
                    return None;
                }
                rest = after.trim_start();
                rest = rest.strip_prefix(',').map(str::trim_start).or(rest.starts_with('}').then_some(rest))?;
            }
            Some((members.into(), &rest[1..]))
        }
        _ => {
            let end = text.find([',', ')', ']', '}', ' ', '\n'])?;
            let value = match &text[..end] {
                "True" => true.into(),
                "False" => false.into(),
                "None" => Value::Null,
                number => toolglot_json::from_str(number).ok().filter(Value::is_number)?,
            };
            Some((value, &text[end..]))
        }
    }
}

fn string(text: &str, quote: char, breaks: bool) -> Option<(String, &str)> {
    let (mut out, mut rest) = (String::new(), text.chars());
    loop {
        match rest.next()? {
            c if c == quote => return Some((out, rest.as_str())),
            '\\' => match rest.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                c @ ('\\' | '"' | '\'') => out.push(c),
                '\n' => {}
                c => out.extend(['\\', c]),
            },
            '\n' if !breaks => return None,
            c => out.push(c),
        }
    }
}

/// Returns what the inside of a string says if every bare quote in it is data.
pub(super) fn data(home: &Home, inside: &str) -> String {
    let mut out = String::new();
    let mut rest = inside.chars();
    while let Some(c) = rest.next() {
        match (c, c == '\\') {
            (_, false) => out.push(c),
            _ => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some('b') if home.kind == StringStyle::Json => out.push('\u{8}'),
                Some('f') if home.kind == StringStyle::Json => out.push('\u{c}'),
                Some('/') if home.kind == StringStyle::Json => out.push('/'),
                Some(c @ ('\\' | '"')) => out.push(c),
                Some('\'') if home.kind == StringStyle::Python => out.push('\''),
                Some(c) => out.extend(['\\', c]),
                None => out.push('\\'),
            },
        }
    }
    out
}

/// Says whether a reader that ends each raw value at the first closer of its parameter, with another parameter or the call's
/// closer behind it, finds the call in a text: it stands there as the dialect writes it.
pub(super) fn is_as_written(home: &Home, text: &str, (_, arguments): &(String, Value)) -> bool {
    let stands = |(key, value): (&String, &Value)| {
        let (end, closer) = (home.end_of(key), home.closer_of(key));
        let call = closer.strip_prefix(&end).unwrap_or(&closer).trim();
        let said = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let ends = |at: usize| {
            let behind = text[at + said.len()..].trim_start().strip_prefix(end.trim())?.trim_start();
            Some([home.head.trim(), call].iter().any(|it| it.is_empty() || behind.starts_with(it)))
        };
        !said.contains(end.trim()) && text.match_indices(&said).any(|(at, _)| ends(at) == Some(true))
    };
    arguments.as_object().is_some_and(|members| members.iter().all(stands))
}

/// Returns a text without white space.
fn dense(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Says whether a value holds all that ends its call, or its parameter and what may follow.
pub(super) fn has_closers(home: &Home, style: Style, key: &str, text: &str) -> bool {
    let dense_text = dense(text);
    match home.kind {
        StringStyle::Json => dense_text.contains(&dense(&format!("\"}}{}", home.closer))),
        StringStyle::Python => dense_text.contains(&format!("{})", style.quote)),
        StringStyle::Raw => {
            let [end, head, closer] = [home.end_of(key), home.head.clone(), home.closer_of(key)].map(|it| dense(&it));
            let all = dense_text.clone() + &closer;
            let call = closer.strip_prefix(&end).unwrap_or(&closer);
            let ends = dense_text.match_indices(&end).map(|(at, _)| &all[at + end.len()..]);
            // A closer that stands twice is one.
            let follows =
                |rest: &str| [head.as_str(), call, &end].iter().any(|it| !it.is_empty() && rest.starts_with(it));
            ends.into_iter().any(follows)
        }
    }
}

/// Says whether a value holds the end of a string and the head of a parameter that the call may have.
pub(super) fn has_head(home: &Home, style: Style, call: &Calling, text: &str) -> bool {
    let tool = super::tools::TOOLS.iter().find(|tool| tool.name == call.name);
    let declared = tool.into_iter().flat_map(|tool| tool.parameters.iter().flat_map(Parameter::keys));
    let mut keys = declared.chain(call.members.iter().map(|it| it.key));
    keys.any(|key| match home.kind {
        StringStyle::Json => text.contains(&format!("\"{}\"{key}\"{}", style.comma, style.colon.trim_end())),
        StringStyle::Python => text.contains(&format!("{}{}{key}=", style.quote, style.comma)),
        StringStyle::Raw => !home.head.is_empty() && text.contains(&[&home.head, key].concat()),
    }) || has_call(home, text)
}

/// Says whether a raw value holds the head of a call.
fn has_call(home: &Home, text: &str) -> bool {
    let mut calls = text.match_indices(&home.opener).map(|(at, _)| &text[at + home.opener.len()..]);
    let declared = |rest: &str| super::tools::TOOLS.iter().any(|tool| rest.starts_with(tool.name));
    home.kind == StringStyle::Raw && !home.opener.is_empty() && calls.any(declared)
}

/// Says whether a line of a value has an odd number of the quotes it stands in, bare or escaped.
pub(super) fn is_odd(home: &Home, style: Style, text: &str) -> bool {
    let quote = if home.kind == StringStyle::Python { style.quote } else { '"' };
    let lines = text.split('\n').flat_map(|line| line.split("\\n"));
    lines.map(|line| line.matches(quote).count()).any(|count| count % 2 == 1)
}
