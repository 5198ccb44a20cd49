//! The bytes that end plain text, for callers that pass on plain text by themselves.

use super::{Parser, State};
use crate::frame::Words;
use crate::options::Frame;

impl Parser {
    /// Returns the bytes that end plain text, as a table with a number other than 0 for each, if the parser is amid text or
    /// reasoning and has returned all of it.
    ///
    /// The next piece is plain if it is UTF-8, contains none of these bytes and does not end with white space, other than a single
    /// space. [`Parser::push_bytes`] returns it as one event of the same kind, and nothing else changes: bindings to slower
    /// languages create that event themselves and push plain pieces later, joined.
    pub fn stop_bytes(&self) -> Option<&[u8; 256]> {
        let (catalog, options) = (&self.engine.catalog, &self.engine.options);
        let (words, stops) = match &self.state {
            State::Scanning if self.scanner.is_amid_words() => (Words::Text, &catalog.turns),
            State::Region(region) if region.held.is_none() && region.is_reasoning => {
                (Words::Reasoning, catalog.stops_in_regions().first_bytes())
            }
            _ => return None,
        };
        let is_done = self.done || self.anchor() < self.input.end() || !self.input.partial.is_empty();
        let is_settled = options.frame == Frame::Exact || self.frame.is_amid(words);
        (is_settled && !is_done && !options.careful).then_some(&stops.places)
    }
}
