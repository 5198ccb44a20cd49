//! Templates of a server's chunks: text that is the same in all of them, and holes.

use std::ops::Range;

use memchr::memchr2;
use serde::de::IgnoredAny;

use crate::chat::shape::{self, ChunkTraits, HoleKind};
use crate::chat::write::ChunkEnvelope;

/// A chunk with holes in it.
#[derive(Debug)]
pub(crate) struct ChunkTemplate {
    /// Its number among the learned shapes.
    pub(super) shape: usize,
    pub(super) traits: ChunkTraits,
    holes: Vec<TemplateHole>,
    end: TemplateText,
    /// Whether its text is passed on unchanged.
    is_same: bool,
}

/// A hole, with the text before it.
#[derive(Debug)]
struct TemplateHole {
    before: TemplateText,
    kind: HoleKind,
    /// Whether its content is omitted.
    is_cut: bool,
}

/// A text that is the same in all chunks, as the server sends it and as the client gets it.
#[derive(Debug, PartialEq)]
struct TemplateText {
    input: String,
    output: String,
}

/// The positions of a template's holes in a chunk. An array, because a chunk that is passed on unchanged allocates nothing.
#[derive(Debug, Default)]
pub(crate) struct TemplateFit([(u32, u32); MAX_HOLES]);

/// A chunk with more holes is parsed.
const MAX_HOLES: usize = 10;

/// The most bytes around the holes: an ordinary chunk has 200, and comparing many more costs as much as parsing.
const LARGE: usize = 4 << 10;

impl ChunkTemplate {
    /// Learns the shape of a chunk that adds one piece; none if it must be parsed.
    pub(super) fn of(data: &str, envelope: &ChunkEnvelope, keeps_usage: bool) -> Option<Self> {
        let mut plan = shape::plan(data, envelope, keeps_usage)?;
        plan.holes.sort_by_key(|(place, _)| place.start);
        plan.edits.sort_by_key(|(place, _)| place.start);
        let around = data.len() - plan.holes.iter().map(|(place, _)| place.len()).sum::<usize>();
        if plan.holes.len() > MAX_HOLES || around > LARGE {
            return None;
        }
        let mut from = 0;
        let mut holes = Vec::with_capacity(plan.holes.len());
        for (place, kind) in &plan.holes {
            let is_cut = plan.edits.iter().any(|(cut, _)| cut.start <= place.start && place.end <= cut.end);
            holes.push(TemplateHole { before: text(data, from..place.start, &plan.edits), kind: *kind, is_cut });
            from = place.end;
        }
        let end = text(data, from..data.len(), &plan.edits);
        Some(Self { shape: 0, traits: plan.traits, holes, end, is_same: plan.edits.is_empty() })
    }

    /// Finds the holes in a chunk, if everything else is the same.
    pub(super) fn fit(&self, data: &str) -> Option<TemplateFit> {
        let mut fit = TemplateFit::default();
        let mut at = 0;
        for (hole, place) in self.holes.iter().zip(&mut fit.0) {
            let start = at + hole.before.input.len();
            data.get(at..).filter(|rest| rest.starts_with(&hole.before.input))?;
            at = start + hole.kind.length(data.get(start..)?)?;
            *place = (u32::try_from(start).ok()?, u32::try_from(at).ok()?);
        }
        (data.get(at..)? == self.end.input).then_some(fit)
    }

    /// Returns the place of the first hole of a kind.
    pub(super) fn place(&self, fit: &TemplateFit, kind: HoleKind) -> Option<Range<usize>> {
        fit.of(self).find(|(hole, _)| hole.kind == kind).map(|(_, place)| place)
    }

    /// Returns whether a chunk is passed on unchanged.
    pub(super) fn is_same(&self, data: &str, fit: &TemplateFit, envelope: &ChunkEnvelope) -> bool {
        self.is_same
            && fit
                .of(self)
                .all(|(hole, place)| envelope_text(hole.kind, envelope).is_none_or(|own| own == &data[place]))
    }

    /// Writes a chunk with all edits.
    pub(super) fn write(&self, data: &str, fit: &TemplateFit, envelope: &ChunkEnvelope, out: &mut Vec<u8>) {
        for (hole, place) in fit.of(self) {
            out.extend_from_slice(hole.before.output.as_bytes());
            if !hole.is_cut {
                out.extend_from_slice(envelope_text(hole.kind, envelope).unwrap_or(&data[place]).as_bytes());
            }
        }
        out.extend_from_slice(self.end.output.as_bytes());
    }
}

impl TemplateFit {
    /// Returns the holes of its template with their places.
    fn of<'t>(&'t self, template: &'t ChunkTemplate) -> impl Iterator<Item = (&'t TemplateHole, Range<usize>)> {
        let places = self.0.iter().map(|&(start, end)| start as usize..end as usize);
        template.holes.iter().zip(places)
    }
}

/// Returns the content of a hole in all chunks that are sent.
fn envelope_text(kind: HoleKind, envelope: &ChunkEnvelope) -> Option<&str> {
    match kind {
        HoleKind::Id => Some(&envelope.id_text),
        HoleKind::Created => Some(&envelope.created_text),
        HoleKind::Piece | HoleKind::Usage | HoleKind::Letters | HoleKind::Value => None,
    }
}

/// Returns a text between holes, and its replacement.
fn text(data: &str, place: Range<usize>, edits: &[(Range<usize>, String)]) -> TemplateText {
    let (mut output, mut from) = (String::new(), place.start);
    for (cut, new) in edits.iter().filter(|(cut, _)| cut.start < place.end && cut.end > place.start) {
        output.push_str(&data[from..cut.start.max(from)]);
        output.push_str(new);
        from = cut.end.min(place.end);
    }
    output.push_str(&data[from..place.end]);
    TemplateText { input: data[place].to_owned(), output }
}

impl HoleKind {
    /// Returns the length of the hole's content at the beginning of a text; none if it is of another kind.
    fn length(self, text: &str) -> Option<usize> {
        let bytes = text.as_bytes();
        match self {
            Self::Piece => string_end(bytes),
            Self::Id | Self::Letters => {
                let end = memchr2(b'"', b'\\', bytes).filter(|at| bytes[*at] == b'"')?;
                bytes[..end].iter().all(|byte| *byte >= b' ').then_some(end)
            }
            Self::Created => {
                let end = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
                (end == 1 || (end > 1 && bytes[0] != b'0')).then_some(end)
            }
            Self::Usage if !text.starts_with('{') => None,
            Self::Usage | Self::Value => {
                let mut values = serde_json::Deserializer::from_str(text).into_iter::<IgnoredAny>();
                values.next()?.ok()?;
                Some(values.byte_offset())
            }
        }
    }
}

/// Returns the end of a string, starting after its first quote.
fn string_end(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr2(b'"', b'\\', bytes.get(at..)?)?;
        if bytes[at] == b'"' {
            return Some(at);
        }
        at += 2;
    }
}
