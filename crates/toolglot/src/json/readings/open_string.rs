//! A string with an open end: which of its quotes may end it, and what the others show.

use super::{Resolver, WalkState};
use crate::evidence::{Veto, Vetoes};
use crate::json::ValuePosition;
use crate::json::code::{self, is_counted, is_third, last_before};
use crate::json::key::last_word;
use crate::json::look::{Ahead, KEY};
use crate::json::quote::Quote;
use crate::json::state::Bracket;
use crate::view::NotYet;

/// Quoted calls in a string or another value that are examined. Text with more is a message whose first call never
/// closed, or a transcript, and each costs another look at the same bytes.
pub(crate) const QUOTED: usize = 8;

/// The colon of a member is at most this far after its name, including a slip.
const COLON: usize = 4;

/// The end of a key is at most this far after the previous value: the key, and a slip.
const KEY_REACH: usize = 1 << 6;

/// Names of members that are recorded in a string. Tools have fewer parameters; without the bound, a string made of
/// names would be compared with itself.
const NAMED: usize = 64;

/// A string whose end is open.
#[derive(Clone, Debug, Default)]
pub(super) struct OpenString {
    pub(super) quote: Quote,
    pub(super) raw: bool,
    /// The start of its visible content.
    pub(super) from: usize,
    /// Quotes before this position have been tried.
    pub(super) next: usize,
    /// It contained a quote that could not end it.
    pub(super) dirty: bool,
    /// Calls that were opened in it and not closed.
    pub(super) nested: usize,
    pub(super) quoted: usize,
    /// The quote that was last taken as its end.
    pub(super) tried: Option<usize>,
    /// The number of quotes in it, escaped or not, and the number on the current line.
    pub(super) all: usize,
    pub(super) line: usize,
    /// The number of triple quotes on it, which count as two; and whether the current quote is the last of three.
    pub(super) threes: usize,
    pub(super) ends_three: bool,
    /// The number of unescaped quotes in it.
    pub(super) quotes: usize,
    /// The position of the first of them.
    pub(super) first: Option<usize>,
    /// Declared, still missing members whose quoted names occur in it.
    pub(super) named: Vec<String>,
    /// The evidence in it against a reading that includes it.
    pub(super) against: Vetoes,
    /// The member after the last tried quote is undeclared, or the member and its comma may be code.
    pub(super) foreign: bool,
    /// Such a member followed one of its quotes with an odd number.
    pub(super) foreign_inside: bool,
    /// A reading included it.
    pub(super) stands: bool,
    pub(super) levels: WalkState,
}

impl OpenString {
    pub(super) fn new(quote: Quote, raw: bool, from: usize, levels: WalkState) -> Self {
        Self { quote, raw, from, next: from, levels, ..Self::default() }
    }

    /// Returns whether the number of quotes on the line is even, so that no string of the code is open. A string of code that
    /// three quotes opened is not closed by two of them.
    pub(super) fn is_even(&self) -> bool {
        (self.line + if self.ends_three { self.threes } else { 0 }).is_multiple_of(2)
    }

    fn begin_line(&mut self) {
        (self.line, self.threes) = (0, 0);
    }
}

