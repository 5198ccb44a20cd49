//! Decides whether a candidate's body begins after its heads, which tool is called, and how the body starts.

use std::cell::Cell;

use super::{Start, TrialContext};
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, HeadPart, Literal};
use crate::json::{Ended, ValuePosition, key_ahead};
use crate::parser::call_context::CallContext;
use crate::parser::call_object::{self, CallArguments, FlatMembers};
use crate::parser::closing::skip_noise;
use crate::parser::content::{self, ContentReader};
use crate::parser::engine::Callee;
use crate::parser::envelope;
use crate::parser::head::{Head, HeadText, TagEnd, gap, skip_gap, tag_end, token};
use crate::parser::kwargs::{begins_literal, keyword};
use crate::parser::lines::{self, LinesReader};
use crate::parser::params::{bare_head, param_head};
use crate::parser::whole::{WholeArguments, arguments_of, read_value, with_attributes};
use crate::schema::SchemaNode;
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Bytes of heads, and of the body, that identify a call inside another one's value. Heads are bounded by
/// 128 bytes of name and 256 of each field, so 1 KiB holds any real one.
pub(crate) const REACH: usize = 1 << 10;

/// The same as [`begin`], for a call that nearby bytes must identify.
///
/// Calls in values, and openers after much futile look-ahead, are so many that none may cost more.
pub(super) fn begin_bounded(
    context: &TrialContext<'_>,
    at: usize,
    head: &mut Head,
    reach: usize,
) -> Result<Option<(Callee, Start)>, NotYet> {
    let seen = TrialContext { view: context.view.limited(at + reach), bounded: true, ..*context };
    match begin(&seen, at, head) {
        Err(NotYet) if seen.view.end() < context.view.end() => Ok(None),
        decided => decided,
    }
}

/// Returns which tool is called and how the body starts; `None` if this is not a call.
pub(super) fn begin(trial: &TrialContext<'_>, at: usize, head: &mut Head) -> Result<Option<(Callee, Start)>, NotYet> {
    let TrialContext { engine, view, pattern_ref, .. } = *trial;
    let kind = engine.pattern(pattern_ref).kind();
    let raw = matches!(kind, Some(BodyKind::Content | BodyKind::Lines) | None);
    let mut at = if raw { at } else { gap(view, at, head)? };
    if matches!(kind, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object)) {
        at = behind_noise(trial, at, head)?;
    }
    if kind == Some(BodyKind::Call) {
        return begin_call(trial, at, head);
    }
    // A parameter or the closer must be here: most candidates that share a head die by this byte.
    let markers = engine.catalog.markers(pattern_ref.dialect);
    let params = kind == Some(BodyKind::Params) && !head.is_unclosed_tag();
    if params && !view.byte(at)?.is_some_and(|byte| markers.contains(byte) || byte.is_ascii_alphabetic()) {
        return Ok(None);
    }
    let mut callee = engine.callee_of(engine.dialect(pattern_ref), head);
    if kind == Some(BodyKind::Arguments) && callee.as_ref().is_none_or(|callee| callee.tool.is_none()) {
        callee = inferred(trial, at, head)?.or(callee);
    }
    let Some(callee) = callee else { return Ok(None) };
    if !head.attributes.is_empty() && !engine.pattern(pattern_ref).takes_attributes() {
        let schema = callee.tool.and_then(|tool| engine.tools.get(tool).schema.as_ref());
        head.attributes.retain(|(key, _)| schema.is_some_and(|schema| schema.root().declares(&key.text)));
    }
    let ahead = Cell::new(0);
    let context = trial.call(&callee, head, &ahead);
    let start = match kind {
        Some(BodyKind::Arguments) => begin_arguments(at, &context)?,
        Some(BodyKind::Object) => {
            let quote = context.dialect().quote.as_deref();
            let opens = view.byte(at)? == Some(b'{') && key_ahead(view, at + 1, quote)?;
            opens.then_some(Start::Json(at))
        }
        Some(BodyKind::Params) => begin_params(at, &context)?,
        Some(BodyKind::Kwargs) => begin_kwargs(at, &context)?,
        Some(BodyKind::Lines) => begin_lines(at, &context)?,
        Some(BodyKind::Content) => begin_content(at, &context)?,
        // A call without arguments is none of a tool that requires some.
        _ => (!context.requires() || !context.head.attributes.is_empty()).then_some(Start::Nothing(at)),
    };
    head.looked = head.looked.max(at + ahead.get());
    head.note(Code::JunkInCall, matches!(start, Some(Start::Params { at: behind, .. }) if behind > at));
    match start {
        None if params && callee.tool.is_none() => glued(trial, head),
        start => Ok(start.map(|start| (callee, start))),
    }
}

