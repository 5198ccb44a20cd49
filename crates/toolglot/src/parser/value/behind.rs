//! The text after a value's closer: whether it can follow one, or is part of the value.

use crate::dialect::Literal;
use crate::parser::call_context::CallContext;
use crate::parser::head::{is_name, named_tag};
use crate::parser::marker::Marker;
use crate::parser::params::{FoundParam, bare_head, param_head};
use crate::parser::torn::is_weak;
use crate::parser::value_context::ValueContext;
use crate::view::NotYet;

/// Returns whether only a few closing tags are left before the end of the input.
pub(super) fn ends_in_tags(mut at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    for _ in 0..4 {
        at = context.gap(at)?;
        if context.view.byte(at)?.is_none() {
            return Ok(true);
        }
        if !context.view.starts_with(at, "</")? {
            return Ok(false);
        }
        let Some((_, end)) = named_tag(context.view, at + 2)? else { return Ok(false) };
        at = end;
    }
    Ok(false)
}

/// Returns whether what may follow a value is at `end`, after its JSON, or as much of its closer as has arrived.
pub(super) fn may_follow_json(end: usize, context: &ValueContext<'_>) -> Result<bool, NotYet> {
    let markers = if context.param.is_separated() { &[Marker::Param, Marker::Call][..] } else { &[Marker::Value] };
    if context.follows(end, markers)?.is_some() {
        return Ok(true);
    }
    let rest = context.view.slice(context.gap(end)?, context.view.end());
    let head = context.head;
    let spellings = context.param.tail.first().into_iter().flat_map(|closer| &closer.spellings);
    let mut closers = spellings.map(|closer| closer.filled(head.name(), head.mark.as_deref(), Some(head.key())));
    let begins = closers.any(|closer| begins_with(&closer, rest));
    if begins {
        context.view.final_end()?;
    }
    Ok(begins)
}

/// Returns whether a marker begins with a text, ignoring white space; an incomplete character at the end matches nothing.
fn begins_with(marker: &str, text: &str) -> bool {
    let mut marker = marker.chars().filter(|c| !c.is_whitespace());
    let text = text.trim_end_matches(char::REPLACEMENT_CHARACTER);
    text.chars().filter(|c| !c.is_whitespace()).all(|c| marker.next() == Some(c))
}

/// Returns what follows a value's closer that ends at `end`, if that is possible.
pub(super) fn continuation(end: usize, context: &ValueContext<'_>) -> Result<Option<Marker>, NotYet> {
    // A second closer is a slip, but two quotes in a row are data.
    let doubled = context.param.tail.first().is_some_and(Literal::is_strong);
    let any = [Marker::Param, Marker::Call, Marker::Section, Marker::Open, Marker::Value];
    match context.follows(end, if doubled { &any } else { &any[..4] })? {
        Some(Marker::Open) if context.pattern().tail.is_empty() => {}
        // A quote is an end only where the call continues after it, or all that closes it begins.
        Some(Marker::Open | Marker::End) if is_weak(context.param) => {}
        Some(Marker::Call) if is_weak(context.param) && context.any(context.gap(end)?, context.closer())?.is_none() => {
        }
        Some(follows) => return Ok(Some(follows)),
        None => {}
    }
    let view = context.view;
    let next = context.gap(end)?;
    if bare_head(next, context)?.is_some_and(|found| is_new(found.head.key(), context)) {
        return Ok(Some(Marker::Param));
    }
    let element = context.param.has_key_tag() && view.byte(next)? == Some(b'<');
    if element && named_tag(view, next + 1)?.is_some() {
        return Ok(Some(Marker::Tag));
    }
    if !context.param.tail.first().is_some_and(Literal::is_closing_tag) || !view.starts_with(next, "</")? {
        return Ok(None);
    }
    let Some((_, after)) = named_tag(view, next + 2)? else { return Ok(None) };
    let behind = context.follows(after, &[Marker::Call, Marker::Section, Marker::Open])?.is_some();
    let ends_line = matches!(view.byte(after)?, Some(b'\n' | b'\r'));
    Ok((behind || ends_line).then_some(Marker::Tag))
}

/// Returns whether what seems to follow a closer belongs to the value, as in prose and code: in the middle of a line, an
/// opener of an unexpected parameter or one that touches a quote, or a closer of the call without the strong one that
/// belongs to it; anywhere, an opener without a key, or with a key of several lines.
pub(super) fn is_word(end: usize, context: &ValueContext<'_>) -> Result<bool, NotYet> {
    if context.param.opening().is_none_or(Literal::is_strong) {
        return Ok(false);
    }
    let at = context.gap(end)?;
    let starts_line = context.view.byte(at - 1)? == Some(b'\n');
    Ok(match context.follows(end, &[Marker::Param, Marker::Call])? {
        Some(Marker::Param) if starts_line => {
            param_head(at, context, false)?.is_none_or(|found| found.head.key().contains('\n'))
        }
        Some(Marker::Param) if touches_quote(at, context) => true,
        Some(Marker::Param) => context.root().is_some() && !begins_other(at, context)?,
        Some(Marker::Call) => !starts_line && is_alone(at, &context.pattern().tail, context)?,
        _ => false,
    })
}

/// Returns whether a parameter's opener at `at` touches a quote that could close the previous value: code writes options so.
pub(super) fn touches_quote(at: usize, context: &ValueContext<'_>) -> bool {
    let closer = context.param.tail.first().filter(|_| is_weak(context.param)).and_then(Literal::first_byte);
    closer.is_some() && closer == context.view.rest(at - 1).first().copied()
}

/// Returns whether the closer at `at` lacks the strong one that is written with it.
fn is_alone(at: usize, closers: &[Literal], context: &CallContext<'_>) -> Result<bool, NotYet> {
    let strong = || closers.iter().filter(|closer| closer.is_strong());
    let Some(end) = context.any(at, closers)?.filter(|_| strong().next().is_some()) else { return Ok(false) };
    Ok(context.any(at, strong())?.is_none() && context.any(context.gap(end)?, strong())?.is_none())
}

/// Returns whether a new parameter begins at `at` after a separator: a declared one, if these are known
/// and other text may contain the separator.
pub(super) fn begins_next(at: usize, context: &ValueContext<'_>) -> Result<bool, NotYet> {
    let Some(FoundParam { head, .. }) = param_head(at, context, false)? else { return Ok(false) };
    let key = head.key();
    let known = context.root().is_none_or(|root| root.properties().is_empty()) || context.declares(key);
    let new = known && is_name(key) && !context.object.has(key) && context.head.key() != key;
    Ok(if context.param.opening().is_some_and(Literal::is_strong) { !key.is_empty() } else { new })
}

/// Returns whether the parameter that opens at `at` is a new one of this tool.
pub(super) fn begins_other(at: usize, context: &ValueContext<'_>) -> Result<bool, NotYet> {
    Ok(param_head(at, context, false)?.is_some_and(|found| is_new(found.head.key(), context)))
}

fn is_new(key: &str, context: &ValueContext<'_>) -> bool {
    context.declares(key) && !context.object.has(key) && context.head.key() != key
}
