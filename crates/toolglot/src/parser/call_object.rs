//! `{call}`: a JSON object that carries a call's name, arguments and id, in any order.

use super::engine::{Callee, Scene};
use super::head::{Head, skip_gap};
use super::markers::AroundJson;
use super::whole::{Whole, arguments_of, read_value, skip_value};
use crate::diagnostic::Code;
use crate::json::{self, Context, End, Ended, Place, Reader};
use crate::schema::Node;
use crate::sink::Sink;
use crate::view::{NotYet, View, is_blank};

/// Member names that every dialect reads, beside its own.
const NAMES: [&str; 4] = ["name", "tool_name", "tool", "function"];
const ARGUMENTS: [&str; 4] = ["arguments", "parameters", "args", "input"];
/// Members that say what kind of call it is.
const KNOWN: [&str; 3] = ["type", "index", "function"];
const IDS: [&str; 3] = ["id", "tool_call_id", "call_id"];

/// What stands at a place inside a call object.
enum Member {
    Name(String, usize),
    Id(String, usize),
    Arguments(Given),
    /// Any other member; its value starts here, and its key if that is foreign to calls.
    Other {
        start: usize,
        foreign: Option<String>,
    },
    /// The object that carries the call begins or ends, one level down.
    Descend(usize),
    Ascend(usize),
    Comma(usize),
    End(usize),
    /// A marker of the dialect stands where a bracket is missing.
    Stop(usize),
    Bad(usize),
    Over(usize),
}

/// How the arguments were given.
enum Given {
    Object(usize),
    Whole(Whole, usize, usize),
    Bad(usize),
}

/// What a trial reading learns of a call object.
pub(crate) struct Facts {
    pub(crate) name: String,
    pub(crate) has_arguments: bool,
}

/// Reads ahead until the call's name is known and its arguments have begun, or the object ends.
pub(crate) fn facts(view: View<'_>, at: usize, scene: &Scene<'_>, head: &Head) -> Result<Option<Facts>, NotYet> {
    let (mut at, mut depth, mut name, mut has_arguments) = (at, 0usize, None, false);
    while name.is_none() || !has_arguments {
        match member(view, at, scene, head, depth, name.is_some(), has_arguments)? {
            Member::Name(said, end) => (name, at) = (Some(said), end),
            Member::Id(_, end) | Member::Comma(end) => at = end,
            Member::Descend(end) => (depth, at) = (depth + 1, end),
            Member::Ascend(end) => (depth, at) = (depth.saturating_sub(1), end),
            Member::Arguments(Given::Whole(_, _, end)) => (has_arguments, at) = (true, end),
            Member::Arguments(Given::Object(start)) => {
                has_arguments = true;
                if name.is_none() {
                    name = single_key(view, at, scene)?;
                }
                if name.is_none() {
                    let end = skip_value(view, start, scene, head)?;
                    if end.how != Ended::Complete {
                        return Ok(None);
                    }
                    at = end.at;
                }
            }
            Member::Other { start, .. } => {
                let end = skip_value(view, start, scene, head)?;
                if end.how != Ended::Complete {
                    return Ok(None);
                }
                at = end.at;
            }
            Member::End(_) => break,
            Member::Arguments(Given::Bad(_)) | Member::Stop(_) | Member::Bad(_) | Member::Over(_) => return Ok(None),
        }
    }
    Ok(name.map(|name| Facts { name, has_arguments }))
}

/// Reads a call object whose name is known.
#[derive(Clone, Debug)]
pub(crate) struct CallObject {
    at: usize,
    depth: usize,
    started: bool,
    arguments: Option<Reader>,
}

impl CallObject {
    /// `at` is the position after the object's brace.
    pub(crate) fn new(at: usize) -> Self {
        Self { at, depth: 0, started: false, arguments: None }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.arguments.as_ref().map_or(self.at, Reader::anchor)
    }

    /// Reads on to the end of the object; starts the call where its arguments begin.
    pub(crate) fn resume(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        callee: &Callee,
        head: &mut Head,
        sink: &mut Sink,
    ) -> Result<End, NotYet> {
        loop {
            if let Some(reader) = &mut self.arguments {
                let around = AroundJson { scene: *scene, head };
                let context = Context {
                    markers: &around,
                    schema: scene.tool.and_then(|tool| tool.schema.as_ref()),
                    options: &scene.engine.options,
                    quote: None,
                };
                let end = reader.resume(view, &context, sink)?;
                (self.at, self.arguments) = (end.at, None);
                if end.how != Ended::Complete {
                    return Ok(end);
                }
            }
            if let Some(end) = self.step(view, scene, callee, head, sink)? {
                return Ok(end);
            }
        }
    }

