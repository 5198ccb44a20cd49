//! One parameter's value: raw text up to its closer, typed by the schema.

use super::attributes::decode_entities;
use super::bytes::SHORT;
use super::data::Kind;
use super::head::{Head, Said, skip_line_break};
use super::lane::Lane;
use super::object::{ArgumentsObject, check_declared, duplicate};
use super::scene::Scene;
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::{Body, Pattern};
use crate::options::{Options, Untyped};
use crate::schema::{Node, Types};
use crate::sink::Sink;
use crate::view::{NotYet, View};
use end::{Edge, Ender};

mod end;

/// Reads the value of the parameter whose head was just read.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    param: usize,
    /// Where the value's data begins.
    start: usize,
    /// Data before this position has been emitted.
    done: usize,
    /// Blank data from here on may turn out to be markup.
    solid: usize,
    mode: Mode,
    hint: Hint,
    repeated: bool,
    cdata: bool,
    tail: Tail,
    ender: Ender,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// The data's edge is still open: a line break or CDATA may come first.
    Edge,
    /// Emitted while it arrives.
    Streamed,
    /// Held until it closes: its type is open.
    Held,
}

/// What at the end of a value is markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tail {
    Nothing,
    LineBreak,
    Blanks,
}

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueEnd {
    pub(crate) at: usize,
    /// False if the input ended inside it.
    pub(crate) whole: bool,
}

const CDATA: &str = "<![CDATA[";
const CDATA_END: &str = "]]>";

impl Value {
    /// Starts a value at `at`, after the head of parameter pattern `param`.
    pub(crate) fn new(at: usize, param: usize, hint: Hint) -> Self {
        let (mode, ender) = (Mode::Edge, Ender::new(at));
        let (repeated, cdata, tail) = (false, false, Tail::Nothing);
        Self { param, start: at, done: at, solid: at, mode, hint, repeated, cdata, tail, ender }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.ender.scan
    }

    /// Passes data up to where a marker may stand; false if one does.
    pub(crate) fn pass_plain(&mut self, lane: &Lane<'_>, head: &Head, sink: &mut Sink) -> bool {
        let silent = self.mode == Mode::Held || self.ender.doubt.is_some();
        if self.mode == Mode::Edge || silent && !lane.may_hold(sink.cursor()) {
            return false;
        }
        let passed = if silent { self.pass_few_held(lane) } else { self.pass_few(lane, sink) };
        if passed {
            return true;
        }
        let found = if self.cdata { self.ender.seek_text(lane.view, CDATA_END) } else { self.ender.seek(lane, head) };
        if !silent {
            self.flush_solid(lane.view, self.ender.scan, sink);
        }
        found != Ok(true)
    }

    /// Passes a few bytes if they are nothing but data.
    fn pass_few(&mut self, lane: &Lane<'_>, sink: &mut Sink) -> bool {
        let (rest, end) = (lane.view.rest(self.done), lane.view.end());
        if rest.len() >= SHORT || rest.last().is_some_and(|last| self.tail.may_begin(*last)) {
            return false;
        }
        let data = lane.view.slice(self.done, end);
        match lane.data().kind(rest) {
            Kind::AsItStands => sink.arguments(end, data),
            Kind::Escaped => sink.escaped(end, data),
            Kind::InDoubt => return false,
        }
        (self.done, self.ender.scan) = (end, end);
        true
    }

    /// Goes past a few bytes that are nothing but data of a value which is held.
    fn pass_few_held(&mut self, lane: &Lane<'_>) -> bool {
        let rest = lane.view.rest(self.ender.scan);
        let passes = rest.len() < SHORT && lane.data().kind(rest) != Kind::InDoubt;
        if passes {
            self.ender.scan = lane.view.end();
        }
        passes
    }

    /// Reads on into `object`. The scene's head is the parameter's.
    pub(crate) fn resume(
        &mut self,
        scene: &Scene<'_>,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<ValueEnd, NotYet> {
        let Some((param, body)) = self.pattern(scene) else { return Ok(ValueEnd { at: self.start, whole: true }) };
        if self.mode == Mode::Edge {
            self.begin(scene, body, object, sink)?;
        }
        let edge = if self.cdata {
            self.find_cdata_end(scene, param, sink)?
        } else {
            self.find_end(scene, param, object, sink)?
        };
        self.close(&edge, scene, body, object, sink);
        Ok(ValueEnd { at: edge.next, whole: edge.whole })
    }

