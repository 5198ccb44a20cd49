//! Keys, colons, commas, and what the schema says about keys.

use std::ops::Range;

use super::follow::Follow;
use super::look::Ahead;
use super::quote::Quote;
use super::reader::ReaderStep;
use super::state::{Bracket, Token};
use super::text::RunningString;
use super::write::{decode, write_string};
use super::{Ended, ValueOutcome, ValuePosition};
use crate::diagnostic::Code;
use crate::schema::{NodeId, Schema};
use crate::view::NotYet;

impl ReaderStep<'_> {
    /// Reads the input where a key or `}` is expected.
    pub(super) fn key(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        match byte {
            b'}' | b']' | b')' => return self.closing(byte),
            b',' => return Ok(self.extra_comma()),
            b'{' => return Ok(self.double_brace()),
            _ => {}
        }
        if let Some((quote, length)) = self.look().opens(at)? {
            return self.quoted_key(quote, length);
        }
        match self.look().word(at)? {
            Ahead::Found(end) => {
                let end = self.look().words(end)?;
                let message = format!("read the unquoted key `{}`", self.view.slice(at, end));
                // Its first quote may be lost.
                let quote = usize::from(self.look().ends_unopened(end)?);
                Ok(self.plain_key(at..end, end + quote, Code::BareKey, &message))
            }
            Ahead::Absent => self.stop_or_broken(),
            Ahead::Ends => self.cut(),
        }
    }

    fn quoted_key(&mut self, quote: Quote, length: usize) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        if let Some(key) = self.look().slipped_key(at)? {
            let message = "read a key with missing or doubled quotes";
            return Ok(self.plain_key(key.start..key.end, key.behind, Code::MissingQuote, message));
        }
        if !self.admit_quote(quote, at..at + length) {
            return Ok(self.ended(Ended::Broken));
        }
        self.key_start();
        self.hold_key(at + length, quote == Quote::Double);
        self.text_start(RunningString::new(quote, true, false, at), at + length);
        Ok(None)
    }

    /// Reads a key that is the whole of a text, and continues at `behind`.
    fn plain_key(&mut self, key: Range<usize>, behind: usize, code: Code, message: &str) -> Option<ValueOutcome> {
        if !self.admit(code, key.clone(), message) {
            return self.ended(Ended::Broken);
        }
        let mut json = String::new();
        write_string(self.view.slice(key.start, key.end), &mut json);
        self.key_start();
        self.hold_key(key.start, false);
        self.reader.bare_keys |= code == Code::BareKey;
        self.reader.key.push_str(&json[1..json.len() - 1]);
        self.skip_to(behind);
        self.put(&json);
        self.key_end(key);
        None
    }

    fn key_start(&mut self) {
        self.reader.key_at = self.at();
        self.member_start();
        self.put_pending();
        self.reader.key.clear();
    }

    /// Returns whether the meaning of the current key matters.
    pub(super) fn wants_key(&self) -> bool {
        self.is_parameter() || self.reader.state.innermost().is_some_and(|frame| frame.node.is_some())
    }

    pub(super) fn is_parameter(&self) -> bool {
        self.reader.place == ValuePosition::Arguments && self.reader.state.depth() == 1
    }

    /// A key is complete: finds the schema of its value.
    pub(super) fn key_end(&mut self, span: Range<usize>) {
        self.reader.state.step(Token::Key);
        self.reader.node = None;
        if !self.wants_key() {
            return;
        }
        let source = std::mem::take(&mut self.reader.key);
        let mut key = decode(&source);
        if let Some(declared) = self.meant(&source, &key) {
            self.sink().diagnose(Code::ParameterNormalised, span.clone(), spelled_otherwise(&key, declared));
            key = declared.into();
        }
        let node = self.property(&key);
        self.note_strayed(&key);
        if self.is_parameter() && !self.hold_wrapper(&key, &span) {
            self.parameter(&key, node.is_some(), span);
        }
        let root = self.context.schema.map(|schema| schema.root().id());
        self.reader.node = if self.holds_wrapper() { root } else { node };
        drop(key);
        self.reader.key = source;
    }

    /// Records a parameter inside an object that does not declare it: perhaps that object was not closed.
    fn note_strayed(&mut self, key: &str) {
        let Some(root) = self.context.schema.map(Schema::root).filter(|_| !self.is_parameter()) else { return };
        let own = self.reader.state.innermost().and_then(|frame| self.node(frame.node));
        let strayed = own.is_some_and(|node| node.is_undeclared(key)) && root.declares(key);
        if strayed && self.reader.place == ValuePosition::Arguments && !self.reader.seen.contains(key) {
            self.sink.note_unasked();
        }
    }

    /// Emits a parameter's key, in the tool's spelling if `key` is another one; returns the tool's.
    fn meant<'k>(&mut self, source: &str, key: &str) -> Option<&'k str>
    where
        Self: 'k,
    {
        if !self.is_parameter() {
            return None;
        }
        let root = self.context.schema.map(Schema::root).filter(|_| self.reader.deferred.is_on());
        let declared = root.and_then(|root| root.meant(key)).filter(|name| !self.reader.seen.contains(name));
        self.release_key(source, declared);
        declared
    }

    pub(super) fn property(&self, key: &str) -> Option<NodeId> {
        let node = self.reader.state.innermost()?.node?;
        Some(self.context.schema?.node(node).property(key)?.id())
    }

    /// Reports a fault in a parameter's name; it is known if a schema governs it.
    pub(super) fn parameter(&mut self, key: &str, is_known: bool, span: Range<usize>) {
        let root = self.context.schema.map(Schema::root);
        self.reader.undeclared = root.is_some_and(|root| root.is_undeclared(key));
        if self.reader.undeclared {
            self.sink.note_unasked();
        }
        let unknown = !is_known && self.context.schema.is_some_and(|schema| schema.root().is_closed());
        if unknown {
            self.sink().diagnose(Code::UnknownParameter, span.clone(), format!("unknown parameter `{key}`"));
        }
        if !self.reader.seen.insert(key) {
            let message = format!("duplicate parameter `{key}`; both are kept, and most JSON readers use the last");
            self.sink().diagnose(Code::DuplicateParameter, span, message);
        }
    }

    /// Returns whether no required parameter is missing.
    pub(super) fn is_whole(&self) -> bool {
        let schema = self.context.schema.filter(|_| self.reader.place == ValuePosition::Arguments);
        schema.is_none_or(|schema| schema.root().required().iter().all(|name| self.reader.seen.contains(name)))
    }

    pub(super) fn missing_parameters(&mut self) {
        let Some(schema) = self.context.schema.filter(|_| self.reader.place == ValuePosition::Arguments) else {
            return;
        };
        let at = self.at();
        for name in schema.root().required() {
            if self.reader.seen.contains(name) {
                continue;
            }
            self.sink().diagnose(Code::MissingParameter, at..at, format!("missing required parameter `{name}`"));
        }
    }

    pub(super) fn colon(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        match byte {
            b':' => {
                self.colon_end(at + 1);
                Ok(None)
            }
            b'=' => {
                let end = at + if self.view.byte(at + 1)? == Some(b'>') { 2 } else { 1 };
                // It is the call's own keyword: the dict around it lacks its brace.
                if self.reader.place == ValuePosition::Keyword && end == at + 1 {
                    return Ok(self.ended(Ended::Broken));
                }
                let message = format!("read `{}` as `:`", self.view.slice(at, end));
                Ok(self.repaired(Code::WrongSeparator, at..end, &message, |turn| turn.colon_end(end)))
            }
            _ if self.look().lacks_colon(at)? => {
                Ok(self.repaired(Code::WrongSeparator, at..at, "inserted a missing colon", |turn| turn.colon_end(at)))
            }
            _ => self.stop_or_broken(),
        }
    }

    fn colon_end(&mut self, end: usize) {
        self.reader.colon = end;
        self.skip_to(end);
        self.reader.state.step(Token::Colon);
        self.put(":");
    }

    /// Reads what follows a member.
    pub(super) fn after(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        // A quote token after a string in other quotes, and nothing that it could open.
        let token = self.context.quote.filter(|_| !self.reader.text.quote.is_token());
        if let Some(token) = token
            && self.view.starts_with(at, token)?
            && self.follow(at + token.len())? == Follow::Closes
        {
            let (end, message) = (at + token.len(), "dropped a quote token after a string in other quotes");
            return Ok(self.repaired(Code::InnerQuote, at..end, message, |turn| turn.skip_to(end)));
        }
        match byte {
            b',' if self.reader.beside && self.is_parameter() && !self.parameter_beside(at)? => Ok(self.pop(at)),
            b'}' | b']' | b')' => self.closing(byte),
            _ if self.parent() == Some(Bracket::Group) => self.stop_or_broken(),
            b',' => {
                self.comma(at + 1);
                Ok(None)
            }
            b';' => Ok(self.repaired(Code::WrongSeparator, at..at + 1, "read `;` as `,`", |turn| turn.comma(at + 1))),
            _ if self.stands_stop(at)? => self.stop_or_broken(),
            _ => self.missing_comma(),
        }
    }

    fn comma(&mut self, end: usize) {
        self.reader.cursor.hold_comma(end);
        self.reader.state.step(Token::Comma);
    }

    fn missing_comma(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let fits = match self.parent() {
            Some(Bracket::Object) if self.reader.text.quote.is_token() => self.own_member_follows(at)?,
            Some(Bracket::Object) => self.look().key(at, usize::MAX)? != Ahead::Absent,
            _ => self.look().value_start(at)?,
        };
        if !fits {
            return Ok(self.ended(Ended::Broken));
        }
        Ok(self.repaired(Code::MissingComma, at..at, "inserted a missing comma", |turn| turn.comma(at)))
    }

    /// Drops a comma that has no member before it.
    pub(super) fn extra_comma(&mut self) -> Option<ValueOutcome> {
        let at = self.at();
        self.repaired(Code::ExtraComma, at..at + 1, "dropped a comma with nothing before it", |turn| {
            turn.skip_to(at + 1)
        })
    }

    /// Reads a prompt template's `{{` as one brace.
    fn double_brace(&mut self) -> Option<ValueOutcome> {
        let at = self.at();
        let fresh = self.reader.state.innermost().is_some_and(|frame| frame.members == 0 && !frame.doubled);
        if !fresh || self.reader.cursor.holds_comma() {
            return self.ended(Ended::Broken);
        }
        self.repaired(Code::DoubleBraces, at..at + 1, "read a doubled brace as one", |turn| {
            turn.skip_to(at + 1);
            if let Some(frame) = turn.reader.state.innermost_mut() {
                frame.doubled = true;
            }
        })
    }
}

/// Returns whether text is a possible key without quotes.
pub(crate) fn is_bare_key(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'-' | b'.') || byte >= 0x80;
    !text.is_empty() && text.bytes().all(fits) && !text.starts_with(['-', '.'])
}

/// Returns the name at the end of a text; the letter of an escape does not belong to it.
pub(crate) fn last_word(text: &str) -> Option<&str> {
    let rest = text.trim_end_matches(|next: char| next.is_alphanumeric() || matches!(next, '_' | '.' | '-'));
    let word = &text[rest.len()..];
    let word = if rest.ends_with('\\') { word.get(1..)? } else { word };
    (!word.is_empty()).then_some(word)
}

/// Returns the message for a parameter whose name is not spelled as declared.
pub(crate) fn spelled_otherwise(key: &str, name: &str) -> String {
    format!("read the parameter `{key}` as `{name}`")
}
