//! What goes out: the reader's place in the input, and what was said of the input before it.

use super::reader::ReaderStep;
use super::write::write_escaped;
use crate::sink::Sink;

/// The reader's place in the input, which only moves on, and what waits to go out before it.
#[derive(Clone, Debug)]
pub(super) struct Cursor {
    at: usize,
    emitted: bool,
    /// Where the last comma stands.
    comma: usize,
    /// That comma and the blanks behind it, until what follows shows that it belongs there.
    pending: String,
    /// Escapes on their way out; kept for its memory.
    scratch: String,
}

impl Cursor {
    pub(super) fn new(at: usize) -> Self {
        Self { at, emitted: false, comma: at, pending: String::new(), scratch: String::new() }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn skip_to(&mut self, end: usize) {
        debug_assert!(end >= self.at, "the cursor goes back from {} to {end}", self.at);
        self.at = end;
    }

    /// Says whether anything of the value went out.
    pub(super) fn has_emitted(&self) -> bool {
        self.emitted
    }

    /// Everything up to `end` went out by another way.
    pub(super) fn emitted_to(&mut self, end: usize) {
        (self.at, self.emitted) = (end, true);
    }

    pub(super) fn comma(&self) -> usize {
        self.comma
    }

    pub(super) fn holds_comma(&self) -> bool {
        !self.pending.is_empty()
    }

    /// A comma that stands at the cursor and ends at `end` waits.
    pub(super) fn hold_comma(&mut self, end: usize) {
        self.comma = self.at;
        self.pending.push(',');
        self.skip_to(end);
    }

    /// Notes a comma that went out.
    pub(super) fn note_comma(&mut self, at: usize) {
        self.comma = at;
    }

    pub(super) fn hold_blanks(&mut self, blanks: &str) {
        self.pending.push_str(blanks);
        self.at += blanks.len();
    }

    /// The comma that waits belongs nowhere; the blanks behind it stay.
    pub(super) fn drop_comma(&mut self) {
        if self.pending.starts_with(',') {
            self.pending.remove(0);
        }
    }

    pub(super) fn drop_pending(&mut self) {
        self.pending.clear();
    }
}

impl ReaderStep<'_> {
    /// Returns the reader's place.
    pub(super) fn at(&self) -> usize {
        self.reader.cursor.at()
    }

    /// Leaves out the input up to `end`.
    pub(super) fn skip_to(&mut self, end: usize) {
        self.reader.cursor.skip_to(end);
    }

    /// Returns the sink, to which everything that was put has been said.
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
        self.reader.cursor.emitted = true;
        let at = self.at();
        if self.is_source(json) {
            self.run.end = at;
        } else {
            self.sink().arguments(at, json);
            self.run = at..at;
        }
    }

    /// Emits the input up to `end` as it stands.
    pub(super) fn put_source(&mut self, end: usize) {
        let from = std::mem::replace(&mut self.reader.cursor.at, end);
        if self.reader.deferred.is_on() {
            let source = self.view.slice(from, end);
            self.hold_on(source);
            return;
        }
        self.reader.cursor.emitted |= end > from;
        if self.run.end != from {
            self.sink();
            self.run = from..from;
        }
        self.run.end = end;
    }

    /// Emits the input up to `end` as it stands in a JSON string, where nothing is held.
    pub(super) fn put_escaped(&mut self, end: usize) {
        let from = std::mem::replace(&mut self.reader.cursor.at, end);
        self.reader.cursor.emitted |= end > from;
        let source = self.view.slice(from, end);
        self.sink().escaped(end, source);
        self.run = end..end;
    }

    /// Says whether JSON is the input right before the reader's place, and nothing but what is in the run before that.
    fn is_source(&self, json: &str) -> bool {
        let Some(start) = self.at().checked_sub(json.len()) else { return false };
        start == self.run.end && self.view.rest(start).starts_with(json.as_bytes())
    }

    /// Emits the comma that was waiting.
    pub(super) fn put_pending(&mut self) {
        if !self.reader.cursor.pending.is_empty() {
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
            return self.put_escaped(end);
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
