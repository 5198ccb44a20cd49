//! The head of a pattern: literals, names, keys, ids and attributes, read before the body.

use std::ops::Range;
use std::sync::Arc;

use crate::diagnostic::Code;
use crate::dialect::{BodyKind, HeadPart, Hole, Literal, Pattern, Spelling, SpellingPart, is_strong};
use crate::json::KEY;
use crate::lead::Lead;
use crate::view::{NotYet, View, is_blank};
use attributes::attributes;
pub(crate) use attributes::decode_entities;
use name::quoted_name;
pub(crate) use name::{NAME_LIMIT, escaped_name, is_name, name_end};
pub(crate) use tag::{TagEnd, closing_tag, named_tag, tag_end, token};

mod attributes;
mod name;
mod tag;

/// Characters of a mark: its colon and 32, the number of hexadecimal digits of a UUID.
const MARK_LIMIT: usize = 33;

/// Text from a head or a member, and its position. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeadText {
    pub(crate) text: Arc<str>,
    pub(crate) span: Range<usize>,
}

impl HeadText {
    pub(crate) fn new(text: &str, span: Range<usize>) -> Self {
        Self { text: text.into(), span }
    }
}

/// The contents of the heads so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Head {
    /// The tool's name in its spelling.
    pub(crate) name: Option<HeadText>,
    pub(crate) id: Option<HeadText>,
    pub(crate) key: Option<HeadText>,
    /// The contents of `{type}`.
    pub(crate) kind: Option<Arc<str>>,
    /// The suffix of `{mark}`, once learned.
    pub(crate) mark: Option<Arc<str>>,
    /// Attributes that are parameters.
    pub(crate) attributes: Vec<(HeadText, HeadText)>,
    /// The repairs that were needed, each once.
    pub(crate) slips: Vec<Code>,
    /// The name contains spaces: it must be spelled as declared.
    pub(crate) spaced: bool,
    /// How far attributes have been read.
    pub(crate) looked: usize,
}

impl Head {
    /// Returns a head for something inside the call, which shares its name and mark.
    pub(crate) fn inner(&self) -> Self {
        Self { name: self.name.clone(), mark: self.mark.clone(), ..Self::default() }
    }

    /// Returns whether nothing was found.
    pub(crate) fn says_nothing(&self) -> bool {
        let texts = [&self.name, &self.id, &self.key].into_iter().any(Option::is_some);
        let marks = [&self.kind, &self.mark].into_iter().any(Option::is_some);
        !texts && !marks && self.slips.is_empty() && self.attributes.is_empty()
    }

    /// Records a repair, if one was made.
    pub(crate) fn note(&mut self, slip: Code, made: bool) {
        if made && !self.has(slip) {
            self.slips.push(slip);
        }
    }

    /// Returns whether it was read with a repair.
    pub(crate) fn has(&self, slip: Code) -> bool {
        self.slips.contains(&slip)
    }

    /// Returns whether the opening tag has no `>`; then its closer follows.
    pub(crate) fn is_unclosed_tag(&self) -> bool {
        self.has(Code::UnclosedTag)
    }

    /// Returns the key that was read.
    pub(crate) fn key(&self) -> &str {
        self.key.as_ref().map_or("", |key| &key.text)
    }

    /// Returns the call's id.
    pub(crate) fn id(&self) -> Option<&str> {
        self.id.as_ref().map(|id| &*id.text)
    }

    /// Returns the tool's name in its spelling.
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_ref().map(|name| &*name.text)
    }
}

