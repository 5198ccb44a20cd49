//! The context of a call: the bytes, the call they belong to, and the markers that may surround them.

use std::cell::Cell;

use super::catalog::PatternRef;
use super::data::DataBytes;
use super::engine::{Callee, Engine};
use super::head::{Head, name_end, nodes, skip_gap, stands};
use super::marker::{MARKERS, Marker};
use super::starts::Starts;
use crate::dialect::{Dialect, Literal, Pattern};
use crate::json::Context;
use crate::schema::{NodeId, Schema, SchemaNode};
use crate::tool::Tool;
use crate::view::{NotYet, View};

/// What the reader of a body knows: the visible bytes, its call, and the contents of the heads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallContext<'s> {
    pub(crate) view: View<'s>,
    pub(crate) engine: &'s Engine,
    pub(crate) pattern_ref: &'s PatternRef,
    pub(crate) callee: &'s Callee,
    pub(crate) head: &'s Head,
    /// Only nearby bytes count: the question is whether a call begins in the middle of another one's value.
    pub(crate) bounded: bool,
    /// The number of open objects of the call around its arguments.
    pub(crate) around: usize,
    /// Counts look-ahead that may be futile.
    pub(crate) ahead: Option<&'s Cell<usize>>,
}

impl<'s> CallContext<'s> {
    pub(crate) fn new(
        engine: &'s Engine,
        view: View<'s>,
        pattern_ref: &'s PatternRef,
        callee: &'s Callee,
        head: &'s Head,
    ) -> Self {
        Self { view, engine, pattern_ref, callee, head, bounded: callee.ahead, around: 0, ahead: None }
    }

