//! `{params}`: parameters one after another, any blanks between, until the call closes.

use super::contest::{TagEnd, tag_end};
use super::engine::Scene;
use super::head::{Head, nodes, skip_gap, stands};
use super::markers::{Marker, named_tag};
use super::object::ArgumentsObject;
use super::tree;
use super::value::Value;
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Hole, Node, Pattern};
use crate::json::{End, Ended};
use crate::options::FinishReason;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads parameters into an arguments object.
#[derive(Clone, Debug)]
pub(crate) struct Params {
    at: usize,
    begun: bool,
    object: ArgumentsObject,
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
        Self { at, begun: false, object: ArgumentsObject::default(), value: None }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.value.as_ref().map_or(self.at, Value::anchor)
    }

    /// Reads on until the call is over; its closer is not consumed.
    pub(crate) fn resume(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        head: &mut Head,
        sink: &mut Sink,
    ) -> Result<End, NotYet> {
        self.begin_object(scene, head, sink);
        loop {
            if let Some(value) = &mut self.value {
                let end = value.resume(view, scene, head, &mut self.object, sink)?;
                (self.at, self.value) = (end.at, None);
                if !end.whole {
                    self.object.cut(end.at, sink);
                    return Ok(End { at: end.at, how: Ended::Truncated });
                }
            }
            if let Between::Ended(end) = self.between(view, scene, head, sink)? {
                return Ok(end);
            }
        }
    }

    /// Ends a call that has nothing but attributes.
    pub(crate) fn end_at_once(&mut self, scene: &Scene<'_>, head: &mut Head, sink: &mut Sink) {
        self.begin_object(scene, head, sink);
        self.object.end(self.at, scene, sink);
    }

    /// Attributes are the first parameters.
    fn begin_object(&mut self, scene: &Scene<'_>, head: &mut Head, sink: &mut Sink) {
        if !self.begun {
            self.begun = true;
            for (key, value) in std::mem::take(&mut head.attributes) {
                self.object.text_member(&key, &value, Hint::None, self.at, scene, sink);
            }
        }
    }

    fn between(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        head: &mut Head,
        sink: &mut Sink,
    ) -> Result<Between, NotYet> {
        let at = skip_gap(view, self.at)?;
        if let Some((param, start)) = param_head(view, at, scene, head)? {
            return self.begin(view, at, param, start, scene, head, sink);
        }
        if let Some(closer) = scene.closer()
            && stands(view, at, closer, head)?.is_some()
        {
            return Ok(self.end(at, Ended::Complete, scene, sink));
        }
        if view.byte(at)?.is_none() {
            return Ok(self.end_of_input(at, scene, sink));
        }
        let Some(param) = scene.dialect().params.first() else {
            return Ok(self.end(at, Ended::Cut, scene, sink));
        };
        if scene.follows(view, at, &[Marker::Section, Marker::Open], param, head)?.is_some() {
            return Ok(self.end(at, Ended::Cut, scene, sink));
        }
        self.recover(view, at, param, scene, head, sink)
    }

    /// Starts a parameter whose data begins at `start`.
    #[expect(clippy::too_many_arguments, reason = "the scene of one decision")]
    fn begin(
        &mut self,
        view: View<'_>,
        at: usize,
        param: usize,
        start: usize,
        scene: &Scene<'_>,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Between, NotYet> {
        let Some(pattern) = scene.dialect().params.get(param) else { return Ok(Between::Passed) };
        if pattern.kind() == Some(BodyKind::Tree)
            && let Some((json, end)) = tree::read(view, start, scene, pattern, head)?
        {
            let key = head.key.as_deref().unwrap_or_default();
            super::object::check_declared(key, scene, at, sink);
            self.object.member(key, &json, end, sink);
            self.at = end;
            return Ok(Between::Passed);
        }
        note_gap(view, self.at, at, sink);
        self.value = Some(Value::new(start, param, hint(pattern, head)));
        self.at = start;
        Ok(Between::Passed)
    }

    fn end(&mut self, at: usize, how: Ended, scene: &Scene<'_>, sink: &mut Sink) -> Between {
        self.object.end(at, scene, sink);
        Between::Ended(End { at, how })
    }

    /// The call's closer is missing: the call is whole if every required parameter is there.
    fn end_of_input(&mut self, at: usize, scene: &Scene<'_>, sink: &mut Sink) -> Between {
        let cut = scene.engine.options.finish_reason == Some(FinishReason::Length);
        if self.object.is_whole(scene) && !cut {
            return self.end(at, Ended::Cut, scene, sink);
        }
        self.object.cut(at, sink);
        Between::Ended(End { at, how: Ended::Truncated })
    }

    /// Goes past what belongs to no parameter, or ends the call there.
    fn recover(
        &mut self,
        view: View<'_>,
        at: usize,
        param: &Pattern,
        scene: &Scene<'_>,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Between, NotYet> {
        if let Some(end) = value_closer(view, at, scene, head)? {
            sink.repair(Code::DuplicateCloser, at..end, "a parameter's closer stood twice");
            return Ok(self.pass(end, sink));
        }
        if view.starts_with(at, "</")?
            && let Some((name, end)) = named_tag(view, at + 2)?
        {
            let markers = [Marker::Section, Marker::Open, Marker::Param, Marker::Call];
            let next = scene.follows(view, end, &markers, param, head)?;
            if !matches!(next, Some(Marker::Param | Marker::Call)) {
                return Ok(self.end(at, Ended::Cut, scene, sink));
            }
            sink.repair(Code::StrayCloser, at..end, format!("`</{name}>` closes nothing"));
            return Ok(self.pass(end, sink));
        }
        self.pass_junk(view, at, param, scene, head, sink)
    }

    /// Skips to the next marker. A parameter's opener that is none lacks its name.
    fn pass_junk(
        &mut self,
        view: View<'_>,
        at: usize,
        param: &Pattern,
        scene: &Scene<'_>,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Between, NotYet> {
        let found = next_marker(view, at, scene, param, head)?;
        match found {
            None if self.object.is_whole(scene) => {
                let cut = cut_closer(view, at, scene, param, head)?;
                Ok(self.end(if cut { view.final_end()? } else { self.at }, Ended::Cut, scene, sink))
            }
            None => {
                let end = view.final_end()?;
                sink.repair(Code::JunkInCall, at..end, "text between parameters that belongs to none");
                self.object.cut(end, sink);
                Ok(Between::Ended(End { at: end, how: Ended::Truncated }))
            }
            Some((Marker::Param, from, end)) if from == at => match tag_end(view, end)? {
                TagEnd::Cut => Ok(self.end_of_input(view.final_end()?, scene, sink)),
                TagEnd::Open => {
                    sink.repair(Code::JunkInCall, at..end, "the start of a parameter that is none");
                    Ok(self.pass(end, sink))
                }
                TagEnd::Closed => {
                    let after = after_nameless(view, end, scene, head)?;
                    sink.diagnose(Code::NamelessParameter, at..after, "a parameter has no name");
                    Ok(self.pass(after, sink))
                }
            },
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

    fn pass(&mut self, end: usize, sink: &mut Sink) -> Between {
        sink.markup(end);
        self.at = end;
        Between::Passed
    }
}

/// Reads the head of a parameter into `head`; returns its pattern and where its data begins.
pub(crate) fn param_head(
    view: View<'_>,
    at: usize,
    scene: &Scene<'_>,
    head: &mut Head,
) -> Result<Option<(usize, usize)>, NotYet> {
    for (number, param) in scene.dialect().params.iter().enumerate() {
        let mut inner = Head { name: head.name.clone(), mark: head.mark.clone(), ..Head::default() };
        let Some(end) = nodes(view, at, &param.head, None, &mut inner)? else { continue };
        let key = inner.key.as_deref().unwrap_or_default();
        let may = scene.declares(key) || scene.is_open() && head.attributes.is_empty();
        if param.has_key_tag() && !may {
            continue;
        }
        (head.key, head.kind, head.mark) = (inner.key, inner.kind, inner.mark);
        head.literal_newline |= inner.literal_newline;
        return Ok(Some((number, end)));
    }
    Ok(None)
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

/// Reports the letters `\n` in the place of white space.
pub(crate) fn note_gap(view: View<'_>, from: usize, to: usize, sink: &mut Sink) {
    if view.slice(from, to).contains('\\') {
        sink.repair(Code::LiteralNewline, from..to, "the letters `\\n` stood for white space");
    }
}

/// Says whether the input ended inside a closer that began at `at`.
fn cut_closer(view: View<'_>, at: usize, scene: &Scene<'_>, param: &Pattern, head: &Head) -> Result<bool, NotYet> {
    let rest = view.slice(at, view.final_end()?);
    let section = scene.engine.section(scene.form).into_iter().flat_map(|section| &section.tail);
    let closers = param.tail.iter().chain(&scene.pattern().tail).chain(section);
    let spelled = closers.flat_map(|closer| closer.filled(head.name.as_deref(), head.mark.as_deref()));
    Ok(spelled.into_iter().any(|closer| closer.starts_with(rest)))
}

fn value_closer(view: View<'_>, at: usize, scene: &Scene<'_>, head: &Head) -> Result<Option<usize>, NotYet> {
    let mut best = None;
    for closer in scene.dialect().params.iter().filter_map(|param| param.tail.first()) {
        best = best.max(stands(view, at, closer, head)?);
    }
    Ok(best)
}

/// Returns the next marker at or after `at` but for value closers: what it is, where it begins and ends.
fn next_marker(
    view: View<'_>,
    mut at: usize,
    scene: &Scene<'_>,
    param: &Pattern,
    head: &Head,
) -> Result<Option<(Marker, usize, usize)>, NotYet> {
    let bytes = &scene.engine.catalog.marker_bytes[scene.form.dialect];
    while let Some(ahead) = bytes.find(view.rest(at)) {
        at += ahead;
        match scene.marker(view, at, param, head)? {
            Some((Marker::Value | Marker::Tag, _)) | None => at += 1,
            Some((marker, end)) => return Ok(Some((marker, at, end))),
        }
    }
    view.final_end().map(|_| None)
}

/// Skips the value of a parameter without a name: to behind its closer, if the call does not go on first.
fn after_nameless(view: View<'_>, at: usize, scene: &Scene<'_>, head: &Head) -> Result<usize, NotYet> {
    let bytes = &scene.engine.catalog.marker_bytes[scene.form.dialect];
    let mut next = at;
    while let Some(ahead) = bytes.find(view.rest(next)) {
        next += ahead;
        if let Some(end) = value_closer(view, next, scene, head)? {
            return Ok(end);
        }
        if scene.any_closer(view, next, head)?.is_some() {
            return Ok(next);
        }
        next += 1;
    }
    view.final_end()
}
