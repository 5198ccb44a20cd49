//! Writes one event of a Responses stream field by field.

/// An event that is being written; dropping it ends it.
pub(super) struct EventBuilder<'a> {
    out: &'a mut Vec<u8>,
}

impl<'a> EventBuilder<'a> {
    /// Begins the next event of a stream; its name is given in pieces, so that none is built for each delta.
    pub(super) fn new(name: &[&str], sequence: &mut u64, out: &'a mut Vec<u8>) -> Self {
        out.extend_from_slice(b"event: ");
        name.iter().for_each(|piece| out.extend_from_slice(piece.as_bytes()));
        out.extend_from_slice(b"\ndata: {\"type\":\"");
        name.iter().for_each(|piece| out.extend_from_slice(piece.as_bytes()));
        out.push(b'"');
        let number = *sequence;
        *sequence += 1;
        Self { out }.json("sequence_number", &number.to_string())
    }

    pub(super) fn number(self, key: &str, number: usize) -> Self {
        self.json(key, &number.to_string())
    }

    pub(super) fn text(mut self, key: &str, text: &str) -> Self {
        self.key(key);
        // Writing a text to memory cannot fail.
        let _ = serde_json::to_writer(&mut *self.out, text);
        self
    }

    /// Appends a field whose value is JSON text.
    pub(super) fn json(mut self, key: &str, json: &str) -> Self {
        self.key(key);
        self.out.extend_from_slice(json.as_bytes());
        self
    }

    fn key(&mut self, key: &str) {
        for piece in [",\"", key, "\":"] {
            self.out.extend_from_slice(piece.as_bytes());
        }
    }
}

impl Drop for EventBuilder<'_> {
    fn drop(&mut self) {
        self.out.extend_from_slice(b"}\n\n");
    }
}
