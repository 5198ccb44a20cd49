//! Saved answers: a whole response or a captured stream, in any protocol.

use toolglot_json::{Map, Value};

use crate::dispatch;
use crate::fault::{Fault, FaultKind};
use crate::framing::Framing;
use crate::ollama;
use crate::policy::WireLimits;
use crate::protocol::Protocol;
use crate::response_event::ResponseEvent;
use crate::sse::{Frame, SseReader};
use crate::transcript_choice::TranscriptChoice;

/// A saved answer of a model server.
///
/// # Example
/// ```
/// use toolglot_wire::{Protocol, Transcript};
/// let stream = br#"data: {"choices": [{"index": 0, "delta": {"content": "Hel"}}]}
///
/// data: {"choices": [{"index": 0, "delta": {"content": "lo"}, "finish_reason": "stop"}]}
///
/// data: [DONE]
/// "#;
/// let saved = Transcript::read(stream).unwrap();
/// assert_eq!(saved.protocol, Protocol::Chat);
/// assert_eq!(saved.alternatives[0].text, "Hello");
/// assert!(Transcript::read(b"Hello").is_none());
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Transcript {
    /// Its protocol.
    pub protocol: Protocol,
    /// The alternatives.
    pub alternatives: Vec<TranscriptChoice>,
    /// The error that it ended with, if any.
    pub fault: Option<Fault>,
}

impl Transcript {
    /// Returns whether the start of a file looks like an answer of one of the protocols.
    pub fn begins(start: &[u8]) -> bool {
        let start = String::from_utf8_lossy(start);
        let start = start.trim_start_matches('\u{feff}').trim_start();
        let key = || {
            ["\"choices\"", "\"output\"", "\"content\"", "\"response\"", "\"error\""]
                .iter()
                .any(|key| start.contains(key))
        };
        FIELDS.iter().any(|field| start.starts_with(field)) || start.starts_with('{') && key()
    }

    /// Reads an answer; `None` if it is something else, such as a model's text.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let (protocol, events) = whole(bytes).or_else(|| failed(bytes)).or_else(|| stream(bytes))?;
        let mut saved = Self { protocol, alternatives: Vec::new(), fault: None };
        events.into_iter().for_each(|event| saved.add(event));
        Some(saved)
    }

    fn add(&mut self, event: ResponseEvent) {
        match event {
            ResponseEvent::Part { choice, part } => {
                let missing = (choice + 1).min(MAX_ALTERNATIVES).saturating_sub(self.alternatives.len());
                self.alternatives.extend((0..missing).map(|_| TranscriptChoice::default()));
                if let Some(alternative) = self.alternatives.get_mut(choice) {
                    alternative.add(&part);
                }
            }
            ResponseEvent::Fault(fault) => self.fault = Some(fault),
            ResponseEvent::Begin(_)
            | ResponseEvent::Usage(_)
            | ResponseEvent::Extra(_)
            | ResponseEvent::Lost
            | ResponseEvent::End => {}
        }
    }
}

/// Reads a whole response.
fn whole(bytes: &[u8]) -> Option<(Protocol, Vec<ResponseEvent>)> {
    let object = toolglot_json::object_from_slice(bytes).ok()?;
    let protocol = protocol_of_response(&object)?;
    let mut events = Vec::new();
    dispatch::reader(protocol, &unbounded()).whole(bytes, &mut events);
    Some((protocol, events))
}

/// Reads an error that was all of an answer.
fn failed(bytes: &[u8]) -> Option<(Protocol, Vec<ResponseEvent>)> {
    let body: Value = toolglot_json::from_slice(bytes).ok()?;
    // Only the Messages protocol marks its errors.
    let protocol = if body["type"] == "error" { Protocol::Messages } else { Protocol::Chat };
    let error = body.get("error").filter(|error| protocol == Protocol::Messages || error["message"].is_string());
    Some((protocol, vec![ResponseEvent::Fault(error.and_then(|_| Fault::of_value(&body))?)]))
}

/// Reads a stream, which may have been cut anywhere.
fn stream(bytes: &[u8]) -> Option<(Protocol, Vec<ResponseEvent>)> {
    let start = bytes.trim_ascii_start();
    let protocol = match first_line(bytes) {
        Some(line) if ollama::is_piece(&line) => Protocol::Ollama,
        _ => protocol_of_events(start)?,
    };
    let (mut reader, mut events) = (dispatch::reader(protocol, &unbounded()), Vec::new());
    let mut framing = Framing::new(protocol, &unbounded());
    framing.push(start);
    while let Some(Ok(frame)) = framing.next_frame() {
        reader.frame(&frame, &mut events);
    }
    if let Some(frame) = framing.finish() {
        reader.frame(&frame, &mut events);
    }
    let message = "the stream ends before the answer is complete; save the whole stream";
    reader.cut(Fault::new(FaultKind::Upstream, message).with_code("upstream_ended_early"), &mut events);
    Some((protocol, events))
}

/// A capture is already in memory, so there are no limits.
fn unbounded() -> WireLimits {
    WireLimits::default().with_line(usize::MAX).with_event(usize::MAX).with_held(usize::MAX)
}

/// Returns the protocol of the first event that shows it; none if the bytes are not a stream of events.
fn protocol_of_events(start: &[u8]) -> Option<Protocol> {
    if !FIELDS.iter().any(|field| start.starts_with(field.as_bytes())) {
        return None;
    }
    let mut reader = SseReader::new(&unbounded());
    reader.push(start);
    while let Some(Ok(frame)) = reader.next_frame() {
        let protocol = protocol_of_event(frame);
        if protocol.is_some() {
            return protocol;
        }
    }
    reader.finish().and_then(protocol_of_event)
}