    /// Returns the call context of a parameter, whose head contains its key.
    pub(crate) fn with_head<'h>(&self, head: &'h Head) -> CallContext<'h>
    where
        's: 'h,
    {
        CallContext { head, ..*self }
    }

    pub(crate) fn dialect(&self) -> &'s Dialect {
        self.engine.dialect(*self.pattern_ref)
    }

    pub(crate) fn pattern(&self) -> &'s Pattern {
        self.engine.pattern(*self.pattern_ref)
    }

    /// Returns the literal that closes the call first.
    pub(crate) fn closer(&self) -> Option<&'s Literal> {
        self.pattern().tail.first()
    }

    /// Returns the literals that close the section.
    pub(crate) fn section_closers(&self) -> &'s [Literal] {
        self.engine.section(*self.pattern_ref).map_or(&[], |section| &section.tail)
    }

    /// Returns the bytes with which markers of the dialect begin.
    pub(crate) fn markers(&self) -> &'s Starts {
        self.engine.catalog.markers(self.pattern_ref.dialect)
    }

    /// Returns the fragments of markers that are searched for in values.
    #[inline]
    pub(super) fn pieces(&self) -> &'s [String] {
        if self.view.has_marks() { &[] } else { &self.dialect().pieces }
    }

    /// Returns the role of each byte in a value between markers.
    #[inline]
    pub(super) fn data(&self) -> &'s DataBytes {
        self.engine.catalog.data(self.pattern_ref.dialect)
    }

    /// Returns whether all that is visible of arguments that began at `start` is within the limit.
    pub(crate) fn is_within(&self, start: usize) -> bool {
        self.view.end() < start.saturating_add(self.engine.options.limits.arguments)
    }

    pub(crate) fn tool(&self) -> Option<&'s Tool> {
        Some(self.engine.tools.get(self.callee.tool?))
    }

    pub(crate) fn schema(&self) -> Option<&'s Schema> {
        self.tool()?.schema.as_ref()
    }

    /// Returns the schema of the arguments, if the tool declares one.
    pub(crate) fn root(&self) -> Option<SchemaNode<'s>> {
        self.schema().map(Schema::root)
    }

    pub(crate) fn node(&self, id: Option<NodeId>) -> Option<SchemaNode<'s>> {
        Some(self.schema()?.node(id?))
    }

    /// Returns the schema of a parameter.
    pub(crate) fn parameter(&self, key: &str) -> Option<SchemaNode<'s>> {
        self.root()?.property(key)
    }

    /// Returns a parameter's name as the tool declares it, however it is spelled.
    pub(crate) fn meant<'k>(&self, key: &'k str) -> &'k str
    where
        's: 'k,
    {
        self.root().and_then(|root| root.meant(key)).unwrap_or(key)
    }

    /// Returns whether the tool requires parameters.
    pub(crate) fn requires(&self) -> bool {
        self.root().is_some_and(|root| !root.required().is_empty())
    }

    /// Returns whether the tool declares a parameter.
    pub(crate) fn declares(&self, key: &str) -> bool {
        self.root().is_some_and(|root| root.declares(key))
    }

    /// Returns whether the tool declares a parameter, in any spelling.
    pub(crate) fn knows(&self, key: &str) -> bool {
        self.root().is_some_and(|root| root.knows(key))
    }

    /// Returns whether a parameter may have any name: the tool declares none and forbids none.
    pub(crate) fn is_open(&self) -> bool {
        self.root().is_none_or(|root| !root.is_closed())
    }

    /// Returns the context for a JSON reader; the call context's markers may end its values.
    pub(crate) fn json<'c>(&'c self, quote: Option<&'c str>) -> Context<'c> {
        Context { markers: self, schema: self.schema(), options: &self.engine.options, quote, given: None }
    }

    /// Returns the end of the longest of some literals at `at`.
    #[inline]
    pub(crate) fn any<'l>(
        &self,
        at: usize,
        literals: impl IntoIterator<Item = &'l Literal>,
    ) -> Result<Option<usize>, NotYet> {
        stands(self.view, at, literals, self.head)
    }

    /// Returns the first position at or after `at` without white space.
    pub(crate) fn gap(&self, at: usize) -> Result<usize, NotYet> {
        skip_gap(self.view, at)
    }

    /// Returns where the next call may begin after the separator of calls at `at`, if one is there.
    pub(crate) fn behind_separator(&self, at: usize) -> Result<Option<usize>, NotYet> {
        Ok(if matches!(self.view.byte(at)?, Some(b',' | b';')) { Some(self.gap(at + 1)?) } else { None })
    }

    /// Returns the marker at `at`, the longest if several do, and where it ends.
    pub(crate) fn marker(&self, at: usize, param: &Pattern) -> Result<Option<(Marker, usize)>, NotYet> {
        let mut best: Option<(Marker, usize)> = None;
        let kinds = self.kinds(at)?;
        for marker in MARKERS.into_iter().filter(|marker| kinds & marker.bit() != 0) {
            if let Some(end) = self.marks(at, marker, param)?
                && best.is_none_or(|(_, longest)| end > longest)
            {
                best = Some((marker, end));
            }
        }
        Ok(best)
    }

    /// Returns the first of `markers` after `at`, ignoring white space.
    pub(crate) fn follows(&self, at: usize, markers: &[Marker], param: &Pattern) -> Result<Option<Marker>, NotYet> {
        let at = self.gap(at)?;
        if self.view.byte(at)?.is_none() {
            return Ok(Some(Marker::End));
        }
        let kinds = self.kinds(at)?;
        for marker in markers.iter().filter(|marker| kinds & marker.bit() != 0) {
            if self.marks(at, *marker, param)?.is_some() {
                return Ok(Some(*marker));
            }
        }
        Ok(None)
    }

    /// Returns the kinds of markers that may be at `at`.
    fn kinds(&self, at: usize) -> Result<u8, NotYet> {
        if self.dialect().has_param_tags {
            return Ok(u8::MAX);
        }
        let kinds = self.markers().kinds(self.view, at)?;
        let named = kinds != 0 && self.dialect().has_call_tags;
        Ok(kinds | Marker::Tag.bit() | if named { Marker::Open.bit() } else { 0 })
    }

    /// Returns the end of a marker of one kind at `at`.
    fn marks(&self, at: usize, marker: Marker, param: &Pattern) -> Result<Option<usize>, NotYet> {
        match marker {
            Marker::Value => self.any(at, param.tail.first()),
            Marker::Param => self.param_opener(at),
            Marker::Call => self.any(at, &self.pattern().tail),
            Marker::Section => self.any(at, self.section_closers().first().filter(|closer| closer.is_strong())),
            Marker::Open => self.opener(at),
            Marker::Tag if param.tail.first().is_some_and(Literal::is_closing_tag) => {
                Ok(self.view.starts_with(at, "</")?.then_some(at + 2))
            }
            Marker::Tag | Marker::End => Ok(None),
        }
    }

    /// Returns the end of a parameter's opening literal; if that is a tag with the key's name, the key must be declared.
    fn param_opener(&self, at: usize) -> Result<Option<usize>, NotYet> {
        let mut best = None;
        for param in self.dialect().params.iter().filter(|param| param.has_key_tag()) {
            let mut inner = self.head.inner();
            let end = nodes(self.view, at, &param.head, None, &mut inner)?;
            let strong = param.opening().is_some_and(Literal::is_strong);
            best = end.filter(|_| strong || self.knows(inner.key())).max(best);
        }
        Ok(self.any(at, &self.dialect().param_openings)?.max(best))
    }

    /// Returns the end of a strong opening literal of this dialect's calls and sections, or,
    /// if calls open with a tag of the tool's name, of one that names a declared tool.
    pub(crate) fn opener(&self, at: usize) -> Result<Option<usize>, NotYet> {
        let end = self.any(at, &self.dialect().openings)?;
        if end.is_some() || self.view.byte(at)? != Some(b'<') { Ok(end) } else { self.tag_name(at + 1, false) }
    }

    /// Returns the end of the name at `at` if it is a declared tool's or, if `params`, one of its parameters'.
    pub(super) fn tag_name(&self, at: usize, params: bool) -> Result<Option<usize>, NotYet> {
        let (calls, params) = (self.dialect().has_call_tags, params && self.dialect().has_param_tags);
        let end = if calls || params { name_end(self.view, at)? } else { None };
        let is_own = |name: &str| calls && self.engine.tools.is_declared(name) || params && self.declares(name);
        Ok(end.filter(|end| is_own(self.view.slice(at, *end))))
    }

    /// Returns the end of the longest closer of the call or its section at `at`.
    pub(crate) fn any_closer(&self, at: usize) -> Result<Option<usize>, NotYet> {
        self.any(at, self.pattern().tail.iter().chain(self.section_closers()))
    }

    /// Returns the end of the longest strong marker at `at`: one that opens or closes anything of the dialect.
    pub(crate) fn any_strong(&self, at: usize) -> Result<Option<usize>, NotYet> {
        if !self.markers().stands(self.view, at)? {
            return Ok(None);
        }
        let params =
            self.dialect().params.iter().flat_map(|param| param.opening().into_iter().chain(param.tail.first()));
        let literals = self.pattern().tail.iter().chain(self.section_closers()).chain(params);
        Ok(self.any(at, literals.filter(|literal| literal.is_strong()))?.max(self.opener(at)?))
    }

    /// Counts bytes of look-ahead.
    pub(crate) fn count(&self, bytes: usize) {
        self.ahead.iter().for_each(|ahead| ahead.set(ahead.get() + bytes));
    }
}
