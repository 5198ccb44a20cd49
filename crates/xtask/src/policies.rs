//! What the examples of `docs/policies.md` share.

pub use toolglot::*;

/// Two tools: `ls` takes anything, `get_weather` takes a city (a string, required) and days (an integer).
const TOOLS: &str = r#"[{"name": "ls"}, {"name": "get_weather", "parameters": {"type": "object", "required": ["city"],
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}]"#;

/// Reads a text with the two tools declared.
pub fn read(text: &str, options: Options) -> Message {
    parse(text, &Dialects::builtin(), &Tools::from_json_str(TOOLS).unwrap_or_default(), &options)
}
