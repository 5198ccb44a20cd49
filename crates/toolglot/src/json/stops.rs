//! Stops of strings: runs of content that needs no decision pass, found by their bytes.

use super::Context;
use super::look::KEY;
use super::quote::{Quote, token_closer};
use super::reader::{DRIVE, JsonReader, may_begin_path};
use super::state::Expect;
use super::text::RunningString;
use super::write::needs_escape;
use crate::dialect::QUOTE_TOKENS;
use crate::parser::{ByteSet, CallContext, SHORT};
use crate::sink::Sink;
use crate::view::{NotYet, View, is_blank};

/// The cause of the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentStop {
    /// The deciding bytes have not arrived.
    NotThere,
    Decision,
}

/// For each byte, the kinds of strings in which it needs a decision.
#[derive(Clone, Debug)]
pub(super) struct Stops {
    classes: [u8; 256],
    /// Stops of strings between tokens, few enough for a search.
    tokens: Option<ByteSet>,
    /// Stops of content that is known to be valid JSON.
    valid: Option<ByteSet>,
    ready: bool,
}

const ALWAYS: u8 = 1;
const SINGLE: u8 = 2;
const BACK: u8 = 4;
const CURLY: u8 = 8;
const TOKEN: u8 = 16;
const MARKER: u8 = 32;
const ENTITY: u8 = 64;
/// Characters at the end of a string that may not belong to it.
const WAITS: u8 = 128;

/// The bytes of escapes.
const ESCAPES: &[u8] = b"\\\"/bfnrtu0123456789abcdefABCDEF";

/// Stops of every string, independent of what surrounds it.
const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 0x80 {
        classes[byte] = if needs_escape(byte as u8) { ALWAYS } else { 0 };
        byte += 1;
    }
    classes[b'\'' as usize] = SINGLE;
    classes[b'`' as usize] = BACK;
    classes[0xe2] = CURLY;
    classes[b'&' as usize] = ENTITY;
    (classes[b',' as usize], classes[b'}' as usize], classes[b']' as usize]) = (WAITS, WAITS, WAITS);
    let mut token = 0;
    while token < QUOTE_TOKENS.len() {
        classes[QUOTE_TOKENS[token].as_bytes()[0] as usize] = TOKEN;
        token += 1;
    }
    classes
};

impl Default for Stops {
    fn default() -> Self {
        Self { classes: [0; 256], tokens: None, valid: None, ready: false }
    }
}

impl Stops {
    /// Fills the table when the first string needs it, and prepares a search if there is much `valid` content.
    pub(super) fn prepare(&mut self, context: &Context<'_>, valid: bool) {
        if !self.ready {
            self.fill(context);
        }
        if valid && self.valid.is_none() {
            let set = self.members(CURLY | MARKER);
            // What looks like a marker in an escape is none.
            self.valid = Some(set).filter(|set| !ESCAPES.iter().any(|byte| set.contains(*byte)));
        }
    }

    fn fill(&mut self, context: &Context<'_>) {
        self.classes = CLASSES;
        if let Some(first) = context.quote.and_then(|token| token.bytes().next()) {
            self.classes[usize::from(first)] |= TOKEN;
        }
        for byte in context.markers.first_bytes().iter().filter(|byte| context.markers.may_begin(**byte)) {
            self.classes[usize::from(*byte)] |= MARKER;
        }
        self.tokens = context.quote.map(|_| self.members(TOKEN | MARKER));
        self.ready = true;
    }

    fn members(&self, mask: u8) -> ByteSet {
        (0..=u8::MAX).filter(|byte| self.classes[usize::from(*byte)] & mask != 0).collect()
    }

    /// Returns the classes of a few bytes of a string, if none of them needs a decision.
    #[inline]
    pub(super) fn of_plain(&self, few: &[u8], text: &RunningString) -> Option<u8> {
        let all = |few: &[u8]| few.iter().fold(0, |all, byte| all | self.classes[usize::from(*byte)]);
        (few.len() < SHORT).then(|| all(few)).filter(|all| all & text.mask() == 0)
    }

