//! The catalog: every candidate of a set of dialects, found by the opener that stands in the text.

use std::collections::HashSet;
use std::sync::Arc;

use super::bytes::{ByteBits, ByteSet};
use super::data::Data;
use super::engine::Form;
use super::head::{Head, stands};
use super::openers::{Opener, Openers};
use super::starts::Starts;
use crate::dialect::{BodyKind, Dialect, Inside, Literal, Node, Pattern, Spelling, is_strong};
use crate::view::{NotYet, View};
use alike::alike;
use behind::{bytes_behind, bytes_behind_name};
use closers::{reasoning_closers, spent_closers};

mod alike;
mod behind;
mod closers;
mod sealed;

/// What can be tried at an opener: a pattern of a dialect, perhaps inside one of its sections.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) dialect: usize,
    pub(crate) role: Role,
    /// The section whose head must stand before the call's.
    pub(crate) section: Option<usize>,
    /// The number of the pattern among those of its role.
    pub(crate) pattern: usize,
    pub(crate) evidence: Strength,
    /// Its head is a Markdown fence and brackets, as any quoted code might have.
    pub(crate) is_fence: bool,
    /// It opens with a declared tool's name.
    pub(crate) is_named: bool,
    /// It opens without the special token that opens the calls of its dialect, so it is none.
    pub(crate) is_barred: bool,
    /// How much its heads say; the higher one wins.
    specificity: usize,
}

/// What a candidate reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Call,
    Reasoning,
    Content,
    Skip,
}

/// How much an opener says by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// A tag or a special token: prose does not contain it.
    Strong,
    /// A bracket or a word: only where nothing else can be meant.
    Weak,
    /// `<` and the name of a declared tool.
    Dynamic,
}

