//! Where a value ends: a doubtful end is held until the next marker decides.
//!
//! ```text
//!             marker that may be data
//!   Sure ───────────────────────────▶ Doubt (nothing is emitted)
//!    ▲                                  │   │
//!    └──── a good closer of the value ◀─┘   └──▶ an opener that becomes ready, or the end:
//!          (all before it was data)              the value ended where the doubt began
//! ```

use std::collections::BTreeSet;

use crate::diagnostic::Code;
use crate::dialect::{Literal, Pattern};
use crate::id::seed_of;
use crate::parser::head::{Head, name_end, skip_gap};
use crate::parser::lane::Lane;
use crate::parser::object::ArgumentsObject;
use crate::parser::params::param_head;
use crate::parser::scene::{Marker, Scene, named_tag};
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Where a value's data ends and where reading goes on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) end: usize,
    pub(super) next: usize,
    /// False if the input ended inside the value.
    pub(super) whole: bool,
}

/// Looks for a value's end.
#[derive(Clone, Debug)]
pub(super) struct Ender {
    /// Everything before has been looked at.
    pub(super) scan: usize,
    /// Where the value ended, if the markers since then confirm it.
    pub(super) doubt: Option<Edge>,
    /// Hashes of the tags that were opened inside the value: their closers are data.
    opened: BTreeSet<u64>,
}

impl Edge {
    fn at(end: usize, next: usize) -> Self {
        Self { end, next, whole: true }
    }
}

impl Ender {
    pub(super) fn new(at: usize) -> Self {
        Self { scan: at, doubt: None, opened: BTreeSet::new() }
    }

    /// Moves to where a marker may stand, past tags that are data; false at the end of what is visible.
    pub(super) fn seek(&mut self, lane: &Lane<'_>, head: &Head) -> Result<bool, NotYet> {
        loop {
            let ahead = lane.markers().find(lane.view.rest(self.scan));
            self.scan = ahead.map_or(lane.view.end(), |ahead| self.scan + ahead);
            if ahead.is_none() || !self.pass_tag(lane, head)? {
                return Ok(ahead.is_some());
            }
        }
    }

    /// Moves to where a text stands; false at the end of what is visible.
    pub(super) fn seek_text(&mut self, view: View<'_>, text: &str) -> Result<bool, NotYet> {
        while let Some(ahead) = memchr::memchr(text.as_bytes()[0], view.rest(self.scan)) {
            self.scan += ahead;
            if view.starts_with(self.scan, text)? {
                return Ok(true);
            }
            self.scan += 1;
        }
        self.scan = view.end();
        view.final_end().map(|_| false)
    }

    /// Goes past a tag at `scan` that is no marker: one that opens, or closes what was opened inside the value.
    fn pass_tag(&mut self, lane: &Lane<'_>, head: &Head) -> Result<bool, NotYet> {
        let (view, at) = (lane.view, self.scan);
        let marks = lane.markers().spells(view, at)?
            || if view.byte(at + 1)? == Some(b'/') {
                let name = skip_gap(view, at + 2)?;
                let own = [head.key(), head.name().unwrap_or_default()];
                view.starts_with(name, own[0])? || view.starts_with(name, own[1])? || self.is_stray(view, at + 2)?
            } else {
                lane.opens_parameter(at + 1)?
            };
        if !marks {
            self.pass_data(view)?;
        }
        Ok(!marks)
    }

    /// Says whether a closing tag, whose name begins at `at`, closes nothing that was opened inside the value.
    fn is_stray(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        Ok(named_tag(view, at)?.is_some_and(|(name, _)| !self.opened.contains(&seed_of(name.as_bytes()))))
    }

    /// The input ended: the doubt is confirmed, or the value is cut.
    pub(super) fn at_end_of_input(&self, end: usize) -> Edge {
        self.doubt.unwrap_or(Edge { end, next: end, whole: false })
    }