/// Returns the declared tool whose name is glued to the key of its first parameter, and that parameter.
fn glued(trial: &TrialContext<'_>, head: &mut Head) -> Result<Option<(Callee, Start)>, NotYet> {
    let Some(HeadText { text, span }) = head.name.clone() else { return Ok(None) };
    let is_name = |length: &usize| text.get(..*length).is_some_and(|name| trial.engine.tools.is_declared(name));
    // An escaped name is longer than it reads.
    for length in (1..text.len()).filter(|_| text.len() == span.len()).filter(is_name) {
        let Some(callee) = trial.engine.callee(&text[..length]) else { continue };
        let (at, ahead) = (span.start + length, Cell::new(0));
        if let Some(first) = bare_head(at, &trial.call(&callee, head, &ahead))? {
            head.name = Some(HeadText::new(&text[..length], span.start..at));
            return Ok(Some((callee, Start::Params { at, first: Some(Box::new(first)) })));
        }
    }
    Ok(None)
}

/// Returns where an object begins after the bytes between a marker and it: a token of another model, or lines of words if
/// the object itself is clearly a call.
fn behind_noise(trial: &TrialContext<'_>, at: usize, head: &mut Head) -> Result<usize, NotYet> {
    let view = trial.view;
    let stands = matches!(view.byte(at)?, Some(b'{' | b'[' | b'"' | b'`') | None);
    if stands || !trial.pattern().opening().is_some_and(Literal::is_strong) {
        return Ok(at);
    }
    let (nobody, ahead) = (Callee::nobody(), Cell::new(0));
    let end = skip_noise(at, &trial.call(&nobody, head, &ahead))?;
    let noise = view.slice(at, end).trim_end_matches([' ', '\t']);
    let apart = noise.starts_with('<') || noise.ends_with('\n') && trial.pattern().kind() == Some(BodyKind::Call);
    let begins = apart && view.byte(end)? == Some(b'{') && trial.engine.options.repairs.allow(Code::JunkInCall);
    head.note(Code::JunkInCall, begins);
    Ok(if begins { end } else { at })
}

impl TrialContext<'_> {
    fn call<'c>(&'c self, callee: &'c Callee, head: &'c Head, ahead: &'c Cell<usize>) -> CallContext<'c> {
        let context = CallContext::new(self.engine, self.view, &self.pattern_ref, callee, head);
        CallContext { bounded: self.bounded, ahead: Some(ahead), ..context }
    }
}

/// Returns the called tool if the header is a bare counter: the only tool that matches all the arguments.
fn inferred(trial: &TrialContext<'_>, at: usize, head: &mut Head) -> Result<Option<Callee>, NotYet> {
    let TrialContext { engine, view, pattern_ref, .. } = *trial;
    if !engine.is_counter(engine.dialect(pattern_ref), head) || view.byte(at)? != Some(b'{') {
        return Ok(None);
    }
    let (nobody, ahead) = (Callee::nobody(), Cell::new(0));
    let context = trial.call(&nobody, head, &ahead);
    let read = read_value(at, ValuePosition::Value, None, &context)?;
    let closed = match &read {
        Some((_, end)) => context.any_closer(context.gap(*end)?)?.is_some(),
        None => false,
    };
    head.looked = head.looked.max(at + ahead.get());
    let callee = read.filter(|_| closed).and_then(|(arguments, _)| engine.inferred(&arguments));
    head.note(Code::InferredTool, callee.is_some());
    Ok(callee)
}

