//! The catalog: every candidate of a set of dialects, indexed by its opener.

use std::sync::{Arc, OnceLock};

use super::bytes::{ByteBits, ByteSet};
use super::data::DataBytes;
use super::head::{Head, skip_gap, stands, token};
use super::marker::Marker;
use super::openers::Openers;
use super::starts::Starts;
use crate::dialect::{Dialect, HeadPart, Inside, Pattern, Spelling};
use crate::view::{NotYet, View};
use alike::{alike, alike_sections};
use behind::bytes_behind_name;
use closers::{LoneClosers, lone_closers, region_closers, strong_closers};
use listing::{candidates_of, drop_repeated};
use opening::{headers, openers};
use param_tags::param_tags;
use plain::PlainCalls;

mod alike;
mod behind;
mod closers;
mod listing;
mod opening;
mod param_tags;
mod plain;
mod sealed;

/// A candidate: a pattern of a dialect, possibly inside one of its sections.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) dialect: usize,
    pub(crate) role: CandidateRole,
    /// The section whose head precedes the call's.
    pub(crate) section: Option<usize>,
    /// The index of the pattern in its role.
    pub(crate) pattern: usize,
    pub(crate) evidence: Strength,
    /// The fence's label, if its head is a Markdown fence and brackets.
    pub(crate) fence: Option<FenceLabel>,
    /// It opens with a declared tool's name.
    pub(crate) is_named: bool,
    /// Its head or tail contains a fence.
    pub(crate) writes_fence: bool,
    /// Its section may be empty.
    may_be_empty: bool,
    /// It opens without the special token with which the calls of its dialect open, so it is not a call.
    pub(crate) is_barred: bool,
    /// Its rank: how specific its heads are; the higher one wins.
    specificity: usize,
}

/// Identifies the call pattern, and the section in which it started.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternRef {
    pub(crate) dialect: usize,
    pub(crate) section: Option<usize>,
    /// The call pattern; `None` for an element of a JSON array.
    pub(crate) call: Option<usize>,
}

/// The kind of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CandidateRole {
    Call,
    Reasoning,
    Content,
    Skip,
    /// A token that ends a turn, or one that starts it.
    TurnEnd,
    TurnStart,
}

/// The meaning of a fence's label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FenceLabel {
    /// It marks a call.
    Call,
    /// It marks ordinary code.
    Code,
}

/// The strength of an opener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// A tag or a special token: prose does not contain it.
    Strong,
    /// A bracket or a word: counts only where it can mean nothing else.
    Weak,
    /// `<` and the name of a declared tool.
    Dynamic,
}

/// One value for each dialect, made on first use.
type PerDialect<T> = Box<[OnceLock<T>]>;

/// Every candidate of a set of dialects. Built once for the set, shared by all its parsers.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) dialects: Vec<Arc<Dialect>>,
    /// The markers that must be special tokens; empty unless the caller marks special tokens.
    pub(crate) tokens: Arc<[Box<str>]>,
    /// By rank.
    pub(crate) candidates: Vec<Candidate>,
    /// For each candidate, a number shared by those with equal heads, and one for the heads of sections; made when two of
    /// them compete.
    alike: OnceLock<Vec<usize>>,
    alike_sections: OnceLock<Vec<usize>>,
    pub(crate) strong: Openers,
    pub(crate) weak: Openers,
    /// Weak openers of heads that contain a special token: a message may begin within its header.
    pub(crate) headers: Openers,
    /// Candidates that open with `<` and a declared tool's name.
    pub(crate) dynamic: Vec<usize>,
    /// Candidates that open with the name itself, and the bytes with which each can continue.
    pub(crate) named: Vec<(usize, ByteBits)>,
    /// The bytes with which any of them can continue.
    pub(crate) behind_names: ByteSet,
    /// The closers of reasoning regions, and those of a pinned dialect's calls; each may occur alone.
    pub(crate) closers: LoneClosers,
    /// Openers of the answer, which close reasoning that the prompt opened.
    pub(crate) answers: LoneClosers,
    pub(crate) strays: LoneClosers,
    /// Lookup tables of one dialect, made on first use: most dialects of a large set are never used.
    own: PerDialect<Vec<usize>>,
    /// The openers of its calls, strong and weak.
    own_openers: PerDialect<[Openers; 2]>,
    markers: PerDialect<Starts>,
    data: PerDialect<DataBytes>,
    spent: OnceLock<LoneClosers>,
    unfixed: PerDialect<Vec<Spelling>>,
    plain_calls: OnceLock<PlainCalls>,
    param_tags: OnceLock<Vec<Box<str>>>,
    /// The first bytes of the tokens that end a turn.
    turn_ends: ByteSet,
    /// Possible starts of markers in the middle of a line.
    pub(crate) stops: Starts,
    /// The first bytes of these and line breaks, after which weak openers may occur.
    pub(crate) stops_and_lines: ByteSet,
    /// The bytes with a meaning even in the middle of a line: these, line breaks and the marks of fences.
    pub(crate) turns: ByteSet,
    /// Possible starts of weak openers.
    line_stops: OnceLock<Starts>,
    header_stops: OnceLock<Starts>,
    /// Possible starts of a region's closer or a call inside it.
    stops_in_regions: OnceLock<Starts>,
}

