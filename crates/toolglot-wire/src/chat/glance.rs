//! A quick look at a chunk: is it nothing but a piece of text, written as it should be?

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::chat::write::Envelope;
use crate::sse::Frame;

/// A chunk that carries one piece of text; its strings are borrowed where nothing is escaped.
#[derive(Deserialize)]
pub(crate) struct Glance<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    object: Cow<'a, str>,
    created: u64,
    #[serde(borrow)]
    model: Cow<'a, str>,
    #[serde(borrow)]
    choices: [Choice<'a>; 1],
    usage: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    index: usize,
    #[serde(borrow)]
    delta: Delta<'a>,
    finish_reason: Option<IgnoredAny>,
}

/// What is `null` says nothing; any field that is not known here may say something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Delta<'a> {
    #[serde(borrow)]
    content: Cow<'a, str>,
    reasoning: Option<IgnoredAny>,
    reasoning_content: Option<IgnoredAny>,
    refusal: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
    function_call: Option<IgnoredAny>,
}

/// A chunk that says nothing else than its text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it matters that there is nothing else, not what there is")]
struct Bare {
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it matters that there is nothing else, not what there is")]
struct BareChoice {
    index: IgnoredAny,
    delta: IgnoredAny,
    finish_reason: Option<IgnoredAny>,
    logprobs: Option<IgnoredAny>,
    stop_reason: Option<()>,
    token_ids: Option<()>,
}

/// Says whether a chunk may say more than its text, so that something is lost if that is held back.
pub(crate) fn says_more(frame: &Frame<'_>) -> bool {
    serde_json::from_str::<Bare>(frame.data).is_err()
}

impl<'a> Glance<'a> {
    /// Looks at a frame that stands in its bytes as we would write it.
    pub(crate) fn of(frame: &Frame<'a>) -> Option<Self> {
        let framed = frame.event.is_none()
            && frame.raw.len() == frame.data.len() + FRAME
            && frame.raw.starts_with(b"data: {")
            && frame.raw.ends_with(b"}\n\n");
        let chunk: Self = Some(frame.data).filter(|_| framed).and_then(|data| serde_json::from_str(data).ok())?;
        let [choice] = &chunk.choices;
        let delta = &choice.delta;
        let others = [&delta.reasoning, &delta.reasoning_content, &delta.refusal, &delta.tool_calls];
        let quiet = others.iter().all(|field| field.is_none()) && delta.function_call.is_none();
        let open = choice.finish_reason.is_none() && chunk.usage.is_none() && chunk.error.is_none();
        (quiet && open).then_some(chunk)
    }

    /// Returns the number of the alternative.
    pub(crate) fn choice(&self) -> usize {
        self.choices[0].index
    }

    /// Returns the text.
    pub(crate) fn text(&self) -> &str {
        &self.choices[0].delta.content
    }

    /// Says whether the chunk repeats what all others do.
    pub(crate) fn is_in(&self, envelope: &Envelope) -> bool {
        self.created == envelope.created
            && self.id == envelope.id
            && self.model == envelope.model
            && self.object == "chat.completion.chunk"
    }
}

/// The bytes of `data: ` and the two line ends.
const FRAME: usize = 8;
