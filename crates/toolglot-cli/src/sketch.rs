//! `toolglot dialects new`: makes a dialect file out of an example text and the calls that it means.
//!
//! The example is cut at what is known: the tool's name, the arguments. What stands between is literal. The file is only
//! given out if it reads the example back.

use serde_json::Value;
use toolglot::{Dialect, Dialects, Options, Tools, parse};

mod body;

/// A call that an example means.
pub(crate) struct Meant {
    pub(crate) name: String,
    /// The arguments, a JSON object.
    pub(crate) arguments: Value,
}

/// A call in the example: where its name stands, where its body does, and what the body is.
struct Found {
    name: std::ops::Range<usize>,
    body: std::ops::Range<usize>,
    kind: body::Kind,
}

/// Returns the text of a dialect file, or why none can be made.
pub(crate) fn sketch(file: &str, about: &str, text: &str, meant: &[Meant]) -> Result<String, String> {
    let text = text.trim();
    let mut tried = Vec::new();
    for kind in body::KINDS {
        let Some(found) = find_all(text, meant, *kind) else { continue };
        for source in files(about, text, &found) {
            match reads(file, &source, text, meant) {
                Ok(()) => return Ok(source),
                Err(why) => tried.push(format!("{source}\n  {why}")),
            }
        }
    }
    match tried.first() {
        None => Err(NOT_FOUND.to_owned()),
        Some(first) => Err(format!("no pattern reads the example back; the nearest attempt:\n\n{first}")),
    }
}

const NOT_FOUND: &str = "the example does not contain this name and these arguments; pass the text exactly as the model wrote it, and the call it means";

fn find_all(text: &str, meant: &[Meant], kind: body::Find) -> Option<Vec<Found>> {
    let (mut found, mut at) = (Vec::new(), 0);
    for call in meant {
        let next = kind(text, at, call)?;
        at = next.name.end.max(next.body.end);
        found.push(next);
    }
    Some(found)
}

/// The files to try: with a section around several calls, and without.
fn files(about: &str, text: &str, found: &[Found]) -> Vec<String> {
    let [first, ..] = found else { return Vec::new() };
    let start = |call: &Found| call.name.start.min(call.body.start);
    let end = |call: &Found| call.name.end.max(call.body.end);
    let (before, after) = (&text[..start(first)], &text[end(found.last().unwrap_or(first))..]);
    let between = found.get(1).map(|second| &text[end(first)..start(second)]);
    let mut files = Vec::new();
    let mut add = |section: Option<(&str, &str)>, open: &str, close: &str, join: Option<&str>| {
        let call = format!("{}{}{}", escaped(open), inner(text, first), escaped(close));
        let mut lines = vec![format!("about   = {}", quoted(about))];
        if let Some((open, close)) = section {
            lines.push(format!("section = {}", quoted(&format!("{}{{calls}}{}", escaped(open), escaped(close)))));
        }
        lines.push(format!("call    = {}", quoted(&call)));
        lines.extend(first.kind.lines(text));
        lines.extend(join.filter(|join| *join != "\n").map(|join| format!("join    = {}", quoted(join))));
        files.push(lines.join("\n") + "\n");
    };
    match between {
        None => add(None, before, after, None),
        Some(between) => {
            let common = common_end(before, between);
            // A call's opener begins on its own line if it can.
            let line = common.rfind('\n').map(|at| &common[at + 1..]).filter(|open| !open.is_empty());
            for open in line.into_iter().chain([common]) {
                let close = common_start(after, &between[..between.len() - open.len()]).trim_end();
                let join = &between[close.len()..between.len() - open.len()];
                let (outer, rest) = (&before[..before.len() - open.len()], &after[close.len()..]);
                if outer.trim().is_empty() && rest.trim().is_empty() {
                    add(None, open.trim_start(), close, Some(join));
                } else {
                    add(Some((outer, rest)), open, close, Some(join));
                }
            }
        }
    }
    files
}

/// A call's pattern from its name to its body, whichever comes first.
fn inner(text: &str, call: &Found) -> String {
    if call.body.start <= call.name.start && call.name.end <= call.body.end {
        return call.kind.hole().to_owned();
    }
    if call.name.end <= call.body.start {
        let between = escaped(&text[call.name.end..call.body.start]);
        return format!("{{name}}{between}{}", call.kind.hole());
    }
    let between = escaped(&text[call.body.end..call.name.start]);
    format!("{}{between}{{name}}", call.kind.hole())
}

