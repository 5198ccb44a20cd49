//! Tests of the Messages protocol: broken streams, written streams as clients read them, requests.

use std::sync::Arc;

use toolglot_json::{Map, Value, json};

use super::{MessagesReader, MessagesWriter};
use crate::fault::{Fault, FaultKind};
use crate::policy::{ReasoningField, ReasoningItem, WireLimits};
use crate::port::{Client, ProtocolReader, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::{Part, ResponseEvent};
use crate::sse::SseReader;

mod accumulate;
mod broken;
mod exact;
mod generated;
mod reading;
mod requests;
mod through;
mod written;

/// A client of the protocol, whose answer comes from a server of a protocol.
fn client(upstream: Protocol) -> Client {
    let request = json!({"model": "asked", "messages": [{"role": "user", "content": "How is the weather in Paris?"}]});
    let request = if let Value::Object(request) = request { request } else { Map::new() };
    let field = ReasoningField::default();
    let (model, reasoning_item) = ("asked".into(), ReasoningItem::default());
    Client {
        request: Arc::new(request),
        upstream,
        model,
        seed: 7,
        now: 1,
        reasoning_field: field,
        reasoning_item,
        remembers: false,
    }
}

/// A part of the only alternative.
fn part(part: Part) -> ResponseEvent {
    ResponseEvent::Part { choice: 0, part }
}

/// What a reader makes of a stream that ends where the bytes end.
fn read(stream: &[u8]) -> Vec<ResponseEvent> {
    let (mut reader, mut said) = (MessagesReader::default(), Vec::new());
    let mut frames = SseReader::new(&WireLimits::default());
    frames.push(stream);
    while let Some(frame) = frames.next_frame() {
        reader.frame(&frame.unwrap(), &mut said);
    }
    if let Some(frame) = frames.finish() {
        reader.frame(&frame, &mut said);
    }
    reader.cut(Fault::new(FaultKind::Upstream, "broke off"), &mut said);
    said
}

/// What a reader makes of a whole body.
fn read_whole(body: &[u8]) -> Vec<ResponseEvent> {
    let (mut reader, mut said) = (MessagesReader::default(), Vec::new());
    reader.whole(body, &mut said);
    said
}

/// The stream that a writer makes.
fn write(said: &[ResponseEvent], upstream: Protocol) -> String {
    let (mut writer, mut out) = (MessagesWriter::new(client(upstream)), Vec::new());
    said.iter().for_each(|said| writer.write(said, &mut out));
    String::from_utf8(out).unwrap()
}

/// What was said, in one line for each thing; pieces that follow each other are joined.
fn told(said: &[ResponseEvent]) -> String {
    let mut lines: Vec<(String, String)> = Vec::new();
    for said in said {
        let (head, text) = line(said);
        match lines.last_mut().filter(|last| !text.is_empty() && last.0 == head) {
            Some(last) => last.1.push_str(&text),
            None => lines.push((head, text)),
        }
    }
    lines.iter().map(|(head, text)| format!("{head} {text}").trim().to_owned()).collect::<Vec<_>>().join("\n")
}

fn line(said: &ResponseEvent) -> (String, String) {
    let (head, text) = match said {
        ResponseEvent::Lost => ("lost".into(), String::new()),
        ResponseEvent::Part { part, .. } => match part {
            Part::Text(text) => ("text".into(), text.clone()),
            Part::Refusal(text) => ("refusal".into(), text.clone()),
            Part::Reasoning(text) => ("reasoning".into(), text.clone()),
            Part::Seal(text) => ("seal".into(), text.clone()),
            Part::CallStart { call, id, name, .. } => {
                (format!("call {call} {name} {}", id.as_deref().unwrap_or("-")), String::new())
            }
            Part::Arguments { call, text } => (format!("arguments {call}"), text.clone()),
            Part::CallEnd { call } => (format!("end {call}"), String::new()),
            Part::CallCut { call } => (format!("cut {call}"), String::new()),
            Part::Logprobs(tokens) => (format!("logprobs {}", tokens.len()), String::new()),
            Part::Own(event) => (format!("own {event}"), String::new()),
            Part::Finish(finish) => (format!("finish {finish:?}"), String::new()),
        },
        ResponseEvent::Begin(begin) => {
            let [id, model] = [&begin.id, &begin.model].map(|text| text.as_deref().unwrap_or("-"));
            (format!("begin {id} {model}"), String::new())
        }
        ResponseEvent::Usage(usage) => (format!("usage {} {}", usage.input, usage.output), String::new()),
        ResponseEvent::Extra(extra) => (format!("extra {}", Value::from(extra.clone())), String::new()),
        ResponseEvent::Fault(fault) => (format!("fault {:?}: {}", fault.kind, fault.message), String::new()),
        ResponseEvent::End => ("over".into(), String::new()),
    };
    (head, text)
}
