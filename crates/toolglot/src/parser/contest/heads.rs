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
    section: SectionHead,
}

/// What the head of a candidate's section said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionHead {
    /// There is none, or it said what a call may need.
    None,
    /// It does not stand.
    Lacking,
    /// It stands, and says no more than where it ends.
    Plain(usize),
}

impl HeadResult {
    /// Returns what the head of the section said.
    pub(crate) fn section(&self) -> SectionHead {
        self.section
    }
}

/// Reads the heads of a call pattern; the same for all whose heads are alike. What its section's head said may be known.
pub(crate) fn heads(
    engine: &Engine,
    view: View<'_>,
    at: usize,
    pattern_ref: PatternRef,
    mut head: Head,
    trial_context: TrialContext,
    mut section: SectionHead,
) -> Result<HeadResult, NotYet> {
    if trial_context.exhausted
        && engine.pattern(pattern_ref).head.iter().any(|node| matches!(node, HeadPart::Attributes(_)))
    {
        return Ok(HeadResult { head, body: Err("not decided within the look-ahead limit"), section });
    }
    let seen = if trial_context.nested { view.limited(at + NEAR) } else { view };
    let body = match read_heads(engine, seen, at, pattern_ref, &mut head, trial_context, &mut section) {
        Err(NotYet) if seen.end() < view.end() => None,
        decided => decided?,
    };
    Ok(HeadResult { head, body: body.ok_or("no call header here"), section })
}

fn read_heads(
    engine: &Engine,
    view: View<'_>,
    mut at: usize,
    pattern_ref: PatternRef,
    head: &mut Head,
    trial_context: TrialContext,
    known: &mut SectionHead,
) -> Result<Option<usize>, NotYet> {
    if let SectionHead::Plain(end) = *known {
        at = end;
    } else if !trial_context.in_section
        && let Some(section) = engine.section(pattern_ref).filter(|section| !section.head.is_empty())
    {
        let Some(end) = nodes(view, at, &section.head, None, head)? else {
            *known = SectionHead::Lacking;
            return Ok(None);
        };
        let end = repeated(view, end, section, head)?.unwrap_or(end);
        at = gap(view, end, head)?;
        if head.says_nothing() {
            *known = SectionHead::Plain(at);
        }
    }
    let pattern = engine.pattern(pattern_ref);
    let mut end = nodes(view, at, &pattern.head, pattern.after_head(), head)?;
    if let Some(once) = end.filter(|_| !head.unclosed_tag) {
        end = repeated(view, once, pattern, head)?.or(end);
    }
    Ok(end.filter(|_| !head.unclosed_tag || pattern.body.is_some()))
}
