//! The fast path for valid JSON: a tight loop over bytes that need no decision, up to the first one that does.
//!
//! It passes only what the careful reader would pass byte for byte: each token is valid, and a string
//! passes only if it is followed by what may follow a valid string. Everything else is left to the careful reader,
//! which begins where the last certain token ended.

use std::ops::Range;

use super::ValuePosition;
use super::code;
use super::follow::Follow;
use super::quote::Quote;
use super::reader::{ReaderStep, may_begin_path};
use super::scalar::{is_number, is_token};
use super::state::{Bracket, Expect, OpenBracket, Token};
use super::write::clean_run;
use crate::diagnostic::Code;
use crate::view::is_blank;

impl ReaderStep<'_> {
    /// Passes the valid JSON at the reader's position if no schema applies; false if there is none.
    pub(super) fn pass_valid(&mut self, byte: u8) -> bool {
        let reader = &self.reader;
        let expect = reader.state.expect();
        let opens = expect == Expect::Member && matches!(byte, b'{' | b'[');
        let may_pass = matches!(expect, Expect::Key | Expect::Member | Expect::Element | Expect::After);
        // Where the ends of strings are known already, each string takes one.
        let usual = reader.ends.is_empty() && !reader.cursor.holds_comma() && reader.escaped != Some(true);
        let usual = usual && !self.context.options.careful;
        if !may_pass || !usual || self.context.quote.is_some() || self.sink.allows(Code::BareString) {
            return false;
        }
        let parameters = self.is_among_parameters();
        let untyped = expect != Expect::Member || reader.node.is_none();
        if !parameters && !(untyped && !reader.deferred.is_on() && (opens || self.is_free())) {
            return false;
        }
        let (from, limit) = (reader.cursor.at(), self.limit());
        let mut pass = FastPass::new(self.view.peek(from, limit - from));
        while if parameters { self.pass_parameter(&mut pass) } else { self.pass_token(&mut pass) }.is_some() {}
        if pass.sure == 0 {
            return false;
        }
        if !parameters || self.reader.state.expect() != Expect::Member {
            self.reader.node = None;
        }
        if pass.strings {
            self.reader.escaped = Some(false);
        }
        self.put_source(from + pass.sure);
        true
    }

    /// Returns whether the contents of the innermost bracket are of no interest to a schema.
    fn is_free(&self) -> bool {
        let plain = |frame: &OpenBracket| {
            let json = matches!(frame.bracket, Bracket::Object | Bracket::Array);
            json && frame.node.is_none() && !frame.doubled && !frame.wrapped
        };
        let parameters = self.reader.place == ValuePosition::Arguments && self.reader.state.depth() == 1;
        !parameters && self.reader.state.innermost().is_some_and(plain)
    }

    /// Passes the next token; `None` if the careful reader has to continue.
    fn pass_token(&mut self, pass: &mut FastPass<'_>) -> Option<()> {
        let byte = pass.token()?;
        match (self.reader.state.expect(), byte) {
            (Expect::After | Expect::Key, b'}') => self.pass_closer(pass, Bracket::Object),
            (Expect::After | Expect::Element, b']') => self.pass_closer(pass, Bracket::Array),
            (Expect::Key, _) => self.pass_key(pass, false),
            (Expect::After, b',') => {
                pass.at += 1;
                match self.parent()? {
                    Bracket::Object => self.pass_key(pass, true),
                    _ => self.pass_value(pass),
                }
            }
            (Expect::After, _) => None,
            _ => self.pass_value(pass),
        }
    }

    fn pass_closer(&mut self, pass: &mut FastPass<'_>, bracket: Bracket) -> Option<()> {
        if self.parent() != Some(bracket) || self.reader.state.depth() == 1 {
            return None;
        }
        self.reader.state.step(Token::Close);
        pass.settle(pass.at + 1);
        self.is_free().then_some(())
    }

    /// Passes a key with its colon.
    fn pass_key(&mut self, pass: &mut FastPass<'_>, behind_comma: bool) -> Option<()> {
        let comma = pass.at;
        pass.token()?;
        let key = pass.at;
        pass.string()?;
        if pass.token()? != b':' {
            return None;
        }
        self.reader.state.innermost_mut()?.members += 1;
        let base = self.at();
        (self.reader.key_at, self.reader.colon) = (base + key, base + pass.at + 1);
        if behind_comma {
            self.reader.cursor.note_comma(base + comma - 1);
        }
        self.reader.state.step(Token::Key);
        self.reader.state.step(Token::Colon);
        pass.settle(pass.at + 1);
        Some(())
    }

    fn pass_value(&mut self, pass: &mut FastPass<'_>) -> Option<()> {
        match pass.token()? {
            // In Python it may be a set.
            b'{' if self.reader.place == ValuePosition::Keyword => None,
            b'{' => self.pass_opener(pass, Bracket::Object),
            b'[' if self.context.markers.opens(self.view, self.at() + pass.at) != Ok(None) => None,
            b'[' => self.pass_opener(pass, Bracket::Array),
            b'"' => self.pass_text(pass),
            byte => {
                pass.scalar(byte)?;
                self.pass_begin();
                self.reader.state.step(Token::Value);
                pass.settle(pass.at);
                Some(())
            }
        }
    }

    fn pass_opener(&mut self, pass: &mut FastPass<'_>, bracket: Bracket) -> Option<()> {
        if self.reader.state.depth() >= self.context.options.limits.depth {
            return None;
        }
        self.pass_begin();
        self.reader.state.step(Token::Open(bracket, None));
        pass.settle(pass.at + 1);
        Some(())
    }

    /// Passes a string if something valid follows: also the next key, since only that proves the end.
    fn pass_text(&mut self, pass: &mut FastPass<'_>) -> Option<()> {
        pass.string()?;
        let end = pass.at;
        match (pass.token()?, self.parent()?) {
            (b'}', Bracket::Object) | (b']', Bracket::Array) => {
                self.closes_all(self.at() + pass.at).ok().filter(|closes| *closes)?;
            }
            (b',', Bracket::Object) => {
                pass.at += 1;
                return self.pass_key(pass, true);
            }
            (b',', _) => {
                pass.at += 1;
                if !matches!(pass.token()?, b'"' | b'{' | b'[' | b'-' | b'0'..=b'9') || self.may_join(pass, end) {
                    return None;
                }
            }
            _ => return None,
        }
        self.pass_begin();
        self.reader.state.step(Token::Value);
        pass.settle(end);
        Some(())
    }

    /// Returns whether a string that ends at `end`, with the next item at hand, may join things in code.
    fn may_join(&self, pass: &FastPass<'_>, end: usize) -> bool {
        let (base, end) = (self.at(), self.at() + end);
        if pass.bytes[pass.at] != b'"' || end <= self.reader.plain {
            return false;
        }
        let before = code::before_quote(self.view.slice(self.visible_before(end, base + pass.content), end));
        before.contains('\\') || code::may_be_code(self.look(), before, base + pass.at + 1) != Ok(false)
    }

    /// A value begins, and counts as a member of its array.
    fn pass_begin(&mut self) {
        if let Some(frame) = self.reader.state.innermost_mut().filter(|frame| frame.bracket == Bracket::Array) {
            frame.members += 1;
        }
    }

    /// Keeps what was seen of a string that did not pass, so that it is not examined again.
    pub(super) fn keep_content(&mut self, pass: &FastPass<'_>) {
        if pass.content > pass.sure {
            let (base, text) = (self.at(), &mut self.reader.text);
            (text.content, text.tried, text.valid) = (base + pass.content, base + pass.at + 1, base + pass.valid());
        }
    }

    /// Passes the rest of a string up to the next quote if all of it is valid and that quote ends it.
    ///
    /// Then nothing in it needs a decision: markers and other quotes before such an end are data.
    pub(super) fn pass_string(&mut self) -> Option<usize> {
        let (at, limit, text) = (self.at(), self.limit(), &self.reader.text);
        let usual = text.quote == Quote::Double && !text.raw && at >= text.tried && text.end.is_none();
        if !usual || self.context.options.careful {
            return None;
        }
        let mut pass = FastPass::new(self.view.peek(at, limit - at));
        let closed = pass.content();
        let end = at + pass.at;
        self.reader.text.tried = end + 1;
        // In a path of Windows with a backslash that escapes nothing, none does.
        let valid = if closed.is_none() && self.drive().is_some() { 0 } else { pass.valid() };
        self.reader.text.valid = at + valid;
        closed?;
        let key = self.reader.text.key;
        let ends = self.follow(end + 1) == Ok(Follow::Closes) && (!key || pass.colon_follows());
        ends.then_some(end)
    }
}

