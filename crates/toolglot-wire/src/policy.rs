//! Settings for a model: dialects, engine, reasoning field, limits.

use std::str::FromStr;
use std::sync::Arc;

use toolglot::{Dialect, Dialects, OptionError, Options};

use crate::engine::EngineKind;
use crate::fault::{Fault, FaultKind};

/// Declares settings with a `with_…` for each.
macro_rules! settings {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[doc = $sets:literal])+ $with:ident($field:ident: $kind:ty);)+ }) => {
        $(#[$about])*
        pub struct $name {
            $(pub(crate) $field: $kind,)+
        }

        impl $name {
            $(
                $(#[doc = $sets])+
                #[must_use]
                pub fn $with(self, $field: $kind) -> Self {
                    Self { $field, ..self }
                }
            )+
        }
    };
}

settings! {
    /// Settings for the requests of a model; every setting has a default, and `with_…` changes one.
    #[derive(Clone, Debug, Default)]
    pub struct Policy {
        /// Sets the dialects to read; all built-in dialects by default.
        with_dialects(dialects: Dialects);
        /// Sets how calls are read and validated.
        with_options(options: Options);
        /// Sets the server program.
        with_engine(engine: EngineKind);
        /// Sets the field for reasoning in answers to chat clients.
        with_reasoning_field(reasoning_field: ReasoningField);
        /// Sets the field of a reasoning item for Responses clients.
        with_reasoning_item(reasoning_item: ReasoningItem);
        /// Sets the model's name at the server, if it differs.
        with_upstream_model(upstream_model: Option<String>);
        /// Sets the dialect for tools, calls and results in the prompt, for a server without tools; the answer is also read
        /// in it.
        with_prompt(prompt: Option<Arc<Dialect>>);
        /// Sets whether to prefill a call that `tool_choice` requires, in prompt mode and if the server continues it. The
        /// model then skips reasoning.
        with_prefill(prefill: bool);
        /// Sets whether to ask for JSON of a schema if a model did not make the call that `tool_choice` requires, in prompt
        /// mode.
        with_schema(schema: bool);
        /// Sets what a grammar enforces while the server samples.
        with_enforce(enforce: Enforce);
        /// Sets whether a grammar may be sent; clear it if the server has rejected one.
        with_grammar(grammar: bool);
        /// Sets the dialect that the model writes natively, if known, for grammars.
        with_native(native: Option<Arc<Dialect>>);
        /// Sets whether the prompt opens the reasoning, so that grammars start inside it.
        with_prefilled(prefilled: bool);
        /// Sets whether to parse text for calls even if the request declares no tools.
        with_forced(forced: bool);
        /// Sets whether to pass on text without looking for calls; protocols are still converted.
        with_off(off: bool);
        /// Sets how to write the ids of earlier calls for the model server.
        with_ids(ids: HistoryIds);
        /// Sets how to treat a native call whose arguments the server sends twice.
        with_duplicates(duplicates: Duplicates);
        /// Sets the limits.
        with_limits(limits: WireLimits);
    }
}

settings! {
    /// Limits on what a client or a model server may send.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct WireLimits {
        /// Sets the bytes of one line of a stream; 8 MiB by default.
        with_line(line: usize);
        /// Sets the bytes of one event of a stream; 16 MiB by default.
        with_event(event: usize);
        /// Sets the bytes of a whole body; 64 MiB by default.
        with_body(body: usize);
        /// Sets the bytes held back while a call is open; 1 MiB by default.
        with_held(held: usize);
        /// Sets the bytes of arguments of native calls that wait for another call to end; 16 MiB by default.
        with_arguments(arguments: usize);
        /// Sets the number of calls in an answer, beyond which calls are dropped; 256 by default.
        with_calls(calls: usize);
    }
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

impl Policy {
    /// Returns the server program.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// Returns the dialects to read.
    pub fn dialects(&self) -> &Dialects {
        &self.dialects
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
