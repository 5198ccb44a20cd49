//! Strings: runs of plain bytes at full speed, then the one byte that needs a decision.

use super::follow::Follow;
use super::look::{Ahead, Quote};
use super::reader::{Need, Reader, Turn};
use super::write::write_escaped;
use super::{End, Ended, Place};
use crate::diagnostic::Code;
use crate::view::NotYet;

/// The running string.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) quote: Quote,
    pub(super) key: bool,
    /// Backslashes are data.
    pub(super) raw: bool,
    /// Where it began, prefix and quote included.
    pub(super) from: usize,
    /// An inner quote was found in it.
    pub(super) dirty: bool,
    /// Its strict form is not the source byte for byte.
    pub(super) changed: bool,
    /// A raw control character was reported.
    control: bool,
    /// Markers before this position are data.
    pub(super) settled: usize,
    /// Quotes of the other kind before this position are data.
    twins: usize,
    /// No quote before this position can close the string.
    unclosable: usize,
    /// Bytes before this position have been looked at for the string's end.
    pub(super) tried: usize,
    /// Bytes before this position are valid content: no quote, escape or control character there needs a decision.
    pub(super) valid: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self::new(Quote::Double, false, false, 0)
    }
}

impl Text {
    pub(super) fn new(quote: Quote, key: bool, raw: bool, from: usize) -> Self {
        Self {
            quote,
            key,
            raw: raw || quote.is_token(),
            from,
            dirty: false,
            changed: quote != Quote::Double,
            control: false,
            settled: 0,
            twins: 0,
            unclosable: 0,
            tried: 0,
            valid: 0,
        }
    }
}

