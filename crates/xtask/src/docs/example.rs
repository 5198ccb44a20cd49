//! An example of a dialect: what the renderer writes for a message with two calls.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, Message, Options, Renderer, Rendering, Tools, parse};

const TOOLS: &str = r#"[
    {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}},
    {"name": "read_note", "parameters": {"type": "object", "properties": {"title": {"type": "string"}}}}
]"#;

const REASONING: &str = "Two look-ups will do.";
const CONTENT: &str = "Let me look.";
const CALLS: [(&str, &str); 2] =
    [("get_weather", r#"{"city": "Paris", "days": 3}"#), ("read_note", r#"{"title": "a < b"}"#)];

/// What a dialect writes for two calls.
#[derive(Clone, Debug)]
pub(super) struct Example {
    /// The message as a model would write it, or why the dialect cannot.
    pub(super) text: Result<String, String>,
    /// Whether the dialect has a place for reasoning.
    pub(super) reasoning: bool,
    /// How much the calls' markers prove.
    pub(super) evidence: Evidence,
}

/// How much a dialect's markers prove.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    Strong,
    Weak,
    Tag,
}

impl Example {
    /// Makes the example of a dialect.
    pub(super) fn of(dialect: &Arc<Dialect>) -> Self {
        let said = Rendering::new().with_content(CONTENT);
        let thought = render(dialect, said.clone().with_reasoning(REASONING));
        let reasoning = thought.is_ok();
        Self { text: thought.or_else(|_| render(dialect, said)), reasoning, evidence: evidence(dialect) }
    }

    /// Says what the message of the example is.
    pub(super) fn meaning(&self) -> String {
        let reasoning = if self.reasoning { format!("reasoning `{REASONING}`, ") } else { String::new() };
        let calls = CALLS.map(|(name, arguments)| format!("`{name}({arguments})`")).join(" and ");
        format!("{reasoning}text `{CONTENT}`, calls {calls}")
    }
}

fn render(dialect: &Arc<Dialect>, said: Rendering<'_>) -> Result<String, String> {
    let message = CALLS.iter().fold(said, |message, (name, arguments)| message.with_call(name, arguments));
    Renderer::new(dialect, &tools()).render(&message).map_err(|error| error.to_string())
}

/// Reads the calls alone, with strong evidence only.
fn evidence(dialect: &Arc<Dialect>) -> Evidence {
    let text = render(dialect, Rendering::new()).unwrap_or_default();
    let strict = Options::default().with_evidence(toolglot::Evidence::Strict);
    if text.contains("<get_weather") {
        Evidence::Tag
    } else if read(dialect, &text, &strict).calls.len() == CALLS.len() {
        Evidence::Strong
    } else {
        Evidence::Weak
    }
}

fn read(dialect: &Arc<Dialect>, text: &str, options: &Options) -> Message {
    parse(text, &[Arc::clone(dialect)].into_iter().collect::<Dialects>(), &tools(), options)
}

fn tools() -> Tools {
    Tools::from_json_str(TOOLS).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_can_say_the_example() {
        let dialects = Dialects::builtin();
        let wrong = dialects
            .iter()
            .filter_map(|dialect| Example::of(dialect).text.err().map(|error| format!("{}: {error}", dialect.name())));
        let wrong: Vec<String> = wrong.collect();
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