    fn step(
        &mut self,
        view: View<'_>,
        scene: &Scene<'_>,
        callee: &Callee,
        head: &mut Head,
        sink: &mut Sink,
    ) -> Result<Option<End>, NotYet> {
        match member(view, self.at, scene, head, self.depth, true, self.started)? {
            Member::Name(_, end) | Member::Comma(end) => self.at = end,
            Member::Id(id, end) => (head.id, self.at) = (Some(id), end),
            Member::Descend(end) => (self.depth, self.at) = (self.depth + 1, end),
            Member::Ascend(end) => (self.depth, self.at) = (self.depth.saturating_sub(1), end),
            Member::Other { start, foreign } => {
                let end = skip_value(view, start, scene, head)?;
                if let Some(key) = foreign {
                    let message = format!("`{key}` is no part of a call, skipped");
                    sink.diagnose(Code::UnknownMember, start..end.at, message);
                }
                self.at = end.at;
                if end.how != Ended::Complete {
                    return Ok(Some(self.unfinished(end, callee, head, sink)));
                }
            }
            Member::Arguments(Given::Object(start)) => {
                self.start(start, callee, head, sink);
                self.arguments = Some(Reader::new(start, Place::Arguments, scene.root().map(Node::id)));
            }
            Member::Arguments(Given::Whole(whole, start, end)) => {
                self.start(start, callee, head, sink);
                whole.write(start, end, sink);
                self.at = end;
            }
            Member::End(end) => return Ok(Some(self.end(end, Ended::Complete, callee, head, sink))),
            Member::Stop(at) => return Ok(Some(self.missing_bracket(at, callee, head, sink))),
            Member::Bad(at) | Member::Arguments(Given::Bad(at)) => {
                let how = if self.started { Ended::Cut } else { Ended::Broken };
                return Ok(Some(self.unfinished(End { at, how }, callee, head, sink)));
            }
            Member::Over(at) => {
                return Ok(Some(self.unfinished(End { at, how: Ended::Truncated }, callee, head, sink)));
            }
        }
        Ok(None)
    }

    fn start(&mut self, at: usize, callee: &Callee, head: &Head, sink: &mut Sink) {
        if !self.started {
            self.started = true;
            sink.call_start(&callee.name, head.id.as_deref(), at);
        }
    }

    /// The object is over; a call without arguments has none.
    fn end(&mut self, at: usize, how: Ended, callee: &Callee, head: &Head, sink: &mut Sink) -> End {
        if !self.started {
            self.start(at, callee, head, sink);
            sink.arguments(at, "{}");
        }
        End { at, how }
    }

    fn missing_bracket(&mut self, at: usize, callee: &Callee, head: &Head, sink: &mut Sink) -> End {
        let end = self.end(at, Ended::Cut, callee, head, sink);
        sink.repair(Code::MissingBracket, at..at, "the call object has no closing brace");
        end
    }

    /// The object was cut: a call whose arguments are there is whole but for its brace.
    fn unfinished(&mut self, end: End, callee: &Callee, head: &Head, sink: &mut Sink) -> End {
        if self.started && end.how == Ended::Truncated {
            return self.missing_bracket(end.at, callee, head, sink);
        }
        self.end(end.at, end.how, callee, head, sink)
    }
}

/// Says what stands at `at`. Pure: it changes nothing and may be asked again.
fn member(
    view: View<'_>,
    at: usize,
    scene: &Scene<'_>,
    head: &Head,
    depth: usize,
    named: bool,
    started: bool,
) -> Result<Member, NotYet> {
    let at = skip_gap(view, at)?;
    match view.byte(at)? {
        None => return Ok(Member::Over(at)),
        Some(b'}') if depth > 0 => return Ok(Member::Ascend(at + 1)),
        Some(b'}') => return Ok(Member::End(at + 1)),
        Some(b',') => return Ok(Member::Comma(at + 1)),
        _ => {}
    }
    let around = AroundJson { scene: *scene, head };
    if started && json::Markers::stop(&around, view, at)?.is_some() {
        return Ok(Member::Stop(at));
    }
    let Some((key, end)) = key(view, at)? else { return Ok(Member::Bad(at)) };
    let colon = skip_gap(view, end)?;
    if !matches!(view.byte(colon)?, Some(b':' | b'=')) {
        return Ok(Member::Bad(at));
    }
    let value = skip_gap(view, colon + 1)?;
    value_of(view, &key, value, scene, head, depth, named, started)
}

