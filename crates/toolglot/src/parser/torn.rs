//! Fragments of markers: if a marker was damaged, its position in the data is unknown, and the call is broken.

use super::call_context::CallContext;
use super::head::{Head, named_tag};
use super::value_context::ValueContext;
use crate::dialect::{Dialect, Pattern, Spelling};
use crate::spelling::without_markup;
use crate::view::{BEHIND, NotYet};

/// This many bytes of a marker are a fragment of it, and this many others may be in the middle of it: another marker.
const PIECE: usize = 3;
pub(crate) const FRAYED: usize = 24;

/// This many bytes may be there if half of the closer is: a marker of the longest dialect, and a line.
const BURST: usize = 1 << 7;

/// Returns whether a fragment of its closer is at the end of a value without one: it was damaged, and the end of the value is
/// unknown.
pub(super) fn is_frayed(end: usize, context: &ValueContext<'_>) -> bool {
    let Some(closer) = context.param.tail.first().and_then(|closer| closer.spellings.first()) else { return false };
    let closer = closer.filled(context.head.name(), context.head.mark.as_deref(), Some(context.head.key()));
    let closer = closer.trim().as_bytes();
    let behind = |reach: usize| {
        let from = context.start.max(end.saturating_sub((closer.len() + reach).min(BEHIND)));
        context.view.rest(from)[..end - from].trim_ascii_end()
    };
    let tail = behind(FRAYED);
    let half = closer.get(..closer.len() / 2).filter(|half| half.len() > PIECE);
    let (first, last) = (closer.get(..PIECE), closer.len().checked_sub(PIECE + 1).map(|from| &closer[from..]));
    first.is_some_and(|first| memchr::memmem::find(tail, first).is_some())
        || half.is_some_and(|half| memchr::memmem::find(behind(BURST), half).is_some())
        || last.is_some_and(|last| tail.ends_with(last))
        || closer.starts_with(b"</") && ends_in_tag(tail)
}

/// Returns whether a separated value lacks its line break.
pub(super) fn lacks_break(end: usize, context: &ValueContext<'_>) -> bool {
    let line_after = context.param.body.as_ref().is_some_and(|body| body.line_after);
    line_after && context.view.rest(end - 1).first() != Some(&b'\n')
}

/// Returns where a fragment of a marker is that ends between two positions of a value.
pub(super) fn first_piece(from: usize, to: usize, context: &CallContext<'_>) -> usize {
    let finds = |piece: &String| {
        let from = from.saturating_sub(piece.len() - 1);
        memchr::memmem::find(&context.view.rest(from)[..to - from], piece.as_bytes()).map(|at| from + at)
    };
    context.pieces().iter().filter_map(finds).min().unwrap_or(usize::MAX)
}

/// The beginnings of tag names that models write as the closer of a value, such as `</argument>` for `</parameter>`;
/// markup has hardly any.
const CLOSER_STEMS: [&str; 5] = ["par", "arg", "inv", "fun", "too"];

/// Returns whether models close a value with a tag of this name: a similar one, or a parameter's or the tool's name.
pub(super) fn resembles_closer(name: &str, context: &CallContext<'_>) -> bool {
    let begins = |stem: &str| name.get(..stem.len()).is_some_and(|own| own.eq_ignore_ascii_case(stem));
    let is = |own: &str| name.eq_ignore_ascii_case(own);
    let own = is(context.head.key()) || context.head.name().is_some_and(is);
    own || context.declares(name) || CLOSER_STEMS.into_iter().any(begins)
}

/// Returns whether a text ends with the beginning of a tag, or with a closing tag that has no name.
fn ends_in_tag(text: &[u8]) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b':');
    let last = text.windows(2).rposition(|pair| pair == b"</").map(|at| &text[at + 2..]);
    let nameless =
        last.and_then(|name| name.strip_suffix(b">")).is_some_and(|name| name.is_empty() || !name.iter().all(word));
    nameless || text.ends_with(b"<") || text.ends_with(b"</")
}

/// Returns whether the closing tag whose name begins at `at` has the name of another parameter of the tool, or a piece of another
/// tag in it.
pub(super) fn closes_another(at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let Some((name, _)) = named_tag(context.view, at)? else { return Ok(false) };
    Ok(context.declares(name) && context.meant(context.head.key()) != name || name.contains('/'))
}

/// Returns whether other text may contain the end of a value or a call, such as a quote.
pub(super) fn is_weak(pattern: &Pattern) -> bool {
    let words = |spelling: &Spelling| spelling.plain().contains(char::is_alphanumeric);
    let closer = pattern.tail.first();
    closer.is_some_and(|closer| !closer.is_closing_tag() && !closer.spellings.iter().any(words))
}

/// Returns whether a fragment of a parameter's opener follows a closer that did not end its value: the opener was damaged,
/// and the seeming data may be the next parameter.
pub(super) fn is_torn(closed: usize, end: usize, context: &CallContext<'_>, param: &Pattern) -> bool {
    let Some(opener) = param.opening().and_then(|opener| opener.spellings.first()) else { return false };
    let opener = opener.opener().trim().as_bytes();
    let behind = context.view.rest(closed)[..end.saturating_sub(closed)].trim_ascii_start();
    let begins = behind.first().is_some_and(|first| opener.get(..2).is_some_and(|start| start.contains(first)));
    let behind = &behind[..behind.len().min(opener.len() + PIECE)];
    let holds = |piece: &[u8]| memchr::memmem::find(behind, piece).is_some();
    let nearly_all = opener.get(1..).is_some_and(|rest| rest.len() > PIECE && holds(rest));
    nearly_all || begins && opener.windows(PIECE).any(holds)
}

