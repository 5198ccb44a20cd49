//! Candidates that are recognised at once: a call object between two markers that never vary.

use std::sync::OnceLock;

use super::{Candidate, CandidateRole, Catalog, Strength};
use crate::dialect::{BodyKind, HeadPart, Literal, Pattern, Spelling};
use crate::lead::{Lead, matching};
use crate::parser::head::{Head, nodes, stands};
use crate::view::{NotYet, View};

/// These candidates, sorted by opener; if several share one, only the highest rank.
pub(super) type PlainCalls = Vec<PlainCandidate>;

/// One of these candidates, and its opener.
#[derive(Debug)]
pub(super) struct PlainCandidate {
    lead: Lead,
    number: usize,
    /// Determined when its opener first occurs.
    shadow: OnceLock<Shadow>,
}

/// Whether a candidate of a higher rank may read an object after the same opener.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shadow {
    None,
    /// One does if the tag names a tool.
    Named,
    Full,
}

impl Catalog {
    /// Returns the candidate whose plain call opens at `at`, unless another reads an object there; and the end of its opener.
    pub(crate) fn plain_call(
        &self,
        view: View<'_>,
        at: usize,
        names_tool: impl Fn() -> bool,
    ) -> Option<(&Candidate, usize)> {
        let calls = self.plain_calls.get_or_init(|| self.list_plain_calls());
        let lead = Lead::of(view.rest(at));
        matching(calls, lead, |call| call.lead).find_map(|PlainCandidate { number, shadow, .. }| {
            let candidate = &self.candidates[*number];
            let opener = self.pattern(candidate)?.opening()?;
            let end = stands(view, at, [opener], &Head::default()).ok()??;
            let alone = match shadow.get_or_init(|| self.shadow(*number, opener)) {
                Shadow::None => true,
                Shadow::Named => !names_tool(),
                Shadow::Full => false,
            };
            alone.then_some((candidate, end))
        })
    }

    fn list_plain_calls(&self) -> PlainCalls {
        let plain = (0..self.candidates.len()).filter(|number| self.is_plain_call(&self.candidates[*number]));
        let opener = |number: usize| self.pattern(&self.candidates[number]).and_then(Pattern::opening);
        let spelled = plain.flat_map(|number| {
            opener(number).into_iter().flat_map(|opener| &opener.spellings).map(move |spelling| (number, spelling))
        });
        let lead = |spelling: &Spelling| Lead::of(spelling.opener().as_bytes());
        let candidate = |(number, spelling)| PlainCandidate { lead: lead(spelling), number, shadow: OnceLock::new() };
        let mut calls: PlainCalls = spelled.map(candidate).collect();
        calls.sort_by_key(|call| (call.lead.order(), call.number));
        calls
    }

    fn is_plain_call(&self, candidate: &Candidate) -> bool {
        let alone = candidate.is_strong_call() && candidate.section.is_none();
        let Some(pattern) = self.pattern(candidate).filter(|_| alone) else { return false };
        let fixed = |marker: &Literal| marker.spellings.iter().all(|text| text.is_fixed() && text.is_strong());
        let between = match (pattern.kind(), &pattern.head[..], &pattern.tail[..]) {
            (Some(BodyKind::Call), [HeadPart::Literal(opener)], [closer]) => fixed(opener) && fixed(closer),
            _ => false,
        };
        let sections = &self.dialect(candidate).sections;
        let bare = sections.is_empty() || sections.iter().any(|section| section.head.is_empty());
        between && bare && self.unfixed_closers(candidate.dialect).is_empty()
    }

    fn shadow(&self, number: usize, opener: &Literal) -> Shadow {
        let of_spelling = |spelling: &Spelling| {
            let text = spelling.plain() + "{\"";
            let view = View::new(&text, 0, true);
            let (named, others): (Vec<_>, Vec<_>) =
                self.candidates[..number].iter().partition(|rival| rival.evidence == Strength::Dynamic);
            let reads = |rival: &&Candidate| self.reads_object(rival, view) != Ok(false);
            // What closes a call, a section or a region may be here, too.
            let patterns = self.dialects.iter().flat_map(|it| [&it.calls, &it.sections, &it.reasoning]).flatten();
            let closes = || stands(view, 0, patterns.flat_map(|pattern| &pattern.tail), &Head::default());
            match () {
                () if others.iter().any(reads) || closes() != Ok(None) => Shadow::Full,
                () if named.iter().any(reads) => Shadow::Named,
                () => Shadow::None,
            }
        };
        opener.spellings.iter().map(of_spelling).max().unwrap_or(Shadow::Full)
    }

    /// Returns whether an object is where the body of a call that opens at the beginning of `view` would begin.
    fn reads_object(&self, candidate: &Candidate, view: View<'_>) -> Result<bool, NotYet> {
        let section = candidate.section.map(|section| &self.dialect(candidate).sections[section]);
        let call = self.pattern(candidate).filter(|_| candidate.role == CandidateRole::Call);
        let (mut head, mut at) = (Head::default(), 0);
        for pattern in section.into_iter().chain(call) {
            let Some(end) = nodes(view, at, &pattern.head, pattern.after_head(), &mut head)? else { return Ok(false) };
            at = view.skip_blanks(end)?;
        }
        Ok(call.is_some() && view.byte(at)? == Some(b'{'))
    }
}
