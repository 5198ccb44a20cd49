//! Reads and writes server-sent events.

use std::ops::Range;

use memchr::memchr2;

use crate::fault::{Fault, FaultKind};
use crate::policy::WireLimits;

/// An event of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// The event's name, if it has one.
    pub event: Option<&'a str>,
    /// Its data; several lines are joined by a line feed.
    pub data: &'a str,
    /// Its raw bytes, including the blank line at its end.
    pub raw: &'a [u8],
}

impl Frame<'_> {
    /// Returns whether invalid UTF-8 was replaced by U+FFFD.
    pub(crate) fn is_damaged(&self) -> bool {
        self.data.contains('\u{fffd}') && std::str::from_utf8(self.raw).is_err()
    }
}

/// Reads frames from chunks of any size.
///
/// A line ends with LF, CRLF or CR. Events without data, such as comments, are skipped. Invalid UTF-8 is replaced by U+FFFD.
///
/// # Example
/// ```
/// use toolglot_wire::{SseReader, WireLimits};
/// let mut reader = SseReader::new(&WireLimits::default());
/// reader.push(b"data: {\"a\"");
/// assert!(reader.next_frame().is_none());
/// reader.push(b": 1}\r\n\r\n");
/// let frame = reader.next_frame().unwrap()?;
/// assert_eq!(frame.data, r#"{"a": 1}"#);
/// # Ok::<(), toolglot_wire::Fault>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct SseReader {
    bytes: Vec<u8>,
    /// The start of the current frame; other offsets are relative to it.
    start: usize,
    /// The start of the current line.
    line: usize,
    /// How far the line has been searched for its end.
    seen: usize,
    /// Whether the last line ended with CR, to which a following LF belongs.
    after_cr: bool,
    /// Whether a line has been read, so that no byte order mark can follow.
    begun: bool,
    event: Option<Range<usize>>,
    /// The lines of data.
    data: Vec<Range<usize>>,
    /// The frame's name and data if they are not contiguous UTF-8 in `bytes`.
    texts: [String; 2],
    limits: WireLimits,
    dead: bool,
}

impl SseReader {
    /// Returns a reader with these limits.
    pub fn new(limits: &WireLimits) -> Self {
        Self { limits: *limits, ..Self::default() }
    }