    /// Decides what stands at `scan`: the value's end, a doubtful end, or data to go past.
    pub(super) fn judge(
        &mut self,
        start: usize,
        scene: &Scene<'_>,
        param: &Pattern,
        object: &ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<Option<Edge>, NotYet> {
        let at = self.scan;
        let Some((marker, end)) = scene.marker(at, param)? else {
            self.pass_data(scene.view)?;
            return Ok(None);
        };
        let edge = match marker {
            Marker::Value => self.value_closer(end, scene, param)?,
            Marker::Param => begins_other(at, scene, object)?.then(|| Edge::at(at, at)),
            Marker::Tag => self.tag(end, scene, param)?,
            Marker::Call | Marker::Section => self.outer_closer(marker, end, scene, param, object)?,
            Marker::Open | Marker::End => self.opener(start, scene)?,
        };
        match edge {
            Some(edge) => report(marker, &edge, sink),
            None => self.scan = if matches!(marker, Marker::Tag | Marker::Open) { at + 1 } else { end },
        }
        Ok(edge)
    }

    /// The value's closer ends it if what follows can follow; else it is a doubtful end.
    fn value_closer(&mut self, end: usize, scene: &Scene<'_>, param: &Pattern) -> Result<Option<Edge>, NotYet> {
        let edge = Edge::at(self.scan, end);
        if goes_on(end, scene, param)? {
            return Ok(Some(edge));
        }
        self.doubt.get_or_insert(edge);
        Ok(None)
    }

    /// A closing tag of another name ends the value if the call goes on behind it and nothing in the value opened it.
    fn tag(&mut self, end: usize, scene: &Scene<'_>, param: &Pattern) -> Result<Option<Edge>, NotYet> {
        let Some((_, after)) = named_tag(scene.view, end)?.filter(|_| self.is_stray(scene.view, end) == Ok(true))
        else {
            return Ok(None);
        };
        let edge = Edge::at(self.scan, after);
        match scene.follows(after, &[Marker::Call, Marker::Section, Marker::Param], param)? {
            Some(Marker::Param) if scene.is_open() => Ok(None),
            Some(Marker::End) => {
                self.doubt.get_or_insert(edge);
                Ok(None)
            }
            None if ends_in_tags(after, scene)? => {
                self.doubt.get_or_insert(edge);
                Ok(None)
            }
            follows => Ok(follows.map(|_| edge)),
        }
    }

    /// The call's or section's closer ends the value if the section's closer follows, or another parameter whose
    /// predecessor it closed in place of the right closer; else it is a doubtful end.
    fn outer_closer(
        &mut self,
        marker: Marker,
        end: usize,
        scene: &Scene<'_>,
        param: &Pattern,
        object: &ArgumentsObject,
    ) -> Result<Option<Edge>, NotYet> {
        if self.doubt.is_none() && begins_other(scene.gap(end)?, scene, object)? {
            return Ok(Some(Edge::at(self.scan, end)));
        }
        let markers = if marker == Marker::Call { &[Marker::Section, Marker::Open][..] } else { &[Marker::Open] };
        let follows = scene.follows(end, markers, param)?;
        let sure = follows == Some(Marker::Section) || follows == Some(Marker::End) && self.doubt.is_none();
        let doubt = *self.doubt.get_or_insert(Edge::at(self.scan, self.scan));
        Ok(sure.then_some(doubt))
    }

    /// An opener that becomes ready ends the value where the doubt began, or here at a line's start.
    fn opener(&self, start: usize, scene: &Scene<'_>) -> Result<Option<Edge>, NotYet> {
        let at = self.scan;
        let line_start = at == start || scene.view.byte(at - 1)? == Some(b'\n');
        if self.doubt.is_none() && !line_start || !scene.call_begins(at)? {
            return Ok(None);
        }
        Ok(Some(self.doubt.unwrap_or(Edge::at(at, at))))
    }

    /// Goes past a byte that begins no marker; remembers an opening tag inside the value.
    fn pass_data(&mut self, view: View<'_>) -> Result<(), NotYet> {
        let name = self.scan + 1;
        if view.byte(self.scan)? == Some(b'<')
            && let Some(end) = name_end(view, name)?
        {
            self.opened.insert(seed_of(view.slice(name, end).as_bytes()));
        }
        self.scan += 1;
        Ok(())
    }
}

/// Reports an end that was not the value's own closer.
fn report(marker: Marker, edge: &Edge, sink: &mut Sink) {
    let span = edge.end..edge.next;
    match marker {
        Marker::Value => {}
        Marker::Tag => sink.repair(Code::WrongCloser, span, "another tag closed a parameter"),
        Marker::Call | Marker::Section if !span.is_empty() => {
            sink.repair(Code::WrongCloser, span, "another tag closed a parameter");
        }
        _ => sink.repair(Code::MissingValueCloser, span, "a value ended where the next marker stands"),
    }
}

/// Says whether nothing but a few closing tags follows to the end of the input.
fn ends_in_tags(mut at: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    for _ in 0..4 {
        at = scene.gap(at)?;
        if scene.view.byte(at)?.is_none() {
            return Ok(true);
        }
        if !scene.view.starts_with(at, "</")? {
            return Ok(false);
        }
        let Some((_, end)) = named_tag(scene.view, at + 2)? else { return Ok(false) };
        at = end;
    }
    Ok(false)
}

/// Says whether what follows a value's closer, which ends at `end`, can follow it.
fn goes_on(end: usize, scene: &Scene<'_>, param: &Pattern) -> Result<bool, NotYet> {
    let any = [Marker::Param, Marker::Call, Marker::Section, Marker::Open, Marker::Value];
    match scene.follows(end, &any, param)? {
        Some(Marker::Open) if scene.pattern().tail.is_empty() => {}
        Some(_) => return Ok(true),
        None => {}
    }
    let view = scene.view;
    let next = scene.gap(end)?;
    let element = param.has_key_tag() && view.byte(next)? == Some(b'<');
    if element && named_tag(view, next + 1)?.is_some() {
        return Ok(true);
    }
    if !param.tail.first().is_some_and(Literal::is_closing_tag) || !view.starts_with(next, "</")? {
        return Ok(false);
    }
    let Some((_, after)) = named_tag(view, next + 2)? else { return Ok(false) };
    let behind = scene.follows(after, &[Marker::Call, Marker::Section, Marker::Open], param)?.is_some();
    Ok(behind || matches!(view.byte(after)?, Some(b'\n' | b'\r')))
}

/// Says whether the parameter that opens at `at` is another one of this tool, not given yet.
fn begins_other(at: usize, scene: &Scene<'_>, object: &ArgumentsObject) -> Result<bool, NotYet> {
    let mut inner = Head::default();
    if param_head(at, scene, false, &mut inner)?.is_none() {
        return Ok(false);
    }
    let key = inner.key();
    Ok(scene.declares(key) && !object.has(key) && scene.head.key() != key)
}
