//! The closers after a body: right, wrong, missing, doubled or fenced, in one place for every dialect.

use std::ops::Range;

use super::call_context::CallContext;
use super::head::{closing_tag, skip_gap, token};
use super::whole::read_value;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Literal};
use crate::json::ValuePosition;
use crate::view::{BEHIND, NotYet, View};

/// A remark after a call's body: a sentence or two.
const NOISE: usize = 256;

/// Where a call ends, and the faults of its closers.
pub(crate) struct Closing {
    pub(crate) at: usize,
    pub(crate) repairs: Vec<(Code, Range<usize>, &'static str)>,
    /// The input ended before the last closer.
    pub(crate) cut: bool,
}

impl Closing {
    /// No closers, if none are required.
    pub(crate) fn none(at: usize) -> Self {
        Self { at, repairs: Vec::new(), cut: false }
    }

    /// Returns whether a repair decides where the call ends.
    pub(crate) fn moves_end(&self) -> bool {
        !self.cut && self.repairs.iter().any(|(code, ..)| code.moves_end())
    }

    fn repair(&mut self, code: Code, span: Range<usize>, message: &'static str) {
        self.at = self.at.max(span.end);
        self.repairs.push((code, span, message));
    }

    fn lacks(&mut self, closer: &Literal) {
        let (code, message) = match closer.is_brackets() {
            true => (Code::MissingBracket, "call without a closing bracket"),
            false => (Code::MissingCloser, "call without a closing marker"),
        };
        self.repairs.push((code, self.at..self.at, message));
    }
}

/// Returns the end of further objects between a call's arguments and its closer, or `at` if there are none. Each must be empty,
/// or repeat the arguments: anything else in it would be lost.
pub(crate) fn glued(at: usize, context: &CallContext<'_>) -> Result<usize, NotYet> {
    if context.pattern().kind() != Some(BodyKind::Arguments) || context.pattern().tail.is_empty() {
        return Ok(at);
    }
    let (mut end, mut next) = (at, skip_gap(context.view, at)?);
    while context.view.byte(next)? == Some(b'{') {
        let Some((_, after)) = read_value(next, ValuePosition::Value, None, context)? else { return Ok(at) };
        let object = context.view.slice(next, after);
        let again =
            object.len() < BEHIND.min(at) && context.view.rest(at - object.len()).starts_with(object.as_bytes());
        if !again && object.bytes().any(|byte| !b"{} \t\r\n".contains(&byte)) {
            return Ok(at);
        }
        (end, next) = (after, skip_gap(context.view, after)?);
    }
    let closed = end > at && context.any(next, context.closer())?.is_some();
    Ok(if closed { end } else { at })
}

/// Reads the closers of the call at `at`, as many as there are.
pub(crate) fn close(at: usize, fenced: bool, context: &CallContext<'_>) -> Result<Closing, NotYet> {
    let mut closing = Closing::none(at);
    if fenced {
        let at = context.gap(closing.at)?;
        let own = context.closer().is_some_and(|closer| closer.spellings.iter().any(|s| s.opener().starts_with("```")));
        if !own && context.view.starts_with(at, "```")? && context.any(at, context.section_closers())?.is_none() {
            closing.repair(Code::Fence, at..at + 3, "dropped the Markdown fence around the call");
        }
    }
    let mut closers = &context.pattern().tail[..];
    let mut last = None;
    while let Some((closer, later)) = closers.split_first() {
        let before = closing.at;
        let at = context.gap(before)?;
        if let Some(end) = context.any(at, [closer])? {
            if context.view.slice(before, at).contains('\\') {
                closing.repair(Code::LiteralNewline, before..at, "read the letters `\\n` as white space");
            }
            closing.at = end;
            last = Some(closer);
        } else if closer.is_optional() && extra_brackets(at, closers, context)?.is_none() {
            // nothing need be here
        } else if context.view.byte(at)?.is_none() {
            closing.repair(Code::MissingCloser, before..before, "the input ended before the call's closing marker");
            closing.cut = true;
            return Ok(closing);
        } else if context.any(at, later.iter().chain(context.section_closers()))?.is_some() {
            closing.lacks(closer);
        } else if let Some(end) = extra_brackets(at, context.section_closers().iter().chain(closers), context)? {
            closing.repair(Code::ExtraCloser, at..end, "dropped unmatched closing brackets");
            continue;
        } else if let Some(end) = wrong_tag(at, context)? {
            closing.repair(Code::WrongCloser, at..end, "a different tag closed the call");
        } else if let Some(end) = noise(at, closer, context)? {
            closing.repair(Code::JunkInCall, at..end, "skipped text between a call's body and its closing marker");
            continue;
        } else {
            closing.lacks(closer);
        }
        closers = later;
    }
    // The call ends with the bracket of its data, or with nothing.
    let bare = matches!(context.pattern().kind(), Some(BodyKind::Arguments | BodyKind::Call | BodyKind::Object));
    if last.map_or(bare, Literal::is_brackets) {
        let at = context.gap(closing.at)?;
        if let Some(end) = extra_brackets(at, context.section_closers(), context)? {
            closing.repair(Code::ExtraCloser, at..end, "dropped unmatched closing brackets");
        }
    }
    Ok(closing)
}

/// Returns the end of bytes at `at` that belong neither to the call nor to the text after it: ends of turns,
/// tokens of other models, or words, if the closer follows.
fn noise(at: usize, closer: &Literal, context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
    if !closer.is_strong() {
        return Ok(None);
    }
    let end = skip_noise(at, context)?;
    Ok(context.any(end, [closer])?.map(|_| end).filter(|end| *end > at))
}

/// Returns the end of tokens of other models, and of words after them.
pub(crate) fn skip_noise(at: usize, context: &CallContext<'_>) -> Result<usize, NotYet> {
    let mut end = at;
    while let Some(token) = match context.engine.catalog.turn_end(context.view, end)? {
        None if context.opener(end)?.is_none() && context.any_closer(end)?.is_none() => token(context.view, end)?,
        turn => turn,
    } {
        end = context.gap(token)?;
    }
    skip_words(context.view, end)
}

/// Returns the end of a few words, and of the blanks after them.
pub(crate) fn skip_words(view: View<'_>, at: usize) -> Result<usize, NotYet> {
    let mut end = at;
    let is_word = |next: char| next.is_alphanumeric() || next.is_whitespace() || ".,;:!?'-_".contains(next);
    while end - at < NOISE
        && let Some(next) = view.char(end)?.filter(|next| is_word(*next))
    {
        end += next.len_utf8();
    }
    Ok(end)
}

/// Returns the end of up to eight superfluous closing brackets; a closer, an opener, the next call, a line or the end must follow.
pub(crate) fn extra_brackets<'l>(
    at: usize,
    closers: impl IntoIterator<Item = &'l Literal> + Clone,
    context: &CallContext<'_>,
) -> Result<Option<usize>, NotYet> {
    let (mut end, mut next) = (at, context.gap(at)?);
    while context.any(next, closers.clone())?.is_none() {
        if matches!(context.view.byte(next)?, Some(b'}' | b']' | b')')) && end - at <= 16 {
            (end, next) = (next + 1, context.gap(next + 1)?);
            continue;
        }
        let over = (1..=16).contains(&(end - at))
            && (context.view.byte(next)?.is_none()
                || context.opener(next)?.is_some()
                || context.pattern_ref.section.is_some()
                    && context.next_call(context.behind_separator(next)?.unwrap_or(next))?.is_some()
                || context.view.slice(end, next).contains('\n'));
        return Ok(over.then_some(end));
    }
    Ok((end > at).then_some(end))
}

