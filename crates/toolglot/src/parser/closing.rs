//! The closers after a body: right, wrong, missing, doubled or fenced, for every dialect in one place.

use std::ops::Range;

use super::head::skip_gap;
use super::scene::{Scene, closing_tag};
use super::whole::read_value;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Literal};
use crate::json::Place;
use crate::view::NotYet;

/// Where a call ends, and what was wrong with its closers.
pub(crate) struct Closing {
    pub(crate) at: usize,
    pub(crate) repairs: Vec<(Code, Range<usize>, &'static str)>,
    /// The input ended before the last closer.
    pub(crate) cut: bool,
}

impl Closing {
    fn repair(&mut self, code: Code, span: Range<usize>, message: &'static str) {
        self.at = self.at.max(span.end);
        self.repairs.push((code, span, message));
    }

    fn lacks(&mut self, closer: &Literal) {
        let (code, message) = match closer.is_brackets() {
            true => (Code::MissingBracket, "the call has no closing bracket"),
            false => (Code::MissingCloser, "the call's closer is missing"),
        };
        self.repairs.push((code, self.at..self.at, message));
    }
}

/// Returns the end of further objects between a call's arguments and its closer, or `at` if there are none.
pub(crate) fn glued(at: usize, scene: &Scene<'_>) -> Result<usize, NotYet> {
    if scene.pattern().kind() != Some(BodyKind::Arguments) || scene.pattern().tail.is_empty() {
        return Ok(at);
    }
    let (mut end, mut next) = (at, skip_gap(scene.view, at)?);
    while scene.view.byte(next)? == Some(b'{') {
        let Some((_, after)) = read_value(next, Place::Value, None, scene)? else { return Ok(at) };
        (end, next) = (after, skip_gap(scene.view, after)?);
    }
    let closed = end > at && scene.any(next, scene.closer())?.is_some();
    Ok(if closed { end } else { at })
}

/// Reads the closers of the call that stand at `at`, as far as they do.
pub(crate) fn close(at: usize, fenced: bool, scene: &Scene<'_>) -> Result<Closing, NotYet> {
    let mut closing = Closing { at, repairs: Vec::new(), cut: false };
    if fenced {
        close_fence(scene, &mut closing)?;
    }
    let mut closers = &scene.pattern().tail[..];
    let mut last = None;
    while let Some((closer, later)) = closers.split_first() {
        let before = closing.at;
        let at = scene.gap(before)?;
        if let Some(end) = scene.stands(at, closer)? {
            if scene.view.slice(before, at).contains('\\') {
                closing.repair(Code::LiteralNewline, before..at, "the letters `\\n` stood for white space");
            }
            closing.at = end;
            last = Some(closer);
        } else if closer.is_optional() && extra_brackets(at, closers, scene)?.is_none() {
            // nothing need stand here
        } else if scene.view.byte(at)?.is_none() {
            closing.repairs.push((Code::MissingCloser, before..before, "the input ended before the call's closer"));
            closing.cut = true;
            return Ok(closing);
        } else if scene.any(at, later.iter().chain(scene.section_closers()))?.is_some() {
            closing.lacks(closer);
        } else if let Some(end) = extra_brackets(at, scene.section_closers().iter().chain(closers), scene)? {
            closing.repair(Code::ExtraCloser, at..end, "brackets that close nothing");
            continue;
        } else if let Some(end) = wrong_tag(at, scene)? {
            closing.repair(Code::WrongCloser, at..end, "another tag closed the call");
        } else {
            closing.lacks(closer);
        }
        closers = later;
    }
    if last.map_or(scene.ends_with_bracket(), Literal::is_brackets) {
        let at = scene.gap(closing.at)?;
        if let Some(end) = extra_brackets(at, scene.section_closers(), scene)? {
            closing.repair(Code::ExtraCloser, at..end, "brackets that close nothing");
        }
    }
    Ok(closing)
}

fn close_fence(scene: &Scene<'_>, closing: &mut Closing) -> Result<(), NotYet> {
    let at = scene.gap(closing.at)?;
    let own = scene.closer().is_some_and(|closer| closer.spellings.iter().any(|s| s.opener().starts_with("```")));
    if !own && scene.view.starts_with(at, "```")? {
        closing.repair(Code::Fence, at..at + 3, "the call stood in a fence");
    }
    Ok(())
}

/// Returns the end of up to eight closing brackets that close nothing: a closer, an opener, the next call or the end follows.
pub(crate) fn extra_brackets<'l>(
    at: usize,
    closers: impl IntoIterator<Item = &'l Literal> + Clone,
    scene: &Scene<'_>,
) -> Result<Option<usize>, NotYet> {
    let (mut end, mut next) = (at, scene.gap(at)?);
    let over = loop {
        if scene.any(next, closers.clone())?.is_some() {
            break true;
        }
        if !matches!(scene.view.byte(next)?, Some(b'}' | b']' | b')')) {
            break goes_on(end, next, scene)?;
        }
        (end, next) = (next + 1, scene.gap(next + 1)?);
        if end - at > 16 {
            break false;
        }
    };
    Ok((over && end > at).then_some(end))
}

