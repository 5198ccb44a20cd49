//! The end of a value: a doubtful end is held until the next marker decides.
//!
//! ```text
//!             marker that may be data
//!   Sure ───────────────────────────▶ Held  (nothing is emitted)
//!    ▲                                  │   │
//!    └──── a good closer of the value ◀─┘   └──▶ an opener that becomes ready, or the end:
//!          (all before it was data)              the value ended at the held end       
//! ```
//!
//! Markers in a string do not count if the string belongs to JSON that ends where the value may.

use super::behind::{begins_next, begins_other, continuation, ends_in_tags, is_word, touches_quote};
use super::json_span::{JsonRest, JsonSpan, may_be_text};
use super::opened::OpenedTags;
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::json::{InnerCall, QUOTED};
use crate::parser::boundary;
use crate::parser::call_context::CallContext;
use crate::parser::head::{named_tag, skip_gap};
use crate::parser::leftover::LOOK;
use crate::parser::marker::Marker;
use crate::parser::params::param_head;
use crate::parser::torn::{
    closes_another, first_piece, is_frayed, is_torn, is_unsaid, is_weak, lacks_break, resembles_closer,
};
use crate::parser::value_context::ValueContext;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Where a value's data ends and where reading continues.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueEdge {
    pub(super) end: usize,
    pub(super) next: usize,
    /// False if the input ended inside the value.
    pub(super) whole: bool,
}

/// Searches for a value's end.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueEndFinder {
    /// Everything before has been looked at.
    pub(super) scan: usize,
    /// Where the value ended, if the later markers confirm it.
    pub(super) held: Option<ValueEdge>,
    /// Ends are never doubtful: earlier ones needed too much look-ahead.
    frugal: bool,
    /// Everything before has been searched for fragments of markers, the first of which is there.
    searched: usize,
    piece: usize,
    /// The value's JSON, while it may be JSON.
    json: Option<JsonSpan>,
    /// The tags that were opened inside the value, whose closers are data.
    opened: OpenedTags,
    /// A tag was closed that was not opened inside the value.
    strayed: bool,
    /// The number of openers that were examined.
    openers: usize,
    /// Bytes of futile look-ahead for them.
    in_vain: usize,
}

impl ValueEdge {
    fn at(end: usize, next: usize) -> Self {
        Self { end, next, whole: true }
    }
}

impl ValueEndFinder {
    pub(super) fn new(at: usize, param: usize, frugal: bool) -> Self {
        let opened = OpenedTags::new(param);
        Self { scan: at, frugal, searched: at, piece: usize::MAX, opened, ..Self::default() }
    }

    /// The value begins at `at` and may be JSON.
    pub(super) fn expect_json(&mut self, at: usize) {
        self.json = (!self.frugal).then(|| JsonSpan::new(at));
    }

    /// Records a doubtful end, unless there is one; if it may not hold one, the value ends there.
    fn hold(&mut self, edge: ValueEdge) -> Option<ValueEdge> {
        let held = *self.held.get_or_insert(edge);
        self.frugal.then_some(held)
    }

    /// Moves to a possible marker, past tags that are data; false at the end of the visible bytes.
    pub(super) fn seek(&mut self, context: &CallContext<'_>) -> Result<bool, NotYet> {
        let found = self.seek_marker(context);
        self.piece = self.piece.min(first_piece(self.searched, self.scan, context));
        self.searched = self.scan;
        found
    }

    fn seek_marker(&mut self, context: &CallContext<'_>) -> Result<bool, NotYet> {
        let view = context.view;
        while let Some(ahead) = context.markers().find(view.rest(self.scan)) {
            self.scan += ahead;
            let at = self.scan;
            if context.markers().spelled_kinds(view, at)? != 0
                || view.byte(at)? == Some(b'<') && self.is_tag_of_call(context, at)?
            {
                return Ok(true);
            }
            // A tag that opens in the value, or closes what was opened there.
            self.pass_data(context)?;
        }
        self.scan = view.end();
        Ok(false)
    }

