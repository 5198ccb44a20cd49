//! One parameter's value: raw text up to its closer, typed by the schema.
//!
//! A doubtful end is held until the next marker decides:
//!
//! ```text
//!             marker that may be data
//!   Reading ───────────────────────────▶ Doubtful (nothing is emitted)
//!      ▲                                   │    │
//!      └──── a good closer of the value ◀──┘    └──▶ an opener that becomes ready, or the end:
//!            (all before it was data)                the value ended where the doubt began
//! ```

use super::engine::Scene;
use super::head::{Head, skip_gap, stands};
use super::markers::{Marker, named_tag};
use super::object::{ArgumentsObject, check_declared, duplicate};
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::{Body, Literal, Pattern};
use crate::options::{Options, Untyped};
use crate::schema::{Node, Types};
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads the value of the parameter whose head was just read.
#[derive(Clone, Debug)]
pub(crate) struct Value {
    param: usize,
    /// Where the value's data begins.
    start: usize,
    /// Everything before has been looked at.
    scan: usize,
    /// Data before this position has been emitted.
    done: usize,
    /// Blank data from here on may turn out to be markup.
    solid: usize,
    mode: Mode,
    hint: Hint,
    repeated: bool,
    /// Where the value ended, if the markers since then confirm it, and where reading goes on.
    doubt: Option<(usize, usize)>,
    /// Tags that were opened inside the value, so that their closers are data.
    opened: Vec<u64>,
    cdata: bool,
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

/// How a value ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueEnd {
    pub(crate) at: usize,
    /// False if the input ended inside it.
    pub(crate) whole: bool,
}

/// Where a value ends and where reading goes on; whole, or cut off by the end of input.
type Edge = (usize, usize, bool);

impl Value {
    /// Starts a value at `at`, after the head of parameter pattern `param`.
    pub(crate) fn new(at: usize, param: usize, hint: Hint) -> Self {
        Self {
            param,
            start: at,
            scan: at,
            done: at,
            solid: at,
            mode: Mode::Edge,
            hint,
            repeated: false,
            doubt: None,
            opened: Vec::new(),
            cdata: false,
        }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.scan
    }

    /// Reads on into `object`.
    pub(crate) fn resume(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        head: &Head,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<ValueEnd, NotYet> {
        let Some((param, body)) = self.pattern(scene) else { return Ok(ValueEnd { at: self.scan, whole: true }) };
        let key = head.key.as_deref().unwrap_or_default();
        if self.mode == Mode::Edge {
            self.begin(view, scene, key, body, object, sink)?;
        }
        let (end, next, whole) = if self.cdata {
            self.find_cdata_end(view, param, head, sink)?
        } else {
            self.find_end(view, scene, param, head, object, sink)?
        };
        self.close(view, scene, key, body, end, next, whole, object, sink);
        Ok(ValueEnd { at: next, whole })
    }

    fn pattern<'e>(&self, scene: &Scene<'e>) -> Option<(&'e Pattern, &'e Body)> {
        let param = scene.dialect().params.get(self.param)?;
        Some((param, param.body.as_ref()?))
    }

