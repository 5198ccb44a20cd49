//! Derives a dialect file from an example text and the calls that it contains.
//!
//! The example is split at the known parts: the tool's name and the arguments. The text between them is literal. A file
//! is returned only if it parses the example back.

use std::fmt;
use std::ops::Range;

use serde_json::{Value, json};

use crate::certify::prose_free;
use crate::dialect::{Dialect, Dialects};
use crate::options::Options;
use crate::parse;
use crate::render::json_tokens::JsonTokens;
use crate::tool::Tools;

mod body;

/// A text as a model wrote it, and the calls that it contains.
///
/// # Example
/// ```
/// use toolglot::{Dialect, Dialects, Example, Options, Tools, parse, sketch};
/// let example = Example::new("::ls:: {\"path\": \"/\"} ::end::").with_call("ls", r#"{"path": "/"}"#).with_strong(true);
/// let dialect = Dialect::from_toml("mine", &sketch("mine", &example)?)?;
/// let text = "Sure: ::cat:: {\"file\": \"a.txt\"} ::end::";
/// let message = parse(text, &Dialects::from(dialect), &Tools::default(), &Options::default());
/// assert_eq!((message.content.as_str(), message.calls[0].name.as_str()), ("Sure: ", "cat"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Example<'e> {
    text: &'e str,
    about: &'e str,
    calls: Vec<(&'e str, &'e str)>,
    strong: bool,
}

impl<'e> Example<'e> {
    /// Returns an example without calls.
    pub fn new(text: &'e str) -> Self {
        Self { text: text.trim(), about: "", calls: Vec::new(), strong: false }
    }

    /// Adds the next call in the text; `arguments` is the JSON text of an object, or blank for no arguments.
    #[must_use]
    pub fn with_call(mut self, name: &'e str, arguments: &'e str) -> Self {
        self.calls.push((name, arguments));
        self
    }

    /// Sets the description of the dialect, one sentence.
    #[must_use]
    pub fn with_about(self, about: &'e str) -> Self {
        Self { about, ..self }
    }

    /// Sets whether prose never contains the opener of the calls, so that a call may be in the middle of a line.
    #[must_use]
    pub fn with_strong(self, strong: bool) -> Self {
        Self { strong, ..self }
    }

    fn meant(&self) -> Result<Vec<Meant>, SketchError> {
        let read = |(name, arguments): &(&str, &str)| {
            let wrong = |why: String| SketchError::Arguments { call: (*name).to_owned(), why };
            let json = if arguments.trim().is_empty() { "{}" } else { arguments };
            match serde_json::from_str(json) {
                Ok(arguments @ Value::Object(_)) => {
                    let keys = JsonTokens::object(json).map_or_else(
                        |_| Vec::new(),
                        |tokens| tokens.members().map(|(key, _)| key.to_owned()).collect(),
                    );
                    Ok(Meant { name: (*name).to_owned(), arguments, keys })
                }
                Ok(_) => Err(wrong("must be a JSON object".to_owned())),
                Err(error) => Err(wrong(format!("are not valid JSON: {error}"))),
            }
        };
        self.calls.iter().map(read).collect()
    }
}

/// The error for an example from which no dialect file can be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SketchError {
    /// A call's arguments are not a JSON object.
    Arguments {
        /// The tool's name.
        call: String,
        /// What is wrong.
        why: String,
    },
    /// The text does not contain a call's name and arguments.
    NotFound,
    /// No pattern reads the text back.
    Unread {
        /// The file that comes closest.
        nearest: String,
        /// What it parses instead.
        why: String,
    },
}

impl fmt::Display for SketchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments { call, why } => {
                write!(f, "the arguments of `{call}` {why}; write an object such as {{\"key\": \"value\"}}")
            }
            Self::NotFound => f.write_str(
                "the example does not contain this name and these arguments; pass the text exactly as the model wrote \
                 it, and the call it means",
            ),
            Self::Unread { nearest, why } => {
                write!(f, "no pattern reads the example back; the nearest attempt:\n\n{nearest}\n  {why}")
            }
        }
    }
}

impl std::error::Error for SketchError {}

/// A call of the example, with its arguments parsed.
struct Meant {
    name: String,
    arguments: Value,
    /// The arguments' keys in their original order, which a map does not keep.
    keys: Vec<String>,
}

/// A call in the example: the positions of its name and its body, and the kind of the body.
struct Found {
    name: Range<usize>,
    body: Range<usize>,
    kind: body::FoundBody,
}

/// Returns the text of a dialect file `name` that parses an example into its calls.
///
/// # Errors
/// If the arguments are not JSON objects, if the text does not contain them, or if no file parses it back.
pub fn sketch(name: &str, example: &Example<'_>) -> Result<String, SketchError> {
    let meant = example.meant()?;
    let mut nearest = None;
    for kind in body::KINDS {
        let Some(found) = find_all(example.text, &meant, *kind) else { continue };
        for source in files(example, &found) {
            let source = if example.strong { strengthened(name, source) } else { source };
            match reads(name, &source, example.text, &meant) {
                Ok(()) => return Ok(source),
                Err(why) => nearest = nearest.or(Some(SketchError::Unread { nearest: source, why })),
            }
        }
    }
    Err(nearest.unwrap_or(SketchError::NotFound))
}

fn find_all(text: &str, meant: &[Meant], find: body::Find) -> Option<Vec<Found>> {
    let (mut found, mut at) = (Vec::new(), 0);
    for call in meant {
        let next = find(text, at, call)?;
        at = next.name.end.max(next.body.end);
        found.push(next);
    }
    Some(found)
}

/// The files to try: with a section around several calls, and without.
fn files(example: &Example<'_>, found: &[Found]) -> Vec<String> {
    let text = example.text;
    let [first, ..] = found else { return Vec::new() };
    let start = |call: &Found| call.name.start.min(call.body.start);
    let end = |call: &Found| call.name.end.max(call.body.end);
    let (before, after) = (&text[..start(first)], &text[end(found.last().unwrap_or(first))..]);
    let between = found.get(1).map(|second| &text[end(first)..start(second)]);
    let mut files = Vec::new();
    let mut add = |section: Option<(&str, &str)>, open: &str, close: &str, join: Option<&str>| {
        let call = format!("{}{}{}", escaped(open), inner(text, first), escaped(close));
        let mut lines = vec![format!("about   = {}", quoted(example.about))];
        if let Some((open, close)) = section {
            lines.push(format!("section = {}", quoted(&format!("{}{{calls}}{}", escaped(open), escaped(close)))));
        }
        lines.push(format!("call    = {}", quoted(&call)));
        lines.extend(first.kind.lines());
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

/// Declares the opener of the calls as strong: prose never contains it.
pub(crate) fn strengthened(name: &str, source: String) -> String {
    let Ok(dialect) = Dialect::from_toml(name, &source) else { return source };
    let markers: Vec<String> = prose_free(&dialect).iter().map(|marker| quoted(marker)).collect();
    if markers.is_empty() {
        return source;
    }
    let line = format!("strong  = [{}]\n", markers.join(", "));
    let rows = source.split_inclusive('\n');
    rows.map(
        |row| {
            if row.starts_with("call ") || row.starts_with("call=") { format!("{line}{row}") } else { row.to_owned() }
        },
    )
    .collect()
}

/// Checks that a file parses the example into its calls.
fn reads(file: &str, source: &str, text: &str, meant: &[Meant]) -> Result<(), String> {
    let dialect = Dialect::from_toml(file, source).map_err(|error| error.to_string())?;
    let declared: Vec<Value> = meant.iter().map(|call| json!({"name": call.name})).collect();
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
mod tests;
