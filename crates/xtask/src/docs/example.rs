//! An example of a dialect: its first patterns with two calls in their holes.

use toml::de::{DeTable, DeValue};
use toolglot::{Dialect, Dialects, Message, Options, Tools, parse};

const TOOLS: &str = r#"[
    {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}},
    {"name": "read_note", "parameters": {"type": "object", "properties": {"title": {"type": "string"}}}}
]"#;

/// The calls of every example: tool, parameter, value.
const CALLS: [Call; 2] = [
    Call { name: "get_weather", key: "city", value: "Paris", id: "a1b2c3d4e", index: 0 },
    Call { name: "read_note", key: "title", value: "a < b", id: "f5g6h7i8j", index: 1 },
];

/// What a dialect writes for two calls.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// The text as a model would write it.
    pub(super) text: String,
    /// How much its markers prove.
    pub(super) evidence: Evidence,
}

/// How much a dialect's markers prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    Strong,
    Weak,
    Tag,
}

struct Call {
    name: &'static str,
    key: &'static str,
    value: &'static str,
    id: &'static str,
    index: usize,
}

impl Example {
    /// Makes the example of a dialect.
    pub(super) fn of(dialect: &Dialect) -> Self {
        // The dialect was loaded from this very text.
        let table = DeTable::parse(dialect.source()).map(toml::Spanned::into_inner).unwrap_or_default();
        let file = File(&table);
        let text = file.message();
        let strict = Options::default().with_evidence(toolglot::Evidence::Strict);
        let evidence = match file.first("call") {
            Some(call) if call.starts_with("<{name}") => Evidence::Tag,
            _ if read(dialect, &text, &strict).calls.len() == CALLS.len() => Evidence::Strong,
            _ => Evidence::Weak,
        };
        Self { text, evidence }
    }

    /// Says what the calls of every example are.
    pub(super) fn meaning(&self) -> String {
        CALLS.map(|call| format!("`{}({})`", call.name, call.arguments())).join(" and ")
    }
}

fn read(dialect: &Dialect, text: &str, options: &Options) -> Message {
    let tools = Tools::from_json_str(TOOLS).unwrap_or_default();
    parse(text, &Dialects::from(dialect.clone()), &tools, options)
}

impl Call {
    fn arguments(&self) -> String {
        format!("{{\"{}\": \"{}\"}}", self.key, self.value)
    }
}

/// A dialect's file.
struct File<'t>(&'t DeTable<'t>);

impl<'t> File<'t> {
    /// Returns the first of a key's texts.
    fn first(&self, key: &str) -> Option<&'t str> {
        first(self.0.get(key)?.get_ref())
    }

    /// Returns the first text of a key in a table of the file.
    fn inner(&self, table: &str, key: &str) -> Option<&'t str> {
        first(self.0.get(table)?.get_ref().get(key)?.get_ref())
    }

    fn message(&self) -> String {
        let section = self.first("section").unwrap_or("{calls}");
        let calls = CALLS.iter().map(|call| self.fill(self.first("call").unwrap_or_default(), call, ""));
        if self.first("one").is_some() {
            return calls
                .zip(&CALLS)
                .map(|(text, call)| self.fill(section, call, &text))
                .collect::<Vec<_>>()
                .join("\n");
        }
        let join = self.first("join").unwrap_or("\n");
        self.fill(section, &CALLS[0], &calls.collect::<Vec<_>>().join(join))
    }

    /// Fills the holes of a pattern.
    fn fill(&self, pattern: &str, call: &Call, calls: &str) -> String {
        let (mut text, mut rest) = (String::new(), pattern);
        while let Some(at) = rest.find(['{', '}']) {
            text += &rest[..at];
            let brace = &rest[at..=at];
            rest = &rest[at + 1..];
            if let Some(after) = rest.strip_prefix(brace) {
                text += brace;
                rest = after;
            } else if let Some((hole, after)) = rest.split_once('}') {
                text += &self.hole(hole.split(':').next().unwrap_or_default(), call, calls);
                rest = after;
            }
        }
        text + rest
    }

    fn hole(&self, hole: &str, call: &Call, calls: &str) -> String {
        let Call { name, key, value, id, index } = call;
        let quote = self.first("quote").unwrap_or("\"");
        match hole {
            "name" | "_" => (*name).to_owned(),
            "index" => index.to_string(),
            "id" => self.first("id").map_or_else(|| (*id).to_owned(), |id| self.fill(id, call, "")),
            "key" => (*key).to_owned(),
            "value" | "tree" | "content" => (*value).to_owned(),
            "type" => self.inner("types", "string").unwrap_or("string").to_owned(),
            "arguments" => call.arguments(),
            "call" => self.object(call),
            "calls" => calls.to_owned(),
            "params" => self.fill(self.first("param").unwrap_or_default(), call, ""),
            "kwargs" => format!("{key}=\"{value}\""),
            "object" => format!("{{{key}:{quote}{value}{quote}}}"),
            word => self.inner("words", word).unwrap_or_default().to_owned(),
        }
    }

    /// The JSON object of a whole call.
    fn object(&self, call: &Call) -> String {
        let member = |key| self.inner("json", key).unwrap_or(key);
        let id = self.inner("json", "id").map(|id| format!("\"{id}\": \"{}\", ", call.id)).unwrap_or_default();
        let arguments = call.arguments();
        format!("{{{id}\"{}\": \"{}\", \"{}\": {arguments}}}", member("name"), call.name, member("arguments"))
    }
}

fn first<'t>(value: &'t DeValue<'t>) -> Option<&'t str> {
    match value {
        DeValue::Array(values) => first(values.first()?.get_ref()),
        value => value.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> serde_json::Value {
        serde_json::from_str(text).expect("arguments are JSON")
    }

    /// Says what is wrong with a dialect's example.
    fn wrong(dialect: &Dialect) -> Option<String> {
        let example = Example::of(dialect);
        let message = read(dialect, &example.text, &Options::default());
        let found = message.calls.iter().map(|call| (call.name.as_str(), json(&call.arguments)));
        let same = found.eq(CALLS.iter().map(|call| (call.name, json(&call.arguments()))));
        let wrong = !same || !message.diagnostics.is_empty() || !message.content.trim().is_empty();
        wrong.then(|| format!("{}: {}\n{message:#?}", dialect.name(), example.text))
    }

    #[test]
    fn every_example_is_read_as_the_calls_it_shows() {
        let dialects = Dialects::builtin();
        let wrong: Vec<String> = dialects.iter().filter_map(|dialect| wrong(dialect)).collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
