//! Arguments as lines of `key: value`, which is a guess.

use std::ops::Range;

use super::key::is_bare_key;
use super::look::{Ahead, KEY};
use super::reader::Turn;
use super::value::excerpt;
use super::write::write_string;
use super::{End, Ended};
use crate::coerce::{self, Hint, Verdict};
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
        self.reader.at = span.end;
        self.put("{");
        for (index, (key, value)) in members.iter().enumerate() {
            self.line(index, key, value, span.clone());
        }
        self.put("}");
        self.missing_parameters();
        self.value_end()
    }

    fn line(&mut self, index: usize, key: &str, value: &str, span: Range<usize>) {
        let mut json = String::from(if index == 0 { "" } else { ", " });
        write_string(key, &mut json);
        json.push_str(": ");
        self.parameter(key, span.clone());
        let node = self.context.schema.and_then(|schema| schema.root().property(key));
        if coerce::text(value, node, Hint::None, self.context.options, &mut json) == Verdict::Mismatch {
            self.sink().diagnose(
                Code::TypeMismatch,
                span,
                format!("`{}` fits no type that the schema declares", excerpt(value)),
            );
        }
        self.put(&json);
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
