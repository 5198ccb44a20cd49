//! What the operator of a proxy decides for a model: dialects, engine, reasoning field, limits.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, Options};

use crate::engine::EngineKind;
use crate::fault::{Fault, FaultKind};

/// What is decided for the requests of one model; every field has a default, `with_…` changes one.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    /// The dialects that text is read in; all that are built in unless told otherwise.
    pub(crate) dialects: Dialects,
    pub(crate) options: Options,
    pub(crate) engine: EngineKind,
    pub(crate) reasoning_field: ReasoningField,
    pub(crate) reasoning_item: ReasoningItem,
    pub(crate) upstream_model: Option<String>,
    /// The tools are written into the prompt in this dialect.
    pub(crate) prompt: Option<Arc<Dialect>>,
    /// A call that is demanded may be begun for the model.
    pub(crate) prefill: bool,
    /// The server may be asked for an answer of a schema.
    pub(crate) schema: bool,
    pub(crate) enforce: Enforce,
    /// The server may be asked to hold its model to a grammar.
    pub(crate) grammar: bool,
    /// The dialect that the model is known to write where tools are not in the prompt.
    pub(crate) native: Option<Arc<Dialect>>,
    /// The prompt opens the reasoning.
    pub(crate) prefilled: bool,
    pub(crate) forced: bool,
    /// Text stays text, and the server is asked for nothing that its markers would need.
    pub(crate) off: bool,
    pub(crate) ids: HistoryIds,
    pub(crate) duplicates: Duplicates,
    pub(crate) limits: WireLimits,
}

/// In which field a chat client finds reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "these are the fields that clients read")]
pub enum ReasoningField {
    /// `reasoning_content`, as most servers name it.
    #[default]
    ReasoningContent,
    /// `reasoning`, as newer vLLM, Ollama and OpenRouter name it.
    Reasoning,
    /// Both, with the same text.
    Both,
}

/// In which field of a reasoning item a Responses client finds reasoning that the server sent in another protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the protocol has these two")]
pub enum ReasoningItem {
    /// `summary`: the one that agents and SDKs show, and send back in the next request.
    #[default]
    Summary,
    /// `content`, as `reasoning_text`: truer, but most clients hide it and do not send it back.
    Text,
}

/// What a server is asked to hold its model to, where it takes a grammar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enforce {
    /// Nothing; the answer is checked.
    #[default]
    Off,
    /// Calls that `tool_choice` demands, and one call where `parallel_tool_calls` is false; their arguments are free.
    Choice,
    /// All that the request asks for: the choice, the arguments of tools that declare `"strict": true`, and a
    /// `response_format` beside tools.
    Auto,
    /// The same, and the arguments of all tools.
    Strict,
}

/// How the ids of earlier calls are written for the model server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum HistoryIds {
    /// As the client wrote them.
    #[default]
    Kept,
    /// Nine letters and digits, made from the client's id; Mistral's templates refuse anything else.
    Nine,
    /// `functions.NAME:N`, counted through the conversation; Kimi models were trained on these.
    Counted,
}

/// What becomes of a native call that the server sends twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Duplicates {
    /// It is one call; the diagnostic `duplicate_call` counts it.
    #[default]
    Once,
    /// As the server sent it.
    Keep,
}

