//! Lists the candidates of a set of dialects, with their strength and rank.

use std::collections::HashSet;
use std::sync::Arc;

use super::opening::{is_special, opener_texts};
use super::{Candidate, CandidateRole, FenceLabel, Strength, first_pattern, patterns, skipped};
use crate::dialect::{BodyKind, Dialect, HeadPart, Literal, Pattern, Spelling};
use crate::lead::Lead;

pub(super) fn candidates_of(dialects: &[Arc<Dialect>]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (number, dialect) in dialects.iter().enumerate() {
        list_candidates(number, dialect, dialects.len() == 1, &mut candidates);
    }
    candidates
}

/// Sections times calls, calls alone if they are specific enough, regions, skipped literals.
///
/// A pattern with strong and weak spellings is listed once for each: the text decides.
fn list_candidates(number: usize, dialect: &Dialect, alone: bool, candidates: &mut Vec<Candidate>) {
    let mut add = |role, section: Option<usize>, pattern| {
        let candidate = Candidate {
            dialect: number,
            role,
            section,
            pattern,
            evidence: Strength::Weak,
            fence: if role == CandidateRole::Call { fence(dialect, section, pattern) } else { None },
            is_named: role == CandidateRole::Call && first_pattern(dialect, role, section, pattern).opens_with_name(),
            writes_fence: role == CandidateRole::Call && dialect.calls[pattern].source.contains("```"),
            may_be_empty: section.is_some_and(|section| alone || is_special(dialect, &dialect.sections[section])),
            is_barred: false,
            specificity: 0,
        };
        let specificity = specificity(dialect, &candidate);
        for evidence in evidence(dialect, &candidate) {
            candidates.push(Candidate { evidence, specificity, ..candidate.clone() });
        }
    };
    for section in 0..dialect.sections.len() {
        (0..dialect.calls.len()).for_each(|call| add(CandidateRole::Call, Some(section), call));
    }
    for (call, pattern) in dialect.calls.iter().enumerate() {
        let own =
            dialect.sections.is_empty() || pattern.head.iter().filter_map(HeadPart::literal).any(Literal::is_strong);
        if own && (alone || !pattern.is_unopened()) {
            add(CandidateRole::Call, None, call);
        }
    }
    (0..dialect.reasoning.len()).for_each(|region| add(CandidateRole::Reasoning, None, region));
    let content = (0..dialect.content.len()).filter(|region| alone || is_special(dialect, &dialect.content[*region]));
    content.for_each(|region| add(CandidateRole::Content, None, region));
    (0..dialect.skip.len()).for_each(|skip| add(CandidateRole::Skip, None, skip));
    (0..dialect.turn_end.len()).for_each(|end| add(CandidateRole::TurnEnd, None, end));
    (0..dialect.turn_start.len()).for_each(|start| add(CandidateRole::TurnStart, None, start));
}

/// Dialects share regions and skipped literals; the first one's is enough.
pub(super) fn drop_repeated(dialects: &[Arc<Dialect>], candidates: &mut Vec<Candidate>) {
    let mut seen = HashSet::with_capacity(candidates.len());
    candidates.retain(|candidate| {
        let dialect = &dialects[candidate.dialect];
        let source = || &*patterns(dialect, candidate.role)[candidate.pattern].source;
        let text = skipped(dialect, candidate).map_or_else(source, String::as_str);
        candidate.role == CandidateRole::Call || seen.insert((candidate.role as u8, text))
    });
}

/// The strengths of a candidate's openers, the strongest first; a name is as strong as what follows it.
fn evidence(dialect: &Dialect, candidate: &Candidate) -> Vec<Strength> {
    if let Some(literal) = skipped(dialect, candidate) {
        let strong = dialect.is_strong(literal);
        return vec![if strong { Strength::Strong } else { Strength::Weak }];
    }
    let first = first_pattern(dialect, candidate.role, candidate.section, candidate.pattern);
    if candidate.role == CandidateRole::Call && first.is_dynamic() {
        return vec![Strength::Dynamic];
    }
    match first.head.get(1) {
        Some(HeadPart::Literal(next)) if candidate.is_named => strengths(&next.spellings, Spelling::is_strong),
        _ => strengths(&opener_texts(dialect, candidate, |_| None), |opener| opener.strong),
    }
}

/// Both strengths if some of the openers are strong and others are not.
fn strengths<T>(openers: &[T], is_strong: impl Fn(&T) -> bool) -> Vec<Strength> {
    match (openers.iter().any(&is_strong), openers.iter().all(&is_strong)) {
        (true, true) => vec![Strength::Strong],
        (true, false) => vec![Strength::Strong, Strength::Weak],
        _ => vec![Strength::Weak],
    }
}

/// Returns the meaning of the fence's label if a call's head is a fence, apart from brackets; otherwise `None`.
fn fence(dialect: &Dialect, section: Option<usize>, call: usize) -> Option<FenceLabel> {
    let section = section.map(|section| &dialect.sections[section]).into_iter();
    let nodes = section.chain([&dialect.calls[call]]).flat_map(|pattern| &pattern.head);
    let mut literals = nodes.filter_map(HeadPart::literal);
    let text = |literal: &Literal| literal.spellings.first().map(|spelling| spelling.plain()).unwrap_or_default();
    let first = literals.next().filter(|first| first.may_stand(Lead::of(b"```")))?;
    let is_call = CALL_LABELS.contains(&text(first).strip_prefix("```")?.trim_matches(['[', ' ']));
    let label = if is_call { FenceLabel::Call } else { FenceLabel::Code };
    literals.all(|literal| !text(literal).contains(char::is_alphanumeric)).then_some(label)
}

/// The labels of fences that mark calls; no code has these labels.
const CALL_LABELS: [&str; 5] = ["tool_code", "tool_call", "tool_calls", "function_call", "function_calls"];

/// The number of literal characters in the heads, and a little for bodies that are more specific.
fn specificity(dialect: &Dialect, candidate: &Candidate) -> usize {
    let heads = |pattern: &Pattern| pattern.head.iter().map(weight).sum::<usize>();
    let own = match candidate.role {
        CandidateRole::TurnStart => return 0,
        role => patterns(dialect, role).get(candidate.pattern),
    };
    let Some(own) = own else { return skipped(dialect, candidate).map_or(0, String::len) };
    if candidate.role != CandidateRole::Call {
        return heads(own);
    }
    let section = candidate.section.map_or(0, |section| heads(&dialect.sections[section]));
    let breaks_line = |param: &&Pattern| param.body.as_ref().is_some_and(|body| body.line_before);
    let body = match own.kind() {
        Some(BodyKind::Params) => 2 + dialect.params.iter().filter(breaks_line).count(),
        Some(BodyKind::Arguments) => 1,
        _ => 0,
    };
    // Of bare names, those come first that need no closer: what else follows speaks against them soon.
    let open = candidate.is_named && own.tail.is_empty();
    section + heads(own) + body + usize::from(open)
}

fn weight(node: &HeadPart) -> usize {
    match node {
        HeadPart::Literal(literal) => literal.spellings.first().map_or(0, Spelling::weight),
        HeadPart::Attributes(_) => 4,
        HeadPart::Hole(_) => 0,
    }
}
