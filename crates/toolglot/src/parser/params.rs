//! `{params}`: parameters one after another, any blanks between, until the call closes.

use std::ops::Range;

use super::contest::{TagEnd, tag_end};
use super::head::{Head, is_spelled, nodes};
use super::lane::Lane;
use super::object::{ArgumentsObject, check_declared, duplicate};
use super::scene::{Marker, Scene, closing_tag};
use super::tree;
use super::value::Value;
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Hole, Node, Pattern};
use crate::json::{End, Ended};
use crate::lead::Lead;
use crate::options::FinishReason;
use crate::sink::Sink;
use crate::view::NotYet;

/// Reads parameters into an arguments object.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    start: usize,
    at: usize,
    begun: bool,
    object: ArgumentsObject,
    /// The head of the parameter that was read last.
    head: Head,
    value: Option<Value>,
}

/// What stands between two parameters.
enum Between {
    /// Something to go past; reading goes on behind it.
    Passed,
    Ended(End),
}

impl Params {
    pub(crate) fn new(at: usize) -> Self {
        Self { start: at, at, begun: false, object: ArgumentsObject::default(), head: Head::default(), value: None }
    }

    /// Returns where the arguments began.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn anchor(&self) -> usize {
        self.value.as_ref().map_or(self.at, Value::anchor)
    }

    pub(crate) fn pass_plain(&mut self, lane: &Lane<'_>, sink: &mut Sink) -> bool {
        let value = self.value.as_mut().filter(|_| lane.is_within(self.start));
        value.is_some_and(|value| value.pass_plain(lane, &self.head, sink))
    }

    /// Reads on until the call is over; its closer is not consumed.
    pub(crate) fn resume(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<End, NotYet> {
        self.begin_object(scene, sink);
        loop {
            if let Some(value) = &mut self.value {
                let end = value.resume(&scene.with_head(&self.head), &mut self.object, sink)?;
                (self.at, self.value) = (end.at, None);
                if !end.whole {
                    self.object.cut(end.at, sink);
                    return Ok(End { at: end.at, how: Ended::Truncated });
                }
            }
            if let Between::Ended(end) = self.between(scene, sink)? {
                return Ok(end);
            }
        }
    }

    /// Ends a call that has nothing but attributes.
    pub(crate) fn end_at_once(&mut self, scene: &Scene<'_>, sink: &mut Sink) {
        self.begin_object(scene, sink);
        self.object.end(self.at, scene, sink);
    }

    /// Attributes are the first parameters.
    fn begin_object(&mut self, scene: &Scene<'_>, sink: &mut Sink) {
        if !self.begun {
            self.begun = true;
            self.head = scene.head.inner();
            self.object.attributes(self.at, scene, sink);
        }
    }

    fn between(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<Between, NotYet> {
        let at = scene.gap(self.at)?;
        if let Some((param, start)) = param_head(at, scene, !self.object.is_empty(), &mut self.head)? {
            self.head.spelled_blank |= is_spelled(scene.view.slice(self.at, at));
            return self.begin(param, start, scene, sink);
        }
        if scene.any(at, &scene.pattern().tail)?.is_some() {
            return Ok(self.end(at, Ended::Complete, scene, sink));
        }
        if scene.view.byte(at)?.is_none() {
            return Ok(self.end_of_input(at, scene, sink));
        }
        let Some(param) = scene.dialect().params.first() else {
            return Ok(self.end(at, Ended::Cut, scene, sink));
        };
        if scene.follows(at, &[Marker::Section, Marker::Open], param)?.is_some() {
            return Ok(self.end(at, Ended::Cut, scene, sink));
        }
        self.recover(at, param, scene, sink)
    }

    /// Starts a parameter whose data begins at `start`.
    fn begin(&mut self, param: usize, start: usize, scene: &Scene<'_>, sink: &mut Sink) -> Result<Between, NotYet> {
        let Some(pattern) = scene.dialect().params.get(param) else { return Ok(Between::Passed) };
        let nests = pattern.kind() == Some(BodyKind::Tree);
        let tree = if nests { tree::read(start, &scene.with_head(&self.head), pattern)? } else { None };
        note_head(&self.head, self.at..start, sink);
        if let Some((json, end)) = tree {
            self.member(&json, end, scene, sink);
            self.at = end;
            return Ok(Between::Passed);
        }
        self.value = Some(Value::new(start, param, hint(pattern, &self.head)));
        self.at = start;
        Ok(Between::Passed)
    }

    /// Writes the parameter whose value was read whole.
    fn member(&mut self, json: &str, end: usize, scene: &Scene<'_>, sink: &mut Sink) {
        let Some(key) = &self.head.key else { return };
        if self.object.has(&key.text) {
            return duplicate(key, end, sink);
        }
        check_declared(key, scene, sink);
        self.object.member(&key.text, json, end, sink);
    }

    fn end(&mut self, at: usize, how: Ended, scene: &Scene<'_>, sink: &mut Sink) -> Between {
        self.object.end(at, scene, sink);
        Between::Ended(End { at, how })
    }

    fn truncate(&mut self, at: usize, sink: &mut Sink) -> Between {
        self.object.cut(at, sink);
        Between::Ended(End { at, how: Ended::Truncated })
    }

    /// The call's closer is missing: the call is whole if every required parameter is there.
    fn end_of_input(&mut self, at: usize, scene: &Scene<'_>, sink: &mut Sink) -> Between {
        let cut = scene.engine.options.finish_reason == Some(FinishReason::Length);
        if self.object.is_whole(scene) && !cut {
            return self.end(at, Ended::Cut, scene, sink);
        }
        self.truncate(at, sink)
    }

    /// Goes past what belongs to no parameter, or ends the call there.
    fn recover(&mut self, at: usize, param: &Pattern, scene: &Scene<'_>, sink: &mut Sink) -> Result<Between, NotYet> {
        if let Some(end) = self.value_closer(at, scene)? {
            sink.repair(Code::DuplicateCloser, at..end, "a parameter's closer stood twice");
            return Ok(self.pass(end, sink));
        }
        if scene.view.starts_with(at, "</")?
            && let Some((name, end)) = closing_tag(scene.view, at + 2)?
        {
            let markers = [Marker::Section, Marker::Open, Marker::Param, Marker::Call];
            let next = scene.follows(end, &markers, param)?;
            // Where a later one of the call's closers follows, the tag stands in place of the first.
            let first = next == Some(Marker::Call) && scene.any(scene.gap(end)?, scene.closer())?.is_some();
            if next != Some(Marker::Param) && !first {
                return Ok(self.end(at, Ended::Cut, scene, sink));
            }
            sink.repair(Code::StrayCloser, at..end, format!("`</{name}>` closes nothing"));
            return Ok(self.pass(end, sink));
        }
        self.pass_junk(at, param, scene, sink)
    }

    /// Skips to the next marker.
    fn pass_junk(&mut self, at: usize, param: &Pattern, scene: &Scene<'_>, sink: &mut Sink) -> Result<Between, NotYet> {
        match next_marker(at, scene, param)? {
            None => self.junk_to_the_end(at, param, scene, sink),
            Some((Marker::Param, from, end)) if from == at => self.broken_param(at, end, scene, sink),
            Some((_, from, end)) if from == at => Ok(self.pass(end, sink)),
            Some((marker, from, _)) => {
                sink.repair(Code::JunkInCall, at..from, "text between parameters that belongs to none");
                if matches!(marker, Marker::Open | Marker::Section) {
                    return Ok(self.end(at, Ended::Cut, scene, sink));
                }
                Ok(self.pass(from, sink))
            }
        }
    }

    /// No marker follows: what stands here is text after a call, or a closer that the end of input cut.
    fn junk_to_the_end(
        &mut self,
        at: usize,
        param: &Pattern,
        scene: &Scene<'_>,
        sink: &mut Sink,
    ) -> Result<Between, NotYet> {
        let end = scene.view.final_end()?;
        let rest = scene.view.slice(at, end);
        let cut = cut_closer(rest, param, scene);
        if self.object.is_whole(scene) && (cut || !cut_opener(rest, scene)) {
            return Ok(self.end(if cut { end } else { self.at }, Ended::Cut, scene, sink));
        }
        sink.repair(Code::JunkInCall, at..end, "text between parameters that belongs to none");
        Ok(self.truncate(end, sink))
    }

    /// A parameter's opening literal ends at `end`, but no key is there.
    fn broken_param(&mut self, at: usize, end: usize, scene: &Scene<'_>, sink: &mut Sink) -> Result<Between, NotYet> {
        match tag_end(scene.view, end)? {
            TagEnd::Cut => Ok(self.truncate(scene.view.final_end()?, sink)),
            TagEnd::Open => {
                sink.repair(Code::JunkInCall, at..end, "the start of a parameter that is none");
                Ok(self.pass(end, sink))
            }
            TagEnd::Closed => {
                let after = self.after_nameless(end, scene)?;
                sink.diagnose(Code::NamelessParameter, at..after, "a parameter has no name");
                Ok(self.pass(after, sink))
            }
        }
    }

    fn pass(&mut self, end: usize, sink: &mut Sink) -> Between {
        sink.markup(end);
        self.at = end;
        Between::Passed
    }

    fn value_closer(&self, at: usize, scene: &Scene<'_>) -> Result<Option<usize>, NotYet> {
        let closers = scene.dialect().params.iter().filter_map(|param| param.tail.first());
        scene.with_head(&self.head).any(at, closers)
    }

    /// Skips the value of a parameter without a name: to behind its closer, if the call does not go on first.
    fn after_nameless(&self, at: usize, scene: &Scene<'_>) -> Result<usize, NotYet> {
        let mut next = at;
        while let Some(ahead) = scene.markers().find(scene.view.rest(next)) {
            next += ahead;
            if let Some(end) = self.value_closer(next, scene)? {
                return Ok(end);
            }
            if scene.any_closer(next)?.is_some() {
                return Ok(next);
            }
            next += 1;
        }
        scene.view.final_end()
    }
}

/// Reads the head of a parameter into `head`; returns its pattern and where its data begins.
///
/// A tag of the key's own name must be declared, unless it is `sure` that parameters stand here.
pub(crate) fn param_head(
    at: usize,
    scene: &Scene<'_>,
    sure: bool,
    head: &mut Head,
) -> Result<Option<(usize, usize)>, NotYet> {
    let lead = Lead::of(scene.view.rest(at));
    let may_stand = |param: &Pattern| param.opening().is_none_or(|opening| opening.may_stand(lead));
    for (number, param) in scene.dialect().params.iter().enumerate().filter(|(_, param)| may_stand(param)) {
        let mut inner = scene.head.inner();
        let Some(end) = nodes(scene.view, at, &param.head, None, &mut inner)? else { continue };
        let key = inner.key();
        let may = !param.has_key_tag()
            || scene.declares(key)
            || sure && !opens_call(at, key, scene)?
            || scene.is_open() && scene.head.attributes.is_empty();
        if may {
            *head = inner;
            return Ok(Some((number, end)));
        }
    }
    Ok(None)
}

/// Says whether a tag is the opener of a call or section, or named after a tool.
fn opens_call(at: usize, key: &str, scene: &Scene<'_>) -> Result<bool, NotYet> {
    let tool = scene.engine.callee(key).is_some_and(|callee| callee.tool.is_some());
    Ok(tool || scene.opener(at)?.is_some())
}

/// What the dialect says of the value's type, where it says anything.
fn hint(param: &Pattern, head: &Head) -> Hint {
    let says = param.head.iter().any(|node| match node {
        Node::Hole(hole) => *hole == Hole::Type,
        Node::Attributes(attributes) => attributes.named.iter().any(|(_, hole)| *hole == Hole::Type),
        Node::Literal(_) => false,
    });
    match head.kind.as_deref() {
        Some("string" | "str" | "true") if says => Hint::String,
        Some(_) if says => Hint::Json,
        _ => Hint::None,
    }
}

/// Reports what a head says in other characters than it should, leaves out or says twice.
pub(crate) fn note_head(head: &Head, span: Range<usize>, sink: &mut Sink) {
    if head.spelled_blank {
        sink.repair(Code::LiteralNewline, span.clone(), "letters such as `\\n` or `Ġ` stood for white space");
    }
    if head.encoded {
        sink.repair(Code::EntityQuotes, span.clone(), "the call's quotes are written as entities");
    }
    if head.doubled {
        sink.repair(Code::DuplicateOpener, span.clone(), "an opening marker stood twice");
    }
    if head.lost_blank {
        sink.repair(Code::LostBlank, span, "an attribute was glued to its tag's name");
    }
}

/// Says whether `rest` is the start of a parameter's opener.
fn cut_opener(rest: &str, scene: &Scene<'_>) -> bool {
    let openings = scene.dialect().params.iter().filter_map(Pattern::opening);
    openings.flat_map(|opening| &opening.spellings).any(|spelling| spelling.plain().starts_with(rest))
}

/// Says whether `rest` is the start of a closer.
fn cut_closer(rest: &str, param: &Pattern, scene: &Scene<'_>) -> bool {
    let closers = param.tail.iter().chain(&scene.pattern().tail).chain(scene.section_closers());
    let mut spelled = closers.flat_map(|closer| closer.filled(scene.head.name(), scene.head.mark.as_deref()));
    spelled.any(|closer| closer.starts_with(rest))
}

/// Returns the next marker at or after `at` but for value closers: what it is, where it begins and ends.
fn next_marker(mut at: usize, scene: &Scene<'_>, param: &Pattern) -> Result<Option<(Marker, usize, usize)>, NotYet> {
    while let Some(ahead) = scene.markers().find(scene.view.rest(at)) {
        at += ahead;
        match scene.marker(at, param)? {
            Some((Marker::Value | Marker::Tag, _)) | None => at += 1,
            Some((marker, end)) => return Ok(Some((marker, at, end))),
        }
    }
    scene.view.final_end().map(|_| None)
}
