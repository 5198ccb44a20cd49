//! What of a Responses request chat has no words for.

use crate::fault::{Fault, FaultKind};

/// What was met on the way that chat has no words for.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// What was left out, and why.
    pub(super) notes: Vec<String>,
    /// Why a chat request cannot do it.
    pub(super) fault: Option<Fault>,
}

impl LeftOut {
    pub(super) fn leave_out(&mut self, note: String) {
        self.notes.push(note);
    }

    pub(super) fn refuse(&mut self, message: String) {
        self.refuse_as("unsupported_parameter", message);
    }

    pub(super) fn refuse_as(&mut self, code: &str, message: String) {
        let fault = Fault::new(FaultKind::Request, message).with_code(code).with_param("input");
        self.fault.get_or_insert(fault);
    }
}
