//! What ends what in a dialect: each marker is inserted at each position in a message, and the message is read.
//!
//! | cell | the marker within data | the marker with what usually follows it |
//! |---|---|---|
//! | ends | ends the enclosing part | ends it |
//! | doubtful | has one effect | has another: what follows decides |
//! | data | is data | is data |
//! | stray | is dropped, and the enclosing part continues | |
//! | text | is text after the call | |
//! | breaks | leaves the call unfinished | leaves it unfinished |
//!
//! The cells are computed by the parser.

use std::sync::Arc;

use toml::de::{DeTable, DeValue};
use toolglot::{Collector, Dialect, Dialects, Message, Options, Parser, RenderError, Renderer, Rendering, Tools};
use toolglot_json::Value;

/// The text before a marker that is inserted into data.
const LEFT: &str = "zzleft";

const CALLS: [(&str, &str); 2] = [
    ("zz_one", r#"{"first": "zzleftzzright", "second": 7531, "third": "zzend"}"#),
    ("zz_two", r#"{"first": "zzlast", "second": 8642, "third": "zzend"}"#),
];

const TOOLS: &str = r#"[{"name": "zz_one", "parameters": {"type": "object", "properties": {"first": {"type": "string"},
    "second": {"type": "integer"}, "third": {"type": "string"}}}}, {"name": "zz_two", "parameters": {"type": "object",
    "properties": {"first": {"type": "string"}, "second": {"type": "integer"}, "third": {"type": "string"}}}}]"#;

/// The effect of an inserted marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    Data,
    Ends,
    Stray,
    Text,
    Breaks,
}

/// A dialect, and a message with two calls in it.
struct Probe {
    dialects: Dialects,
    tools: Tools,
    message: String,
}

/// Returns the table of a dialect: a row per position, a column per marker.
pub(crate) fn table(dialect: &Dialect) -> Result<String, String> {
    let dialect = Arc::new(dialect.clone());
    let tools = Tools::from_json_str(TOOLS).map_err(|error| error.to_string())?;
    let message = rendered(&dialect, &tools).map_err(|error| error.to_string())?;
    let markers = markers(dialect.source());
    let probe = Probe { dialects: [dialect].into_iter().collect(), tools, message };
    let mut lines = vec![vec![String::new()]];
    lines[0].extend(markers.iter().map(|(what, text)| format!("{what} `{}`", text.escape_debug())));
    for (place, at) in probe.places() {
        let mut cells = vec![place.to_owned()];
        cells.extend(markers.iter().map(|(_, marker)| probe.cell(place, at, marker).to_owned()));
        lines.push(cells);
    }
    lines.insert(1, vec!["---".to_owned(); lines[0].len()]);
    Ok(lines.iter().map(|cells| format!("| {} |\n", cells.join(" | "))).collect())
}

fn rendered(dialect: &Arc<Dialect>, tools: &Tools) -> Result<String, RenderError> {
    let renderer = Renderer::new(dialect, tools).with_check(false);
    let calls = CALLS.iter().fold(Rendering::new(), |all, (name, arguments)| all.with_call(name, arguments));
    let content = calls.clone().with_content("zzcontentzzcontent\n");
    let full = content.clone().with_reasoning("zzthoughtzzthought");
    renderer.render(&full).or_else(|_| renderer.render(&content)).or_else(|_| renderer.render(&calls))
}

impl Probe {
    /// Returns the positions in the message at which markers are inserted.
    fn places(&self) -> Vec<(&'static str, usize)> {
        let text = self.message.as_str();
        let inside = |word: &str, before: usize| text.find(word).map(|at| at + before);
        // The first call is closed between its last value and the second call's name.
        let after = text.find("zzend").map(|at| at + "zzend".len());
        let close = after.map(|at| at + text[at..].find(['}', ')']).filter(|end| *end < 4).map_or(0, |end| end + 1));
        let places = [
            ("string value", inside("zzleftzzright", LEFT.len())),
            ("bare word", inside("7531", 2)),
            ("after the body", close.filter(|at| Some(*at) > after)),
            ("between calls", self.between()),
            ("content", inside("zzcontentzzcontent", "zzcontent".len())),
            ("reasoning", inside("zzthoughtzzthought", "zzthought".len())),
        ];
        places.into_iter().filter_map(|(place, at)| Some((place, at?))).collect()
    }

    /// Returns where the second call begins.
    fn between(&self) -> Option<usize> {
        let (one, two) = (self.message.find("zz_one")?, self.message.find("zz_two")?);
        let end = self.message.find("zzend")?;
        let before = |at: usize, from: usize| self.message[from..at].bytes().rev();
        let alike = before(one, 0).zip(before(two, end)).take_while(|(a, b)| a == b).count();
        (two - alike..=two).find(|at| self.message.is_char_boundary(*at))
    }

