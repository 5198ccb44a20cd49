//! Where a call certainly ends, and where reading continues after a broken one.

use std::ops::Range;

use super::call::CallReader;
use super::call_context::CallContext;
use super::closing::close;
use super::contest::{self, Winner};
use super::crossed::{ends_with_head, holds_keywords, names_tool};
use super::engine::{Callee, Engine};
use super::leftover::{EndKind, LOOK, begins_element, behind_section, ends_line, is_over, may_go_on};
use super::member::{self, OwnMember};
use super::torn::is_torn_opener;
use super::whole::skip_value;
use super::wrapper::Wrapper;
use crate::diagnostic::{Code, Repairs};
use crate::dialect::BodyKind;
use crate::event::Outcome;
use crate::json::{Ended, InnerCall, KEY, Markers, QUOTED, key_ahead};
use crate::sink::{FILE, Sink};
use crate::view::{NotYet, View};

/// Superfluous brackets that are skipped. Models that lose count are off by one or two; more brackets belong to
/// something else.
const EXTRA: usize = 4;

/// The markers around a JSON body, from its call context.
impl Markers for CallContext<'_> {
    fn stop(&self, _: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        if self.view.byte(at)?.is_none_or(ends_json) || !self.markers().stands(self.view, at)? {
            return Ok(None);
        }
        Ok(self.any_closer(at)?.max(self.opener(at)?))
    }

    fn first_bytes(&self) -> &[u8] {
        self.markers().first_bytes().members()
    }

    fn may_begin(&self, byte: u8) -> bool {
        self.markers().contains(byte) && !ends_json(byte) && byte != b'>'
    }

    fn interrupts(&self, view: View<'_>, at: usize) -> Result<bool, NotYet> {
        if !self.markers().stands(self.view, at)? {
            return Ok(false);
        }
        Ok(self.closes(view, at)?.is_some() || self.opener(at)?.is_some())
    }

    /// Returns the end of the call's closers if its body ended at `at` and all required ones follow.
    ///
    /// At the end of the input, closers may be missing: servers remove the one at which the model was stopped.
    fn ends_call(&self, _: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let Some(at) = close_objects(self, at)? else { return Ok(None) };
        if self.pattern().kind() == Some(BodyKind::Call)
            && let Some(end) = ends_element(self, at)?
        {
            return Ok(Some(end));
        }
        let closing = close(at, true, self)?;
        if !closing.repairs.is_empty() && !closing.cut {
            return Ok(None);
        }
        let end = closing.at;
        if end > at && self.pattern().tail.iter().any(|closer| closer.is_strong()) {
            return Ok(Some(end));
        }
        let next = self.gap(end)?;
        if matches!(self.view.byte(next)?, None | Some(b'`')) {
            return Ok(Some(end));
        }
        let section = self.pattern_ref.section.map_or(Ok(None), |_| Wrapper::Section.closers(next, self))?;
        let after = section.and_then(|(after, wrong)| wrong.is_none().then_some(after));
        let strong = self.section_closers().iter().any(|closer| closer.is_strong());
        if after.is_some() && strong {
            return Ok(after);
        }
        if let Some(behind) = self.behind_separator(next)?
            && self.next_call(behind)?.is_some()
        {
            return Ok(after.or(Some(end)));
        }
        let end = after.unwrap_or(end);
        Ok(stands_free(self, end)?.then_some(end))
    }

    fn parameter_beside(&self, at: usize) -> Result<Option<String>, NotYet> {
        let comma = self.gap(at)?;
        if self.around == 0 || self.view.byte(comma)? != Some(b',') {
            return Ok(None);
        }
        let Some((key, value)) = member::member_head(comma + 1, self)? else { return Ok(None) };
        let is_parameter = self.declares(&key) && member::own_member(&key, value, self)? == OwnMember::No;
        Ok(is_parameter.then(|| key.into_owned()))
    }

    /// Returns whether a string without anything odd in it may end before the call's brackets, which end at `at`: the call is
    /// closed, or continues in a known way, with superfluous brackets or another object in the same tags.
    fn may_end_call(&self, at: usize) -> Result<bool, NotYet> {
        let mut end = at;
        for _ in 0..EXTRA {
            if self.ends_call(self.view, end)?.is_some() || continues_call(self, end)? {
                return Ok(true);
            }
            let next = self.gap(end)?;
            if !matches!(self.view.byte(next)?, Some(b'}' | b']')) {
                break;
            }
            end = next + 1;
        }
        Ok(false)
    }

    fn callee(&self) -> Option<&str> {
        Some(&self.callee.name)
    }

    fn is_markdown(&self) -> bool {
        self.head.has(Code::MarkdownEscape) && self.engine.options.repairs.allow(Code::MarkdownEscape)
    }

    /// Returns whether all closers of the section are at `at`, and nothing after them may belong to a string.
    fn ends_section(&self, at: usize) -> Result<bool, NotYet> {
        let next = self.gap(at)?;
        match Wrapper::Section.closers(next, self)?.filter(|(_, wrong)| wrong.is_none()) {
            Some((end, _)) if self.pattern_ref.section.is_some() => stands_free(self, end),
            _ => Ok(false),
        }
    }

    fn is_bounded(&self) -> bool {
        self.bounded
    }

    fn is_over(&self, at: usize) -> Result<bool, NotYet> {
        is_over(self, at, EndKind::Quotes)
    }

    /// Returns the first opener from `from` on and before `upto` of a call that parses without deviations, and after which
    /// nothing is left of a string; `upto` or the end of the input if there is none.
    ///
    /// Only such a call inside a string that never closed is a call: the string may quote calls.
    fn resume_at(&self, _: View<'_>, from: usize, upto: usize) -> Result<usize, NotYet> {
        let reach = LOOK.max((upto - from) / QUOTED);
        let (mut at, mut tried) = (from, 0);
        while let Some(byte) = self.view.byte(at)? {
            if at >= upto {
                return Ok(at);
            }
            let opens = self.markers().contains(byte) && self.opener(at)?.is_some();
            let win = match byte {
                _ if opens => first_alone(self, at)?,
                b'\n' if !self.bounded => self.sibling(at + 1)?,
                _ => parted(self, at)?,
            };
            if opens || win.is_some() {
                tried += 1;
                let end = match win.filter(|_| tried <= QUOTED) {
                    Some(win) => whole(self.engine, self.view, win, at..at + reach)?.0,
                    None => None,
                };
                if tried > QUOTED || end.map_or(Ok(false), |end| is_alone(self, end))? {
                    return Ok(at);
                }
            }
            at += 1;
        }
        self.view.final_end()
    }

    fn opens(&self, _: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        if self.markers().stands(self.view, at)? { self.opener(at) } else { Ok(None) }
    }

    fn opens_call(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let Some(end) = self.opens(view, at)? else { return Ok(None) };
        let next = self.gap(end)?;
        let object = matches!(view.byte(next)?, Some(b'{' | b'['));
        // A tool's name may begin with it, or a quote before one.
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'"') || byte >= 0x80;
        let named = self.pattern().kind() != Some(BodyKind::Call) && view.byte(next)?.is_some_and(is_name_byte);
        let more = self.any(next, self.pattern().behind_opening())?.is_some();
        Ok((object || named || more || self.opener(next)?.is_some()).then_some(end))
    }

    fn inner_call(&self, at: usize) -> Result<InnerCall, NotYet> {
        inner(self, at).map(|(call, _)| call)
    }

    /// Returns whether all required closers of the call are at `at`, followed by a separator of calls.
    fn separates(&self, at: usize) -> Result<bool, NotYet> {
        let Some(at) = close_objects(self, at)?.filter(|_| may_go_on(self)) else { return Ok(false) };
        let closing = close(at, true, self)?;
        Ok(matches!(self.view.byte(self.gap(closing.at)?)?, Some(b',' | b';')) && closing.repairs.is_empty())
    }

    /// Returns whether a call to a declared tool begins at `at` in a string, if only brackets close calls: the string
    /// may have lost its end before it.
    fn begins_in_string(&self, at: usize) -> Result<bool, NotYet> {
        match self.pattern().kind() {
            _ if self.bounded || self.pattern().tail.iter().any(|closer| closer.is_strong()) => Ok(false),
            Some(BodyKind::Call) => names_tool(self, at),
            _ => Ok(self.next_call(at)?.is_some()),
        }
    }

    /// Returns whether the head of a declared tool's call is shortly before a quote at `at` in a string that is visible from
    /// `from` on; other text may be attached to it.
    fn holds_head(&self, from: usize, at: usize) -> Result<bool, NotYet> {
        // Room for the longest name and the words around it.
        let mut from = from.max(at.saturating_sub(KEY));
        while !self.view.is_boundary(from) {
            from += 1;
        }
        let before = self.view.slice(from, at).trim_end();
        match self.pattern().kind() {
            _ if self.bounded => Ok(false),
            Some(BodyKind::Arguments) if before.ends_with('{') => ends_with_head(self, from, before),
            Some(BodyKind::Kwargs) => holds_keywords(self, from, before),
            _ => Ok(false),
        }
    }

    fn closes(&self, _: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        if !self.markers().stands(self.view, at)? {
            return Ok(None);
        }
        let closers = self.pattern().tail.iter().chain(self.section_closers());
        self.any(at, closers.filter(|closer| closer.is_strong()))
    }
}