    /// Returns the end of the visible content that passes unchanged, and what comes next.
    ///
    /// Plain runs pass, as do JSON's own escapes, and bytes that turn out to be no quote or marker. It ends at `limit`.
    /// `decides` returns whether the token that ends the string, or a doubtful marker, is at a position.
    pub(super) fn pass(
        &self,
        view: View<'_>,
        mut at: usize,
        limit: usize,
        text: &RunningString,
        decides: impl Fn(usize) -> Result<bool, NotYet>,
    ) -> (usize, ContentStop) {
        let mask = text.mask();
        loop {
            let end = at + self.run(view.rest(at), mask, text.valid.saturating_sub(at));
            if end >= limit {
                return (clip(view, at.max(limit)), ContentStop::Decision);
            }
            at = end;
            let rest = view.rest(at);
            let Some(&byte) = rest.first() else { return (at, ContentStop::NotThere) };
            let class = self.classes[usize::from(byte)] & mask;
            if byte == b'\\' {
                match text.escape(rest) {
                    Escape::Own(length) => at += length,
                    Escape::Half => return (at, ContentStop::NotThere),
                    Escape::Other => return (at, ContentStop::Decision),
                }
                continue;
            }
            if class & !(CURLY | TOKEN | MARKER) != 0
                || class & CURLY != 0 && matches!(rest, [0xe2, 0x80, 0x98 | 0x99 | 0x9c | 0x9d, ..])
            {
                return (at, ContentStop::Decision);
            }
            match if class & (TOKEN | MARKER) == 0 { Ok(false) } else { decides(at) } {
                Ok(false) => at = clip(view, at + 1),
                Ok(true) => return (at, ContentStop::Decision),
                Err(NotYet) => return (at, ContentStop::NotThere),
            }
        }
    }

    /// Returns the length of the run of bytes that need no decision; of them so many are `valid` content.
    fn run(&self, bytes: &[u8], mask: u8, valid: usize) -> usize {
        if let Some(set) = self.valid.as_ref().filter(|_| valid > 0) {
            let valid = bytes.len().min(valid);
            return set.find(&bytes[..valid]).unwrap_or(valid);
        }
        if let Some(set) = self.tokens.as_ref().filter(|_| mask == TOKEN | MARKER) {
            return set.find(bytes).unwrap_or(bytes.len());
        }
        let class = |byte: u8| self.classes[usize::from(byte)] & mask;
        let blocks =
            bytes.chunks_exact(8).take_while(|block| block.iter().fold(0, |all, &byte| all | class(byte)) == 0).count();
        blocks * 8 + bytes[blocks * 8..].iter().take_while(|&&byte| class(byte) == 0).count()
    }
}

/// Returns how much of a string's content from `from` to `end` is certain without the next bytes: the commas, brackets
/// and white space at its end may not belong to it.
#[inline]
pub(super) fn certain(view: View<'_>, from: usize, end: usize) -> usize {
    let content = &view.rest(from)[..end - from];
    match content.iter().rev().find(|byte| !is_blank(**byte)) {
        Some(byte) if CLASSES[usize::from(*byte)] == WAITS => end - waiting(content.iter().rev()),
        _ => end,
    }
}

/// Returns how many of the next bytes wait for those after them; few calls are nested deeper, or indented more.
pub(super) fn waiting<'b>(bytes: impl Iterator<Item = &'b u8>) -> usize {
    bytes.take(KEY).take_while(|byte| is_blank(**byte) || CLASSES[usize::from(**byte)] == WAITS).count()
}

/// Returns the first character boundary at or after a place.
pub(super) fn clip(view: View<'_>, at: usize) -> usize {
    at + view.rest(at).iter().take_while(|byte| (0x80..0xc0).contains(*byte)).count()
}