#[expect(clippy::too_many_arguments, reason = "the scene of one decision")]
fn value_of(
    view: View<'_>,
    key: &str,
    at: usize,
    scene: &Scene<'_>,
    head: &Head,
    depth: usize,
    named: bool,
    started: bool,
) -> Result<Member, NotYet> {
    let first = view.byte(at)?;
    let members = &scene.dialect().members;
    let is = |own: &[String], common: &[&str]| own.iter().any(|name| name == key) || common.contains(&key);
    let known = KNOWN.contains(&key) || is(&members.name, &NAMES) || is(&members.arguments, &ARGUMENTS);
    let other = || Member::Other { start: at, foreign: (!known).then(|| key.to_owned()) };
    if matches!(key, "function" | "tool") && first == Some(b'{') && depth == 0 {
        return Ok(Member::Descend(at + 1));
    }
    if is(&members.name, &NAMES) && matches!(first, Some(b'"' | b'\'')) && !named {
        return Ok(string(view, at)?.map_or(Member::Bad(at), |(name, end)| Member::Name(name, end)));
    }
    let single = !named && first == Some(b'{') && scene.engine.callee(key).is_some_and(|callee| callee.tool.is_some());
    if (is(&members.arguments, &ARGUMENTS) || single) && !started {
        return Ok(Member::Arguments(given(view, at, first, depth, scene, head)?));
    }
    if is(&members.id, &IDS) {
        return Ok(id(view, at)?.map_or_else(other, |(id, end)| Member::Id(id, end)));
    }
    Ok(other())
}

/// Reads arguments that are no bare object whole. One level down, as OpenAI's API has them, they are text by rule.
fn given(
    view: View<'_>,
    at: usize,
    first: Option<u8>,
    depth: usize,
    scene: &Scene<'_>,
    head: &Head,
) -> Result<Given, NotYet> {
    if first == Some(b'{') {
        let opens = json::key_ahead(view, at + 1, None)?;
        return Ok(if opens { Given::Object(at) } else { Given::Bad(at) });
    }
    let Some((json, end)) = read_value(view, at, Place::Value, None, scene, head)? else { return Ok(Given::Bad(at)) };
    let by_rule = |code: &Code| depth > 0 && *code == Code::DoubleEncoded;
    Ok(match arguments_of(&json, scene.tool, &scene.engine.options) {
        Some(whole) => Given::Whole(Whole { repair: whole.repair.filter(|code| !by_rule(code)), ..whole }, at, end),
        None => Given::Bad(at),
    })
}

/// Returns the key before the arguments at `at`, where that key is the tool's name: `{"search": {…}}`.
fn single_key(view: View<'_>, at: usize, scene: &Scene<'_>) -> Result<Option<String>, NotYet> {
    let at = skip_gap(view, at)?;
    let key = key(view, at)?.map(|(key, _)| key);
    Ok(key.filter(|key| !ARGUMENTS.contains(&key.as_str()) && !scene.dialect().members.arguments.contains(key)))
}

/// Reads a key: a short string, or a word.
fn key(view: View<'_>, at: usize) -> Result<Option<(String, usize)>, NotYet> {
    if matches!(view.byte(at)?, Some(b'"' | b'\'')) {
        return string(view, at);
    }
    let mut end = at;
    while view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')) {
        end += 1;
        if end - at > super::head::NAME_LIMIT {
            return Ok(None);
        }
    }
    Ok((end > at).then(|| (view.slice(at, end).to_owned(), end)))
}

/// Reads a string of one line and at most 256 bytes; returns its content and its end.
fn string(view: View<'_>, at: usize) -> Result<Option<(String, usize)>, NotYet> {
    let quote = view.byte(at)?;
    let mut end = at + 1;
    while end - at <= 256 {
        match view.byte(end)? {
            None | Some(b'\n') => return Ok(None),
            Some(b'\\') => end += 1 + usize::from(view.byte(end + 1)?.is_some()),
            byte if byte == quote => {
                let content = view.slice(at + 1, end);
                let json = format!("\"{content}\"");
                let decoded = content.contains('\\').then(|| serde_json::from_str(&json).ok()).flatten();
                return Ok(Some((decoded.unwrap_or_else(|| content.to_owned()), end + 1)));
            }
            Some(_) => end += 1,
        }
    }
    Ok(None)
}

/// Reads an id: a short string or a number.
fn id(view: View<'_>, at: usize) -> Result<Option<(String, usize)>, NotYet> {
    if matches!(view.byte(at)?, Some(b'"' | b'\'')) {
        return string(view, at);
    }
    let mut end = at;
    while view.byte(end)?.is_some_and(|byte| byte.is_ascii_digit()) {
        end += 1;
    }
    let over = view.byte(end)?.is_none_or(|byte| is_blank(byte) || matches!(byte, b',' | b'}'));
    Ok((end > at && over).then(|| (view.slice(at, end).to_owned(), end)))
}