/// Returns whether a damaged opener of a call begins at `at`: all but a few bytes of it are there.
pub(super) fn is_torn_opener(at: usize, context: &CallContext<'_>) -> Result<bool, NotYet> {
    if context.opener(at)?.is_some() {
        return Ok(false);
    }
    for opener in context.dialect().openings.iter().flat_map(|opening| &opening.spellings) {
        let opener = opener.opener().trim().as_bytes();
        let mut end = at;
        while end < at + opener.len() + FRAYED && context.view.byte(end)?.is_some_and(|byte| byte != b'\n') {
            end += 1;
        }
        let text = &context.view.rest(at)[..end - at];
        let (first, last) = (opener.get(..PIECE), opener.len().checked_sub(PIECE + 1).map(|from| &opener[from..]));
        let rest = opener.get(1..).filter(|rest| rest.len() > 2 * PIECE);
        let headless =
            rest.is_some_and(|rest| text.starts_with(rest) || text.get(1..).is_some_and(|text| text.starts_with(rest)));
        let begins = headless || first.is_some_and(|first| text.starts_with(first));
        let ends = last.is_some_and(|last| memchr::memmem::find(text, last).is_some());
        if begins && (ends || opener.len() > 2 * PIECE) || ends && text.first() == opener.first() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns whether a fragment of a marker is in a parameter's key, or where its value begins at `start` without the marker
/// that other spellings of the dialect have there.
pub(super) fn begins_torn(start: usize, param: usize, head: &Head, context: &CallContext<'_>) -> Result<bool, NotYet> {
    let Some(pattern) = context.dialect().params.get(param) else { return Ok(false) };
    let written = head.key.as_ref().map_or("", |key| context.view.slice(key.span.start, key.span.end));
    // Names have no blanks either, but a tool that is not declared may be of one who thinks otherwise.
    let named = context.root().is_some_and(|root| !root.properties().is_empty());
    let piece = |c: char| matches!(c, '<' | '>' | '"' | '=') || named && c.is_whitespace();
    let written = if context.knows(head.key()) { without_markup(written.trim()) } else { written.trim() };
    if written.contains(piece) && !context.declares(head.key()) {
        return Ok(true);
    }
    // The first spelling is the model's own, with all that it has.
    let Some(opener) = (param > 0).then(|| lacking(pattern, context.dialect())).flatten() else { return Ok(false) };
    let mut end = start;
    while end < start + opener.len() + FRAYED
        && context.view.byte(end)?.is_some()
        && !context.view.starts_with(end, "</")?
    {
        end += 1;
    }
    let begun = &context.view.rest(start)[..end - start];
    let ends = [opener.get(..PIECE), opener.get(opener.len().saturating_sub(PIECE)..)];
    Ok(ends.into_iter().flatten().any(|piece| memchr::memmem::find(begun, piece).is_some()))
}

/// Returns the text of another spelling of a parameter between key and value that this one lacks.
fn lacking(pattern: &Pattern, dialect: &Dialect) -> Option<Vec<u8>> {
    let own = behind_key(pattern);
    let others = dialect.params.iter().map(behind_key);
    let lacks = others.filter_map(|other| Some(other.strip_prefix(own.as_str())?.trim().as_bytes().to_owned()));
    lacks.into_iter().find(|rest| rest.len() > PIECE)
}

/// Returns the literals at the end of a parameter's head.
fn behind_key(pattern: &Pattern) -> String {
    let literals = pattern.head.iter().rev().map_while(|part| part.literal()?.spellings.first());
    let texts: Vec<String> = literals.map(|spelling| spelling.filled(None, None, None)).collect();
    texts.into_iter().rev().collect::<String>().trim_end().to_owned()
}

/// Returns whether `rest` is the start of a parameter's head: of its opener, or of the opener and a part of the rest.
pub(super) fn cut_opener(rest: &str, context: &CallContext<'_>) -> bool {
    let openings = context.dialect().params.iter().filter_map(Pattern::opening);
    openings.flat_map(|opening| &opening.spellings).map(Spelling::plain).any(|opening| {
        let head = rest.strip_prefix(opening.as_str()).filter(|_| !opening.is_empty());
        opening.starts_with(rest) || head.is_some_and(|head| !head.contains(['>', '\n']))
    })
}

/// Returns whether `rest` is the start of one of a dialect's closers.
pub(super) fn cut_closer(rest: &str, dialect: &Dialect, head: &Head) -> bool {
    let patterns = dialect.params.iter().chain(&dialect.calls).chain(&dialect.sections);
    let closers = patterns.flat_map(|pattern| &pattern.tail);
    let mut spelled = closers.flat_map(|closer| closer.filled(head.name(), head.mark.as_deref(), Some(head.key())));
    spelled.any(|closer| closer.len() > rest.len() && closer.starts_with(rest))
}

/// Returns whether the current parameter may be a damaged marker: it is not declared, or only its tag identifies it.
pub(super) fn is_unsaid(lacks_closer: bool, context: &ValueContext<'_>) -> bool {
    let has_others = || context.root().is_some_and(|root| !root.properties().is_empty());
    (context.param.has_key_tag() || lacks_closer && has_others()) && !context.knows(context.head.key())
}