impl Turn<'_> {
    /// Starts a string whose first byte of content is at `content`.
    pub(super) fn text_start(&mut self, text: Text, content: usize) {
        self.reader.at = content;
        self.reader.need = Need::Text;
        self.reader.escaped.get_or_insert(false);
        self.reader.text = text;
        self.put("\"");
    }

    pub(super) fn text(&mut self) -> Result<Option<End>, NotYet> {
        let at = self.reader.at;
        if let Some(end) = self.pass_string() {
            self.pass(end);
            return self.text_end(end + 1);
        }
        self.reader.stops.prepare(self.context, at < self.reader.text.valid);
        let end = self.plain_end();
        if end > at {
            self.pass(end);
            return Ok(None);
        }
        let Some(byte) = self.view.byte(at)? else { return self.cut() };
        if let Some(length) = self.look().closer(self.reader.text.quote, at)? {
            return self.quote(at + length);
        }
        match byte {
            _ if self.twin_ends(at)? => self.twin(),
            _ if self.is_doubtful(byte, at)? => self.doubt(),
            b'\\' => self.backslash(),
            b'&' if self.reader.text.quote == Quote::Entity => self.entity(),
            0..0x20 => self.control(),
            _ => {
                self.pass_char();
                Ok(None)
            }
        }
    }

    /// Returns the end of the visible content that passes as it stands.
    fn plain_end(&self) -> usize {
        let Reader { at, text, stops, .. } = &*self.reader;
        let decides = |at| {
            let closes = text.is_closed_by_token(self.view, at, || self.context.quote)?;
            Ok(closes || at >= text.settled && self.context.markers.doubt(self.view, at)?)
        };
        stops.pass(self.view, *at, self.limit(), text, decides).0
    }

    /// Emits content up to `end` that is strict already, or data between tokens.
    fn pass(&mut self, end: usize) {
        if self.reader.text.quote.is_token() {
            return self.put_plain(end);
        }
        if self.reader.text.key && self.wants_key() {
            let source = self.view.slice(self.reader.at, end);
            self.reader.key.push_str(source);
        }
        self.put_source(end);
    }

    fn pass_char(&mut self) {
        let at = self.reader.at;
        let rest = self.view.rest(at);
        let length = 1 + rest.iter().skip(1).take_while(|byte| (0x80..0xc0).contains(*byte)).count();
        self.put_plain(at + length);
    }

    /// Emits content up to `end` that may need escapes.
    pub(super) fn put_plain(&mut self, end: usize) {
        let source = self.view.slice(self.reader.at, end);
        if !self.reader.text.key && !self.reader.hold.is_on() {
            return self.put_escaped(end);
        }
        let mut json = std::mem::take(&mut self.reader.scratch);
        json.clear();
        write_escaped(source, &mut json);
        self.reader.text.changed |= json.len() > source.len();
        self.reader.at = end;
        self.put_text(&json);
        self.reader.scratch = json;
    }

    /// Emits strict content of the running string.
    pub(super) fn put_text(&mut self, json: &str) {
        if self.reader.text.key && self.wants_key() {
            self.reader.key.push_str(json);
        }
        self.put(json);
    }

    /// Decides about a quote of the string's own kind that ends at `end`.
    fn quote(&mut self, end: usize) -> Result<Option<End>, NotYet> {
        let at = self.reader.at;
        match self.follow(end)? {
            Follow::Closes => self.text_end(end),
            Follow::Inner => self.repaired(
                Code::InnerQuote,
                at..end,
                "a quote that cannot end the string was read as part of it",
                |turn| {
                    turn.reader.text.dirty = true;
                    turn.put_plain(end);
                },
            ),
            Follow::Joins(next) => {
                let Some((quote, length)) = self.look().opens(next)? else { return self.ended(Ended::Broken) };
                self.repaired(Code::Concatenation, end..next, "two strings in a row were joined", |turn| {
                    turn.reader.at = next + length;
                    turn.reader.text.quote = quote;
                    turn.reader.text.raw = turn.reader.text.quote.is_token();
                })
            }
        }
    }

    /// Says whether a quote of the other kind at `at` ends the string: it could, and the next quote of its own kind not.
    fn twin_ends(&mut self, at: usize) -> Result<bool, NotYet> {
        let quote = self.reader.text.quote;
        let Some(length) = self.look().twin(quote, at)?.filter(|_| at >= self.reader.text.twins) else {
            return Ok(false);
        };
        if self.follow(at + length)? != Follow::Closes {
            return Ok(false);
        }
        let (own, mut closes) = self.next_quote(at + length)?;
        if closes && self.reader.text.key {
            let end = own + self.look().closer(quote, own)?.unwrap_or(1);
            closes = matches!(self.view.byte(self.look().gap(end)?)?, Some(b':' | b'='));
        }
        if closes {
            self.reader.text.twins = own;
        }
        Ok(!closes)
    }

    fn twin(&mut self) -> Result<Option<End>, NotYet> {
        let at = self.reader.at;
        let length = self.look().twin(self.reader.text.quote, at)?.unwrap_or(1);
        let message = "a string was ended by another kind of quote than began it";
        if !self.admit(Code::TypographicQuotes, at..at + length, message) {
            return self.ended(Ended::Broken);
        }
        self.text_end(at + length)
    }

    fn text_end(&mut self, end: usize) -> Result<Option<End>, NotYet> {
        self.reader.at = end;
        self.put("\"");
        if self.reader.text.key {
            self.key_end(self.reader.text.from..end);
            return Ok(None);
        }
        self.value_end()
    }

    /// Reported once: a file's contents have one on every line.
    fn control(&mut self) -> Result<Option<End>, NotYet> {
        let at = self.reader.at;
        let text = &mut self.reader.text;
        let allowed = text.quote.is_token() || matches!(text.quote, Quote::Triple(_) | Quote::Back);
        let known = std::mem::replace(&mut text.control, true);
        if !known
            && !allowed
            && !self.admit(Code::RawControl, at..at + 1, "a raw control character in a string was escaped")
        {
            return self.ended(Ended::Broken);
        }
        self.put_plain(at + 1);
        Ok(None)
    }

    fn is_doubtful(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        let markers = self.context.markers;
        Ok(at >= self.reader.text.settled && markers.may_begin(byte) && markers.doubt(self.view, at)?)
    }

    /// Settles whether a marker inside the string is data, or the string ended before it.
    fn doubt(&mut self) -> Result<Option<End>, NotYet> {
        let at = self.reader.at;
        let mut unclosable = self.reader.text.unclosable;
        if at >= unclosable {
            let (quote, closes) = self.next_quote(at)?;
            if closes {
                self.reader.text.settled = quote;
                return Ok(None);
            }
            unclosable = quote;
        }
        if self.context.markers.ends_string(self.view, at)? {
            return self.unterminated();
        }
        let settled = self.markers_end()?;
        self.reader.text.unclosable = unclosable;
        self.reader.text.settled = settled;
        Ok(None)
    }

    /// Finds the next quote from `at` on that could close the string, or the input's end; says whether it does.
    fn next_quote(&self, mut at: usize) -> Result<(usize, bool), NotYet> {
        let text = &self.reader.text;
        loop {
            at = self.look().skip_plain(text.quote, at, usize::MAX);
            let Some(byte) = self.view.byte(at)? else { return Ok((at, false)) };
            if let Some(length) = self.look().closer(text.quote, at)? {
                return Ok((at, self.follow(at + length)? != Follow::Inner));
            } else if byte == b'\\' && !text.raw {
                at += self.look().escape(text.quote, at)?;
            } else {
                at += 1;
            }
        }
    }

    /// Returns the end of the markers in a row that were asked about with the one at hand.
    fn markers_end(&self) -> Result<usize, NotYet> {
        let mut end = self.reader.at;
        let mut at = end;
        while let Some(after) = self.context.markers.stop(self.view, at)?.filter(|after| *after > at) {
            end = after;
            at = self.view.skip_blanks(after)?;
        }
        Ok(end.max(self.reader.at + 1))
    }

    fn unterminated(&mut self) -> Result<Option<End>, NotYet> {
        let at = self.reader.at;
        let from = self.reader.text.from;
        if self.admit(
            Code::UnterminatedString,
            from..at,
            "a string without its closing quote was ended before a marker",
        ) {
            self.ended(Ended::Cut)
        } else {
            self.ended(Ended::Broken)
        }
    }

    /// Says whether the escapes of Python hold in the running string.
    pub(super) fn is_python(&self) -> bool {
        self.reader.place == Place::Keyword || !matches!(self.reader.text.quote, Quote::Double | Quote::Escaped)
    }

    /// Looks for a string with a Python prefix at `at`: the end of the prefix, and whether it means raw.
    pub(super) fn prefix(&self, at: usize) -> Result<Option<(usize, bool)>, NotYet> {
        let first = self.view.byte(at)?.map(|byte| byte.to_ascii_lowercase());
        if !matches!(first, Some(b'r' | b'b' | b'f' | b'u')) {
            return Ok(None);
        }
        let Ahead::Found(end) = self.look().word(at)? else { return Ok(None) };
        let word = self.view.slice(at, end).to_ascii_lowercase();
        let fits = matches!(word.as_str(), "r" | "b" | "f" | "u" | "rb" | "br" | "fr" | "rf");
        let quoted = matches!(self.view.byte(end)?, Some(b'"' | b'\''));
        Ok((fits && quoted).then(|| (end, word.contains('r'))))
    }
}
