//! The beginning of a call object as most models write it, in one pass: its name, and then its arguments' brace.

use std::ops::Range;

use super::call_context::CallContext;
use super::head::{HeadText, NAME_LIMIT};
use super::member::{is_arguments_key, is_name_key, may_open_schema};
use crate::json::key_ahead;
use crate::view::{View, is_blank};

/// Returns the name of a call object and where its arguments begin; `None` if that takes another look, for anything is
/// written otherwise or is not there yet. `at` is the position after the object's brace.
pub(super) fn plain_call(at: usize, context: &CallContext<'_>) -> Option<(HeadText, usize)> {
    let view = context.view;
    let mut text = PlainText { view, at };
    let key = text.word()?;
    is_name_key(inner(view, &key), context).then_some(())?;
    text.pass(b':')?;
    let name = text.word()?;
    inner(view, &name).bytes().all(is_letter).then_some(())?;
    text.pass(b',')?;
    let key = text.word()?;
    is_arguments_key(inner(view, &key), context).then_some(())?;
    text.pass(b':')?;
    text.pass(b'{')?;
    // An empty object and a schema are for the other look.
    let behind = text.at;
    text.skip_blanks();
    let object = key_ahead(view, behind, None) == Ok(true) && may_open_schema(text.at, view) == Ok(false);
    object.then(|| (HeadText::new(inner(view, &name), name), behind - 1))
}

/// Text that must stand as JSON has it.
struct PlainText<'v> {
    view: View<'v>,
    at: usize,
}

impl PlainText<'_> {
    fn skip_blanks(&mut self) {
        self.at += self.view.rest(self.at).iter().take_while(|byte| is_blank(**byte)).count();
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        self.skip_blanks();
        (self.view.rest(self.at).first() == Some(&byte)).then(|| self.at += 1)
    }

    /// Passes a short string up to its next quote; returns where it stands, quotes included.
    fn word(&mut self) -> Option<Range<usize>> {
        self.pass(b'"')?;
        let start = self.at - 1;
        let near = self.view.rest(self.at);
        let length = memchr::memchr(b'"', &near[..near.len().min(NAME_LIMIT)])?;
        self.at += length + 1;
        Some(start..self.at)
    }
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

fn inner<'v>(view: View<'v>, quoted: &Range<usize>) -> &'v str {
    view.slice(quoted.start + 1, quoted.end - 1)
}
