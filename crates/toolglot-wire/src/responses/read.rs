//! Reads answers of a Responses server, streamed or whole, including invalid ones.
//!
//! Repeated information is emitted once; missing information is found later: an item that was never announced in its
//! deltas, a call's name in its last event, everything missing in the response that ends the stream.

use std::borrow::Cow;

use serde::Deserialize;
use toolglot_json::{Map, Value};

use self::items::{ItemPlace, ReadItems, TextSlot};
use super::kinds::ItemKind;
use super::tools::{kind, text};
use crate::fault::{Fault, FaultKind};
use crate::members::list;
use crate::port::ProtocolReader;
use crate::response_event::{Finish, ResponseEvent, ResponseStart, Usage};
use crate::sse::Frame;
use crate::surrogates;

mod items;

/// Reads one response.
#[derive(Debug, Default)]
pub(crate) struct ResponsesReader {
    items: ReadItems,
    begun: bool,
    over: bool,
    extra: Map,
}

/// The families of events with the text of an item: the name without `.delta` or `.done`, the item, the slot in it, and
/// the field of the whole text in the last event.
const TEXTS: [(&str, ItemKind, TextSlot, &str); 7] = [
    ("response.output_text", ItemKind::Message, TextSlot::Text, "text"),
    ("response.function_call_arguments", ItemKind::Function, TextSlot::Input, "arguments"),
    ("response.refusal", ItemKind::Message, TextSlot::Refusal, "refusal"),
    ("response.reasoning_summary_text", ItemKind::Reasoning, TextSlot::Summary, "text"),
    ("response.reasoning_text", ItemKind::Reasoning, TextSlot::Raw, "text"),
    ("response.reasoning", ItemKind::Reasoning, TextSlot::Raw, "text"),
    ("response.custom_tool_call_input", ItemKind::Custom, TextSlot::Input, "input"),
];

/// The event that adds an annotation to a text.
const ANNOTATION: &str = "response.output_text.annotation.added";

/// Fields of a response that [`ResponseEvent`] has.
const KNOWN: [&str; 9] =
    ["id", "object", "created_at", "status", "model", "output", "usage", "error", "incomplete_details"];

/// An event that adds text, which is what most events do.
#[derive(Deserialize)]
struct TextDelta<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    delta: Cow<'a, str>,
    #[serde(borrow)]
    item_id: Option<Cow<'a, str>>,
    output_index: Option<u64>,
    content_index: Option<u64>,
    summary_index: Option<u64>,
    logprobs: Option<Vec<Value>>,
}

impl ProtocolReader for ResponsesReader {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>) {
        let data = frame.data.trim();
        if self.over || data.is_empty() || data == "[DONE]" {
            return;
        }
        if frame.is_damaged() {
            out.push(ResponseEvent::Lost);
        }
        if let Ok(delta) = serde_json::from_str::<TextDelta<'_>>(data)
            && self.delta(&delta, out)
        {
            return;
        }
        match surrogates::value(data.as_bytes()) {
            Ok(mut event) => {
                if let (Some(name), Some(object)) = (frame.event, event.as_object_mut()) {
                    // Some servers name the event only outside of its data.
                    object.entry("type").or_insert_with(|| name.into());
                }
                match Fault::of_event(frame.event, &event) {
                    Some(fault) => self.fail(with_kind(fault), out),
                    None => self.event(&event, out),
                }
            }
            Err(_) if frame.event == Some("error") => self.fail(Fault::of_text(data), out),
            Err(error) => self.fail(unreadable(&error), out),
        }
    }

    fn whole(&mut self, body: &[u8], out: &mut Vec<ResponseEvent>) {
        match surrogates::value(body) {
            Ok(response) if response.get("output").is_some() || response.get("status").is_some() => {
                self.begin(&response, out);
                self.end("", &response, out);
            }
            Ok(other) => self.fail(Fault::of_value(&other).unwrap_or_else(|| no_response(&other)), out),
            Err(error) => self.fail(unreadable(&error), out),
        }
    }

    fn cut(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        // Only the last event shows that the response is complete.
        if !self.over {
            self.fail(fault, out);
        }
    }
}

impl ResponsesReader {
    /// Reads an event that adds text; returns whether it was one.
    fn delta(&mut self, delta: &TextDelta<'_>, out: &mut Vec<ResponseEvent>) -> bool {
        let family = delta.kind.strip_suffix(".delta");
        let Some((_, kind, slot, _)) = TEXTS.iter().find(|row| Some(row.0) == family) else { return false };
        self.begin(&Value::Null, out);
        let place = ItemPlace { id: delta.item_id.as_deref(), index: delta.output_index };
        let part = delta.content_index.or(delta.summary_index).unwrap_or_default();
        let item = self.items.find(*kind, place, out);
        self.items.probable(item, delta.logprobs.as_deref().unwrap_or_default(), out);
        self.items.push_text(item, (*slot, part), &delta.delta, out);
        true
    }

    fn event(&mut self, event: &Value, out: &mut Vec<ResponseEvent>) {
        let name = kind(event);
        let response = &event["response"];
        match name {
            "response.created" | "response.queued" | "response.in_progress" => self.begin(response, out),
            "response.completed"
            | "response.incomplete"
            | "response.done"
            | "response.failed"
            | "response.cancelled" => {
                self.begin(response, out);
                self.end(name, response, out);
            }
            "response.output_item.added" | "response.output_item.done" => {
                self.begin(&Value::Null, out);
                self.items.object(event, name.ends_with("done"), out);
            }
            _ => self.other(name, event, out),
        }
    }

