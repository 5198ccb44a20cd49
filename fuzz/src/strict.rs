//! Strict readers of four languages, each for what its dialect writes and nothing more, written without the engine.

use serde::Deserialize;
use serde_json::value::RawValue;

/// A call as a strict reader found it.
#[derive(Debug, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    /// The text of one JSON object.
    pub(crate) arguments: String,
}

/// A language that a strict reader and a dialect share.
pub(crate) struct Language {
    pub(crate) dialect: &'static str,
    /// Reads all of a text, or nothing.
    pub(crate) read: fn(&str) -> Option<Vec<Call>>,
    pub(crate) samples: &'static [&'static str],
}

pub(crate) const LANGUAGES: [Language; 4] = [
    Language {
        dialect: "hermes",
        read: objects,
        samples: &[
            "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\": \"a \\\"b\\\" </x>\", \"n\": [1, {\"k\": -0.5e3}]}}\n</tool_call>",
            "<tool_call>\n{\"name\": \"a\", \"arguments\": {}}\n</tool_call>\n<tool_call>\n{\"name\": \"b\", \"arguments\": { \"x\" : null }}\n</tool_call>",
        ],
    },
    Language {
        dialect: "qwen3_coder",
        read: tags,
        samples: &[
            "<tool_call>\n<function=ls>\n<parameter=path>\nsrc\n</parameter>\n<parameter=n>\n a > b\nc \n</parameter>\n</function>\n</tool_call>",
            "<tool_call>\n<function=now>\n</function>\n</tool_call>\n<tool_call>\n<function=b>\n<parameter=x>\n\"q\" \\ {1}\n</parameter>\n</function>\n</tool_call>",
        ],
    },
    Language {
        dialect: "glm47",
        read: pairs,
        samples: &[
            "<tool_call>ls<arg_key>path</arg_key><arg_value>src</arg_value><arg_key>n</arg_key><arg_value> a\n\nb </arg_value></tool_call>",
            "<tool_call>now</tool_call><tool_call>b<arg_key>x</arg_key><arg_value></arg_value></tool_call>",
        ],
    },
    Language {
        dialect: "pythonic",
        read: keywords,
        samples: &["[ls(path=\"a b\", n=-5, deep=[1, [True, None]], f=2.5), now()]", "[f(x=\"(\", y=\"\")]"],
    },
];

/// One object `{"name": …, "arguments": {…}}`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Object<'t> {
    name: String,
    #[serde(borrow)]
    arguments: &'t RawValue,
}

/// The longest key, with its quotes, that arguments may begin with; what opens with a longer one is no call.
const KEY: usize = 256;

/// Returns the length of an object's first key.
fn key_length(object: &str) -> usize {
    let members = object.trim_start_matches('{').trim_start();
    let key = serde_json::Deserializer::from_str(members).into_iter::<&RawValue>().next();
    key.and_then(Result::ok).map_or(0, |key| key.get().len())
}

fn objects(mut rest: &str) -> Option<Vec<Call>> {
    let mut calls = Vec::new();
    loop {
        rest = rest.strip_prefix("<tool_call>\n")?;
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Object<'_>>();
        let call = values.next()?.ok().filter(|call| rest.starts_with('{') && is_name(&call.name))?;
        let arguments = call.arguments.get();
        let distinct = arguments.starts_with('{') && !arguments.contains("\\u") && are_distinct(arguments);
        let near = key_length(arguments) <= KEY;
        calls.push(Call { name: call.name, arguments: arguments.to_owned() });
        rest = rest[values.byte_offset()..].strip_prefix("\n</tool_call>").filter(|_| distinct && near)?;
        if rest.is_empty() {
            return Some(calls);
        }
        rest = rest.strip_prefix('\n')?;
    }
}

/// Says whether no key of an object comes twice, at any depth: what a second one means is not for strict readers.
fn are_distinct(text: &str) -> bool {
    // Whoever drops a member says less than the text does.
    let count = |text: &str| text.bytes().filter(|byte| *byte == b':').count();
    serde_json::from_str::<toolglot_json::Value>(text).is_ok_and(|value| count(&value.to_string()) == count(text))
}

fn tags(mut rest: &str) -> Option<Vec<Call>> {
    let mut calls = Vec::new();
    loop {
        rest = rest.strip_prefix("<tool_call>\n<function=")?;
        let (name, mut inside) = rest.split_once(">\n").filter(|(name, _)| is_name(name))?;
        let mut members = Vec::new();
        while let Some(param) = inside.strip_prefix("<parameter=") {
            let (key, value) = param.split_once(">\n")?;
            let (value, more) = value.split_once("\n</parameter>\n")?;
            members.push((key, value));
            inside = more;
        }
        calls.push(call(name, &members)?);
        rest = inside.strip_prefix("</function>\n</tool_call>")?;
        if rest.is_empty() {
            return Some(calls);
        }
        rest = rest.strip_prefix('\n')?;
    }
}