/// Bounds on what a client or a model server may send.
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
    /// The dialects that text is read in.
    #[must_use]
    pub fn with_dialects(self, dialects: Dialects) -> Self {
        Self { dialects, ..self }
    }

    /// How calls are read and checked.
    #[must_use]
    pub fn with_options(self, options: Options) -> Self {
        Self { options, ..self }
    }

    /// What serves the model.
    #[must_use]
    pub fn with_engine(self, engine: EngineKind) -> Self {
        Self { engine, ..self }
    }

    /// Returns what serves the model.
    pub fn engine(&self) -> EngineKind {
        self.engine
    }

    /// In which field chat clients find reasoning.
    #[must_use]
    pub fn with_reasoning_field(self, reasoning_field: ReasoningField) -> Self {
        Self { reasoning_field, ..self }
    }

    /// In which field of an item Responses clients find reasoning.
    #[must_use]
    pub fn with_reasoning_item(self, reasoning_item: ReasoningItem) -> Self {
        Self { reasoning_item, ..self }
    }

    /// The model's name at the server, where the client uses another.
    #[must_use]
    pub fn with_upstream_model(self, upstream_model: Option<String>) -> Self {
        Self { upstream_model, ..self }
    }

    /// The dialect in which tools, calls and results are written into the prompt, for a server without tools; the answer is
    /// read in it, too.
    #[must_use]
    pub fn with_prompt(self, prompt: Option<Arc<Dialect>>) -> Self {
        Self { prompt, ..self }
    }

    /// Whether the proxy may begin a call that `tool_choice` demands for the model, in prompt mode and where the server goes
    /// on with it. A model that reasons does not reason then.
    #[must_use]
    pub fn with_prefill(self, prefill: bool) -> Self {
        Self { prefill, ..self }
    }

    /// Whether the server may be asked for JSON of a schema where a model made no call that `tool_choice` demands, in prompt
    /// mode.
    #[must_use]
    pub fn with_schema(self, schema: bool) -> Self {
        Self { schema, ..self }
    }

    /// What the server is asked to hold its model to while it samples.
    #[must_use]
    pub fn with_enforce(self, enforce: Enforce) -> Self {
        Self { enforce, ..self }
    }

    /// Whether the server may be asked for that: it may not if it has refused.
    #[must_use]
    pub fn with_grammar(self, grammar: bool) -> Self {
        Self { grammar, ..self }
    }

    /// The dialect that the model is known to write where tools are not in the prompt, so that it can be held to it.
    #[must_use]
    pub fn with_native(self, native: Option<Arc<Dialect>>) -> Self {
        Self { native, ..self }
    }

    /// Whether the prompt opens the reasoning, so that the grammar has to begin inside it.
    #[must_use]
    pub fn with_prefilled(self, prefilled: bool) -> Self {
        Self { prefilled, ..self }
    }

    /// Returns the dialects that text is read in.
    pub fn dialects(&self) -> &Dialects {
        &self.dialects
    }

    /// Whether text is read for calls although the request declares no tools.
    #[must_use]
    pub fn with_forced(self, forced: bool) -> Self {
        Self { forced, ..self }
    }

    /// Whether text stays text whatever calls it may hold; protocols are still turned into each other.
    #[must_use]
    pub fn with_off(self, off: bool) -> Self {
        Self { off, ..self }
    }

    /// How the ids of earlier calls are written for the model server.
    #[must_use]
    pub fn with_ids(self, ids: HistoryIds) -> Self {
        Self { ids, ..self }
    }

    /// What becomes of a native call whose arguments the server sends twice.
    #[must_use]
    pub fn with_duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }

    /// How much may be sent.
    #[must_use]
    pub fn with_limits(self, limits: WireLimits) -> Self {
        Self { limits, ..self }
    }

    /// Returns the bounds.
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
    /// Bytes of one line of a stream; 8 MiB unless told otherwise.
    #[must_use]
    pub fn with_line(self, line: usize) -> Self {
        Self { line, ..self }
    }

    /// Bytes of one event of a stream; 16 MiB unless told otherwise.
    #[must_use]
    pub fn with_event(self, event: usize) -> Self {
        Self { event, ..self }
    }

    /// Bytes of a whole body; 64 MiB unless told otherwise.
    #[must_use]
    pub fn with_body(self, body: usize) -> Self {
        Self { body, ..self }
    }

    /// Bytes of what comes while a call is open that nothing may interrupt; 1 MiB unless told otherwise.
    #[must_use]
    pub fn with_held(self, held: usize) -> Self {
        Self { held, ..self }
    }

    /// Bytes of the arguments of native calls that wait for another to end; 16 MiB unless told otherwise.
    #[must_use]
    pub fn with_arguments(self, arguments: usize) -> Self {
        Self { arguments, ..self }
    }

    /// Calls of one answer, further ones are dropped; 256 unless told otherwise.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }

    pub(crate) fn is_too_much_held(&self, bytes: usize) -> bool {
        bytes > self.held
    }

    /// Returns the error of a server that says too much besides a call that is open.
    pub(crate) fn held_fault(&self) -> Fault {
        too_much("text while a call was open", self.held, "held")
    }

    /// Returns the error of a server that writes too much of calls side by side.
    pub(crate) fn arguments_fault(&self) -> Fault {
        too_much("arguments of calls while another was open", self.arguments, "arguments")
    }

    /// Returns the most bytes of a whole body.
    pub fn body(&self) -> usize {
        self.body
    }
}

fn too_much(what: &str, most: usize, limit: &str) -> Fault {
    let message = format!("the model server sent more than {most} bytes of {what} (`limits.{limit}`)");
    Fault::new(FaultKind::Upstream, message).with_code("upstream_held_too_large")
}
