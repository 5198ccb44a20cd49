//! Backslashes in strings.

use super::follow::Follow;
use super::look::Ahead;
use super::quote::Quote;
use super::reader::{DRIVE, ReaderStep};
use super::value::LINE;
use super::write::write_escaped;
use super::{Ended, ValueOutcome};
use crate::diagnostic::Code;
use crate::view::NotYet;

/// Returns whether each quote in a string's content has two backslashes before it.
fn are_escaped_twice(content: &str) -> bool {
    let bytes = content.as_bytes();
    let backslashes = |at: usize| bytes[..at].iter().rev().take_while(|byte| **byte == b'\\').count();
    memchr::memchr_iter(b'"', bytes).all(|at| backslashes(at) == 2)
}

/// Returns whether a backslash in a string's content is not a valid escape.
fn has_invalid_escape(content: &str) -> bool {
    let mut bytes = content.bytes();
    while bytes.by_ref().any(|byte| byte == b'\\') {
        if bytes
            .next()
            .is_some_and(|next| !matches!(next, b'"' | b'\'' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u'))
        {
            return true;
        }
    }
    false
}

impl ReaderStep<'_> {
    /// Reads the escape at the reader's place.
    pub(super) fn backslash(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        if self.reader.text.quote.is_token() {
            self.put_plain(at + 1);
            return Ok(None);
        }
        let Some(next) = self.view.byte(at + 1)? else { return self.cut() };
        if self.reader.text.raw {
            // In a raw string a backslash is data; before a quote it still keeps the string open.
            self.put_plain(at + if matches!(next, b'"' | b'\'') { 2 } else { 1 });
            return Ok(None);
        }
        if self.reader.text.quote == Quote::Escaped {
            return self.escaped_backslash(next);
        }
        if self.reader.text.quote == Quote::Entity
            && let Some(length) = self.look().closer(Quote::Entity, at + 1)?
        {
            self.take_escape(1 + length, Some("\\\""));
            return Ok(None);
        }
        match next {
            b'\\' if self.is_doubtful_escape()? => self.decide_escape(),
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.take_escape(2, None);
                Ok(None)
            }
            b'u' => self.hex_escape(4, false),
            b'x' if self.is_python() => self.hex_escape(2, true),
            b'U' if self.is_python() => self.hex_escape(8, true),
            b'\n' if self.is_python() => {
                self.take_escape(2, Some(""));
                Ok(None)
            }
            b'_' if self.context.markers.is_markdown() => {
                self.take_escape(2, Some("_"));
                Ok(None)
            }
            _ => Ok(self.other_escape(next)),
        }
    }

    /// Returns the first backslash of a string that begins like a Windows path, if the reader has not passed it.
    pub(super) fn drive(&self) -> Option<usize> {
        let text = &self.reader.text;
        let root = text.content + DRIVE.len();
        let fits = |head: &[u8]| matches!(head, [drive, b':', b'\\', ..] if drive.is_ascii_alphabetic());
        (!text.key && !text.raw && self.at() <= root && fits(self.view.rest(text.content))).then_some(root)
    }

    /// Returns whether a backslash of the path is not a valid escape: then none of them is an escape.
    pub(super) fn is_raw_path(&self, root: usize) -> Result<bool, NotYet> {
        if self.view.byte(root + 1)? == Some(b'\\') {
            return Ok(false);
        }
        // Windows takes longer paths, people and models do not write them.
        let Ahead::Found(end) = self.look().string(self.reader.text.quote, root, LINE)? else { return Ok(false) };
        Ok(has_invalid_escape(self.view.slice(root, end)))
    }

    /// Returns whether two backslashes precede a quote that cannot end the string.
    fn is_doubtful_escape(&self) -> Result<bool, NotYet> {
        let text = &self.reader.text;
        let at = self.at();
        let quote = text.quote == Quote::Double && self.view.byte(at + 2)? == Some(b'"');
        Ok(quote && !text.key && text.end.is_none() && self.follow(at + 3)? == Follow::Inner)
    }

    /// If each quote of the string has two backslashes before it, it may be escaped once too often, or be bare after a
    /// backslash of the text.
    fn decide_escape(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let ended = self.decide_end()?;
        if let Some(end) = self.reader.text.end {
            if are_escaped_twice(self.view.slice(self.visible(), end)) {
                self.reader.text.end = None;
                return self.give_up(None, end);
            }
            self.note_inner_quotes();
        }
        Ok(ended)
    }

    /// In a value that was escaped once too often, two backslashes are one.
    fn escaped_backslash(&mut self, next: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        if next == b'u' {
            return self.hex_escape(4, false);
        }
        let mut escaped = next;
        let mut length = 2;
        if next == b'\\' {
            length = self.look().escape(Quote::Escaped, at)?;
            let Some(last) = self.view.byte(at + length - 1)? else { return self.cut() };
            escaped = last;
        }
        match escaped {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {
                self.take_escape(length, Some(&format!("\\{}", char::from(escaped))));
                Ok(None)
            }
            b'u' if length == 3 && self.hex(at + 3, 4)?.is_some() => {
                self.take_escape(3, Some("\\u"));
                Ok(None)
            }
            _ => {
                let message = "read a backslash that escapes nothing as a backslash";
                Ok(self.repaired(Code::InvalidEscape, at..at + 1, message, |turn| {
                    turn.take_escape(if next == b'\\' { 2 } else { 1 }, Some("\\\\"));
                }))
            }
        }
    }

    /// Emits an escape of `length` bytes unchanged, or as another character.
    fn take_escape(&mut self, length: usize, json: Option<&str>) {
        let at = self.at();
        let source = self.view.slice(at, at + length);
        self.reader.text.changed |= json.is_some();
        self.skip_to(self.at() + length);
        self.put_text(json.unwrap_or(source));
    }

    /// `\u00e9` stays unchanged; the escapes of Python are decoded.
    fn hex_escape(&mut self, digits: usize, decode: bool) -> Result<Option<ValueOutcome>, NotYet> {
        let from = self.at() + 2;
        let Some(value) = self.hex(from, digits)? else {
            let ends = self.view.peek(from, digits).iter().all(u8::is_ascii_hexdigit);
            return if ends { self.cut() } else { Ok(self.invalid()) };
        };
        if !decode {
            self.take_escape(2 + digits, None);
            return Ok(None);
        }
        let Some(char) = char::from_u32(value) else { return Ok(self.invalid()) };
        let mut json = String::new();
        write_escaped(char.encode_utf8(&mut [0; 4]), &mut json);
        self.take_escape(2 + digits, Some(&json));
        Ok(None)
    }

    /// Returns the value of hexadecimal digits; `None` if another byte is among them, or the input ends.
    fn hex(&self, from: usize, digits: usize) -> Result<Option<u32>, NotYet> {
        let mut value = 0;
        for at in from..from + digits {
            let digit = self.view.byte(at)?.and_then(|byte| char::from(byte).to_digit(16));
            let Some(digit) = digit else { return Ok(None) };
            value = value << 4 | digit;
        }
        Ok(Some(value))
    }

    /// `\'` is a quote; before anything else the backslash is data.
    fn other_escape(&mut self, next: u8) -> Option<ValueOutcome> {
        let own = match self.reader.text.quote {
            Quote::Single | Quote::Triple(_) => next == b'\'',
            Quote::Back => matches!(next, b'`' | b'$'),
            _ => false,
        };
        if !own && next != b'\'' {
            return self.invalid();
        }
        let at = self.at();
        if !own && !self.admit(Code::InvalidEscape, at..at + 2, "read the escape `\\'` as `'`") {
            return self.ended(Ended::Broken);
        }
        self.skip_to(self.at() + 1);
        self.reader.text.changed = true;
        self.put_plain(at + 2);
        None
    }

    fn invalid(&mut self) -> Option<ValueOutcome> {
        let at = self.at();
        let message = "read a backslash that escapes nothing as a backslash";
        self.repaired(Code::InvalidEscape, at..at + 1, message, |turn| turn.put_plain(at + 1))
    }
}
