//! Arguments as lines of `key: value`, which is a guess.

use super::key::is_bare_key;
use super::look::{Ahead, KEY};
use super::reader::Turn;
use super::write::write_string;
use super::{End, Ended};
use crate::coerce::{self, Hint};
use crate::diagnostic::Code;
use crate::view::NotYet;

impl Turn<'_> {
    /// Says whether lines may be read here and the first of them has a key.
    pub(super) fn lines_ahead(&self) -> Result<bool, NotYet> {
        let at = self.reader.at;
        if !self.is_root() || !self.sink.allows(Code::KeyValueLines) || self.look().opens(at)?.is_some() {
            return Ok(false);
        }
        Ok(matches!(self.look().key(at, KEY)?, Ahead::Found(_)))
    }

    /// Reads all lines up to a marker or the end; each must have a key.
    pub(super) fn lines(&mut self) -> Result<Option<End>, NotYet> {
        let (at, view) = (self.reader.at, self.view);
        let end = self.lines_end()?;
        let text = view.slice(at, end).trim_end();
        let span = at..at + text.len();
        let members: Option<Vec<(&str, &str)>> =
            text.lines().filter(|line| !line.trim().is_empty()).map(member).collect();
        let message = "lines of keys and values were read as an object";
        let Some(members) = members.filter(|_| self.admit(Code::KeyValueLines, span.clone(), message)) else {
            return self.ended(Ended::Broken);
        };
        let json = self.object_of(&members);
        let whole = self.reread(&json, None, self.reader.level);
        self.reader.at = span.end;
        match whole {
            Some(whole) => self.adopt(&whole, &span, |_| None),
            None => self.put(&json),
        }
        self.value_end()
    }

    /// Returns the object that keys and values spell; it is read again as if it had come as JSON.
    fn object_of(&self, members: &[(&str, &str)]) -> String {
        let mut json = String::from("{");
        for (index, (key, value)) in members.iter().enumerate() {
            json.push_str(if index == 0 { "" } else { ", " });
            write_string(key, &mut json);
            json.push_str(": ");
            let node = self.context.schema.and_then(|schema| schema.root().property(key));
            coerce::text(value, node, Hint::None, self.context.options, &mut json);
        }
        json + "}"
    }

    fn lines_end(&self) -> Result<usize, NotYet> {
        let mut at = self.reader.at;
        while let Some(byte) = self.view.byte(at)? {
            if self.stops(byte, at)? {
                return Ok(at);
            }
            at += 1;
        }
        Ok(at)
    }
}

fn member(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once([':', '='])?;
    let key = key.trim();
    is_bare_key(key).then_some((key, value.trim()))
}
