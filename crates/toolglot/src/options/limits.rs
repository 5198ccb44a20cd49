//! Limits: how much of anything a message may contain.

/// Bounds on what one message may make the parser hold or say.
///
/// Hitting one is a diagnostic: before a call is committed its text comes back, afterwards it ends as truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub(crate) held: usize,
    pub(crate) arguments: usize,
    pub(crate) depth: usize,
    pub(crate) calls: usize,
    /// Bytes that may be read ahead in vain for ends of strings: the size of a source file that a call writes. Without the
    /// bound, a message full of quotes that never resolve would be read again from each of them. With none, a quote in doubt
    /// breaks the call at once.
    pub(crate) string_ends: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { held: 1 << 20, arguments: 16 << 20, depth: 128, calls: 256, string_ends: 1 << 16 }
    }
}

impl Limits {
    /// Bytes held back while it is open what they are; 1 MiB unless told otherwise.
    #[must_use]
    pub fn with_held(self, held: usize) -> Self {
        Self { held, ..self }
    }

    /// Bytes of input that one call's arguments may take; 16 MiB unless told otherwise.
    #[must_use]
    pub fn with_arguments(self, arguments: usize) -> Self {
        Self { arguments, ..self }
    }

    /// Depth to which values may nest; 128 unless told otherwise.
    #[must_use]
    pub fn with_depth(self, depth: usize) -> Self {
        Self { depth, ..self }
    }

    /// Calls in one message; 256 unless told otherwise.
    #[must_use]
    pub fn with_calls(self, calls: usize) -> Self {
        Self { calls, ..self }
    }
}
