//! The reader's position in the input, and pending input before it.

/// The reader's position in the input, which only moves forward, and the pending input before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    at: usize,
    emitted: bool,
    /// The position of the last comma.
    comma: usize,
    /// A pending comma and the white space after it, until the next byte shows that it belongs there.
    pub(super) pending: String,
    /// A buffer for escapes; kept for its memory.
    pub(super) scratch: String,
}

impl Cursor {
    pub(super) fn new(at: usize) -> Self {
        Self { at, comma: at, ..Self::default() }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn skip_to(&mut self, end: usize) {
        debug_assert!(end >= self.at, "the cursor goes back from {} to {end}", self.at);
        self.at = end;
    }

    /// Returns whether any of the value has been emitted.
    pub(super) fn has_emitted(&self) -> bool {
        self.emitted
    }

    /// Emits everything up to the cursor.
    pub(super) fn emit(&mut self) {
        self.emitted = true;
    }

    /// Moves to `end` over input that is emitted; returns where it begins.
    pub(super) fn emit_to(&mut self, end: usize) -> usize {
        let from = std::mem::replace(&mut self.at, end);
        self.emitted |= end > from;
        from
    }

    pub(super) fn comma(&self) -> usize {
        self.comma
    }

    pub(super) fn holds_comma(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Makes the comma at the cursor, which ends at `end`, pending.
    pub(super) fn hold_comma(&mut self, end: usize) {
        self.comma = self.at;
        self.pending.push(',');
        self.skip_to(end);
    }

    /// Records a comma that was emitted.
    pub(super) fn note_comma(&mut self, at: usize) {
        self.comma = at;
    }

    pub(super) fn hold_blanks(&mut self, blanks: &str) {
        self.pending.push_str(blanks);
        self.at += blanks.len();
    }

    /// Drops the pending comma; the white space after it stays.
    pub(super) fn drop_comma(&mut self) {
        if self.pending.starts_with(',') {
            self.pending.remove(0);
        }
    }

    pub(super) fn drop_pending(&mut self) {
        self.pending.clear();
    }
}
