//! Parts of a Responses request that Chat Completions does not have.

use crate::fault::{Fault, FaultKind};

/// The parts that were omitted, and the first that cannot be omitted.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// What was omitted, and why.
    pub(super) notes: Vec<String>,
    /// Why the request cannot be converted.
    pub(super) fault: Option<Fault>,
}

impl LeftOut {
    pub(super) fn refuse(&mut self, code: &str, message: String) {
        let fault = Fault::new(FaultKind::Request, message).with_code(code).with_param("input");
        self.fault.get_or_insert(fault);
    }
}