impl Catalog {
    pub(crate) fn new(dialects: &[Arc<Dialect>]) -> Self {
        Self::of(dialects, candidates_of(dialects), Arc::default())
    }

    /// The catalog for callers who mark special tokens.
    pub(crate) fn marked(dialects: &[Arc<Dialect>]) -> Self {
        let sealed: Vec<Arc<Dialect>> = dialects.iter().map(sealed::seal).collect();
        let mut candidates = candidates_of(&sealed);
        sealed::bar(&sealed, &mut candidates);
        Self::of(&sealed, candidates, sealed::tokens(&sealed))
    }

    fn of(dialects: &[Arc<Dialect>], mut candidates: Vec<Candidate>, tokens: Arc<[Box<str>]>) -> Self {
        drop_repeated(dialects, &mut candidates);
        // The most specific first, then in the caller's order: a candidate's number is its rank.
        candidates.sort_by_key(|candidate| usize::MAX - candidate.specificity);
        let of = |strength| openers(dialects, &candidates, |candidate| candidate.evidence == strength);
        let (strong, weak) = (of(Strength::Strong), of(Strength::Weak));
        let headers = headers(dialects, &candidates);
        let [closers, answers, strays] = lone_closers(dialects);
        let all =
            |is: fn(&Candidate) -> bool| (0..candidates.len()).filter(|c| is(&candidates[*c])).collect::<Vec<_>>();
        let dynamic = all(|candidate| candidate.evidence == Strength::Dynamic);
        let named: Vec<_> = all(|candidate| candidate.is_named)
            .into_iter()
            .map(|number| (number, bytes_behind_name(dialects, &candidates[number])))
            .collect();
        let behind_names = named.iter().flat_map(|named| named.1.members()).collect();
        let lone = closers.starts().into_iter().chain(strays.starts());
        let stops: Starts = strong.starts().into_iter().chain(lone).collect();
        let stops = if dynamic.is_empty() { stops } else { stops.with_byte(b'<') };
        let stops_and_lines = stops.first_bytes().members().iter().copied().chain([b'\n']).collect();
        let turns = stops.first_bytes().members().iter().copied().chain(*b"\n`~").collect();
        Self {
            dialects: dialects.to_vec(),
            tokens,
            candidates,
            alike: OnceLock::new(),
            alike_sections: OnceLock::new(),
            strong,
            weak,
            headers,
            dynamic,
            named,
            behind_names,
            closers,
            answers,
            strays,
            own: each(dialects),
            own_openers: each(dialects),
            markers: each(dialects),
            data: each(dialects),
            spent: OnceLock::new(),
            unfixed: each(dialects),
            plain_calls: OnceLock::new(),
            param_tags: OnceLock::new(),
            turn_ends: turn_ends(dialects).filter_map(|end| end.bytes().next()).collect(),
            stops,
            stops_and_lines,
            turns,
            line_stops: OnceLock::new(),
            header_stops: OnceLock::new(),
            stops_in_regions: OnceLock::new(),
        }
    }

    /// Returns whether every call opens with a special token; true only for callers that mark them.
    pub(crate) fn is_sealed(&self) -> bool {
        let mut calls = self.candidates.iter().filter(|candidate| candidate.role == CandidateRole::Call);
        calls.all(|call| call.is_barred || sealed::opens_with_token(self.dialect(call), call.section, call.pattern))
    }

