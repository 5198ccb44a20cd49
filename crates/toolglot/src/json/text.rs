//! Strings: runs of plain bytes on the fast path, then the one byte that needs a decision.

use super::follow::Follow;
use super::look::Ahead;
use super::quote::Quote;
use super::reader::{JsonReader, ReaderStep};
use super::state::{Bracket, Token};
use super::stops::{certain, clip};
use super::{Ended, InnerCall, ValueOutcome, ValuePosition};
use crate::diagnostic::Code;
use crate::view::NotYet;

/// The current string.
#[derive(Clone, Debug, Default)]
pub(super) struct RunningString {
    pub(super) quote: Quote,
    pub(super) key: bool,
    /// Backslashes are data.
    pub(super) raw: bool,
    /// Its start, prefix and quote included.
    pub(super) from: usize,
    /// Where its content began.
    pub(super) content: usize,
    /// The quote that ends it, if it was determined together with the ends of the later strings.
    pub(super) end: Option<usize>,
    /// Its strict form differs from the source.
    pub(super) changed: bool,
    /// A raw control character has been reported.
    control: bool,
    /// It contains an unescaped quote: adjacent strings may be code of the value.
    pub(super) inner: bool,
    /// Markers before this position are data.
    pub(super) settled: usize,
    /// No opener before this position begins a call that the string quotes.
    pub(super) unquoted: usize,
    /// Quotes of the other kind before this position are data.
    twins: usize,
    /// Bytes before this position have been searched for the string's end.
    pub(super) tried: usize,
    /// Bytes before this position are valid content: no quote, escape or control character there needs a decision.
    pub(super) valid: usize,
}

impl RunningString {
    pub(super) fn new(quote: Quote, key: bool, raw: bool, from: usize) -> Self {
        let (raw, changed) = (raw || quote.is_token(), quote != Quote::Double);
        Self { quote, key, raw, from, content: from, changed, ..Self::default() }
    }
}

/// Longer valid content is searched for stops: preparing the search costs as much as examining this
/// many bytes.
const SEARCHED: usize = 256;

