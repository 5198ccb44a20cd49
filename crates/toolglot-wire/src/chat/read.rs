//! Reads chat completions, streamed and whole, including invalid ones.

use toolglot_json::{Map, Value};

use crate::chat::fields::{self, text};
use crate::fault::{Fault, FaultKind};
use crate::members::list;
use crate::port::ProtocolReader;
use crate::response_event::{Finish, Part, ResponseEvent, ResponseStart, Usage};
use crate::sse::Frame;
use crate::surrogates;
use calls::ReadCalls;

mod calls;

/// Reads one answer.
#[derive(Default)]
pub(crate) struct ChatReader {
    begun: bool,
    ended: bool,
    choices: Vec<ReadChoice>,
    /// The last values of unknown fields of the response.
    extra: Map,
    /// Those of them that arrived before the response began.
    early: Map,
}

/// Alternatives beyond this many are not read: OpenAI allows 128, and each alternative holds a parser.
const MAX_CHOICES: usize = 1024;

/// The state of one alternative.
struct ReadChoice {
    number: usize,
    calls: ReadCalls,
    finished: bool,
}

impl ProtocolReader for ChatReader {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>) {
        if self.ended {
            return;
        }
        if frame.data.trim() == "[DONE]" {
            return self.end(out);
        }
        let failed = frame.event == Some("error");
        if frame.is_damaged() {
            out.push(ResponseEvent::Lost);
        }
        match surrogates::value(frame.data.as_bytes()) {
            Ok(Value::Object(chunk)) => self.object(chunk, failed, false, out),
            // Values other than objects are ignored, except in error events.
            Ok(other) => {
                if let Some(fault) = Fault::of_event(frame.event, &other) {
                    self.fail(fault, out);
                }
            }
            Err(_) if failed => self.fail(Fault::of_text(frame.data), out),
            Err(_) => out.push(ResponseEvent::Lost),
        }
    }

    fn whole(&mut self, body: &[u8], out: &mut Vec<ResponseEvent>) {
        match surrogates::value(body).map(unwrapped) {
            Ok(Value::Object(body)) if !body["choices"].is_null() || has_error(&body) => {
                self.object(body, false, true, out);
            }
            _ => self.fail(Fault::new(FaultKind::Upstream, "the model server's answer is not a chat completion"), out),
        }
        if !self.ended {
            self.end(out);
        }
    }

    fn cut(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        if self.ended {
            return;
        }
        if self.choices.is_empty() || self.choices.iter().any(|choice| !choice.finished) {
            return self.fail(fault, out);
        }
        self.end(out);
    }

    fn continues_call(&mut self, choice: usize, index: u64, text: &str) -> Option<usize> {
        let choice = self.choices.iter_mut().find(|known| known.number == choice)?;
        choice.calls.continue_call(index, text).filter(|_| !self.ended)
    }
}

impl ChatReader {
    fn end(&mut self, out: &mut Vec<ResponseEvent>) {
        self.ended = true;
        for ReadChoice { number, calls, .. } in &mut self.choices {
            calls.share_out(&mut |part| out.push(ResponseEvent::Part { choice: *number, part }));
        }
        out.push(ResponseEvent::End);
    }

    fn fail(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        self.ended = true;
        out.push(ResponseEvent::Fault(fault));
    }

    /// Reads a chunk, or a whole response.
    fn object(&mut self, mut object: Map, failed: bool, whole: bool, out: &mut Vec<ResponseEvent>) {
        if failed || has_error(&object) {
            if let Some(fault) = Fault::of_event(Some("error"), &Value::Object(object)) {
                self.fail(fault, out);
            }
            return;
        }
        let choices = match object.remove("choices") {
            Some(Value::Array(choices)) => choices,
            _ => Vec::new(),
        };
        let usage = object.remove("usage").filter(Value::is_object);
        self.begin(&object, !choices.is_empty(), out);
        self.extra(object, out);
        for (place, choice) in choices.into_iter().enumerate() {
            if let Value::Object(choice) = choice {
                self.choice(place, choice, whole, out);
            }
        }
        out.extend(usage.map(|own| ResponseEvent::Usage(usage_of(own))));
    }