    /// Returns whether the tag at `at` may be the call's: it closes something open, or opens a parameter.
    fn is_tag_of_call(&self, context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
        let view = context.view;
        if view.byte(at + 1)? != Some(b'/') {
            return Ok(context.tag_name(at + 1, true)?.is_some());
        }
        let name = skip_gap(view, at + 2)?;
        let own = [context.head.key(), context.head.name().unwrap_or_default()];
        Ok(view.starts_with(name, own[0])? || view.starts_with(name, own[1])? || self.is_stray(view, at + 2)?)
    }

    /// Returns whether a closing tag, whose name begins at `at`, closes nothing that was opened inside the value.
    fn is_stray(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        Ok(named_tag(view, at)?.is_some_and(|(name, _)| !self.opened.contains(name)))
    }

    /// Returns the bytes of futile look-ahead for the end, which is after `next`.
    pub(super) fn in_vain(&self, next: usize) -> usize {
        self.scan.saturating_sub(next) + self.in_vain
    }

    /// The input ended: the doubtful end is confirmed, or the value is truncated. A closer that other text may contain, such
    /// as a quote, does not count then: it is more likely data of a truncated value.
    pub(super) fn at_end_of_input(&self, context: &ValueContext<'_>, sink: &mut Sink) -> Result<ValueEdge, NotYet> {
        let end = context.view.final_end()?;
        let cut = context.engine.options.is_cut();
        let Some(held) = self.held.filter(|_| !cut && !is_weak(context.param)) else {
            return Ok(ValueEdge { end, next: end, whole: false });
        };
        if !context.param.is_separated() && context.any(held.end, context.param.tail.first())?.is_none() {
            let tag = context.view.slice(held.end, held.next);
            let name = tag.trim_start_matches("</").trim_end_matches('>');
            let unlike = !tag.is_empty() && !resembles_closer(name, context);
            if is_weak(context.pattern()) || unlike {
                return Ok(ValueEdge { end, next: end, whole: false });
            }
            report(if tag.is_empty() { Marker::Open } else { Marker::Tag }, &held, sink);
            if is_unsaid(false, context) {
                sink.broken(held.end..held.end, UNSAID);
            }
        }
        Ok(held)
    }

    /// Decides what is at `scan`: the value's end, a doubtful end, or data to skip.
    pub(super) fn judge(&mut self, context: &ValueContext<'_>, sink: &mut Sink) -> Result<Option<ValueEdge>, NotYet> {
        if self.pass_json(context)? {
            return Ok(None);
        }
        let at = self.scan;
        let Some((marker, end)) = context.marker(at, context.param)? else {
            self.pass_data(context)?;
            return Ok(None);
        };
        let edge = match marker {
            Marker::Value => self.value_closer(end, context)?,
            Marker::Param if context.param.is_separated() => begins_next(at, context)?.then_some(ValueEdge::at(at, at)),
            Marker::Call if context.param.is_separated() => self.last_end(end, context)?,
            Marker::Param if touches_quote(at, context) => None,
            Marker::Param if begins_other(at, context)? => {
                if self.is_enclosed(at, context)? {
                    self.pass_data(context)?;
                    return Ok(None);
                }
                Some(ValueEdge::at(at, at))
            }
            Marker::Param => None,
            Marker::Tag => self.tag(end, context)?,
            Marker::Call | Marker::Section => self.outer_closer(marker, end, context)?,
            Marker::Open | Marker::End => self.opener(context)?,
        };
        match edge {
            Some(edge) => {
                if marker == Marker::Value && is_drifted(&edge, context) {
                    sink.repair(Code::WrongCloser, edge.end..edge.next, "a parameter's closing marker is misspelled");
                }
                if !context.param.is_separated() {
                    report(marker, &edge, sink);
                }
                if let Some(why) = self.speaks_against(marker, end, &edge, context)? {
                    sink.broken(edge.end..edge.end, why);
                }
            }
            None => {
                if marker == Marker::Param {
                    self.opened.note(at, context)?;
                }
                self.strayed |= marker == Marker::Tag && self.is_stray(context.view, end)?;
                self.scan = match marker {
                    Marker::Open => self.scan,
                    Marker::Tag => at + 1,
                    _ => self.scan.max(end),
                };
            }
        }
        Ok(edge)
    }