impl JsonReader {
    /// Passes the visible content of a string as far as it is strict; false if a byte needs a decision.
    pub(crate) fn pass_plain(&mut self, context: &CallContext<'_>, sink: &mut Sink) -> bool {
        let amid = self.state.expect() == Expect::Text && self.stops.ready && !self.text.key;
        let begins = self.cursor.at() <= self.text.content + DRIVE.len();
        if !amid
            || self.deferred.is_on()
            || begins && may_begin_path(context.view.rest(self.text.content))
            || !context.is_within(self.start)
        {
            return false;
        }
        let (at, end) = (self.cursor.at(), context.view.end());
        if let Some(classes) = self.stops.of_plain(context.view.rest(at), &self.text) {
            self.pass_upto(if classes & WAITS == 0 { end } else { certain(context.view, at, end) }, context, sink);
            return true;
        }
        let decides = |at| {
            let closes = self.text.is_closed_by_token(context.view, at, || context.dialect().quote.as_deref())?;
            Ok(closes || at >= self.text.settled && context.markers().stands(context.view, at)?)
        };
        let (end, next) = self.stops.pass(context.view, at, usize::MAX, &self.text, decides);
        let end = certain(context.view, at, end);
        self.pass_upto(end, context, sink);
        next == ContentStop::NotThere
    }

    /// Emits a string's content up to `end` that is already strict, or data between tokens.
    fn pass_upto(&mut self, end: usize, context: &CallContext<'_>, sink: &mut Sink) {
        let content = context.view.slice(self.cursor.at(), end);
        match content {
            "" => return,
            _ if self.text.quote.is_token() => sink.escaped(end, content),
            _ => sink.arguments(end, content),
        }
        self.cursor.emit_to(end);
    }
}

impl RunningString {
    /// Returns whether the token that ends this string is at `at`; `own` is the dialect's.
    #[inline]
    pub(super) fn is_closed_by_token<'q>(
        &self,
        view: View<'_>,
        at: usize,
        own: impl Fn() -> Option<&'q str>,
    ) -> Result<bool, NotYet> {
        if !self.quote.is_token() {
            return Ok(false);
        }
        self.quote.token(own()).map_or(Ok(false), |token| Ok(token_closer(view, token, at)?.is_some()))
    }

    /// Returns the classes of bytes at which a run of this string stops.
    fn mask(&self) -> u8 {
        let quote = match self.quote {
            Quote::Double => CURLY,
            Quote::Triple(b'"') | Quote::Escaped => 0,
            Quote::Single => SINGLE | CURLY,
            Quote::Triple(_) => SINGLE,
            Quote::Back => BACK,
            Quote::Curly => CURLY,
            Quote::CurlySingle => SINGLE | CURLY,
            Quote::Token | Quote::Leaked(_) => return TOKEN | MARKER,
            Quote::Entity => ENTITY,
        };
        quote | ALWAYS | MARKER
    }

    /// Returns the length of the escape that is first, if it is one of JSON's own for certain.
    fn escape(&self, rest: &[u8]) -> Escape {
        if self.raw || self.quote == Quote::Escaped {
            return Escape::Other;
        }
        match rest {
            [_, b'"' | b'/' | b'b' | b'f' | b'n' | b'r' | b't', ..] => Escape::Own(2),
            [_, b'\\', next, ..] if *next != b'"' => Escape::Own(2),
            [_, b'u', a, b, c, d, ..] if [a, b, c, d].iter().all(|digit| digit.is_ascii_hexdigit()) => Escape::Own(6),
            [_] | [_, b'\\'] | [_, b'u'] | [_, b'u', _] | [_, b'u', _, _] | [_, b'u', _, _, _] => Escape::Half,
            _ => Escape::Other,
        }
    }
}

/// The meaning of a backslash.
enum Escape {
    /// One of JSON's own, of this length.
    Own(usize),
    /// It is not there yet.
    Half,
    Other,
}
