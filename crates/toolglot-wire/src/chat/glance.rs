//! A quick look at a chunk: does it add one piece of text, reasoning or arguments, and is it written as it should be?
//!
//! The chunks of a stream differ in that piece only. What stands around it is remembered as a template: a chunk out of the
//! same template is read by comparing bytes.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::chat::write::ChunkEnvelope;
use crate::sse::Frame;

/// What a chunk adds a piece to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceTarget {
    Text,
    /// Reasoning, in the field of this name.
    Reasoning(&'static str),
    /// The arguments of the function call with this index.
    Arguments(u64),
}

/// A chunk that adds one piece.
#[derive(Debug)]
pub(crate) struct ChunkGlance<'f> {
    /// The number of the alternative.
    pub(crate) choice: usize,
    pub(crate) kind: PieceTarget,
    pub(crate) text: Cow<'f, str>,
    /// The template's place.
    template: usize,
}

/// The templates of the chunks that were seen last.
#[derive(Debug, Default)]
pub(crate) struct ChunkTemplates {
    known: Vec<ChunkTemplate>,
    /// The one that is forgotten next.
    oldest: usize,
}

/// What stands around the piece, the quotes included.
#[derive(Debug)]
struct ChunkTemplate {
    before: String,
    after: String,
    choice: usize,
    kind: PieceTarget,
    /// Chunks may say more than their piece, once this has been asked.
    says_more: Option<bool>,
}

/// Templates that are kept: text, reasoning and a call, for two alternatives. Each chunk is compared with all of
/// them, so more would cost what the short cut saves.
const MOULDS: usize = 6;

/// More than this around a piece is not remembered: an ordinary chunk has 200 bytes around it, and comparing pages
/// costs as much as reading them.
const LARGE: usize = 4 << 10;

impl ChunkTemplates {
    /// Looks at a frame that stands in its bytes as we would write it.
    pub(crate) fn look<'f>(&mut self, frame: &Frame<'f>, envelope: &ChunkEnvelope) -> Option<ChunkGlance<'f>> {
        let framed = frame.event.is_none()
            && frame.raw.len() == frame.data.len() + FRAME
            && frame.raw.starts_with(b"data: {")
            && frame.raw.ends_with(b"}\n\n");
        if !framed {
            return None;
        }
        let cast = self.known.iter().enumerate().find_map(|(at, template)| Some((at, template.quoted(frame.data)?)));
        let (at, text) = match cast {
            Some((at, quoted)) => (at, string(quoted)?),
            None => {
                let (chunk, piece) = GlancedChunk::of(frame.data, envelope)?;
                let text = string(piece.1)?;
                (self.learn(frame.data, &chunk, piece)?, text)
            }
        };
        let ChunkTemplate { choice, kind, .. } = self.known[at];
        Some(ChunkGlance { choice, kind, text, template: at })
    }

    /// Says whether a chunk may say more than its piece, so that something is lost if that is held back.
    pub(crate) fn says_more(&mut self, frame: &Frame<'_>, chunk: &ChunkGlance<'_>) -> bool {
        let asked = || serde_json::from_str::<BareChunk>(frame.data).is_err();
        *self.known[chunk.template].says_more.get_or_insert_with(asked)
    }

    fn learn(&mut self, data: &str, chunk: &GlancedChunk<'_>, (kind, quoted): (PieceTarget, &str)) -> Option<usize> {
        let start = (quoted.as_ptr() as usize).checked_sub(data.as_ptr() as usize)?;
        let (before, after) = (data.get(..=start)?, data.get(start + quoted.len() - 1..)?);
        let choice = chunk.choices[0].index;
        if self.known.len() < MOULDS {
            self.known.push(ChunkTemplate {
                before: String::new(),
                after: String::new(),
                choice,
                kind,
                says_more: None,
            });
        }
        let at = if self.known.len() < MOULDS { self.known.len() - 1 } else { self.oldest };
        self.oldest = (at + 1) % MOULDS;
        let template = &mut self.known[at];
        (template.choice, template.kind, template.says_more) = (choice, kind, None);
        template.before.clear();
        template.after.clear();
        if before.len() + after.len() <= LARGE {
            template.before.push_str(before);
            template.after.push_str(after);
        }
        Some(at)
    }
}

