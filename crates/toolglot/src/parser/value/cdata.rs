//! The end of CDATA in a value.

use super::end::ValueEndFinder;
use crate::parser::call_context::CallContext;
use crate::parser::leftover::LOOK;
use crate::view::{NotYet, View};

pub(super) const CDATA: &str = "<![CDATA[";
pub(super) const CDATA_END: &str = "]]>";

impl ValueEndFinder {
    /// Moves to a possible end of CDATA or a marker in it; false at the end of the visible bytes.
    pub(super) fn seek_in_cdata(&mut self, context: &CallContext<'_>) -> Result<bool, NotYet> {
        let view = context.view;
        while let Some(ahead) = memchr::memchr2(CDATA_END.as_bytes()[0], b'<', view.rest(self.scan)) {
            self.scan += ahead;
            let opens = || {
                Ok(context.markers().spelled_kinds(view, self.scan)? != 0
                    || context.tag_name(self.scan + 1, false)?.is_some())
            };
            if view.starts_with(self.scan, CDATA_END)? || opens()? {
                return Ok(true);
            }
            self.scan += 1;
        }
        self.scan = view.end();
        view.final_end().map(|_| false)
    }

    /// Examines a possible end of CDATA: false if it is data, `None` if another call begins, so that the CDATA has no end.
    pub(super) fn judge_in_cdata(&mut self, context: &CallContext<'_>) -> Result<Option<bool>, NotYet> {
        if context.view.starts_with(self.scan, CDATA_END)? {
            return Ok(Some(true));
        }
        if context.opener(self.scan)?.is_none() || !lacks_cdata_end(context.view, self.scan)? {
            self.scan += 1;
            return Ok(Some(false));
        }
        Ok(if self.opener(context)?.is_some() { None } else { Some(false) })
    }
}

/// Returns whether the CDATA that is open at `at` has no end nearby: the input ends first, or other CDATA opens.
fn lacks_cdata_end(view: View<'_>, at: usize) -> Result<bool, NotYet> {
    let peeked = view.peek(at, LOOK);
    let end = memchr::memmem::find(peeked, CDATA_END.as_bytes());
    let other = memchr::memmem::find(peeked, CDATA.as_bytes());
    match (other, end) {
        (Some(other), _) => Ok(end.is_none_or(|end| other < end)),
        (None, None) if peeked.len() < LOOK => view.final_end().map(|_| true),
        _ => Ok(false),
    }
}
