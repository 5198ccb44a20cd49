//! Attributes of a tag: `name="value"` in any order and with any quotes.

use std::borrow::Cow;
use std::ops::Range;

use super::{Head, HeadText, TagEnd, fill, gap, name_end, stands, tag_end};
use crate::diagnostic::Code;
use crate::dialect::{Attributes, Hole, Literal, Spelling};
use crate::json::ENTITIES;
use crate::lead::Lead;
use crate::view::{NotYet, View, is_blank};

/// How far the end of an attribute is searched for. The call waits for it, and a quote that never closes must not hold
/// the whole message.
const ATTRIBUTE_LIMIT: usize = 64 << 10;

/// The position of one `name="value"`, without its quotes.
struct AttributePlace {
    name: Range<usize>,
    value: Range<usize>,
}

/// Reads attributes up to the literal that closes the tag; `None` if this is not a tag with the required ones.
pub(super) fn attributes(
    view: View<'_>,
    start: usize,
    expected: &Attributes,
    close: Option<&Literal>,
    head: &mut Head,
) -> Result<Option<usize>, NotYet> {
    let mut seen = Vec::new();
    let mut at = start;
    let there = loop {
        let before = at;
        at = gap(view, at, head)?;
        if match close {
            Some(close) => stands(view, at, [close], head)?.is_some(),
            None => view.byte(at)? == Some(b'>'),
        } {
            break true;
        }
        if expected.rest && !seen.is_empty() && matches!(view.byte(at)?, Some(b'}' | b'<')) {
            at += usize::from(view.byte(at)? == Some(b'}'));
            head.note(Code::UnclosedTag, true);
            break true;
        }
        let Some((attribute, end)) = attribute(view, at, close, head)? else {
            // A line that is no attribute is the body of a tag that was not closed.
            let line = view.slice(before, at).find('\n').filter(|_| expected.rest && !seen.is_empty());
            let is_text = attribute_name(view, at)?.is_none() && tag_end(view, at)? != TagEnd::Closed;
            head.note(Code::UnclosedTag, is_text && line.is_some());
            at = line.map_or(at, |line| before + line + 1);
            break is_text && line.is_some();
        };
        seen.push(attribute);
        at = end;
    };
    head.looked = head.looked.max(at);
    // What a tag that closes itself says in other attributes would be lost.
    let is_all = close.is_some_and(|close| close.first_byte() == Some(b'/'));
    let may_differ = !is_all || expected.rest || seen.len() <= expected.named.len();
    Ok((there && may_differ && keep(view, &seen, expected, head)).then_some(at))
}

/// Stores the contents of the attributes; false if a required one is missing.
fn keep(view: View<'_>, seen: &[AttributePlace], expected: &Attributes, head: &mut Head) -> bool {
    let text = |span: &Range<usize>| view.slice(span.start, span.end);
    let value = |span: &Range<usize>| HeadText::new(&decode_entities(text(span)), span.clone());
    let complete = expected.named.iter().all(|(name, hole)| {
        let said = seen.iter().find(|attribute| text(&attribute.name) == name);
        said.into_iter().for_each(|attribute| fill(*hole, value(&attribute.value), head));
        said.is_some() || *hole == Hole::Type
    });
    // Of the call's own tag, others may be parameters that the tool declares.
    if expected.rest || expected.named.iter().any(|(_, hole)| *hole == Hole::Name) {
        let named = |name: &str| expected.named.iter().any(|(expected, _)| expected == name);
        let others = seen.iter().filter(|attribute| !named(text(&attribute.name)));
        let pair = |AttributePlace { name, value: said }: &AttributePlace| {
            (HeadText::new(text(name), name.clone()), value(said))
        };
        head.attributes.extend(others.map(pair));
    }
    complete
}