fn pairs(mut rest: &str) -> Option<Vec<Call>> {
    let mut calls = Vec::new();
    while !rest.is_empty() {
        rest = rest.strip_prefix("<tool_call>")?;
        let (name, _) = rest.split_once('<').filter(|(name, _)| is_name(name))?;
        let (mut inside, mut members) = (&rest[name.len()..], Vec::new());
        while let Some(pair) = inside.strip_prefix("<arg_key>") {
            let (key, value) = pair.split_once("</arg_key><arg_value>")?;
            let (value, more) = value.split_once("</arg_value>")?;
            members.push((key, value));
            inside = more;
        }
        calls.push(call(name, &members)?);
        rest = inside.strip_prefix("</tool_call>")?;
    }
    Some(calls).filter(|calls| !calls.is_empty())
}

/// Returns a call with text values, in which nothing may look like markup.
fn call(name: &str, members: &[(&str, &str)]) -> Option<Call> {
    let mut arguments = Vec::new();
    for (at, (key, value)) in members.iter().enumerate() {
        let fine = is_key(key) && !members[..at].iter().any(|(other, _)| other == key) && !value.contains(['<', '\r']);
        let quoted = |text: &str| toolglot_json::Value::from(text).to_string();
        arguments.push(fine.then(|| format!("{}: {}", quoted(key), quoted(value)))?);
    }
    Some(Call { name: name.to_owned(), arguments: format!("{{{}}}", arguments.join(", ")) })
}

fn keywords(text: &str) -> Option<Vec<Call>> {
    let mut rest = text.strip_prefix('[')?;
    let mut calls = Vec::new();
    loop {
        let (name, inside) = rest.split_once('(').filter(|(name, _)| is_key(name))?;
        rest = inside;
        let (mut members, mut keys) = (Vec::new(), Vec::new());
        while !rest.starts_with(')') {
            let (key, value) = rest.split_once('=').filter(|(key, _)| is_key(key) && !keys.contains(key))?;
            let json = literal(value, &mut rest, 0)?;
            members.push(format!("\"{key}\": {json}"));
            keys.push(key);
            rest = rest
                .strip_prefix(", ")
                .filter(|rest| !rest.starts_with(')'))
                .or(rest.starts_with(')').then_some(rest))?;
        }
        calls.push(Call { name: name.to_owned(), arguments: format!("{{{}}}", members.join(", ")) });
        rest = &rest[1..];
        match rest.strip_prefix(", ") {
            Some(more) => rest = more,
            None => return (rest == "]").then_some(calls),
        }
    }
}

/// Reads a Python literal that is also plain to see in JSON; returns its JSON and leaves what follows.
fn literal<'t>(text: &'t str, rest: &mut &'t str, depth: usize) -> Option<String> {
    for (word, json) in [("True", "true"), ("False", "false"), ("None", "null")] {
        if let Some(more) = text.strip_prefix(word) {
            *rest = more;
            return Some(json.to_owned());
        }
    }
    if let Some(string) = text.strip_prefix('"') {
        let (inside, more) = string.split_once('"')?;
        *rest = more;
        let plain = !inside.chars().any(|c| c == '\\' || c.is_control());
        return plain.then(|| format!("\"{inside}\""));
    }
    if let Some(mut inside) = text.strip_prefix('[').filter(|_| depth < 4) {
        let mut items = Vec::new();
        while !inside.starts_with(']') {
            items.push(literal(inside, &mut inside, depth + 1)?);
            inside = inside
                .strip_prefix(", ")
                .filter(|rest| !rest.starts_with(']'))
                .or(inside.starts_with(']').then_some(inside))?;
        }
        *rest = &inside[1..];
        return Some(format!("[{}]", items.join(", ")));
    }
    let end = text.find([',', ')', ']'])?;
    *rest = &text[end..];
    let number = &text[..end];
    let digits = number.strip_prefix('-').unwrap_or(number).starts_with(|c: char| c.is_ascii_digit());
    (digits && serde_json::from_str::<&RawValue>(number).is_ok() && number.trim() == number).then(|| number.to_owned())
}

fn is_name(text: &str) -> bool {
    is_key(text) && text.len() <= 64
}

fn is_key(text: &str) -> bool {
    let first = text.starts_with(|c: char| c.is_ascii_alphabetic());
    first && text.len() <= 64 && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
