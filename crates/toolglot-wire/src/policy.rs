//! Settings for a model: dialects, engine, reasoning field, limits.

use std::str::FromStr;
use std::sync::Arc;

use toolglot::{Dialect, Dialects, OptionError, Options};

use crate::engine::EngineKind;
use crate::fault::{Fault, FaultKind};

/// Settings for the requests of a model; every setting has a default, and `with_…` changes one.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The dialects to read; all built-in dialects by default.
    pub(crate) dialects: Dialects,
    pub(crate) options: Options,
    pub(crate) engine: EngineKind,
    pub(crate) reasoning_field: ReasoningField,
    pub(crate) reasoning_item: ReasoningItem,
    pub(crate) upstream_model: Option<String>,
    /// The dialect of tools in the prompt, if they are in the prompt.
    pub(crate) prompt: Option<Arc<Dialect>>,
    /// Whether required calls may be prefilled.
    pub(crate) prefill: bool,
    /// Whether the server may be asked for JSON of a schema.
    pub(crate) schema: bool,
    pub(crate) enforce: Enforce,
    /// Whether a grammar may be sent.
    pub(crate) grammar: bool,
    /// The dialect that the model writes natively, if known.
    pub(crate) native: Option<Arc<Dialect>>,
    /// Whether the prompt opens the reasoning.
    pub(crate) prefilled: bool,
    pub(crate) forced: bool,
    /// Whether text is passed on without looking for calls.
    pub(crate) off: bool,
    pub(crate) ids: HistoryIds,
    pub(crate) duplicates: Duplicates,
    pub(crate) limits: WireLimits,
}

/// The field for reasoning in answers to chat clients.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are the fields that clients read")]
pub enum ReasoningField {
    /// `reasoning_content`, as in most servers.
    #[default]
    ReasoningContent,
    /// `reasoning`, as in newer vLLM, Ollama and OpenRouter.
    Reasoning,
    /// Both, with the same text.
    Both,
}

/// The field of a reasoning item for Responses clients, if the server uses another protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these two")]
pub enum ReasoningItem {
    /// `summary`, which agents and SDKs show and send back in the next request.
    #[default]
    Summary,
    /// `content`, as `reasoning_text`: more accurate, but most clients hide it and do not send it back.
    Text,
}

/// What a grammar enforces, if the server accepts one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforce {
    /// Nothing; the answer is only checked.
    #[default]
    Off,
    /// Calls that `tool_choice` requires, and a single call if `parallel_tool_calls` is false; arguments are not enforced.
    Choice,
    /// Everything that the request asks for: the choice, the arguments of tools with `"strict": true`, and
    /// `response_format` with tools.
    Auto,
    /// As `Auto`, and the arguments of all tools.
    Strict,
}

/// How to write the ids of earlier calls for the model server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryIds {
    /// Unchanged.
    #[default]
    Kept,
    /// Nine letters and digits, derived from the client's id; Mistral's templates reject anything else.
    Nine,
    /// `functions.NAME:N`, numbered through the conversation; Kimi models were trained on these.
    Counted,
}

/// The names of a setting's values.
macro_rules! names {
    ($type:ident, $what:literal: $($variant:ident = $name:literal),+) => {
        impl $type {
            /// The names of all values.
            pub const NAMES: &[&str] = &[$($name),+];
        }

        impl FromStr for $type {
            type Err = OptionError;

            fn from_str(text: &str) -> Result<Self, OptionError> {
                match text {
                    $($name => Ok(Self::$variant),)+
                    _ => Err(OptionError::unknown($what, text, Self::NAMES)),
                }
            }
        }
    };
}

names!(ReasoningField, "reasoning field": ReasoningContent = "reasoning_content", Reasoning = "reasoning", Both = "both");
names!(HistoryIds, "id format": Kept = "kept", Nine = "nine", Counted = "counted");

/// How to treat a native call that the server sends twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Duplicates {
    /// Merge it into one call; the diagnostic `duplicate_call` counts it.
    #[default]
    Once,
    /// Keep both, as sent by the server.
    Keep,
}

/// Limits on what a client or a model server may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireLimits {
    pub(crate) line: usize,
    pub(crate) event: usize,
    pub(crate) body: usize,
    pub(crate) held: usize,
    pub(crate) arguments: usize,
    pub(crate) calls: usize,
}

impl Policy {
    /// Sets the dialects to read.
    #[must_use]
    pub fn with_dialects(self, dialects: Dialects) -> Self {
        Self { dialects, ..self }
    }

    /// Sets how calls are read and validated.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// Sets the server program.
    #[must_use]
    pub fn with_engine(self, engine: EngineKind) -> Self {
        Self { engine, ..self }
    }

    /// Returns the server program.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// Sets the field for reasoning in answers to chat clients.
    #[must_use]
    pub fn with_reasoning_field(self, reasoning_field: ReasoningField) -> Self {
        Self { reasoning_field, ..self }
    }

