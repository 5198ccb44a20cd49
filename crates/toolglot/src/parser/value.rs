//! The value of one parameter: raw text up to its closer, typed by the schema.

use super::bytes::SHORT;
use super::call_context::CallContext;
use super::data::ByteClass;
use super::head::{Head, NAME_LIMIT, decode_entities, skip_line_break};
use super::object::{ArgumentsObject, BareText, check_declared};
use super::params::param_head;
use super::value_context::ValueContext;
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::{BodyHole, Pattern};
use crate::options::{Options, Untyped};
use crate::schema::{SchemaNode, Types};
use crate::sink::Sink;
use crate::view::{NotYet, View};
use cdata::{CDATA, CDATA_END};
use end::{ValueEdge, ValueEndFinder};

mod behind;
mod cdata;
mod end;
mod json_span;
mod opened;

/// Reads the value of a parameter after its head.
#[derive(Clone, Debug)]
pub(crate) struct ParamReader {
    param: usize,
    /// Where the value's data begins.
    start: usize,
    /// Data before this position has been emitted.
    done: usize,
    mode: ParamMode,
    hint: Hint,
    cdata: bool,
    tail: ValueTail,
    ender: ValueEndFinder,
    /// Where the value ended, while it is unknown whether the parameter is repeated.
    edge: Option<ValueEdge>,
}

/// The next part of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ParamMode {
    /// The data's edge is undecided: a line break or CDATA may come first.
    Edge,
    /// Emitted as it arrives.
    Streamed,
    /// Held until it closes: its type is undecided.
    Held,
}

/// The markup at the end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueTail {
    Nothing,
    LineBreak,
    /// A line break, but only where the closer is missing after it.
    Loose,
}

/// The end of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ParamEnd {
    pub(crate) at: usize,
    /// Bytes of futile look-ahead for the end.
    pub(crate) in_vain: usize,
    /// False if the input ended inside it.
    pub(crate) whole: bool,
}

impl ParamReader {
    /// Starts a value at `at`, after the head of parameter pattern `param`; a `frugal` one ends at the first opportunity.
    pub(crate) fn new(at: usize, param: usize, hint: Hint, frugal: bool) -> Self {
        let (mode, ender) = (ParamMode::Edge, ValueEndFinder::new(at, param, frugal));
        Self { param, start: at, done: at, mode, hint, cdata: false, tail: ValueTail::Nothing, ender, edge: None }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.ender.scan
    }

    /// Passes data up to where a marker may occur; false if one does.
    #[inline]
    pub(crate) fn pass_plain(&mut self, context: &CallContext<'_>, head: &Head, sink: &mut Sink) -> bool {
        let silent = self.mode == ParamMode::Held || self.ender.held.is_some();
        let is_full = || context.view.end() > sink.cursor().saturating_add(context.engine.options.limits.held);
        if self.mode == ParamMode::Edge || self.edge.is_some() || silent && is_full() {
            return false;
        }
        let passed = if silent { self.pass_few_held(context) } else { self.pass_few(context, sink) };
        passed || self.pass_many(silent, &context.with_head(head), sink)
    }

    #[inline(never)]
    fn pass_many(&mut self, silent: bool, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        let found = if self.cdata { self.ender.seek_in_cdata(context) } else { self.ender.seek(context) };
        if !silent {
            self.flush_solid(context.view, self.ender.scan, sink);
        }
        // What waits for long is looked at again only when it has grown.
        found == Ok(false) || found.is_err() && context.view.end() - self.ender.scan < NAME_LIMIT
    }

    /// Passes a few bytes if they are plain data.
    #[inline(always)]
    fn pass_few(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        let (rest, end) = (context.view.rest(self.done), context.view.end());
        if rest.len() >= SHORT || rest.last().is_some_and(|last| self.tail.may_begin(*last)) {
            return false;
        }
        let data = context.view.slice(self.done, end);
        match context.data().kind(rest) {
            ByteClass::AsItStands => sink.arguments(end, data),
            ByteClass::Escaped => sink.escaped(end, data),
            ByteClass::Undecided => return false,
        }
        (self.done, self.ender.scan) = (end, end);
        true
    }

