//! Passes chunks on unchanged: a chunk that adds a piece to text, reasoning or a call is not parsed completely.
//! The first row that applies decides:
//!
//! | the chunk | what becomes of it |
//! |---|---|
//! | its answer is begun by the proxy, or has to hold a call and has none yet | read with care |
//! | has no known shape or no piece, or its alternative has not begun | read with care |
//! | says more than its piece, whose place before or after held text is open | read with care |
//! | adds to text or arguments, and nothing has to be held or changed | passed on unchanged |
//! | adds to reasoning: in the client's field, where no calls are looked for | passed on unchanged, else parsed |
//! | adds to arguments: of no known call, or says more | read with care |
//! | has fields, and its piece is inside a call that was text | the fields wait for the next event |
//! | any other | the parser gets the piece; the rest of the chunk is emitted |

use super::Conversion;
use crate::chat::read::usage_of;
use crate::chat::shape::ChunkTraits;
use crate::chat::write::PieceTarget;
use crate::normalize::LogprobsFate;
use crate::response_event::{Part, ResponseEvent, Usage};
use crate::sse::Frame;

impl Conversion {
    /// Passes a chunk that adds one piece on unchanged, if possible; returns whether it was handled.
    pub(super) fn glance(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> bool {
        let Some(writer) = self.writer.as_chat() else { return false };
        // The output may have to be recorded, or joined with a prefill.
        if self.opening.is_some() || self.normalizer.demands_call() && self.normalizer.meets_demand().is_none() {
            return false;
        }
        let keeps_usage = self.earlier.is_none() && writer.counts_in_chunks();
        let Some(chunk) = self.templates.look(frame, writer.envelope(), keeps_usage) else { return false };
        let ChunkTraits { choice, kind, says_more, has_fields, has_logprobs } = chunk.traits;
        let text = &*chunk.text;
        let begins = !matches!(kind, PieceTarget::Arguments(_));
        if text.is_empty() || !writer.is_under_way(choice) || !self.normalizer.keeps_number(choice, begins) {
            return false;
        }
        let (in_field, number) = match kind {
            PieceTarget::Text => (true, None),
            PieceTarget::Reasoning(field) => (writer.reasons_in(field), None),
            PieceTarget::Arguments(index) => (true, writer.function(index)),
        };
        // Other output precedes the text; if the text is a call, that may end the answer.
        let fate = self.normalizer.logprobs_fate(choice);
        let in_call = fate == LogprobsFate::Dropped && !self.normalizer.may_end_early();
        if has_logprobs && fate == LogprobsFate::Undecided
            || says_more && fate != LogprobsFate::Emitted
            || has_fields && fate != LogprobsFate::Emitted && !in_call
            || !self.unsaid.is_empty() && (self.unsaid_shape != chunk.shape || !in_call)
        {
            return false;
        }
        if !self.counted.is_empty() && self.normalizer.may_end_early() && fate != LogprobsFate::Emitted {
            // The end of the answer also reports its tokens.
            self.say_held_back();
            self.make_clean();
        }
        let passes = match kind {
            PieceTarget::Text => self.normalizer.pass_text(choice, text),
            PieceTarget::Reasoning(_) if !in_field || !self.normalizer.pass_reasoning(choice) => return false,
            PieceTarget::Reasoning(_) => true,
            // The rest of such a chunk is unknown, since only a part was parsed.
            PieceTarget::Arguments(_) if says_more || has_fields || has_logprobs => return false,
            PieceTarget::Arguments(index) => {
                let Some(call) = self.reader.continues_call(choice, index, text) else { return false };
                self.normalizer.pass_arguments(choice, (call, number), text)
            }
        };
        if passes {
            self.normalizer.events().clear();
            if let Some(writer) = self.writer.as_chat() {
                self.templates.write(&chunk, frame, writer.envelope(), out);
                writer.passed(choice, kind);
            }
        } else if in_call && has_fields {
            frame.data.clone_into(&mut self.unsaid);
            self.unsaid_shape = chunk.shape;
        } else if says_more || has_fields || has_logprobs && fate == LogprobsFate::Emitted {
            self.besides_text(frame);
        }
        if let Some(usage) = chunk.usage {
            usage.clone_into(&mut self.counted);
        }
        true
    }

    /// Reads what a chunk says besides its text, of which something has been said.
    fn besides_text(&mut self, frame: &Frame<'_>) {
        self.reader.frame(frame, &mut self.said);
        self.said.retain(|said| !matches!(said, ResponseEvent::Part { part: Part::Text(_), .. }));
        let is_early = |said: &mut ResponseEvent| {
            matches!(said, ResponseEvent::Extra(_) | ResponseEvent::Part { part: Part::Logprobs(_), .. })
        };
        self.normalizer.events().splice(0..0, self.said.extract_if(.., is_early));
    }

    /// Says the tokens that were counted and the fields that were seen in passing.
    pub(super) fn say_held_back(&mut self) {
        self.said.extend(counted(&self.counted).map(ResponseEvent::Usage));
        self.counted.clear();
        if !self.unsaid.is_empty() {
            let from = self.said.len();
            self.reader.frame(&Frame { event: None, data: &self.unsaid, raw: &[] }, &mut self.said);
            let is_field = |said: &mut ResponseEvent| matches!(said, ResponseEvent::Extra(_));
            let fields: Vec<_> = self.said.extract_if(from.., is_field).collect();
            self.said.truncate(from);
            self.said.extend(fields);
            self.unsaid.clear();
        }
    }
}

/// Returns the tokens that an object counts.
pub(super) fn counted(text: &str) -> Option<Usage> {
    serde_json::from_str(text).ok().map(usage_of)
}