/// Returns the length of a string's content in JSON's quotes, if its end is visible and nothing before it needs a decision.
pub(crate) fn plain_content(bytes: &[u8]) -> Option<usize> {
    let mut pass = FastPass::new(bytes);
    (!may_begin_path(bytes)).then_some(())?;
    pass.content()?;
    Some(pass.at)
}

/// The visible bytes and how far they have been passed.
pub(super) struct FastPass<'b> {
    bytes: &'b [u8],
    pub(super) at: usize,
    /// Everything before this is certain, and the reader's state is that of this position.
    sure: usize,
    /// A string was passed.
    strings: bool,
    /// Where the content of the last string begins, and where the last escape is.
    content: usize,
    escape: Range<usize>,
}

impl<'b> FastPass<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, at: 0, sure: 0, strings: false, content: 0, escape: 0..0 }
    }

    /// Skips blanks and returns the byte after them.
    pub(super) fn token(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !is_blank(byte) {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    pub(super) fn settle(&mut self, end: usize) {
        (self.at, self.sure) = (end, end);
    }

    /// Passes a whole string.
    pub(super) fn string(&mut self) -> Option<()> {
        if self.token()? != b'"' {
            return None;
        }
        self.at += 1;
        self.content = self.at;
        self.content()?;
        self.at += 1;
        self.strings = true;
        Some(())
    }

    /// Moves to the quote that ends a string; stops at invalid content.
    fn content(&mut self) -> Option<()> {
        loop {
            self.at += clean_run(self.bytes.get(self.at..)?);
            match *self.bytes.get(self.at)? {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                _ => return None,
            }
        }
    }

    /// Returns the end of the passed content, without an escape at its end, which the next
    /// byte may decide.
    fn valid(&self) -> usize {
        if self.at == self.escape.end { self.escape.start } else { self.at }
    }

    /// Passes an escape.
    fn escape(&mut self) -> Option<()> {
        let start = self.at;
        self.at += match *self.bytes.get(self.at + 1)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 2,
            b'u' if self.bytes.get(self.at + 2..self.at + 6)?.iter().all(u8::is_ascii_hexdigit) => 6,
            _ => return None,
        };
        self.escape = start..self.at;
        Some(())
    }

    /// Returns whether a colon follows the current byte.
    fn colon_follows(&mut self) -> bool {
        self.at += 1;
        self.token() == Some(b':')
    }

    /// Passes a number, boolean or null that nothing is attached to, and returns it.
    pub(super) fn scalar(&mut self, first: u8) -> Option<&'b str> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| !is_token(*byte))?;
        let apart = is_blank(rest[length]) || matches!(rest[length], b',' | b'}' | b']');
        let valid = match first {
            b't' => &rest[..length] == b"true",
            b'f' => &rest[..length] == b"false",
            b'n' => &rest[..length] == b"null",
            _ => is_number(&rest[..length]),
        };
        self.at += length;
        if valid && apart { std::str::from_utf8(&rest[..length]).ok() } else { None }
    }
}
