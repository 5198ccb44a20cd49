//! Reads answers in the Messages protocol, including invalid ones.

use toolglot_json::{Map, Value};

use super::exact::ExactInputs;
use super::quick::BlockDelta;
use super::usage;
use crate::fault::{Fault, FaultKind};
use crate::members::{json_text, take};
use crate::policy::WireLimits;
use crate::port::ProtocolReader;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart};
use crate::sse::Frame;
use crate::surrogates;

/// Reads a stream or a whole response.
#[derive(Debug, Default)]
pub(crate) struct MessagesReader {
    begun: bool,
    over: bool,
    /// The blocks that have begun and not ended, in the order in which they began.
    open: Vec<ReadBlock>,
    calls: usize,
    /// Events of other blocks received during a call's input.
    held: Vec<Part>,
    held_bytes: usize,
    limits: WireLimits,
    finish: Option<Finish>,
    usage: Map,
    extra: Map,
}

/// A block that the server has started.
#[derive(Debug)]
struct ReadBlock {
    /// The server's number, which may be missing, shared or out of order.
    index: Option<u64>,
    kind: ReadBlockKind,
}

/// What a started block is.
#[derive(Debug)]
enum ReadBlockKind {
    Text,
    Thinking,
    Call {
        call: usize,
        /// The input of the block's start; the input of deltas takes precedence.
        input: Option<String>,
    },
    Own,
}

impl ProtocolReader for MessagesReader {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>) {
        if self.over || frame.data.trim().is_empty() {
            return;
        }
        // Some servers end streams of every protocol as OpenAI does.
        if frame.data.trim() == "[DONE]" {
            return self.end(out);
        }
        if frame.is_damaged() {
            out.push(ResponseEvent::Lost);
        }
        if self.quick(frame, out) {
            return;
        }
        match surrogates::value(frame.data.as_bytes()) {
            Ok(event) => self.event(frame, event, out),
            Err(_) if frame.event == Some("ping") => {}
            Err(_) if frame.event == Some("error") => self.fail(Fault::of_text(frame.data), out),
            Err(error) => self.fail(not_json("an event", &error), out),
        }
    }

    fn whole(&mut self, body: &[u8], out: &mut Vec<ResponseEvent>) {
        match surrogates::value(body) {
            Ok(message) if message.get("content").is_some() || message.get("stop_reason").is_some() => {
                self.message(message, &ExactInputs::of_message(body), out);
            }
            Ok(other) => {
                let strange =
                    || Fault::new(FaultKind::Upstream, "the model server's answer is not a Messages response");
                self.fail(Fault::of_value(&other).unwrap_or_else(strange), out);
            }
            Err(error) => self.fail(not_json("a response", &error), out),
        }
    }

    fn cut(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        match (self.over, &self.finish) {
            (true, _) => {}
            (false, Some(_)) => self.end(out),
            (false, None) => self.fail(fault, out),
        }
    }
}