/// Reads nodes; returns where they end, `None` if they do not match.
///
/// `after` is the literal after the last node, if there is one.
pub(crate) fn nodes(
    view: View<'_>,
    mut at: usize,
    nodes: &[HeadPart],
    after: Option<&Literal>,
    head: &mut Head,
) -> Result<Option<usize>, NotYet> {
    let start = at;
    for (number, node) in nodes.iter().enumerate() {
        let next = match nodes.get(number + 1) {
            Some(HeadPart::Literal(literal)) => Some(literal),
            Some(_) => None,
            None => after,
        };
        let first = number == 0 || matches!(nodes.get(number - 1), Some(HeadPart::Literal(open)) if open.is("<"));
        let from = at;
        if !first {
            at = gap(view, at, head)?;
        }
        let glued = !first && at == from;
        let end = match node {
            HeadPart::Literal(_) if head.is_unclosed_tag() => Some(at),
            HeadPart::Literal(expected) => marker(view, at, expected, number + 1 < nodes.len(), head)?,
            HeadPart::Hole(hole) => read_hole(view, at, *hole, opens_tag(nodes, number), next, head)?,
            // What is glued to a tag's name and is no letter belongs to the name.
            HeadPart::Attributes(_) if glued && view.byte(at)?.is_some_and(|next| b"_.:-".contains(&next)) => None,
            HeadPart::Attributes(expected) => {
                head.note(Code::LostBlank, glued && view.char(at)?.is_some_and(char::is_alphanumeric));
                match attributes(view, at, expected, next, head)? {
                    Some(end) if !expected.rest && begin_again(view, start, at..end, nodes)? => None,
                    end => end,
                }
            }
        };
        match end {
            Some(end) => at = end,
            None => return Ok(None),
        }
    }
    Ok(Some(at))
}