    /// Skips the rest of the value's JSON if a marker at `scan` is in one of its strings.
    fn pass_json(&mut self, context: &ValueContext<'_>) -> Result<bool, NotYet> {
        let Some(json) = &mut self.json else { return Ok(false) };
        let rest = json.behind(self.scan, context)?;
        if rest != JsonRest::Structure {
            self.json = None;
        }
        match rest {
            JsonRest::Upto(end) => self.scan = end,
            JsonRest::Nothing(read) if read > 0 => self.looked(read),
            _ => {}
        }
        Ok(matches!(rest, JsonRest::Upto(_)))
    }

    /// Returns the evidence against an end of the value at a marker that ends at `end`.
    fn speaks_against(
        &self,
        marker: Marker,
        end: usize,
        edge: &ValueEdge,
        context: &ValueContext<'_>,
    ) -> Result<Option<&'static str>, NotYet> {
        // Its own closer has been seen, and nobody knows what follows that.
        let closed = self.held.filter(|held| held.next > held.end && held.end < edge.end);
        let unknown = marker == Marker::Param && (closed.is_some() || self.strayed);
        let torn = unknown || closed.is_some_and(|closed| is_torn(closed.next, edge.end, context, context.param));
        let frayed = torn || marker != Marker::Value && is_frayed(edge.end, context);
        let closes = !context.param.is_separated();
        let lacks_closer = closes && edge.next == edge.end;
        Ok(match marker {
            Marker::Open if self.held.is_none() => Some("another call begins in the middle of a value"),
            Marker::Call | Marker::Section | Marker::Param | Marker::Open if closes && is_weak(context.param) => {
                Some("a value without a quote that ends it for certain")
            }
            Marker::Call | Marker::Open if lacks_closer && is_weak(context.pattern()) => {
                Some("a value without its closing marker, ended by text that it may contain")
            }
            _ if marker != Marker::Value && is_unsaid(lacks_closer, context) => Some(UNSAID),
            _ if !closes && (self.piece < edge.end || edge.end > context.start && lacks_break(edge.end, context)) => {
                Some("a marker that parts values was damaged")
            }
            Marker::Tag if closes_another(end, context)? => Some("the closer of another parameter ends a value"),
            _ => frayed.then_some("a value ends in a piece of a marker"),
        })
    }

    /// The value's closer ends it if what follows is possible; otherwise it is a doubtful end.
    fn value_closer(&mut self, end: usize, context: &ValueContext<'_>) -> Result<Option<ValueEdge>, NotYet> {
        let (view, edge) = (context.view, ValueEdge::at(self.scan, end));
        let follows = match continuation(end, context)? {
            Some(_) if is_word(end, context)? => None,
            // Only the same closer is a doubled one: before another spelling it is data.
            Some(Marker::Value) if is_drifted(&edge, context) => None,
            Some(Marker::Value) if !view.starts_with(context.gap(end)?, view.slice(self.scan, end))? => None,
            follows => follows,
        };
        let may_close = matches!(follows, Some(Marker::Call | Marker::Tag));
        let early = if may_close { self.closes_early(end, context)? } else { None };
        // A closer that another one follows closes what was opened inside, or is doubled by mistake.
        let is_nested = self.opened.close_own() && follows == Some(Marker::Value);
        match (follows, early) {
            (Some(_), Some(after)) => self.scan = after,
            (Some(_), None) if !is_nested => return Ok(Some(edge)),
            _ => {}
        }
        // Another spelling is an end where the call continues after it, and data elsewhere.
        Ok(if is_drifted(&edge, context) { None } else { self.hold(edge) })
    }

    /// Returns the end of the call's closers after a value's closer, which ends at `end`, if a required
    /// parameter opens after them, or the server's limit hides whether one does: then all of them are data.
    fn closes_early(&mut self, end: usize, context: &ValueContext<'_>) -> Result<Option<usize>, NotYet> {
        if !self.may_look() || context.follows(end, &[Marker::Call])?.is_none() {
            return Ok(None);
        }
        let lacks =
            |key: &str| context.object.missing(context).any(|missing| missing == key) && context.head.key() != key;
        if !context.object.missing(context).any(|missing| missing != context.head.key()) {
            return Ok(None);
        }
        let (mut after, mut seen, mut early) = (end, end, false);
        loop {
            let next = context.gap(after)?;
            let closed = if context.opener(next)?.is_some() { None } else { context.any_closer(next)? };
            let Some(closed) = closed.filter(|closed| *closed < end + LOOK) else { break };
            after = closed;
        }
        for at in after..end + LOOK {
            seen = at;
            let Some(byte) = context.view.byte(at)? else {
                early = context.engine.options.is_cut();
                break;
            };
            if context.markers().contains(byte) {
                early = param_head(at, context, false)?.is_some_and(|found| lacks(found.head.key()));
                if early || context.opener(at)?.is_some() {
                    break;
                }
            }
        }
        self.looked(seen - end);
        Ok(early.then_some(after))
    }

    /// A closing tag of another name ends the value if the call continues after it and nothing in the value opened it.
    fn tag(&mut self, end: usize, context: &ValueContext<'_>) -> Result<Option<ValueEdge>, NotYet> {
        let Some((name, after)) = named_tag(context.view, end)? else { return Ok(None) };
        if !self.is_stray(context.view, end)? || !resembles_closer(name, context) {
            return Ok(None);
        }
        let edge = ValueEdge::at(self.scan, after);
        match context.follows(after, &[Marker::Call, Marker::Section, Marker::Param])? {
            Some(Marker::Param) if context.is_open() && !begins_other(context.gap(after)?, context)? => Ok(None),
            Some(Marker::End) => Ok(self.hold(edge)),
            None if ends_in_tags(after, context)? => Ok(self.hold(edge)),
            follows => Ok(follows.map(|_| edge)),
        }
    }

    /// The call's or section's closer ends the value if the section's closer follows, or another parameter (it then
    /// replaces the right closer). Otherwise, and if the server's limit is next, it is a doubtful end.
    fn outer_closer(
        &mut self,
        marker: Marker,
        end: usize,
        context: &ValueContext<'_>,
    ) -> Result<Option<ValueEdge>, NotYet> {
        if self.held.is_none() && begins_other(context.gap(end)?, context)? {
            return Ok(Some(ValueEdge::at(self.scan, end)));
        }
        let markers = if marker == Marker::Call { &[Marker::Section, Marker::Open][..] } else { &[Marker::Open] };
        let follows = context.follows(end, markers)?;
        let sure = follows == Some(Marker::Section) || follows == Some(Marker::End) && self.held.is_none();
        let sure = sure && !boundary::is_cut_behind(context, end)?;
        let held = *self.held.get_or_insert(ValueEdge::at(self.scan, self.scan));
        Ok((sure || self.frugal).then_some(held))
    }

    /// The call's closer ends the last of separated values if other text cannot contain it, or if a line or another call begins
    /// after it; otherwise it is a doubtful end.
    fn last_end(&mut self, end: usize, context: &CallContext<'_>) -> Result<Option<ValueEdge>, NotYet> {
        let edge = ValueEdge::at(self.scan, self.scan);
        let next = context.view.skip_blanks(end)?;
        let over = context.view.byte(next)?.is_none() || context.view.slice(end, next).contains('\n');
        if over || context.pattern().tail.iter().any(Literal::is_strong) || context.opener(next)?.is_some() {
            return Ok(Some(edge));
        }
        Ok(self.hold(edge))
    }

    /// Returns whether an element that the value opened closes after `at`, before the value's own closer: its content
    /// is data, even if it has a parameter's name. Each such look-ahead counts as one of the openers.
    fn is_enclosed(&mut self, at: usize, context: &ValueContext<'_>) -> Result<bool, NotYet> {
        if !context.param.has_key_tag() || self.opened.is_empty() || !self.may_look() {
            return Ok(false);
        }
        let (view, mut next) = (context.view, at);
        let enclosed = loop {
            if next >= at + LOOK || view.byte(next)?.is_none() {
                break false;
            }
            match if view.starts_with(next, "</")? { named_tag(view, next + 2)? } else { None } {
                Some((name, _)) if name == context.head.key() => break false,
                Some((name, _)) if self.opened.contains(name) => break true,
                Some((_, end)) => next = end,
                None => next += 1,
            }
        };
        self.looked(next - at);
        Ok(enclosed)
    }

    /// A ready opener ends the value at the doubtful end, or here; the closers of a call that the value
    /// quotes are data anyway.
    pub(super) fn opener(&mut self, context: &CallContext<'_>) -> Result<Option<ValueEdge>, NotYet> {
        let at = self.scan;
        let (inner, read) = match () {
            // Between the brackets of its JSON is no data.
            () if self.json.is_some() && !may_be_text(context) => (InnerCall::Alone, 0),
            () if self.may_look() => boundary::inner(context, at)?,
            () => (InnerCall::Data, 0),
        };
        self.in_vain += read;
        match inner {
            InnerCall::Alone => return Ok(Some(self.held.unwrap_or(ValueEdge::at(at, at)))),
            InnerCall::Quoted(end) => self.scan = end,
            InnerCall::Data => {
                self.openers += 1;
                self.scan += 1;
            }
        }
        Ok(None)
    }

    /// Returns whether the text around an opener may be examined, up to the end of its call; all other openers are data.
    fn may_look(&self) -> bool {
        self.openers < QUOTED && !self.frugal
    }

    /// Records that something was examined, and the number of bytes.
    fn looked(&mut self, bytes: usize) {
        self.openers += 1;
        self.in_vain += bytes;
    }

    /// Skips a byte that begins no marker; remembers an opening tag inside the value.
    fn pass_data(&mut self, context: &CallContext<'_>) -> Result<(), NotYet> {
        self.opened.note(self.scan, context)?;
        self.scan += 1;
        Ok(())
    }
}