/// Every candidate of a set of dialects. Made once for the set, shared by all its parsers.
#[derive(Debug)]
pub(crate) struct Catalog {
    pub(crate) dialects: Vec<Arc<Dialect>>,
    /// What has to be a special token to be a marker; nothing, unless the caller marks special tokens.
    pub(crate) tokens: Arc<[Box<str>]>,
    pub(crate) candidates: Vec<Candidate>,
    /// Of each candidate, a number that those share whose heads are alike.
    alike: Vec<usize>,
    pub(crate) strong: Openers,
    pub(crate) weak: Openers,
    /// Candidates that open with `<` and a declared tool's name.
    pub(crate) dynamic: Vec<usize>,
    /// Candidates that open with the name itself.
    pub(crate) named: Vec<usize>,
    /// The bytes with which what follows such a name can begin.
    pub(crate) behind_names: ByteSet,
    /// The closers of reasoning regions; each may stand alone.
    pub(crate) closers: Openers,
    /// The same as a list; the openers say which.
    closing: Vec<Literal>,
    /// Of each dialect, the strong candidates: what may start a call inside another's value.
    pub(crate) own: Vec<Vec<usize>>,
    /// Of each dialect, where one of its closers or openers may begin.
    pub(crate) markers: Vec<Starts>,
    /// What each byte is to a value between them.
    pub(crate) data: Vec<Data>,
    /// Of each dialect, the strong closers of all dialects that open as it does: one may stand once more after its calls.
    spent: Vec<Vec<Literal>>,
    /// Where something may begin in the middle of a line.
    pub(crate) stops: Starts,
    /// The first bytes of these and line breaks, behind which weak openers may stand.
    pub(crate) stops_and_lines: ByteSet,
    /// The bytes that mean something even in the middle of a line: these, line breaks and the marks of fences.
    pub(crate) turns: ByteSet,
    /// Where weak openers may begin.
    pub(crate) line_stops: Starts,
    /// Where a region's closer or a call inside it may begin.
    pub(crate) stops_in_regions: Starts,
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
        let of = |strength| openers(dialects, &candidates, strength);
        let (strong, weak) = (of(Strength::Strong), of(Strength::Weak));
        let closing = reasoning_closers(dialects);
        let spelled = |(number, closer): (usize, &Literal)| {
            let openers = closer.spellings.iter().map(|spelling| Opener::of(spelling.opener()));
            openers.map(move |opener| (opener, number)).collect::<Vec<_>>()
        };
        let closers = Openers::new(closing.iter().enumerate().flat_map(spelled));
        let all =
            |is: fn(&Candidate) -> bool| (0..candidates.len()).filter(|c| is(&candidates[*c])).collect::<Vec<_>>();
        let dynamic = all(|candidate| candidate.evidence == Strength::Dynamic);
        let named = all(|candidate| candidate.is_named);
        let behind_names = named.iter().flat_map(|number| bytes_behind_name(dialects, &candidates[*number])).collect();
        let stops: Starts = strong.starts().into_iter().chain(closers.starts()).collect();
        let stops = if dynamic.is_empty() { stops } else { stops.with_byte(b'<') };
        let stops_and_lines = stops.first_bytes().iter().copied().chain([b'\n']).collect();
        let turns = stops.first_bytes().iter().copied().chain(*b"\n`~").collect();
        let line_stops = weak.starts().into_iter().collect();
        let stops_in_regions = stops.texts().chain(region_closers(dialects).map(str::as_bytes)).collect();
        let is_own = |c: &usize, dialect| candidates[*c].dialect == dialect && candidates[*c].is_strong_call();
        let own = (0..dialects.len()).map(|d| (0..candidates.len()).filter(|c| is_own(c, d)).collect()).collect();
        let spent = spent_closers(dialects, &candidates);
        let alike = alike(dialects, &candidates);
        let markers: Vec<Starts> = dialects.iter().map(|dialect| markers(dialect)).collect();
        Self {
            dialects: dialects.to_vec(),
            tokens,
            candidates,
            alike,
            strong,
            weak,
            dynamic,
            named,
            behind_names,
            closers,
            closing,
            own,
            data: markers.iter().map(Data::between).collect(),
            markers,
            spent,
            stops,
            stops_and_lines,
            turns,
            line_stops,
            stops_in_regions,
        }
    }

    /// Says whether every call opens with a special token; it can be so only for callers who mark them.
    pub(crate) fn is_sealed(&self) -> bool {
        let mut calls = self.candidates.iter().filter(|candidate| candidate.role == Role::Call);
        calls.all(|call| call.is_barred || sealed::opens_with_token(self.dialect(call), call.section, call.pattern))
    }

    /// Says whether ordinary text can open a call of the form, inside its section.
    pub(crate) fn is_open_to_text(&self, form: Form) -> bool {
        let dialect = &self.dialects[form.dialect];
        !sealed::opens_with_token(dialect, None, form.call.unwrap_or_default())
            && sealed::opens_with_token(dialect, form.section, 0)
    }

    /// Says whether several dialects compete, so that weak evidence must prove itself.
    pub(crate) fn is_auto(&self) -> bool {
        self.dialects.len() > 1
    }

    /// Returns the dialect of a candidate.
    pub(crate) fn dialect(&self, candidate: &Candidate) -> &Arc<Dialect> {
        &self.dialects[candidate.dialect]
    }

    /// Returns a candidate's pattern; skipped literals have none.
    pub(crate) fn pattern(&self, candidate: &Candidate) -> Option<&Pattern> {
        let dialect = self.dialect(candidate);
        let patterns = match candidate.role {
            Role::Call => &dialect.calls,
            Role::Reasoning => &dialect.reasoning,
            Role::Content => &dialect.content,
            Role::Skip => return None,
        };
        patterns.get(candidate.pattern)
    }

    /// Says whether a candidate is a region of quotation: it begins where a message does.
    pub(crate) fn is_opaque(&self, number: usize) -> bool {
        let candidate = &self.candidates[number];
        let body = self.pattern(candidate).and_then(|pattern| pattern.body.as_ref());
        candidate.role != Role::Call && body.is_some_and(|body| body.inside == Inside::Opaque)
    }

    /// Sorts candidates by rank: the most specific first, then in the caller's order.
    pub(crate) fn rank(&self, candidates: &mut [usize]) {
        candidates.sort_by_key(|c| (usize::MAX - self.candidates[*c].specificity, *c));
    }

    /// Says whether two candidates read the same heads.
    pub(crate) fn are_alike(&self, one: usize, other: usize) -> bool {
        self.alike[one] == self.alike[other]
    }

    /// Returns the end of a reasoning closer that stands at `at`.
    pub(crate) fn closer(&self, view: View<'_>, at: usize) -> Result<Option<usize>, NotYet> {
        let (mut found, mut end) = (Vec::new(), None);
        self.closers.find(view, at, &mut found)?;
        for closer in found.iter().filter_map(|number| self.closing.get(*number)) {
            end = stands(view, at, closer, &Head::default())?.max(end);
        }
        Ok(end)
    }

    /// Returns the end of a closer of a call that stands at `at`, behind a call of `dialect` that has been closed.
    pub(crate) fn spent_closer(&self, view: View<'_>, at: usize, dialect: usize) -> Result<Option<usize>, NotYet> {
        let ends = self.spent[dialect].iter().map(|closer| stands(view, at, closer, &Head::default()));
        ends.into_iter().try_fold(None, |best, end| Ok(end?.max(best)))
    }

    /// Adds the candidates whose opener stands at `at`: strong ones, and weak ones if the place allows.
    pub(crate) fn opened(&self, view: View<'_>, at: usize, weak: bool, found: &mut Vec<usize>) -> Result<(), NotYet> {
        self.strong.find(view, at, found)?;
        if weak {
            self.weak.find(view, at, found)?;
        }
        Ok(())
    }
}