    /// Adds bytes; then call `next_frame` until it returns `None`.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.dead {
            return;
        }
        self.bytes.drain(..self.start);
        self.start = 0;
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next complete frame.
    pub fn next_frame(&mut self) -> Option<Result<Frame<'_>, Fault>> {
        if let Some(ended) = self.usual_frame() {
            return Some(Ok(self.frame(ended)));
        }
        while let Some(line) = self.next_line() {
            match line {
                Ok(line) if line.is_empty() => {
                    if let Some(ended) = self.end_frame() {
                        return Some(Ok(self.frame(ended)));
                    }
                }
                Ok(line) => self.field(line),
                Err(fault) => return Some(Err(fault)),
            }
        }
        None
    }

    /// Returns the last frame if the input ended without the blank line after it.
    pub fn finish(&mut self) -> Option<Frame<'_>> {
        let rest = self.line..self.bytes.len() - self.start;
        if self.dead {
            return None;
        }
        if !rest.is_empty() {
            self.line = rest.end;
            self.seen = rest.end;
            self.field(rest);
        }
        let ended = self.end_frame()?;
        Some(self.frame(ended))
    }

    /// Returns the number of buffered bytes.
    pub fn held(&self) -> usize {
        self.bytes.len() - self.start
    }

    /// Fast path for the most common frame: one line of data and a blank one.
    fn usual_frame(&mut self) -> Option<FrameBounds> {
        // A partly searched frame takes the slow path.
        if self.seen > 0 || self.after_cr || !self.begun {
            return None;
        }
        let bytes = self.bytes.get(self.start..).filter(|bytes| bytes.starts_with(FIELD))?;
        let end = memchr2(b'\n', b'\r', bytes)?;
        if !bytes[end..].starts_with(b"\n\n") || end > self.limits.line || end >= self.limits.event {
            return None;
        }
        let raw = self.start..self.start + end + 2;
        self.start = raw.end;
        self.data.push(FIELD.len()..end);
        Some(FrameBounds { raw, event: None })
    }

    /// Returns the next whole line, without its end.
    fn next_line(&mut self) -> Option<Result<Range<usize>, Fault>> {
        if self.dead {
            return None;
        }
        let bytes = &self.bytes[self.start..];
        if self.after_cr && self.line < bytes.len() {
            self.after_cr = false;
            if bytes[self.line] == b'\n' {
                self.line += 1;
                self.seen = self.line;
            }
        }
        let found = memchr2(b'\n', b'\r', &bytes[self.seen..]).map(|at| self.seen + at);
        let end = found.unwrap_or(bytes.len());
        // The exceeded limit must not depend on how much has arrived: it is the one that the first excess byte exceeds.
        let WireLimits { line, event, .. } = self.limits;
        let line_end = self.line.saturating_add(line);
        if end > line_end.min(event) {
            return Some(Err(match line_end <= event {
                true => self.die("line", line, "line_too_long"),
                false => self.die("event", event, "event_too_large"),
            }));
        }
        self.seen = end;
        let at = found?;
        self.after_cr = bytes[at] == b'\r';
        let line = self.line..at;
        (self.line, self.seen) = (at + 1, at + 1);
        Some(Ok(self.without_mark(line)))
    }

    fn die(&mut self, what: &str, limit: usize, code: &str) -> Fault {
        self.dead = true;
        self.bytes = Vec::new();
        self.start = 0;
        let message = format!("the model server sent a stream {what} longer than {limit} bytes (`limits.{what}`)");
        Fault::new(FaultKind::Upstream, message).with_code(code)
    }

    /// Drops a byte order mark from the first line.
    fn without_mark(&mut self, line: Range<usize>) -> Range<usize> {
        let mark =
            !std::mem::replace(&mut self.begun, true) && self.bytes[self.start..][line.clone()].starts_with(MARK);
        line.start + if mark { MARK.len() } else { 0 }..line.end
    }

    /// Reads one field of a frame.
    fn field(&mut self, line: Range<usize>) {
        let text = &self.bytes[self.start..][line.clone()];
        let colon = memchr::memchr(b':', text).unwrap_or(text.len());
        let space = usize::from(text.get(colon + 1) == Some(&b' '));
        let value = (line.start + colon + 1 + space).min(line.end)..line.end;
        match &text[..colon] {
            b"event" => self.event = Some(value),
            b"data" => self.data.push(value),
            _ => {}
        }
    }

    /// Ends the frame; returns its bounds unless it has no data.
    fn end_frame(&mut self) -> Option<FrameBounds> {
        let raw = self.start..self.start + self.line;
        let event = self.event.take();
        self.start = raw.end;
        (self.line, self.seen) = (0, 0);
        (!self.data.is_empty()).then_some(FrameBounds { raw, event })
    }

    fn frame(&mut self, ended: FrameBounds) -> Frame<'_> {
        let raw = &self.bytes[ended.raw];
        let [name, text] = &mut self.texts;
        let event = ended.event.map(|event| as_text(&raw[event], name));
        let data = match self.data.as_slice() {
            [line] => as_text(&raw[line.clone()], text),
            lines => {
                let lines: Vec<&[u8]> = lines.iter().map(|line| &raw[line.clone()]).collect();
                *text = String::from_utf8_lossy(&lines.join(&b'\n')).into_owned();
                text
            }
        };
        // Not taken above, so that its memory serves all frames.
        self.data.clear();
        Frame { event: event.filter(|name| !name.is_empty()), data, raw }
    }
}

/// The bounds of a complete frame, and of its name.
struct FrameBounds {
    raw: Range<usize>,
    event: Option<Range<usize>>,
}

/// Returns bytes as text; invalid UTF-8 is replaced, using `place` as storage.
pub(crate) fn as_text<'a>(bytes: &'a [u8], place: &'a mut String) -> &'a str {
    match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(_) => {
            *place = String::from_utf8_lossy(bytes).into_owned();
            place
        }
    }
}

/// Writes an event; the data must not contain line breaks.
pub fn write_frame(event: Option<&str>, data: &[u8], out: &mut Vec<u8>) {
    if let Some(event) = event {
        out.extend_from_slice(b"event: ");
        out.extend_from_slice(event.as_bytes());
        out.push(b'\n');
    }
    out.extend_from_slice(b"data: ");
    out.extend_from_slice(data);
    out.extend_from_slice(b"\n\n");
}

/// Writes an event with JSON data.
pub fn write_json(event: Option<&str>, data: &impl serde::Serialize, out: &mut Vec<u8>) {
    write_frame(event, b"", out);
    out.truncate(out.len() - 2);
    // Serialisation only fails for keys that are not strings.
    let _ = serde_json::to_writer(&mut *out, data);
    out.extend_from_slice(b"\n\n");
}

const FIELD: &[u8] = b"data: ";

const MARK: &[u8] = "\u{feff}".as_bytes();

#[cfg(test)]
mod tests;
