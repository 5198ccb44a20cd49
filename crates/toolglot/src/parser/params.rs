//! `{params}`: parameters one after another, with optional white space between them, until the call closes.

use std::ops::Range;

use super::call_context::CallContext;
use super::closing::slipped;
use super::contest::REACH;
use super::head::{Head, HeadText, NAME_LIMIT, TagEnd, closing_tag, is_spelled, name_end, nodes, tag_end};
use super::marker::Marker;
use super::object::ArgumentsObject;
use super::torn::{begins_torn, cut_closer, cut_opener, is_torn};
use super::tree::{self, Tree};
use super::value::ParamReader;
use super::whole::read_value;
use crate::coerce::Hint;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, HeadPart, Hole, Literal, Pattern, TypeWords};
use crate::json::{self, Ended, ValueOutcome, ValuePosition};
use crate::lead::Lead;
use crate::schema::Types;
use crate::sink::Sink;
use crate::view::NotYet;

/// Reads parameters into an arguments object.
#[derive(Clone, Debug)]
pub(crate) struct ParamsReader {
    start: usize,
    at: usize,
    object: ArgumentsObject,
    /// The head of the last parameter.
    head: Head,
    /// The first parameter, if it is already known.
    first: Option<Box<FoundParam>>,
    value: Option<ParamReader>,
    /// The start of a parameter was there, and nothing that could be one.
    broken: bool,
    /// A parameter without a name was skipped, or text that may be one.
    skipped: bool,
}

/// The head of a parameter.
#[derive(Clone, Debug)]
pub(crate) struct FoundParam {
    /// The index of its pattern.
    pub(crate) param: usize,
    /// Where its data begins.
    start: usize,
    pub(crate) head: Head,
}

impl ParamsReader {
    /// Attributes are the first parameters.
    pub(crate) fn new(at: usize, first: Option<Box<FoundParam>>, context: &CallContext<'_>, sink: &mut Sink) -> Self {
        let (object, head) = (ArgumentsObject::of_attributes(at, context, sink), context.head.inner());
        Self { start: at, at, object, head, first, value: None, broken: false, skipped: false }
    }

