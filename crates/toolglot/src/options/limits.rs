//! Limits on the size of a message.

/// Bounds on what one message may make the parser hold or emit.
///
/// Reaching one is a diagnostic: before a call is committed, its text is returned as text; after that, it ends as truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) held: usize,
    pub(crate) arguments: usize,
    pub(crate) depth: usize,
    pub(crate) calls: usize,
    /// Bytes of futile look-ahead for ends of strings: the size of a source file that a call writes. Without the
    /// bound, a message full of quotes that never resolve would be read again from each of them. With 0, a doubtful quote
    /// breaks the call at once.
    pub(crate) string_ends: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { held: 1 << 20, arguments: 16 << 20, depth: 128, calls: 256, string_ends: 1 << 16 }
    }
}

impl Limits {
    /// Sets the bytes held back while their role is undecided; 1 MiB by default.
    #[must_use]
    pub fn with_held(self, held: usize) -> Self {
        Self { held, ..self }
    }

    /// Sets the bytes of input that the arguments of one call may take; 16 MiB by default.
    #[must_use]
    pub fn with_arguments(self, arguments: usize) -> Self {
        Self { arguments, ..self }
    }

    /// Sets the nesting depth of values; 128 by default.
    #[must_use]
    pub fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Sets the number of calls in a message; 256 by default.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }
}