    /// Returns the cell of a marker at a position.
    fn cell(&self, place: &str, at: usize, marker: &str) -> &'static str {
        let (before, after) = self.message.split_at(at);
        let amid = self.effect(place, marker, &format!("{before}{marker}{after}"));
        // It is followed by what follows it in the message; an opener is followed by the second call.
        let from = self.message[at..].find(marker).map(|found| at + found + marker.len());
        let opened = self.message.rfind(marker).map(|found| found + marker.len());
        let rest = from.or(opened).map_or("", |from| &self.message[from..]);
        let over = self.effect(place, marker, &format!("{before}{marker}{rest}"));
        match (amid, over) {
            (Effect::Stray, _) => "stray",
            (Effect::Data, Effect::Data | Effect::Stray) => "data",
            (Effect::Text, _) => "text",
            (Effect::Breaks, Effect::Breaks) => "breaks",
            (Effect::Ends, Effect::Ends) => "ends",
            _ => "doubtful",
        }
    }

    fn effect(&self, place: &str, marker: &str, text: &str) -> Effect {
        let message = self.read(text);
        let call = message.calls.iter().find(|call| call.name == CALLS[0].0);
        let key = if place == "bare word" { "second" } else { "first" };
        let value = call.and_then(|call| toolglot_json::from_str(&call.arguments).ok()).map(|all| all[key].clone());
        let received = match place {
            "content" => message.content,
            "reasoning" => message.reasoning,
            "string value" | "bare word" => match value {
                None => return Effect::Breaks,
                Some(Value::String(text)) => text,
                Some(other) => other.to_string(),
            },
            _ if call.is_none() => return Effect::Breaks,
            _ if message.content.contains(marker) => return Effect::Text,
            _ if message.calls.len() == CALLS.len() => return Effect::Stray,
            _ => return Effect::Ends,
        };
        let whole = ["zzleftzzright", "zzcontentzzcontent", "zzthoughtzzthought", "7531"];
        match () {
            () if received.contains(marker) => Effect::Data,
            () if whole.iter().any(|whole| received.contains(whole)) => Effect::Stray,
            () => Effect::Ends,
        }
    }

    fn read(&self, text: &str) -> Message {
        let options = Options::default();
        let mut parser = Parser::new(&self.dialects, &self.tools, &options);
        let mut collector = Collector::new(&options);
        collector.feed(&mut parser, text);
        collector.complete(&mut parser)
    }
}

/// Returns the first spelling of each marker of a dialect, with its role.
fn markers(source: &str) -> Vec<(&'static str, String)> {
    let table = DeTable::parse(source).map(toml::Spanned::into_inner).unwrap_or_default();
    let first = |value: &DeValue<'_>| match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Array(all) => all.iter().find_map(|it| it.get_ref().as_str().map(str::to_owned)),
        _ => None,
    };
    let spelled = |key: &str| {
        let mut pattern = table.get(key).and_then(|value| first(value.get_ref())).unwrap_or_default();
        if let Some(DeValue::Table(words)) = table.get("words").map(|words| words.get_ref()) {
            for (word, spellings) in words.iter() {
                let text = first(spellings.get_ref()).unwrap_or_default();
                pattern = pattern.replace(&format!("{{{}}}", word.get_ref()), &text);
            }
        }
        pattern.replace("{name}", "zz_two").replace("{key}", "third").replace("{type}", "string")
    };
    let mut all: Vec<(&'static str, String)> = Vec::new();
    for (key, opens, closes) in [
        ("param", "parameter", "its closer"),
        ("call", "call", "its closer"),
        ("section", "section", "its closer"),
        ("quote", "quote", ""),
    ] {
        let pattern = spelled(key);
        let (head, tail) =
            (pattern.split('{').next().unwrap_or_default(), pattern.rsplit('}').next().unwrap_or_default());
        let tail = if pattern.contains('}') { tail } else { "" };
        for (what, text) in [(opens, head), (closes, tail)] {
            let text = text.trim().to_owned();
            if !text.is_empty() && all.iter().all(|(_, other)| *other != text) {
                all.push((what, text));
            }
        }
    }
    all.extend([("tag", "</zz>".to_owned()), ("quote", "\"".to_owned())]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_that_writes_calls_has_a_table() {
        let tables = Dialects::builtin();
        let tables: Vec<String> = tables.iter().filter_map(|dialect| table(dialect).ok()).collect();
        assert!(tables.len() > 80, "{}", tables.len());
        for table in &tables {
            let wide = table.lines().map(|line| line.matches(" | ").count()).collect::<std::collections::BTreeSet<_>>();
            assert!(table.contains("| string value |") && wide.len() < 3, "{table}");
        }
    }

    #[test]
    fn a_marker_that_is_data_in_text_opens_nothing_there() {
        let builtin = Dialects::builtin();
        let table = builtin.get("qwen3_coder").map(|dialect| table(dialect));
        let table = table.and_then(Result::ok).unwrap_or_default();
        let row = |name: &str| table.lines().find(|line| line.starts_with(&format!("| {name} |"))).unwrap_or_default();
        assert!(row("content").starts_with("| content | data | data | doubtful |"), "{table}");
        assert!(row("string value").starts_with("| string value | ends | doubtful |"), "{table}");
    }
}