/// Returns whether the nodes at `start` begin again inside themselves: then that part belongs to another call, and this
/// one broke off before it.
fn begin_again(view: View<'_>, start: usize, part: Range<usize>, nodes: &[HeadPart]) -> Result<bool, NotYet> {
    let (Some(first), Some(HeadPart::Literal(opening))) = (view.byte(start)?, nodes.first()) else { return Ok(false) };
    for ahead in memchr::memchr_iter(first, view.slice(part.start, part.end).as_bytes()) {
        for spelled in opening.spellings.iter().filter(|spelled| spelled.is_strong_at_once()) {
            if spelling(view, part.start + ahead, spelled, &Head::default(), &mut None)?.is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Reads a literal of a head. A strong one may be doubled if no data follows: `<tool_call><tool_call>`.
fn marker(
    view: View<'_>,
    at: usize,
    expected: &Literal,
    inner: bool,
    head: &mut Head,
) -> Result<Option<usize>, NotYet> {
    if let Some(end) = literal(view, at, expected, head)? {
        let next = if inner { skip_gap(view, end)? } else { at };
        let again = next > at && end > at && view.byte(next)? == view.byte(at)? && expected.is_strong();
        let second = if again { stands(view, next, [expected], head)? } else { None };
        head.note(Code::DuplicateOpener, second.is_some());
        return Ok(second.or(Some(end)));
    }
    let lead = Lead::of(view.rest(at));
    for spelled in expected.spellings.iter().filter(|spelled| spelled.may_stand(lead) && spelled.is_strong_at_once()) {
        let end = restarted(view, at, expected, spelled, head)?;
        if end.is_some() {
            head.note(Code::DuplicateOpener, true);
            return Ok(end);
        }
    }
    Ok(None)
}

/// Returns the end of a literal that begins, breaks off at a joint, and begins again.
fn restarted(
    view: View<'_>,
    at: usize,
    expected: &Literal,
    spelled: &Spelling,
    head: &mut Head,
) -> Result<Option<usize>, NotYet> {
    let mut next = at;
    for text in spelled.parts.iter().map_while(|part| if *part == SpellingPart::Joint { Some("") } else { part.text() })
    {
        if !view.starts_with(next, text)? {
            return Ok(None);
        }
        next = skip_gap(view, next + text.len())?;
        if view.starts_with(next, spelled.opener())?
            && let Some(end) = literal(view, next, expected, head)?
        {
            return Ok(Some(end));
        }
    }
    Ok(None)
}

/// Returns the end of a whole head that is repeated at `at`, if a call's data cannot begin with it.
pub(crate) fn repeated(view: View<'_>, at: usize, pattern: &Pattern, head: &mut Head) -> Result<Option<usize>, NotYet> {
    let data = matches!(pattern.kind(), Some(BodyKind::Content) | None);
    if data || !pattern.opening().is_some_and(Literal::is_strong) {
        return Ok(None);
    }
    let next = skip_gap(view, at)?;
    let mut end = None;
    if pattern.opening().is_some_and(|opening| opening.may_stand(Lead::of(view.rest(next)))) {
        let mut again = head.inner();
        end = nodes(view, next, &pattern.head, None, &mut again)?;
        end = end.filter(|_| again.name() == head.name() && again.id() == head.id());
    }
    let end = if end.is_none() { last_again(view, next, pattern)? } else { end };
    head.note(Code::DuplicateOpener, end.is_some());
    Ok(end)
}

/// Returns the end of the last marker of a head that is repeated at `at`.
fn last_again(view: View<'_>, at: usize, pattern: &Pattern) -> Result<Option<usize>, NotYet> {
    let Some(HeadPart::Literal(last)) = pattern.head.last() else { return Ok(None) };
    let lead = Lead::of(view.rest(at));
    let may_stand = |spelling: &&Spelling| spelling.parts.len() > 1 || spelling.may_stand(lead);
    for marker in last.spellings.iter().filter(may_stand).filter_map(|spelling| spelling.parts.last()?.text()) {
        let stands = view.starts_with(at, marker);
        if stands != Ok(false) && is_strong(marker) && stands? {
            return Ok(Some(at + marker.len()));
        }
    }
    Ok(None)
}

/// Returns whether the previous node is a tag's `<`, so that a key here is a tag's name.
fn opens_tag(nodes: &[HeadPart], number: usize) -> bool {
    let before = number.checked_sub(1).and_then(|before| nodes.get(before));
    matches!(before, Some(HeadPart::Literal(open)) if open.ends_with('<'))
}

/// Skips white space between nodes, and letters that replace it.
#[inline]
pub(crate) fn gap(view: View<'_>, at: usize, head: &mut Head) -> Result<usize, NotYet> {
    let end = skip_gap(view, at)?;
    head.note(Code::LiteralNewline, end > at && is_spelled(view.slice(at, end)));
    Ok(end)
}

/// Skips white space, and its replacements in doubly escaped or badly decoded output.
#[inline]
pub(crate) fn skip_gap(view: View<'_>, at: usize) -> Result<usize, NotYet> {
    let is_none = |next: u8| next.is_ascii() && !is_blank(next) && next != b'\\';
    if view.byte(at)?.is_some_and(is_none) { Ok(at) } else { skip_whole_gap(view, at) }
}

fn skip_whole_gap(view: View<'_>, mut at: usize) -> Result<usize, NotYet> {
    loop {
        while view.byte(at)?.is_some_and(is_blank) {
            at += 1;
        }
        at += match view.char(at)? {
            Some('\\') if view.byte(at + 1)? == Some(b'n') => 2,
            Some(next) if !next.is_ascii() && GAPS.iter().any(|gap| gap.starts_with(next)) => next.len_utf8(),
            _ => return Ok(at),
        };
    }
}

/// Skips one line break.
pub(crate) fn skip_line_break(view: View<'_>, at: usize) -> Result<usize, NotYet> {
    Ok(match view.byte(at)? {
        Some(b'\n') => at + 1,
        Some(b'\r') if view.byte(at + 1)? == Some(b'\n') => at + 2,
        _ => at,
    })
}

/// The possible beginnings of a gap, see [`skip_gap`]: white space, `Ġ` and `Ċ`, which byte-level tokenizers write for a space
/// and a line break, and zero-width characters.
pub(crate) const GAPS: [&str; 12] =
    [" ", "\t", "\n", "\r", "\\", "\u{120}", "\u{10a}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{feff}"];

/// Returns whether a gap contains letters instead of white space.
pub(crate) fn is_spelled(gap: &str) -> bool {
    gap.bytes().any(|byte| !is_blank(byte))
}

/// Returns the end of the longest spelling of a literal at `at`.
pub(crate) fn literal(view: View<'_>, at: usize, literal: &Literal, head: &mut Head) -> Result<Option<usize>, NotYet> {
    let (mut best, mut mark, lead) = (None, None, Lead::of(view.rest(at)));
    for expected in literal.spellings.iter().filter(|spelled| spelled.may_stand(lead)) {
        let mut learned = None;
        let end = spelling(view, at, expected, head, &mut learned)?;
        if end > best {
            (best, mark) = (end, learned);
        }
    }
    if mark.is_some() {
        head.mark = mark;
    }
    Ok(best)
}

/// Returns the end of the longest of some literals at `at`, without learning marks from it.
#[inline]
pub(crate) fn stands<'l>(
    view: View<'_>,
    at: usize,
    literals: impl IntoIterator<Item = &'l Literal>,
    head: &Head,
) -> Result<Option<usize>, NotYet> {
    let (mut best, lead) = (None, Lead::of(view.rest(at)));
    for literal in literals {
        for spelled in literal.spellings.iter().filter(|spelled| spelled.may_stand(lead) && !spelled.is_empty()) {
            best = spelling(view, at, spelled, head, &mut None)?.max(best);
        }
    }
    Ok(best)
}

fn spelling(
    view: View<'_>,
    mut at: usize,
    spelling: &Spelling,
    head: &Head,
    learned: &mut Option<Arc<str>>,
) -> Result<Option<usize>, NotYet> {
    for part in &spelling.parts {
        let text = match part {
            SpellingPart::Joint => {
                at = skip_gap(view, at)?;
                continue;
            }
            SpellingPart::Mark if head.mark.is_none() => {
                let end = mark_end(view, at)?;
                *learned = Some(if end == at { Arc::default() } else { view.slice(at, end).into() });
                at = end;
                continue;
            }
            SpellingPart::Text(text) => text,
            SpellingPart::Name => head.name().unwrap_or_default(),
            SpellingPart::Key if head.key.is_none() => return Ok(None),
            SpellingPart::Key => head.key(),
            SpellingPart::Mark => head.mark.as_deref().unwrap_or_default(),
        };
        if !view.starts_with(at, text)? {
            return Ok(None);
        }
        at += text.len();
    }
    Ok(Some(at))
}

/// The first byte of a mark.
pub(crate) const MARK: u8 = b':';

/// A mark is `:` and up to 32 characters, or nothing.
fn mark_end(view: View<'_>, at: usize) -> Result<usize, NotYet> {
    if view.byte(at)? != Some(MARK) {
        return Ok(at);
    }
    let mut end = at;
    while end - at < MARK_LIMIT {
        match view.char(end)? {
            Some(next) if !next.is_whitespace() && next != '<' && next != '>' => end += next.len_utf8(),
            _ => break,
        }
    }
    Ok(end)
}

fn read_hole(
    view: View<'_>,
    at: usize,
    hole: Hole,
    in_tag: bool,
    next: Option<&Literal>,
    head: &mut Head,
) -> Result<Option<usize>, NotYet> {
    let end = match hole {
        Hole::Name => {
            if let Some(said) = escaped_name(view, at, name_end(view, at)?)? {
                let end = said.span.end;
                head.note(Code::MarkdownEscape, true);
                fill(hole, said, head);
                return Ok(Some(end));
            }
            name::end(view, at, next, head)?
        }
        Hole::Ignored | Hole::Index => name_end(view, at)?,
        Hole::Key if in_tag => name_end(view, at)?,
        Hole::Key | Hole::Type | Hole::Id => match quoted_name(view, at)? {
            Some(end) if hole == Hole::Key => Some(end),
            _ => field_end(view, at, next, head)?,
        },
    };
    let Some(end) = end else { return Ok(None) };
    let raw = view.slice(at, end);
    let said = raw.trim();
    if said.is_empty() || said.contains('\n') {
        return Ok(None);
    }
    let start = at + (raw.len() - raw.trim_start().len());
    fill(hole, HeadText::new(said, start..start + said.len()), head);
    Ok(Some(end))
}

/// Stores the contents of a hole.
pub(crate) fn fill(hole: Hole, said: HeadText, head: &mut Head) {
    match hole {
        Hole::Name => head.name = Some(said),
        Hole::Id => head.id = Some(said),
        Hole::Key => head.key = Some(said),
        Hole::Type => head.kind = Some(said.text),
        Hole::Ignored | Hole::Index => {}
    }
}

/// Returns the end of text that extends to a literal, or to the end of its line if no literal follows.
fn field_end(view: View<'_>, at: usize, next: Option<&Literal>, head: &Head) -> Result<Option<usize>, NotYet> {
    let mut end = at;
    let only = next.map_or(Some(b'\n'), Literal::first_byte);
    loop {
        if let Some(first) = only {
            // One more than the limit: then it is too long, whatever is there.
            let peeked = view.peek(end, KEY + 1 - (end - at));
            end += memchr::memchr(first, peeked).unwrap_or(peeked.len());
            if end - at > KEY {
                return Ok(None);
            }
        }
        let Some(byte) = view.byte(end)? else { return Ok(None) };
        let over = match next {
            Some(next) => next.may_stand(Lead::of(&[byte])) && stands(view, end, [next], head)?.is_some(),
            None => byte == b'\n',
        };
        if over {
            return Ok(Some(end));
        }
        end += 1;
        if end - at > KEY {
            return Ok(None);
        }
    }
}
