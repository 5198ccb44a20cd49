//! What is parsed: messages of a given kind, dialect and length, and what they say.

use std::ops::Range;

use serde_json::{Value, json};
use toolglot::{Dialects, Renderer, Rendering, Tools};

/// Prose that nobody wrote as an answer of a model, an answer in Markdown with code, the code alone, and a page of tags.
const CORPORA: [(&str, &str); 4] = [
    ("plain", include_str!("../corpora/plain.txt")),
    ("markdown", include_str!("../corpora/markdown.txt")),
    ("code", include_str!("../corpora/code.txt")),
    ("html", include_str!("../corpora/html.txt")),
];

/// A message to read, how, and what a reader is to find.
pub(crate) struct Job {
    pub(crate) dialect: String,
    pub(crate) text: String,
    /// The text in the pieces in which it arrives; none if it is there at once and the whole message is asked for.
    pub(crate) pieces: Option<Vec<String>>,
    /// What a reader is to find; none where only the time counts.
    pub(crate) meant: Option<Found>,
}

/// What a reader found: text for the user, and calls with their arguments as JSON text.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) text: String,
    pub(crate) calls: Vec<(String, String)>,
}

impl Job {
    /// Returns the job that five words describe: kind, dialect, corpus, size and chunk (bytes, `whole` or `complete`).
    pub(crate) fn new(words: &[String]) -> Result<Self, String> {
        let [kind, dialect, corpus, size, chunk] = words else {
            return Err("a job is KIND DIALECT CORPUS SIZE CHUNK".to_owned());
        };
        let size = size.parse().map_err(|_| "SIZE is a number".to_owned())?;
        let (text, meant) = match kind.as_str() {
            "call" => certain(call(dialect, &[arguments(corpus, size)])?),
            "calls" => certain(call(dialect, &vec![arguments(corpus, 100); size])?),
            "prose" => certain((data(corpus, size), Found { text: data(corpus, size), calls: Vec::new() })),
            "hostile" => crate::hostile::message(dialect, corpus, size)?,
            _ => return Err(format!("no messages are of kind `{kind}`")),
        };
        let pieces = match chunk.as_str() {
            "complete" => None,
            "whole" => Some(vec![text.clone()]),
            bytes => Some(pieces(&text, bytes.parse().map_err(|_| "CHUNK is a number".to_owned())?, &tokens(dialect))),
        };
        Ok(Self { dialect: dialect.clone(), text, pieces, meant })
    }
}

/// Returns a message about whose meaning there is no doubt.
pub(crate) fn certain((text, meant): (String, Found)) -> (String, Option<Found>) {
    (text, Some(meant))
}

/// Returns a corpus again and again, up to a length; it neither begins nor ends with white space.
pub(crate) fn data(corpus: &str, bytes: usize) -> String {
    let unit = CORPORA.iter().find(|known| known.0 == corpus).map_or(CORPORA[0].1, |found| found.1);
    let mut data = unit.repeat(bytes / unit.len() + 1);
    data.truncate(data.floor_char_boundary(bytes));
    data.truncate(data.trim_end().len());
    data
}

/// Returns the arguments of one call of `write`.
pub(crate) fn arguments(corpus: &str, bytes: usize) -> String {
    let content = Value::from(data(corpus, bytes));
    format!("{{\"path\": \"notes/week.txt\", \"content\": {content}}}")
}

/// Returns the tools that are declared.
pub(crate) fn tools() -> Value {
    let text = json!({"type": "string"});
    json!([{"type": "function", "function": {"name": "write", "parameters": {
        "type": "object",
        "properties": {"path": text, "content": text},
        "required": ["path", "content"],
    }}}])
}

/// Returns the message in which a model that speaks the dialect makes these calls of `write`.
pub(crate) fn call(dialect: &str, arguments: &[String]) -> Result<(String, Found), String> {
    let all = Dialects::builtin();
    let dialect = all.get(dialect).ok_or_else(|| format!("no dialect is called `{dialect}`"))?;
    let tools = Tools::from_json(&tools()).map_err(|error| error.to_string())?;
    let message = arguments.iter().fold(Rendering::new(), |message, call| message.with_call("write", call));
    let text = Renderer::new(dialect, &tools).with_check(false).render(&message).map_err(|error| error.to_string())?;
    let calls = arguments.iter().map(|call| ("write".to_owned(), call.clone())).collect();
    Ok((text, Found { text: String::new(), calls }))
}

