//! The closers after a body: right, wrong, missing, doubled or fenced, for every dialect in one place.

use std::ops::Range;

use super::engine::Scene;
use super::head::{Head, skip_gap, stands};
use super::markers::named_tag;
use crate::diagnostic::Code;
use crate::dialect::Literal;
use crate::view::{NotYet, View};

/// Where a call ends, and what was wrong with its closers.
pub(crate) struct Closing {
    pub(crate) at: usize,
    pub(crate) repairs: Vec<(Code, Range<usize>, &'static str)>,
    /// The input ended before the last closer.
    pub(crate) cut: bool,
}

impl Closing {
    fn repair(&mut self, code: Code, span: Range<usize>, message: &'static str) {
        self.repairs.push((code, span, message));
    }
}

/// Reads the closers of the call that stand at `at`, as far as they do.
pub(crate) fn close(
    view: View<'_>,
    at: usize,
    fenced: bool,
    scene: &Scene<'_>,
    head: &Head,
) -> Result<Closing, NotYet> {
    let mut closing = Closing { at, repairs: Vec::new(), cut: false };
    if fenced {
        close_fence(view, scene, &mut closing)?;
    }
    let mut closers = scene.pattern().tail.iter().peekable();
    while let Some(closer) = closers.peek() {
        let at = skip_gap(view, closing.at)?;
        if let Some(end) = stands(view, at, closer, head)? {
            note_letters(view, at, &mut closing);
            closing.at = end;
        } else if closer.is_optional() {
            // nothing need stand here
        } else if view.byte(at)?.is_none() {
            closing.repair(Code::MissingCloser, at..at, "the input ended before the call's closer");
            closing.cut = true;
            return Ok(closing);
        } else if let Some(end) = extra_brackets(view, at, closer, scene, head)? {
            closing.repair(Code::ExtraCloser, at..end, "brackets that close nothing");
            closing.at = end;
            continue;
        } else if let Some(end) = wrong_tag(view, at, scene, head)? {
            closing.repair(Code::WrongCloser, at..end, "another tag closed the call");
            closing.at = end;
        } else {
            closing.repair(Code::MissingCloser, at..at, "the call's closer is missing");
        }
        closers.next();
    }
    Ok(closing)
}

fn note_letters(view: View<'_>, at: usize, closing: &mut Closing) {
    if view.slice(closing.at, at).contains('\\') {
        closing.repair(Code::LiteralNewline, closing.at..at, "the letters `\\n` stood for white space");
    }
}

fn close_fence(view: View<'_>, scene: &Scene<'_>, closing: &mut Closing) -> Result<(), NotYet> {
    let at = skip_gap(view, closing.at)?;
    let own = scene.closer().is_some_and(|closer| closer.spellings.iter().any(|s| s.opener().starts_with("```")));
    if !own && view.starts_with(at, "```")? {
        closing.repair(Code::Fence, at..at + 3, "the call stood in a fence");
        closing.at = at + 3;
    }
    Ok(())
}

/// Returns the end of up to eight closing brackets that stand before the closer, the section's closer or the end.
fn extra_brackets(
    view: View<'_>,
    at: usize,
    closer: &Literal,
    scene: &Scene<'_>,
    head: &Head,
) -> Result<Option<usize>, NotYet> {
    let mut end = at;
    for _ in 0..8 {
        if !matches!(view.byte(end)?, Some(b'}' | b']' | b')')) {
            break;
        }
        end = view.skip_blanks(end + 1)?;
    }
    let section = scene.engine.section(scene.form).into_iter().flat_map(|section| &section.tail);
    let mut over = end > at && view.byte(end)?.is_none();
    for closer in section.chain([closer]) {
        over |= end > at && stands(view, end, closer, head)?.is_some();
    }
    Ok(over.then_some(end))
}

/// Returns the end of a closing tag that is not the section's.
fn wrong_tag(view: View<'_>, at: usize, scene: &Scene<'_>, head: &Head) -> Result<Option<usize>, NotYet> {
    let section = scene.engine.section(scene.form).into_iter().flat_map(|section| &section.tail);
    for closer in section {
        if stands(view, at, closer, head)?.is_some() {
            return Ok(None);
        }
    }
    if !view.starts_with(at, "</")? {
        return Ok(None);
    }
    Ok(named_tag(view, at + 2)?.map(|(_, end)| end))
}