    fn pattern<'e>(&self, scene: &Scene<'e>) -> Option<(&'e Pattern, &'e Body)> {
        let param = scene.dialect().params.get(self.param)?;
        Some((param, param.body.as_ref()?))
    }

    /// Passes the edge: one line break that is markup, blanks, `<![CDATA[`; and says whether the value can stream.
    fn begin(
        &mut self,
        scene: &Scene<'_>,
        body: &Body,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<(), NotYet> {
        let view = scene.view;
        let mut start = if body.line_before { skip_line_break(view, self.start)? } else { self.start };
        if body.trim {
            start = view.skip_blanks(start)?;
        }
        if body.cdata {
            let open = view.skip_blanks(start)?;
            self.cdata = view.starts_with(open, CDATA)?;
            start = if self.cdata { open + CDATA.len() } else { start };
        }
        (self.start, self.done, self.solid, self.ender.scan) = (start, start, start, start);
        self.tail = match body {
            _ if self.cdata => Tail::Nothing,
            Body { trim: true, .. } => Tail::Blanks,
            Body { line_after: true, .. } => Tail::LineBreak,
            _ => Tail::Nothing,
        };
        let key = scene.head.key();
        self.repeated = object.has(key);
        let streams =
            !self.repeated && !body.entities && streams(scene.parameter(key), self.hint, &scene.engine.options);
        self.mode = if streams { Mode::Streamed } else { Mode::Held };
        if streams {
            scene.head.key.iter().for_each(|key| check_declared(key, scene, sink));
            object.key(key, start, sink);
            sink.arguments(start, "\"");
        }
        Ok(())
    }

    fn find_cdata_end(&mut self, scene: &Scene<'_>, param: &Pattern, sink: &mut Sink) -> Result<Edge, NotYet> {
        let view = scene.view;
        let found = self.ender.seek_text(view, CDATA_END);
        self.flush_solid(view, self.ender.scan, sink);
        let end = self.ender.scan;
        if !found? {
            return Ok(Edge { end, next: end, whole: false });
        }
        let after = view.skip_blanks(end + CDATA_END.len())?;
        let closed = scene.any(after, param.tail.first())?;
        if closed.is_none() {
            sink.repair(Code::MissingValueCloser, after..after, "a parameter ended after its CDATA without a closer");
        }
        Ok(Edge { end, next: closed.unwrap_or(end + CDATA_END.len()), whole: true })
    }

    /// Looks at each place where a marker may stand, in order, until one of them ends the value.
    fn find_end(
        &mut self,
        scene: &Scene<'_>,
        param: &Pattern,
        object: &ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<Edge, NotYet> {
        loop {
            let found = self.ender.seek(&scene.lane(), scene.head);
            if self.ender.doubt.is_none() {
                self.flush_solid(scene.view, self.ender.scan, sink);
            }
            if !found? {
                return Ok(self.ender.at_end_of_input(scene.view.final_end()?));
            }
            if let Some(edge) = self.ender.judge(self.start, scene, param, object, sink)? {
                return Ok(edge);
            }
        }
    }

    /// Emits data up to `upto`, but for what may be markup at the end.
    fn flush_solid(&mut self, view: View<'_>, upto: usize, sink: &mut Sink) {
        if self.mode != Mode::Streamed {
            return;
        }
        let keep = match self.tail {
            Tail::Nothing => 0,
            Tail::Blanks => self.blank_tail(view, upto),
            Tail::LineBreak => {
                let data = view.slice(self.done, upto);
                data.len() - data.strip_suffix("\r\n").or(data.strip_suffix(['\n', '\r'])).unwrap_or(data).len()
            }
        };
        self.flush(view, upto - keep, sink);
    }

    /// Returns how many bytes before `upto` are blank; each byte is looked at once.
    fn blank_tail(&mut self, view: View<'_>, upto: usize) -> usize {
        let from = self.solid.max(self.done);
        let solid = view.slice(from, upto).trim_ascii_end().len();
        if solid > 0 {
            self.solid = from + solid;
        }
        upto - self.solid.max(self.done)
    }

    fn flush(&mut self, view: View<'_>, upto: usize, sink: &mut Sink) {
        if self.mode == Mode::Streamed && upto > self.done {
            sink.escaped(upto, view.slice(self.done, upto));
            self.done = upto;
        }
    }

    /// Emits what is left of the value, or all of it if it was held.
    fn close(&mut self, edge: &Edge, scene: &Scene<'_>, body: &Body, object: &mut ArgumentsObject, sink: &mut Sink) {
        let from = if self.mode == Mode::Streamed { self.done } else { self.start };
        let raw = self.tail.trimmed(scene.view.slice(from, edge.end));
        let Some(key) = &scene.head.key else { return };
        if self.mode == Mode::Streamed {
            self.flush(scene.view, from + raw.len(), sink);
            sink.arguments(edge.next, "\"");
        } else if self.repeated {
            duplicate(key, edge.next, sink);
        } else if edge.whole || !raw.is_empty() {
            let text = if body.entities { decode_entities(raw) } else { raw.to_owned() };
            let text = Said { text, span: from..from + raw.len() };
            object.text_member(key, &text, self.hint, edge.next, scene, sink);
        }
    }
}

/// Says whether text of this type may be emitted while it arrives.
fn streams(node: Option<Node<'_>>, hint: Hint, options: &Options) -> bool {
    match (hint, node.filter(|node| !node.types().is_open())) {
        (Hint::Json, _) => false,
        (Hint::String, Some(node)) => node.types().has(Types::STRING) && !node.holds_strings(),
        (Hint::String, None) => true,
        (Hint::None, Some(node)) => node.streams_text(),
        (Hint::None, None) => options.untyped == Untyped::String,
    }
}

impl Tail {
    /// Says whether a byte may be the first of what is markup.
    fn may_begin(self, byte: u8) -> bool {
        match self {
            Self::Nothing => false,
            Self::LineBreak => matches!(byte, b'\n' | b'\r'),
            Self::Blanks => byte.is_ascii_whitespace(),
        }
    }

    /// Returns a whole value's data.
    fn trimmed(self, raw: &str) -> &str {
        match self {
            Self::Nothing => raw,
            Self::Blanks => raw.trim_ascii_end(),
            Self::LineBreak => raw.strip_suffix("\r\n").or(raw.strip_suffix('\n')).unwrap_or(raw),
        }
    }
}