impl Candidate {
    pub(crate) fn is_strong_call(&self) -> bool {
        self.role == Role::Call && self.evidence == Strength::Strong && !self.is_named && !self.is_barred
    }
}

fn candidates_of(dialects: &[Arc<Dialect>]) -> Vec<Candidate> {
    let mut candidates = Vec::new();
    for (number, dialect) in dialects.iter().enumerate() {
        list_candidates(number, dialect, dialects.len() == 1, &mut candidates);
    }
    candidates
}

/// Sections times calls, calls on their own if they say enough, regions, skipped literals.
///
/// What has strong and weak spellings is listed once for each: what stood there decides.
fn list_candidates(number: usize, dialect: &Dialect, alone: bool, candidates: &mut Vec<Candidate>) {
    let mut add = |role, section: Option<usize>, pattern| {
        let candidate = Candidate {
            dialect: number,
            role,
            section,
            pattern,
            evidence: Strength::Weak,
            is_fence: role == Role::Call && is_fence(dialect, section, pattern),
            is_named: role == Role::Call && first_pattern(dialect, role, section, pattern).opens_with_name(),
            is_barred: false,
            specificity: 0,
        };
        let specificity = specificity(dialect, &candidate);
        for evidence in evidence(dialect, &candidate) {
            candidates.push(Candidate { evidence, specificity, ..candidate.clone() });
        }
    };
    for section in 0..dialect.sections.len() {
        (0..dialect.calls.len()).for_each(|call| add(Role::Call, Some(section), call));
    }
    for (call, pattern) in dialect.calls.iter().enumerate() {
        let alone = dialect.sections.is_empty() || pattern.opening().is_some_and(Literal::is_strong);
        if alone {
            add(Role::Call, None, call);
        }
    }
    (0..dialect.reasoning.len()).for_each(|region| add(Role::Reasoning, None, region));
    let content = (0..dialect.content.len()).filter(|region| alone || is_special(dialect, &dialect.content[*region]));
    content.for_each(|region| add(Role::Content, None, region));
    (0..dialect.skip.len()).for_each(|skip| add(Role::Skip, None, skip));
}

/// Dialects share regions and skipped literals; the first one's is enough.
fn drop_repeated(dialects: &[Arc<Dialect>], candidates: &mut Vec<Candidate>) {
    let mut seen = HashSet::new();
    candidates.retain(|candidate| {
        let dialect = &dialects[candidate.dialect];
        let source = match candidate.role {
            Role::Call => return true,
            Role::Reasoning => &dialect.reasoning[candidate.pattern].source,
            Role::Content => &dialect.content[candidate.pattern].source,
            Role::Skip => &dialect.skip[candidate.pattern],
        };
        seen.insert((candidate.role as u8, source.clone()))
    });
}

