//! Chat templates, and the model files that contain them.

use std::fmt;

use minijinja::Value;
use toolglot_json::Value as Json;

/// A chat template: its source, and the tokens of the tokenizer.
///
/// # Example
/// ```
/// use toolglot_template::Template;
/// let config = r#"{"chat_template": "{{ bos_token }}{{ messages[0].content }}", "bos_token": {"content": "<s>"}}"#;
/// let template = Template::from_config(config)?;
/// assert!(template.source().starts_with("{{ bos_token }}"));
/// # Ok::<(), toolglot_template::TemplateError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Template {
    source: String,
    tokens: Vec<(String, String)>,
    special: Vec<String>,
}

/// Why a file contains no usable template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// The file is not JSON.
    NotJson(String),
    /// The file has no chat template.
    Missing,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson(why) => write!(f, "invalid JSON: {why}"),
            Self::Missing => f.write_str(
                "the file has no `chat_template`; newer models have it in `chat_template.jinja` in the same folder",
            ),
        }
    }
}

impl std::error::Error for TemplateError {}

impl Template {
    /// Creates a template from its Jinja source.
    pub fn new(source: impl Into<String>) -> Self {
        Self { source: source.into(), tokens: Vec::new(), special: Vec::new() }
    }

    /// Reads the template and the tokens of a `tokenizer_config.json`, a `chat_template.json` or a server's properties.
    ///
    /// If there are several named templates, `tool_use` takes precedence, then `default`.
    ///
    /// # Errors
    /// If the text is not valid JSON or contains no template.
    pub fn from_config(text: &str) -> Result<Self, TemplateError> {
        let config: Json = toolglot_json::from_str(text).map_err(|error| TemplateError::NotJson(error.to_string()))?;
        let source = chosen(&config["chat_template"]).ok_or(TemplateError::Missing)?;
        Ok(Self::new(source).with_tokenizer(&config))
    }

    /// Adds the tokens of a `tokenizer_config.json` or a `tokenizer.json`.
    #[must_use]
    pub fn with_tokenizer(mut self, config: &Json) -> Self {
        for name in ["bos_token", "eos_token", "pad_token", "unk_token"] {
            if let Some(token) = config[name].as_str().or(config[name]["content"].as_str()) {
                self.tokens.push((name.to_owned(), token.to_owned()));
            }
        }
        let listed = config["added_tokens"].as_array().into_iter().flatten();
        let decoded = config["added_tokens_decoder"].as_object().into_iter().flat_map(toolglot_json::Map::values);
        self.special.extend(listed.chain(decoded).filter_map(|token| Some(token["content"].as_str()?.to_owned())));
        self
    }

    /// Returns the Jinja source.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns the tokens added to the tokenizer's vocabulary, if known.
    pub fn special(&self) -> &[String] {
        &self.special
    }

    /// Returns the variables of every rendering: tokens and the switches that templates use.
    pub(crate) fn globals(&self) -> Vec<(String, Value)> {
        let mut globals: Vec<(String, Value)> = DEFAULT_TOKENS
            .iter()
            .filter(|(name, _)| !self.tokens.iter().any(|(known, _)| known == name))
            .map(|(name, token)| ((*name).to_owned(), Value::from(*token)))
            .collect();
        globals.extend(self.tokens.iter().map(|(name, token)| (name.clone(), Value::from(token.as_str()))));
        globals.extend(SWITCHES.iter().map(|(name, on)| ((*name).to_owned(), Value::from(*on))));
        globals.extend(TEXTS.iter().map(|(name, text)| ((*name).to_owned(), Value::from(*text))));
        globals
    }
}

/// Defaults for unknown tokens.
const DEFAULT_TOKENS: [(&str, &str); 2] = [("bos_token", "<s>"), ("eos_token", "</s>")];

/// Switches that make templates write everything, in particular the reasoning of all turns.
const SWITCHES: [(&str, bool); 7] = [
    ("enable_thinking", true),
    ("thinking", true),
    ("preserve_thinking", true),
    ("keep_past_thinking", true),
    ("clear_thinking", false),
    ("truncate_history_thinking", false),
    ("drop_thinking", false),
];

/// Dates, and the reasoning effort.
const TEXTS: [(&str, &str); 3] =
    [("date_string", "05 Mar 2026"), ("datetime", "2026-03-05 12:00:00"), ("reasoning_effort", "high")];

/// Returns the template, or the one for tools if there are several.
fn chosen(template: &Json) -> Option<String> {
    if let Some(text) = template.as_str() {
        return Some(text.to_owned());
    }
    let named = |wanted: &str| template.as_array()?.iter().find(|one| one["name"] == wanted)?["template"].as_str();
    let first = || template.as_array()?.first()?["template"].as_str();
    named("tool_use").or_else(|| named("default")).or_else(first).map(str::to_owned)
}