    /// Returns where the arguments began.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    pub(crate) fn anchor(&self) -> usize {
        self.value.as_ref().map_or(self.at, ParamReader::anchor)
    }

    #[inline]
    pub(crate) fn pass_plain(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        let value = self.value.as_mut().filter(|_| context.is_within(self.start));
        value.is_some_and(|value| value.pass_plain(context, &self.head, sink))
    }

    /// Continues reading until the call is over; its closer is not consumed.
    pub(crate) fn resume(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        loop {
            if let Some(value) = &mut self.value {
                let end = value.resume(&context.with_head(&self.head), &mut self.object, sink)?;
                (self.at, self.value) = (end.at, None);
                sink.in_vain += end.in_vain;
                if !end.whole {
                    sink.pass_arguments(end.at);
                    return Ok(ValueOutcome { at: end.at, how: Ended::Truncated });
                }
            }
            if let Some(end) = self.between(context, sink)? {
                return Ok(end);
            }
        }
    }

    fn between(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> Result<Option<ValueOutcome>, NotYet> {
        let at = context.gap(self.at)?;
        let visible = |first: &FoundParam| self.object.is_empty() && first.start < context.view.end();
        let found = match self.first.take().filter(|first| visible(first)) {
            Some(first) => Some(*first),
            None => param_head(at, context, !self.object.is_empty())?,
        };
        if let Some(FoundParam { param, start, head }) = found {
            self.head = head;
            self.head.note(Code::LiteralNewline, is_spelled(context.view.slice(self.at, at)));
            return self.begin(param, start, context, sink);
        }
        if context.any(at, &context.pattern().tail)?.is_some() {
            return Ok(self.end(at, Ended::Complete, context, sink));
        }
        if context.view.byte(at)?.is_none() {
            return Ok(self.end_of_input(at, context, sink));
        }
        match context.dialect().params.first() {
            Some(param) if context.follows(at, &[Marker::Section, Marker::Open], param)?.is_none() => {
                self.recover(at, param, context, sink)
            }
            _ => Ok(self.end(at, Ended::Cut, context, sink)),
        }
    }

    /// Starts a parameter whose data begins at `start`.
    fn begin(
        &mut self,
        param: usize,
        start: usize,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> Result<Option<ValueOutcome>, NotYet> {
        let Some(pattern) = context.dialect().params.get(param) else { return Ok(None) };
        let nests = pattern.kind() == Some(BodyKind::Tree);
        let tree = if nests { tree::read(start, &context.with_head(&self.head), pattern)? } else { Tree::Text };
        let wrapped = match tree {
            Tree::Whole(..) => None,
            _ if self.object.is_empty() => wrapped(start, pattern, &context.with_head(&self.head))?,
            _ => None,
        };
        let torn = begins_torn(start, param, &self.head, context)?;
        note_head(&self.head, self.at..start, sink);
        if torn {
            sink.broken(self.at..start, "a parameter begins with part of a marker");
        }
        if tree == Tree::Torn {
            sink.broken(start..start, "an element inside a parameter has no closing tag");
        }
        if let Tree::Whole(json, end) = tree {
            if let Some(key) = &self.head.key {
                self.object.meant_member(key, &json, end, context, sink);
            }
            self.at = end;
            return Ok(None);
        }
        if wrapped == Some(None) {
            sink.broken(
                self.at..start,
                "an undeclared parameter stands where the arguments do, and does not hold them",
            );
        }
        if let Some(Some((members, end))) = wrapped {
            sink.repair(Code::Wrapper, self.at..end, Code::Wrapper.row().about);
            for (key, json) in json::members(&members) {
                self.object.member(&key, json, end, sink);
            }
            self.at = end;
            return Ok(None);
        }
        let frugal = sink.is_frugal(start);
        self.value =
            Some(ParamReader::new(start, param, hint(pattern, &self.head, context.dialect().types.as_ref()), frugal));
        self.at = start;
        Ok(None)
    }

    fn end(&mut self, at: usize, how: Ended, context: &CallContext<'_>, sink: &mut Sink) -> Option<ValueOutcome> {
        // What is required may be in what was skipped; a parameter that cannot be read stood there for certain.
        if self.broken || self.skipped && self.object.missing(context).next().is_some() {
            sink.pass_arguments(at);
            return Some(ValueOutcome { at, how: Ended::Broken });
        }
        self.object.end(at, context, sink);
        Some(ValueOutcome { at, how })
    }

    fn truncate(&mut self, at: usize, sink: &mut Sink) -> Option<ValueOutcome> {
        sink.pass_arguments(at);
        Some(ValueOutcome { at, how: Ended::Truncated })
    }

    /// The call's closer is missing: the call is complete if all required parameters are present.
    fn end_of_input(&mut self, at: usize, context: &CallContext<'_>, sink: &mut Sink) -> Option<ValueOutcome> {
        if self.object.is_whole(context) && !self.broken && !context.engine.options.is_cut() {
            return self.end(at, Ended::Cut, context, sink);
        }
        self.truncate(at, sink)
    }

    /// Skips text that belongs to no parameter, or ends the call there.
    fn recover(
        &mut self,
        at: usize,
        param: &Pattern,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> Result<Option<ValueOutcome>, NotYet> {
        if let Some(end) = self.value_closer(at, context)? {
            sink.repair(Code::DuplicateCloser, at..end, "dropped a doubled closing marker of a parameter");
            return Ok(self.pass(end, sink));
        }
        if slipped(at, context)?.is_some() {
            return Ok(self.end(at, Ended::Cut, context, sink));
        }
        if context.view.starts_with(at, "</")?
            && let Some((name, end)) = closing_tag(context.view, at + 2)?
        {
            let markers = [Marker::Section, Marker::Open, Marker::Param, Marker::Call];
            let next = context.follows(end, &markers, param)?;
            // Where a later one of the call's closers follows, the tag is in place of the first.
            let first = next == Some(Marker::Call) && context.any(context.gap(end)?, context.closer())?.is_some();
            if next != Some(Marker::Param) && !first {
                return Ok(self.end(at, Ended::Cut, context, sink));
            }
            sink.repair(Code::StrayCloser, at..end, format!("dropped `</{name}>`, which closes nothing"));
            return Ok(self.pass(end, sink));
        }
        self.pass_junk(at, param, context, sink)
    }

    /// Skips to the next marker; one at `at` that opens no parameter has been read before.
    fn pass_junk(
        &mut self,
        at: usize,
        param: &Pattern,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> Result<Option<ValueOutcome>, NotYet> {
        match next_marker(at, context, param)? {
            None => {
                // What is here is text after a call, or a closer that the end of input cut.
                let end = context.view.final_end()?;
                let rest = context.view.slice(at, end);
                let cut = cut_closer(rest, context.dialect(), context.head);
                let whole = self.object.is_whole(context) && !self.broken;
                if whole && (cut || !cut_opener(rest, context) && !context.engine.options.is_cut()) {
                    return Ok(self.end(if cut { end } else { self.at }, Ended::Cut, context, sink));
                }
                sink.repair(Code::JunkInCall, at..end, "skipped text between parameters");
                Ok(self.truncate(end, sink))
            }
            Some((Marker::Param, from, end)) if from == at => self.broken_param(at, end, context, sink),
            Some((marker, from, _)) => {
                self.skipped = true;
                sink.repair(Code::JunkInCall, at..from, "skipped text between parameters");
                if is_torn(at, from, context, param) || self.names_missing(context.view.slice(at, from), context) {
                    sink.broken(at..from, "part of a marker, or a parameter in another format, is between parameters");
                }
                if matches!(marker, Marker::Open | Marker::Section) {
                    return Ok(self.end(at, Ended::Cut, context, sink));
                }
                Ok(self.pass(from, sink))
            }
        }
    }

    /// Returns whether skipped markup names a declared parameter that has not been given: it would be lost.
    fn names_missing(&self, skipped: &str, context: &CallContext<'_>) -> bool {
        let mut words = skipped.split(|next: char| !next.is_alphanumeric() && next != '_' && next != '-');
        skipped.contains('<') && words.any(|word| context.declares(word) && !self.object.has(word))
    }

    /// A parameter's opening literal ends at `end`, but there is no key.
    fn broken_param(
        &mut self,
        at: usize,
        end: usize,
        context: &CallContext<'_>,
        sink: &mut Sink,
    ) -> Result<Option<ValueOutcome>, NotYet> {
        match tag_end(context.view, end)? {
            TagEnd::Cut => Ok(self.truncate(context.view.final_end()?, sink)),
            TagEnd::Open => {
                (self.broken, self.skipped) = (true, true);
                sink.repair(Code::JunkInCall, at..end, "skipped an incomplete start of a parameter");
                Ok(self.pass(end, sink))
            }
            TagEnd::Closed => {
                let after = self.after_nameless(end, context)?;
                self.skipped = true;
                self.broken |= context.opener(after)?.is_some();
                sink.diagnose(Code::NamelessParameter, at..after, "skipped a parameter without a name");
                Ok(self.pass(after, sink))
            }
        }
    }

    fn pass(&mut self, end: usize, sink: &mut Sink) -> Option<ValueOutcome> {
        sink.markup(end);
        self.at = end;
        None
    }

    fn value_closer(&self, at: usize, context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
        let closers = context.dialect().params.iter().filter_map(|param| param.tail.first());
        context.with_head(&self.head).any(at, closers)
    }

    /// Skips the value of a parameter without a name, including its closer, unless the call continues first.
    fn after_nameless(&self, at: usize, context: &CallContext<'_>) -> Result<usize, NotYet> {
        let mut next = at;
        while let Some(ahead) = context.markers().find(context.view.rest(next)) {
            next += ahead;
            if let Some(end) = self.value_closer(next, context)? {
                return Ok(end);
            }
            if context.any_closer(next)?.is_some() || context.opener(next)?.is_some() {
                return Ok(next);
            }
            next += 1;
        }
        context.view.final_end()
    }
}

/// Returns the contents of an undeclared parameter such as `properties`: everything that the tool declares, and the end of its
/// closer; `None` within if it has other contents. Otherwise it is a parameter like any other.
fn wrapped(
    start: usize,
    pattern: &Pattern,
    context: &CallContext<'_>,
) -> Result<Option<Option<(String, usize)>>, NotYet> {
    let key = context.head.key();
    let declares = context.root().is_some_and(|root| !root.properties().is_empty());
    let wrapper = json::WRAPPERS.contains(&key) && declares && !context.declares(key);
    if !wrapper || context.bounded || !context.engine.options.repairs.allow(Code::Wrapper) {
        return Ok(None);
    }
    let at = context.gap(start)?;
    if context.view.byte(at)? != Some(b'{') {
        // An element is no parameter that its tool calls otherwise, whatever became of the brace.
        return Ok(pattern.has_key_tag().then_some(None));
    }
    let root = context.root().map(|root| root.id());
    let Some((json, end)) = read_value(at, ValuePosition::Value, root, context)? else { return Ok(Some(None)) };
    let Some(end) = context.any(context.gap(end)?, pattern.tail.first())? else { return Ok(Some(None)) };
    let closes = context.any_closer(context.gap(end)?)?.is_some();
    let members = json::members(&json);
    let declared = members.iter().all(|(key, _)| context.declares(key));
    Ok(Some((closes && declared && !members.is_empty()).then_some((json, end))))
}

/// Reads the head of a parameter.
///
/// A tag with the key's name must be declared, unless it is `sure` that parameters are here and it marks none elsewhere. A
/// head is short: openers may follow each other without end, and none of them may examine everything after it.
pub(crate) fn param_head(at: usize, context: &CallContext<'_>, sure: bool) -> Result<Option<FoundParam>, NotYet> {
    let (lead, bounded) = (Lead::of(context.view.rest(at)), context.view.limited(at.saturating_add(REACH)));
    let may_stand = |param: &Pattern| param.opening().is_none_or(|opening| opening.may_stand(lead));
    for (number, param) in context.dialect().params.iter().enumerate().filter(|(_, param)| may_stand(param)) {
        let mut inner = context.head.inner();
        let Some(end) = context.view.within(bounded, nodes(bounded, at, &param.head, None, &mut inner))? else {
            continue;
        };
        if holds_marker(at, end, param, &context.with_head(&inner))? {
            continue;
        }
        let key = inner.key();
        let may = !param.has_key_tag()
            || context.knows(key)
            || (sure || context.is_open() && context.head.attributes.is_empty())
                && !context.engine.catalog.marks_params(key)
                && !context.engine.knows(key)
                && context.opener(at)?.is_none();
        if may {
            return Ok(Some(FoundParam { param: number, start: end, head: inner }));
        }
    }
    bare_head(at, context)
}

/// Reads the head of a declared parameter that lacks its opening marker; the rest of the marker follows the key.
pub(crate) fn bare_head(at: usize, context: &CallContext<'_>) -> Result<Option<FoundParam>, NotYet> {
    let view = context.view;
    let Some(end) = name_end(view, at)?.filter(|end| context.declares(view.slice(at, *end))) else { return Ok(None) };
    let allowed = !context.bounded && context.engine.options.repairs.allow(Code::MissingOpener);
    for (number, param) in context.dialect().params.iter().enumerate().filter(|_| allowed) {
        let mut head = context.head.inner();
        head.key = Some(HeadText::new(view.slice(at, end), at..end));
        let behind = match &param.head[..] {
            _ if param.has_key_tag() || !param.tail.first().is_some_and(Literal::is_strong) => None,
            [_, HeadPart::Hole(Hole::Key), rest @ ..] if !rest.is_empty() => nodes(view, end, rest, None, &mut head)?,
            [_, HeadPart::Attributes(_), rest @ ..] if matches!(view.byte(end)?, Some(b'"' | b'\'')) => {
                match memchr::memchr3(b'<', b'>', b'\n', view.peek(end, NAME_LIMIT)) {
                    Some(ahead) => nodes(view, end + ahead, rest, None, &mut head)?,
                    None => view.byte(end + NAME_LIMIT)?.and(None),
                }
            }
            _ => None,
        };
        if let Some(start) = behind {
            head.note(Code::MissingOpener, true);
            return Ok(Some(FoundParam { param: number, start, head }));
        }
    }
    Ok(None)
}

/// Returns whether a foreign marker is in a head from `at` to `end`: none is part of a key or an attribute.
fn holds_marker(at: usize, end: usize, param: &Pattern, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let mut from = at + 1;
    while let Some(ahead) = context.markers().find(&context.view.rest(from)[..end.saturating_sub(from)]) {
        from += ahead;
        from = match context.any(from, param.head.iter().filter_map(HeadPart::literal))? {
            Some(own) => own.max(from + 1),
            None if context.any_strong(from)?.is_some() => return Ok(true),
            None => from + 1,
        };
    }
    Ok(false)
}

/// The dialect's declaration of the value's type, if any: in its own words, or as a type name.
fn hint(param: &Pattern, head: &Head, words: Option<&TypeWords>) -> Hint {
    let Some(kind) = head.kind.as_deref().filter(|_| param.reads(Hole::Type)) else { return Hint::None };
    match words {
        Some(words) if words.string.as_deref() == Some(kind) => Hint::String,
        Some(words) if words.other.as_deref() == Some(kind) => Hint::Json,
        _ if Types::named(kind).is_some_and(|types| types.only(Types::STRING)) => Hint::String,
        _ => Hint::Json,
    }
}

/// Reports deviations of a head: changed, missing or repeated characters.
pub(crate) fn note_head(head: &Head, span: Range<usize>, sink: &mut Sink) {
    let slips = [
        (Code::LiteralNewline, "read `\\n`, `Ġ` or a character without width as white space"),
        (Code::EntityQuotes, "read entities as the call's quotes"),
        (Code::DuplicateOpener, "dropped a doubled opening marker"),
        (Code::JunkInCall, "skipped text between a marker and the call's body"),
        (Code::MarkdownEscape, Code::MarkdownEscape.row().about),
        (Code::InferredTool, Code::InferredTool.row().about),
        (Code::LostBlank, "missing white space before an attribute"),
        (Code::MissingOpener, "a parameter without its opening marker"),
    ];
    for (code, message) in slips.into_iter().filter(|slip| head.has(slip.0)) {
        sink.repair(code, span.clone(), message);
    }
}

/// Returns the next marker at or after `at` except for value closers: what it is, where it begins and ends.
fn next_marker(
    mut at: usize,
    context: &CallContext<'_>,
    param: &Pattern,
) -> Result<Option<(Marker, usize, usize)>, NotYet> {
    while let Some(ahead) = context.markers().find(context.view.rest(at)) {
        at += ahead;
        match context.marker(at, param)? {
            Some((Marker::Value | Marker::Tag, _)) | None => at += 1,
            Some((marker, end)) => return Ok(Some((marker, at, end))),
        }
    }
    context.view.final_end().map(|_| None)
}