/// Cuts a text into pieces of so many bytes, or more where a character or one of the literals in `whole` would be torn.
pub(crate) fn pieces(text: &str, bytes: usize, whole: &[String]) -> Vec<String> {
    let mut kept: Vec<Range<usize>> = whole
        .iter()
        .flat_map(|literal| text.match_indices(literal.as_str()))
        .map(|(at, found)| at..at + found.len())
        .collect();
    kept.sort_by_key(|range| range.start);
    let mut kept = kept.into_iter().peekable();
    let mut pieces = Vec::with_capacity(text.len() / bytes + 1);
    let mut from = 0;
    while from < text.len() {
        let mut cut = text.ceil_char_boundary(from.saturating_add(bytes).min(text.len()));
        while let Some(literal) = kept.next_if(|literal| literal.start < cut) {
            cut = cut.max(literal.end);
        }
        pieces.push(text[from..cut].to_owned());
        from = cut;
    }
    pieces
}

/// Returns the literals that are single tokens of a dialect's models, which a server passes on in one piece.
fn tokens(dialect: &str) -> Vec<String> {
    Dialects::builtin().get(dialect).map(|dialect| dialect.special().to_vec()).unwrap_or_default()
}

impl Found {
    /// Says what is wrong in `self` where something else was meant.
    pub(crate) fn differs_from(&self, meant: &Self) -> Option<String> {
        if self.calls.len() != meant.calls.len() {
            return Some(format!("finds {} calls of {}", self.calls.len(), meant.calls.len()));
        }
        let wrong = self.calls.iter().zip(&meant.calls).find_map(|(found, meant)| differing_call(found, meant));
        // Around calls some readers keep the line breaks between markers and some do not; both are right.
        let around = !meant.calls.is_empty();
        let same = if around { self.text.trim() == meant.text.trim() } else { self.text == meant.text };
        wrong.or_else(|| (!same).then(|| format!("gives other text: {}", first_difference(&self.text, &meant.text))))
    }
}

fn differing_call(found: &(String, String), meant: &(String, String)) -> Option<String> {
    if found.0 != meant.0 {
        return Some(format!("names the tool `{}`", found.0));
    }
    let read = |text: &str| serde_json::from_str::<Value>(text);
    let (Ok(arguments), Ok(expected)) = (read(&found.1), read(&meant.1)) else {
        return Some("gives arguments that are no JSON".to_owned());
    };
    if arguments == expected {
        return None;
    }
    let (Value::Object(arguments), Value::Object(expected)) = (arguments, expected) else {
        return Some("gives arguments that are no object".to_owned());
    };
    let (key, value) = expected.iter().find(|(key, value)| arguments.get(*key) != Some(*value))?;
    Some(match (arguments.get(key), value) {
        (Some(Value::String(found)), Value::String(meant)) => {
            format!("alters values: {}", first_difference(found, meant))
        }
        (Some(found), _) => format!("makes a value of another type: `{}`", excerpt(&found.to_string())),
        (None, _) => "loses parameters".to_owned(),
    })
}

/// Shows the place where two texts part.
fn first_difference(found: &str, meant: &str) -> String {
    let same = found.bytes().zip(meant.bytes()).take_while(|(found, meant)| found == meant).count();
    let from = meant.floor_char_boundary(same.saturating_sub(8));
    let show = |text: &str| excerpt(text.get(from..).unwrap_or_default());
    format!("`{}` for `{}`", show(found), show(meant))
}

/// Returns the beginning of a text, fit for a line of Markdown.
fn excerpt(text: &str) -> String {
    text.chars().take(20).collect::<String>().escape_debug().to_string().replace('`', "'").replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_reader_got_wrong_is_said() {
        let (text, meant) = call("hermes", &[arguments("plain", 100)]).unwrap();
        assert!(text.starts_with("<tool_call>\n{\"name\": \"write\""));
        let with = |calls: Vec<(String, String)>| Found { text: String::new(), calls }.differs_from(&meant);
        let write = |arguments: &str| vec![("write".to_owned(), arguments.to_owned())];
        assert_eq!(with(meant.calls.clone()), None);
        assert_eq!(with(Vec::new()).unwrap(), "finds 0 calls of 1");
        assert_eq!(with(write("{")).unwrap(), "gives arguments that are no JSON");
        assert_eq!(with(write("{}")).unwrap(), "loses parameters");
        let altered = with(write(&meant.calls[0].1.replace("harbour", "harbor"))).unwrap();
        assert_eq!(altered, "alters values: `he harbor at the end` for `he harbour at the en`");
    }

    #[test]
    fn pieces_are_the_text() {
        let text = "Zoë → <tool> 日本";
        let cut = |bytes: usize| pieces(text, bytes, &["<tool>".to_owned()]);
        for bytes in [1, 4, 64, usize::MAX] {
            assert_eq!(cut(bytes).concat(), text);
        }
        assert_eq!(cut(4), ["Zoë", " →", " <tool>", " 日", "本"]);
    }
}
