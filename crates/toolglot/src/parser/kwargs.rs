//! `{kwargs}`: Python keyword arguments up to the closing parenthesis.

use super::head::{Said, name_end};
use super::lane::Lane;
use super::object::{ArgumentsObject, check_declared, duplicate};
use super::scene::Scene;
use crate::diagnostic::Code;
use crate::json::{End, Ended, Place, Reader};
use crate::schema::Node;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads keyword arguments into an arguments object.
#[derive(Clone, Debug)]
pub(crate) struct Kwargs {
    start: usize,
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
    repeated: Option<Said>,
}

impl Kwargs {
    pub(crate) fn new(at: usize) -> Self {
        Self { start: at, at, object: ArgumentsObject::default(), value: None, before_value: 0 }
    }

    /// Returns where the arguments began.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn anchor(&self) -> usize {
        self.value.as_ref().map_or(self.at, |value| value.reader.anchor())
    }

    pub(crate) fn pass_plain(&mut self, lane: &Lane<'_>, sink: &mut Sink) -> bool {
        let within = lane.is_within(self.start);
        let value = self.value.as_mut().filter(|value| value.repeated.is_none() && within);
        value.is_some_and(|value| value.reader.pass_plain(lane, sink))
    }

    /// Reads on until the parenthesis closes; it is not consumed.
    pub(crate) fn resume(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<End, NotYet> {
        loop {
            if let Some(value) = &mut self.value {
                let end = value.resume(scene, sink)?;
                (self.at, self.value) = (end.at, None);
                if end.how != Ended::Complete {
                    return Ok(self.cut_in_value(end, scene, sink));
                }
            }
            if let Some(end) = self.between(scene, sink)? {
                return Ok(end);
            }
        }
    }

    /// A marker ended the value and with it the call, or the value is not whole.
    fn cut_in_value(&self, end: End, scene: &Scene<'_>, sink: &mut Sink) -> End {
        if end.how == Ended::Cut {
            self.object.end(end.at, scene, sink);
            return end;
        }
        if sink.written() == self.before_value {
            sink.arguments(end.at, "null");
        }
        self.object.cut(end.at, sink);
        end
    }

    fn between(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<Option<End>, NotYet> {
        let at = scene.gap(self.at)?;
        match scene.view.byte(at)? {
            Some(b')') => return Ok(Some(self.end(at, Ended::Complete, scene, sink))),
            Some(b',') => {
                self.at = at + 1;
                return Ok(None);
            }
            Some(_) => {}
            None => return Ok(Some(self.cut(at, Ended::Truncated, sink))),
        }
        if scene.any_closer(at)?.max(scene.opener(at)?).is_some() {
            return Ok(Some(self.end(at, Ended::Cut, scene, sink)));
        }
        let Some((key, start)) = keyword(scene.view, at)? else {
            if scene.form.section.is_some() && !self.object.is_empty() && scene.next_call_begins(at)? {
                return Ok(Some(self.end(at, Ended::Cut, scene, sink)));
            }
            sink.repair(Code::JunkInCall, at..at, "an argument without a keyword");
            return Ok(Some(self.cut(at, Ended::Broken, sink)));
        };
        self.begin(key, start, scene, sink);
        Ok(None)
    }

    fn end(&self, at: usize, how: Ended, scene: &Scene<'_>, sink: &mut Sink) -> End {
        self.object.end(at, scene, sink);
        End { at, how }
    }

    fn cut(&self, at: usize, how: Ended, sink: &mut Sink) -> End {
        self.object.cut(at, sink);
        End { at, how }
    }

    fn begin(&mut self, key: Said, start: usize, scene: &Scene<'_>, sink: &mut Sink) {
        let node = scene.parameter(&key.text).map(Node::id);
        self.before_value = usize::MAX;
        let repeated = self.object.has(&key.text);
        if !repeated {
            check_declared(&key, scene, sink);
            self.object.key(&key.text, start, sink);
            self.before_value = sink.written();
        }
        let repeated = repeated.then_some(key);
        self.value = Some(Keyword { reader: Reader::new(start, Place::Keyword, node), repeated });
        self.at = start;
    }
}

impl Keyword {
    fn resume(&mut self, scene: &Scene<'_>, sink: &mut Sink) -> Result<End, NotYet> {
        let Some(key) = &self.repeated else { return self.reader.resume(scene.view, &scene.json(None), sink) };
        let mut nowhere = Sink::muted(sink.cursor(), scene.engine.options.repairs);
        let end = self.reader.resume(scene.view, &scene.json(None), &mut nowhere)?;
        duplicate(key, end.at, sink);
        Ok(end)
    }
}

/// Reads `name =`, not `==`; returns the name and where the value begins.
pub(crate) fn keyword(view: View<'_>, at: usize) -> Result<Option<(Said, usize)>, NotYet> {
    let Some(end) = name_end(view, at)? else { return Ok(None) };
    let equals = view.skip_blanks(end)?;
    if view.byte(equals)? != Some(b'=') || view.byte(equals + 1)? == Some(b'=') {
        return Ok(None);
    }
    Ok(Some((Said::new(view.slice(at, end), at..end), view.skip_blanks(equals + 1)?)))
}