/// Skips a fence and an array's bracket before the object with the call.
fn begin_call(trial: &TrialContext<'_>, mut at: usize, head: &mut Head) -> Result<Option<(Callee, Start)>, NotYet> {
    let TrialContext { engine, view, pattern_ref, .. } = *trial;
    let fenced = !engine.pattern(pattern_ref).tail.is_empty() && view.starts_with(at, "```")?;
    if fenced {
        at = skip_gap(view, behind_fence(view, at)?)?;
    }
    let is_open = |node: &HeadPart| matches!(node, HeadPart::Literal(literal) if literal.ends_with('['));
    let in_array = engine.section(pattern_ref).and_then(|section| section.head.last()).is_some_and(is_open);
    let array = !in_array && pattern_ref.call.is_some() && view.byte(at)? == Some(b'[');
    if array {
        at = skip_gap(view, at + 1)?;
    }
    if view.byte(at)? != Some(b'{') {
        return Ok(None);
    }
    head.note(Code::EntityQuotes, view.byte(skip_gap(view, at + 1)?)? == Some(b'&'));
    if head.has(Code::EntityQuotes) && !engine.options.repairs.allow(Code::EntityQuotes) {
        return Ok(None);
    }
    let (nobody, ahead) = (Callee::nobody(), Cell::new(0));
    let context = trial.call(&nobody, head, &ahead);
    let facts = match call_object::facts(at + 1, &context)? {
        None => envelope::damaged(at, &context)?,
        facts => facts,
    };
    head.looked = head.looked.max(at + ahead.get());
    let Some(facts) = facts else { return Ok(None) };
    let HeadText { span, text } = &facts.name;
    // Markdown escapes underscores.
    let escaped = span.len() > text.len() + 2 && view.slice(span.start, span.end).contains("\\_");
    head.note(Code::MarkdownEscape, escaped);
    if head.has(Code::MarkdownEscape) && !engine.options.repairs.allow(Code::MarkdownEscape) {
        return Ok(None);
    }
    head.name = Some(facts.name);
    let Some(callee) = engine.callee_of(engine.dialect(pattern_ref), head) else { return Ok(None) };
    let context = trial.call(&callee, head, &ahead);
    let arguments = match facts.arguments {
        CallArguments::Missing => flat(at + 1, &context)?,
        found => Some(found),
    };
    head.looked = head.looked.max(at + ahead.get());
    Ok(arguments.map(|arguments| (callee, Start::Call { at: at + 1, array, fenced, arguments })))
}

/// Returns whether the members of a call object without arguments are the arguments; `None` if it cannot be a call, because
/// a required parameter is missing.
fn flat(at: usize, context: &CallContext<'_>) -> Result<Option<CallArguments>, NotYet> {
    let allowed = context.engine.options.repairs.allow(Code::FlatArguments);
    Ok(match call_object::flat(at, context)? {
        FlatMembers::Arguments if allowed => Some(CallArguments::Flat),
        FlatMembers::Unclear => None,
        FlatMembers::Empty | FlatMembers::Arguments if context.requires() => None,
        _ => Some(CallArguments::Missing),
    })
}

fn begin_arguments(at: usize, context: &CallContext<'_>) -> Result<Option<Start>, NotYet> {
    let plain = context.head.attributes.is_empty();
    match context.view.byte(at)? {
        Some(b'{') if !key_ahead(context.view, at + 1, None)? => Ok(None),
        Some(b'{') if plain => Ok(Some(Start::Json(at))),
        Some(b'`') if plain && fenced(at, context.view)? => Ok(Some(Start::Json(at))),
        Some(b'{') => {
            let read = with_attributes(at, context)?;
            Ok(read.map(|(whole, end)| Start::Whole { whole, at, end }))
        }
        Some(first @ (b'"' | b'[')) => {
            let Some((json, end)) = read_value(at, ValuePosition::Value, None, context)? else { return Ok(None) };
            // A list says nothing by itself.
            if first == b'[' && context.any(context.gap(end)?, context.closer())?.is_none() {
                return Ok(None);
            }
            let whole = arguments_of(&json, context.tool(), &context.engine.options);
            Ok(whole.map(|whole| Start::Whole { whole, at, end }))
        }
        _ => {
            let closer =
                context.closer().filter(|closer| !closer.spellings.iter().any(|spelling| spelling.plain() == ">"));
            let empty = plain && context.any(at, closer)?.is_some();
            Ok(empty.then(|| Start::Whole { whole: WholeArguments::empty(context.tool()), at, end: at }))
        }
    }
}

