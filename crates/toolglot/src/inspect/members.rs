//! The keys and values in the text of arguments, which arrives in pieces.

use std::ops::Range;

use super::ByteKind;

/// A part of a key or a value: a string without its quotes, a number, a literal.
#[derive(Clone, Debug)]
pub(super) struct Member {
    /// Key or value.
    pub(super) kind: ByteKind,
    /// Its position in the piece.
    pub(super) json: Range<usize>,
    /// It began in an earlier piece.
    pub(super) continues: bool,
    /// It may end in a later piece.
    pub(super) is_open: bool,
}

/// The state of the JSON object at the beginning of a piece.
#[derive(Clone, Debug, Default)]
pub(super) struct MemberReader {
    /// The open containers; true for objects.
    open: Vec<bool>,
    expects_key: bool,
    string: bool,
    escaped: bool,
    /// The last piece ended within a literal or a string.
    inside: bool,
}

impl MemberReader {
    /// Returns whether nothing was read yet.
    pub(super) fn is_new(&self) -> bool {
        self.open.is_empty() && !self.string && !self.inside
    }

    /// Returns the keys and values of the next piece, in order.
    pub(super) fn read(&mut self, piece: &str) -> Vec<Member> {
        let mut members: Vec<Member> = Vec::new();
        let mut continues = std::mem::take(&mut self.inside);
        for (at, byte) in piece.bytes().enumerate() {
            if !self.is_content(byte) {
                continues = false;
                continue;
            }
            match members.last_mut().filter(|last| last.json.end == at) {
                Some(last) => last.json.end = at + 1,
                None => {
                    let kind = if self.expects_key { ByteKind::Key } else { ByteKind::Value };
                    members.push(Member { kind, json: at..at + 1, continues: continues && at == 0, is_open: false });
                }
            }
        }
        if let Some(last) = members.last_mut().filter(|last| last.json.end == piece.len()) {
            (last.is_open, self.inside) = (true, true);
        }
        self.inside |= self.string;
        members
    }

    /// Takes a byte; returns whether it belongs to a key or a value.
    fn is_content(&mut self, byte: u8) -> bool {
        if self.string {
            let ends = byte == b'"' && !self.escaped;
            self.escaped = byte == b'\\' && !self.escaped;
            self.string = !ends;
            return !ends;
        }
        match byte {
            b'"' => self.string = true,
            b'{' | b'[' => self.open.push(byte == b'{'),
            b'}' | b']' => drop(self.open.pop()),
            b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
            _ => return true,
        }
        match byte {
            b'{' | b',' | b'[' | b'}' | b']' => self.expects_key = byte != b']' && self.open.last() == Some(&true),
            b':' => self.expects_key = false,
            _ => {}
        }
        false
    }
}
