//! `{call}`: a JSON object that carries a call's name, arguments and id, in any order.

use super::call_context::CallContext;
use super::head::HeadText;
use super::late_name::unsaid_name;
use super::member::{
    self, CallMember, CallObjectPosition, GivenArguments, OwnMember, is_arguments_key, member, schema_key,
};
use super::object::ArgumentsObject;
use super::plain_call::plain_head;
use super::whole::{read_value, skip_value};
use crate::diagnostic::Code;
use crate::json::{Ended, JsonReader, ValueOutcome, ValuePosition};
use crate::schema::SchemaNode;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// What a trial found out about a call object.
pub(crate) struct CallObjectTrial {
    pub(crate) name: HeadText,
    pub(crate) arguments: CallArguments,
}

/// Where a trial found the arguments of a call object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallArguments {
    Missing,
    /// They are members of the call object itself.
    Flat,
    /// They are one of its members, and the text before them has to be read again.
    Member,
    /// They begin here, and the text before them is done; with the repairs that it needed.
    Found(usize, Option<Code>),
}

/// An unknown member with an object, or text that begins like one, that may replace the arguments.
struct StandIn {
    key: HeadText,
    at: usize,
    /// A bare object next to the name, which can be read as arguments.
    is_plain: bool,
}

impl StandIn {
    fn of(key: HeadText, at: usize, depth: usize, view: View<'_>) -> Result<Option<Self>, NotYet> {
        let first = view.byte(at)?;
        let is_object = first == Some(b'{');
        let is_text = matches!(first, Some(b'"' | b'\'')) && view.byte(at + 1)? == Some(b'{');
        Ok((is_object || is_text).then_some(Self { key, at, is_plain: is_object && depth == 0 }))
    }
}

/// Returns the arguments of a call without any: the only unknown object, if it begins with parameters of the tool. `None`
/// if there are such objects, but which of them is meant is unknown.
fn misnamed(found: &[StandIn], name: &HeadText, context: &CallContext<'_>) -> Result<Option<CallArguments>, NotYet> {
    let Some(callee) = context.engine.callee(&name.text) else { return Ok(Some(CallArguments::Missing)) };
    let context = CallContext { callee: &callee, ..*context };
    let is_known = |key: &str| context.declares(key) || context.knows(key);
    let unknown: Vec<&StandIn> = found.iter().filter(|one| !is_known(&one.key.text)).collect();
    let one = match unknown[..] {
        [] => return Ok(Some(CallArguments::Missing)),
        [one] if one.is_plain => one,
        _ => return Ok(None),
    };
    let is_empty = context.view.byte(context.gap(one.at + 1)?)? == Some(b'}');
    let first = member::quoted_member(&context, one.at + 1)?;
    let is_declared = is_empty || first.is_some_and(|(key, _)| context.declares(&key));
    let allowed = context.engine.options.repairs.allow(Code::ArgumentsKey);
    Ok((is_declared && allowed).then_some(CallArguments::Found(one.at, Some(Code::ArgumentsKey))))
}

/// Looks ahead until the call's name is known and its arguments have begun, or the object ends.
pub(crate) fn facts(at: usize, context: &CallContext<'_>) -> Result<Option<CallObjectTrial>, NotYet> {
    if let Some((name, start)) = plain_head(at, context).filter(|_| !context.engine.options.careful) {
        return Ok(Some(CallObjectTrial { name, arguments: CallArguments::Found(start, None) }));
    }
    let mut spot = CallObjectPosition { at, ..CallObjectPosition::default() };
    let (mut name, mut skipped) = (None, Sink::muted(at, context.engine.options.repairs));
    let mut stand_ins = Vec::new();
    while !spot.named || !spot.has_arguments {
        let value = match member(spot, context)? {
            CallMember::End(_) => break,
            CallMember::Name(said) => {
                (spot.at, spot.named) = (said.span.end, true);
                name = Some(said);
                continue;
            }
            CallMember::Arguments(GivenArguments::Whole(_, _, end)) => {
                (spot.has_arguments, spot.at) = (true, end);
                continue;
            }
            CallMember::Arguments(GivenArguments::Object(start)) => {
                if is_declaration(start, name.as_ref(), context)? {
                    return Ok(None);
                }
                spot.has_arguments = true;
                name = if name.is_none() { unsaid_name(spot, start, context)? } else { name };
                spot.named = name.is_some();
                start
            }
            CallMember::Other { start, key, foreign } => {
                if foreign {
                    stand_ins.extend(StandIn::of(key, start, spot.depth, context.view)?);
                }
                start
            }
            CallMember::Arguments(GivenArguments::Bad(_)) => {
                let Some(end) = text(spot, name.as_ref(), context)? else { return Ok(None) };
                (spot.has_arguments, spot.at) = (true, end);
                continue;
            }
            CallMember::Stop(_) | CallMember::Bad(_) | CallMember::Over(_) => return Ok(None),
            passed => {
                spot.pass(&passed);
                continue;
            }
        };
        if !spot.named || !spot.has_arguments {
            let end = skip_value(value, context, &mut skipped)?;
            if end.how != Ended::Complete {
                return Ok(None);
            }
            spot.at = end.at;
        }
    }
    let Some(name) = name else { return Ok(None) };
    let arguments = match spot.has_arguments {
        true => Some(CallArguments::Member),
        false => misnamed(&stand_ins, &name, context)?,
    };
    Ok(arguments.map(|arguments| CallObjectTrial { name, arguments }))
}

