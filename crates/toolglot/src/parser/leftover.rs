//! Detects leftovers of a call after its end: if there are any, the call did not end where it seems to.

use super::call_context::CallContext;
use super::kwargs::keyword;
use super::member;
use crate::dialect::{BodyKind, Pattern};
use crate::json::Markers;
use crate::view::NotYet;

/// How far a doubtful end is examined: about a screen of text. Beyond that, a better end of a string, the rest of one, an element's
/// closers, the kind of a bracket, or the keys of arguments more likely belong to another call.
pub(crate) const LOOK: usize = 1 << 12;

/// The number of bytes that a wrong closer shares with the right one: `<|cl`, `</fu`.
const ALIKE: usize = 4;

/// What is known about a call whose leftovers are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EndKind {
    /// Its end is certain.
    Clean,
    /// Its strings contain unescaped quotes.
    Quotes,
    /// A repair determined its end.
    Repaired,
}

/// Returns whether the text after a call that ended at `at` belongs to none of its strings: no unmatched closer, no
/// quote before a brace; no keyword of a Python call, if quotes in its strings are unescaped.
pub(super) fn is_over(context: &CallContext<'_>, at: usize, end_kind: EndKind) -> Result<bool, NotYet> {
    let end = behind_section(context, at)?;
    Ok(continues_behind(context, at)?
        || continues_behind(context, end)?
        || is_over_behind(context, end, end_kind, false)?)
}

/// Returns whether the text after a call that ended at `at`, after a repair that moved its end, contains no leftovers
/// of it: the same conditions, and no quoted key. Quotes count only on its own line if its arguments are sound.
pub(super) fn is_over_for_certain(context: &CallContext<'_>, at: usize, sound: bool) -> Result<bool, NotYet> {
    let next = context.gap(at)?;
    // Line breaks that are written as in strings may be those of one.
    let escaped = context.view.slice(at, next).contains('\\');
    if !escaped && (resembles_closer(context, next)? || context.next_opens(next)? || continues_behind(context, at)?) {
        return Ok(true);
    }
    let end = behind_section(context, at)?;
    // After a fence's marks, something inside the call is separated or closed.
    let mut inside = context.gap(end)?;
    while context.view.byte(inside)? == Some(b'`') {
        inside += 1;
    }
    let is_inside = matches!(context.view.byte(context.gap(inside)?)?, Some(b',' | b')'));
    Ok(!is_inside && is_over_behind(context, end, EndKind::Repaired, sound)?)
}

/// Returns whether the text at `at` begins like the call's closer, and is not the section's: it is a wrong closer, not
/// text.
fn resembles_closer(context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
    if context.any(at, context.section_closers())?.is_some() {
        return Ok(false);
    }
    let spellings = context.pattern().tail.iter().flat_map(|closer| &closer.spellings);
    let heads = spellings.filter_map(|spelling| spelling.opener().get(..ALIKE));
    Ok(context.view.starts_with_any(at, heads)?.is_some())
}

/// Returns whether the wrappers of this call may contain another one.
pub(super) fn may_go_on(context: &CallContext<'_>) -> bool {
    context.pattern_ref.section.is_some() || context.pattern().kind() == Some(BodyKind::Call)
}

/// Returns whether an object at `at` begins with the key of a call's name or arguments, or of an id if
/// this call has one.
pub(super) fn begins_element(context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
    let first = if context.view.byte(at)? == Some(b'{') { member::quoted_member(context, at + 1)? } else { None };
    let Some((key, _)) = first else { return Ok(false) };
    let known = member::is_name_key(&key, context.dialect()) || member::is_arguments_key(&key, context.dialect());
    let id = context.head.id.is_some() && member::is_id_key(&key, context);
    Ok(known || id || context.engine.tools.is_declared(&key))
}

/// Returns whether the input ends after a call that ended at `at`, or another call follows.
fn continues_behind(context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
    let next = behind_skips(context, at)?;
    if context.view.byte(next)?.is_none()
        || context.opener(next)?.is_some()
        || context.any(next, context.engine.section(*context.pattern_ref).and_then(Pattern::opening))?.is_some()
        || context.engine.behind_name(context.view, next)?.is_some()
        || context.view.slice(at, next).contains('\n') && context.sibling(next)?.is_some()
    {
        return Ok(true);
    }
    if !may_go_on(context) {
        return Ok(false);
    }
    let behind = context.behind_separator(next)?;
    let element = behind.map_or(Ok(false), |behind| begins_element(context, behind))?;
    Ok(element || context.next_call(behind.unwrap_or(next))?.is_some())
}

