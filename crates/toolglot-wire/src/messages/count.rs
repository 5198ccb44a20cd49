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
    let mut parts: Vec<&Value> = ["system", "tools"].iter().filter_map(|key| request.get(key)).collect();
    let messages = list(&request["messages"]);
    for content in messages.iter().filter_map(|message| message.get("content")) {
        let Value::Array(blocks) = content else {
            parts.push(content);
            continue;
        };
        for block in blocks {
            match (kind(block), block.get("content")) {
                ("tool_result", Some(Value::Array(inner))) => parts.extend(inner),
                _ => parts.push(block),
            }
        }
    }
    let is_attachment = |part: &&Value| matches!(part["source"]["type"].as_str(), Some("base64" | "url" | "file"));
    let (attachments, texts): (Vec<&Value>, Vec<&Value>) = parts.into_iter().partition(is_attachment);
    let bytes: usize = texts.iter().map(|text| text.to_string().len()).sum();
    // With the role and the special tokens of each message.
    let tokens = (bytes + 28 * messages.len()).div_ceil(4) as u64;
    tokens + attachments.len() as u64 * ATTACHMENT
}