/// Returns the end of arguments that are text for the tool's only parameter; the tool is known.
fn text(spot: CallObjectPosition, name: Option<&HeadText>, context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
    let Some(callee) = name.and_then(|name| context.engine.callee(&name.text)) else { return Ok(None) };
    Ok(match member(spot, &CallContext { callee: &callee, ..*context })? {
        CallMember::Arguments(GivenArguments::Whole(_, _, end)) => Some(end),
        _ => None,
    })
}

/// Returns the repair that was made before the arguments.
fn forgiven(code: Code) -> &'static str {
    match code {
        Code::ArgumentsKey => "read the arguments under another key",
        _ => "read the name and arguments of a call object with damaged quotes or braces",
    }
}

/// Returns whether the arguments that begin at `at` are a schema: the model repeats a tool's declaration.
pub(super) fn is_declaration(at: usize, name: Option<&HeadText>, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let Some(key) = schema_key(at, context)? else { return Ok(false) };
    let callee = name.and_then(|name| context.engine.callee(&name.text));
    let declared = callee.is_some_and(|callee| CallContext { callee: &callee, ..*context }.declares(key));
    Ok(!declared)
}

/// The classification of a call object without arguments, by its members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FlatMembers {
    /// None is a declared parameter.
    Empty,
    /// At least one is a declared parameter.
    Arguments,
    /// One is ambiguous: the call's own or a parameter, such as `id`.
    Unclear,
}

/// Classifies a complete call object without arguments. The call context's callee is the call's.
pub(crate) fn flat(at: usize, context: &CallContext<'_>) -> Result<FlatMembers, NotYet> {
    let mut spot = CallObjectPosition { at, named: true, flat: true, ..CallObjectPosition::default() };
    let (mut found, mut skipped) = (FlatMembers::Empty, Sink::muted(at, context.engine.options.repairs));
    loop {
        match member(spot, context)? {
            CallMember::Other { start, key, foreign } => {
                match flat_member(&key.text, start, foreign, context)? {
                    FlatMember::Unclear => return Ok(FlatMembers::Unclear),
                    FlatMember::Argument => found = FlatMembers::Arguments,
                    FlatMember::Skipped => {}
                }
                spot.at = skip_value(start, context, &mut skipped)?.at;
            }
            CallMember::Name(_) | CallMember::Arguments(_) | CallMember::Stop(_) => return Ok(found),
            CallMember::End(_) | CallMember::Bad(_) | CallMember::Over(_) => return Ok(found),
            passed => spot.pass(&passed),
        }
    }
}

/// Returns whether the arguments follow what seems to be the end of a call object without any.
fn arguments_follow(at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let next = context.gap(at)?;
    let member = if context.view.byte(next)? == Some(b',') { member::quoted_member(context, next + 1)? } else { None };
    Ok(member.is_some_and(|(key, _)| is_arguments_key(&key, context.dialect())))
}

/// The classification of one member of a call object without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FlatMember {
    Argument,
    Skipped,
    Unclear,
}

