//! The output of the reader: JSON that it made, and unchanged input.

use super::reader::ReaderStep;
use super::write::write_escaped;
use crate::sink::Sink;

impl ReaderStep<'_> {
    /// Returns the reader's position.
    pub(super) fn at(&self) -> usize {
        self.reader.cursor.at()
    }

    /// Omits the input up to `end`.
    pub(super) fn skip_to(&mut self, end: usize) {
        self.reader.cursor.skip_to(end);
    }

    /// Returns the sink, after everything pending has been emitted.
    pub(super) fn sink(&mut self) -> &mut Sink {
        if !self.run.is_empty() {
            self.sink.arguments(self.run.end, self.view.slice(self.run.start, self.run.end));
            self.run.start = self.run.end;
        }
        self.sink
    }

    /// Emits JSON for everything up to the reader's place.
    pub(super) fn put(&mut self, json: &str) {
        if json.is_empty() {
            return;
        }
        if self.reader.deferred.is_on() {
            self.hold_on(json);
            return;
        }
        self.reader.cursor.emit();
        let at = self.at();
        if self.is_source(json) {
            self.run.end = at;
        } else {
            self.sink().arguments(at, json);
            self.run = at..at;
        }
    }

    /// Emits the input up to `end` unchanged.
    pub(super) fn put_source(&mut self, end: usize) {
        if self.reader.deferred.is_on() {
            let source = self.view.slice(self.at(), end);
            self.skip_to(end);
            return self.hold_on(source);
        }
        let from = self.reader.cursor.emit_to(end);
        if self.run.end != from {
            self.sink();
            self.run = from..from;
        }
        self.run.end = end;
    }

    /// Returns whether JSON equals the input right before the reader's position, with only pending input before it.
    fn is_source(&self, json: &str) -> bool {
        let Some(start) = self.at().checked_sub(json.len()) else { return false };
        start == self.run.end && self.view.rest(start).starts_with(json.as_bytes())
    }

    /// Emits the pending comma.
    pub(super) fn put_pending(&mut self) {
        if self.reader.cursor.holds_comma() {
            let mut pending = std::mem::take(&mut self.reader.cursor.pending);
            self.put(&pending);
            pending.clear();
            self.reader.cursor.pending = pending;
        }
    }

    /// Emits content up to `end` that may need escapes.
    pub(super) fn put_plain(&mut self, end: usize) {
        let source = self.view.slice(self.at(), end);
        if !self.reader.text.key && !self.reader.deferred.is_on() {
            self.reader.cursor.emit_to(end);
            self.sink().escaped(end, source);
            self.run = end..end;
            return;
        }
        let mut json = std::mem::take(&mut self.reader.cursor.scratch);
        json.clear();
        write_escaped(source, &mut json);
        self.reader.text.changed |= json.len() > source.len();
        self.skip_to(end);
        self.put_text(&json);
        self.reader.cursor.scratch = json;
    }
}