/// Says whether a region's opener has a special token in it. A plain tag may be the text's own: it needs a pinned dialect.
fn is_special(dialect: &Dialect, region: &Pattern) -> bool {
    let opening = region.opening().and_then(|opening| opening.spellings.first()).map(Spelling::plain);
    opening.is_some_and(|opening| dialect.special.iter().any(|token| opening.contains(token.as_str())))
}

/// Returns the pattern that stands first: a section's if it has a head, else the call's or the region's own.
fn first_pattern(dialect: &Dialect, role: Role, section: Option<usize>, pattern: usize) -> &Pattern {
    match (role, section.map(|section| &dialect.sections[section])) {
        (Role::Reasoning, _) => &dialect.reasoning[pattern],
        (Role::Content, _) => &dialect.content[pattern],
        (_, Some(section)) if !section.head.is_empty() => section,
        _ => &dialect.calls[pattern],
    }
}

/// The literals that open a candidate of its strength.
fn openers_of(dialect: &Dialect, candidate: &Candidate) -> Vec<Opener> {
    let mut texts = opener_texts(dialect, candidate, |first| bytes_behind(dialect, candidate, first));
    let strong = candidate.evidence == Strength::Strong;
    texts.retain(|opener| candidate.role == Role::Skip || is_strong(&opener.text) == strong);
    texts
}

/// The literals that open a candidate: spellings of its first literal, or the brace of a body.
fn opener_texts(
    dialect: &Dialect,
    candidate: &Candidate,
    behind: impl FnOnce(&Pattern) -> Option<ByteBits>,
) -> Vec<Opener> {
    if candidate.role == Role::Skip {
        return vec![Opener::of(&dialect.skip[candidate.pattern])];
    }
    let first = first_pattern(dialect, candidate.role, candidate.section, candidate.pattern);
    match (first.opening(), first.kind()) {
        (Some(literal), kind) => {
            let json = matches!(kind, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object));
            let openers = spelled_openers(first, literal, behind(first));
            openers.into_iter().map(|opener| opener.with_json(json && first.head.len() == 1)).collect()
        }
        (None, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object)) if first.head.is_empty() => {
            vec![Opener::of("{")]
        }
        _ => Vec::new(),
    }
}

/// An optional first literal leaves the next one as the opener.
fn spelled_openers(pattern: &Pattern, first: &Literal, behind: Option<ByteBits>) -> Vec<Opener> {
    let mut texts: Vec<Opener> = first.spellings.iter().map(|spelling| Opener::spelled(spelling, behind)).collect();
    if first.is_optional()
        && let Some(Node::Literal(next)) = pattern.head.get(1)
    {
        texts.extend(next.spellings.iter().map(|spelling| Opener::spelled(spelling, None)));
    }
    texts.retain(|opener| !opener.text.is_empty());
    texts
}

/// How strong a candidate's openers are, the strongest first; a name is as strong as what follows it.
fn evidence(dialect: &Dialect, candidate: &Candidate) -> Vec<Strength> {
    if candidate.role == Role::Skip {
        let strong = is_strong(&dialect.skip[candidate.pattern]);
        return vec![if strong { Strength::Strong } else { Strength::Weak }];
    }
    let first = first_pattern(dialect, candidate.role, candidate.section, candidate.pattern);
    if candidate.role == Role::Call && first.is_dynamic() {
        return vec![Strength::Dynamic];
    }
    let texts: Vec<String> = match first.head.get(1) {
        Some(Node::Literal(next)) if candidate.is_named => next.spellings.iter().map(Spelling::plain).collect(),
        _ => opener_texts(dialect, candidate, |_| None).into_iter().map(|opener| opener.text).collect(),
    };
    let has = |strong| texts.iter().any(|text| is_strong(text) == strong);
    match (has(true), has(false)) {
        (true, true) => vec![Strength::Strong, Strength::Weak],
        (true, false) => vec![Strength::Strong],
        _ => vec![Strength::Weak],
    }
}

