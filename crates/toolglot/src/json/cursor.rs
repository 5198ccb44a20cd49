//! The reader's place in the input, and what of the input before it waits to go out.

/// The reader's place in the input, which only moves on, and what waits to go out before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cursor {
    at: usize,
    emitted: bool,
    /// Where the last comma is.
    comma: usize,
    /// That comma and the blanks after it, until what follows shows that it belongs there.
    pub(super) pending: String,
    /// Escapes on their way out; kept for its memory.
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

    /// Returns whether anything of the value went out.
    pub(super) fn has_emitted(&self) -> bool {
        self.emitted
    }

    /// Everything up to the cursor goes out.
    pub(super) fn emit(&mut self) {
        self.emitted = true;
    }

    /// Moves to `end` over input that goes out; returns where it begins.
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

    /// A comma that is at the cursor and ends at `end` waits.
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

    /// The comma that waits belongs nowhere; the blanks after it stay.
    pub(super) fn drop_comma(&mut self) {
        if self.pending.starts_with(',') {
            self.pending.remove(0);
        }
    }

    pub(super) fn drop_pending(&mut self) {
        self.pending.clear();
    }
}
