//! Call objects in their most common form, in one pass: the name, then the arguments' brace; and whole calls that are complete
//! and exactly as the tool declares.

use std::ops::Range;

use super::call_context::CallContext;
use super::catalog::PatternRef;
use super::engine::Engine;
use super::head::{Head, HeadText, NAME_LIMIT, is_name, skip_gap, stands};
use super::member::{is_arguments_key, is_name_key, may_open_schema};
use crate::dialect::Dialect;
use crate::json::{key_ahead, plain_object};
use crate::schema::Schema;
use crate::tool::NameLookup;
use crate::view::{View, is_blank};

/// The longest call that is emitted at once. A longer one is as fast on the slow path, and most of it would be read twice if it
/// were not plain.
pub(super) const PLAIN: usize = 1 << 12;

/// A complete call.
pub(super) struct PlainCall<'v> {
    pub(super) name: &'v str,
    pub(super) arguments: Range<usize>,
    pub(super) end: usize,
}

/// Returns the call whose object is at `at`, after its opener, including its closer; `None` if it needs
/// a decision, or its tool is not declared in this spelling.
pub(super) fn plain_call<'v>(
    engine: &Engine,
    view: View<'v>,
    at: usize,
    pattern_ref: PatternRef,
) -> Option<PlainCall<'v>> {
    let mut text = PlainText { view, at };
    text.pass(b'{')?;
    let (name, start) = begin(text.at, view, engine.dialect(pattern_ref))?;
    let name = inner(view, &name);
    let tool = match engine.tools.find(name) {
        NameLookup::Exact(tool) => Some(engine.tools.get(tool)),
        _ => (engine.tools.is_empty() && is_name(name)).then_some(None)?,
    };
    let schema = tool.and_then(|tool| tool.schema.as_ref());
    text.at = plain_object(view, start, schema.map(Schema::root))?;
    let arguments = start..text.at;
    text.pass(b'}')?;
    text.skip_blanks();
    (skip_gap(view, text.at) == Ok(text.at)).then_some(())?;
    let closer = engine.pattern(pattern_ref).tail.first()?;
    let end = stands(view, text.at, [closer], &Head::default()).ok()??;
    Some(PlainCall { name, arguments, end })
}

/// Returns the name of a call object and where its arguments begin; `None` if anything is
/// different or has not arrived. `at` is the position after the object's brace.
pub(super) fn plain_head(at: usize, context: &CallContext<'_>) -> Option<(HeadText, usize)> {
    let (name, start) = begin(at, context.view, context.dialect())?;
    Some((HeadText::new(inner(context.view, &name), name), start))
}

fn begin(at: usize, view: View<'_>, dialect: &Dialect) -> Option<(Range<usize>, usize)> {
    let mut text = PlainText { view, at };
    let key = text.word()?;
    is_name_key(inner(view, &key), dialect).then_some(())?;
    text.pass(b':')?;
    let name = text.word()?;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    inner(view, &name).bytes().all(is_letter).then_some(())?;
    text.pass(b',')?;
    let key = text.word()?;
    is_arguments_key(inner(view, &key), dialect).then_some(())?;
    text.pass(b':')?;
    text.pass(b'{')?;
    // An empty object and a schema are for the other look.
    let behind = text.at;
    text.skip_blanks();
    let object = key_ahead(view, behind, None) == Ok(true) && may_open_schema(text.at, view) == Ok(false);
    object.then_some((name, behind - 1))
}

/// Text that must have the form of JSON or a keyword argument.
pub(super) struct PlainText<'v> {
    pub(super) view: View<'v>,
    pub(super) at: usize,
}

impl PlainText<'_> {
    pub(super) fn skip_blanks(&mut self) {
        self.at += self.view.rest(self.at).iter().take_while(|byte| is_blank(**byte)).count();
    }

    fn pass(&mut self, byte: u8) -> Option<()> {
        self.skip_blanks();
        (self.view.rest(self.at).first() == Some(&byte)).then(|| self.at += 1)
    }

    /// Skips a short string up to its next quote; returns its span, quotes included.
    fn word(&mut self) -> Option<Range<usize>> {
        self.pass(b'"')?;
        let start = self.at - 1;
        let length = memchr::memchr(b'"', self.view.peek(self.at, NAME_LIMIT))?;
        self.at += length + 1;
        Some(start..self.at)
    }
}

fn inner<'v>(view: View<'v>, quoted: &Range<usize>) -> &'v str {
    view.slice(quoted.start + 1, quoted.end - 1)
}
