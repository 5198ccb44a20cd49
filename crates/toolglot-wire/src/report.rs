//! What a turn reports of its answer.

use std::collections::BTreeMap;

use crate::fault::Fault;
use crate::response_event::{Finish, Usage};

/// A summary of a turn, for logs and metrics.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The dialect of the first call in text.
    pub dialect: Option<String>,
    /// Calls sent to the client.
    pub calls: usize,
    /// Those of them that were in text.
    pub text_calls: usize,
    /// Those of them that were repaired.
    pub repaired: usize,
    /// Calls that were dropped: truncated, broken, or unwanted.
    pub dropped: usize,
    /// Calls left in the text because the policy rejects them.
    pub left: usize,
    /// Diagnostics by code.
    pub diagnostics: BTreeMap<&'static str, usize>,
    /// Bytes currently held back.
    pub held: usize,
    /// Whether the text began inside reasoning, which the prompt then opened; none if unknown.
    pub begins_inside_reasoning: Option<bool>,
    /// Why the first alternative ended.
    pub finish: Option<Finish>,
    /// The error that the answer ended with, if any.
    pub fault: Option<Fault>,
    /// Token counts, if the server sent them.
    pub usage: Option<Usage>,
}