    /// Sets the field of a reasoning item for Responses clients.
    #[must_use]
    pub fn with_reasoning_item(self, reasoning_item: ReasoningItem) -> Self {
        Self { reasoning_item, ..self }
    }

    /// Sets the model's name at the server, if it differs.
    #[must_use]
    pub fn with_upstream_model(self, upstream_model: Option<String>) -> Self {
        Self { upstream_model, ..self }
    }

    /// Sets the dialect for tools, calls and results in the prompt, for a server without tools; the answer is also read in it.
    #[must_use]
    pub fn with_prompt(self, prompt: Option<Arc<Dialect>>) -> Self {
        Self { prompt, ..self }
    }

    /// Sets whether to prefill a call that `tool_choice` requires, in prompt mode and if the server continues it. The model then
    /// skips reasoning.
    #[must_use]
    pub fn with_prefill(self, prefill: bool) -> Self {
        Self { prefill, ..self }
    }

    /// Sets whether to ask for JSON of a schema if a model did not make the call that `tool_choice` requires, in prompt mode.
    #[must_use]
    pub fn with_schema(self, schema: bool) -> Self {
        Self { schema, ..self }
    }

    /// Sets what a grammar enforces while the server samples.
    #[must_use]
    pub fn with_enforce(self, enforce: Enforce) -> Self {
        Self { enforce, ..self }
    }

    /// Sets whether a grammar may be sent; clear it if the server has rejected one.
    #[must_use]
    pub fn with_grammar(self, grammar: bool) -> Self {
        Self { grammar, ..self }
    }

    /// Sets the dialect that the model writes natively, if known, for grammars.
    #[must_use]
    pub fn with_native(self, native: Option<Arc<Dialect>>) -> Self {
        Self { native, ..self }
    }

    /// Sets whether the prompt opens the reasoning, so that grammars start inside it.
    #[must_use]
    pub fn with_prefilled(self, prefilled: bool) -> Self {
        Self { prefilled, ..self }
    }

    /// Returns the dialects to read.
    pub fn dialects(&self) -> &Dialects {
        &self.dialects
    }

    /// Sets whether to parse text for calls even if the request declares no tools.
    #[must_use]
    pub fn with_forced(self, forced: bool) -> Self {
        Self { forced, ..self }
    }

    /// Sets whether to pass on text without looking for calls; protocols are still converted.
    #[must_use]
    pub fn with_off(self, off: bool) -> Self {
        Self { off, ..self }
    }

    /// Sets how to write the ids of earlier calls for the model server.
    #[must_use]
    pub fn with_ids(self, ids: HistoryIds) -> Self {
        Self { ids, ..self }
    }

    /// Sets how to treat a native call whose arguments the server sends twice.
    #[must_use]
    pub fn with_duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(self, limits: WireLimits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the limits.
    pub fn limits(&self) -> &WireLimits {
        &self.limits
    }
}

impl Default for WireLimits {
    fn default() -> Self {
        Self { line: 8 << 20, event: 16 << 20, body: 64 << 20, held: 1 << 20, arguments: 16 << 20, calls: 256 }
    }
}

impl WireLimits {
    /// Sets the bytes of one line of a stream; 8 MiB by default.
    #[must_use]
    pub fn with_line(self, line: usize) -> Self {
        Self { line, ..self }
    }

    /// Sets the bytes of one event of a stream; 16 MiB by default.
    #[must_use]
    pub fn with_event(self, event: usize) -> Self {
        Self { event, ..self }
    }

    /// Sets the bytes of a whole body; 64 MiB by default.
    #[must_use]
    pub fn with_body(self, body: usize) -> Self {
        Self { body, ..self }
    }

    /// Sets the bytes held back while a call is open; 1 MiB by default.
    #[must_use]
    pub fn with_held(self, held: usize) -> Self {
        Self { held, ..self }
    }

    /// Sets the bytes of arguments of native calls that wait for another call to end; 16 MiB by default.
    #[must_use]
    pub fn with_arguments(self, arguments: usize) -> Self {
        Self { arguments, ..self }
    }

    /// Sets the number of calls in an answer, beyond which calls are dropped; 256 by default.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }

    pub(crate) fn is_too_much_held(&self, bytes: usize) -> bool {
        bytes > self.held
    }

    /// Returns the error of a server that sends too much while a call is open.
    pub(crate) fn held_fault(&self) -> Fault {
        too_much("text while a call was open", self.held, "held")
    }

    /// Returns the error of a server that sends too much of parallel calls.
    pub(crate) fn arguments_fault(&self) -> Fault {
        too_much("arguments of other calls while one was open", self.arguments, "arguments")
    }

    /// Returns the maximum bytes of a whole body.
    pub fn body(&self) -> usize {
        self.body
    }
}

fn too_much(what: &str, most: usize, limit: &str) -> Fault {
    let message = format!("the model server sent more than {most} bytes of {what} (`limits.{limit}`)");
    Fault::new(FaultKind::Upstream, message).with_code("upstream_held_too_large")
}
