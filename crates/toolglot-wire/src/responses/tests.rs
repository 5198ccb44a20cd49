//! Responses streams, broken and whole, through reader and writer, put together again as the SDKs do it.

use std::sync::Arc;

use toolglot_json::{Map, Value, json};

use super::{ResponsesReader, ResponsesWriter};
use crate::fault::{Fault, FaultKind};
use crate::policy::{ReasoningField, ReasoningItem, WireLimits};
use crate::port::{Client, ProtocolReader, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::{ResponseEvent, ResponseStart};
use crate::sse::SseReader;

mod accumulate;
mod broken;
mod generated;
mod reading;
mod requests;
mod writing;

/// Returns a client with a request, whose answer comes from a server of a protocol.
fn client(upstream: Protocol, request: &Value) -> Client {
    Client {
        request: Arc::new(object(request)),
        upstream,
        model: "asked".to_owned(),
        seed: 7,
        now: 1_700_000_000,
        reasoning_field: ReasoningField::default(),
        reasoning_item: ReasoningItem::default(),
        remembers: false,
    }
}

fn object(value: &Value) -> Map {
    value.as_object().cloned().unwrap()
}

/// Returns a stream as bytes.
fn bytes_of(events: &[Value]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events {
        crate::sse::write_json(event["type"].as_str(), event, &mut bytes);
    }
    bytes
}

/// Reads a stream; its end is that of the bytes.
fn read(bytes: &[u8]) -> Vec<ResponseEvent> {
    let mut sse = SseReader::new(&WireLimits::default());
    let (mut reader, mut said) = (ResponsesReader::default(), Vec::new());
    sse.push(bytes);
    while let Some(frame) = sse.next_frame() {
        reader.frame(&frame.unwrap(), &mut said);
    }
    if let Some(frame) = sse.finish() {
        reader.frame(&frame, &mut said);
    }
    reader.cut(Fault::new(FaultKind::Upstream, "it broke off"), &mut said);
    said
}

fn read_whole(body: &[u8]) -> Vec<ResponseEvent> {
    let mut said = Vec::new();
    ResponsesReader::default().whole(body, &mut said);
    said
}

fn write(said: &[ResponseEvent], client: &Client) -> Vec<u8> {
    write_with(ResponsesWriter::new(client.clone()), said)
}

fn write_with(mut writer: ResponsesWriter, said: &[ResponseEvent]) -> Vec<u8> {
    let mut bytes = Vec::new();
    said.iter().for_each(|said| writer.write(said, &mut bytes));
    bytes
}

/// Returns the events of a stream that was written; their names must be their types.
fn events_of(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    let frames = text.split_terminator("\n\n").map(|frame| {
        let (name, data) = frame.split_once('\n').unwrap();
        let event: Value = toolglot_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(name.strip_prefix("event: ").unwrap(), event["type"], "{frame}");
        event
    });
    frames.collect()
}

/// Returns parts as all that is said of a response.
fn all_said(parts: Vec<crate::Part>, finish: crate::Finish) -> Vec<ResponseEvent> {
    let begin = ResponseStart {
        id: Some("resp_up".to_owned()),
        model: Some("m".to_owned()),
        created: Some(5),
        ..ResponseStart::default()
    };
    let mut said = vec![ResponseEvent::Begin(begin)];
    said.extend(parts.into_iter().map(|part| ResponseEvent::Part { choice: 0, part }));
    said.push(ResponseEvent::Part { choice: 0, part: crate::Part::Finish(finish) });
    said.push(ResponseEvent::Usage(crate::Usage { input: 11, output: 7, own: json!(null), ..Default::default() }));
    said.push(ResponseEvent::End);
    said
}
