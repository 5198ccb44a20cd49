//! The inputs of calls as JSON text: parsing loses spaces and escapes.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The inputs of a message's blocks as JSON text.
#[derive(Debug, Default)]
pub(super) struct ExactInputs<'j>(Vec<Option<&'j RawValue>>);

/// A block; only a call has an input.
#[derive(Deserialize)]
struct ExactBlock<'j> {
    #[serde(borrow)]
    input: Option<&'j RawValue>,
}

/// A message of a request, or a whole response.
#[derive(Deserialize)]
struct ExactMessage<'j> {
    #[serde(borrow)]
    content: Option<&'j RawValue>,
}

/// The messages of a request.
#[derive(Deserialize)]
struct ExactRequest<'j> {
    #[serde(borrow)]
    messages: Vec<ExactMessage<'j>>,
}

/// A `content_block_start`.
#[derive(Deserialize)]
struct ExactStart<'j> {
    #[serde(borrow)]
    content_block: ExactBlock<'j>,
}

impl<'j> ExactInputs<'j> {
    /// Returns the inputs of every message of a request.
    pub(super) fn of_request(body: &'j [u8]) -> Vec<Self> {
        let request = serde_json::from_slice::<ExactRequest<'j>>(body);
        request.map(|request| request.messages.into_iter().map(Self::of).collect()).unwrap_or_default()
    }

    /// Returns the inputs of a response.
    pub(super) fn of_message(body: &'j [u8]) -> Self {
        serde_json::from_slice(body).map(Self::of).unwrap_or_default()
    }

    /// Returns the input of the block that an event starts.
    pub(super) fn of_start(event: &'j str) -> Self {
        let block = serde_json::from_str::<ExactStart<'j>>(event).map(|start| start.content_block.input);
        Self(block.into_iter().collect())
    }

    /// Returns the input of a block, if it is an object.
    pub(super) fn object(&self, place: usize) -> Option<&'j str> {
        let input = self.0.get(place).copied().flatten()?.get();
        input.starts_with('{').then_some(input)
    }

    fn of(message: ExactMessage<'j>) -> Self {
        let blocks = message.content.map(|content| serde_json::from_str::<Vec<ExactBlock<'j>>>(content.get()));
        Self(blocks.and_then(Result::ok).into_iter().flatten().map(|block| block.input).collect())
    }
}
