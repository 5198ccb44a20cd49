//! Candidates that one look tells: a call object between two markers which never vary.

use std::sync::OnceLock;

use super::{Candidate, CandidateRole, Catalog};
use crate::dialect::{BodyKind, HeadPart, Literal};
use crate::lead::Lead;
use crate::parser::head::{Head, nodes, stands, stands_any};
use crate::view::{NotYet, View};

/// These candidates, the highest rank first.
#[derive(Debug)]
pub(super) struct PlainCalls {
    /// How they open.
    leads: Vec<Lead>,
    calls: Vec<PlainCandidate>,
}

/// One of these candidates.
#[derive(Debug)]
struct PlainCandidate {
    number: usize,
    /// A candidate of a higher rank reads an object behind the same opener, or may; known once that has stood somewhere.
    shadowed: OnceLock<bool>,
}

impl Catalog {
    /// Returns the candidate whose plain call opens at `at`, if no other reads an object there, and where its opener ends.
    pub(crate) fn plain_call(&self, view: View<'_>, at: usize) -> Option<(&Candidate, usize)> {
        let PlainCalls { leads, calls } = self.plain_calls.get_or_init(|| self.list_plain_calls());
        let lead = Lead::of(view.rest(at));
        leads.iter().any(|known| known.fits(lead)).then_some(())?;
        calls.iter().find_map(|PlainCandidate { number, shadowed }| {
            let candidate = &self.candidates[*number];
            let opener = self.pattern(candidate)?.opening().filter(|opener| opener.may_stand(lead))?;
            let end = stands(view, at, opener, &Head::default()).ok()??;
            (!*shadowed.get_or_init(|| self.is_shadowed(*number, opener))).then_some((candidate, end))
        })
    }

    fn list_plain_calls(&self) -> PlainCalls {
        let plain = (0..self.candidates.len()).filter(|number| self.is_plain_call(&self.candidates[*number]));
        let calls: Vec<_> = plain.map(|number| PlainCandidate { number, shadowed: OnceLock::new() }).collect();
        let openers = calls.iter().filter_map(|call| self.pattern(&self.candidates[call.number])?.opening());
        let spellings = openers.flat_map(|opener| &opener.spellings[..]);
        let mut leads = Vec::new();
        for lead in spellings.map(|spelling| Lead::of(spelling.opener().as_bytes())) {
            if !leads.contains(&lead) {
                leads.push(lead);
            }
        }
        PlainCalls { leads, calls }
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

    fn is_shadowed(&self, number: usize, opener: &Literal) -> bool {
        opener.spellings.iter().any(|spelling| {
            let text = spelling.plain() + "{\"";
            let view = View::new(&text, 0, true);
            let mut rivals = self.candidates[..number].iter();
            rivals.any(|rival| self.reads_object(rival, view) != Ok(false)) || self.closes(view) != Ok(false)
        })
    }

    /// Says whether something that closes a call, a section or a region stands at the beginning of `view`.
    fn closes(&self, view: View<'_>) -> Result<bool, NotYet> {
        let patterns = self.dialects.iter().flat_map(|dialect| [&dialect.calls, &dialect.sections, &dialect.reasoning]);
        let closers = patterns.flatten().flat_map(|pattern| &pattern.tail);
        Ok(stands_any(view, 0, closers, &Head::default())?.is_some())
    }

    /// Says whether an object stands where the body of a call would begin that opens at the beginning of `view`.
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