/// Returns whether a byte is JSON syntax, so that it cannot be a closer of a dialect.
fn ends_json(byte: u8) -> bool {
    matches!(byte, b'}' | b']' | b',' | b'"' | b'\'' | b')')
}

/// Returns whether another member of the call object, or another object, follows the arguments that end at `at`.
fn continues_call(context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
    let mut at = context.gap(at)?;
    if context.around > 0 && context.view.byte(at)? == Some(b',') {
        return Ok(member::quoted_member(context, at + 1)?.is_some_and(|(key, _)| member::is_call_key(&key, context)));
    }
    for _ in 0..context.around {
        if context.view.byte(at)? != Some(b'}') {
            return Ok(false);
        }
        at = context.gap(at + 1)?;
    }
    let glued = context.around == 0 && context.view.byte(at)? == Some(b'{') && key_ahead(context.view, at + 1, None)?;
    Ok(glued || begins_element(context, at)?)
}

/// Returns the end of an element of an array of calls at `at`, if the next one or all closers of the array follow.
fn ends_element(context: &CallContext<'_>, at: usize) -> Result<Option<usize>, NotYet> {
    let next = context.gap(at)?;
    if let Some(behind) = context.behind_separator(next)? {
        return Ok(begins_element(context, behind)?.then_some(at));
    }
    if context.view.byte(next)? != Some(b']') {
        return Ok(None);
    }
    let array = Wrapper::Array { call: context.pattern_ref.call, bracket: true };
    let closed = array.closers(next, context)?.filter(|(_, wrong)| wrong.is_none());
    let Some((end, _)) = closed else { return Ok(None) };
    let strong = context.pattern().tail.iter().any(|closer| closer.is_strong());
    Ok((strong || stands_free(context, end)?).then_some(end))
}

