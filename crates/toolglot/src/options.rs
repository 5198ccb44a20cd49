//! What a caller may choose: policies, repairs, limits.

use crate::diagnostic::Repairs;
use crate::evidence::{Veto, Vetoes};

mod choice;
mod limits;
mod named;

pub use choice::{
    CallsInReasoning, Evidence, FinishReason, Frame, NullText, ReasoningOpen, UnknownChoice, UnknownTool, Untyped,
    Validation,
};
pub use limits::Limits;
pub use named::OptionError;

/// A caller's choices for one parser. Every field has a default; `with_…` changes one.
///
/// # Example
/// ```
/// use toolglot::{Options, Validation};
/// let options = Options::default().with_validation(Validation::Strict).with_reasoning_open(true);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub(crate) validation: Validation,
    pub(crate) untyped: Untyped,
    pub(crate) null_text: NullText,
    pub(crate) reasoning_open: ReasoningOpen,
    pub(crate) finish_reason: Option<FinishReason>,
    pub(crate) calls_in_reasoning: CallsInReasoning,
    pub(crate) frame: Frame,
    pub(crate) evidence: Evidence,
    pub(crate) unknown_tool: UnknownTool,
    pub(crate) accept_incomplete: bool,
    pub(crate) repairs: Repairs,
    pub(crate) limits: Limits,
    pub(crate) id_seed: Option<u64>,
    /// Bare `TRUE` and `false` in any case are booleans where no schema says otherwise.
    pub(crate) any_case_booleans: bool,
    pub(crate) marked_tokens: bool,
    /// Nothing passes on the fast path: each byte is looked at by the careful readers.
    pub(crate) careful: bool,
    /// Rows of the table of evidence that are switched off.
    pub(crate) unheeded: Vetoes,
}

impl Options {
    /// Says whether the server said that it cut the message.
    pub(crate) fn is_cut(&self) -> bool {
        self.finish_reason.is_some_and(FinishReason::is_cut)
    }

    /// Returns the repairs that may be made: under strict validation none that decides where something ends.
    pub(crate) fn allowed_repairs(&self) -> Repairs {
        if self.validation == Validation::Strict { self.repairs.without_ends() } else { self.repairs }
    }

    /// How calls are checked against the tools' schemas.
    #[must_use]
    pub fn with_validation(self, validation: Validation) -> Self {
        Self { validation, ..self }
    }

    /// What text means where no schema gives its type.
    #[must_use]
    pub fn with_untyped(self, untyped: Untyped) -> Self {
        Self { untyped, ..self }
    }

    /// What the bare text `null` means for a declared string that may be null.
    #[must_use]
    pub fn with_null_text(self, null_text: NullText) -> Self {
        Self { null_text, ..self }
    }

    /// Whether the prompt already opened a reasoning region, so that the output starts inside it.
    #[must_use]
    pub fn with_reasoning_open(self, reasoning_open: impl Into<ReasoningOpen>) -> Self {
        Self { reasoning_open: reasoning_open.into(), ..self }
    }

    /// Why the server stopped, if it said so.
    #[must_use]
    pub fn with_finish_reason(self, finish_reason: Option<FinishReason>) -> Self {
        Self { finish_reason, ..self }
    }

    /// What a call inside reasoning is.
    #[must_use]
    pub fn with_calls_in_reasoning(self, calls_in_reasoning: CallsInReasoning) -> Self {
        Self { calls_in_reasoning, ..self }
    }

    /// What white space between text or reasoning and the markers of a dialect is.
    #[must_use]
    pub fn with_frame(self, frame: Frame) -> Self {
        Self { frame, ..self }
    }

    /// How much evidence a call needs.
    #[must_use]
    pub fn with_evidence(self, evidence: Evidence) -> Self {
        Self { evidence, ..self }
    }

    /// What becomes of a call whose tool is not declared.
    #[must_use]
    pub fn with_unknown_tool(self, unknown_tool: UnknownTool) -> Self {
        Self { unknown_tool, ..self }
    }

    /// Whether a call that the end of input cut off is returned among the calls.
    #[must_use]
    pub fn with_accept_incomplete(self, accept_incomplete: bool) -> Self {
        Self { accept_incomplete, ..self }
    }

    /// Which repairs may be made.
    #[must_use]
    pub fn with_repairs(self, repairs: Repairs) -> Self {
        Self { repairs, ..self }
    }

    /// How much a message may hold, nest and say.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Whether the caller says which pieces are special tokens, so that nothing else can be a marker that is one.
    ///
    /// A marker that the dialect's file lists as special is then read only if it came in with
    /// [`Parser::push_special`](crate::Parser::push_special); the same letters in ordinary pieces are text, inside
    /// and outside calls. A dialect whose calls open with a special token loses its lenient spellings without one.
    /// What this is worth for a set of dialects says [`Dialects::is_sealed`](crate::Dialects::is_sealed).
    #[must_use]
    pub fn with_marked_tokens(self, marked_tokens: bool) -> Self {
        Self { marked_tokens, ..self }
    }

    /// Switches the fast paths off, so that a test can hold them against the careful readers.
    #[doc(hidden)]
    #[must_use]
    pub fn without_fast_path(self) -> Self {
        Self { careful: true, ..self }
    }

    /// Switches a row of the table of evidence off, so that a test can measure what it is worth.
    #[doc(hidden)]
    #[must_use]
    pub fn without_veto(self, veto: Veto) -> Self {
        Self { unheeded: self.unheeded.with(veto), ..self }
    }

    /// Seed for generated call ids, used where the model supplies none.
    ///
    /// The same seed gives the same ids. Without one, the ids come from a hash of the message's text
    /// ([`seed_of`](crate::seed_of)), so two messages of a conversation have different ids unless they are the same
    /// byte for byte. A caller that shows ids before the message is over, or whose model may repeat itself to the
    /// letter, draws a random number.
    #[must_use]
    pub fn with_id_seed(self, seed: u64) -> Self {
        Self { id_seed: Some(seed), ..self }
    }

    /// Returns the seed for generated call ids, if one was given.
    pub fn id_seed(&self) -> Option<u64> {
        self.id_seed
    }
}