/// Returns whether a closer differs in case from the dialect's, has a space before its bracket, or lacks the bracket.
fn is_drifted(closer: &ValueEdge, context: &ValueContext<'_>) -> bool {
    let text = context.view.slice(closer.end, closer.next);
    let own = context.param.tail.first().and_then(|own| own.spellings.first());
    let Some(own) = own.filter(|own| !own.is_fixed() || own.opener().trim() != text) else { return false };
    let own = own.filled(context.head.name(), context.head.mark.as_deref(), Some(context.head.key()));
    let Some(word) = own.trim().strip_suffix('>') else { return false };
    let is_alike = text.get(..word.len()).is_some_and(|text| text.eq_ignore_ascii_case(word));
    is_alike && text != own.trim()
}

/// Reports an end that was not the value's own closer.
fn report(marker: Marker, edge: &ValueEdge, sink: &mut Sink) {
    let span = edge.end..edge.next;
    match marker {
        Marker::Value => {}
        Marker::Tag => sink.repair(Code::WrongCloser, span, "a different tag closed a parameter"),
        Marker::Call | Marker::Section if !span.is_empty() => {
            sink.repair(Code::WrongCloser, span, "a different tag closed a parameter");
        }
        _ => sink.repair(Code::MissingValueCloser, span, "value without a closing marker; ended at the next marker"),
    }
}

const UNSAID: &str = "an undeclared parameter has no closing marker";