/// Returns the end of an object without a tool's name at `at`, if the surrounding calls continue or are closed after it.
pub(crate) fn nameless(context: &CallContext<'_>, wrapper: Wrapper, at: usize) -> Result<Option<usize>, NotYet> {
    if context.pattern().kind() != Some(BodyKind::Call) || context.view.byte(at)? != Some(b'{') {
        return Ok(None);
    }
    let bounded = CallContext { view: context.view.limited(at + LOOK), ..*context };
    let read = skip_value(at, &bounded, &mut Sink::muted(at, bounded.engine.options.repairs));
    let Some(end) = context.view.within(bounded.view, read.map(Some))?.filter(|end| end.how == Ended::Complete) else {
        return Ok(None);
    };
    let end = end.at;
    let next = context.gap(end)?;
    let next = context.behind_separator(next)?.unwrap_or(next);
    let closed = wrapper.closers(next, context)?.is_some_and(|(_, wrong)| wrong.is_none());
    Ok((closed || context.next_call(next)?.is_some()).then_some(end))
}

/// Returns whether the text after a position begins on another line, with an opener, where reasoning closes, or is empty.
fn stands_free(context: &CallContext<'_>, end: usize) -> Result<bool, NotYet> {
    let next = context.gap(end)?;
    let Some(byte) = context.view.byte(next)? else { return Ok(true) };
    if is_torn_opener(next, context)? || context.engine.catalog.closers.stands(context.view, next)?.is_some() {
        return Ok(true);
    }
    let free = context.opener(next)?.is_some() || context.view.slice(end, next).contains('\n');
    let json = matches!(byte, b'"' | b'\'' | b'}' | b']' | b')' | b',' | b':');
    Ok(free && !json && is_over(context, end, EndKind::Clean)?)
}

/// Returns the next call of the section, if a separator is at `at` and a call follows.
fn parted(context: &CallContext<'_>, at: usize) -> Result<Option<Winner>, NotYet> {
    let may = may_go_on(context) && !context.bounded;
    let behind = if may { context.behind_separator(at)? } else { None };
    behind.map_or(Ok(None), |behind| context.next_call(behind))
}

/// Returns where the calls of a section continue after one that broke at `from`: at an object that names a tool, at the
/// separator before the next call, at an opener, or after the call's closer.
pub(crate) fn recover(context: &CallContext<'_>, from: usize) -> Result<Option<usize>, NotYet> {
    if context.view.byte(from)? == Some(b'{') && names_tool(context, from)? {
        return Ok(Some(from));
    }
    let mut tried = 0;
    for at in from..from + LOOK {
        let Some(byte) = context.view.byte(at)? else { break };
        if context.markers().contains(byte) {
            if context.opener(at)?.is_some() {
                return Ok(Some(at));
            }
            if let Some(end) = context.closes(context.view, at)? {
                return Ok(Some(end));
            }
        }
        if tried < QUOTED && matches!(byte, b',' | b';') {
            tried += 1;
            if parted(context, at)?.is_some() {
                return Ok(Some(at));
            }
        }
    }
    Ok(None)
}