    /// Begins with the first chunk that has content or an id; some servers send an empty one before it.
    fn begin(&mut self, object: &Map, speaks: bool, out: &mut Vec<ResponseEvent>) {
        let id = text(object, "id");
        if self.begun || (!speaks && id.is_none()) {
            return;
        }
        self.begun = true;
        // Some servers send 0.
        let created = object["created"].as_u64().filter(|created| *created > 0);
        out.push(ResponseEvent::Begin(ResponseStart {
            id: id.map(str::to_owned),
            model: text(object, "model").map(str::to_owned),
            created,
            usage: None,
        }));
    }

    /// Emits unknown fields when their values are new.
    fn extra(&mut self, object: Map, out: &mut Vec<ResponseEvent>) {
        for (key, value) in object {
            if !fields::RESPONSE.contains(&key.as_str()) && self.extra.get(&key) != Some(&value) {
                self.early.insert(key.clone(), value.clone());
                self.extra.insert(key, value);
            }
        }
        if self.begun && !self.early.is_empty() {
            out.push(ResponseEvent::Extra(std::mem::take(&mut self.early)));
        }
    }

    fn choice(&mut self, place: usize, mut choice: Map, whole: bool, out: &mut Vec<ResponseEvent>) {
        let number = choice["index"].as_u64().and_then(|index| usize::try_from(index).ok());
        // Some servers omit the index.
        let number = number.unwrap_or(place);
        let known = self.choices.iter().position(|choice| choice.number == number);
        if known.is_none() && self.choices.len() >= MAX_CHOICES {
            return;
        }
        let at = known.unwrap_or_else(|| {
            self.choices.push(ReadChoice { number, calls: ReadCalls::default(), finished: false });
            self.choices.len() - 1
        });
        let state = &mut self.choices[at];
        let mut emit = |part: Part| out.push(ResponseEvent::Part { choice: number, part });
        let message = ["delta", "message"].iter().find_map(|key| match choice.remove(key) {
            Some(Value::Object(message)) => Some(message),
            _ => None,
        });
        let mut message = message.unwrap_or_default();
        // Servers with plain completions put the text next to the message.
        if let Some(Value::String(text)) = choice.remove("text") {
            message.entry("content").or_insert(Value::String(text));
        }
        if let Some(Value::Array(tokens)) = choice.get("logprobs").and_then(|found| found.get("content"))
            && !tokens.is_empty()
        {
            emit(Part::Logprobs(tokens.clone()));
        }
        delta(&message, &mut state.calls, whole, &mut emit);
        let finish = finish_of(&choice);
        if !whole {
            // They have been emitted before their text.
            choice.remove("logprobs");
        }
        if let Some(own) = own(&message, &choice) {
            emit(Part::Own(own));
        }
        if let Some(finish) = finish.filter(|_| !std::mem::replace(&mut state.finished, true)) {
            // Only now it is known how many calls share their arguments.
            state.calls.share_out(&mut emit);
            if state.calls.are_nameless() {
                let fault = Fault::new(FaultKind::Upstream, "the model server sent a call without a tool name");
                return self.fail(fault.with_code("tool_call_broken"), out);
            }
            emit(Part::Finish(finish));
        }
    }
}

