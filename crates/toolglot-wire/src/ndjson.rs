//! Newline-delimited JSON, read from chunks of any size.

use memchr::memchr;

use crate::fault::{Fault, FaultKind};
use crate::policy::WireLimits;

/// Reads lines from chunks of any size; blank lines are skipped.
#[derive(Clone, Debug)]
pub struct NdjsonReader {
    bytes: Vec<u8>,
    start: usize,
    seen: usize,
    max_line: usize,
    dead: bool,
}

impl NdjsonReader {
    /// Returns a reader with these limits.
    pub fn new(limits: &WireLimits) -> Self {
        // A line is a whole event.
        Self { bytes: Vec::new(), start: 0, seen: 0, max_line: limits.event, dead: false }
    }

    /// Adds bytes; then call `next_line` until it returns `None`.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.dead {
            return;
        }
        self.bytes.drain(..self.start);
        self.seen -= self.start;
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete line.
    pub fn next_line(&mut self) -> Option<Result<&[u8], Fault>> {
        while !self.dead {
            let found = memchr(b'\n', &self.bytes[self.seen..]).map(|at| self.seen + at);
            let end = found.unwrap_or(self.bytes.len());
            if end - self.start > self.max_line {
                return Some(Err(self.die()));
            }
            self.seen = end;
            let at = found?;
            let line = self.start..at;
            (self.start, self.seen) = (at + 1, at + 1);
            if !self.bytes[line.clone()].trim_ascii().is_empty() {
                return Some(Ok(self.bytes[line].trim_ascii()));
            }
        }
        None
    }

    /// Returns the last line if the input ended without a line feed.
    pub fn finish(&mut self) -> Option<&[u8]> {
        let rest = self.start..self.bytes.len();
        (self.start, self.seen) = (rest.end, rest.end);
        Some(self.bytes[rest].trim_ascii()).filter(|line| !line.is_empty())
    }

    /// Returns the number of buffered bytes.
    pub fn held(&self) -> usize {
        self.bytes.len() - self.start
    }

    fn die(&mut self) -> Fault {
        self.dead = true;
        self.bytes = Vec::new();
        (self.start, self.seen) = (0, 0);
        let message = format!("the model server sent a line longer than {} bytes", self.max_line);
        Fault::new(FaultKind::Upstream, message).with_code("line_too_long")
    }
}

/// Writes a value as a line.
pub fn write_line(value: &impl serde::Serialize, out: &mut Vec<u8>) {
    // Serialisation only fails for keys that are not strings.
    let _ = serde_json::to_writer(&mut *out, value);
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(reader: &mut NdjsonReader, found: &mut Vec<String>) {
        while let Some(line) = reader.next_line() {
            found.push(String::from_utf8_lossy(line.unwrap()).into_owned());
        }
    }

    #[test]
    fn lines_are_read_at_every_split() {
        let text = "{\"a\": \"é\"}\r\n\n{\"b\": 2}\n  \n[3]";
        for at in 0..=text.len() {
            let mut reader = NdjsonReader::new(&WireLimits::default());
            let mut found = Vec::new();
            for piece in [&text.as_bytes()[..at], &text.as_bytes()[at..]] {
                reader.push(piece);
                lines(&mut reader, &mut found);
            }
            found.extend(reader.finish().map(|line| String::from_utf8_lossy(line).into_owned()));
            assert_eq!(found, ["{\"a\": \"é\"}", "{\"b\": 2}", "[3]"]);
        }
    }

    #[test]
    fn a_line_without_end_is_a_fault_once() {
        let mut reader = NdjsonReader::new(&WireLimits::default().with_event(8));
        reader.push(b"{}\n123456789");
        assert_eq!(reader.next_line().unwrap().unwrap(), b"{}");
        assert_eq!(reader.next_line().unwrap().unwrap_err().code.as_deref(), Some("line_too_long"));
        reader.push(b"\n{}\n");
        assert!(reader.next_line().is_none());
        assert!(reader.finish().is_none());
    }

    #[test]
    fn what_is_written_is_one_line() {
        let mut out = Vec::new();
        write_line(&toolglot_json::json!({"a": "b\nc"}), &mut out);
        assert_eq!(out, b"{\"a\":\"b\\nc\"}\n");
    }
}
