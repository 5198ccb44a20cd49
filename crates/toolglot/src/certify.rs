//! What a dialect can express: two calls with a value of every type are rendered and parsed back, and whatever is lost
//! is listed.

use std::sync::Arc;

use crate::dialect::{Dialect, Dialects, Literal, Pattern, Spelling};
use crate::message::Message;
use crate::options::Options;
use crate::parse;
use crate::render::{RenderError, Renderer, Rendering};
use crate::tool::Tools;

/// What a dialect can express; the result of [`certify`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Certificate {
    /// Two calls as the dialect writes them, or the reason why it cannot write even a string.
    pub example: Result<String, String>,
    /// Defects to fix: the kinds of values that do not parse back, each with the reason.
    pub lost: Vec<String>,
    /// Behaviour that works but may be surprising.
    pub warnings: Vec<String>,
}

/// A kind of value, how its parameter is declared, and a value of it.
const KINDS: [(&str, &str, &str); 12] = [
    ("a string", r#"{"type": "string"}"#, r#""Paris""#),
    ("an empty string", r#"{"type": "string"}"#, r#""""#),
    ("a string with spaces around it", r#"{"type": "string"}"#, r#"" padded ""#),
    ("a string with line breaks", r#"{"type": "string"}"#, r#""one\ntwo""#),
    ("a string with quotes and brackets", r#"{"type": "string"}"#, r#""say \"hi\", {a: [1]} <b>""#),
    ("a string that looks like a number", r#"{"type": "string"}"#, r#""42""#),
    ("an integer", r#"{"type": "integer"}"#, "3"),
    ("a number", r#"{"type": "number"}"#, "0.5"),
    ("a boolean", r#"{"type": "boolean"}"#, "true"),
    ("null", r#"{"type": ["string", "null"]}"#, "null"),
    ("an array", r#"{"type": "array", "items": {"type": "string"}}"#, r#"["a", "b"]"#),
    ("an object", r#"{"type": "object", "properties": {"n": {"type": "integer"}}}"#, r#"{"n": 1}"#),
];

/// Tests a dialect: renders two calls with a value of every kind and parses them back, each kind alone and then all that
/// survive together.
///
/// # Example
/// ```
/// use toolglot::{Dialect, certify};
/// let lossy = Dialect::from_toml("mine", "call = '<f {name}>{params}</f>'\nparam = '<{key}>{value}<b>'")?;
/// let found = certify(&lossy);
/// assert!(found.example.is_ok_and(|text| text.contains("<city>Paris<b>")));
/// assert!(found.lost[0].starts_with("a string with quotes and brackets: "));
/// # Ok::<(), toolglot::DialectError>(())
/// ```
pub fn certify(dialect: &Dialect) -> Certificate {
    let dialect = Arc::new(dialect.clone());
    let lost: Vec<String> =
        KINDS.iter().filter_map(|kind| Some(format!("{}: {}", kind.0, trip(&dialect, &[kind]).err()?))).collect();
    let carried: Vec<_> = KINDS.iter().filter(|kind| trip(&dialect, &[kind]).is_ok()).collect();
    let example = match &lost[..] {
        [first, ..] if carried.is_empty() => Err(format!("no kind of value round-trips, not even {first}")),
        _ => trip(&dialect, &carried),
    };
    let warnings = match &example {
        Ok(text) => warnings(&dialect, text, &carried),
        Err(_) => closes_too(&dialect).into_iter().collect(),
    };
    Certificate { example, lost, warnings }
}

/// Explains a strong marker that also closes calls and is a prefix of the call's opener: at the opener, the parser first
/// reads the strong closer, as one that closes nothing.
fn closes_too(dialect: &Dialect) -> Option<String> {
    let plain = |literal: &Literal| literal.spellings.iter().map(Spelling::plain).collect::<Vec<_>>();
    let openers: Vec<String> = dialect.calls.iter().filter_map(Pattern::opening).flat_map(plain).collect();
    let closers = dialect.calls.iter().flat_map(|call| &call.tail).flat_map(plain);
    let closers = closers.map(|closer| closer.trim().to_owned()).filter(|closer| !closer.is_empty());
    closers.into_iter().find_map(|closer| {
        let marker = dialect.strong.iter().find(|marker| closer.contains(marker.as_str()))?;
        let opener = openers.iter().map(|opener| opener.trim()).find(|opener| opener.starts_with(&closer))?;
        let advice = match opener == closer {
            true => "remove it from `strong`".to_owned(),
            false => format!("list the whole opener instead: `strong = [{opener:?}]`"),
        };
        Some(format!(
            "the strong marker `{marker}` also closes the call, so the call's opener is taken for a closer; {advice}"
        ))
    })
}

/// Writes two calls with values of these kinds and reads them back; returns the text, or what went wrong.
fn trip(dialect: &Arc<Dialect>, kinds: &[&(&str, &str, &str)]) -> Result<String, String> {
    let arguments = arguments(kinds);
    let message = Rendering::new().with_call(NAMES[0], &arguments).with_call(NAMES[1], &arguments);
    Renderer::new(dialect, &tools(kinds)).render(&message).map_err(|error| match error {
        RenderError::Inexpressible { what, why, .. } => format!("{what}: {why}"),
        error => error.to_string(),
    })
}

const NAMES: [&str; 2] = ["get_weather", "read_note"];

fn arguments(kinds: &[&(&str, &str, &str)]) -> String {
    let members: Vec<String> =
        kinds.iter().zip(KEYS).map(|((_, _, value), key)| format!("\"{key}\": {value}")).collect();
    format!("{{{}}}", members.join(", "))
}

const KEYS: [&str; 12] =
    ["city", "empty", "padded", "text", "quote", "code", "days", "ratio", "exact", "nothing", "tags", "options"];

fn tools(kinds: &[&(&str, &str, &str)]) -> Tools {
    let members: Vec<String> =
        kinds.iter().zip(KEYS).map(|((_, schema, _), key)| format!("\"{key}\": {schema}")).collect();
    let parameters = format!(r#"{{"type": "object", "properties": {{{}}}}}"#, members.join(", "));
    let declared = NAMES.map(|name| format!(r#"{{"name": "{name}", "parameters": {parameters}}}"#)).join(", ");
    Tools::from_json_str(&format!("[{declared}]")).unwrap_or_default()
}

/// Returns what a file could declare strong: its weak openers up to their first white space, except for brackets and words.
fn markers(dialect: &Dialect) -> Vec<String> {
    let first = |opener: &String| Some(opener.split_whitespace().next()?.to_owned());
    let is_marker = |text: &String| {
        text.len() > 2
            && text.contains(|c: char| c.is_alphanumeric() || !c.is_ascii())
            && text.contains(|c: char| !c.is_alphanumeric() && c != '"')
    };
    let mut markers: Vec<String> = dialect.weak_openers().iter().filter_map(first).filter(is_marker).collect();
    markers.dedup();
    markers
}

/// Returns what a file declares strong if its author says that prose contains none of its openers.
pub(crate) fn prose_free(dialect: &Dialect) -> Vec<String> {
    let openers = dialect.weak_openers();
    let words = openers.iter().filter_map(|opener| opener.split_whitespace().next());
    let mut markers: Vec<String> =
        words.filter(|word| !word.chars().all(|c| "{}[]()\"'".contains(c))).map(str::to_owned).collect();
    markers.dedup();
    markers
}

/// Returns warnings for users of the dialect.
fn warnings(dialect: &Arc<Dialect>, text: &str, kinds: &[&(&str, &str, &str)]) -> Vec<String> {
    let (alone, tools) = ([Arc::clone(dialect)].into_iter().collect::<Dialects>(), tools(kinds));
    let read = |text: &str, dialects: &Dialects, tools: &Tools| parse(text, dialects, tools, &Options::default());
    let is_read = |message: &Message| message.calls.len() == NAMES.len();
    let mut warnings = Vec::new();
    let weak = dialect.weak_openers();
    if !weak.is_empty() && !is_read(&read(&format!("Let me look. {text}"), &alone, &tools)) {
        let shown = weak.iter().map(|opener| format!("`{opener}`")).collect::<Vec<_>>().join(", ");
        let list = markers(dialect).iter().map(|marker| format!("{marker:?}")).collect::<Vec<_>>().join(", ");
        let advice =
            if list.is_empty() { String::new() } else { format!("; if prose never does, add `strong = [{list}]`") };
        warnings.push(format!("prose may contain {shown}, so a call in the middle of a line is not read{advice}"));
    }
    if !is_read(&read(text, &alone, &Tools::default())) {
        warnings.push("calls are read only if their tools are declared (`--tools`)".to_owned());
    }
    let all = Dialects::builtin().with((**dialect).clone());
    let winner = read(text, &all, &tools).dialect;
    if winner.as_deref() != Some(dialect.name()) {
        let winner = winner.map_or("no dialect".to_owned(), |name| format!("`{name}`"));
        warnings.push(format!(
            "next to the built-in dialects, {winner} reads this text first; select this dialect with `--dialect`"
        ));
    }
    warnings
}
