//! Arguments as lines of `key: value`, which are a guess.

use super::look::{Ahead, KEY};
use super::reader::ReaderStep;
use super::write::write_string;
use super::{Ended, ValueOutcome};
use crate::diagnostic::Code;
use crate::lines::{self, LineMember};
use crate::view::NotYet;

impl ReaderStep<'_> {
    /// Returns whether lines may be read here, and the first of them has a key.
    pub(super) fn lines_ahead(&self) -> Result<bool, NotYet> {
        let at = self.at();
        let allowed = self.is_root() && self.sink.allows(Code::KeyValueLines);
        Ok(allowed && self.look().opens(at)?.is_none() && matches!(self.look().key(at, KEY)?, Ahead::Found(_)))
    }

    /// Reads all lines up to a marker or the end; each must have a key.
    pub(super) fn lines(&mut self) -> Result<Option<ValueOutcome>, NotYet> {
        let (at, view) = (self.at(), self.view);
        let mut end = at;
        while let Some(byte) = view.byte(end)?
            && !self.stops(byte, end)?
        {
            end += 1;
        }
        let text = view.slice(at, end).trim_end();
        let span = at..at + text.len();
        let message = "read lines of `key: value` as an object";
        let Some(members) = lines::members(text).filter(|_| self.admit(Code::KeyValueLines, span.clone(), message))
        else {
            return Ok(self.ended(Ended::Broken));
        };
        let json = self.object_of(&members);
        let whole = self.reread(&json, None, self.reader.level);
        self.skip_to(span.end);
        match whole {
            Some(whole) => self.adopt(&whole, &span, |_| None),
            None => self.put(&json),
        }
        Ok(self.value_end())
    }

    /// Returns keys and values as a JSON object; it is then read as if it had arrived as JSON.
    fn object_of(&self, members: &[LineMember<'_>]) -> String {
        let mut json = String::from("{");
        for (index, member) in members.iter().enumerate() {
            json.push_str(if index == 0 { "" } else { ", " });
            write_string(member.key, &mut json);
            json.push_str(": ");
            let node = self.context.schema.and_then(|schema| schema.root().property(member.key));
            member.value.write(node, self.context.options, &mut json);
        }
        json + "}"
    }
}
