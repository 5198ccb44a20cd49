//! The heads of a section and of a call, before the body.

use super::{REACH, TrialContext};
use crate::diagnostic::Code;
use crate::dialect::HeadPart;
use crate::lead::Lead;
use crate::parser::closing::skip_words;
use crate::parser::head::{Head, gap, nodes, repeated};
use crate::view::NotYet;

/// The result of reading a candidate's heads: where its body is, or why they do not match.
#[derive(Clone, Debug)]
pub(crate) struct HeadResult {
    pub(super) head: Head,
    pub(super) body: Result<usize, &'static str>,
    /// The contents of the section's head.
    pub(crate) section: SectionHead,
}

/// The result of reading a section's head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SectionHead {
    /// There is none, or its contents matter to the call.
    None,
    /// It does not match.
    Lacking,
    /// It matches, and only its end matters.
    Plain(usize),
}

/// Reads the heads of a call pattern; the result holds for all with equal heads. That of the section may be known.
pub(crate) fn heads(
    context: &TrialContext<'_>,
    mut head: Head,
    mut section: SectionHead,
) -> Result<HeadResult, NotYet> {
    let is_open = |node: &HeadPart| matches!(node, HeadPart::Attributes(_));
    if context.exhausted && context.pattern().head.iter().any(is_open) {
        return Ok(HeadResult { head, body: Err("not decided within the look-ahead limit"), section });
    }
    let view = context.view;
    let seen = if context.nested { view.limited(context.at + REACH) } else { view };
    let read = read_heads(&TrialContext { view: seen, ..*context }, &mut head, &mut section);
    let body = view.within(seen, read)?;
    Ok(HeadResult { head, body: body.ok_or("no call header here"), section })
}

fn read_heads(context: &TrialContext<'_>, head: &mut Head, known: &mut SectionHead) -> Result<Option<usize>, NotYet> {
    let TrialContext { engine, view, mut at, pattern_ref, .. } = *context;
    if let SectionHead::Plain(end) = *known {
        at = end;
    } else if !context.in_section
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
    let pattern = context.pattern();
    // Words between the marker of a section and that of a call.
    if at > context.at
        && pattern.opening().is_some_and(|opening| opening.is_strong() && !opening.may_stand(Lead::of(view.rest(at))))
        && engine.options.repairs.allow(Code::JunkInCall)
    {
        at = skip_words(view, at)?;
        head.note(Code::JunkInCall, true);
        head.looked = head.looked.max(at);
    }
    let mut end = nodes(view, at, &pattern.head, pattern.after_head(), head)?;
    if let Some(once) = end.filter(|_| !head.is_unclosed_tag()) {
        end = repeated(view, once, pattern, head)?.or(end);
    }
    Ok(end.filter(|_| !head.is_unclosed_tag() || pattern.body.is_some()))
}
