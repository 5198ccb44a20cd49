//! The catalog: every candidate of a set of dialects, found by the opener that stands in the text.

use std::collections::HashSet;
use std::sync::Arc;

use super::bytes::ByteSet;
use super::head::{Head, stands};
use super::openers::Openers;
use crate::dialect::{BodyKind, Dialect, Inside, Literal, Node, Pattern, Spelling, is_strong};
use crate::view::{NotYet, View};

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
    pub(crate) candidates: Vec<Candidate>,
    pub(crate) strong: Openers,
    pub(crate) weak: Openers,
    /// Candidates that open with `<` and a declared tool's name.
    pub(crate) dynamic: Vec<usize>,
    /// The closers of reasoning regions; each may stand alone.
    pub(crate) closers: Openers,
    /// The same as a list; the openers say which.
    closing: Vec<Literal>,
    /// Of each dialect, the strong candidates: what may start a call inside another's value.
    pub(crate) own: Vec<Vec<usize>>,
    /// Of each dialect, the bytes with which its closers and openers begin.
    pub(crate) marker_bytes: Vec<ByteSet>,
    /// Of each dialect, the strong closers of all dialects that open as it does: one may stand once more after its calls.
    pub(crate) spent: Vec<Openers>,
    /// The bytes at which the scanner stops anywhere.
    pub(crate) stops: ByteSet,
    /// Of each byte, the bytes behind it with which an opener can go on, as bits.
    pairs: Box<[[u64; 4]; 256]>,
    /// The same and line breaks, behind which weak openers may stand.
    pub(crate) stops_and_lines: ByteSet,
    /// The bytes that need a decision even in the middle of a line: the same, line breaks and the marks of fences.
    turns: ByteSet,
    /// The bytes at which weak openers begin.
    pub(crate) line_stops: ByteSet,
    /// The bytes at which a region's closer or a call inside it may begin.
    pub(crate) stops_in_regions: ByteSet,
}