    /// Skips a few bytes of plain data of a held value.
    fn pass_few_held(&mut self, context: &CallContext<'_>) -> bool {
        let rest = context.view.rest(self.ender.scan);
        let passes = rest.len() < SHORT && context.data().kind(rest) != ByteClass::Undecided;
        if passes {
            self.ender.scan = context.view.end();
        }
        passes
    }

    /// Continues reading into `object`. The call context's head is the parameter's.
    pub(crate) fn resume(
        &mut self,
        context: &CallContext<'_>,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<ParamEnd, NotYet> {
        let Some((param, body)) = self.pattern(context) else {
            return Ok(ParamEnd { at: self.start, in_vain: 0, whole: true });
        };
        if self.mode == ParamMode::Edge {
            self.begin(context, body, !param.tail.is_empty(), object, sink)?;
        }
        let ends = ValueContext { call: context, param, object, start: self.start };
        let edge = match self.edge {
            Some(edge) => edge,
            None if self.cdata => self.find_cdata_end(&ends, sink)?,
            None => self.find_end(&ends, sink)?,
        };
        self.edge = Some(edge);
        let repeats = self.repeats(&edge, context)?;
        self.close(&edge, repeats, context, body, object, sink);
        Ok(ParamEnd { at: edge.next, in_vain: self.ender.in_vain(edge.next), whole: edge.whole })
    }

    /// Returns whether the value is an item of a declared array: the same parameter directly follows.
    fn repeats(&self, edge: &ValueEdge, context: &CallContext<'_>) -> Result<bool, NotYet> {
        let (key, view) = (context.head.key(), context.view);
        let array = context.parameter(context.meant(key)).is_some_and(|node| node.types().only(Types::ARRAY));
        if !edge.whole || !array || view.byte(view.skip_blanks(self.start)?)? == Some(b'[') {
            return Ok(false);
        }
        Ok(param_head(context.gap(edge.next)?, context, true)?.is_some_and(|next| next.head.key() == key))
    }

