//! Reads the most frequent events of a stream without building values.

use std::borrow::Cow;

use serde::Deserialize;

use crate::sse::Frame;

/// A delta of a block.
#[derive(Debug, Deserialize)]
pub(super) struct BlockDelta<'f> {
    #[serde(rename = "type")]
    kind: &'f str,
    pub(super) index: Option<u64>,
    #[serde(borrow)]
    delta: DeltaPiece<'f>,
}

/// The `delta` of an event.
#[derive(Debug, Deserialize)]
struct DeltaPiece<'f> {
    #[serde(rename = "type")]
    kind: &'f str,
    #[serde(borrow)]
    text: Option<Cow<'f, str>>,
    #[serde(borrow)]
    thinking: Option<Cow<'f, str>>,
    #[serde(borrow)]
    partial_json: Option<Cow<'f, str>>,
}

impl<'f> BlockDelta<'f> {
    /// Reads an event if it is a delta of the usual form.
    pub(super) fn of(frame: &Frame<'f>) -> Option<Self> {
        let is_delta = frame.event.is_none_or(|event| event == "content_block_delta");
        let delta: Self = is_delta.then(|| serde_json::from_str(frame.data).ok()).flatten()?;
        (delta.kind == "content_block_delta").then_some(delta)
    }

    /// Returns the type of the delta and its text; none for deltas of other types, such as signatures.
    pub(super) fn into_text(self) -> Option<(&'f str, String)> {
        let text = match self.delta.kind {
            "text_delta" => self.delta.text,
            "thinking_delta" => self.delta.thinking,
            "input_json_delta" => self.delta.partial_json,
            _ => None,
        };
        Some((self.delta.kind, text?.into_owned()))
    }
}
