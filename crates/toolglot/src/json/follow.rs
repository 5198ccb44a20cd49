//! Whether a quote ends its string: only if what follows can follow.

use super::Place;
use super::look::{Ahead, Quote};
use super::reader::{Bracket, Turn};
use crate::view::NotYet;

/// What a quote inside a string is, by what follows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Follow {
    /// The end of the string.
    Closes,
    /// A quote that belongs to the string.
    Inner,
    /// The end of a piece; the string goes on with the quote at this position.
    Joins(usize),
}

impl Turn<'_> {
    /// Decides about a quote of the running string that ends at `end`.
    pub(super) fn follow(&self, end: usize) -> Result<Follow, NotYet> {
        let text = &self.reader.text;
        if text.quote.is_token() {
            return Ok(Follow::Closes);
        }
        if matches!(text.quote, Quote::Triple(_)) {
            return self.joins(end).map(|joins| joins.unwrap_or(Follow::Closes));
        }
        let next = self.look().gap(end)?;
        let Some(byte) = self.view.byte(next)? else { return Ok(Follow::Closes) };
        let closes = match self.parent() {
            _ if text.key => matches!(byte, b':' | b'=' | b',' | b'}'),
            None => self.ends_alone(byte, next)?,
            Some(bracket) => self.ends_member(bracket, byte, next, next > end)?,
        };
        if closes || self.stops(byte, next)? {
            return Ok(Follow::Closes);
        }
        Ok(if text.key { None } else { self.joins(end)? }.unwrap_or(Follow::Inner))
    }

    pub(super) fn stops(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        let markers = self.context.markers;
        let marker = markers.may_begin(byte) && markers.stop(self.view, at)?.is_some();
        Ok(marker || (byte == b'`' && self.closes_fence(at)?))
    }

    /// Outside all brackets the caller knows what follows, but for a keyword, whose syntax is known.
    fn ends_alone(&self, byte: u8, at: usize) -> Result<bool, NotYet> {
        match byte {
            b',' if self.reader.place == Place::Keyword => self.keyword_ahead(at + 1),
            b',' | b';' => Ok(true),
            b')' | b'}' | b']' => self.brackets_hold(at),
            b'`' => self.view.starts_with(at, "```"),
            _ => Ok(false),
        }
    }

    fn keyword_ahead(&self, at: usize) -> Result<bool, NotYet> {
        let at = self.look().gap(at)?;
        if matches!(self.view.byte(at)?, None | Some(b')' | b'*')) || self.look().opens(at)?.is_some() {
            return Ok(true);
        }
        match self.look().word(at)? {
            Ahead::Found(end) => Ok(matches!(self.view.byte(self.look().gap(end)?)?, None | Some(b'='))),
            ahead => Ok(ahead == Ahead::Ends),
        }
    }

    fn ends_member(&self, bracket: Bracket, byte: u8, at: usize, apart: bool) -> Result<bool, NotYet> {
        match byte {
            b'}' | b']' | b')' if self.is_open(byte) => self.brackets_hold(at),
            b',' | b';' if bracket == Bracket::Object => self.member_ahead(at + 1),
            b',' | b';' => self.element_ahead(at + 1),
            _ if !apart && self.second_closes(bracket, at)? => Ok(false),
            _ if bracket == Bracket::Object && (apart || self.look().opens(at)?.is_some()) => {
                Ok(self.key_follows(at)? != Ahead::Absent)
            }
            _ if matches!(bracket, Bracket::Object | Bracket::Group) => Ok(false),
            b'"' | b'\'' if self.reader.text.dirty && !apart => Ok(false),
            _ => self.string_follows(bracket, at),
        }
    }

    /// Says whether a second quote stands at `at` and can end the string, so that the first before it is inner.
    fn second_closes(&self, bracket: Bracket, at: usize) -> Result<bool, NotYet> {
        let Some(length) = self.look().closer(self.reader.text.quote, at)? else { return Ok(false) };
        let next = self.look().gap(at + length)?;
        match self.view.byte(next)? {
            None => Ok(true),
            Some(byte @ (b'}' | b']' | b')')) => Ok(self.is_open(byte)),
            Some(b',') if bracket == Bracket::Object => self.member_ahead(next + 1),
            Some(b',') => self.element_ahead(next + 1),
            Some(byte) => self.stops(byte, next),
        }
    }

    /// Brackets that touch the next quote of a string that had inner quotes are quoted themselves.
    fn brackets_hold(&self, at: usize) -> Result<bool, NotYet> {
        if !self.reader.text.dirty {
            return Ok(true);
        }
        let mut after = at;
        while matches!(self.view.byte(after)?, Some(b'}' | b']' | b')')) {
            after += 1;
        }
        Ok(self.look().closer(self.reader.text.quote, after)?.is_none())
    }

    /// Says whether a key or a closing bracket follows a comma of an object.
    pub(super) fn member_ahead(&self, at: usize) -> Result<bool, NotYet> {
        let at = self.look().gap(at)?;
        match self.view.byte(at)? {
            None | Some(b'}' | b']' | b',') => Ok(true),
            Some(byte) if self.stops(byte, at)? => Ok(true),
            Some(_) => Ok(self.key_follows(at)? != Ahead::Absent),
        }
    }

    /// Looks for a key; a bare one counts only if a value begins behind its separator.
    pub(super) fn key_follows(&self, at: usize) -> Result<Ahead, NotYet> {
        let look = self.look();
        let ahead = look.key(at, usize::MAX)?;
        let Ahead::Found(separator) = ahead else { return Ok(ahead) };
        if !self.is_key_allowed(at..separator) {
            return Ok(Ahead::Absent);
        }
        if look.opens(at)?.is_some() {
            return Ok(ahead);
        }
        let value = look.gap(separator + 1)?;
        Ok(if look.value_start(value)? { ahead } else { Ahead::Absent })
    }

    fn element_ahead(&self, at: usize) -> Result<bool, NotYet> {
        let at = self.look().gap(at)?;
        match self.view.byte(at)? {
            None | Some(b'}' | b']' | b')' | b',') => Ok(true),
            Some(byte) => Ok(self.stops(byte, at)? || self.look().value_start(at)?),
        }
    }

    /// Says whether a string that ends well in an array stands at `at`, or another bracket opens there.
    fn string_follows(&self, bracket: Bracket, at: usize) -> Result<bool, NotYet> {
        match self.look().opens(at)? {
            None => Ok(matches!(self.view.byte(at)?, Some(b'{' | b'['))),
            Some((quote, length)) => self.string_ends_well(bracket, quote, at + length),
        }
    }

    fn string_ends_well(&self, bracket: Bracket, quote: Quote, from: usize) -> Result<bool, NotYet> {
        let Ahead::Found(end) = self.look().string(quote, from, usize::MAX)? else { return Ok(false) };
        let next = self.look().gap(end)?;
        match self.view.byte(next)? {
            Some(b',') if bracket == Bracket::Object => self.member_ahead(next + 1),
            Some(b',' | b']' | b')' | b'}') | None => Ok(true),
            Some(_) => Ok(next > end && self.look().opens(next)?.is_some()),
        }
    }

    /// Looks for a second string behind a blank, which Python joins to the first.
    fn joins(&self, end: usize) -> Result<Option<Follow>, NotYet> {
        let bracket = match self.parent() {
            None if self.reader.place != Place::Keyword => return Ok(None),
            None => Bracket::Tuple,
            Some(bracket) => bracket,
        };
        let next = self.look().gap(end)?;
        let Some((quote, length)) = self.look().opens(next)?.filter(|_| next > end) else { return Ok(None) };
        let joins = matches!(bracket, Bracket::Object | Bracket::Group) || self.parent().is_none();
        Ok((joins && self.string_ends_well(bracket, quote, next + length)?).then_some(Follow::Joins(next)))
    }
}
