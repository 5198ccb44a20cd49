//! What stands before a body: the heads of a section and of a call.

use super::{NEAR, TrialContext};
use crate::dialect::HeadPart;
use crate::parser::catalog::PatternRef;
use crate::parser::engine::Engine;
use crate::parser::head::{Head, gap, nodes, repeated};
use crate::view::{NotYet, View};

/// What a candidate's heads said: where its body is, or why they do not stand there.
#[derive(Clone, Debug)]
pub(crate) struct HeadResult {
    pub(super) head: Head,
    pub(super) body: Result<usize, &'static str>,
    lacks_section: bool,
}

impl HeadResult {
    /// Returns where the body begins behind heads that stand.
    pub(crate) fn body(&self) -> Option<usize> {
        self.body.ok()
    }

    /// Says whether the head of the section does not stand.
    pub(crate) fn lacks_section(&self) -> bool {
        self.lacks_section
    }
}

/// Reads the heads of a call pattern; the same for all whose heads are alike.
pub(crate) fn heads(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    pattern_ref: PatternRef,
    mut head: Head,
    trial_context: TrialContext,
) -> Result<HeadResult, NotYet> {
    if trial_context.exhausted
        && engine.pattern(pattern_ref).head.iter().any(|node| matches!(node, HeadPart::Attributes(_)))
    {
        return Ok(HeadResult { head, body: Err("not decided within the look-ahead limit"), lacks_section: false });
    }
    let seen = if trial_context.nested { view.limited(at + NEAR) } else { view };
    let mut lacks_section = false;
    let body = match read_heads(engine, seen, at, pattern_ref, &mut head, trial_context, &mut lacks_section) {
        Err(NotYet) if seen.end() < view.end() => None,
        decided => decided?,
    };
    Ok(HeadResult { head, body: body.ok_or("no call header here"), lacks_section })
}

fn read_heads(
    engine: &Engine,
    view: View<'_>,
    mut at: usize,
    pattern_ref: PatternRef,
    head: &mut Head,
    trial_context: TrialContext,
    lacks_section: &mut bool,
) -> Result<Option<usize>, NotYet> {
    if !trial_context.in_section
        && let Some(section) = engine.section(pattern_ref).filter(|section| !section.head.is_empty())
    {
        let Some(end) = nodes(view, at, &section.head, None, head)? else {
            *lacks_section = true;
            return Ok(None);
        };
        let end = repeated(view, end, section, head)?.unwrap_or(end);
        at = gap(view, end, head)?;
    }
    let pattern = engine.pattern(pattern_ref);
    let mut end = nodes(view, at, &pattern.head, pattern.after_head(), head)?;
    if let Some(once) = end.filter(|_| !head.unclosed_tag) {
        end = repeated(view, once, pattern, head)?.or(end);
    }
    Ok(end.filter(|_| !head.unclosed_tag || pattern.body.is_some()))
}
