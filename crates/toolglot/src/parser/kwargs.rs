//! `{kwargs}`: Python keyword arguments up to the closing parenthesis.

use super::engine::Scene;
use super::head::{Head, name_end, skip_gap};
use super::markers::AroundJson;
use super::object::{ArgumentsObject, check_declared, duplicate};
use crate::diagnostic::Code;
use crate::json::{Context, End, Ended, Place, Reader};
use crate::schema::Node;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads keyword arguments into an arguments object.
#[derive(Clone, Debug)]
pub(crate) struct Kwargs {
    at: usize,
    object: ArgumentsObject,
    value: Option<Keyword>,
    /// Bytes of arguments that had been said when the value began.
    before_value: usize,
}

/// The value that is being read.
#[derive(Clone, Debug)]
struct Keyword {
    reader: Reader,
    /// The argument was given before: its value goes nowhere.
    repeated: Option<String>,
}

impl Kwargs {
    pub(crate) fn new(at: usize) -> Self {
        Self { at, object: ArgumentsObject::default(), value: None, before_value: 0 }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.value.as_ref().map_or(self.at, |value| value.reader.anchor())
    }

    /// Reads on until the parenthesis closes; it is not consumed.
    pub(crate) fn resume(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<End, NotYet> {
        loop {
            if let Some(value) = &mut self.value {
                let end = value.resume(view, scene, head, sink)?;
                (self.at, self.value) = (end.at, None);
                if end.how == Ended::Cut {
                    self.object.end(end.at, scene, sink);
                    return Ok(end);
                }
                if end.how != Ended::Complete {
                    if sink.written() == self.before_value {
                        sink.arguments(end.at, "null");
                    }
                    self.object.cut(end.at, sink);
                    return Ok(end);
                }
            }
            if let Some(end) = self.between(view, scene, head, sink)? {
                return Ok(end);
            }
        }
    }

    fn between(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Option<End>, NotYet> {
        let at = skip_gap(view, self.at)?;
        match view.byte(at)? {
            Some(b')') => {
                self.object.end(at, scene, sink);
                return Ok(Some(End { at, how: Ended::Complete }));
            }
            None => {
                self.object.cut(at, sink);
                return Ok(Some(End { at, how: Ended::Truncated }));
            }
            Some(b',') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(_) => {}
        }
        let outer = scene.any_closer(view, at, head)?.max(scene.opener(view, at, head)?);
        if outer.is_some() {
            self.object.end(at, scene, sink);
            return Ok(Some(End { at, how: Ended::Cut }));
        }
        let Some((key, start)) = keyword(view, at)? else {
            sink.repair(Code::JunkInCall, at..at, "an argument without a keyword");
            self.object.cut(at, sink);
            return Ok(Some(End { at, how: Ended::Broken }));
        };
        self.begin(key, start, scene, sink);
        Ok(None)
    }

    fn begin(&mut self, key: &str, start: usize, scene: &Scene<'_>, sink: &mut Sink) {
        let repeated = self.object.has(key).then(|| key.to_owned());
        if repeated.is_none() {
            check_declared(key, scene, start, sink);
            self.object.key(key, start, sink);
        }
        let node = scene.parameter(key).map(Node::id);
        self.before_value = if repeated.is_none() { sink.written() } else { usize::MAX };
        self.value = Some(Keyword { reader: Reader::new(start, Place::Keyword, node), repeated });
        self.at = start;
    }
}

impl Keyword {
    fn resume(&mut self, view: View<'_>, scene: &Scene<'_>, head: &Head, sink: &mut Sink) -> Result<End, NotYet> {
        let around = AroundJson { scene: *scene, head };
        let context = Context {
            markers: &around,
            schema: scene.tool.and_then(|tool| tool.schema.as_ref()),
            options: &scene.engine.options,
            quote: None,
        };
        let Some(key) = &self.repeated else { return self.reader.resume(view, &context, sink) };
        let mut nowhere = Sink::muted(sink.cursor(), scene.engine.options.repairs);
        let end = self.reader.resume(view, &context, &mut nowhere)?;
        duplicate(key, end.at, sink);
        sink.arguments(end.at, "");
        Ok(end)
    }
}

/// Reads `name =`, not `==`; returns the name and where the value begins.
pub(crate) fn keyword(view: View<'_>, at: usize) -> Result<Option<(&str, usize)>, NotYet> {
    let Some(end) = name_end(view, at)? else { return Ok(None) };
    let equals = view.skip_blanks(end)?;
    if view.byte(equals)? != Some(b'=') || view.byte(equals + 1)? == Some(b'=') {
        return Ok(None);
    }
    Ok(Some((view.slice(at, end), view.skip_blanks(equals + 1)?)))
}