    /// Returns whether ordinary text can open a call of the form, inside its section.
    pub(crate) fn is_open_to_text(&self, pattern_ref: PatternRef) -> bool {
        let dialect = &self.dialects[pattern_ref.dialect];
        !sealed::opens_with_token(dialect, None, pattern_ref.call.unwrap_or_default())
            && sealed::opens_with_token(dialect, pattern_ref.section, 0)
    }

    /// Returns whether several dialects compete, so that weak evidence must prove itself.
    pub(crate) fn is_auto(&self) -> bool {
        self.dialects.len() > 1
    }

    /// Returns the dialect of a candidate.
    pub(crate) fn dialect(&self, candidate: &Candidate) -> &Arc<Dialect> {
        &self.dialects[candidate.dialect]
    }

    /// Returns a candidate's pattern; skipped literals have none.
    pub(crate) fn pattern(&self, candidate: &Candidate) -> Option<&Pattern> {
        patterns(self.dialect(candidate), candidate.role).get(candidate.pattern)
    }

    /// Returns whether a candidate is a quoting region: it begins where a message does.
    pub(crate) fn is_opaque(&self, number: usize) -> bool {
        let candidate = &self.candidates[number];
        let body = self.pattern(candidate).and_then(|pattern| pattern.body.as_ref());
        candidate.role != CandidateRole::Call && body.is_some_and(|body| body.inside == Inside::Opaque)
    }

    /// Sorts candidates by rank: the most specific first, then in the caller's order.
    pub(crate) fn rank(&self, candidates: &mut [usize]) {
        candidates.sort_unstable();
    }

    /// Returns whether two candidates have equal heads; with `lacks_section`, equal section heads are enough.
    #[inline]
    pub(crate) fn are_alike(&self, one: usize, other: usize, lacks_section: bool) -> bool {
        let heads = self.alike.get_or_init(|| alike(&self.dialects, &self.candidates));
        heads[one] == heads[other] || lacks_section && self.have_alike_sections(one, other)
    }

    /// Returns whether two candidates have the same section heads.
    #[inline]
    pub(crate) fn have_alike_sections(&self, one: usize, other: usize) -> bool {
        let sections = self.alike_sections.get_or_init(|| alike_sections(&self.dialects, &self.candidates));
        sections[one] == sections[other]
    }

    /// Returns possible starts of weak openers.
    pub(crate) fn line_stops(&self) -> &Starts {
        self.line_stops.get_or_init(|| self.weak.starts().into_iter().collect())
    }

    /// Returns possible starts of a message within its header.
    pub(crate) fn header_stops(&self) -> &Starts {
        self.header_stops.get_or_init(|| self.headers.starts().into_iter().collect())
    }

    /// Returns possible starts of a region's closer or a call inside it.
    pub(crate) fn stops_in_regions(&self) -> &Starts {
        let made = || self.stops.texts().chain(region_closers(&self.dialects).map(str::as_bytes)).collect();
        self.stops_in_regions.get_or_init(made)
    }

    /// Returns the end of an empty section at `at`, where one of these candidates opens; where several dialects
    /// compete, special tokens must open it.
    pub(crate) fn empty_section(&self, view: View<'_>, at: usize, entrants: &[usize]) -> Result<Option<usize>, NotYet> {
        let mut last = None;
        for candidate in entrants.iter().map(|number| &self.candidates[*number]).filter(|it| it.may_be_empty) {
            let (Some(section), dialect) = (candidate.section, self.dialect(candidate)) else { continue };
            if last.replace((candidate.dialect, section)) == Some((candidate.dialect, section)) {
                continue;
            }
            let Pattern { head, tail, .. } = &dialect.sections[section];
            let ([HeadPart::Literal(opener)], Some(closer)) = (&head[..], tail.first()) else { continue };
            if opener.is_strong()
                && let Some(end) = stands(view, at, [opener], &Head::default())?
                && let Some(end) = stands(view, skip_gap(view, end)?, [closer], &Head::default())?
            {
                return Ok(Some(end));
            }
        }
        Ok(None)
    }

