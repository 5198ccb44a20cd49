//! Facts that a server's chat template gives about its answers: the dialect of the calls, what the prompt opens, what ends a turn.

use std::sync::Arc;

use serde::Serialize;
use toolglot::{Dialect, Dialects};

/// What a chat template was proved to write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TemplateFacts {
    /// The dialect.
    pub dialect: String,
    /// How well it fits: `A`, `B` or `C`.
    pub grade: String,
    /// The dialect's file, if it was derived from the template.
    #[serde(skip)]
    pub file: Option<String>,
    /// What the prompt opens for the model.
    pub prefill: String,
    /// What ends a turn.
    pub ends: Vec<String>,
    /// Whether the calls are found among all dialects; otherwise only this one is read.
    pub found_by_auto: bool,
}

/// Reads a chat template, given as JSON with `chat_template` and perhaps tokens, or says why it cannot.
///
/// A template is a program from a stranger: whoever runs it limits its steps and its memory.
pub type ReadTemplate = fn(&str) -> Result<TemplateFacts, String>;

/// What is known of a server's template.
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

    /// The dialects to read with: this one first, or alone where the others would take its calls for something else.
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
