//! Passes chunks on unchanged: a chunk that adds a piece to text, reasoning or a call is not parsed completely.
//! The first row that applies decides:
//!
//! | the chunk | what happens |
//! |---|---|
//! | its answer is prefilled, or requires a call and has none yet | parsed |
//! | has no known shape or no piece, or its alternative has not begun | parsed |
//! | has more than its piece, which may have to come before or after text that is held back | parsed |
//! | adds to text or arguments, and nothing must be held back or changed | passed on unchanged |
//! | adds to reasoning, in the client's field, before any call | passed on unchanged |
//! | adds to other reasoning, or to arguments of an unknown call or with more than the piece | parsed |
//! | has unknown fields, and its piece is inside a call in text | the fields wait for the next event |
//! | any other | the piece is read, and the rest of the chunk is emitted |

use super::{ClientWriter, Conversion};
use crate::chat::read::usage_of;
use crate::chat::shape::ChunkTraits;
use crate::chat::write::PieceTarget;
use crate::normalize::LogprobsFate;
use crate::response_event::{Part, ResponseEvent, Usage};
use crate::sse::Frame;

impl Conversion {
    /// Passes a chunk that adds one piece on unchanged, if possible; returns whether it was handled.
    pub(super) fn glance(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> bool {
        let ClientWriter::Chat(writer) = &self.writer else { return false };
        // The output may have to be recorded, or joined with a prefill.
        if self.opening.is_some() || self.normalizer.demands_call() && self.normalizer.meets_demand().is_none() {
            return false;
        }
        let keeps_usage = self.earlier.is_none() && writer.counts_in_chunks;
        let Some(chunk) = self.templates.look(frame, &writer.envelope, keeps_usage) else { return false };
        let ChunkTraits { choice, kind, says_more, has_fields, has_logprobs } = chunk.traits;
        let text = &*chunk.text;
        // Arguments continue a call, so their alternative has begun.
        let begins = !matches!(kind, PieceTarget::Arguments(_));
        // A chunk without a piece was sent for its other fields. One that is passed on unchanged keeps the server's
        // number of the alternative, and must not come before the role.
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
        // If only one call is allowed, the answer may end with it, and fields that wait would be lost.
        let in_call = fate == LogprobsFate::Dropped && !self.normalizer.may_end_early();
        if has_logprobs && fate == LogprobsFate::Undecided
            || says_more && fate != LogprobsFate::Emitted
            || has_fields && fate != LogprobsFate::Emitted && !in_call
            || !self.unread.is_empty() && (self.unread_shape != chunk.shape || !in_call)
        {
            return false;
        }
        if !self.counted.is_empty() && self.normalizer.may_end_early() && fate != LogprobsFate::Emitted {
            // A call may end the answer now, and its end reports the tokens.
            self.emit_unread();
            self.normalize();
        }
        let passes = match kind {
            PieceTarget::Text => self.normalizer.pass_text(choice, text),
            PieceTarget::Reasoning(_) if !in_field || !self.normalizer.pass_reasoning(choice) => return false,
            PieceTarget::Reasoning(_) => true,
            // The rest of such a chunk is unknown, since only a part was parsed.
            PieceTarget::Arguments(_) if says_more || has_fields || has_logprobs => return false,
            PieceTarget::Arguments(index) => {
                // The reader must know the piece: it assigns later ones by the arguments so far.
                let Some(call) = self.reader.continues_call(choice, index, text) else { return false };
                self.normalizer.pass_arguments(choice, (call, number), text)
            }
        };
        if passes {
            self.normalizer.events().clear();
            if let ClientWriter::Chat(writer) = &mut self.writer {
                self.templates.write(&chunk, frame, &writer.envelope, out);
                writer.passed(choice, kind);
            }
        } else if in_call && has_fields {
            frame.data.clone_into(&mut self.unread);
            self.unread_shape = chunk.shape;
        } else if says_more || has_fields || has_logprobs && fate == LogprobsFate::Emitted {
            self.read_rest(frame);
        }
        if let Some(usage) = chunk.usage {
            usage.clone_into(&mut self.counted);
        }
        true
    }

    /// Reads the rest of a chunk whose text has been read.
    fn read_rest(&mut self, frame: &Frame<'_>) {
        self.reader.frame(frame, &mut self.pending);
        self.pending.retain(|event| !matches!(event, ResponseEvent::Part { part: Part::Text(_), .. }));
        // These belong before the text, which has been normalized already.
        let is_early = |event: &mut ResponseEvent| {
            matches!(event, ResponseEvent::Extra(_) | ResponseEvent::Part { part: Part::Logprobs(_), .. })
        };
        self.normalizer.events().splice(0..0, self.pending.extract_if(.., is_early));
    }

    /// Emits the token counts and unknown fields of chunks that were not parsed.
    pub(super) fn emit_unread(&mut self) {
        self.pending.extend(read_usage(&self.counted).map(ResponseEvent::Usage));
        self.counted.clear();
        if !self.unread.is_empty() {
            let from = self.pending.len();
            self.reader.frame(&Frame { event: None, data: &self.unread, raw: &[] }, &mut self.pending);
            let is_field = |event: &mut ResponseEvent| matches!(event, ResponseEvent::Extra(_));
            let fields: Vec<_> = self.pending.extract_if(from.., is_field).collect();
            // The piece of the chunk has been read.
            self.pending.truncate(from);
            self.pending.extend(fields);
            self.unread.clear();
        }
    }
}

/// Reads token counts.
pub(super) fn read_usage(text: &str) -> Option<Usage> {
    serde_json::from_str(text).ok().map(usage_of)
}