    /// Returns a dialect's candidates that may start a call inside another's value, the highest rank first: their openers are
    /// strong there, even if weak elsewhere.
    pub(crate) fn own(&self, dialect: usize) -> &[usize] {
        self.own[dialect].get_or_init(|| {
            let opens_within = |candidate: &Candidate| {
                let opening =
                    self.pattern(candidate).filter(|_| candidate.section.is_none()).and_then(Pattern::opening);
                let sure = opening.is_some_and(|opening| self.dialect(candidate).openings.contains(opening));
                candidate.is_strong_call() || sure && candidate.is_open_call()
            };
            let own = self.candidates.iter().enumerate().filter(|(_, candidate)| candidate.dialect == dialect);
            own.filter(|(_, candidate)| opens_within(candidate)).map(|(number, _)| number).collect()
        })
    }

    /// Returns possible starts of one of a dialect's closers or openers.
    #[inline]
    pub(crate) fn markers(&self, dialect: usize) -> &Starts {
        self.markers[dialect].get_or_init(|| markers(&self.dialects[dialect]))
    }

    /// Returns the role of each byte in a value between them.
    #[inline]
    pub(crate) fn data(&self, dialect: usize) -> &DataBytes {
        self.data[dialect].get_or_init(|| DataBytes::between(self.markers(dialect), &self.dialects[dialect].pieces))
    }

    /// Returns the strong closers of all dialects, except for those that repeat a name or end a turn.
    pub(crate) fn spent(&self) -> &LoneClosers {
        self.spent.get_or_init(|| strong_closers(&self.dialects))
    }

    /// Returns whether dialects mark parameters with a tag of this name.
    pub(crate) fn marks_params(&self, tag: &str) -> bool {
        let tags = self.param_tags.get_or_init(|| param_tags(&self.dialects));
        tags.binary_search_by(|known| (**known).cmp(tag)).is_ok()
    }

    /// Returns the spellings of a dialect's closers that repeat the call's name or mark.
    pub(crate) fn unfixed_closers(&self, dialect: usize) -> &[Spelling] {
        self.unfixed[dialect].get_or_init(|| {
            let Dialect { calls, sections, .. } = &*self.dialects[dialect];
            let spelled =
                calls.iter().chain(sections).flat_map(|pattern| &pattern.tail).flat_map(|closer| &closer.spellings);
            spelled.filter(|spelling| !spelling.is_fixed()).cloned().collect()
        })
    }

    /// Returns the end of a token that ends a turn at `at`.
    pub(crate) fn turn_end(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        if !view.byte(at)?.is_some_and(|first| self.turn_ends.contains(first)) {
            return Ok(None);
        }
        for end in turn_ends(&self.dialects) {
            if view.starts_with(at, end)? {
                return Ok(Some(at + end.len()));
            }
        }
        Ok(None)
    }

    /// Returns the end of a token that ends a turn at `at`; with a pinned dialect, also of any special token.
    pub(crate) fn any_turn_end(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        match self.turn_end(view, at)? {
            None if !self.is_auto() => token(view, at),
            end => Ok(end),
        }
    }

    /// Returns where text continues after white space and such tokens.
    pub(crate) fn behind_turn(&self, view: View<'_>, at: usize) -> Result<usize, NotYet> {
        let mut at = view.skip_blanks(at)?;
        while let Some(end) = self.any_turn_end(view, at)? {
            at = view.skip_blanks(end)?;
        }
        Ok(at)
    }

    /// Returns the end of the token that ends a turn, if one is at `at` or after white space there.
    pub(crate) fn next_turn_end(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        self.turn_end(view, view.skip_blanks(at)?)
    }

    /// Adds the candidates whose opener is at `at`: strong ones, and weak ones if the place allows.
    pub(crate) fn opened(&self, view: View<'_>, at: usize, weak: bool, found: &mut Vec<usize>) -> Result<(), NotYet> {
        self.strong.find(view, at, found)?;
        if weak { self.weak.find(view, at, found) } else { Ok(()) }
    }

    /// Returns the calls of a dialect whose opener is at `at`, the highest rank first; none if the dialect has calls that
    /// open by less than one.
    pub(crate) fn calls_of(&self, dialect: usize, view: View<'_>, at: usize, weak: bool) -> Result<Vec<usize>, NotYet> {
        let [strong, others] = self.own_openers[dialect].get_or_init(|| {
            let is_own = |candidate: &Candidate| candidate.dialect == dialect && candidate.role == CandidateRole::Call;
            let of = |strength| {
                openers(&self.dialects, &self.candidates, |candidate| {
                    is_own(candidate) && candidate.evidence == strength
                })
            };
            let dynamic = self.dynamic.iter().any(|number| is_own(&self.candidates[*number]));
            if dynamic { Default::default() } else { [Strength::Strong, Strength::Weak].map(of) }
        });
        let mut found = Vec::new();
        strong.find(view, at, &mut found)?;
        if weak {
            others.find(view, at, &mut found)?;
        }
        self.rank(&mut found);
        found.dedup();
        Ok(found)
    }

