//! Whether a quote ends its string: only if what comes next may follow a string.

use super::ValuePosition;
use super::code;
use super::look::{Ahead, is_literal};
use super::quote::Quote;
use super::reader::ReaderStep;
use super::state::Bracket;
use crate::view::NotYet;

/// The role of a quote inside a string, determined by what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// The end of the string.
    Closes,
    /// The end of the string, unless a better one is found: what follows is not what may follow a valid string.
    Perhaps,
    /// A quote in the string.
    Inner,
    /// The end of a piece; the string continues with the quote at this position.
    Joins(usize),
}

/// Strings in a row, with only white space between them, that count as elements without commas. Two or three
/// also occur in prose with quotes; four do not.
const APART: usize = 4;

impl ReaderStep<'_> {
    /// Decides about a quote of the current string that ends at `end`.
    pub(super) fn follow(&self, end: usize) -> Result<Follow, NotYet> {
        let text = &self.reader.text;
        if text.quote.is_token() {
            return Ok(Follow::Closes);
        }
        if matches!(text.quote, Quote::Triple(_)) {
            return self.joins(end).map(|joins| joins.unwrap_or(Follow::Closes));
        }
        // A quote token after a string in other quotes opens nothing there.
        let token = self.context.quote.filter(|_| !text.key).unwrap_or_default();
        let end = if self.view.starts_with(end, token)? { end + token.len() } else { end };
        let next = self.look().gap(end)?;
        let Some(byte) = self.view.byte(next)? else { return Ok(Follow::Closes) };
        let closes = match self.parent() {
            _ if text.key => {
                matches!(byte, b':' | b'=' | b',' | b'}') || next > end && self.look().lacks_colon(next)?
            }
            None => self.ends_alone(byte, next)?,
            Some(bracket) => self.ends_member(bracket, byte, next, next > end)?,
        };
        let stops = !closes && self.stops(byte, next)?;
        if (closes || stops) && !text.key {
            let comment = self.view.skip_blanks(end)?;
            let commented = next > comment;
            // A comment that touches the quote, and holds others, is code: `super("#{status}: #{message}")`.
            if commented && comment == end && self.view.slice(end, next).contains('"') {
                return Ok(Follow::Inner);
            }
            let usual = !commented && (stops || self.is_usual(byte, end, next)?);
            return Ok(if usual { Follow::Closes } else { Follow::Perhaps });
        }
        if closes || stops {
            return Ok(Follow::Closes);
        }
        Ok(if text.key { None } else { self.joins(end)? }.unwrap_or(Follow::Inner))
    }

    pub(super) fn stops(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        let markers = self.context.markers;
        let marker = markers.may_begin(byte) && markers.stop(self.view, at)?.is_some();
        Ok(marker || (byte == b'`' && self.closes_fence(at)?))
    }

    /// Returns whether what follows a string may follow a valid one, up to the next value or the call's end.
    fn is_usual(&self, byte: u8, end: usize, at: usize) -> Result<bool, NotYet> {
        match (byte, self.parent()) {
            (b',', Some(Bracket::Object)) => {
                let key = self.look().gap(at + 1)?;
                match self.view.byte(key)? {
                    None => Ok(true),
                    Some(_) if self.is_odd_key_behind(at)? => Ok(false),
                    Some(_) if self.look().opens(key)?.is_none() => Ok(self.bare_keys()),
                    Some(_) => match self.look().key(key, usize::MAX)? {
                        Ahead::Found(separator) => Ok(self.view.byte(separator)? == Some(b':')),
                        ahead => Ok(ahead == Ahead::Ends),
                    },
                }
            }
            (b',', Some(_)) => Ok(!self.may_join_code(end, at)?),
            (_, None) if self.reader.place == ValuePosition::Keyword && self.is_marked() => {
                self.is_usual_in_call(byte, at)
            }
            (b'"' | b'\'', Some(Bracket::Array | Bracket::Tuple | Bracket::Set)) => self.ends_plainly(at),
            (_, None) => Ok(true),
            (b'}' | b']' | b')', Some(_)) => self.closes_all(at),
            (_, Some(Bracket::Object)) if end == at => self.touches_key(at),
            _ => Ok(false),
        }
    }

    /// Returns whether the quote that ends at `end`, what is at `next` and the next item's quote in an array may be a string of
    /// code, or part two.
    pub(super) fn may_join_code(&self, end: usize, next: usize) -> Result<bool, NotYet> {
        let text = &self.reader.text;
        let plain = matches!(text.quote, Quote::Double | Quote::Single);
        let unnamed = !matches!(self.parent(), None | Some(Bracket::Object | Bracket::Group));
        if !plain || !unnamed || end <= self.reader.plain || self.view.byte(next)? != Some(b',') {
            return Ok(false);
        }
        let item = self.look().gap(next + 1)?;
        let Some((_, length)) = self.look().opens(item)? else { return Ok(false) };
        let before = code::before_quote(self.view.slice(self.visible_before(end, text.content), end));
        let odd = before.contains('\\') && !code::count_quotes(code::last_line(before), text.quote).is_multiple_of(2);
        Ok(odd || code::may_be_code(self.look(), before, item + length)?)
    }

    /// Returns whether the next keyword of a call follows, or what closes the call or all calls.
    fn is_usual_in_call(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        match byte {
            b',' => self.keyword_follows(self.view.skip_blanks(at + 1)?),
            b')' => Ok(self.context.markers.ends_call(self.view, at)?.is_some()),
            b']' => self.context.markers.ends_section(at),
            _ => Ok(false),
        }
    }

    /// Returns whether a parameter is at `at` with its separator, the call's end or another call.
    fn keyword_follows(&self, at: usize) -> Result<bool, NotYet> {
        let Ahead::Found(mut end) = self.look().word(at)? else {
            return Ok(matches!(self.view.byte(at)?, None | Some(b')' | b'*')));
        };
        // Markdown escapes underscores.
        while self.view.starts_with(end, "\\_")? {
            end = if let Ahead::Found(end) = self.look().word(end + 2)? { end } else { end + 2 };
        }
        let separator = self.view.skip_blanks(end)?;
        let declared = self.context.schema.is_none_or(|schema| {
            let root = schema.root();
            root.properties().is_empty() || root.knows(&self.view.slice(at, end).replace("\\_", "_"))
        });
        Ok(match self.view.byte(separator)? {
            Some(b':') if declared => true,
            Some(b'=') if declared && separator == end => true,
            // Python's style of a keyword, which code of other languages does not have.
            Some(b'=') => separator == end && !matches!(self.view.byte(end + 1)?, Some(b' ' | b'=' | b'>')),
            byte => matches!(byte, None | Some(b'(')),
        })
    }

    /// Returns whether a string is at `at`, or a few adjacent ones, followed by a comma or bracket.
    pub(super) fn ends_plainly(&self, mut at: usize) -> Result<bool, NotYet> {
        for _ in 0..APART {
            let Some((quote, length)) = self.look().opens(at)? else { return Ok(false) };
            let Ahead::Found(end) = self.look().string(quote, at + length, usize::MAX)? else { return Ok(false) };
            let (next, _) = self.look().joint(end)?;
            match self.view.byte(next)? {
                None | Some(b',' | b']' | b')' | b'}') => return Ok(true),
                Some(_) if next > end => at = next,
                Some(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Returns whether the text around the value is known.
    pub(super) fn is_marked(&self) -> bool {
        !self.context.markers.first_bytes().is_empty()
    }

    /// Returns whether the current object's keys have no quotes.
    fn bare_keys(&self) -> bool {
        self.reader.bare_keys || self.context.quote.is_some()
    }

    /// Returns whether the brackets from `at` on close all open ones, one by one, up to a member that follows or the call's end.
    pub(super) fn closes_all(&self, mut at: usize) -> Result<bool, NotYet> {
        for (depth, frame) in self.reader.state.open().iter().enumerate().rev() {
            if self.view.byte(at)? != Some(frame.bracket.closer()) {
                return Ok(self.view.byte(at)?.is_none());
            }
            at += 1;
            let Some(above) = depth.checked_sub(1).and_then(|above| self.reader.state.open().get(above)) else { break };
            at = self.look().gap(at)?;
            if self.view.byte(at)? == Some(b',') {
                return self.item_ahead(above.bracket, at + 1);
            }
        }
        Ok(self.reader.place != ValuePosition::Arguments || self.context.markers.may_end_call(at)?)
    }

    /// Outside all brackets, the caller knows what follows, except for a keyword, whose syntax is known.
    fn ends_alone(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        match byte {
            b',' if self.reader.place == ValuePosition::Keyword => self.keyword_ahead(at + 1),
            b',' | b';' => Ok(true),
            b')' | b'}' | b']' => Ok(true),
            b'`' => self.view.starts_with(at, "```"),
            _ => Ok(false),
        }
    }

    fn keyword_ahead(&self, at: usize) -> Result<bool, NotYet> {
        let at = self.look().gap(at)?;
        if matches!(self.view.byte(at)?, None | Some(b')' | b'*')) || self.look().opens(at)?.is_some() {
            return Ok(true);
        }
        let mut word = self.look().word(at)?;
        while let Ahead::Found(end) = word
            && self.view.starts_with(end, "\\_")?
        {
            word = self.look().word(end + 2)?;
        }
        let Ahead::Found(end) = word else { return Ok(word == Ahead::Ends) };
        let separator = self.look().gap(end)?;
        match self.view.byte(separator)? {
            Some(b':') => self.look().value_start(self.look().gap(separator + 1)?),
            byte => Ok(matches!(byte, None | Some(b'='))),
        }
    }

    pub(super) fn ends_member(&self, bracket: Bracket, byte: u8, at: usize, apart: bool) -> Result<bool, NotYet> {
        match byte {
            b'}' | b']' | b')' => Ok(self.is_open(byte)),
            b',' => self.item_ahead(bracket, at + 1),
            // Code ends a statement there, and then a block.
            b';' if bracket == Bracket::Object => {
                Ok(self.key_follows(self.look().gap(at + 1)?, false)? != Ahead::Absent)
            }
            b';' => self.look().value_start(self.look().gap(at + 1)?),
            _ if bracket == Bracket::Object
                && (apart || self.look().opens(at)?.is_some() || self.touches_key(at)?) =>
            {
                Ok(self.key_follows(at, false)? != Ahead::Absent)
            }
            _ if matches!(bracket, Bracket::Object | Bracket::Group) => Ok(false),
            _ => match self.look().opens(at)? {
                None => Ok(matches!(self.view.byte(at)?, Some(b'{' | b'['))),
                // Two quotes that touch are an empty string of code, or one quote that another quotes.
                Some(_) => Ok(apart),
            },
        }
    }

    /// Returns whether a key begins at `at` that lost its first quote with the comma before it. After a blank, a comma or an
    /// opening bracket the quote before it is its own.
    fn touches_key(&self, at: usize) -> Result<bool, NotYet> {
        let before = self.view.slice(self.visible_before(at, self.reader.text.content), at);
        if before.trim_end_matches('"').ends_with([' ', '\n', ',', '{', '[', '(', '=']) {
            return Ok(false);
        }
        Ok(match self.look().word(at)? {
            Ahead::Found(end) => self.look().ends_unopened(end)?,
            ahead => ahead == Ahead::Ends,
        })
    }

    /// Returns whether a key, or a value where the bracket has none, or a closing bracket follows a comma in a bracket.
    pub(super) fn item_ahead(&self, bracket: Bracket, at: usize) -> Result<bool, NotYet> {
        let at = self.look().gap(at)?;
        match self.view.byte(at)? {
            None | Some(b'}' | b']' | b',') => Ok(true),
            Some(b')') if bracket != Bracket::Object => Ok(true),
            Some(byte) if self.stops(byte, at)? => Ok(true),
            Some(_) if bracket == Bracket::Object => Ok(self.key_follows(at, true)? != Ahead::Absent),
            Some(_) => self.look().value_start(at),
        }
    }

    /// Looks for a key; a bare one counts only if a value begins after its separator.
    ///
    /// What is not JSON's own, after a `comma` a key in quotes and a colon, must be a key that is declared and new.
    pub(super) fn key_follows(&self, at: usize, comma: bool) -> Result<Ahead, NotYet> {
        let look = self.look();
        let ahead = look.key(at, usize::MAX)?;
        let Ahead::Found(separator) = ahead else {
            let end = if ahead == Ahead::Absent && self.is_closed() { look.key_lacks_colon(at)? } else { None };
            return Ok(end.filter(|end| self.is_key_allowed(at..*end, false)).map_or(ahead, Ahead::Found));
        };
        let quoted = look.opens(at)?.is_some();
        let usual = quoted && self.view.byte(separator)? == Some(b':');
        if !self.is_key_allowed(at..separator, usual && comma) {
            return Ok(Ahead::Absent);
        }
        if quoted {
            return Ok(ahead);
        }
        let value = look.gap(separator + 1)?;
        Ok(if look.value_start(value)? { ahead } else { Ahead::Absent })
    }

    /// Returns whether a member is at `at` as a dialect with quote tokens writes it, after a string between these without a
    /// comma: anything else may be data of the string.
    pub(super) fn own_member_follows(&self, at: usize) -> Result<bool, NotYet> {
        let look = self.look();
        let separator = match look.key(at, usize::MAX)? {
            Ahead::Found(separator) => separator,
            ahead => return Ok(ahead == Ahead::Ends),
        };
        let plain = look.opens(at)?.is_none() && self.view.byte(separator)? == Some(b':');
        if !plain || !self.is_key_allowed(at..separator, false) {
            return Ok(false);
        }
        let value = separator + 1;
        Ok(match (look.opens(value)?, self.view.byte(value)?) {
            (Some((quote, _)), _) => quote.is_token(),
            (None, None | Some(b'{' | b'[' | b'-' | b'0'..=b'9')) => true,
            (None, Some(_)) => match look.word(value)? {
                Ahead::Found(end) => is_literal(self.view.slice(value, end)),
                ahead => ahead == Ahead::Ends,
            },
        })
    }

    /// Looks for a second string after a blank, which Python joins to the first, or after a plus.
    pub(super) fn joins(&self, end: usize) -> Result<Option<Follow>, NotYet> {
        let parent = self.parent();
        if parent.is_none() && self.reader.place != ValuePosition::Keyword {
            return Ok(None);
        }
        let (next, plus) = self.look().joint(end)?;
        if next == end || self.look().opens(next)?.is_none() {
            return Ok(None);
        }
        let joins = plus || matches!(parent, None | Some(Bracket::Object | Bracket::Group));
        Ok(joins.then_some(Follow::Joins(next)))
    }
}