    /// Passes the edge: one line break that is markup, blanks, `<![CDATA[`; and says whether the value can stream.
    fn begin(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        key: &str,
        body: &Body,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<(), NotYet> {
        let mut start = if body.line_before { skip_line_break(view, self.start)? } else { self.start };
        if body.trim {
            start = view.skip_blanks(start)?;
        }
        if body.cdata {
            let open = view.skip_blanks(start)?;
            self.cdata = view.starts_with(open, "<![CDATA[")?;
            start = if self.cdata { open + "<![CDATA[".len() } else { start };
        }
        (self.start, self.scan, self.done, self.solid) = (start, start, start, start);
        self.repeated = object.has(key);
        let node = scene.parameter(key);
        let streams = !self.repeated && !body.entities && streams(node, self.hint, &scene.engine.options);
        self.mode = if streams { Mode::Streamed } else { Mode::Held };
        if streams {
            check_declared(key, scene, start, sink);
            object.key(key, start, sink);
            sink.arguments(start, "\"");
        }
        Ok(())
    }

    fn find_cdata_end(
        &mut self,
        view: View<'_>,
        param: &Pattern,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Edge, NotYet> {
        let Some(ahead) = memchr::memmem::find(view.rest(self.scan), b"]]>") else {
            let safe = view.end().saturating_sub(2).max(self.scan);
            let safe = (self.scan..=safe).rev().find(|at| view.is_boundary(*at)).unwrap_or(self.scan);
            self.flush(view, safe, sink);
            self.scan = safe;
            let end = view.final_end()?;
            return Ok((end, end, false));
        };
        let end = self.scan + ahead;
        let after = view.skip_blanks(end + 3)?;
        let closed = param.tail.first().map_or(Ok(None), |closer| stands(view, after, closer, head))?;
        if closed.is_none() {
            sink.repair(Code::MissingValueCloser, after..after, "a parameter ended after its CDATA without a closer");
        }
        Ok((end, closed.unwrap_or(end + 3), true))
    }

    /// Looks at each place where a marker may stand, in order, until one of them ends the value.
    fn find_end(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        param: &Pattern,
        head: &Head,
        object: &ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<Edge, NotYet> {
        let bytes = &scene.engine.catalog.marker_bytes[scene.form.dialect];
        loop {
            let Some(ahead) = bytes.find(view.rest(self.scan)) else {
                self.scan = view.end();
                self.flush_trimmed(view, scene, self.scan, sink);
                let end = view.final_end()?;
                return Ok(match self.doubt {
                    Some((end, next)) => (end, next, true),
                    None => (end, end, false),
                });
            };
            self.scan += ahead;
            self.flush_trimmed(view, scene, self.scan, sink);
            if let Some((end, next)) = self.judge(view, scene, param, head, object, sink)? {
                return Ok((end, next, true));
            }
        }
    }

    /// Decides what stands at `scan`: the value's end, a doubtful end, or data to go past.
    fn judge(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        param: &Pattern,
        head: &Head,
        object: &ArgumentsObject,
        sink: &mut Sink,
    ) -> Result<Option<(usize, usize)>, NotYet> {
        let at = self.scan;
        let Some((marker, end)) = scene.marker(view, at, param, head)? else {
            self.note_tag(view, at)?;
            self.scan = at + 1;
            return Ok(None);
        };
        let ended = match marker {
            Marker::Value if self.closes(view, end, scene, param, head)? => Some((at, end)),
            Marker::Value => {
                self.doubt.get_or_insert((at, end));
                None
            }
            Marker::Param => {
                let early = begins_other(view, at, scene, head, object)?;
                if early {
                    sink.repair(Code::MissingValueCloser, at..at, "a value ended where the next parameter began");
                }
                early.then_some((at, at))
            }
            Marker::Tag => self.judge_tag(view, at, end, scene, param, head, sink)?,
            Marker::Call | Marker::Section => self.judge_closer(view, at, end, marker, scene, param, head, sink)?,
            Marker::Open | Marker::End => self.judge_opener(view, at, scene, sink)?,
        };
        if ended.is_none() {
            self.scan = if marker == Marker::Tag || marker == Marker::Open { at + 1 } else { end };
        }
        Ok(ended)
    }

    /// Says whether the value's closer that ends at `end` is one: what follows must be able to follow.
    fn closes(
        &self,
        view: View<'_>,
        end: usize,
        scene: &Scene<'_>,
        param: &Pattern,
        head: &Head,
    ) -> Result<bool, NotYet> {
        let any = [Marker::Param, Marker::Call, Marker::Section, Marker::Open, Marker::Value];
        match scene.follows(view, end, &any, param, head)? {
            Some(Marker::Open) if scene.pattern().tail.is_empty() => {}
            Some(_) => return Ok(true),
            None => {}
        }
        let next = skip_gap(view, end)?;
        if param.has_key_tag()
            && scene.is_open()
            && view.byte(next)? == Some(b'<')
            && named_tag(view, next + 1)?.is_some()
        {
            return Ok(true);
        }
        if !param.tail.first().is_some_and(Literal::is_closing_tag) || !view.starts_with(next, "</")? {
            return Ok(false);
        }
        let Some((_, after)) = named_tag(view, next + 2)? else { return Ok(false) };
        let goes_on = scene.follows(view, after, &[Marker::Section, Marker::Open], param, head)?.is_some();
        Ok(goes_on || matches!(view.byte(after)?, Some(b'\n' | b'\r')))
    }

    /// A closing tag of another name ends the value if the call goes on behind it and nothing in the value opened it.
    #[expect(clippy::too_many_arguments, reason = "the scene of one decision")]
    fn judge_tag(
        &mut self,
        view: View<'_>,
        at: usize,
        end: usize,
        scene: &Scene<'_>,
        param: &Pattern,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Option<(usize, usize)>, NotYet> {
        let Some((name, after)) = named_tag(view, end)? else { return Ok(None) };
        if self.opened.contains(&hash(name)) {
            return Ok(None);
        }
        match scene.follows(view, after, &[Marker::Call, Marker::Section, Marker::Param], param, head)? {
            Some(Marker::Param) if scene.is_open() => Ok(None),
            Some(Marker::End) => {
                self.doubt.get_or_insert((at, after));
                Ok(None)
            }
            Some(_) => {
                sink.repair(Code::WrongCloser, at..after, format!("`</{name}>` closed a parameter"));
                Ok(Some((at, after)))
            }
            None => Ok(None),
        }
    }

    /// The call's or section's closer ends the value if the section's closer follows; else it is a doubtful end.
    #[expect(clippy::too_many_arguments, reason = "the scene of one decision")]
    fn judge_closer(
        &mut self,
        view: View<'_>,
        at: usize,
        end: usize,
        marker: Marker,
        scene: &Scene<'_>,
        param: &Pattern,
        head: &Head,
        sink: &mut Sink,
    ) -> Result<Option<(usize, usize)>, NotYet> {
        let markers = if marker == Marker::Call { &[Marker::Section, Marker::Open][..] } else { &[Marker::Open] };
        let follows = scene.follows(view, end, markers, param, head)?;
        let sure = follows == Some(Marker::Section) || follows == Some(Marker::End) && self.doubt.is_none();
        let doubt = *self.doubt.get_or_insert((at, at));
        if !sure {
            return Ok(None);
        }
        sink.repair(Code::MissingValueCloser, doubt.0..doubt.1, "a value ended where its call ended");
        Ok(Some(doubt))
    }

    /// An opener that becomes ready ends the value where the doubt began, or here at a line's start.
    fn judge_opener(
        &mut self,
        view: View<'_>,
        at: usize,
        scene: &Scene<'_>,
        sink: &mut Sink,
    ) -> Result<Option<(usize, usize)>, NotYet> {
        let at_line_start = at == self.start || view.byte(at - 1)? == Some(b'\n');
        if self.doubt.is_none() && !at_line_start || !scene.call_begins(view, at)? {
            return Ok(None);
        }
        let doubt = self.doubt.unwrap_or((at, at));
        sink.repair(Code::MissingValueCloser, doubt.0..doubt.1, "a value ended where the next call began");
        Ok(Some(doubt))
    }

    /// Remembers an opening tag inside the value.
    fn note_tag(&mut self, view: View<'_>, at: usize) -> Result<(), NotYet> {
        if view.byte(at)? == Some(b'<')
            && let Some(end) = super::head::name_end(view, at + 1)?
        {
            let name = hash(view.slice(at + 1, end));
            if !self.opened.contains(&name) {
                self.opened.push(name);
            }
        }
        Ok(())
    }

    /// Emits data up to `upto`, but for blanks at the end that may be markup.
    fn flush_trimmed(&mut self, view: View<'_>, scene: &Scene<'_>, upto: usize, sink: &mut Sink) {
        let Some((_, body)) = self.pattern(scene) else { return };
        if self.mode != Mode::Streamed || self.doubt.is_some() {
            return;
        }
        let data = view.slice(self.done, upto);
        let keep = if body.trim {
            self.blank_tail(view, upto)
        } else if body.line_after {
            data.len() - data.strip_suffix("\r\n").or(data.strip_suffix(['\n', '\r'])).unwrap_or(data).len()
        } else {
            0
        };
        self.flush(view, upto - keep, sink);
    }

    /// Returns how many bytes before `upto` are blank; each byte is looked at once.
    fn blank_tail(&mut self, view: View<'_>, upto: usize) -> usize {
        let from = self.solid.max(self.done);
        let fresh = view.slice(from, upto);
        let solid = fresh.trim_ascii_end().len();
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
    #[expect(clippy::too_many_arguments, reason = "the scene of one decision")]
    fn close(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        key: &str,
        body: &Body,
        end: usize,
        next: usize,
        whole: bool,
        object: &mut ArgumentsObject,
        sink: &mut Sink,
    ) {
        let from = if self.mode == Mode::Streamed { self.done } else { self.start };
        let raw = if self.cdata { view.slice(from, end) } else { trimmed(view.slice(from, end), body) };
        if self.mode == Mode::Streamed {
            self.doubt = None;
            self.flush(view, from + raw.len(), sink);
            return sink.arguments(next, "\"");
        }
        if self.repeated {
            duplicate(key, next, sink);
        } else if whole || !raw.is_empty() {
            let raw = if body.entities { super::attributes::decode_entities(raw) } else { raw.to_owned() };
            object.text_member(key, &raw, self.hint, next, scene, sink);
        }
    }
}

/// Says whether the parameter that opens at `at` is another one of this tool, not given yet.
fn begins_other(
    view: View<'_>,
    at: usize,
    scene: &Scene<'_>,
    head: &Head,
    object: &ArgumentsObject,
) -> Result<bool, NotYet> {
    let mut inner = Head { mark: head.mark.clone(), ..Head::default() };
    let Some(_) = super::params::param_head(view, at, scene, &mut inner)? else { return Ok(false) };
    let other = |key: &str| scene.declares(key) && !object.has(key) && head.key.as_deref() != Some(key);
    Ok(inner.key.as_deref().is_some_and(other))
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

fn trimmed<'t>(raw: &'t str, body: &Body) -> &'t str {
    if body.trim {
        raw.trim_ascii_end()
    } else if body.line_after {
        raw.strip_suffix("\r\n").or(raw.strip_suffix('\n')).unwrap_or(raw)
    } else {
        raw
    }
}

fn skip_line_break(view: View<'_>, at: usize) -> Result<usize, NotYet> {
    Ok(match view.byte(at)? {
        Some(b'\n') => at + 1,
        Some(b'\r') if view.byte(at + 1)? == Some(b'\n') => at + 2,
        _ => at,
    })
}

fn hash(name: &str) -> u64 {
    crate::id::seed_of(name.as_bytes())
}
