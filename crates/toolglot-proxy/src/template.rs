//! Facts about a server's answers from its chat template: the dialect, the prefill, and the ends of a turn.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toolglot::{Dialect, Dialects};

/// Facts about the messages that a chat template writes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct TemplateFacts {
    /// The dialect of the calls.
    pub dialect: String,
    /// How well it fits: `A`, `B` or `C`.
    pub grade: String,
    /// The dialect's file, if it was derived from the template.
    #[serde(skip)]
    pub file: Option<String>,
    /// The text that the prompt prefills, such as an opening reasoning marker.
    pub prefill: String,
    /// The texts that end a turn.
    pub ends: Vec<String>,
    /// Whether `auto` detects the dialect; otherwise only this dialect must be read.
    pub found_by_auto: bool,
}

/// Evaluates a chat template, given as JSON with `chat_template` and optionally tokens; the error says why it cannot.
///
/// Templates are untrusted code: implementations must limit their steps and their memory.
pub type ReadTemplate = fn(&str) -> Result<TemplateFacts, String>;

/// The facts about a server's template, and its dialect.
pub(crate) struct Learned {
    facts: TemplateFacts,
    dialect: Arc<Dialect>,
}

impl Learned {
    pub(crate) fn new(facts: TemplateFacts) -> Option<Self> {
        let dialect = match &facts.file {
            Some(file) => Arc::new(Dialect::from_toml("template", file).ok()?),
            None => Arc::clone(Dialects::builtin().get(&facts.dialect)?),
        };
        Some(Self { facts, dialect })
    }

    /// Returns the dialects to read: this one first, or alone if other dialects would misread its calls.
    pub(crate) fn dialects(&self, known: &Dialects) -> Dialects {
        if !self.facts.found_by_auto {
            return [Arc::clone(&self.dialect)].into_iter().collect();
        }
        known.with((*self.dialect).clone())
    }

    pub(crate) fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&self.dialect)
    }

    pub(crate) fn opens_reasoning(&self) -> bool {
        !self.facts.prefill.is_empty()
    }
}
