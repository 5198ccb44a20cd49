//! Tags that were opened inside a value: their closers are data, and do not end the value.

use std::collections::BTreeSet;

use crate::id::seed_of;
use crate::parser::call_context::CallContext;
use crate::parser::head::name_end;
use crate::view::NotYet;

/// The tags that were opened inside a value.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenedTags {
    /// The index of the value's pattern.
    param: usize,
    /// Hashes of their names.
    names: BTreeSet<u64>,
    /// The first byte of the name in the value's own closer, once it is needed.
    first: Option<Option<u8>>,
    /// How many tags of that name are open.
    own: u32,
}

impl OpenedTags {
    pub(super) fn new(param: usize) -> Self {
        Self { param, ..Self::default() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.names.contains(&seed_of(name.as_bytes()))
    }

    /// Records the tag that opens at `at`, if there is one.
    pub(super) fn note(&mut self, at: usize, context: &CallContext<'_>) -> Result<(), NotYet> {
        if context.view.byte(at)? != Some(b'<') {
            return Ok(());
        }
        // All is asked before anything changes: a step that has to wait is repeated.
        let (is_own, end) = (self.is_own(at, context)?, name_end(context.view, at + 1)?);
        self.own += u32::from(is_own);
        self.names.extend(end.map(|end| seed_of(context.view.slice(at + 1, end).as_bytes())));
        Ok(())
    }

    /// Removes one of the tags that the value's own closer closes; false if none is open.
    pub(super) fn close_own(&mut self) -> bool {
        let is_open = self.own > 0;
        self.own = self.own.saturating_sub(1);
        is_open
    }

    /// Returns whether the tag that opens at `at` is one that the value's own closer closes.
    fn is_own(&mut self, at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
        let first = *self.first.get_or_insert_with(|| own_name(self.param, context).bytes().next());
        if first.is_none() || context.view.byte(at + 1)? != first {
            return Ok(false);
        }
        let name = own_name(self.param, context);
        let in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte) || byte >= 0x80;
        let ends = |byte: Option<u8>| byte.is_some_and(|behind| !in_name(behind));
        Ok(context.view.starts_with(at + 1, &name)? && ends(context.view.byte(at + 1 + name.len())?))
    }
}

/// Returns the name in the tag that closes a value; empty if the closer is not a tag.
fn own_name(param: usize, context: &CallContext<'_>) -> String {
    let param = context.engine.dialect(*context.pattern_ref).params.get(param);
    let closer = param.and_then(|param| param.tail.first()).filter(|closer| closer.is_closing_tag());
    let Some(closer) = closer.and_then(|closer| closer.spellings.first()) else { return String::new() };
    let closer = closer.filled(context.head.name(), context.head.mark.as_deref(), Some(context.head.key()));
    closer.trim().trim_start_matches("</").trim_end_matches('>').to_owned()
}
