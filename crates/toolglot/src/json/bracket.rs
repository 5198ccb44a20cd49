//! Brackets: opening them, closing them, and closing what is left open at an end.

use super::reader::{Bracket, Expect, OpenBracket, ReaderStep};
use super::{Ended, ValueOutcome, ValuePosition};
use crate::diagnostic::Code;
use crate::schema::NodeId;
use crate::view::{NotYet, is_blank};

impl Bracket {
    pub(super) fn closer(self) -> u8 {
        match self {
            Self::Object | Self::Set => b'}',
            Self::Array => b']',
            Self::Tuple | Self::Group => b')',
        }
    }

    /// Returns the closing bracket in JSON.
    fn json(self) -> &'static str {
        match self {
            Self::Object => "}",
            Self::Array | Self::Tuple | Self::Set => "]",
            Self::Group => "",
        }
    }
}

impl ReaderStep<'_> {
    /// Opens the bracket at the reader's place around values that `node` governs.
    pub(super) fn open(&mut self, bracket: Bracket, node: Option<NodeId>) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.reader.at;
        if self.reader.stack.len() >= self.context.options.limits.depth {
            self.sink().diagnose(Code::LimitDepth, at..at + 1, "value nested too deeply (limit `depth`); ended here");
            return self.ended(Ended::Truncated);
        }
        self.reader.at += 1;
        self.reader.stack.push(OpenBracket { bracket, node, members: 0, doubled: false, wrapped: false });
        let (need, json) = match bracket {
            Bracket::Object => (Expect::Key, "{"),
            Bracket::Array | Bracket::Tuple | Bracket::Set => (Expect::Element, "["),
            Bracket::Group => (Expect::Member, ""),
        };
        self.reader.need = need;
        self.put(json);
        Ok(None)
    }

    /// Says whether a closing bracket closes anything that is open.
    pub(super) fn is_open(&self, closer: u8) -> bool {
        self.reader.stack.iter().any(|frame| frame.bracket.closer() == closer)
    }

    /// Reads a closing bracket where one may stand.
    pub(super) fn closing(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.reader.at;
        let Some(&frame) = self.reader.stack.last() else { return self.ended(Ended::Broken) };
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
        let one = frame.bracket == Bracket::Tuple && frame.members == 1;
        if !one && !self.admit_trailing() {
            return self.ended(Ended::Broken);
        }
        self.pop(end)
    }

    /// Says whether a bracket may close here although a comma stands before it.
    fn admit_trailing(&mut self) -> bool {
        let span = self.reader.comma..self.reader.comma + 1;
        self.reader.pending.is_empty()
            || self.admit(Code::TrailingComma, span, "dropped a comma before a closing bracket")
    }

    /// Closes the innermost bracket; everything before `end` belongs to it.
    fn pop(&mut self, end: usize) -> Result<Option<ValueOutcome>, NotYet> {
        self.reader.at = end;
        if self.reader.pending.starts_with(',') {
            self.reader.pending.remove(0);
        }
        self.put_pending();
        self.pop_frame(true);
        self.value_end()
    }

    fn pop_frame(&mut self, closed: bool) {
        let outermost = self.reader.stack.len() == 1;
        if outermost && self.unwrap_held() {
            self.reader.stack.clear();
            return;
        }
        let Some(frame) = self.reader.stack.pop() else { return };
        self.put(frame.bracket.json());
        if frame.wrapped {
            self.put("]");
        }
        if outermost && closed {
            self.missing_parameters();
        }
        self.settle_bracket(frame.members);
    }

    /// A value is whole.
    pub(super) fn value_end(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        if !self.settle_string() {
            return self.ended(Ended::Broken);
        }
        self.reader.need = if self.reader.stack.is_empty() { Expect::Done } else { Expect::After };
        Ok(None)
    }

    /// Reads a closing bracket of the wrong kind; what follows says which of the brackets was meant.
    fn wrong_closing(&mut self, byte: u8) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.reader.at;
        let depth = self.reader.stack.len();
        let (closers, comma) = self.closers_ahead(at + 1)?;
        let outer = self.reader.stack.iter().rev().position(|frame| frame.bracket.closer() == byte);
        match outer {
            None if byte == b')' && self.reader.place == ValuePosition::Keyword => {
                self.reader.pending.clear();
                let admitted =
                    self.admit(Code::MissingBracket, at..at, "inserted a missing closing bracket before `)`");
                self.ended(if admitted { Ended::Cut } else { Ended::Broken })
            }
            None if closers >= depth || (comma && depth == 1) => {
                let message = "dropped a closing bracket that closes nothing";
                self.repaired(Code::ExtraCloser, at..at + 1, message, |turn| turn.reader.at = at + 1)
            }
            Some(up) if !(closers > 0 && closers + 1 >= depth || comma && up + 1 == depth) => self.close_inner(up),
            _ => self.close_wrong(),
        }
    }

    /// Reads the bracket at hand as the one that closes the innermost.
    ///
    /// The arguments end with it only where the call may end behind it.
    fn close_wrong(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.reader.at;
        let root = self.reader.stack.len() == 1 && self.reader.place == ValuePosition::Arguments;
        if root && !self.context.markers.may_end_call(self.view, at + 1)? {
            return self.ended(Ended::Broken);
        }
        let message = "read a closing bracket of the wrong kind as the right one";
        if !self.admit(Code::WrongBracket, at..at + 1, message) || !self.admit_trailing() {
            return self.ended(Ended::Broken);
        }
        self.pop(at + 1)
    }

    /// Closes the brackets inside the one that the bracket at hand closes.
    fn close_inner(&mut self, count: usize) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.reader.at;
        let message = "inserted a missing closing bracket before one of another kind";
        if !self.admit(Code::WrongBracket, at..at, message) || !self.admit_trailing() {
            return self.ended(Ended::Broken);
        }
        self.reader.pending.clear();
        for _ in 0..count {
            self.pop_frame(true);
        }
        self.reader.need = Expect::After;
        Ok(None)
    }

    /// Counts the closing brackets ahead, as far as they matter; says whether a comma comes first.
    fn closers_ahead(&self, from: usize) -> Result<(usize, bool), NotYet> {
        let mut count = 0;
        let mut at = from;
        while count <= self.reader.stack.len() {
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

    /// Ends the reading; what is open is closed, so that what was emitted is JSON.
    pub(super) fn ended(&mut self, how: Ended) -> Result<Option<ValueOutcome>, NotYet> {
        let at = self.reader.at;
        self.reader.pending.clear();
        if self.reader.emitted || (how != Ended::Broken && !self.holds_root_string()) {
            self.close_all(how);
        } else {
            self.drop_held();
            self.reader.stack.clear();
        }
        Ok(Some(ValueOutcome { at, how }))
    }

    fn close_all(&mut self, how: Ended) {
        let key = self.reader.need == Expect::Text && self.reader.text.key;
        match self.reader.need {
            Expect::Text => self.put("\""),
            Expect::Member => self.put("null"),
            Expect::Colon => self.put(":null"),
            _ => {}
        }
        if key {
            self.put(":null");
        }
        if how != Ended::Cut {
            self.release_string();
        }
        self.settle_string();
        while !self.reader.stack.is_empty() {
            self.pop_frame(how == Ended::Cut);
        }
        self.release_held();
    }
}