    fn pattern<'e>(&self, context: &CallContext<'e>) -> Option<(&'e Pattern, &'e BodyHole)> {
        let param = context.dialect().params.get(self.param)?;
        Some((param, param.body.as_ref()?))
    }

    /// Passes the edge: one line break that is markup, `<![CDATA[`; returns whether the value can be streamed.
    fn begin(
        &mut self,
        context: &CallContext<'_>,
        body: &BodyHole,
        closes: bool,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<(), NotYet> {
        let view = context.view;
        let may_break = body.line_before || body.trim;
        let mut start = if may_break { skip_line_break(view, self.start)? } else { self.start };
        // A value that begins on no line of its own ends on none: its last line break is data if its closer follows.
        let tail = match (start > self.start || !may_break) && (body.line_after || body.trim) {
            true => ValueTail::LineBreak,
            false if closes => ValueTail::Loose,
            false => ValueTail::Nothing,
        };
        if body.cdata {
            let open = view.skip_blanks(start)?;
            self.cdata = view.starts_with(open, CDATA)?;
            start = if self.cdata { open + CDATA.len() } else { start };
        }
        (self.start, self.done, self.ender.scan) = (start, start, start);
        self.tail = if self.cdata { ValueTail::Nothing } else { tail };
        let name = context.meant(context.head.key());
        let streams = !body.entities
            && streams(context.parameter(name), self.hint, &context.engine.options)
            && object.key(name, start, sink);
        self.mode = if streams { ParamMode::Streamed } else { ParamMode::Held };
        if streams {
            context.head.key.iter().for_each(|key| check_declared(key, name, context, sink));
            sink.arguments(start, "\"");
        } else {
            self.ender.expect_json(start);
        }
        Ok(())
    }

    fn find_cdata_end(&mut self, context: &ValueContext<'_>, sink: &mut Sink) -> Result<ValueEdge, NotYet> {
        let view = context.view;
        loop {
            let found = self.ender.seek_in_cdata(context);
            let end = self.ender.scan;
            self.flush_solid(view, end, sink);
            match if found? { self.ender.judge_in_cdata(context)? } else { None } {
                Some(true) => break,
                Some(false) => {}
                None => return Ok(ValueEdge { end, next: end, whole: false }),
            }
        }
        let end = self.ender.scan;
        let after = view.skip_blanks(end + CDATA_END.len())?;
        let closed = context.any(after, context.param.tail.first())?;
        if closed.is_none() {
            sink.repair(Code::MissingValueCloser, after..after, "parameter without a closing marker after its CDATA");
        }
        Ok(ValueEdge { end, next: closed.unwrap_or(end + CDATA_END.len()), whole: true })
    }

    /// Examines each possible marker, in order, until one of them ends the value.
    fn find_end(&mut self, context: &ValueContext<'_>, sink: &mut Sink) -> Result<ValueEdge, NotYet> {
        loop {
            let found = self.ender.seek(context);
            if self.ender.held.is_none() {
                self.flush_solid(context.view, self.ender.scan, sink);
            }
            if !found? {
                return self.ender.at_end_of_input(context, sink);
            }
            if let Some(edge) = self.ender.judge(context, sink)? {
                return Ok(edge);
            }
        }
    }

    /// Emits data up to `upto`, except possible markup at the end.
    fn flush_solid(&mut self, view: View<'_>, upto: usize, sink: &mut Sink) {
        let data = view.slice(self.done, upto);
        let solid = data.strip_suffix("\r\n").or(data.strip_suffix(['\n', '\r']));
        let solid = solid.filter(|_| self.tail != ValueTail::Nothing).unwrap_or(data);
        self.flush(view, self.done + solid.len(), sink);
    }

    fn flush(&mut self, view: View<'_>, upto: usize, sink: &mut Sink) {
        if self.mode == ParamMode::Streamed && upto > self.done {
            sink.escaped(upto, view.slice(self.done, upto));
            self.done = upto;
        }
    }

    /// Emits the rest of the value, or all of it if it was held.
    fn close(
        &mut self,
        edge: &ValueEdge,
        repeats: bool,
        context: &CallContext<'_>,
        body: &BodyHole,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) {
        let from = if self.mode == ParamMode::Streamed { self.done } else { self.start };
        let raw = self.tail.trimmed(context.view.slice(from, edge.end), edge.next > edge.end);
        let Some(key) = &context.head.key else { return };
        if self.mode == ParamMode::Streamed {
            self.flush(context.view, from + raw.len(), sink);
            sink.arguments(edge.next, if edge.whole { "\"" } else { "" });
        } else if edge.whole || !raw.is_empty() {
            let text = if body.entities { decode_entities(raw) } else { raw.into() };
            let value = BareText { text: &text, span: from..from + raw.len(), upto: edge.next };
            match repeats || object.has_items() {
                true => object.item(key, &value, repeats, context, sink),
                false => object.text_member(key, &value, self.hint, context, sink),
            }
        }
    }
}

/// Returns whether text of this type may be emitted as it arrives.
fn streams(node: Option<SchemaNode<'_>>, hint: Hint, options: &Options) -> bool {
    match (hint, node.filter(|node| !node.types().is_open())) {
        (Hint::Json, _) => false,
        (Hint::String, Some(node)) => node.types().has(Types::STRING) && !node.holds_strings(),
        (Hint::String, None) => true,
        (Hint::None, Some(node)) => node.streams_text(),
        (Hint::None, None) => options.untyped == Untyped::String,
    }
}

impl ValueTail {
    /// Returns whether markup may begin with a byte.
    fn may_begin(self, byte: u8) -> bool {
        self != Self::Nothing && matches!(byte, b'\n' | b'\r')
    }

    /// Returns a whole value's data; `closed` is set if a closer follows it.
    fn trimmed(self, raw: &str, closed: bool) -> &str {
        if self == Self::Nothing || self == Self::Loose && closed {
            return raw;
        }
        raw.strip_suffix("\r\n").or(raw.strip_suffix('\n')).unwrap_or(raw)
    }
}