/// Returns the first line of a file if it is an object.
fn first_line(bytes: &[u8]) -> Option<Map> {
    serde_json::from_slice(bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?).ok()
}

fn protocol_of_response(object: &Map) -> Option<Protocol> {
    let is = |key: &str, value: &str| object[key].as_str() == Some(value);
    let choices = object["choices"].as_array();
    if choices.is_some_and(|choices| choices.iter().all(|choice| choice.get("message").is_some())) {
        Some(Protocol::Chat)
    } else if is("type", "message") && object["content"].is_array() {
        Some(Protocol::Messages)
    } else if ollama::is_piece(object) {
        Some(Protocol::Ollama)
    } else {
        (is("object", "response") && object.contains_key("output")).then_some(Protocol::Responses)
    }
}

fn protocol_of_event(frame: Frame<'_>) -> Option<Protocol> {
    let object: Map = serde_json::from_str(frame.data).ok()?;
    let name = object["type"].as_str().or(frame.event).unwrap_or_default();
    if object["choices"].is_array() {
        Some(Protocol::Chat)
    } else if name.starts_with("response.") {
        Some(Protocol::Responses)
    } else {
        (name.starts_with("message_") || name.starts_with("content_block_")).then_some(Protocol::Messages)
    }
}

/// The prefixes of lines in a stream.
const FIELDS: [&str; 5] = ["data:", "event:", "id:", "retry:", ":"];

/// More alternatives than a server returns, as in `MAX_CHOICES` of `chat`; limits memory for a file with a large index.
const MAX_ALTERNATIVES: usize = 1024;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::response_event::Finish;

    const CHAT: &str = r#"{"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "length", "message":
        {"role": "assistant", "reasoning_content": "hm", "content": "a", "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{'path': '.'"}}]}}]}"#;
    const MESSAGES: &str = "event: message_start\ndata: {\"type\": \"message_start\", \"message\": {\"id\": \"m\", \
        \"type\": \"message\", \"role\": \"assistant\", \"content\": [], \"model\": \"m\"}}\n\nevent: content_block_start\n\
        data: {\"type\": \"content_block_start\", \"index\": 0, \"content_block\": {\"type\": \"text\", \"text\": \"\"}}\n\n\
        event: content_block_delta\ndata: {\"type\": \"content_block_delta\", \"index\": 0, \"delta\": {\"type\": \
        \"text_delta\", \"text\": \"Hi\"}}\n\n";

    #[test]
    fn a_whole_answer_keeps_what_the_server_wrote() {
        let saved = Transcript::read(CHAT.as_bytes()).map(|saved| (saved.protocol, saved.alternatives));
        let Some((Protocol::Chat, alternatives)) = saved else { panic!("{saved:?}") };
        let [TranscriptChoice { text, reasoning, calls, finish }] = &alternatives[..] else {
            panic!("{alternatives:?}")
        };
        assert_eq!((text.as_str(), reasoning.as_str(), finish), ("a", "hm", &Some(Finish::Length)));
        assert_eq!((calls[0].name.as_str(), calls[0].arguments.as_str()), ("ls", "{'path': '.'"));
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_an_answer() {
        for text in [CHAT, MESSAGES] {
            assert!(Transcript::read(format!("\u{feff}{text}").as_bytes()).is_some(), "{text}");
        }
    }

    #[test]
    fn a_stream_may_be_cut() {
        let Some(saved) = Transcript::read(MESSAGES.as_bytes()) else { panic!("it is a stream") };
        assert_eq!((saved.protocol, saved.alternatives[0].text.as_str()), (Protocol::Messages, "Hi"));
        assert_eq!(saved.fault.and_then(|fault| fault.code).as_deref(), Some("upstream_ended_early"));
    }

    #[test]
    fn an_error_is_an_answer_too() {
        for (body, protocol) in [
            (r#"{"error": {"message": "no"}}"#, Protocol::Chat),
            (r#"{"type": "error", "error": {"type": "overloaded_error", "message": "no"}}"#, Protocol::Messages),
        ] {
            let Some(saved) = Transcript::read(body.as_bytes()) else { panic!("{body}") };
            assert_eq!((saved.protocol, saved.fault.map(|fault| fault.message).as_deref()), (protocol, Some("no")));
        }
        let stream = "data: {\"choices\": [{\"delta\": {\"content\": \"a\"}}]}\n\ndata: {\"detail\": \"boom\"}\n\ndata: [DONE]\n\n";
        let saved = Transcript::read(stream.as_bytes()).and_then(|saved| saved.fault);
        assert_eq!(saved.map(|fault| fault.message).as_deref(), Some("boom"));
    }

    #[test]
    fn a_models_own_text_is_no_answer() {
        for text in [
            "",
            "Hello",
            "{\"name\": \"ls\"}",
            "{\"choices\": [1]}",
            "{\"error\": \"no\"}",
            "data: there is none",
            "[1]",
            ": )",
        ] {
            assert_eq!(Transcript::read(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn the_beginning_tells() {
        for text in [CHAT, MESSAGES, "data: {", "\u{feff}event: x", ": keepalive\n"] {
            assert!(Transcript::begins(text.as_bytes()), "{text}");
        }
        for text in ["", "Hello", "<tool_call>", "{\"name\": \"ls\"}"] {
            assert!(!Transcript::begins(text.as_bytes()), "{text}");
        }
    }
}