/// Reads the delta of a chunk, or a whole message.
fn delta(message: &Map, calls: &mut ReadCalls, whole: bool, emit: &mut impl FnMut(Part)) {
    let non_empty = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    // Some servers send the same text in both fields.
    let mut reasoning = ["reasoning_content", "reasoning"].iter().find_map(|key| non_empty(text(message, key)?));
    reasoning = reasoning.or_else(|| non_empty(&details(message.get("reasoning_details")?)));
    if let Some(text) = reasoning {
        emit(Part::Reasoning(text));
    }
    match message.get("content") {
        Some(Value::String(text)) => non_empty(text).into_iter().for_each(|text| emit(Part::Text(text))),
        Some(Value::Array(parts)) => parts.iter().filter_map(content_part).for_each(&mut *emit),
        _ => {}
    }
    if let Some(text) = text(message, "refusal").and_then(non_empty) {
        emit(Part::Refusal(text));
    }
    match message.get("tool_calls") {
        Some(Value::Array(all)) => all.iter().for_each(|call| calls.read(call, whole, emit)),
        Some(call @ Value::Object(_)) => calls.read(call, whole, emit),
        _ => {}
    }
    if let Some(Value::Object(function)) = message.get("function_call") {
        calls.read_legacy(function, emit);
    }
}

/// Reads a content part: text, or the reasoning that some servers put there.
fn content_part(part: &Value) -> Option<Part> {
    let part = part.as_object()?;
    match text(part, "type") {
        Some("thinking" | "reasoning") => {
            let inner = part.get("thinking").or(part.get("reasoning")).or(part.get("text"))?;
            let joined = inner.as_str().map_or_else(|| details(inner), str::to_owned);
            Some(Part::Reasoning(joined)).filter(|_| !inner.is_null())
        }
        Some("refusal") => Some(Part::Refusal(text(part, "refusal")?.to_owned())),
        _ => Some(Part::Text(text(part, "text")?.to_owned())),
    }
}

/// Joins the texts of a list of parts.
fn details(parts: &Value) -> String {
    let of = |part: &Value| ["text", "summary"].iter().find_map(|key| part.get(key)?.as_str().map(str::to_owned));
    list(parts).iter().filter_map(of).collect()
}

/// Returns the unknown fields of an alternative, in the form that the writers of this protocol restore.
fn own(message: &Map, choice: &Map) -> Option<Value> {
    let unknown = |map: &Map, known: &[&str]| {
        let unknown = map.iter().filter(|(key, value)| !known.contains(&key.as_str()) && !value.is_null());
        unknown.map(|(key, value)| (key.clone(), value.clone())).collect::<Map>()
    };
    let (message, choice) = (unknown(message, fields::MESSAGE), unknown(choice, fields::CHOICE));
    if message.is_empty() && choice.is_empty() {
        return None;
    }
    Some(toolglot_json::json!({"message": message, "choice": choice}))
}

fn finish_of(choice: &Map) -> Option<Finish> {
    let name = text(choice, "finish_reason")?;
    let sequence = || text(choice, "stop_reason").map(str::to_owned);
    let known = fields::FINISH.iter().find(|(known, _)| *known == name).map(|(_, finish)| finish.clone());
    Some(match known {
        Some(Finish::Stop) => sequence().map_or(Finish::Stop, Finish::StopSequence),
        Some(finish) => finish,
        None => Finish::Other(name.to_owned()),
    })
}

pub(crate) fn usage_of(own: Value) -> Usage {
    let (cached, reasoning) = ("/prompt_tokens_details/cached_tokens", "/completion_tokens_details/reasoning_tokens");
    Usage::of(own, ["/prompt_tokens", "/completion_tokens", cached, reasoning])
}

/// Unwraps an answer from the envelope of some gateways: `{"data": {…}, "success": true}`.
fn unwrapped(body: Value) -> Value {
    match body {
        Value::Object(mut envelope) if !envelope.contains_key("choices") => {
            let answer = envelope.get_mut("data").filter(|data| data["choices"].is_array());
            answer.map(Value::take).unwrap_or(Value::Object(envelope))
        }
        body => body,
    }
}

fn has_error(object: &Map) -> bool {
    object.get("error").is_some_and(|error| !error.is_null())
        || object.len() == 1 && text(object, "detail").is_some()
        || [text(object, "object"), text(object, "type")].contains(&Some("error"))
}