/// Checks that a file reads the example as it is meant.
fn reads(file: &str, source: &str, text: &str, meant: &[Meant]) -> Result<(), String> {
    let dialect = Dialect::from_toml(file, source).map_err(|error| error.to_string())?;
    let declared: Vec<Value> = meant.iter().map(|call| serde_json::json!({"name": call.name})).collect();
    let tools = Tools::from_json(&Value::Array(declared)).map_err(|error| error.to_string())?;
    let message = parse(text, &Dialects::from(dialect), &tools, &Options::default());
    let same = message.calls.len() == meant.len()
        && message.calls.iter().zip(meant).all(|(call, meant)| {
            call.name == meant.name
                && serde_json::from_str::<Value>(&call.arguments).is_ok_and(|read| read == meant.arguments)
        });
    if same && message.content.trim().is_empty() {
        return Ok(());
    }
    let calls = message.calls.iter().map(|call| format!("{}({})", call.name, call.arguments)).collect::<Vec<_>>();
    Err(format!("it reads {}", if calls.is_empty() { "no call".to_owned() } else { calls.join(", ") }))
}

/// Braces of literals are doubled.
fn escaped(literal: &str) -> String {
    literal.replace('{', "{{").replace('}', "}}")
}

/// A TOML string.
fn quoted(text: &str) -> String {
    let is_plain = !text.contains(['\'', '\n', '\r', '\t']) && text.contains(['"', '\\']);
    if is_plain { format!("'{text}'") } else { Value::from(text).to_string() }
}

fn common_start<'t>(a: &'t str, b: &str) -> &'t str {
    let length = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    &a[..length]
}

fn common_end<'t>(a: &'t str, b: &str) -> &'t str {
    let length: usize =
        a.chars().rev().zip(b.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    &a[a.len() - length..]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(text: &str, calls: &[(&str, Value)]) -> String {
        let meant: Vec<Meant> = calls
            .iter()
            .map(|(name, arguments)| Meant { name: (*name).to_owned(), arguments: arguments.clone() })
            .collect();
        sketch("mine", "Mine.", text, &meant).unwrap_or_else(|why| panic!("{text}: {why}"))
    }

    #[test]
    fn every_kind_of_body_is_found() {
        let one = json!({"city": "Paris", "days": 3});
        for (text, call) in [
            ("<<call:weather {\"city\": \"Paris\", \"days\": 3}>>", "<<call:{name} {arguments}>>"),
            (
                "@@run {\"tool\": \"weather\", \"input\": {\"city\": \"Paris\", \"days\": 3}} @@end",
                "@@run {call} @@end",
            ),
            ("#weather(city=\"Paris\", days=3)#", "#{name}({kwargs})#"),
            ("<<weather>>\n[city]Paris[/city]\n[days]3[/days]\n<<end>>", "<<{name}>>\n{params}<<end>>"),
            ("%weather%\ncity: Paris\ndays: 3\n%%", "%{name}%\n{lines}\n%%"),
        ] {
            let made = made(text, &[("weather", one.clone())]);
            assert!(made.contains(&call.replace('\n', "\\n")), "{text} gave\n{made}");
        }
    }

    #[test]
    fn two_calls_tell_the_section_from_the_call() {
        let text = "<<begin>>\n<<call:a {\"x\": 1}>>\n<<call:b {\"y\": 2}>>\n<<end>>";
        let made = made(text, &[("a", json!({"x": 1})), ("b", json!({"y": 2}))]);
        assert!(made.contains("section = \"<<begin>>\\n{calls}\\n<<end>>\""), "{made}");
        assert!(made.contains("call    = \"<<call:{name} {arguments}>>\""), "{made}");
    }

    #[test]
    fn what_is_not_there_is_said() {
        let meant = [Meant { name: "a".to_owned(), arguments: json!({"x": 1}) }];
        assert_eq!(sketch("mine", "", "nothing of it", &meant), Err(NOT_FOUND.to_owned()));
    }
}