/// Returns what begins at `at` in the middle of a value, and the number of bytes that were read for it and will be read
/// again; never called inside look-ahead.
pub(crate) fn inner(context: &CallContext<'_>, at: usize) -> Result<(InnerCall, usize), NotYet> {
    let Some(win) = first_alone(context, at)? else { return Ok((InnerCall::Data, 0)) };
    Ok(match whole(context.engine, context.view, win, at..at + FILE)? {
        (None, read) => (InnerCall::Data, read),
        (Some(end), read) if is_alone(context, end)? && !is_cut_behind(context, end)? => (InnerCall::Alone, read),
        (Some(end), _) => (InnerCall::Quoted(behind_section(context, end)?), 0),
    })
}

/// Returns whether a call of a dialect begins at `at` before `upto`, and parses without any repair beyond that; and the
/// number of bytes that were read for it and will be read again.
pub(crate) fn reads_beyond(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    upto: usize,
    dialect: usize,
) -> Result<(bool, usize), NotYet> {
    let Ok(Some(win)) = contest::first(engine, view.limited(upto), at, dialect) else { return Ok((false, 0)) };
    let (end, read) = whole(engine, view, win, at..at + FILE)?;
    Ok((end.is_some_and(|end| end > upto), read))
}

/// Returns whether a call that ended at `end` is the last thing before the server's limit: a quotation may have continued.
pub(super) fn is_cut_behind(context: &CallContext<'_>, end: usize) -> Result<bool, NotYet> {
    let next = context.gap(behind_section(context, end)?)?;
    Ok(context.engine.options.is_cut() && context.view.byte(next)?.is_none())
}

/// Returns the call that opens at `at` with a marker.
fn first_alone(context: &CallContext<'_>, at: usize) -> Result<Option<Winner>, NotYet> {
    if context.bounded {
        return Ok(None);
    }
    match contest::first(context.engine, context.view, at, context.pattern_ref.dialect)? {
        None if context.tag_name(at + 1, false)?.is_some() => context.sibling(at),
        first => Ok(first),
    }
}

/// Returns the end of a call that parses within a span without any repair, apart from the wrapper that the broken call
/// opened; and the number of bytes read.
fn whole(engine: &Engine, view: View<'_>, win: Winner, place: Range<usize>) -> Result<(Option<usize>, usize), NotYet> {
    let mut sink = Sink::muted(place.start, Repairs::NONE.with(Code::MissingOpener).with(Code::MissingValueCloser));
    let seen = view.limited(place.end);
    let callee = Callee { ahead: true, ..win.callee };
    let end = match CallReader::new(Winner { callee, ..win }, true).resume(engine, seen, &mut sink) {
        Ok(end) => end,
        Err(NotYet) if seen.end() < view.end() => return Ok((None, place.len() + sink.read_in_vain())),
        Err(NotYet) => return Err(NotYet),
    };
    Ok(((sink.worst() <= Outcome::Repaired).then_some(end), end - place.start + sink.read_in_vain()))
}

/// Returns whether the text after a call that ended at `end` belongs to no string.
fn is_alone(context: &CallContext<'_>, end: usize) -> Result<bool, NotYet> {
    Ok(ends_line(context, end)? && is_over(context, end, EndKind::Clean)?)
}

/// Skips the braces of the objects around the arguments, and short members after them.
fn close_objects(context: &CallContext<'_>, mut at: usize) -> Result<Option<usize>, NotYet> {
    let view = context.view;
    for _ in 0..context.around {
        loop {
            at = context.gap(at)?;
            match view.byte(at)? {
                Some(b',') => {}
                Some(b'}') => break,
                _ => return Ok(None),
            }
            let Some((_, behind)) = member::quoted_member(context, at + 1)? else { return Ok(None) };
            let value = context.gap(behind)?;
            if matches!(view.byte(value)?, Some(b'{' | b'[')) {
                return Ok(None);
            }
            let word = view.rest(value).iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
            view.byte(value + word)?;
            at = match member::string(view, value)? {
                Some((_, end)) => end,
                None if word > 0 => value + word,
                None => return Ok(None),
            };
        }
        at += 1;
    }
    Ok(Some(at))
}