/// Returns the end of a closer of the call or its section with a slip: in another case, without one of its brackets, or with
/// spaces before the last.
pub(crate) fn slipped(at: usize, context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
    let closers = context.pattern().tail.iter().chain(context.section_closers());
    let own = closers.filter_map(|closer| closer.spellings.first().filter(|own| own.is_fixed() && own.is_strong()));
    let words = own.filter_map(|own| Some(own.plain().strip_prefix('<')?.strip_suffix('>')?.to_owned()));
    let view = context.view;
    let opens = view.byte(at)? == Some(b'<');
    let from = at + usize::from(opens);
    for word in words {
        let peeked = view.peek(from, word.len());
        if !word.as_bytes()[..peeked.len()].eq_ignore_ascii_case(peeked) {
            continue;
        }
        let behind = from + word.len();
        let mut end = behind;
        while view.byte(end)? == Some(b' ') {
            end += 1;
        }
        let ends_word = |next: Option<u8>| end > behind || next.is_none_or(|next| b"\r\n\t<[]".contains(&next));
        let end = match view.byte(end)? {
            Some(b'>') => end + 1,
            next if opens && peeked.len() == word.len() && ends_word(next) => behind,
            _ => continue,
        };
        return Ok(Some(end).filter(|end| !view.is_forged(at, *end)));
    }
    Ok(None)
}

/// Returns the end of a closing tag other than the section's, of an opener at the end of the input, or of a marker before it.
pub(crate) fn wrong_tag(at: usize, context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
    if context.any(at, context.section_closers())?.is_some() {
        return Ok(None);
    }
    let slipped = slipped(at, context)?;
    if slipped.is_some() || context.view.byte(at)? != Some(b'<') {
        return Ok(slipped);
    }
    // Nothing opened the call, so nothing shows that a closer of reasoning is a slip for its own.
    let forms = [Some(context.pattern()), context.engine.section(*context.pattern_ref)];
    let marked = forms.into_iter().flatten().any(|form| form.opening().is_some_and(Literal::is_strong));
    if !marked && context.engine.catalog.closers.stands(context.view, at)?.is_some() {
        return Ok(None);
    }
    if context.view.byte(at + 1)? == Some(b'/') {
        return Ok(closing_tag(context.view, at + 2)?.map(|(_, end)| end));
    }
    if let Some(end) = context.opener(at)? {
        return Ok(context.view.byte(context.gap(end)?)?.is_none().then_some(end));
    }
    let Some(end) = token(context.view, at)? else { return Ok(None) };
    let closes = context.any(context.gap(end)?, context.section_closers())?.is_some();
    Ok(closes.then_some(end))
}

/// Returns the end of superfluous braces after an element of an array of calls.
pub(crate) fn extra_braces(at: usize, closers: &[Literal], context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
    let (mut end, mut next) = (at, context.gap(at)?);
    while context.view.byte(next)? == Some(b'}') && end - at < 16 {
        (end, next) = (next + 1, context.gap(next + 1)?);
    }
    let over = matches!(context.view.byte(next)?, None | Some(b',' | b';' | b']' | b'{'))
        || context.any(next, closers)?.is_some();
    Ok((end > at && over).then_some(end))
}

/// Returns the end of a closing bracket that is followed by a comma and another call, so that it does not close their list.
pub(crate) fn stray_bracket(at: usize, context: &CallContext<'_>) -> Result<Option<usize>, NotYet> {
    if !matches!(context.view.byte(at)?, Some(b'}' | b']' | b')')) {
        return Ok(None);
    }
    let Some(next) = context.behind_separator(context.gap(at + 1)?)? else { return Ok(None) };
    Ok(context.next_call(next)?.map(|_| at + 1))
}
