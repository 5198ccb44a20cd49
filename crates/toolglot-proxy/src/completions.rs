//! Text completions with tools: converted to chat completions for parsing, and back.

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header;
use toolglot_json::Value;
use toolglot_wire::{Fault, TextCompletion};

use crate::bodies::collect;
use crate::headers;
use crate::paths;
use crate::pieces::converted;

/// Returns whether a path is that of text completions.
pub(crate) fn is_path(path: &str) -> bool {
    let path = paths::meant(path).0;
    path.strip_prefix("/v1").unwrap_or(&path) == "/completions"
}

/// Converts a server's text completion to a chat completion.
pub(crate) async fn as_chat(response: Response, most: usize) -> Result<Response, Fault> {
    reworded(response, most, TextCompletion::as_chat).await
}

/// Converts a chat completion to a text completion.
pub(crate) async fn as_completion(response: Response, most: usize) -> Result<Response, Fault> {
    reworded(response, most, |answer, _| TextCompletion::as_completion(answer)).await
}

/// Converts an answer, or a chunk if the flag is set; returns whether it did.
type Reword = fn(&mut Value, bool) -> bool;

async fn reworded(response: Response, most: usize, reword: Reword) -> Result<Response, Fault> {
    let (mut head, body) = response.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    let body = if headers::is_event_stream(&head.headers) {
        let mut lines = RewordedLines { held: Vec::new(), most, reword };
        converted(body, usize::MAX, move |piece| Ok(lines.next(piece).into()))
    } else {
        let whole = collect(body, most, None).await?;
        value_reworded(&whole, |answer| reword(answer, false)).map_or_else(|| whole.into(), Body::from)
    };
    Ok(Response::from_parts(head, body))
}

/// Returns the converted JSON value; nothing if it is to stay unchanged.
fn value_reworded(text: &[u8], reword: impl Fn(&mut Value) -> bool) -> Option<String> {
    let mut value = serde_json::from_slice(text).ok()?;
    reword(&mut value).then(|| value.to_string())
}

/// A stream of events whose JSON data is converted; other data is unchanged.
struct RewordedLines {
    /// The start of an incomplete line.
    held: Vec<u8>,
    /// Maximum bytes to buffer of a line.
    most: usize,
    reword: Reword,
}

impl RewordedLines {
    /// Adds bytes; returns the lines that are complete, or all that is left at the end.
    fn next(&mut self, bytes: Option<Bytes>) -> Vec<u8> {
        let Some(bytes) = bytes else { return self.written(&self.held) };
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map(|at| self.held.len() + at + 1);
        self.held.extend_from_slice(&bytes);
        let end = end.unwrap_or(if self.held.len() > self.most { self.held.len() } else { 0 });
        let lines: Vec<u8> = self.held.drain(..end).collect();
        self.written(&lines)
    }

    fn written(&self, lines: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(lines.len() + 64);
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii).filter(|data| data.starts_with(b"{"));
            let converted = data.and_then(|data| value_reworded(data, |answer| (self.reword)(answer, true)));
            match converted {
                Some(converted) => out.extend_from_slice(format!("data: {converted}\n").as_bytes()),
                None => out.extend_from_slice(line),
            }
        }
        out
    }
}