impl ReaderStep<'_> {
    /// Starts a string whose first byte of content is at `content`.
    pub(super) fn text_start(&mut self, text: RunningString, content: usize) {
        self.skip_to(content);
        self.reader.state.step(Token::Quote);
        self.reader.escaped.get_or_insert(false);
        // The fast path may have looked through it.
        let RunningString { content: seen, tried, valid, .. } = self.reader.text;
        self.reader.text = RunningString { content, ..text };
        if seen == content && text.quote == Quote::Double && !text.raw {
            let valid = if self.drive().is_some() { 0 } else { valid };
            (self.reader.text.tried, self.reader.text.valid) = (tried, valid);
        }
        self.planned();
        self.put("\"");
    }

    pub(super) fn text(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        if self.reader.text.end == Some(at) {
            return self.planned_end();
        }
        if let Some(end) = self.pass_string() {
            self.pass(end);
            return Ok(self.text_end(end + 1));
        }
        match self.drive() {
            Some(root) if at < root => {
                self.pass(root);
                return Ok(None);
            }
            Some(root) if self.is_raw_path(root)? => {
                let message = "read the backslashes of a Windows path as backslashes";
                return Ok(self.repaired(Code::InvalidEscape, root..root + 1, message, |turn| {
                    (turn.reader.text.raw, turn.reader.text.valid) = (true, at);
                }));
            }
            _ => {}
        }
        self.reader.stops.prepare(self.context, self.reader.text.valid > at + SEARCHED);
        let end = self.plain_end();
        if end > at {
            self.pass(end);
            return Ok(None);
        }
        let Some(byte) = self.view.byte(at)? else { return self.cut() };
        if let Some(length) = self.look().closer(self.reader.text.quote, at)? {
            return self.quote(at + length);
        }
        let markers = self.context.markers;
        match byte {
            _ if self.twin_ends(at)? => {
                let end = at + self.look().twin(self.reader.text.quote, at)?.unwrap_or(1);
                Ok(self.end_with(end, Code::TypographicQuotes, "string closed by a different quote than opened it"))
            }
            _ if at >= self.reader.text.settled && markers.may_begin(byte) && markers.interrupts(self.view, at)? => {
                self.marker()
            }
            b'\\' => self.backslash(),
            b'&' if self.reader.text.quote == Quote::Entity => self.entity(),
            0..0x20 => Ok(self.control()),
            b',' | b'}' | b']' if self.ends_unclosed()? => {
                Ok(self.end_with(at, Code::MissingQuote, "read a string whose last quote is missing"))
            }
            _ => {
                self.put_plain(clip(self.view, at + 1));
                Ok(None)
            }
        }
    }

    /// Returns the end of the visible content that passes unchanged.
    fn plain_end(&self) -> usize {
        if self.context.options.careful {
            return self.at();
        }
        let JsonReader { text, stops, .. } = &*self.reader;
        let decides = |at| {
            let closes = text.is_closed_by_token(self.view, at, || self.context.quote)?;
            Ok(closes || at >= text.settled && self.context.markers.interrupts(self.view, at)?)
        };
        let end = stops.pass(self.view, self.at(), self.limit(), text, decides).0;
        certain(self.view, self.at(), end)
    }

    /// Emits content up to `end` that is already strict, or data between tokens.
    fn pass(&mut self, end: usize) {
        if self.reader.text.quote.is_token() {
            return self.put_plain(end);
        }
        if self.reader.text.key && self.wants_key() {
            let source = self.view.slice(self.at(), end);
            self.reader.key.push_str(source);
        }
        self.put_source(end);
    }

    /// Emits strict content of the current string.
    pub(super) fn put_text(&mut self, json: &str) {
        if self.reader.text.key && self.wants_key() {
            self.reader.key.push_str(json);
        }
        self.put(json);
    }

    /// Decides about a quote of the string's own kind that ends at `end`.
    fn quote(&mut self, end: usize) -> Result<Option<ValueOutcome>, NotYet> {
        if self.reader.text.end.is_some() {
            self.put_plain(end);
            return Ok(None);
        }
        let at = self.at();
        match self.follow(end)? {
            Follow::Closes => Ok(self.text_end(end)),
            Follow::Perhaps => self.perhaps(end, None),
            Follow::Inner => {
                let ended = self.decide_end()?;
                if ended.is_none() && self.reader.text.end != Some(self.at()) {
                    self.note_inner_quotes();
                }
                Ok(ended)
            }
            Follow::Joins(next) if self.reader.place == ValuePosition::Keyword && !self.reader.text.inner => {
                self.join(end, next)
            }
            Follow::Joins(next)
                if !self.view.slice(self.visible(), at).contains(['"', '\'']) && self.ends_plainly(next)? =>
            {
                // After a plus, or in Python's spelling; two of JSON's own strings in a call may as well be one with quotes inside.
                let text = &self.reader.text;
                let json = text.quote == Quote::Double && !text.raw && self.view.byte(next)? == Some(b'"');
                let call = json && self.is_marked() && self.parent() != Some(Bracket::Group);
                let joint = !call || self.look().joint(end)?.1;
                if joint { self.join(end, next) } else { self.give_up(None, end) }
            }
            Follow::Joins(next) => self.perhaps(end, Some(next)),
        }
    }

    /// Continues with the string that is joined to this one, which ends at `end`.
    pub(super) fn join(&mut self, end: usize, next: usize) -> Result<Option<ValueOutcome>, NotYet> {
        let Some((quote, length)) = self.look().opens(next)? else { return Ok(self.ended(Ended::Broken)) };
        Ok(self.repaired(Code::Concatenation, end..next, "joined two adjacent strings", |turn| {
            turn.skip_to(next + length);
            turn.reader.text.content = next + length;
            turn.reader.text.quote = quote;
            turn.reader.text.raw = turn.reader.text.quote.is_token();
            turn.planned();
        }))
    }

    /// Returns whether a quote of the other kind at `at` ends the string: it can, and the next quote of its own kind cannot.
    fn twin_ends(&mut self, at: usize) -> Result<bool, NotYet> {
        let quote = self.reader.text.quote;
        let open = at >= self.reader.text.twins && self.reader.text.end.is_none();
        let Some(length) = self.look().twin(quote, at)?.filter(|_| open) else {
            return Ok(false);
        };
        if !matches!(self.follow(at + length)?, Follow::Closes | Follow::Perhaps) {
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

    /// Ends the string before `end`, although its own quote is not there.
    fn end_with(&mut self, end: usize, code: Code, message: &str) -> Option<ValueOutcome> {
        let at = self.at();
        if self.admit(code, at..end, message) { self.text_end(end) } else { self.ended(Ended::Broken) }
    }

    pub(super) fn text_end(&mut self, end: usize) -> Option<ValueOutcome> {
        self.skip_to(end);
        self.put("\"");
        if self.reader.text.key {
            self.key_end(self.reader.text.from..end);
            return None;
        }
        self.value_end()
    }

    /// Reported once: a file's contents have one on every line.
    fn control(&mut self) -> Option<ValueOutcome> {
        let at = self.at();
        let text = &mut self.reader.text;
        let allowed = text.quote.is_token() || matches!(text.quote, Quote::Triple(_) | Quote::Back);
        let known = std::mem::replace(&mut text.control, true);
        if !known
            && !allowed
            && !self.admit(Code::RawControl, at..at + 1, "escaped a raw control character in a string")
        {
            return self.ended(Ended::Broken);
        }
        self.put_plain(at + 1);
        None
    }

    /// Decides whether a marker inside the string is data, or the string ended before it.
    fn marker(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        match self.inner_call()? {
            InnerCall::Data => {}
            InnerCall::Alone => return Ok(self.ended(Ended::Broken)),
            InnerCall::Quoted(end) => {
                self.put_plain(end);
                return Ok(None);
            }
        }
        let (quote, closes) = self.next_quote(self.at())?;
        if self.reader.text.quote.is_token()
            && let Some(opener) = self.opener_before(quote)?
        {
            // A token that nothing may follow opens a string of the next call: this one was never closed.
            let after = self.look().closer(self.reader.text.quote, quote)?.map_or(quote, |length| quote + length);
            if !closes || !self.may_follow(after)? {
                self.put_plain(opener);
                return Ok(self.ended(Ended::Broken));
            }
        }
        if closes {
            self.reader.text.settled = quote;
            return Ok(None);
        }
        // Without its own token, a string does not continue after what closes the call.
        let (view, at) = (self.view, self.at());
        if self.reader.text.quote.is_token()
            && view.byte(quote)?.is_none()
            && self.context.markers.stop(view, at)?.is_some()
        {
            return Ok(self.ended(Ended::Broken));
        }
        let ended = self.decide_end()?;
        let RunningString { quote, end, .. } = self.reader.text;
        if end.is_some_and(|end| self.look().closer(quote, end).is_ok_and(|end| end.is_some())) {
            self.note_inner_quotes();
        }
        Ok(ended)
    }

    /// Returns the first opener of a call from the reader's position on and before `end`.
    fn opener_before(&self, end: usize) -> Result<Option<usize>, NotYet> {
        let markers = self.context.markers;
        for at in self.at()..end {
            if self.view.byte(at)?.is_some_and(|byte| markers.may_begin(byte))
                && markers.opens(self.view, at)?.is_some()
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Returns whether the text after a string that ends at `end` may follow a string.
    fn may_follow(&self, end: usize) -> Result<bool, NotYet> {
        let next = self.look().gap(end)?;
        let Some(byte) = self.view.byte(next)? else { return Ok(true) };
        match self.parent() {
            Some(_) if self.is_open(byte) => Ok(true),
            Some(Bracket::Object) => Ok(byte == b',' && self.item_ahead(Bracket::Object, next + 1)?),
            Some(_) => Ok(byte == b','),
            None => Ok(true),
        }
    }

    /// Finds the next quote from `at` on that could close the string, or the input's end; returns also whether it does.
    pub(super) fn next_quote(&self, mut at: usize) -> Result<(usize, bool), NotYet> {
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

    /// Returns whether the current string has Python's escapes.
    pub(super) fn is_python(&self) -> bool {
        self.reader.place == ValuePosition::Keyword || !matches!(self.reader.text.quote, Quote::Double | Quote::Escaped)
    }

    /// Looks for a string with a Python prefix at `at`; returns the end of the prefix, and whether it means raw.
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
