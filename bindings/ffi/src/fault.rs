//! Why a function did not do what it was asked for.

/// Why a function failed; the message explains what to do.
#[derive(Debug)]
pub(crate) enum Fault {
    /// What was handed in cannot be used.
    Invalid(String),
    /// What was handed in is fine, but cannot be done.
    Failed(String),
}

impl Fault {
    /// An argument that cannot be used, in the words of an error.
    pub(crate) fn invalid(error: impl ToString) -> Self {
        Self::Invalid(error.to_string())
    }

    /// A thing that cannot be done, in the words of an error.
    pub(crate) fn failed(error: impl ToString) -> Self {
        Self::Failed(error.to_string())
    }
}
