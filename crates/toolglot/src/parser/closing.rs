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
    let mut closers = scene.pattern().tail.iter().peekable();
    while let Some(closer) = closers.peek() {
        let before = closing.at;
        let at = scene.gap(before)?;
        if let Some(end) = scene.stands(at, closer)? {
            if scene.view.slice(before, at).contains('\\') {
                closing.repair(Code::LiteralNewline, before..at, "the letters `\\n` stood for white space");
            }
            closing.at = end;
        } else if closer.is_optional() {
            // nothing need stand here
        } else if scene.view.byte(at)?.is_none() {
            closing.repairs.push((Code::MissingCloser, at..at, "the input ended before the call's closer"));
            closing.cut = true;
            return Ok(closing);
        } else if let Some(end) = extra_brackets(at, closer, scene)? {
            closing.repair(Code::ExtraCloser, at..end, "brackets that close nothing");
            continue;
        } else if let Some(end) = wrong_tag(at, scene)? {
            closing.repair(Code::WrongCloser, at..end, "another tag closed the call");
        } else {
            closing.repairs.push((Code::MissingCloser, at..at, "the call's closer is missing"));
        }
        closers.next();
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

/// Returns the end of up to eight closing brackets that stand before the closer, the section's closer or the end.
fn extra_brackets(at: usize, closer: &Literal, scene: &Scene<'_>) -> Result<Option<usize>, NotYet> {
    let mut end = at;
    for _ in 0..8 {
        if !matches!(scene.view.byte(end)?, Some(b'}' | b']' | b')')) {
            break;
        }
        end = scene.view.skip_blanks(end + 1)?;
    }
    if end == at {
        return Ok(None);
    }
    let over =
        scene.view.byte(end)?.is_none() || scene.any(end, scene.section_closers().iter().chain([closer]))?.is_some();
    Ok(over.then_some(end))
}

/// Returns the end of a closing tag that is not the section's.
fn wrong_tag(at: usize, scene: &Scene<'_>) -> Result<Option<usize>, NotYet> {
    if scene.any(at, scene.section_closers())?.is_some() || !scene.view.starts_with(at, "</")? {
        return Ok(None);
    }
    Ok(closing_tag(scene.view, at + 2)?.map(|(_, end)| end))
}