impl ChunkTemplate {
    /// Returns the piece with its quotes, if the rest is the same.
    fn quoted<'f>(&self, data: &'f str) -> Option<&'f str> {
        let piece = data.len().checked_sub(self.before.len() + self.after.len())?;
        let fits = !self.before.is_empty() && data.starts_with(&self.before) && data.ends_with(&self.after);
        data.get(self.before.len() - 1..self.before.len() + piece + 1).filter(|_| fits)
    }
}

/// Reads a JSON string, which is borrowed where nothing is escaped; nothing if it is none.
fn string(quoted: &str) -> Option<Cow<'_, str>> {
    /// A JSON string, borrowed where it has no escapes.
    #[derive(Deserialize)]
    struct ChunkText<'a>(#[serde(borrow)] Cow<'a, str>);

    let inside = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let odd = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    if !inside.bytes().fold(false, |any, byte| any | odd(byte)) {
        return Some(Cow::Borrowed(inside));
    }
    serde_json::from_str::<ChunkText<'_>>(quoted).ok().map(|text| text.0)
}

/// A chunk, as far as it matters.
#[derive(Deserialize)]
struct GlancedChunk<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    object: Cow<'a, str>,
    created: u64,
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    choices: [GlancedChoice<'a>; 1],
    usage: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

/// The one alternative of a chunk.
#[derive(Deserialize)]
struct GlancedChoice<'a> {
    index: usize,
    #[serde(borrow)]
    delta: GlancedDelta<'a>,
    finish_reason: Option<IgnoredAny>,
}

/// What is `null` says nothing; any field that is not known here may say something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GlancedDelta<'a> {
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(borrow)]
    reasoning: Option<&'a RawValue>,
    #[serde(borrow)]
    reasoning_content: Option<&'a RawValue>,
    #[serde(borrow)]
    tool_calls: Option<[GlancedCall<'a>; 1]>,
    refusal: Option<IgnoredAny>,
    function_call: Option<IgnoredAny>,
}

/// An element of `tool_calls`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GlancedCall<'a> {
    index: u64,
    #[serde(borrow)]
    function: GlancedFunction<'a>,
}

/// The `function` of a call that has begun: a piece of its arguments.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GlancedFunction<'a> {
    #[serde(borrow)]
    arguments: &'a RawValue,
}

impl<'f> GlancedChunk<'f> {
    /// Returns a chunk that repeats what all others do, and its one piece as it is written.
    fn of(data: &'f str, envelope: &ChunkEnvelope) -> Option<(Self, (PieceTarget, &'f str))> {
        let chunk: Self = serde_json::from_str(data).ok()?;
        let [choice] = &chunk.choices;
        let open = choice.finish_reason.is_none() && chunk.usage.is_none() && chunk.error.is_none();
        let same = chunk.object == "chat.completion.chunk" && envelope.is_of(&chunk.id, chunk.created, &chunk.model);
        let delta = &choice.delta;
        let call =
            delta.tool_calls.as_ref().map(|[call]| (PieceTarget::Arguments(call.index), call.function.arguments));
        let others = [
            delta.reasoning.map(|text| (PieceTarget::Reasoning("reasoning"), text)),
            delta.reasoning_content.map(|text| (PieceTarget::Reasoning("reasoning_content"), text)),
            delta.content.map(|text| (PieceTarget::Text, text)),
        ];
        let mut pieces = others.into_iter().flatten().chain(call);
        let (piece, more) = (pieces.next(), pieces.next());
        let quiet = more.is_none() && delta.refusal.is_none() && delta.function_call.is_none();
        let (kind, raw) = piece.filter(|_| open && same && quiet)?;
        Some((chunk, (kind, raw.get())))
    }
}

/// A chunk that says nothing else than its piece.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it matters that there is nothing else, not what there is")]
struct BareChunk {
    id: IgnoredAny,
    object: IgnoredAny,
    created: IgnoredAny,
    model: IgnoredAny,
    choices: [BareChoice; 1],
    usage: Option<IgnoredAny>,
    system_fingerprint: Option<IgnoredAny>,
    service_tier: Option<IgnoredAny>,
    obfuscation: Option<IgnoredAny>,
}

/// The alternative of a [`BareChunk`] chunk.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it matters that there is nothing else, not what there is")]
struct BareChoice {
    index: IgnoredAny,
    delta: IgnoredAny,
    finish_reason: Option<IgnoredAny>,
    logprobs: Option<()>,
    stop_reason: Option<()>,
    token_ids: Option<()>,
}

/// The bytes of `data: ` and the two line ends.
const FRAME: usize = 8;