/// Reads one `name="value"`; `None` if there is none.
fn attribute(
    view: View<'_>,
    at: usize,
    close: Option<&Literal>,
    head: &mut Head,
) -> Result<Option<(AttributePlace, usize)>, NotYet> {
    let Some((end, equals)) = attribute_name(view, at)? else { return Ok(None) };
    let name = at..end;
    let start = view.skip_blanks(equals + 1)?;
    let quote = view.byte(start)?.filter(|byte| matches!(byte, b'"' | b'\''));
    if quote.is_none() && view.byte(start)? == Some(b'{') {
        return Ok(None);
    }
    let start = start + usize::from(quote.is_some());
    let Some(end) = value_end(view, start, quote, close, head)? else { return Ok(None) };
    Ok(Some((AttributePlace { name, value: start..end }, end + usize::from(quote.is_some()))))
}

/// Returns the end of the name of an attribute that begins at `at`, and of the equals sign after it.
fn attribute_name(view: View<'_>, at: usize) -> Result<Option<(usize, usize)>, NotYet> {
    let Some(end) = name_end(view, at)? else { return Ok(None) };
    let equals = view.skip_blanks(end)?;
    Ok((view.byte(equals)? == Some(b'=')).then_some((end, equals)))
}

/// Finds the value's end. A quote ends it only before a space, `/`, `>`, a stray brace or the tag's end; without quotes, a
/// space does. There is no end if the tag ends in a token that precedes the quote: something in the tag was damaged.
fn value_end(
    view: View<'_>,
    start: usize,
    quote: Option<u8>,
    close: Option<&Literal>,
    head: &mut Head,
) -> Result<Option<usize>, NotYet> {
    let mut at = start;
    let first = close.map_or(Some(b'>'), Literal::first_byte);
    let may_close = |byte: u8| first.is_none_or(|first| byte == first);
    loop {
        at += data(view.peek(at, start + ATTRIBUTE_LIMIT + 1 - at), quote, first);
        if at - start > ATTRIBUTE_LIMIT {
            break;
        }
        let Some(byte) = view.byte(at)? else { break };
        let over = match quote {
            Some(quote) => {
                let ends = |next| is_blank(next) || matches!(next, b'/' | b'>' | b'}');
                byte == quote && (view.byte(at + 1)?.is_none_or(ends) || opens_close(view, at + 1, close)?)
            }
            None => is_blank(byte) || byte == b'>' || may_close(byte) && opens_close(view, at, close)?,
        };
        if over {
            return Ok(Some(at));
        }
        if quote.is_some() && byte != b'>' && close.is_some() && may_close(byte) && opens_close(view, at, close)? {
            break;
        }
        at += 1;
    }
    head.looked = head.looked.max(at);
    Ok(None)
}

/// Returns the number of bytes before a quoted value may end; `first` is the first byte of the tag's closer, if it is
/// known.
fn data(bytes: &[u8], quote: Option<u8>, first: Option<u8>) -> usize {
    quote.zip(first).map_or(0, |(quote, first)| memchr::memchr2(quote, first, bytes).unwrap_or(bytes.len()))
}

/// Returns whether the first marker of the literal that closes the tag is at `at`; later markers may be different ones.
fn opens_close(view: View<'_>, at: usize, close: Option<&Literal>) -> Result<bool, NotYet> {
    let Some(close) = close else { return Ok(view.byte(at)? == Some(b'>')) };
    let lead = Lead::of(view.rest(at));
    let may_stand = |spelling: &&Spelling| spelling.may_stand(lead) && !spelling.opener().is_empty();
    for spelling in close.spellings.iter().filter(may_stand) {
        if view.starts_with(at, spelling.opener())? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Decodes the predefined XML entities in one pass, so that `&amp;lt;` is `&lt;`.
pub(crate) fn decode_entities(text: &str) -> Cow<'_, str> {
    if memchr::memchr(b'&', text.as_bytes()).is_none() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let known = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (taken, said) = known.map_or((1, "&"), |(entity, said)| (entity.len(), said));
        out.push_str(said);
        rest = &rest[taken..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}
