//! The fast path: text in which no marker can begin or end passes without looking at anything but its bytes.
//!
//! Models are read token by token, and most tokens are the middle of a value. A reader in the middle of one goes first
//! as far as data goes for certain, by the same steps as the long way; only where something is in doubt all that stands
//! around the call is looked at.
//!
//! ```text
//!   passes          {"a": 1 < 2}\n      no marker begins with `< `
//!   waits for more  see <               the last byte may begin one
//!   needs the way   see </parameter     a marker stands here
//! ```

use super::catalog::PatternRef;
use super::data::DataBytes;
use super::engine::Engine;
use super::head::name_end;
use super::starts::Starts;
use crate::dialect::Dialect;
use crate::tool::ToolId;
use crate::view::{NotYet, View};

/// What a reader may look at on the fast path.
#[derive(Clone, Copy)]
pub(crate) struct FastPath<'l> {
    pub(crate) view: View<'l>,
    pub(super) engine: &'l Engine,
    pub(super) pattern_ref: PatternRef,
    pub(super) tool: Option<ToolId>,
}

impl<'l> FastPath<'l> {
    pub(super) fn dialect(&self) -> &'l Dialect {
        self.engine.dialect(self.pattern_ref)
    }

    /// Returns the dialect's own string token.
    pub(crate) fn quote(&self) -> Option<&'l str> {
        self.dialect().quote.as_deref()
    }

    /// Returns where the dialect's markers may begin.
    pub(crate) fn markers(&self) -> &'l Starts {
        self.engine.catalog.markers(self.pattern_ref.dialect)
    }

    /// Returns the pieces of markers that are looked for in values.
    #[inline]
    pub(super) fn pieces(&self) -> &'l [String] {
        if self.view.has_marks() { &[] } else { &self.dialect().pieces }
    }

    /// Returns what each byte is to a value between the markers.
    #[inline]
    pub(super) fn data(&self) -> &'l DataBytes {
        self.engine.catalog.data(self.pattern_ref.dialect)
    }

    /// Returns the end of a declared tool's name at `at`, where calls open with a tag of that name.
    pub(super) fn names_tool(&self, at: usize) -> Result<Option<usize>, NotYet> {
        if !self.dialect().has_call_tags {
            return Ok(None);
        }
        let end = name_end(self.view, at)?;
        Ok(end.filter(|end| self.engine.tools.is_declared(self.view.slice(at, *end))))
    }

    /// Says whether a tag may be a parameter's whose name, if it has one, begins at `at`.
    pub(super) fn opens_parameter(&self, at: usize) -> Result<bool, NotYet> {
        if !self.dialect().has_param_tags {
            return Ok(false);
        }
        let Some(end) = name_end(self.view, at)? else { return Ok(false) };
        let schema = self.tool.and_then(|tool| self.engine.tools.get(tool).schema.as_ref());
        Ok(schema.is_some_and(|schema| schema.root().declares(self.view.slice(at, end))))
    }

    /// Says whether all that is visible of arguments that began at `start` is within the limit.
    pub(crate) fn is_within(&self, start: usize) -> bool {
        self.view.end() < start.saturating_add(self.engine.options.limits.arguments)
    }
}