impl Resolver<'_> {
    /// Finds the next quote that may end the string; returns its start and end.
    pub(super) fn candidate(&mut self, choice: &mut OpenString) -> Result<Option<(usize, usize)>, NotYet> {
        let (view, markers) = (self.look.view, self.look.context.markers);
        if let Some(quote) = choice.tried.take() {
            self.pass_bare(choice, quote)?;
            self.count(choice, quote)?;
        }
        loop {
            let at = choice.next;
            self.looked += 1;
            self.furthest = self.furthest.max(at);
            if at > self.doubtful.reach {
                return Ok(None);
            }
            let Some(byte) = view.byte(at)? else { return Ok(None) };
            if let Some(length) = self.look.closer(choice.quote, at)? {
                choice.next = at + length;
                choice.ends_three = is_third(view.slice(choice.from, at).as_bytes(), byte);
                if self.may_end(choice, at + length)? {
                    choice.tried = Some(at);
                    return Ok(Some((at, at + length)));
                }
                self.pass_bare(choice, at)?;
                self.count(choice, at)?;
                self.pass_quote(choice, at + length)?;
                continue;
            }
            choice.next = at + 1;
            if byte == b'\\' && !choice.raw {
                choice.next = at + self.look.escape(choice.quote, at)?;
                match view.byte(at + 1)? {
                    Some(b'n') => choice.begin_line(),
                    Some(_) => self.count(choice, at + 1)?,
                    None => {}
                }
            } else if byte == b'\n' {
                choice.begin_line();
            } else if markers.may_begin(byte) && !self.pass_marker(choice, at)? {
                return Ok(None);
            }
        }
    }

    /// Counts a quote at `at`, bare or escaped, unless it is an apostrophe in a word or itself quoted.
    fn count(&self, choice: &mut OpenString, at: usize) -> Result<(), NotYet> {
        let view = self.look.view;
        let behind = view.byte(at + 1)?;
        let Some(here) = view.byte(at)?.filter(|byte| choice.quote.is(*byte)) else { return Ok(()) };
        let before = last_before(view.slice(choice.from, at).as_bytes());
        if is_third(view.slice(choice.from, at).as_bytes(), here) {
            choice.threes += 1;
        } else if is_counted(before, here, behind) {
            choice.all += 1;
            choice.line += 1;
        }
        Ok(())
    }

    /// Treats an unescaped quote at `at` as data.
    ///
    /// The first one should open a string of the code in the value. One that looks like an end may be the value's
    /// own end, followed by damage, or by the beginning of a call.
    fn pass_bare(&self, choice: &mut OpenString, at: usize) -> Result<(), NotYet> {
        let (view, markers) = (self.look.view, self.look.context.markers);
        let mut against = choice.against;
        if choice.quotes == 0 {
            // Python code has parentheses and commas after strings, too; none is open here.
            let plain = self.doubtful.place != ValuePosition::Keyword || choice.all.is_multiple_of(2);
            against.note(Veto::NextCall, plain && self.closes_before_another(choice, self.behind(choice, at)?)?);
            against.note(Veto::EarlyEnd, self.looks_like_end(choice, at)?);
            against.note(Veto::ItemEnd, self.is_unnamed(&choice.levels) && self.may_end_item(choice, at)?);
        }
        if choice.quotes <= 1 {
            against.note(Veto::OpenHead, markers.holds_head(choice.from, at)?);
        }
        against.note(Veto::OddEscape, self.is_behind_odd_escape(choice, at));
        let before = view.slice(choice.from, at).trim_end();
        // Code that it is a part of has quotes before it, which are not escaped either.
        let is_part = |head: usize| choice.quotes > 0 && is_part(&before[..head], before.ends_with('{'));
        if let Some(head) = call_head(before).filter(|head| !is_part(*head)) {
            against.note(Veto::CallInside, markers.begins_in_string(choice.from + head)?);
        }
        if let Some(first) = choice.first.filter(|_| choice.quotes == 1) {
            against.note(Veto::TwoValues, self.parts_members(choice, self.behind(choice, first)?, at)?);
        }
        choice.against = against;
        choice.first = choice.first.or(Some(at));
        choice.dirty = true;
        choice.quotes += 1;
        Ok(())
    }

    /// Returns whether a quote at `at`, with no other open before it, looks like an end: a word or a sentence precedes it,
    /// a comma or the bracket that closes what is open after it, the key of a member, or an object on another line.
    pub(super) fn looks_like_end(&self, choice: &OpenString, at: usize) -> Result<bool, NotYet> {
        let view = self.look.view;
        if choice.all % 2 == 1 || choice.line % 2 == 1 {
            return Ok(false);
        }
        let end = self.behind(choice, at)?;
        let next = view.skip_blanks(end)?;
        let closer = choice.levels.stack.last().map_or(b')', |level| level.bracket.closer());
        let continues = match view.byte(next)? {
            Some(b'{') => view.slice(end, next).contains('\n'),
            Some(b'"') => next > end && self.key(next)?.is_some(),
            byte => byte.is_some_and(|byte| byte == b',' || byte == closer),
        };
        Ok(continues
            && match view.slice(choice.from, at).as_bytes() {
                [] | [.., b'\\', b'n' | b't'] => true,
                [.., last] if b"([{=,: \n\t'\"".contains(last) => false,
                before => !code::has_prefix(before),
            })
    }

    /// Returns whether a quote at `at` follows an escape that JSON does not have, where one of it may have been.
    fn is_behind_odd_escape(&self, choice: &OpenString, at: usize) -> bool {
        let before = self.look.view.slice(choice.from, at).trim_end_matches('\\');
        choice.quote == Quote::Double && before.strip_suffix('\'').is_some_and(|rest| rest.ends_with('\\'))
    }

    /// Returns where the quote at `at` ends.
    fn behind(&self, choice: &OpenString, at: usize) -> Result<usize, NotYet> {
        Ok(at + self.look.closer(choice.quote, at)?.unwrap_or(1))
    }

    /// Returns whether brackets after a string that ends at `end` close the call, and a comma follows.
    pub(super) fn closes_before_another(&self, choice: &OpenString, end: usize) -> Result<bool, NotYet> {
        let mut at = self.look.gap(end)?;
        for level in choice.levels.stack.iter().rev() {
            if self.look.view.byte(at)? != Some(level.bracket.closer()) {
                return Ok(false);
            }
            at = self.look.gap(at + 1)?;
        }
        self.look.context.markers.separates(at)
    }

    /// Looks at a quote that ends at `end` and is data; perhaps it begins the name of a member.
    fn pass_quote(&self, choice: &mut OpenString, end: usize) -> Result<(), NotYet> {
        let view = self.look.view;
        let arguments = choice.levels.is_arguments(self.doubtful.place);
        let object = choice.levels.stack.last().is_some_and(|top| top.bracket == Bracket::Object);
        if !arguments && !object || !matches!(choice.quote, Quote::Double | Quote::Single) {
            return Ok(());
        }
        // After an odd number of quotes this one should close a string of the code.
        let closes = choice.all.is_multiple_of(2);
        if !object {
            let before = view.slice(choice.from, end - 1);
            self.note(choice, before.strip_suffix('=').filter(|_| closes).and_then(last_word));
            return Ok(());
        }
        if let Ahead::Found(after) = self.look.string(choice.quote, end, KEY)?
            && self.has_within(after, COLON, |peeked| peeked.contains(&b':'))?
        {
            let name = view.slice(end, after - 1);
            if arguments {
                self.note(choice, Some(name));
            } else {
                // Another object of a list has the same members: that they are given says nothing.
                let declares = self.node(&choice.levels).is_some_and(|node| node.declares(name));
                choice.against.note(Veto::InnerKey, declares);
            }
        }
        Ok(())
    }

    /// Returns whether the first quote of a string, which ends at `first`, and the next one, at `at`, look like the ends of two
    /// values: a comma follows the first, and after the next a word or a colon, or before it a sign that a value
    /// follows. Python's next value may be that of another call.
    fn parts_members(&self, choice: &OpenString, first: usize, at: usize) -> Result<bool, NotYet> {
        let between = self.look.view.slice(first, at).trim();
        if self.is_unnamed(&choice.levels) && between.ends_with(',') {
            let before = code::before_quote(self.look.view.slice(choice.from, first));
            return Ok(!code::may_be_code(self.look, before, self.behind(choice, at)?)?);
        }
        if self.doubtful.place == ValuePosition::Keyword {
            let parts =
                between.chars().take_while(|next| !next.is_alphanumeric()).any(|next| matches!(next, ',' | ')'));
            let declares = |word: &str| self.node(&choice.levels).is_some_and(|node| node.declares(word));
            let key = || last_word(between.trim_end_matches(['(', ')', '[', ']', '{', '}', '<', '>']));
            let new = |word: &str| between.contains(',') && declares(word) && !choice.levels.seen.contains(word);
            let parts = parts && (between.ends_with('=') || key().is_some_and(declares));
            return Ok(parts || between.strip_suffix('=').and_then(last_word).is_some_and(new));
        }
        if !between.starts_with(',') {
            return Ok(false);
        }
        let end = self.behind(choice, at)?;
        if choice.all != 1 {
            // Quotes before it are escaped, so this string's own are no slip, and what looks like a member is one.
            return Ok(self.begins_key(choice, end)? || choice.all > 1 && self.has_within(first, KEY_REACH, ends_key)?);
        }
        let named = self.look.view.byte(end)?.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_:".contains(&byte));
        Ok(named || between.ends_with(['=', ':']))
    }

    /// Returns whether the name of a declared parameter that was not given is at `at`.
    pub(super) fn begins_key(&self, choice: &OpenString, at: usize) -> Result<bool, NotYet> {
        let Some(node) = self.node(&choice.levels) else { return Ok(false) };
        let new = node.properties().iter().filter(|key| !choice.levels.seen.contains(key));
        Ok(self.look.view.starts_with_any(at, new)?.is_some())
    }

    /// Notes a member's name in a string, if one is declared and has not been given.
    fn note(&self, choice: &mut OpenString, name: Option<&str>) {
        let node = self.node(&choice.levels).filter(|_| choice.named.len() < NAMED);
        let declared = |name: &&str| node.is_some_and(|node| node.properties().iter().any(|key| key == name));
        choice.named.extend(name.filter(declared).filter(|name| !choice.levels.seen.contains(name)).map(str::to_owned));
    }

    /// Returns whether the bytes at `at` have a property, of which at most `reach` are visible.
    fn has_within(&self, at: usize, reach: usize, is: impl Fn(&[u8]) -> bool) -> Result<bool, NotYet> {
        let peeked = self.look.view.peek(at, reach);
        let has = is(peeked);
        if !has && peeked.len() < reach {
            self.look.view.final_end()?;
        }
        Ok(has)
    }

    /// Skips a marker that is in a string at `at`; false if it holds too many to be one.
    fn pass_marker(&self, choice: &mut OpenString, at: usize) -> Result<bool, NotYet> {
        let (view, markers) = (self.look.view, self.look.context.markers);
        if let Some(end) = markers.opens_call(view, at)? {
            (choice.next, choice.nested, choice.quoted) = (end, choice.nested + 1, choice.quoted + 1);
        } else if let Some(end) = markers.closes(view, at)? {
            choice.next = end;
            choice.nested = choice.nested.saturating_sub(1);
        }
        Ok(choice.quoted <= QUOTED)
    }

    /// Returns whether the quote that ends at `end` may end its string.
    fn may_end(&self, choice: &mut OpenString, end: usize) -> Result<bool, NotYet> {
        let view = self.look.view;
        choice.foreign = false;
        let next = view.skip_blanks(end)?;
        let WalkState { stack, .. } = &choice.levels;
        if stack.is_empty() && self.doubtful.place != ValuePosition::Keyword {
            return Ok(choice.nested == 0);
        }
        let Some(byte) = view.byte(next)?.filter(|_| choice.nested == 0) else { return Ok(false) };
        Ok(match (byte, stack.last()) {
            (b',', top) if top.is_none_or(|top| top.bracket == Bracket::Object) => self.begins_member(choice, next)?,
            (b',', Some(_)) => self.begins_item(choice, end, next)?,
            (b'}' | b']' | b')', Some(top)) => top.bracket.closer() == byte && self.may_close(&choice.levels),
            (b')', None) => self.is_whole(&choice.levels),
            (b'"' | b'\'', _) => !choice.dirty && next > end && self.joins(stack),
            _ => false,
        })
    }
}

/// Returns where a call may begin whose first quote follows `before`: at a brace, or at the name in `name(key=`.
fn call_head(before: &str) -> Option<usize> {
    let named = |text: &str| Some(text.len() - last_word(text)?.len());
    match before.strip_suffix('=') {
        Some(key) => named(key[..named(key)?].strip_suffix('(')?),
        None => before.strip_suffix('{').map(str::len),
    }
}

/// Returns whether what begins after a text of code is a part of a value in it, and so no call of its own: a function's name
/// may be that of a tool, an object names one only where a larger one holds it.
fn is_part(before: &str, object: bool) -> bool {
    let before = before.trim_end_matches(['[', ' ', '\t', '\r', '\n']);
    before.ends_with(':') || !object && before.ends_with(['=', '('])
}

/// Returns whether a quote and a colon are in a text as after a key; none before them has a backslash.
fn ends_key(peeked: &[u8]) -> bool {
    let end = peeked.windows(2).position(|pair| pair == b"\":" || pair[0] == b'\\');
    end.is_some_and(|end| peeked[end] == b'"')
}
