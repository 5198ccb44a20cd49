//! Look-ahead: pure functions of bytes that have not been decided yet.

use super::quote::{Quote, token_closer, twin_of};
use crate::dialect::QUOTE_TOKENS;
use crate::json::Context;
use crate::parser::LOOK;
use crate::view::{NotYet, View, is_blank, is_blank_char};

/// The bytes ahead, and how to read them.
#[derive(Clone, Copy)]
pub(super) struct Lookahead<'a> {
    pub(super) view: View<'a>,
    pub(super) context: &'a Context<'a>,
    /// Quotes may be escaped once too often.
    pub(super) escaped: bool,
}

/// The result of a look-ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// Found; it ends at this position.
    Found(usize),
    Absent,
    /// The input ends inside it.
    Ends,
}

/// A key with missing or doubled quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlippedKey {
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where it ends, quotes included.
    pub(super) behind: usize,
}

/// Returns whether `{` at `at - 1` begins an object: `}` follows, or a key of one line with its colon.
///
/// What the reader drops may precede the key: a second brace, a comma, escaped line breaks.
pub(crate) fn key_ahead(view: View<'_>, at: usize, quote: Option<&str>) -> Result<bool, NotYet> {
    if quote.is_none() && plain_key_ahead(view.rest(at)).is_some() {
        return Ok(true);
    }
    let options = crate::options::Options::default();
    let context = Context { markers: &super::NoMarkers, schema: None, options: &options, quote, given: None };
    let mut look = Lookahead { view, context: &context, escaped: false };
    let mut at = look.gap(at)?;
    if view.byte(at)? == Some(b'}') {
        return Ok(true);
    }
    if matches!(view.byte(at)?, Some(b'{' | b',')) {
        at = look.gap(at + 1)?;
    }
    look.escaped = view.byte(at)? == Some(b'\\');
    let stands = matches!(look.key(at, KEY)?, Ahead::Found(_)) || look.key_lacks_colon(at)?.is_some();
    Ok(stands || look.slipped_key(at)?.is_some())
}

/// Returns whether a text begins with a key of letters in plain quotes, with its colon.
fn plain_key_ahead(text: &[u8]) -> Option<()> {
    let trimmed = |text: &[u8]| text.iter().position(|byte| !is_blank(*byte));
    let key = text[trimmed(text)?..].strip_prefix(b"\"")?;
    let length = key[..key.len().min(KEY)].iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')?;
    let behind = key[length..].strip_prefix(b"\"")?;
    (behind[trimmed(behind)?] == b':').then_some(())
}

/// Returns the end of a short comment at `at`.
pub(crate) fn comment_end(view: View<'_>, at: usize, context: &Context<'_>) -> Result<Option<usize>, NotYet> {
    let found = Lookahead { view, context, escaped: false }.comment(at, COMMENT)?;
    Ok(if let Ahead::Found(end) = found { Some(end) } else { None })
}

/// The longest key that a candidate may begin with, the longest bare key, and the longest field of a head: ids
/// contain names (`functions.NAME:0`). It bounds the bytes read before a candidate dies; real keys are much shorter.
pub(crate) const KEY: usize = 256;

/// The longest comment that a look-ahead passes: a few lines. `COMMENTS` bounds how many, so one look costs at most 1
/// KiB.
const COMMENT: usize = 256;

/// Comments between two tokens that a look-ahead passes; more are not comments in data.
const COMMENTS: usize = 4;

