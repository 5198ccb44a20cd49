//! The context of a search for a value's end.

use std::ops::Deref;

use super::call_context::CallContext;
use super::marker::Marker;
use super::object::ArgumentsObject;
use crate::dialect::Pattern;
use crate::view::NotYet;

/// The context of a search for a value's end: the call, the pattern, and the earlier arguments.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueContext<'a> {
    pub(super) call: &'a CallContext<'a>,
    pub(super) param: &'a Pattern,
    pub(super) object: &'a ArgumentsObject,
    /// Where the value's data begins.
    pub(super) start: usize,
}

impl ValueContext<'_> {
    /// Returns the first of `markers` after `at`, ignoring white space.
    pub(super) fn follows(&self, at: usize, markers: &[Marker]) -> Result<Option<Marker>, NotYet> {
        self.call.follows(at, markers, self.param)
    }
}

impl<'a> Deref for ValueContext<'a> {
    type Target = CallContext<'a>;

    fn deref(&self) -> &CallContext<'a> {
        self.call
    }
}
