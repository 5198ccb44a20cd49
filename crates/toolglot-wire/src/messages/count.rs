//! An estimate of a request's tokens, for servers that cannot count them.

use toolglot_json::{Map, Value};

use super::block::kind;
use crate::fault::{Fault, FaultKind};
use crate::members::list;

/// Tokens of an image or a file: about those of a large one in Anthropic's models.
const ATTACHMENT: u64 = 1_600;

/// Estimates the number of tokens of a Messages request, for servers that cannot count them.
///
/// Counts a token for every four bytes of the JSON of `system`, `messages` and `tools`, rounded up, which is accurate
/// enough for English, code and schemas, and 1,600 tokens for every image and file.
///
/// # Errors
/// If the body is not a valid request.
///
/// # Example
/// ```
/// let request = r#"{"messages": [{"role": "user", "content": "How is the weather in Paris?"}]}"#;
/// assert_eq!(toolglot_wire::count_tokens(request.as_bytes())?, 15);
/// # Ok::<(), toolglot_wire::Fault>(())
/// ```
pub fn count_tokens(body: &[u8]) -> Result<u64, Fault> {
    let wrong = |error: serde_json::Error| Fault::new(FaultKind::Request, format!("invalid request: {error}"));
    serde_json::from_slice(body).map(|request| estimate(&request)).map_err(wrong)
}

/// Returns the same for a request that has been read.
pub(super) fn estimate(request: &Map) -> u64 {
    let mut count = TokenEstimate::default();
    for key in ["system", "tools"] {
        request.get(key).into_iter().for_each(|value| count.add(value));
    }
    for message in list(&request["messages"]) {
        match message.get("content") {
            Some(Value::Array(blocks)) => blocks.iter().for_each(|block| count.add_block(block)),
            Some(content) => count.add(content),
            None => {}
        }
        // The role and the special tokens of a message.
        count.bytes += 28;
    }
    count.bytes.div_ceil(4) + count.attachments * ATTACHMENT
}

/// The counts for the estimate: bytes of text, and images and files.
#[derive(Default)]
struct TokenEstimate {
    bytes: u64,
    attachments: u64,
}

impl TokenEstimate {
    fn add(&mut self, value: &Value) {
        self.bytes += value.to_string().len() as u64;
    }

    fn add_block(&mut self, block: &Value) {
        match (kind(block), block.get("content")) {
            ("tool_result", Some(Value::Array(inner))) => inner.iter().for_each(|block| self.add_attached(block)),
            _ => self.add_attached(block),
        }
    }

    fn add_attached(&mut self, block: &Value) {
        let source = block.get("source").and_then(|source| source.get("type")).and_then(Value::as_str);
        match source {
            Some("base64" | "url" | "file") => self.attachments += 1,
            _ => self.add(block),
        }
    }
}