/// Says whether what follows at `next`, behind brackets that end at `end`, may follow a call.
fn goes_on(end: usize, next: usize, scene: &Scene<'_>) -> Result<bool, NotYet> {
    if scene.view.byte(next)?.is_none() || scene.opener(next)?.is_some() {
        return Ok(true);
    }
    if scene.form.section.is_some() {
        let separated = matches!(scene.view.byte(next)?, Some(b',' | b';'));
        let next = if separated { scene.gap(next + 1)? } else { next };
        if scene.next_call_begins(next)? {
            return Ok(true);
        }
    }
    Ok(scene.view.slice(end, next).contains('\n'))
}

/// Returns the end of a closing tag that is not the section's, of an opener that ends the input, or of a marker before the section's.
pub(crate) fn wrong_tag(at: usize, scene: &Scene<'_>) -> Result<Option<usize>, NotYet> {
    if scene.any(at, scene.section_closers())?.is_some() || scene.view.byte(at)? != Some(b'<') {
        return Ok(None);
    }
    if scene.view.byte(at + 1)? == Some(b'/') {
        return Ok(closing_tag(scene.view, at + 2)?.map(|(_, end)| end));
    }
    if let Some(end) = scene.opener(at)? {
        return Ok(scene.view.byte(scene.gap(end)?)?.is_none().then_some(end));
    }
    let barred = scene.view.starts_with(at, "<|")? || scene.view.starts_with(at, "<｜")?;
    if !barred {
        return Ok(None);
    }
    let Some((_, end)) = closing_tag(scene.view, at + 1)? else { return Ok(None) };
    let closes = scene.any(scene.gap(end)?, scene.section_closers())?.is_some();
    Ok(closes.then_some(end))
}

/// Returns the end of the braces too many behind an element of an array of calls.
pub(crate) fn extra_braces(at: usize, closers: &[Literal], scene: &Scene<'_>) -> Result<Option<usize>, NotYet> {
    let (mut end, mut next) = (at, scene.gap(at)?);
    while scene.view.byte(next)? == Some(b'}') && end - at < 16 {
        (end, next) = (next + 1, scene.gap(next + 1)?);
    }
    let over =
        matches!(scene.view.byte(next)?, None | Some(b',' | b';' | b']' | b'{')) || scene.any(next, closers)?.is_some();
    Ok((end > at && over).then_some(end))
}

/// Returns the end of a closing bracket behind which a comma and another call follow, so that it does not close their list.
pub(crate) fn stray_bracket(at: usize, scene: &Scene<'_>) -> Result<Option<usize>, NotYet> {
    if !matches!(scene.view.byte(at)?, Some(b'}' | b']' | b')')) {
        return Ok(None);
    }
    let comma = scene.gap(at + 1)?;
    if !matches!(scene.view.byte(comma)?, Some(b',' | b';')) {
        return Ok(None);
    }
    Ok(scene.next_call_begins(scene.gap(comma + 1)?)?.then_some(at + 1))
}