impl MessagesReader {
    /// Returns a reader that holds no more than is allowed.
    pub(crate) fn new(limits: WireLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    fn event(&mut self, frame: &Frame<'_>, mut event: Value, out: &mut Vec<ResponseEvent>) {
        if let Some(fault) = Fault::of_event(frame.event, &event) {
            return self.fail(fault, out);
        }
        let kind = event["type"].as_str().or(frame.event).unwrap_or_default();
        match kind {
            "message_start" => self.begin(event.get_mut("message").map(Value::take), out),
            "content_block_start" => self.start(event, &ExactInputs::of_start(frame.data), out),
            "content_block_delta" => self.delta(event, out),
            "content_block_stop" => {
                if let Some(place) = self.find(event["index"].as_u64()) {
                    self.close(place, out);
                }
            }
            "message_delta" => self.finishing(&mut event),
            "message_stop" => self.end(out),
            "message" => self.message(event, &ExactInputs::of_message(frame.data.as_bytes()), out),
            // Clients skip unknown events, and so does this reader.
            _ => {}
        }
    }

    /// Reads a whole message; each of its blocks starts and stops at once.
    fn message(&mut self, mut message: Value, inputs: &ExactInputs<'_>, out: &mut Vec<ResponseEvent>) {
        let content = take(&mut message, "content");
        self.finish = finish_of(&message);
        self.begin(Some(message), out);
        for (place, block) in super::block::blocks(content).into_iter().enumerate() {
            self.start_block(None, block, inputs.object(place), out);
            self.close_all(out);
        }
        self.end(out);
    }

    fn begin(&mut self, message: Option<Value>, out: &mut Vec<ResponseEvent>) {
        let Some(Value::Object(message)) = message else { return self.ensure_begun(out) };
        let text = |key: &str| message[key].as_str().filter(|text| !text.is_empty());
        let [id, model] = [text("id"), text("model")].map(|text| text.map(str::to_owned));
        usage::merge(&mut self.usage, message.get("usage"));
        let counts = Some(&self.usage).filter(|counts| counts.contains_key("input_tokens")).cloned();
        let begin = ResponseStart { id, model, created: None, usage: counts.and_then(usage::read) };
        if !std::mem::replace(&mut self.begun, true) {
            out.push(ResponseEvent::Begin(begin));
        }
        let known = ["id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "usage"];
        self.keep(message.into_iter().filter(|(key, _)| !known.contains(&key.as_str())));
    }

    fn ensure_begun(&mut self, out: &mut Vec<ResponseEvent>) {
        if !std::mem::replace(&mut self.begun, true) {
            out.push(ResponseEvent::Begin(ResponseStart::default()));
        }
    }

    fn start(&mut self, mut event: Value, inputs: &ExactInputs<'_>, out: &mut Vec<ResponseEvent>) {
        let index = event["index"].as_u64();
        // Some servers do not end a block before the next one with its index.
        let again = self.open.iter().position(|block| index.is_some() && block.index == index);
        if let Some(place) = again {
            self.close(place, out);
        }
        let block = take(&mut event, "content_block");
        self.start_block(index, block, inputs.object(0), out);
    }

    fn start_block(&mut self, index: Option<u64>, mut block: Value, input: Option<&str>, out: &mut Vec<ResponseEvent>) {
        self.ensure_begun(out);
        let kind = match super::block::kind(&block) {
            "text" => {
                self.start_text(&mut block, out);
                ReadBlockKind::Text
            }
            "thinking" => {
                self.push_string(Part::Reasoning, block.get_mut("thinking"), out);
                self.push_string(Part::Seal, block.get_mut("signature"), out);
                ReadBlockKind::Thinking
            }
            "tool_use" => self.start_call(&mut block, input, out),
            _ => {
                self.push_part(Part::Own(event("content_block_start", "content_block", block)), out);
                ReadBlockKind::Own
            }
        };
        self.open.push(ReadBlock { index, kind });
    }

    fn start_text(&mut self, block: &mut Value, out: &mut Vec<ResponseEvent>) {
        if block.is_string() {
            return self.push_string(Part::Text, Some(block), out);
        }
        self.push_string(Part::Text, block.get_mut("text"), out);
        let Some(Value::Array(citations)) = block.get_mut("citations").map(Value::take) else { return };
        for citation in citations {
            let delta = event("citations_delta", "citation", citation);
            self.push_part(Part::Own(event("content_block_delta", "delta", delta)), out);
        }
    }

    fn start_call(&mut self, block: &mut Value, input: Option<&str>, out: &mut Vec<ResponseEvent>) -> ReadBlockKind {
        let call = self.calls;
        self.calls += 1;
        let mut take = |key: &str| text(block.get_mut(key));
        let (id, name) = (take("id"), take("name").unwrap_or_default());
        // Some servers write the input's JSON text in place of the input.
        let input = input.map(str::to_owned).or_else(|| take("input"));
        out.push(ResponseEvent::first(Part::CallStart { call, id, name, kind: CallKind::Function }));
        ReadBlockKind::Call { call, input }
    }

    /// Reads a delta of the usual form without building values; returns whether it was one.
    fn quick(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>) -> bool {
        let Some(delta) = BlockDelta::of(frame) else { return false };
        let place = self.find(delta.index);
        if place.is_some_and(|place| matches!(self.open[place].kind, ReadBlockKind::Own)) {
            return false;
        }
        let Some((kind, text)) = delta.into_text() else { return false };
        self.ensure_begun(out);
        self.add(place, kind, text, out);
        true
    }

    fn delta(&mut self, mut event: Value, out: &mut Vec<ResponseEvent>) {
        self.ensure_begun(out);
        let place = self.find(event["index"].as_u64());
        if place.is_some_and(|place| matches!(self.open[place].kind, ReadBlockKind::Own)) {
            return self.push_part(Part::Own(event), out);
        }
        let Some(delta) = event.get_mut("delta") else { return };
        let Some((key, kind)) = KINDS.iter().find(|(key, kind)| match delta.get("type") {
            Some(word) => word == kind,
            None => delta.get(key).is_some(),
        }) else {
            return if delta.get("citation").is_some() {
                self.push_part(Part::Own(event), out)
            };
        };
        // Some servers send the input itself instead of its JSON text.
        if let Some(text) = json_text(&delta[*key]) {
            self.add(place, kind, text, out);
        }
    }

    /// Adds to a block; if there is none, to the last one of its kind.
    fn add(&mut self, place: Option<usize>, kind: &str, text: String, out: &mut Vec<ResponseEvent>) {
        match kind {
            _ if text.is_empty() => {}
            "text_delta" => self.push_part(Part::Text(text), out),
            "thinking_delta" => self.push_part(Part::Reasoning(text), out),
            "signature_delta" => self.push_part(Part::Seal(text), out),
            _ => self.arguments(place, text, out),
        }
    }

    /// Adds to a call's input: that of the given block, or of the last call if the block is not a call.
    fn arguments(&mut self, place: Option<usize>, text: String, out: &mut Vec<ResponseEvent>) {
        let meant = place.filter(|place| matches!(self.open[*place].kind, ReadBlockKind::Call { .. }));
        let last = || self.open.iter().rposition(|block| matches!(block.kind, ReadBlockKind::Call { .. }));
        let Some(place) = meant.or_else(last) else { return };
        if let ReadBlockKind::Call { call, input } = &mut self.open[place].kind {
            *input = None;
            out.push(ResponseEvent::first(Part::Arguments { call: *call, text }));
        }
    }

    /// Returns the block of an event: the one with its index, or the last one if either has no index.
    fn find(&self, index: Option<u64>) -> Option<usize> {
        let same = self.open.iter().rposition(|block| block.index == index);
        same.or_else(|| {
            self.open.len().checked_sub(1).filter(|last| index.is_none() || self.open[*last].index.is_none())
        })
    }

    fn close(&mut self, place: usize, out: &mut Vec<ResponseEvent>) {
        match self.open.remove(place).kind {
            ReadBlockKind::Text | ReadBlockKind::Thinking => {}
            ReadBlockKind::Own => self.push_part(Part::Own(toolglot_json::json!({"type": "content_block_stop"})), out),
            ReadBlockKind::Call { call, input } => {
                out.extend(input.map(|text| ResponseEvent::first(Part::Arguments { call, text })));
                out.push(ResponseEvent::first(Part::CallEnd { call }));
                if !self.is_in_call() {
                    self.held_bytes = 0;
                    out.extend(self.held.drain(..).map(ResponseEvent::first));
                }
            }
        }
    }

    fn close_all(&mut self, out: &mut Vec<ResponseEvent>) {
        while !self.open.is_empty() {
            self.close(0, out);
        }
    }

    fn finishing(&mut self, event: &mut Value) {
        usage::merge(&mut self.usage, event.get("usage"));
        let delta = take(event, "delta");
        self.finish = finish_of(&delta).or(self.finish.take());
        let mut more = Map::new();
        for fields in [delta, event.take()] {
            more.extend(fields.as_object().cloned().into_iter().flatten());
        }
        let known = ["type", "delta", "usage", "stop_reason", "stop_sequence"];
        self.keep(more.into_iter().filter(|(key, _)| !known.contains(&key.as_str())));
    }

    fn keep(&mut self, fields: impl Iterator<Item = (String, Value)>) {
        self.extra.extend(fields.filter(|(_, value)| !value.is_null()));
    }

    fn end(&mut self, out: &mut Vec<ResponseEvent>) {
        self.ensure_begun(out);
        self.close_all(out);
        // Some servers send no stop reason.
        let seen = if self.calls > 0 { Finish::ToolCalls } else { Finish::Stop };
        out.push(ResponseEvent::first(Part::Finish(self.finish.take().unwrap_or(seen))));
        if !self.extra.is_empty() {
            out.push(ResponseEvent::Extra(std::mem::take(&mut self.extra)));
        }
        out.extend(usage::read(std::mem::take(&mut self.usage)).map(ResponseEvent::Usage));
        out.push(ResponseEvent::End);
        self.over = true;
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        self.ensure_begun(out);
        out.push(ResponseEvent::Fault(fault));
        self.over = true;
    }

    fn push_string(&mut self, part: fn(String) -> Part, value: Option<&mut Value>, out: &mut Vec<ResponseEvent>) {
        if let Some(text) = text(value) {
            self.push_part(part(text), out);
        }
    }

    /// Emits a part, or holds it while a call is open: nothing else may come between the pieces of a call.
    fn push_part(&mut self, part: Part, out: &mut Vec<ResponseEvent>) {
        if self.is_in_call() {
            self.held_bytes += part.size();
            self.held.push(part);
            if self.limits.is_too_much_held(self.held_bytes) && !self.over {
                self.fail(self.limits.held_fault(), out);
            }
        } else {
            out.push(ResponseEvent::first(part));
        }
    }

    fn is_in_call(&self) -> bool {
        self.open.iter().any(|block| matches!(block.kind, ReadBlockKind::Call { .. }))
    }
}

fn event(kind: &str, key: &str, value: Value) -> Value {
    Value::Object(Map::from_iter([("type".to_owned(), kind.into()), (key.to_owned(), value)]))
}

/// The field and the type of each delta; some servers omit the type.
const KINDS: [(&str, &str); 4] = [
    ("text", "text_delta"),
    ("thinking", "thinking_delta"),
    ("signature", "signature_delta"),
    ("partial_json", "input_json_delta"),
];

/// Takes a string unless it is empty.
fn text(value: Option<&mut Value>) -> Option<String> {
    match value.map(Value::take) {
        Some(Value::String(text)) if !text.is_empty() => Some(text),
        _ => None,
    }
}

fn finish_of(delta: &Value) -> Option<Finish> {
    let word = delta["stop_reason"].as_str()?;
    Some(match word {
        "end_turn" => Finish::Stop,
        "tool_use" => Finish::ToolCalls,
        "max_tokens" | "model_context_window_exceeded" => Finish::Length,
        "refusal" => Finish::ContentFilter,
        "stop_sequence" => {
            let sequence = delta["stop_sequence"].as_str().unwrap_or_default();
            Finish::StopSequence(sequence.to_owned())
        }
        other => Finish::Other(other.to_owned()),
    })
}

fn not_json(what: &str, error: &serde_json::Error) -> Fault {
    Fault::new(FaultKind::Upstream, format!("the model server sent {what} that is not valid JSON: {error}"))
}