    /// Returns whether a candidate is a call of a dialect.
    pub(crate) fn is_call_of(&self, dialect: usize, number: usize) -> bool {
        let candidate = &self.candidates[number];
        candidate.dialect == dialect && candidate.role == CandidateRole::Call
    }
}

fn turn_ends(dialects: &[Arc<Dialect>]) -> impl Iterator<Item = &String> {
    dialects.iter().flat_map(|dialect| &dialect.turn_end)
}

impl Candidate {
    /// Returns the call pattern and the section that a call's candidate reads.
    pub(crate) fn pattern_ref(&self) -> PatternRef {
        PatternRef { dialect: self.dialect, section: self.section, call: Some(self.pattern) }
    }

    pub(crate) fn is_strong_call(&self) -> bool {
        self.evidence == Strength::Strong && self.is_open_call()
    }

    /// Returns whether it is a call that text can open, by more than its name.
    fn is_open_call(&self) -> bool {
        self.role == CandidateRole::Call && !self.is_named && !self.is_barred
    }
}

fn each<T>(dialects: &[Arc<Dialect>]) -> PerDialect<T> {
    dialects.iter().map(|_| OnceLock::new()).collect()
}

/// Returns the first pattern: a section's if it has a head, otherwise the call's or the region's own.
fn first_pattern(dialect: &Dialect, role: CandidateRole, section: Option<usize>, pattern: usize) -> &Pattern {
    let section = section.map(|section| &dialect.sections[section]);
    section.filter(|section| !section.head.is_empty()).unwrap_or_else(|| &patterns(dialect, role)[pattern])
}

/// Returns a dialect's patterns of a role; skipped literals have none.
fn patterns(dialect: &Dialect, role: CandidateRole) -> &[Pattern] {
    match role {
        CandidateRole::Call => &dialect.calls,
        CandidateRole::Reasoning => &dialect.reasoning,
        CandidateRole::Content => &dialect.content,
        CandidateRole::Skip | CandidateRole::TurnEnd | CandidateRole::TurnStart => &[],
    }
}

/// Returns the literal of a candidate that consists of only one.
pub(crate) fn skipped<'d>(dialect: &'d Dialect, candidate: &Candidate) -> Option<&'d String> {
    match candidate.role {
        CandidateRole::Skip => dialect.skip.get(candidate.pattern),
        CandidateRole::TurnEnd => dialect.turn_end.get(candidate.pattern),
        CandidateRole::TurnStart => dialect.turn_start.get(candidate.pattern),
        CandidateRole::Call | CandidateRole::Reasoning | CandidateRole::Content => None,
    }
}

/// The beginnings of a dialect's closers, parameter openers and strong openers, with any tags if these are tags.
fn markers(dialect: &Dialect) -> Starts {
    let kind = |marker: Marker| move |literal| (literal, marker.bit());
    let params = dialect.params.iter().filter(|param| !param.opens_like_any_tag()).filter_map(Pattern::opening);
    let closers =
        [(&dialect.params, Marker::Value), (&dialect.calls, Marker::Call), (&dialect.sections, Marker::Section)];
    let literals = closers
        .into_iter()
        .flat_map(|(patterns, marker)| patterns.iter().flat_map(|pattern| &pattern.tail).map(kind(marker)))
        .chain(params.map(kind(Marker::Param)))
        .chain(dialect.openings.iter().map(kind(Marker::Open)));
    let (named, spelled): (Vec<_>, Vec<_>) = literals
        .flat_map(|(literal, kind)| literal.spellings.iter().map(move |spelling| (spelling, kind)))
        .partition(|(spelling, _)| spelling.is_named_closer());
    let starts = Starts::of_kinds(spelled.into_iter().map(|(spelling, kind)| (spelling.opener(), kind)));
    let starts = if named.is_empty() { starts } else { starts.with_named_closers() };
    let tags = starts.contains(b'<') || dialect.params.iter().any(Pattern::has_key_tag);
    if tags { starts.with_tags() } else { starts }
}
