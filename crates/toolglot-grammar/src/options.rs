//! What a grammar is made for: which calls are demanded, how far arguments are held, what stands before them.

use toolglot_json::Value;

/// Choices for [`Grammar::new`](crate::Grammar::new).
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

/// Which calls the message has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GrammarToolChoice {
    /// Text, calls, or both.
    #[default]
    Auto,
    /// At least one call.
    Required,
    /// Calls of the tool of this name, at least one.
    Named(String),
    /// Text without calls.
    None,
}

/// Where the grammar begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GrammarReasoning {
    /// Where the answer begins: the engine applies the grammar behind the reasoning, or there is none.
    None,
    /// At the first token, where the model may reason.
    #[default]
    Optional,
    /// Inside the reasoning, which the prompt has opened.
    Prefilled,
}

/// How far arguments are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ArgumentsLevel {
    /// Only markers and names, but for tools that declare `"strict": true`.
    Free,
    /// The schema of each tool.
    #[default]
    Schema,
}

/// Which spellings of markers a model may write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MarkerSpelling {
    /// The first of each word.
    #[default]
    Canonical,
    /// All that the dialect's words list.
    All,
}

/// What becomes of a keyword of a schema that no grammar holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UnsupportedKeywords {
    /// It is left out, with a warning that names it.
    #[default]
    Lenient,
    /// It is an error.
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
    /// Returns the defaults: text or calls, several at once, arguments as their schemas say.
    pub fn new() -> Self {
        Self::default()
    }

    /// Which calls the message has.
    #[must_use]
    pub fn with_tool_choice(self, tool_choice: GrammarToolChoice) -> Self {
        Self { tool_choice, ..self }
    }

    /// Whether a message may have several calls; it may unless this says otherwise.
    #[must_use]
    pub fn with_parallel(self, parallel: bool) -> Self {
        Self { parallel, ..self }
    }

    /// Where the grammar begins.
    #[must_use]
    pub fn with_reasoning(self, reasoning: GrammarReasoning) -> Self {
        Self { reasoning, ..self }
    }

    /// How far arguments are held.
    #[must_use]
    pub fn with_arguments(self, arguments: ArgumentsLevel) -> Self {
        Self { arguments, ..self }
    }

    /// Which spellings of markers the model may write.
    #[must_use]
    pub fn with_spelling(self, spelling: MarkerSpelling) -> Self {
        Self { spelling, ..self }
    }

    /// What becomes of keywords that no grammar holds.
    #[must_use]
    pub fn with_unsupported(self, unsupported: UnsupportedKeywords) -> Self {
        Self { unsupported, ..self }
    }

    /// The schema of an answer without calls: JSON instead of text, as `response_format` demands beside tools.
    #[must_use]
    pub fn with_answer(self, answer: Option<Value>) -> Self {
        Self { answer, ..self }
    }

    /// Whether text may stand before calls that are demanded; it may not unless this says so.
    #[must_use]
    pub fn with_content(self, content: bool) -> Self {
        Self { content, ..self }
    }

    /// The literals that are single tokens of the model's vocabulary, if the caller knows: markers outside this list are
    /// warned about where an engine needs one token.
    #[must_use]
    pub fn with_tokens(self, tokens: Option<Vec<String>>) -> Self {
        Self { tokens, ..self }
    }
}
