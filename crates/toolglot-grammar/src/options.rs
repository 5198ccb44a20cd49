//! Options of grammars: which calls are required, how arguments are constrained, where the grammar begins.

use toolglot_json::Value;

/// Options for [`Grammar::new`](crate::Grammar::new).
///
/// # Example
/// ```
/// use toolglot_grammar::{GrammarOptions, GrammarToolChoice};
/// let options = GrammarOptions::new().with_tool_choice(GrammarToolChoice::Required).with_parallel(false);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct GrammarOptions {
    pub(crate) tool_choice: GrammarToolChoice,
    pub(crate) parallel: bool,
    pub(crate) reasoning: GrammarReasoning,
    pub(crate) arguments: ArgumentsLevel,
    pub(crate) spelling: MarkerSpelling,
    pub(crate) unsupported: UnsupportedKeywords,
    pub(crate) answer: Option<Value>,
    pub(crate) content: bool,
    pub(crate) tokens: Option<Vec<String>>,
}

/// Which calls the message contains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GrammarToolChoice {
    /// Text, calls, or both.
    #[default]
    Auto,
    /// At least one call.
    Required,
    /// At least one call, only to the tool with this name.
    Named(String),
    /// Text without calls.
    None,
}

/// Where the grammar begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrammarReasoning {
    /// At the answer: the engine applies the grammar after the reasoning, or the model does not reason.
    None,
    /// At the first token; the model may reason.
    #[default]
    Optional,
    /// Inside the reasoning; the prompt ends with its opening marker.
    Prefilled,
}

/// How arguments are constrained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentsLevel {
    /// Only markers and names are constrained, except for tools that declare `"strict": true`.
    Free,
    /// Arguments follow the schema of each tool.
    #[default]
    Schema,
}

/// Which spellings of markers a model may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkerSpelling {
    /// The first spelling of each word.
    #[default]
    Canonical,
    /// All spellings listed in the dialect's `words`.
    All,
}

/// How to handle schema keywords that grammars do not support.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnsupportedKeywords {
    /// Ignore them, with a warning for each.
    #[default]
    Lenient,
    /// Return an error.
    Strict,
}

impl Default for GrammarOptions {
    fn default() -> Self {
        Self {
            tool_choice: GrammarToolChoice::Auto,
            parallel: true,
            reasoning: GrammarReasoning::Optional,
            arguments: ArgumentsLevel::Schema,
            spelling: MarkerSpelling::Canonical,
            unsupported: UnsupportedKeywords::Lenient,
            answer: None,
            content: false,
            tokens: None,
        }
    }
}

impl GrammarOptions {
    /// Returns the defaults: text or calls, parallel calls allowed, arguments constrained to their schemas.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which calls the message contains.
    #[must_use]
    pub fn with_tool_choice(self, tool_choice: GrammarToolChoice) -> Self {
        Self { tool_choice, ..self }
    }

    /// Sets whether a message may contain several calls; the default is true.
    #[must_use]
    pub fn with_parallel(self, parallel: bool) -> Self {
        Self { parallel, ..self }
    }

    /// Sets where the grammar begins.
    #[must_use]
    pub fn with_reasoning(self, reasoning: GrammarReasoning) -> Self {
        Self { reasoning, ..self }
    }

    /// Sets how arguments are constrained.
    #[must_use]
    pub fn with_arguments(self, arguments: ArgumentsLevel) -> Self {
        Self { arguments, ..self }
    }

    /// Sets which spellings of markers the model may write.
    #[must_use]
    pub fn with_spelling(self, spelling: MarkerSpelling) -> Self {
        Self { spelling, ..self }
    }

    /// Sets how to handle schema keywords that grammars do not support.
    #[must_use]
    pub fn with_unsupported(self, unsupported: UnsupportedKeywords) -> Self {
        Self { unsupported, ..self }
    }

    /// Sets the schema for answers without calls: JSON instead of text, as with `response_format` in a request with tools.
    #[must_use]
    pub fn with_answer(self, answer: Option<Value>) -> Self {
        Self { answer, ..self }
    }

    /// Sets whether text may precede required calls; the default is false.
    #[must_use]
    pub fn with_content(self, content: bool) -> Self {
        Self { content, ..self }
    }

    /// Sets the literals that are single tokens in the model's vocabulary, if known. A warning names markers that are not
    /// in this list but must be a single token for an engine.
    #[must_use]
    pub fn with_tokens(self, tokens: Option<Vec<String>>) -> Self {
        Self { tokens, ..self }
    }
}