/// Classifies a member of a call object without arguments: the call's own members are never arguments.
fn flat_member(key: &str, start: usize, foreign: bool, context: &CallContext<'_>) -> Result<FlatMember, NotYet> {
    let is_declared = context.declares(key) || foreign && context.knows(key);
    Ok(match member::own_member(key, start, context)? {
        _ if !is_declared => FlatMember::Skipped,
        OwnMember::No => FlatMember::Argument,
        OwnMember::Yes => FlatMember::Skipped,
        OwnMember::Perhaps => FlatMember::Unclear,
    })
}

impl CallObjectPosition {
    /// Skips a member that is only structure.
    fn pass(&mut self, member: &CallMember) {
        if !matches!(member, CallMember::Comment(_)) {
            self.unjoined = !matches!(member, CallMember::Comma(_) | CallMember::Descend(_));
        }
        match member {
            CallMember::Descend(end) => (self.depth, self.at) = (self.depth + 1, *end),
            CallMember::Ascend(end) => (self.depth, self.at) = (self.depth.saturating_sub(1), *end),
            CallMember::Id(_, end) | CallMember::Comma(end) | CallMember::Comment(end) | CallMember::Stray(end) => {
                self.at = *end;
            }
            _ => {}
        }
    }
}

/// Reads a call object with a known name.
#[derive(Clone, Debug)]
pub(crate) struct CallObjectReader {
    spot: CallObjectPosition,
    /// The position of the arguments that the trial found, until they begin.
    found: CallArguments,
    arguments: Option<JsonReader>,
    /// The arguments so far, if they are members of the call object itself.
    flat: Option<ArgumentsObject>,
    /// The id, wherever it is.
    pub(crate) id: Option<String>,
}

impl CallObjectReader {
    /// `at` is the position after the object's brace.
    pub(crate) fn new(at: usize, found: CallArguments) -> Self {
        let flat = found == CallArguments::Flat;
        let spot = CallObjectPosition { at, named: true, flat, ..CallObjectPosition::default() };
        Self { spot, found, arguments: None, flat: flat.then(ArgumentsObject::default), id: None }
    }

    pub(crate) fn anchor(&self) -> usize {
        self.arguments.as_ref().map_or(self.spot.at, JsonReader::anchor)
    }

    pub(crate) fn pass_plain(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        self.arguments.as_mut().is_some_and(|reader| reader.pass_plain(context, sink))
    }

    /// Reads to the end of the object; starts the call when its arguments begin.
    pub(crate) fn resume(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        if let CallArguments::Found(at, repair) = self.found {
            self.found = CallArguments::Member;
            self.begin(at, context, sink);
            if let Some(code) = repair {
                sink.repair(code, at..at, forgiven(code));
            }
        }
        loop {
            if let Some(reader) = &mut self.arguments {
                let context = &CallContext { around: self.spot.depth + 1, ..*context };
                let end = reader.resume(context.view, &context.json(None), sink)?;
                (self.spot.at, self.spot.unjoined, self.arguments) = (end.at, true, None);
                if end.how != Ended::Complete {
                    return Ok(end);
                }
            }
            if let Some(end) = self.step(context, sink)? {
                return Ok(end);
            }
        }
    }

