//! Arguments as lines of `key: value`, which is a guess.

use std::ops::Range;

use super::look::{Ahead, KEY};
use super::reader::Turn;
use super::value::excerpt;
use super::write::write_string;
use super::{End, Ended};
use crate::coerce::Verdict;
use crate::diagnostic::Code;
use crate::lines::{self, Member};
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
        let message = "lines of keys and values were read as an object";
        let Some(members) = lines::members(text).filter(|_| self.admit(Code::KeyValueLines, span.clone(), message))
        else {
            return self.ended(Ended::Broken);
        };
        self.reader.at = span.end;
        self.put("{");
        for (index, member) in members.iter().enumerate() {
            self.line(index, member, span.clone());
        }
        self.put("}");
        self.missing_parameters();
        self.value_end()
    }

    fn line(&mut self, index: usize, member: &Member<'_>, span: Range<usize>) {
        let mut json = String::from(if index == 0 { "" } else { ", " });
        write_string(member.key, &mut json);
        json.push_str(": ");
        self.parameter(member.key, span.clone());
        let node = self.context.schema.and_then(|schema| schema.root().property(member.key));
        if member.value.write(node, self.context.options, &mut json) == Verdict::Mismatch {
            let value = &self.view.slice(span.start, span.end)[member.value_at.clone()];
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