    /// Reads events that end a text or frame it, and those that only this protocol has.
    fn other(&mut self, name: &str, event: &Value, out: &mut Vec<ResponseEvent>) {
        let place = ItemPlace { id: text(event, "item_id"), index: event["output_index"].as_u64() };
        let number = |key: &str| event[key].as_u64();
        let part = number("content_index").or_else(|| number("summary_index")).unwrap_or_default();
        if let Some((stem, last)) = name.rsplit_once('.') {
            if let Some((_, kind, slot, field)) = TEXTS.iter().find(|row| row.0 == stem) {
                self.begin(&Value::Null, out);
                let item = self.items.find(*kind, place, out);
                let sent = event.get(if last == "delta" { "delta" } else { field });
                let sent = sent.map(super::tools::json_text).unwrap_or_default();
                self.items.named(item, text(event, "name"));
                // The last event repeats the log probabilities of the deltas.
                if last == "delta" || !self.items.has_sent(item, (*slot, part)) {
                    self.items.probable(item, list(&event["logprobs"]), out);
                }
                match last {
                    "delta" => self.items.push_text(item, (*slot, part), &sent, out),
                    _ => self.items.complete(item, (*slot, part), &sent, out),
                }
                return;
            }
            // Writers generate the events around a part.
            if ["response.content_part", "response.reasoning_summary_part"].contains(&stem) {
                return;
            }
        }
        if !name.is_empty() {
            self.begin(&Value::Null, out);
            if name == ANNOTATION {
                self.items.annotated(place, part);
            }
            out.push(items::own(event.clone()));
        }
    }

    /// Emits the start of the response, and unknown fields when their values are new.
    fn begin(&mut self, response: &Value, out: &mut Vec<ResponseEvent>) {
        if !self.begun {
            self.begun = true;
            out.push(ResponseEvent::Begin(ResponseStart {
                id: text(response, "id").filter(|id| !id.is_empty()).map(str::to_owned),
                model: text(response, "model").filter(|model| !model.is_empty()).map(str::to_owned),
                created: response.get("created_at").and_then(seconds),
                usage: None,
            }));
        }
        let fields = response.as_object().into_iter().flatten();
        let fresh = fields.filter(|(key, value)| !KNOWN.contains(&key.as_str()) && self.extra.get(key) != Some(*value));
        let fresh: Map = fresh.map(|(key, value)| (key.clone(), value.clone())).collect();
        if !fresh.is_empty() {
            self.extra.extend(fresh.clone());
            out.push(ResponseEvent::Extra(fresh));
        }
    }

    /// Reads the response that ends the stream, of which `named` is the event, or a whole response.
    fn end(&mut self, named: &str, response: &Value, out: &mut Vec<ResponseEvent>) {
        let status = text(response, "status").unwrap_or_default();
        let is = |word: &str| status == word || named.strip_prefix("response.") == Some(word);
        if is("failed") {
            return self.fail(fault_of(response), out);
        }
        if is("cancelled") {
            return self.fail(Fault::new(FaultKind::Upstream, "the model server cancelled the response"), out);
        }
        let finish = match response.get("incomplete_details").and_then(|details| text(details, "reason")) {
            Some("content_filter") => Finish::ContentFilter,
            Some(_) => Finish::Length,
            None if is("incomplete") => Finish::Length,
            // A background response, for which the client does not wait.
            None if matches!(status, "queued" | "in_progress") => Finish::Other(status.to_owned()),
            None => Finish::Stop,
        };
        self.finish(response, finish, out);
    }

    fn finish(&mut self, response: &Value, finish: Finish, out: &mut Vec<ResponseEvent>) {
        self.items.reconcile(list(&response["output"]).iter(), out);
        let finish = if finish == Finish::Stop && self.items.has_calls() { Finish::ToolCalls } else { finish };
        out.push(ResponseEvent::first(crate::response_event::Part::Finish(finish)));
        if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
            let (cached, reasoning) =
                ("/input_tokens_details/cached_tokens", "/output_tokens_details/reasoning_tokens");
            let usage = Usage::of(usage.clone(), ["/input_tokens", "/output_tokens", cached, reasoning]);
            out.push(ResponseEvent::Usage(usage));
        }
        out.push(ResponseEvent::End);
        self.over = true;
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        out.push(ResponseEvent::Fault(fault));
        self.over = true;
    }
}

/// Returns seconds; some servers send a fraction.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates, and no time is before 1970")]
fn seconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_f64().map(|seconds| seconds as u64))
}

/// Reads the error of a response.
fn fault_of(value: &Value) -> Fault {
    let silent = || Fault::new(FaultKind::Server, "the model server failed without a reason");
    with_kind(Fault::of_value(value).unwrap_or_else(silent))
}

/// Sets the kind of an error by the codes of this protocol.
fn with_kind(fault: Fault) -> Fault {
    let kind = match fault.code.as_deref() {
        Some("rate_limit_exceeded") => FaultKind::RateLimit,
        Some("invalid_prompt" | "context_length_exceeded") => FaultKind::Request,
        Some("server_is_overloaded" | "slow_down") => FaultKind::Overloaded,
        _ => return fault,
    };
    Fault { code: fault.code, param: fault.param, ..Fault::new(kind, fault.message) }
}

fn unreadable(error: &serde_json::Error) -> Fault {
    Fault::new(FaultKind::Upstream, format!("the model server sent invalid JSON: {error}"))
}

fn no_response(value: &Value) -> Fault {
    let message = format!("expected a response from the model server, found an object of type `{}`", kind(value));
    Fault::new(FaultKind::Upstream, message)
}
