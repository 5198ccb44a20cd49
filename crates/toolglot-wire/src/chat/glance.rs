//! Recognises chunks that add one piece of text, reasoning or arguments without parsing them.
//!
//! The chunks of a stream differ in this piece and in a few values around it. Their shape is learned from the first
//! chunk that has it; later chunks of the same shape are read by comparing bytes.

use std::borrow::Cow;
use std::ops::Range;

use serde::Deserialize;

use crate::chat::shape::{ChunkTraits, HoleKind};
use crate::chat::template::{ChunkTemplate, TemplateFit};
use crate::chat::write::ChunkEnvelope;
use crate::sse::Frame;

/// A chunk that adds one piece.
#[derive(Debug)]
pub(crate) struct ChunkGlance<'f> {
    pub(crate) traits: ChunkTraits,
    pub(crate) text: Cow<'f, str>,
    /// The token counts so far, as JSON text.
    pub(crate) usage: Option<&'f str>,
    /// The unique number of its shape.
    pub(crate) shape: usize,
    /// The template's index, and the content of its holes.
    template: usize,
    fit: TemplateFit,
}

/// The templates of recent chunks.
#[derive(Debug, Default)]
pub(crate) struct ChunkTemplates {
    /// The oldest is replaced first.
    known: Vec<ChunkTemplate>,
    /// The one that matched last.
    last: usize,
    /// The number of shapes learned so far.
    learned: usize,
}

/// The number of templates: for text, reasoning and a call of two alternatives. Each chunk is compared with all of
/// them, so more would cost as much as parsing.
const MAX_TEMPLATES: usize = 6;

impl ChunkTemplates {
    /// Matches a frame with the templates; `keeps_usage` if its token counts are passed on with it.
    pub(crate) fn look<'f>(
        &mut self,
        frame: &Frame<'f>,
        envelope: &ChunkEnvelope,
        keeps_usage: bool,
    ) -> Option<ChunkGlance<'f>> {
        if !is_framed(frame) {
            return None;
        }
        let (at, fit) = self.find(frame.data).or_else(|| self.learn(frame.data, envelope, keeps_usage))?;
        self.last = at;
        let template = &self.known[at];
        let text = string(frame.data, template.place(&fit, HoleKind::Piece)?)?;
        Some(ChunkGlance {
            traits: template.traits,
            text,
            usage: template.place(&fit, HoleKind::Usage).and_then(|place| frame.data.get(place)),
            shape: template.shape,
            template: at,
            fit,
        })
    }

    /// Writes a chunk unchanged, except for fields that must be the same in all chunks or must not be repeated.
    pub(crate) fn write(
        &self,
        chunk: &ChunkGlance<'_>,
        frame: &Frame<'_>,
        envelope: &ChunkEnvelope,
        out: &mut Vec<u8>,
    ) {
        let template = &self.known[chunk.template];
        if frame.raw.len() == frame.data.len() + FRAME && template.is_same(frame.data, &chunk.fit, envelope) {
            return out.extend_from_slice(frame.raw);
        }
        out.extend_from_slice(HEAD);
        template.write(frame.data, &chunk.fit, envelope, out);
        out.extend_from_slice(b"\n\n");
    }

    fn find(&self, data: &str) -> Option<(usize, TemplateFit)> {
        // Most chunks have the shape of the one before.
        let others = (0..self.known.len()).filter(|at| *at != self.last);
        std::iter::once(self.last).chain(others).find_map(|at| Some((at, self.known.get(at)?.fit(data)?)))
    }

    fn learn(&mut self, data: &str, envelope: &ChunkEnvelope, keeps_usage: bool) -> Option<(usize, TemplateFit)> {
        let mut template = ChunkTemplate::of(data, envelope, keeps_usage)?;
        let fit = template.fit(data)?;
        self.learned += 1;
        template.shape = self.learned;
        if self.known.len() == MAX_TEMPLATES {
            self.known.remove(0);
        }
        self.known.push(template);
        Some((self.known.len() - 1, fit))
    }
}

/// Returns whether a frame is one line of data and nothing else.
fn is_framed(frame: &Frame<'_>) -> bool {
    // Only such a frame can be written anew by copying its data.
    let ends = frame.raw.strip_prefix(HEAD).and_then(|raw| raw.get(frame.data.len()..));
    frame.event.is_none() && frame.data.starts_with('{') && matches!(ends, Some(b"\n\n" | b"\r\n\r\n"))
}

/// Reads the JSON string whose inside is at this place; it is borrowed if it has no escapes.
fn string(data: &str, place: Range<usize>) -> Option<Cow<'_, str>> {
    /// A JSON string, borrowed where it has no escapes.
    #[derive(Deserialize)]
    struct ChunkText<'a>(#[serde(borrow)] Cow<'a, str>);

    let inside = data.get(place.clone())?;
    let odd = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // Without an early exit, the compiler checks many bytes at once; most pieces have no escapes.
    if !inside.bytes().fold(false, |any, byte| any | odd(byte)) {
        return Some(Cow::Borrowed(inside));
    }
    let quoted = data.get(place.start.checked_sub(1)?..=place.end)?;
    serde_json::from_str::<ChunkText<'_>>(quoted).ok().map(|text| text.0)
}

const HEAD: &[u8] = b"data: ";

/// The bytes of `data: ` and the two line ends.
const FRAME: usize = HEAD.len() + 2;