/// Returns whether a fence opens at `at` with an object in it.
fn fenced(at: usize, view: View<'_>) -> Result<bool, NotYet> {
    if !view.starts_with(at, "```")? {
        return Ok(false);
    }
    let at = view.skip_blanks(behind_fence(view, at)?)?;
    Ok(view.byte(at)? == Some(b'{') && key_ahead(view, at + 1, None)?)
}

/// Returns the end of the fence at `at`, including its label.
fn behind_fence(view: View<'_>, at: usize) -> Result<usize, NotYet> {
    let mut end = at + "```".len();
    while view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric()) {
        end += 1;
    }
    Ok(end)
}

fn begin_params(at: usize, context: &CallContext<'_>) -> Result<Option<Start>, NotYet> {
    let unclosed = context.head.is_unclosed_tag() && context.view.byte(at)?.is_none_or(|next| next == b'<');
    if unclosed {
        return Ok(Some(Start::Params { at, first: None }));
    }
    match params_at(at, context)? {
        None if context.engine.options.repairs.allow(Code::JunkInCall) && token(context.view, at)?.is_some() => {
            params_at(skip_noise(at, context)?, context)
        }
        start => Ok(start),
    }
}

/// Returns the start if a parameter, also one without a name, or the call's closer is at `at`.
fn params_at(at: usize, context: &CallContext<'_>) -> Result<Option<Start>, NotYet> {
    if context.any(at, context.closer())?.is_some() {
        return Ok(Some(Start::Params { at, first: None }));
    }
    if let Some(first) = param_head(at, context, false)? {
        return Ok(Some(Start::Params { at, first: Some(Box::new(first)) }));
    }
    for param in context.dialect().params.iter().filter(|param| !param.has_key_tag()) {
        if let Some(end) = context.any(at, param.opening())?
            && !context.view.char(end)?.is_some_and(char::is_alphanumeric)
            && tag_end(context.view, end)? == TagEnd::Closed
        {
            return Ok(Some(Start::Params { at, first: None }));
        }
    }
    Ok(None)
}

fn begin_kwargs(at: usize, context: &CallContext<'_>) -> Result<Option<Start>, NotYet> {
    let view = context.view;
    // Unpacked or not, a dict is an object.
    let at = if view.starts_with(at, "**{")? { at + "**".len() } else { at };
    if view.byte(at)? == Some(b'{') {
        return Ok(key_ahead(view, at + 1, None)?.then_some(Start::Json(at)));
    }
    let only = context.root().and_then(SchemaNode::only_property);
    let positional = only.is_some() && begins_literal(view, at)?;
    let begins = view.byte(at)? == Some(b')') || positional || keyword(view, at)?.is_some();
    Ok(begins.then_some(Start::Kwargs(at)))
}

/// Lines are a call when their end is visible: a line without a key makes them prose.
fn begin_lines(at: usize, context: &CallContext<'_>) -> Result<Option<Start>, NotYet> {
    if !lines::begin(at, context)? {
        return Ok(None);
    }
    let mut nowhere = Sink::muted(at, context.engine.options.repairs);
    let end = LinesReader::new(at).resume(context, &mut nowhere)?;
    context.count(end.at - at);
    Ok((end.how != Ended::Broken).then_some(Start::Lines(at)))
}

/// Plain text is a call at once if an attribute shows it, otherwise when its closer is visible.
fn begin_content(at: usize, context: &CallContext<'_>) -> Result<Option<Start>, NotYet> {
    if content::parameter(context).is_none() {
        return Ok(None);
    }
    let sure = context.head.attributes.iter().any(|(key, _)| context.is_open() || context.declares(&key.text));
    if !sure {
        let mut nowhere = Sink::muted(at, context.engine.options.repairs);
        let end = ContentReader::new(at, false, context, &mut nowhere).resume(context, &mut nowhere)?;
        context.count(end.at - at);
        if !matches!(end.how, Ended::Complete | Ended::Cut) {
            return Ok(None);
        }
    }
    Ok(Some(Start::Content { at, sure }))
}
