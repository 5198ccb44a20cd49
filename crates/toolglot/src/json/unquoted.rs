//! Values without quotes: scalars, bare strings, and strings without their first quote.

use super::look::Ahead;
use super::quote::Quote;
use super::reader::ReaderStep;
use super::state::Bracket;
use super::value::LINE;
use super::{Ended, ValueOutcome, ValuePosition, scalar};
use crate::diagnostic::Code;
use crate::dialect::QUOTE_TOKENS;
use crate::parser::FRAYED;
use crate::schema::{SchemaNode, Types};
use crate::view::{NotYet, is_blank};

impl ReaderStep<'_> {
    /// Reads a scalar, or an unquoted string where that is allowed.
    pub(super) fn bare(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let strings = !self.is_root() && (self.is_native(Code::BareString) || self.sink.allows(Code::BareString));
        let (code, end) = if strings && (self.parent().is_some() || self.reader.place == ValuePosition::Keyword) {
            (Some(Code::BareString), self.bare_end()?)
        } else {
            let token = self.view.rest(at).iter().take_while(|byte| scalar::is_token(**byte)).count();
            self.view.byte(at + token)?;
            match if strings { None } else { self.unquoted(at + token)? } {
                Some(end) => (Some(Code::MissingQuote), end),
                None => (strings.then_some(Code::BareString), at + token),
            }
        };
        let word = self.view.slice(at, end);
        // A quote token in a word, or at its end, closes a string whose opening token was damaged: the dialect's, or one that
        // leaked.
        let torn = self.context.quote.is_some_and(|quote| is_torn(word, quote));
        let tokens = self.context.quote.as_ref().map_or(&QUOTE_TOKENS[..], std::slice::from_ref);
        let closed = torn || tokens.iter().any(|token| word.contains(token));
        if word.is_empty() || closed || self.view.starts_with_any(end, tokens)?.is_some() {
            return Ok(self.ended(Ended::Broken));
        }
        let inside = self.parent().is_some();
        if inside && !scalar::is_json(word) && self.view.byte(end)?.is_none() {
            return self.cut();
        }
        if self.is_root() { Ok(self.empty_root(word, end)) } else { Ok(self.scalar(word, end, code)) }
    }

    /// Returns the end of a string without both of its quotes, if one is declared here and nothing in it looks like JSON,
    /// code or markup. `end` is the end of its first word.
    fn unquoted(&self, end: usize) -> Result<Option<usize>, NotYet> {
        let (at, word) = (self.at(), self.view.slice(self.at(), end));
        let meant = scalar::is_json(word) || scalar::fix(word, Types::STRING).is_some();
        if meant || !self.wants_string() || !self.sink.allows(Code::MissingQuote) {
            return Ok(None);
        }
        let plain = |byte: &&u8| !b"\"'`,:;{}[]()<>=\\\n\r".contains(byte);
        let next = at + self.view.peek(at, LINE).iter().take_while(plain).count();
        let (text, next) = (self.view.slice(at, next).trim_end(), self.look().gap(next)?);
        let ends = match (self.parent(), self.view.byte(next)?) {
            (Some(Bracket::Object), Some(byte @ (b',' | b'}'))) => {
                self.ends_member(Bracket::Object, byte, next, false)?
            }
            _ => false,
        };
        Ok((ends && text.contains(char::is_alphanumeric) && self.is_behind_plain_key()).then_some(at + text.len()))
    }

    /// Returns whether a string is declared for the value.
    fn wants_string(&self) -> bool {
        let types = self.node(self.value_node()).map_or(Types::OPEN, SchemaNode::types);
        !types.is_open() && types.has(Types::STRING)
    }

    /// Finds a string without its first quote, and returns its last one: a string is declared here, and the next
    /// quote on the line is followed by what may follow a string. If strings need no quotes, it is data.
    pub(super) fn unopened(&mut self) -> Result<Option<Quote>, NotYet> {
        let (at, own) = (self.at(), self.context.quote);
        let wants = self.wants_string() || self.sink.allows(Code::BareString);
        let word = self.view.byte(at)?.is_some_and(|first| !first.is_ascii_digit() && !b"+-,:}]".contains(&first));
        let native = self.is_native(Code::BareString) && own.is_none();
        if !wants || !word || native || !self.sink.allows(Code::MissingQuote) || !self.is_behind_plain_key() {
            return Ok(None);
        }
        let token = self.view.rest(at).iter().take_while(|byte| scalar::is_token(**byte)).count();
        self.view.byte(at + token)?;
        if scalar::is_json(self.view.slice(at, at + token)) {
            return Ok(None);
        }
        let quote = own.map_or(Quote::Double, |_| Quote::Token);
        let Ahead::Found(behind) = self.look().string(quote, at, LINE)? else { return Ok(None) };
        let next = self.look().gap(behind)?;
        let ends = match (self.parent(), self.view.byte(next)?) {
            (Some(bracket), Some(byte @ (b',' | b'}' | b']'))) => self.ends_member(bracket, byte, next, false)?,
            _ => false,
        };
        if !ends || own.is_some_and(|token| is_torn(self.view.slice(at, behind - token.len()), token)) {
            return Ok(None);
        }
        self.admit(Code::MissingQuote, at..behind, "read a string whose first quote is missing");
        Ok(Some(quote))
    }

    /// Returns whether nothing was skipped before this value, and its key has no colon: both may be the beginning of a string.
    fn is_behind_plain_key(&self) -> bool {
        let (at, key) = (self.at(), self.reader.key_at);
        let before = self.view.slice(self.visible_before(at, key), at).trim_end();
        match self.parent() {
            Some(Bracket::Object) => before.strip_suffix([':', '=']).is_some_and(|key| !key.contains(':')),
            bracket => bracket == Some(Bracket::Array) && before.ends_with(['[', ',']),
        }
    }

    /// Reads `null` as the arguments of a tool that needs none.
    fn empty_root(&mut self, word: &str, end: usize) -> Option<ValueOutcome> {
        let span = self.at()..end;
        if !matches!(word, "null" | "None") || !self.admit(Code::EmptyArguments, span, "read missing arguments as `{}`")
        {
            return self.ended(Ended::Broken);
        }
        self.skip_to(end);
        self.put("{}");
        self.missing_parameters();
        self.value_end()
    }

    /// Finds the end of an unquoted string, without white space at its end; braces in it are in pairs.
    fn bare_end(&self) -> Result<usize, NotYet> {
        let (mut end, mut at, mut open) = (self.at(), self.at(), 0_usize);
        while let Some(byte) = self.view.byte(at)? {
            if is_blank(byte) {
                let after = self.view.skip_blanks(at)?;
                let line = self.context.quote.is_none() && self.view.slice(at, after).contains('\n');
                let key = self.parent() == Some(Bracket::Object) && self.key_follows(after, false)? != Ahead::Absent;
                if line || (key && self.view.byte(after)?.is_some()) {
                    break;
                }
                at = after;
                continue;
            }
            let closes = byte == b'}' && open > 0;
            if !closes && self.bare_ends_at(byte, at)? {
                break;
            }
            open = if closes { open - 1 } else { open + usize::from(byte == b'{') };
            at += 1;
            end = at;
        }
        Ok(end)
    }

    fn bare_ends_at(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        match byte {
            b'}' | b']' => Ok(true),
            b')' => Ok(self.parent() != Some(Bracket::Object) && self.parent() != Some(Bracket::Array)),
            b',' if self.parent() == Some(Bracket::Object) => {
                let literal = scalar::is_json(self.view.slice(self.at(), at));
                let typed = self.context.schema.zip(self.value_node());
                let text = typed.is_none_or(|(schema, node)| schema.node(node).types().has(Types::STRING));
                let over = literal && (!text || self.view.byte(at + 1)?.is_some_and(is_blank));
                Ok(over || self.item_ahead(Bracket::Object, at + 1)?)
            }
            b',' => Ok(true),
            _ => self.stands_stop(at),
        }
    }
}

/// Returns whether a word begins with a damaged quote token: with a part of it, soon followed by a part of its end.
fn is_torn(word: &str, token: &str) -> bool {
    let (word, token) = (word.as_bytes(), token.as_bytes());
    let piece = (token.len() / 2).min(3);
    let start = &word[..word.len().min(token.len() + FRAYED)];
    piece > 0
        && (start.starts_with(&token[..piece]) || memchr::memmem::find(start, &token[token.len() - piece..]).is_some())
}