    fn step(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<Option<ValueOutcome>, NotYet> {
        match member(self.spot, context)? {
            CallMember::Id(id, end) => (self.id, self.spot.at) = (Some(id), end),
            CallMember::Other { start, key, foreign }
                if self.spot.flat && flat_member(&key.text, start, foreign, context)? == FlatMember::Argument =>
            {
                return self.flat_member(start, &key, context, sink);
            }
            // A parameter beside the arguments is one of them; after them, it says that they were closed too early.
            CallMember::Other { start, key, foreign: true }
                if (self.spot.has_arguments || !self.spot.flat) && context.declares(&key.text) =>
            {
                return Ok(Some(self.end(start, Ended::Broken, context, sink)));
            }
            CallMember::Other { start, key, foreign } => {
                return self.skip(start, foreign.then(|| key.text.to_string()), context, sink);
            }
            CallMember::Arguments(GivenArguments::Object(start)) => self.begin(start, context, sink),
            CallMember::Arguments(GivenArguments::Whole(whole, start, end)) => {
                self.start(start, context, sink);
                whole.write(start, end, sink);
                self.spot.at = end;
            }
            CallMember::End(end) => {
                let early = !self.spot.has_arguments && arguments_follow(end, context)?;
                let how = if early { Ended::Broken } else { Ended::Complete };
                return Ok(Some(self.end(end, how, context, sink)));
            }
            CallMember::Stop(at) => return Ok(Some(self.missing_bracket(at, context, sink))),
            CallMember::Bad(at) | CallMember::Arguments(GivenArguments::Bad(at)) => {
                // What may be the rest of the arguments says that they were closed too early.
                let rest = match context.view.byte(at)? {
                    Some(b'{') => context.next_call(at)?.is_none(),
                    byte => matches!(byte, Some(b'"' | b'\'' | b':' | b',' | b'[')),
                };
                if self.spot.has_arguments && !rest {
                    return Ok(Some(self.missing_bracket(self.spot.at, context, sink)));
                }
                return Ok(Some(self.end(at, Ended::Broken, context, sink)));
            }
            CallMember::Over(at) => return Ok(Some(self.unfinished(at, context, sink))),
            CallMember::Stray(end) => {
                sink.repair(Code::ExtraCloser, end - 1..end, "dropped an unmatched closing bracket");
                self.spot.at = end;
            }
            CallMember::Comment(end) => {
                sink.repair(Code::Comment, self.spot.at..end, "dropped a comment");
                self.spot.pass(&CallMember::Comment(end));
            }
            passed => self.spot.pass(&passed),
        }
        Ok(None)
    }

    /// Reads a member that is an argument.
    fn flat_member(
        &mut self,
        start: usize,
        key: &HeadText,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> Result<Option<ValueOutcome>, NotYet> {
        let node = context.parameter(context.meant(&key.text)).map(SchemaNode::id);
        let read = read_value(start, ValuePosition::Value, node, context)?;
        if !self.spot.has_arguments {
            self.start(key.span.start, context, sink);
            sink.repair(Code::FlatArguments, key.span.clone(), Code::FlatArguments.row().about);
        }
        let Some((object, (json, end))) = self.flat.as_mut().zip(read) else {
            return Ok(Some(self.end(start, Ended::Broken, context, sink)));
        };
        object.meant_member(key, &json, end, context, sink);
        (self.spot.at, self.spot.unjoined) = (end, true);
        Ok(None)
    }

    /// Skips a member that does not belong to the call.
    fn skip(
        &mut self,
        start: usize,
        foreign: Option<String>,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> Result<Option<ValueOutcome>, NotYet> {
        let end = skip_value(start, context, sink)?;
        if let Some(key) = foreign {
            let message = format!("skipped the unknown member `{key}` of a call object");
            sink.diagnose(Code::UnknownMember, start..end.at, message);
        }
        self.spot.at = end.at;
        Ok(match end.how {
            Ended::Complete => None,
            Ended::Truncated => Some(self.unfinished(end.at, context, sink)),
            how => Some(self.end(end.at, how, context, sink)),
        })
    }

    /// Starts the call at its arguments object.
    fn begin(&mut self, at: usize, context: &CallContext<'_>, sink: &mut Sink) {
        self.start(at, context, sink);
        self.arguments = Some(JsonReader::new(at, ValuePosition::Arguments, context.root().map(SchemaNode::id)));
    }

    fn start(&mut self, at: usize, context: &CallContext<'_>, sink: &mut Sink) {
        self.spot.has_arguments = true;
        sink.call_start(&context.callee.name, self.id.as_deref(), at);
    }

    /// Ends the object; a call without arguments has none.
    fn end(&mut self, at: usize, how: Ended, context: &CallContext<'_>, sink: &mut Sink) -> ValueOutcome {
        let flat = self.flat.take();
        if !self.spot.has_arguments {
            self.start(at, context, sink);
        } else if flat.is_none() {
            return ValueOutcome { at, how };
        }
        let object = flat.unwrap_or_default();
        if how == Ended::Complete {
            object.end(at, context, sink)
        } else {
            sink.pass_arguments(at)
        }
        ValueOutcome { at, how }
    }

    fn missing_bracket(&mut self, at: usize, context: &CallContext<'_>, sink: &mut Sink) -> ValueOutcome {
        let end = self.end(at, Ended::Cut, context, sink);
        sink.repair(Code::MissingBracket, at..at, "call object without a closing brace");
        end
    }

    /// The input ended: a call whose arguments are complete only lacks its brace.
    fn unfinished(&mut self, at: usize, context: &CallContext<'_>, sink: &mut Sink) -> ValueOutcome {
        if self.spot.has_arguments {
            return self.missing_bracket(at, context, sink);
        }
        self.end(at, Ended::Truncated, context, sink)
    }
}