impl Catalog {
    pub(crate) fn new(dialects: &[Arc<Dialect>]) -> Self {
        let mut candidates = Vec::new();
        for (number, dialect) in dialects.iter().enumerate() {
            list_candidates(number, dialect, &mut candidates);
        }
        drop_repeated(dialects, &mut candidates);
        let of = |strength| openers(dialects, &candidates, strength);
        let (strong, weak) = (of(Strength::Strong), of(Strength::Weak));
        let closing = reasoning_closers(dialects);
        let spelled = |(number, closer): (usize, &Literal)| {
            let openers = closer.spellings.iter().map(|spelling| spelling.opener().to_owned());
            openers.map(move |opener| (opener, number)).collect::<Vec<_>>()
        };
        let closers = Openers::new(closing.iter().enumerate().flat_map(spelled));
        let dynamic: Vec<usize> =
            (0..candidates.len()).filter(|c| candidates[*c].evidence == Strength::Dynamic).collect();
        let mut stops: ByteSet = strong.first_bytes().chain(closers.first_bytes()).collect();
        if !dynamic.is_empty() {
            stops.insert(b'<');
        }
        let pairs = pairs(strong.texts().chain(closers.texts()), !dynamic.is_empty());
        let mut stops_and_lines = stops.clone();
        stops_and_lines.insert(b'\n');
        let mut turns = stops_and_lines.clone();
        b"`~".iter().for_each(|mark| turns.insert(*mark));
        let line_stops = weak.first_bytes().collect();
        let mut stops_in_regions = stops.clone();
        region_closers(dialects).for_each(|byte| stops_in_regions.insert(byte));
        let is_own = |c: &usize, dialect| candidates[*c].dialect == dialect && candidates[*c].is_strong_call();
        let own = (0..dialects.len()).map(|d| (0..candidates.len()).filter(|c| is_own(c, d)).collect()).collect();
        let spent = spent_closers(dialects, &candidates);
        let marker_bytes = dialects.iter().map(|dialect| marker_bytes(dialect)).collect();
        Self {
            dialects: dialects.to_vec(),
            candidates,
            strong,
            weak,
            dynamic,
            closers,
            closing,
            own,
            marker_bytes,
            spent,
            stops,
            pairs,
            stops_and_lines,
            turns,
            line_stops,
            stops_in_regions,
        }
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

    /// Says whether something that may stand anywhere can open with two bytes.
    pub(crate) fn may_open(&self, first: u8, second: u8) -> bool {
        self.pairs[usize::from(first)][usize::from(second >> 6)] >> (second & 63) & 1 == 1
    }

    /// Says whether text in the middle of a line is nothing but text, whatever follows it.
    pub(crate) fn is_plain(&self, text: &[u8]) -> bool {
        let turns = |at: usize, byte: u8| {
            self.turns.contains(byte)
                && (!self.stops.contains(byte) || text.get(at + 1).is_none_or(|next| self.may_open(byte, *next)))
        };
        !text.iter().enumerate().any(|(at, byte)| turns(at, *byte))
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
        self.role == Role::Call && self.evidence == Strength::Strong
    }
}

/// Sections times calls, calls on their own if they say enough, regions, skipped literals.
fn list_candidates(number: usize, dialect: &Dialect, candidates: &mut Vec<Candidate>) {
    let mut add = |role, section: Option<usize>, pattern| {
        let candidate = Candidate {
            dialect: number,
            role,
            section,
            pattern,
            evidence: Strength::Weak,
            is_fence: false,
            specificity: 0,
        };
        candidates.push(Candidate {
            evidence: evidence(dialect, &candidate),
            is_fence: role == Role::Call && is_fence(dialect, section, pattern),
            specificity: specificity(dialect, &candidate),
            ..candidate
        });
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
    (0..dialect.content.len()).for_each(|region| add(Role::Content, None, region));
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

/// The literals that open a candidate: spellings of its first literal, or the brace of a body.
fn opener_texts(dialect: &Dialect, candidate: &Candidate) -> Vec<String> {
    let first = match candidate.role {
        Role::Call => match candidate.section.map(|section| &dialect.sections[section]) {
            Some(section) if !section.head.is_empty() => section,
            _ => &dialect.calls[candidate.pattern],
        },
        Role::Reasoning => &dialect.reasoning[candidate.pattern],
        Role::Content => &dialect.content[candidate.pattern],
        Role::Skip => return vec![dialect.skip[candidate.pattern].clone()],
    };
    match (first.opening(), first.kind()) {
        (Some(literal), _) => spelled_openers(first, literal),
        (None, Some(BodyKind::Call | BodyKind::Arguments | BodyKind::Object)) if first.head.is_empty() => {
            vec!["{".to_owned()]
        }
        _ => Vec::new(),
    }
}

/// An optional first literal leaves the next one as the opener.
fn spelled_openers(pattern: &Pattern, first: &Literal) -> Vec<String> {
    let mut texts: Vec<String> = first.spellings.iter().map(|spelling| spelling.opener().to_owned()).collect();
    if first.is_optional()
        && let Some(Node::Literal(next)) = pattern.head.get(1)
    {
        texts.extend(next.spellings.iter().map(|spelling| spelling.opener().to_owned()));
    }
    texts.retain(|text| !text.is_empty());
    texts
}

fn evidence(dialect: &Dialect, candidate: &Candidate) -> Strength {
    let (section, call) = match candidate.role {
        Role::Call => (candidate.section.map(|section| &dialect.sections[section]), &dialect.calls[candidate.pattern]),
        Role::Reasoning => (None, &dialect.reasoning[candidate.pattern]),
        Role::Content => (None, &dialect.content[candidate.pattern]),
        Role::Skip => return Strength::Strong,
    };
    let first = section.filter(|section| !section.head.is_empty()).unwrap_or(call);
    match first.opening() {
        _ if candidate.role == Role::Call && first.is_dynamic() => Strength::Dynamic,
        Some(literal) if literal.opens_strongly() => Strength::Strong,
        _ => Strength::Weak,
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
        let texts = opener_texts(&dialects[candidate.dialect], candidate);
        texts.into_iter().map(move |text| (text, number)).collect::<Vec<_>>()
    };
    Openers::new(of_strength.flat_map(texts))
}

/// Strong closers of reasoning regions, each once.
fn reasoning_closers(dialects: &[Arc<Dialect>]) -> Vec<Literal> {
    let opaque = |pattern: &&Pattern| !pattern.body.as_ref().is_some_and(|body| body.inside == Inside::Opaque);
    let regions = dialects.iter().flat_map(|dialect| &dialect.reasoning).filter(opaque);
    let mut closers: Vec<Literal> = Vec::new();
    for closer in regions.filter_map(|pattern| pattern.tail.first()).filter(|closer| closer.is_strong()) {
        if !closers.contains(closer) {
            closers.push(closer.clone());
        }
    }
    closers
}

/// Collects the first two bytes of openers; those of one byte, and names behind `<`, go on with anything that fits.
fn pairs<'o>(texts: impl Iterator<Item = &'o str>, dynamic: bool) -> Box<[[u64; 4]; 256]> {
    let mut pairs = Box::new([[0; 4]; 256]);
    let mut add = |first: u8, second: u8| pairs[usize::from(first)][usize::from(second >> 6)] |= 1 << (second & 63);
    for text in texts {
        match *text.as_bytes() {
            [first] => (0..=255).for_each(|second| add(first, second)),
            [first, second, ..] => add(first, second),
            [] => {}
        }
    }
    let names = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    (0..=255).filter(|byte| dynamic && names(byte)).for_each(|second| add(b'<', second));
    pairs
}

/// Of each dialect, the strong closers of all dialects that share an opener with it, but for those that repeat a name.
fn spent_closers(dialects: &[Arc<Dialect>], candidates: &[Candidate]) -> Vec<Openers> {
    let mut openers = vec![HashSet::new(); dialects.len()];
    for candidate in candidates.iter().filter(|candidate| candidate.is_strong_call()) {
        openers[candidate.dialect].extend(opener_texts(&dialects[candidate.dialect], candidate));
    }
    let closers: Vec<Vec<String>> = dialects.iter().map(|dialect| strong_closers(dialect)).collect();
    let of = |number: usize| {
        let kin = |other: &usize| *other == number || !openers[*other].is_disjoint(&openers[number]);
        let texts = (0..dialects.len()).filter(kin).flat_map(|kin| &closers[kin]);
        Openers::new(texts.map(|text| (text.clone(), number)))
    };
    (0..dialects.len()).map(of).collect()
}

fn strong_closers(dialect: &Dialect) -> Vec<String> {
    let closers = dialect.calls.iter().chain(&dialect.sections).flat_map(|pattern| &pattern.tail);
    let spelled = closers.flat_map(|closer| &closer.spellings).filter(|spelling| spelling.is_fixed());
    spelled.map(Spelling::plain).filter(|text| is_strong(text)).collect()
}

/// The first bytes of every closer of a region.
fn region_closers(dialects: &[Arc<Dialect>]) -> impl Iterator<Item = u8> {
    let regions = dialects.iter().flat_map(|dialect| dialect.reasoning.iter().chain(&dialect.content));
    let closers = regions.filter_map(|pattern| pattern.tail.first());
    closers.flat_map(|literal| &literal.spellings).filter_map(|spelling| spelling.opener().bytes().next())
}

/// The bytes with which a dialect's closers, parameter openers and strong openers begin.
fn marker_bytes(dialect: &Dialect) -> ByteSet {
    let closers = dialect.params.iter().chain(&dialect.calls).chain(&dialect.sections).flat_map(|p| &p.tail);
    let params = dialect.params.iter().filter_map(Pattern::opening);
    let opens = dialect.calls.iter().chain(&dialect.sections).filter_map(Pattern::opening).filter(|l| l.is_strong());
    let literals = closers.chain(params).chain(opens);
    literals.flat_map(|literal| &literal.spellings).filter_map(|spelling| spelling.opener().bytes().next()).collect()
}
