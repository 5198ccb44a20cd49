//! Brackets: opening and closing them, and closing those that are open at the end.

use super::reader::ReaderStep;
use super::state::{Bracket, OpenBracket, Token};
use super::{Ended, ValueOutcome, ValuePosition};
use crate::diagnostic::Code;
use crate::schema::NodeId;
use crate::view::{NotYet, is_blank};

impl Bracket {
    /// Returns the JSON form of the brackets.
    fn json(self) -> [&'static str; 2] {
        match self {
            Self::Object => ["{", "}"],
            Self::Array | Self::Tuple | Self::Set => ["[", "]"],
            Self::Group => ["", ""],
        }
    }
}

impl ReaderStep<'_> {
    /// Opens the bracket at the cursor; `node` is the schema of its values.
    pub(super) fn open(&mut self, bracket: Bracket, node: Option<NodeId>) -> Option<ValueOutcome> {
        let at = self.at();
        if self.reader.state.depth() >= self.context.options.limits.depth {
            self.sink().diagnose(Code::LimitDepth, at..at + 1, "value nested too deeply (limit `depth`); ended here");
            return self.ended(Ended::Truncated);
        }
        self.skip_to(self.at() + 1);
        self.reader.state.step(Token::Open(bracket, node));
        self.put(bracket.json()[0]);
        None
    }

    /// Returns whether a closing bracket closes anything that is open.
    pub(super) fn is_open(&self, closer: u8) -> bool {
        self.reader.state.open().iter().any(|frame| frame.bracket.closer() == closer)
    }

    /// Reads a closing bracket where one is allowed.
    pub(super) fn closing(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let Some(&frame) = self.reader.state.innermost() else { return Ok(self.ended(Ended::Broken)) };
        if frame.bracket.closer() != byte {
            return self.wrong_closing(byte);
        }
        let mut end = at + 1;
        if frame.doubled {
            let second = self.view.skip_blanks(end)?;
            if self.view.byte(second)? == Some(b'}') {
                end = second + 1;
            }
        }
        if self.reader.beside && self.is_parameter() {
            return Ok(self.pop(at));
        }
        if self.parameter_beside(end)? {
            let message = "dropped a bracket that closes the arguments before a parameter";
            return Ok(self.repaired(Code::ExtraCloser, at..end, message, |turn| {
                turn.skip_to(end);
                turn.reader.beside = true;
            }));
        }
        let one = frame.bracket == Bracket::Tuple && frame.members == 1;
        if !one && !self.admit_trailing() {
            return Ok(self.ended(Ended::Broken));
        }
        Ok(self.pop(end))
    }

    /// Returns whether the brace that ends at `end` closes the arguments, and a new parameter follows outside them.
    pub(super) fn parameter_beside(&self, end: usize) -> Result<bool, NotYet> {
        if !self.is_parameter() || !self.sink.allows(Code::ExtraCloser) {
            return Ok(false);
        }
        let key = self.context.markers.parameter_beside(end)?;
        Ok(key.is_some_and(|key| !self.reader.seen.contains(&key)))
    }

    /// Returns whether a bracket may close here although a comma precedes it.
    fn admit_trailing(&mut self) -> bool {
        let span = self.reader.cursor.comma()..self.reader.cursor.comma() + 1;
        !self.reader.cursor.holds_comma()
            || self.admit(Code::TrailingComma, span, "dropped a comma before a closing bracket")
    }

    /// Closes the innermost bracket, which includes everything before `end`.
    pub(super) fn pop(&mut self, end: usize) -> Option<ValueOutcome> {
        self.skip_to(end);
        self.reader.cursor.drop_comma();
        self.put_pending();
        self.pop_frame();
        self.value_end()
    }

    fn pop_frame(&mut self) {
        let outermost = self.reader.state.depth() == 1;
        if outermost && self.unwrap_held() {
            self.reader.state.end();
            return;
        }
        let Some(&frame) = self.reader.state.innermost() else { return };
        self.reader.state.step(Token::Close);
        self.put(frame.bracket.json()[1]);
        if frame.wrapped {
            self.put("]");
        }
        if outermost {
            self.missing_parameters();
        }
        self.settle_bracket(frame.members);
    }

    /// A value is whole.
    pub(super) fn value_end(&mut self) -> Option<ValueOutcome> {
        if !self.settle_string() {
            return self.ended(Ended::Broken);
        }
        self.reader.state.step(Token::Value);
        None
    }

    /// Reads a closing bracket of the wrong kind; the next bytes decide which bracket was meant.
    fn wrong_closing(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let depth = self.reader.state.depth();
        let (closers, comma) = self.closers_ahead(at + 1)?;
        // After a comma it closes something only where all is closed.
        if self.reader.cursor.holds_comma() && closers + 1 < depth {
            return Ok(self.ended(Ended::Broken));
        }
        let outer = self.reader.state.open().iter().rev().position(|frame| frame.bracket.closer() == byte);
        let next = self.view.skip_blanks(at + 1)?;
        if self.are_swapped(byte, self.view.byte(next)?) {
            let message = "read two closing brackets in the other order";
            let admitted = self.admit(Code::WrongBracket, at..next + 1, message) && self.admit_trailing();
            return Ok(if admitted { self.pop(at).or_else(|| self.pop(next + 1)) } else { self.ended(Ended::Broken) });
        }
        match outer {
            None if byte == b')' && self.reader.place == ValuePosition::Keyword => {
                self.reader.cursor.drop_pending();
                let message = "inserted a missing closing bracket before `)`";
                let admitted = !self.is_misfit(depth) && self.admit(Code::MissingBracket, at..at, message);
                Ok(self.ended(if admitted { Ended::Cut } else { Ended::Broken }))
            }
            None if closers >= depth || (comma && depth == 1) => {
                let message = "dropped a closing bracket that closes nothing";
                Ok(self.repaired(Code::ExtraCloser, at..at + 1, message, |turn| turn.skip_to(at + 1)))
            }
            Some(up) if !(closers > 0 && closers + 1 >= depth || comma && up + 1 == depth) => Ok(self.close_inner(up)),
            _ => self.close_wrong(),
        }
    }

    /// Returns whether two closing brackets close the innermost two in the wrong order, and the second none around them.
    fn are_swapped(&self, first: u8, second: Option<u8>) -> bool {
        let [.., around, outer, inner] = self.reader.state.open() else { return false };
        let [around, outer, inner] = [around, outer, inner].map(|frame| frame.bracket.closer());
        outer == first && Some(inner) == second && around != inner && !self.is_misfit(2)
    }

    /// Returns whether the schema, or JSON, does not allow one of the innermost brackets: that one may be the mistake.
    fn is_misfit(&self, count: usize) -> bool {
        let python = self.reader.place == ValuePosition::Keyword;
        let slips = |frame: &OpenBracket| frame.misfit || frame.bracket == Bracket::Tuple && !python;
        self.reader.state.open().iter().rev().take(count).any(slips)
    }

    /// Reads the current bracket as the closer of the innermost one.
    ///
    /// It ends the arguments only if the call may end after it.
    fn close_wrong(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.at();
        let root = self.reader.state.depth() == 1 && self.reader.place == ValuePosition::Arguments;
        if self.is_misfit(1) || root && !self.context.markers.may_end_call(at + 1)? {
            return Ok(self.ended(Ended::Broken));
        }
        let message = "read a closing bracket of the wrong kind as the right one";
        if !self.admit(Code::WrongBracket, at..at + 1, message) || !self.admit_trailing() {
            return Ok(self.ended(Ended::Broken));
        }
        Ok(self.pop(at + 1))
    }

    /// Closes all brackets inside the one that the current bracket closes.
    fn close_inner(&mut self, count: usize) -> Option<ValueOutcome> {
        let at = self.at();
        let message = "inserted a missing closing bracket before one of another kind";
        if self.is_misfit(count) || !self.admit(Code::WrongBracket, at..at, message) || !self.admit_trailing() {
            return self.ended(Ended::Broken);
        }
        self.reader.cursor.drop_pending();
        for _ in 0..count {
            self.pop_frame();
        }
        None
    }

    /// Counts the closing brackets ahead, as far as they matter; returns also whether a comma comes first.
    fn closers_ahead(&self, from: usize) -> Result<(usize, bool), NotYet> {
        let mut count = 0;
        let mut at = from;
        while count <= self.reader.state.depth() {
            match self.view.byte(at)? {
                Some(b'}' | b']' | b')') => count += 1,
                Some(b',') => return Ok((count, count == 0)),
                Some(byte) if is_blank(byte) => {}
                _ => break,
            }
            at += 1;
        }
        Ok((count, false))
    }

    /// Ends the reading. Open brackets are closed only if the value lacks only closing brackets; of any other value, the part
    /// so far is emitted.
    pub(super) fn ended(&mut self, how: Ended) -> Option<ValueOutcome> {
        let at = self.at();
        self.reader.cursor.drop_pending();
        match how {
            Ended::Cut => {
                while !self.reader.state.open().is_empty() {
                    self.pop_frame();
                }
                self.release_held();
            }
            Ended::Truncated if !self.holds_root_string() => self.release_held(),
            _ if self.reader.cursor.has_emitted() => self.release_held(),
            _ => self.drop_held(),
        }
        self.reader.state.end();
        Some(ValueOutcome { at, how })
    }
}
