//! Text completions with tools: what a server writes is read as a chat's text is, and told in their own words.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header;
use http_body::Frame;
use toolglot_json::Value;
use toolglot_wire::{Fault, TextCompletion};

use crate::bodies::collect;
use crate::headers;
use crate::paths;

/// Says whether a path is that of text completions.
pub(crate) fn is_path(path: &str) -> bool {
    let path = paths::meant(path).0;
    path.strip_prefix("/v1").unwrap_or(&path) == "/completions"
}

/// Puts a server's answer into a chat's words.
pub(crate) async fn as_chat(response: Response, most: usize) -> Result<Response, Fault> {
    reworded(response, most, TextCompletion::as_chat).await
}

/// Puts a chat's answer into the words of a text completion.
pub(crate) async fn as_completion(response: Response, most: usize) -> Result<Response, Fault> {
    reworded(response, most, |answer, _| TextCompletion::as_completion(answer)).await
}

/// Puts an answer, or a chunk of one, into other words; says whether it did.
type Reword = fn(&mut Value, bool) -> bool;

async fn reworded(response: Response, most: usize, reword: Reword) -> Result<Response, Fault> {
    let (mut head, body) = response.into_parts();
    head.headers.remove(header::CONTENT_LENGTH);
    let body = if headers::is_event_stream(&head.headers) {
        Body::new(RewordedLines { body, held: Vec::new(), most, reword })
    } else {
        let whole = collect(body, most, None).await?;
        value_reworded(&whole, |answer| reword(answer, false)).map_or_else(|| whole.into(), Body::from)
    };
    Ok(Response::from_parts(head, body))
}

/// Returns a JSON value in other words; nothing if it is to stay as it is.
fn value_reworded(text: &[u8], reword: impl Fn(&mut Value) -> bool) -> Option<String> {
    let mut value = serde_json::from_slice(text).ok()?;
    reword(&mut value).then(|| value.to_string())
}

/// A stream of events, the data of each in other words; what is no JSON goes on as it is.
struct RewordedLines {
    body: Body,
    /// The beginning of a line whose end has not arrived.
    held: Vec<u8>,
    /// Bytes of a line that are waited for; what reads the stream has a limit of its own for longer ones.
    most: usize,
    reword: Reword,
}

impl RewordedLines {
    /// Takes bytes; returns the lines that are whole now.
    fn take(&mut self, bytes: &[u8]) -> Vec<u8> {
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map(|at| self.held.len() + at + 1);
        self.held.extend_from_slice(bytes);
        let end = end.unwrap_or(if self.held.len() > self.most { self.held.len() } else { 0 });
        let lines: Vec<u8> = self.held.drain(..end).collect();
        self.written(&lines)
    }

    fn written(&self, lines: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(lines.len() + 64);
        for line in lines.split_inclusive(|byte| *byte == b'\n') {
            let data = line.strip_prefix(b"data:").map(<[u8]>::trim_ascii).filter(|data| data.starts_with(b"{"));
            let told = data.and_then(|data| value_reworded(data, |answer| (self.reword)(answer, true)));
            match told {
                Some(told) => out.extend_from_slice(format!("data: {told}\n").as_bytes()),
                None => out.extend_from_slice(line),
            }
        }
        out
    }
}

impl http_body::Body for RewordedLines {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        loop {
            let Some(frame) = ready!(Pin::new(&mut this.body).poll_frame(cx)?) else {
                let rest = std::mem::take(&mut this.held);
                let rest = this.written(&rest);
                return Poll::Ready((!rest.is_empty()).then(|| Ok(Frame::data(rest.into()))));
            };
            let Ok(bytes) = frame.into_data() else { continue };
            let lines = this.take(&bytes);
            if !lines.is_empty() {
                return Poll::Ready(Some(Ok(Frame::data(lines.into()))));
            }
        }
    }
}
