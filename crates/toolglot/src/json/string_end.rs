//! A string with a doubtful end: all ends from here on are searched for at once; if there is none, the call is broken.

use super::code;
use super::follow::Follow;
use super::key::is_bare_key;
use super::look::{Ahead, KEY};
use super::quote::Quote;
use super::reader::{JsonReader, ReaderStep};
use super::readings::{self, DoubtfulString, Plan, Spacing};
use super::state::{Bracket, OpenBracket};
use super::stops;
use super::{Ended, InnerCall, ValueOutcome, ValuePosition};
use crate::diagnostic::Code;
use crate::parser::LOOK;
use crate::view::{BEHIND, NotYet};

/// Once futile look-ahead has reached this many times its limit, only `NEXT` bytes are searched: such a text is
/// not a broken call or two.
const FUTILE: usize = 16;

/// How far a better end is always searched for, even without any look-ahead left: the rest of a line. It is
/// constant for each quote, so the total stays linear.
const NEXT: usize = 1 << 6;

impl ReaderStep<'_> {
    /// Why the end is doubtful: a quote cannot end its string, or no clean end follows a marker in it.
    pub(super) fn decide_end(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let unsought = self.context.markers.is_bounded() || self.context.options.limits.string_ends == 0;
        if self.reader.text.key || unsought {
            self.sink().repair(Code::InnerQuote, at..at, "a quote inside a string is not escaped");
            return Ok(self.ended(Ended::Broken));
        }
        if self.reader.undeclared {
            // Code that the value before it holds may have looked like this member's key.
            return self.give_up(None, at);
        }
        match readings::read(&self.doubtful(self.reach()))? {
            Plan::Ends(ends) => Ok(self.plan(ends)),
            Plan::Unsure { closed, furthest } => match self.look().closer(self.reader.text.quote, at)? {
                Some(length) if self.ends_before_another(at + length)? => Ok(self.text_end(at + length)),
                _ => self.give_up(closed, furthest),
            },
        }
    }

    /// All remaining strings end at these quotes; if the repair is off, the call is over after the last.
    fn plan(&mut self, ends: Vec<usize>) -> Option<ValueOutcome> {
        if self.sink.allows(Code::InnerQuote) {
            self.reader.ends = ends.into();
            self.planned();
            return None;
        }
        self.note_inner_quotes();
        self.put_plain(ends.last().copied().unwrap_or(self.at()));
        self.ended(Ended::Broken)
    }

    /// Returns how far ends of strings may be searched for: less, the more look-ahead was futile.
    fn reach(&self) -> usize {
        self.at() + self.ahead_left().max(self.least_reach())
    }

    /// Returns how many more bytes of futile look-ahead for ends of strings the message allows.
    fn ahead_left(&self) -> usize {
        self.left_of(self.context.options.limits.string_ends)
    }

    /// Returns how far to look when no look-ahead is left.
    fn least_reach(&self) -> usize {
        self.left_of(self.context.options.limits.string_ends.saturating_mul(FUTILE)).clamp(NEXT, LOOK)
    }

    fn left_of(&self, limit: usize) -> usize {
        if self.sink.frugal { 0 } else { limit.saturating_sub(self.sink.wasted_lookahead) }
    }

    /// Decides about a quote that ends at `end` but is not followed by what may follow a string: it ends the string, or joins it
    /// to the `next`, if no other quote can be its end.
    pub(super) fn perhaps(&mut self, end: usize, next: Option<usize>) -> Result<Option<ValueOutcome>, NotYet> {
        let accept = |turn: &mut Self| match next {
            Some(next) => turn.join(end, next),
            None => Ok(turn.text_end(end)),
        };
        if self.context.markers.is_bounded() {
            return accept(self);
        }
        let at = self.at();
        let reach = at + self.ahead_left().clamp(NEXT, LOOK);
        if next.is_none() && self.may_join_code(end, self.look().gap(end)?)? {
            return match code::is_valid(self.look(), self.reader.state.open(), end, reach)? {
                true => {
                    self.reader.plain = reach;
                    Ok(self.text_end(end))
                }
                false => self.give_up(None, end),
            };
        }
        let doubtful = DoubtfulString { behind_end: Some(end), ..self.doubtful(reach) };
        let plain = readings::closes_plainly(&doubtful, end)?;
        if next.is_none() && plain == Some(true) {
            return accept(self);
        }
        let verdict = readings::read(&doubtful)?;
        let stands = self.may_stand(end)? && (plain.is_none() || !self.is_odd_key_behind(self.look().gap(end)?)?);
        match verdict {
            Plan::Unsure { closed, furthest } if self.ends_before_another(end)? || closed.is_none() && stands => {
                self.sink.wasted_lookahead += furthest.saturating_sub(at);
                accept(self)
            }
            Plan::Unsure { closed, furthest } => self.give_up(closed, furthest),
            Plan::Ends(ends) => {
                if self.sink.allows(Code::InnerQuote) {
                    self.note_inner_quotes();
                }
                Ok(self.plan(ends))
            }
        }
    }

    /// Returns whether the current string ends here without a quote: its closing quote is missing. A quote or a marker follows
    /// that cannot be its content, and no other end closes the call.
    pub(super) fn ends_unclosed(&self) -> Result<bool, NotYet> {
        let (view, at, text, markers) = (self.view, self.at(), &self.reader.text, self.context.markers);
        let token = text.quote.token(self.context.quote);
        let plain = (token.is_some() || text.quote == Quote::Double && !text.raw)
            && !text.key
            && !text.inner
            && text.end.is_none();
        let sought = !markers.is_bounded() && self.context.options.limits.string_ends > 0 && !self.reader.undeclared;
        if !plain
            || !sought
            || text.content == at
            || self.reader.place == ValuePosition::Keyword
            || !self.sink.allows(Code::MissingQuote)
        {
            return Ok(false);
        }
        let comma = view.byte(at)? == Some(b',');
        let next = at + stops::waiting(view.rest(at).iter());
        let decides = match view.byte(next)? {
            Some(b'"') => comma,
            Some(byte) => {
                !comma && next >= text.settled && markers.may_begin(byte) && markers.interrupts(view, next)?
            }
            None => false,
        };
        let here = || self.doubtful(self.reach());
        let has_more = |token| self.visible() > text.content || holds_more(view.slice(text.content, at), token);
        if !decides || token.is_some_and(has_more) || !readings::ends_unclosed(&here())? {
            return Ok(false);
        }
        Ok(comma || !self.next_quote(at)?.1 && matches!(readings::read(&here())?, Plan::Unsure { .. }))
    }

    fn ends_before_another(&self, end: usize) -> Result<bool, NotYet> {
        readings::ends_before_another(&self.doubtful(usize::MAX), end)
    }

    /// Returns whether the text after a quote that ends at `end` may follow a string if no reading of the call is certain: no
    /// comment, and after the value of a keyword only the call's bracket.
    fn may_stand(&self, end: usize) -> Result<bool, NotYet> {
        let next = self.view.skip_blanks(end)?;
        let in_call = self.reader.place != ValuePosition::Keyword
            || self.parent().is_some()
            || matches!(self.view.byte(next)?, None | Some(b')'));
        Ok(in_call && self.look().gap(end)? == next)
    }

    /// Returns whether a comma at `at` is followed by a key in quotes that is not declared, hardly a parameter's name and new, or
    /// by blanks that only strings have.
    pub(super) fn is_odd_key_behind(&self, at: usize) -> Result<bool, NotYet> {
        if self.view.byte(at)? != Some(b',') || self.parent() != Some(Bracket::Object) {
            return Ok(false);
        }
        let key = self.look().gap(at + 1)?;
        if !self.reader.unescaped && self.view.slice(at, key).contains('\\') {
            return Ok(true);
        }
        let Some((quote, length)) = self.look().opens(key)? else { return Ok(false) };
        let Ahead::Found(end) = self.look().string(quote, key + length, KEY)? else { return Ok(false) };
        let name = self.view.slice(key + length, end - length);
        let node = self.reader.state.innermost().and_then(|frame| self.context.schema.zip(frame.node));
        let undeclared = node.is_some_and(|(schema, node)| schema.node(node).is_undeclared(name));
        Ok(undeclared && !is_bare_key(name) && !self.reader.seen.contains(name))
    }

    /// Returns what begins at an opener here, in a string between quote tokens.
    pub(super) fn inner_call(&mut self) -> Result<InnerCall, NotYet> {
        let at = self.at();
        let text = &self.reader.text;
        let may = text.quote.is_token() && at >= text.unquoted && self.ahead_left() > 0;
        if !may || self.context.markers.opens(self.view, at)?.is_none() {
            return Ok(InnerCall::Data);
        }
        let call = self.context.markers.inner_call(at)?;
        if !matches!(call, InnerCall::Quoted(_)) {
            self.reader.text.unquoted = at + 1;
            self.sink.wasted_lookahead += self.context.options.limits.string_ends / readings::QUOTED;
        }
        Ok(call)
    }

    /// Reports unescaped quotes in the current string, and perhaps in those after it.
    pub(super) fn note_inner_quotes(&mut self) {
        let at = self.at();
        self.reader.text.inner = true;
        let message = "quotes inside strings are not escaped; the strings end where the whole call can be read";
        self.sink().repair(Code::InnerQuote, at..at, message);
    }

    /// Returns from where on the current string's content is visible, independently of the chunks.
    pub(super) fn visible(&self) -> usize {
        self.visible_before(self.at(), self.reader.text.content)
    }

    /// Returns from where on a string is visible before `end`, independently of the chunks, if its content begins at `content`.
    pub(super) fn visible_before(&self, end: usize, content: usize) -> usize {
        let visible = content.max(end.saturating_sub(BEHIND));
        (visible..end).find(|at| self.view.is_boundary(*at)).unwrap_or(visible)
    }

    /// Returns the white space around the current string's position, as far as it shows how the call spaces members or items.
    fn spacing(&self) -> Spacing {
        let JsonReader { key_at, colon, cursor, text, state, .. } = &*self.reader;
        let mut open = state.open().iter().rev();
        let Some(frame) = open.next() else { return Spacing::default() };
        let comma =
            |frame: &OpenBracket, at: &usize| (frame.members > 1).then(|| at.saturating_sub(cursor.comma() + 1));
        match frame.bracket {
            Bracket::Object if colon > key_at && text.from >= *colon => {
                Spacing { comma: comma(frame, key_at), colon: Some(text.from - colon) }
            }
            Bracket::Object | Bracket::Group => Spacing::default(),
            _ if frame.members > 1 => Spacing { comma: comma(frame, &text.from), colon: None },
            _ => Spacing { comma: open.next().and_then(|outer| comma(outer, key_at)), colon: None },
        }
    }

    /// Returns the current string, as the start of a search for ends up to `reach`.
    fn doubtful(&self, reach: usize) -> DoubtfulString<'_> {
        let reader = &*self.reader;
        let given = self.context.given.filter(|_| reader.place == ValuePosition::Keyword);
        DoubtfulString {
            look: self.look(),
            quote: reader.text.quote,
            raw: reader.text.raw,
            visible: self.visible(),
            at: reader.cursor.at(),
            stack: reader.state.open(),
            seen: given.unwrap_or(&reader.seen),
            place: reader.place,
            spacing: self.spacing(),
            escaped_blanks: reader.unescaped,
            reach,
            behind_end: None,
        }
    }

    /// No reading of the call is certain; the text so far becomes part of the string, up to where reading continues.
    pub(super) fn give_up(&mut self, closed: Option<usize>, furthest: usize) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let reach = self.reach();
        let upto = closed.unwrap_or(reach).min(reach);
        let mut end = match () {
            // Until too much was read ahead in vain another call is tried in what is left of a string.
            () if self.least_reach() != NEXT || self.ahead_left() > 0 => {
                self.context.markers.resume_at(self.view, at, upto)?
            }
            () if self.view.end() < upto => self.view.final_end()?,
            () => upto,
        };
        while !self.view.is_boundary(end) {
            end -= 1;
        }
        self.sink.wasted_lookahead += 4 * furthest.saturating_sub(at);
        let message = "quotes inside a string are not escaped, and no reading of the call is certain";
        self.sink().repair(Code::InnerQuote, at..at, message);
        let cut = self.view.byte(end)?.is_none() && closed.is_none() && self.sink.allows(Code::InnerQuote);
        self.put_plain(end);
        Ok(self.ended(if cut { Ended::Truncated } else { Ended::Broken }))
    }

    /// A string begins: its end may already be known.
    pub(super) fn planned(&mut self) {
        if self.reader.text.key {
            return;
        }
        self.reader.text.end = self.reader.ends.pop_front();
        if let Some(end) = self.reader.text.end {
            self.reader.text.settled = end;
        }
    }

    /// The quote that ends the string is here, if it is not lost.
    pub(super) fn planned_end(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let end = at + self.look().closer(self.reader.text.quote, at)?.unwrap_or(0);
        match self.joins(end)?.filter(|_| !self.reader.ends.is_empty()) {
            Some(Follow::Joins(next)) => self.join(end, next),
            _ => Ok(self.text_end(end)),
        }
    }
}

/// Returns whether a text contains the key of another member, or a damaged token: its string ended earlier.
fn holds_more(text: &str, token: &str) -> bool {
    let begins_member = |part: &str| part.split_once(':').is_some_and(|(key, _)| is_bare_key(key.trim()));
    let damaged = token.trim_matches(['<', '>', '|']);
    text.to_ascii_lowercase().contains(damaged) || text.split(',').skip(1).any(begins_member)
}