/// Says whether nothing but a fence and brackets stands before the call's data.
fn is_fence(dialect: &Dialect, section: Option<usize>, call: usize) -> bool {
    let section = section.map(|section| &dialect.sections[section]).into_iter();
    let nodes = section.chain([&dialect.calls[call]]).flat_map(|pattern| &pattern.head);
    let mut literals = nodes.filter_map(|node| if let Node::Literal(literal) = node { Some(literal) } else { None });
    let text = |literal: &Literal| literal.spellings.first().map(|spelling| spelling.plain()).unwrap_or_default();
    let opens = literals.next().is_some_and(|first| text(first).starts_with("```"));
    opens && literals.all(|literal| !text(literal).contains(char::is_alphanumeric))
}

/// The number of literal characters in the heads, and a little for bodies that say more.
fn specificity(dialect: &Dialect, candidate: &Candidate) -> usize {
    let heads = |pattern: &Pattern| pattern.head.iter().map(weight).sum::<usize>();
    let own = match candidate.role {
        Role::Skip => return dialect.skip[candidate.pattern].len(),
        Role::Reasoning => return heads(&dialect.reasoning[candidate.pattern]),
        Role::Content => return heads(&dialect.content[candidate.pattern]),
        Role::Call => &dialect.calls[candidate.pattern],
    };
    let section = candidate.section.map_or(0, |section| heads(&dialect.sections[section]));
    let body = match own.kind() {
        Some(BodyKind::Params) => 2 + dialect.params.iter().filter(|param| breaks_line(param)).count(),
        Some(BodyKind::Arguments) => 1,
        _ => 0,
    };
    section + heads(own) + body
}

fn breaks_line(param: &Pattern) -> bool {
    param.body.as_ref().is_some_and(|body| body.line_before)
}

fn weight(node: &Node) -> usize {
    match node {
        Node::Literal(literal) => literal.spellings.first().map_or(0, |spelling| spelling.plain().chars().count()),
        Node::Attributes(_) => 4,
        Node::Hole(_) => 0,
    }
}

fn openers(dialects: &[Arc<Dialect>], candidates: &[Candidate], strength: Strength) -> Openers {
    let of_strength = candidates.iter().enumerate().filter(|(_, candidate)| candidate.evidence == strength);
    let texts = |(number, candidate): (usize, &Candidate)| {
        let texts = openers_of(&dialects[candidate.dialect], candidate);
        texts.into_iter().map(move |text| (text, number)).collect::<Vec<_>>()
    };
    Openers::new(of_strength.flat_map(texts))
}

/// What every closer of a region begins with.
fn region_closers(dialects: &[Arc<Dialect>]) -> impl Iterator<Item = &str> {
    let regions = dialects.iter().flat_map(|dialect| dialect.reasoning.iter().chain(&dialect.content));
    openers_in(regions.filter_map(|pattern| pattern.tail.first()))
}

/// What a dialect's closers, parameter openers and strong openers begin with; tags are looked at where those are tags.
fn markers(dialect: &Dialect) -> Starts {
    let closers = dialect.params.iter().chain(&dialect.calls).chain(&dialect.sections).flat_map(|p| &p.tail);
    let params = dialect.params.iter().filter(|param| !param.opens_like_any_tag()).filter_map(Pattern::opening);
    let literals = closers.chain(params).chain(&dialect.openings);
    let (named, spelled): (Vec<_>, Vec<_>) =
        literals.flat_map(|literal| &literal.spellings).partition(|spelling| spelling.is_named_closer());
    let starts: Starts = spelled.into_iter().map(Spelling::opener).collect();
    let starts = if named.is_empty() { starts } else { starts.with_named_closers() };
    let tags = starts.contains(b'<') || dialect.params.iter().any(Pattern::has_key_tag);
    if tags { starts.with_tags() } else { starts }
}

fn openers_in<'l>(literals: impl Iterator<Item = &'l Literal>) -> impl Iterator<Item = &'l str> {
    literals.flat_map(|literal| &literal.spellings).map(Spelling::opener)
}