/// Skips literals between the dialect's calls, and white space.
fn behind_skips(context: &CallContext<'_>, at: usize) -> Result<usize, NotYet> {
    let mut next = context.gap(at)?;
    while let Some(end) = context.view.starts_with_any(next, &context.dialect().skip)? {
        next = context.gap(end)?;
    }
    Ok(next)
}

/// Returns the end of all closers of sections at `at`: the call's own may have no opener.
pub(super) fn behind_section(context: &CallContext<'_>, at: usize) -> Result<usize, NotYet> {
    let mut end = at;
    let closers = || context.dialect().sections.iter().flat_map(|section| &section.tail);
    while let Some(after) = context.any(context.gap(end)?, closers())? {
        end = after;
    }
    Ok(end)
}

/// Returns whether a line ends after a call that ended at `at`, or the input, or another call follows.
pub(super) fn ends_line(context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
    let end = behind_section(context, at)?;
    let next = context.gap(end)?;
    let line = context.view.byte(next)?.is_none() || context.view.slice(end, next).contains('\n');
    Ok(line || continues_behind(context, at)? || context.opener(next)?.is_some())
}

/// Returns whether a quote at `at` is followed by what may follow a string in a call's arguments.
fn is_rest(context: &CallContext<'_>, at: usize, end_kind: EndKind) -> Result<bool, NotYet> {
    let (view, quote) = (context.view, context.view.byte(at)?);
    if context.pattern().kind() != Some(BodyKind::Kwargs) {
        let behind = if quote == Some(b'"') { view.byte(at + 1)? } else { None };
        return Ok(behind == Some(b'}') || end_kind == EndKind::Repaired && behind == Some(b':'));
    }
    Ok(match view.byte(at + 1)?.filter(|_| matches!(quote, Some(b'"' | b'\''))) {
        Some(b')') => end_kind >= EndKind::Quotes,
        Some(b',') if end_kind >= EndKind::Quotes => {
            keyword(view, view.skip_blanks(at + 2)?)?.is_some_and(|(name, _)| name.text.len() == name.span.len())
        }
        _ => false,
    })
}

fn is_over_behind(context: &CallContext<'_>, from: usize, end_kind: EndKind, sound: bool) -> Result<bool, NotYet> {
    let (view, markers, token) = (context.view, context.markers(), context.dialect().quote.as_deref());
    let begins_token = token.and_then(|token| token.bytes().next());
    let rest = view.rest(from);
    let mut quotes = true;
    for (at, &byte) in (from..from + LOOK).zip(rest) {
        let marks = byte == b'<' || markers.contains(byte);
        if !marks && !matches!(byte, b'"' | b'\'' | b'\n') && begins_token != Some(byte) {
            continue;
        }
        // An object on another line may be an example.
        quotes &= !sound || byte != b'\n';
        if quotes && matches!(byte, b'"' | b'\'') && is_rest(context, at, end_kind)?
            || begins_token == Some(byte) && view.starts_with(at, token.unwrap_or_default())?
        {
            // What looks like the rest is none if another call begins on a line of its own before it.
            let mut lines = memchr::memchr_iter(b'\n', view.slice(from, at).as_bytes());
            return lines.try_fold(false, |found, line| Ok(found || continues_behind(context, from + line)?));
        }
        if byte == b'\n' && context.engine.behind_name(view, at + 1)?.is_some() {
            return Ok(true);
        }
        if !marks || !markers.stands(view, at)? {
            continue;
        }
        // The closer of a parameter, too, where it is no tag that a text may hold.
        let strong = context.dialect().params.iter().filter_map(|it| it.tail.first().filter(|it| it.is_strong()));
        if context.closes(view, at)?.is_some() || context.any(at, strong)?.is_some() {
            return Ok(false);
        }
        if context.opener(at)?.is_some() {
            return Ok(true);
        }
    }
    if rest.len() < LOOK {
        view.final_end()?;
    }
    Ok(true)
}