impl Lookahead<'_> {
    /// Returns the position after white space, comments and escaped line breaks.
    pub(super) fn gap(self, at: usize) -> Result<usize, NotYet> {
        let mut at = self.blanks(at)?;
        let mut comments = 0;
        while comments < COMMENTS {
            let next = match self.view.byte(at)? {
                Some(b'\\') if self.odd_blank(at)? > 0 => at + 2,
                Some(b'/' | b'#') => match self.comment(at, COMMENT)? {
                    Ahead::Found(end) => end,
                    Ahead::Ends => return self.view.final_end(),
                    Ahead::Absent => break,
                },
                _ => break,
            };
            comments += 1;
            at = self.blanks(next)?;
        }
        Ok(at)
    }

    /// Returns the position after white space, including that of other alphabets.
    fn blanks(self, at: usize) -> Result<usize, NotYet> {
        let mut at = self.view.skip_blanks(at)?;
        while self.view.byte(at)?.is_some_and(|first| !first.is_ascii()) {
            match self.odd_blank(at)? {
                0 => break,
                length => at = self.view.skip_blanks(at + length)?,
            }
        }
        Ok(at)
    }

    /// Returns the length of white space that JSON does not allow: a line break or tab that was escaped once
    /// too often, a no-break or zero-width space. 0 if there is none at `at`.
    pub(super) fn odd_blank(self, at: usize) -> Result<usize, NotYet> {
        Ok(match self.view.byte(at)? {
            Some(b'\\') if matches!(self.view.byte(at + 1)?, Some(b'n' | b'r' | b't')) => 2,
            // The first bytes of all such characters.
            Some(0xc2 | 0xe1..=0xe3 | 0xef) => {
                self.view.char(at)?.filter(|char| is_blank_char(*char)).map_or(0, char::len_utf8)
            }
            _ => 0,
        })
    }

    /// Returns where an adjacent string continues the one that ends at `end`: after white space, and a plus.
    pub(super) fn joint(self, end: usize) -> Result<(usize, bool), NotYet> {
        let next = self.gap(end)?;
        if self.view.slice(end, next).contains('\\') {
            return Ok((end, false));
        }
        let plus = self.view.byte(next)? == Some(b'+');
        Ok((if plus { self.gap(next + 1)? } else { next }, plus))
    }

    /// Looks for a whole comment of at most `reach` bytes; one up to a line's end does not take the line break.
    pub(super) fn comment(self, at: usize, reach: usize) -> Result<Ahead, NotYet> {
        let (from, block) = match (self.view.byte(at)?, self.view.byte(at + 1)?) {
            (Some(b'/'), Some(b'*')) => (at + 2, true),
            (Some(b'/'), Some(b'/')) | (Some(b'#'), _) => (at + 1, false),
            _ => return Ok(Ahead::Absent),
        };
        let body = self.view.peek(from, reach);
        if block {
            if let Some(length) = memchr::memmem::find(body, b"*/") {
                return Ok(Ahead::Found(from + length + 2));
            }
        } else {
            let markers = self.context.markers;
            for (at, &byte) in (from..).zip(body) {
                if byte == b'\n' || markers.may_begin(byte) && markers.stop(self.view, at)?.is_some() {
                    return Ok(Ahead::Found(at));
                }
            }
        }
        if body.len() >= reach { Ok(Ahead::Absent) } else { self.view.final_end().map(|_| Ahead::Ends) }
    }

    /// Returns the quote that opens a string at `at`, and its length; triple quotes are left to the caller.
    pub(super) fn opens(self, at: usize) -> Result<Option<(Quote, usize)>, NotYet> {
        let Some(byte) = self.view.byte(at)? else { return Ok(None) };
        if let Some(token) = self.context.quote
            && self.view.starts_with(at, token)?
        {
            return Ok(Some((Quote::Token, token.len())));
        }
        Ok(match byte {
            b'"' => Some((Quote::Double, 1)),
            b'\'' => Some((Quote::Single, 1)),
            b'`' => Some((Quote::Back, 1)),
            b'\\' if self.escaped && self.view.byte(at + 1)? == Some(b'"') => Some((Quote::Escaped, 2)),
            b'&' => self.entity_quote(at)?.map(|length| (Quote::Entity, length)),
            b'<' => self.leaked_quote(at)?,
            0xe2 => match self.view.char(at)? {
                Some('“' | '”') => Some((Quote::Curly, 3)),
                Some('‘' | '’') => Some((Quote::CurlySingle, 3)),
                _ => None,
            },
            _ => None,
        })
    }

    /// Returns another dialect's quote token at `at`, and its length.
    #[cold]
    fn leaked_quote(self, at: usize) -> Result<Option<(Quote, usize)>, NotYet> {
        for (place, token) in (0..).zip(QUOTE_TOKENS) {
            if self.view.starts_with(at, token)? {
                return Ok(Some((Quote::Leaked(place), token.len())));
            }
        }
        Ok(None)
    }

    /// Returns the length of the quote at `at`, if it is one that ends a string of this kind.
    pub(super) fn closer(self, quote: Quote, at: usize) -> Result<Option<usize>, NotYet> {
        let Some(byte) = self.view.byte(at)? else { return Ok(None) };
        let one = |wanted| Ok((byte == wanted).then_some(1));
        match quote {
            Quote::Double => one(b'"'),
            Quote::Single => one(b'\''),
            Quote::Back => one(b'`'),
            Quote::Entity if byte == b'&' => self.entity_quote(at),
            Quote::Entity => Ok(None),
            Quote::Curly | Quote::CurlySingle if byte != 0xe2 => Ok(None),
            Quote::Curly => Ok(matches!(self.view.char(at)?, Some('“' | '”')).then_some(3)),
            Quote::CurlySingle => Ok(matches!(self.view.char(at)?, Some('‘' | '’')).then_some(3)),
            Quote::Triple(wanted) => {
                let is = |ahead: usize| Ok(self.view.byte(at + ahead)? == Some(wanted));
                // Of four quotes in a row the last three close: the string itself ends in one.
                Ok((byte == wanted && is(1)? && is(2)? && !is(3)?).then_some(3))
            }
            Quote::Token | Quote::Leaked(_) => {
                quote.token(self.context.quote).map_or(Ok(None), |token| token_closer(self.view, token, at))
            }
            Quote::Escaped => Ok((byte == b'\\' && self.view.byte(at + 1)? == Some(b'"')).then_some(2)),
        }
    }

    /// Returns the length of a quote that could end a string of this kind by mistake: curly instead of straight, or the reverse.
    pub(super) fn twin(self, quote: Quote, at: usize) -> Result<Option<usize>, NotYet> {
        twin_of(quote).map_or(Ok(None), |twin| self.closer(twin, at))
    }

    /// Returns the length of the escape whose backslash is at `at`.
    pub(super) fn escape(self, quote: Quote, at: usize) -> Result<usize, NotYet> {
        if quote != Quote::Escaped || self.view.byte(at + 1)? != Some(b'\\') {
            return Ok(2);
        }
        Ok(if self.view.byte(at + 2)? == Some(b'\\') { 4 } else { 3 })
    }

    /// Returns whether the parenthesis at `at` surrounds one value, without a comma that makes it a tuple.
    pub(super) fn is_group(self, at: usize) -> Result<bool, NotYet> {
        let (from, mut at, mut depth, mut some) = (at, at, 0usize, false);
        // A long Python string in lines; anything longer is prose in parentheses.
        while at - from < LOOK {
            let Some(byte) = self.view.byte(at)? else { return Ok(false) };
            if let Some((quote, length)) = self.opens(at)? {
                some = true;
                at = self.string_end(quote, at + length, from + LOOK)?;
                continue;
            }
            match byte {
                b'(' | b'[' | b'{' => {
                    some |= depth > 0;
                    depth += 1;
                }
                b')' | b']' | b'}' if depth == 1 => return Ok(some && byte == b')'),
                b')' | b']' | b'}' => depth -= 1,
                b',' if depth == 1 => return Ok(false),
                _ => some |= !is_blank(byte),
            }
            at += 1;
        }
        Ok(false)
    }

    /// Returns the end of a string that may have several lines, or the end of its visible part before `upto`.
    fn string_end(self, quote: Quote, from: usize, upto: usize) -> Result<usize, NotYet> {
        let mut at = from;
        while at < upto {
            let Some(byte) = self.view.byte(at)? else { return Ok(at) };
            if let Some(length) = self.closer(quote, at)? {
                return Ok(at + length);
            }
            at += if byte == b'\\' { self.escape(quote, at)? } else { 1 };
        }
        Ok(at)
    }

    /// Looks for a key with its separator; a quoted key has at most `reach` bytes and no line break.
    pub(super) fn key(self, at: usize, reach: usize) -> Result<Ahead, NotYet> {
        let Some((quote, length)) = self.opens(at)? else {
            return match self.word(at)? {
                Ahead::Found(end) if self.ends_unopened(end)? => Ok(Ahead::Found(end + 1)),
                word => self.separator(word),
            };
        };
        let ahead = self.separator(self.string(quote, at + length, reach)?)?;
        match twin_of(quote) {
            Some(twin) if !matches!(ahead, Ahead::Found(_)) => {
                let other = self.separator(self.string(twin, at + length, reach.min(KEY))?)?;
                Ok(if matches!(other, Ahead::Found(_)) { other } else { ahead })
            }
            _ => Ok(ahead),
        }
    }

    /// Returns whether a word that ends at `end` is a key whose first quote was lost.
    pub(super) fn ends_unopened(self, end: usize) -> Result<bool, NotYet> {
        self.view.starts_with(end, "\":")
    }

    /// Returns whether a value is at `at` instead of a key's colon, followed by what may follow a value.
    pub(super) fn lacks_colon(self, at: usize) -> Result<bool, NotYet> {
        let end = match self.opens(at)? {
            Some((quote, length)) => self.string(quote, at + length, KEY)?,
            None => self.word(at)?,
        };
        let Ahead::Found(end) = end else { return Ok(false) };
        Ok(matches!(self.view.byte(self.gap(end)?)?, Some(b',' | b'}')))
    }

    /// Returns whether a key in quotes is at `at`, and after it a value instead of a colon.
    pub(super) fn key_lacks_colon(self, at: usize) -> Result<Option<usize>, NotYet> {
        let Some((quote, length)) = self.opens(at)? else { return Ok(None) };
        let Ahead::Found(end) = self.string(quote, at + length, KEY)? else { return Ok(None) };
        let value = self.gap(end)?;
        Ok((value > end && self.lacks_colon(value)?).then_some(end))
    }

    /// Returns the key at `at` that has two quotes on each side, or none after it, and where it ends with them.
    ///
    /// ```text
    ///   ""path"": "src"      "path: "src"
    /// ```
    pub(super) fn slipped_key(self, at: usize) -> Result<Option<SlippedKey>, NotYet> {
        let Some((quote @ (Quote::Double | Quote::Single), 1)) = self.opens(at)? else { return Ok(None) };
        let doubled = self.closer(quote, at + 1)?.is_some();
        let start = at + 1 + usize::from(doubled);
        let Ahead::Found(end) = self.word(start)? else { return Ok(None) };
        if self.view.slice(start, end).ends_with(['“', '”', '‘', '’']) {
            return Ok(None);
        }
        let key = |end: usize, behind| SlippedKey { start, end, behind };
        if doubled {
            let twice = self.closer(quote, end)?.is_some() && self.closer(quote, end + 1)?.is_some();
            let colon = twice && self.view.byte(self.gap(end + 2)?)? == Some(b':');
            return Ok(colon.then(|| key(end, end + 2)));
        }
        if self.view.byte(end)? != Some(b':') {
            return Ok(None);
        }
        let value = self.gap(end + 1)?;
        let Some(length) = self.closer(quote, value)? else { return Ok(None) };
        // A key may hold a colon; then another one is after its quote.
        let closes = matches!(self.view.byte(self.gap(value + length)?)?, Some(b':' | b',' | b'}') | None);
        Ok((!closes).then(|| key(end, end)))
    }

    fn separator(self, key: Ahead) -> Result<Ahead, NotYet> {
        let Ahead::Found(end) = key else { return Ok(key) };
        let next = self.gap(end)?;
        Ok(match self.view.byte(next)? {
            Some(b':' | b'=') => Ahead::Found(next),
            Some(_) => Ahead::Absent,
            None => Ahead::Ends,
        })
    }

    /// Looks for the end of a single-line string that began before `from`.
    pub(super) fn string(self, quote: Quote, from: usize, reach: usize) -> Result<Ahead, NotYet> {
        let mut at = from;
        loop {
            at = self.skip_plain(quote, at, reach.saturating_sub(at - from));
            if at - from >= reach {
                return Ok(Ahead::Absent);
            }
            let Some(byte) = self.view.byte(at)? else { return Ok(Ahead::Ends) };
            if let Some(length) = self.closer(quote, at)? {
                return Ok(Ahead::Found(at + length));
            }
            match byte {
                b'\\' => at += self.escape(quote, at)?,
                0..0x20 => return Ok(Ahead::Absent),
                _ => at += 1,
            }
        }
    }

    /// Skips the visible bytes, at most `reach`, that are plain content in a string of this kind.
    pub(super) fn skip_plain(self, quote: Quote, at: usize, reach: usize) -> usize {
        let first = match quote {
            Quote::Double => b'"',
            Quote::Single => b'\'',
            Quote::Back => b'`',
            Quote::Curly | Quote::CurlySingle => 0xe2,
            Quote::Triple(byte) => byte,
            Quote::Token | Quote::Leaked(_) => {
                quote.token(self.context.quote).and_then(|token| token.bytes().next()).unwrap_or(b'<')
            }
            Quote::Escaped => b'\\',
            Quote::Entity => b'&',
        };
        let plain = |byte: &&u8| **byte >= 0x20 && **byte != b'\\' && **byte != first;
        at + self.view.peek(at, reach).iter().take_while(plain).count()
    }

    /// Looks for a bare key: a word character or `$` first, then also `-` and `.`.
    pub(super) fn word(self, at: usize) -> Result<Ahead, NotYet> {
        let mut end = at;
        while let Some(byte) = self.view.byte(end)? {
            let first = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@') || byte >= 0x80;
            let fits = first || (end > at && matches!(byte, b'-' | b'.'));
            if !fits {
                return Ok(if end > at { Ahead::Found(end) } else { Ahead::Absent });
            }
            end += 1;
            if end - at > KEY {
                return Ok(Ahead::Absent);
            }
        }
        Ok(Ahead::Ends)
    }

    /// Returns the end of a key whose first word ends at `end`: it may be several, up to a colon, where tokens are the quotes.
    pub(super) fn words(self, end: usize) -> Result<usize, NotYet> {
        let (mut next, is_more) =
            (end, |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || b" _-.$@".contains(&byte));
        while self.context.quote.is_some() && next < end + KEY && self.view.byte(next)?.is_some_and(is_more) {
            next += 1;
        }
        let more = if self.view.byte(next)? == Some(b':') { self.view.slice(end, next).trim_end().len() } else { 0 };
        Ok(end + more)
    }

    /// Returns whether a value can begin at `at`; a bare word counts only as a literal or where bare strings do.
    pub(super) fn value_start(self, at: usize) -> Result<bool, NotYet> {
        let Some(byte) = self.view.byte(at)? else { return Ok(true) };
        if matches!(byte, b'{' | b'[' | b'(' | b'+' | b'-' | b'.' | b'0'..=b'9') || self.opens(at)?.is_some() {
            return Ok(true);
        }
        Ok(match self.word(at)? {
            Ahead::Found(end) if matches!(self.view.byte(end)?, Some(b'"' | b'\'')) => end - at <= 2,
            Ahead::Found(end) => self.context.quote.is_some() || is_literal(self.view.slice(at, end)),
            Ahead::Absent => false,
            Ahead::Ends => true,
        })
    }
}

pub(super) fn is_literal(word: &str) -> bool {
    super::scalar::is_json(word) || super::scalar::fix(word, crate::schema::Types::OPEN).is_some()
}
