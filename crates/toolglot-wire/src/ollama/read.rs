//! Reads answers of Ollama's API, line by line or whole.

use toolglot_json::{Map, Value, json};

use super::history::arguments_text;
use crate::fault::{Fault, FaultKind};
use crate::members::list;
use crate::port::ProtocolReader;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart, Usage};
use crate::sse::Frame;
use crate::surrogates;

/// Reads one answer.
#[derive(Debug, Default)]
pub(crate) struct OllamaReader {
    begun: bool,
    over: bool,
    calls: usize,
    /// The last call and its arguments, if they are incomplete text: some servers send them in pieces.
    open: Option<(usize, String)>,
}

/// The counts and durations of an answer.
const COUNTS: [&str; 6] =
    ["total_duration", "load_duration", "prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration"];

impl ProtocolReader for OllamaReader {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<ResponseEvent>) {
        if self.over || frame.data.trim().is_empty() {
            return;
        }
        if frame.is_damaged() {
            out.push(ResponseEvent::Lost);
        }
        match surrogates::value(frame.data.as_bytes()) {
            Ok(Value::Object(line)) => self.object(line, out),
            Ok(_) => {}
            // An unreadable piece of an answer is not quoted: errors are logged, and the content of answers must not
            // be.
            Err(_) if frame.data.contains('{') => self.fail(invalid_answer(), out),
            Err(_) => self.fail(Fault::of_text(frame.data), out),
        }
    }

    fn whole(&mut self, body: &[u8], out: &mut Vec<ResponseEvent>) {
        match surrogates::value(body) {
            Ok(Value::Object(body)) if is_piece(&body) || body.contains_key("error") => self.object(body, out),
            _ => self.fail(invalid_answer(), out),
        }
        if !std::mem::replace(&mut self.over, true) {
            out.push(ResponseEvent::End);
        }
    }

    fn cut(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        if !self.over {
            self.fail(fault, out);
        }
    }
}

fn invalid_answer() -> Fault {
    Fault::new(FaultKind::Upstream, "the model server's answer is not a response of Ollama's API")
}

/// Returns whether an object is an answer, or a line of one.
pub(crate) fn is_piece(object: &Map) -> bool {
    let has_content = object["message"].is_object() || object.contains_key("response");
    has_content && object["done"].is_boolean()
}

impl OllamaReader {
    fn fail(&mut self, fault: Fault, out: &mut Vec<ResponseEvent>) {
        self.over = true;
        out.push(ResponseEvent::Fault(fault));
    }

    fn object(&mut self, mut line: Map, out: &mut Vec<ResponseEvent>) {
        if line.get("error").is_some_and(|error| !error.is_null()) {
            let fault = Fault::of_event(Some("error"), &Value::Object(line));
            return self.fail(fault.unwrap_or_else(|| Fault::of_text("")), out);
        }
        if !std::mem::replace(&mut self.begun, true) {
            let model = line["model"].as_str().map(str::to_owned);
            out.push(ResponseEvent::Begin(ResponseStart { model, ..ResponseStart::default() }));
        }
        let mut push = |part: Part| out.push(ResponseEvent::first(part));
        if let Some(Value::Array(tokens)) = line.remove("logprobs")
            && !tokens.is_empty()
        {
            push(Part::Logprobs(tokens));
        }
        self.message(&line, &mut push);
        if line.get("done") == Some(&Value::Bool(true)) {
            self.close(&mut push);
            push(Part::Finish(finish(&line)));
            out.extend(usage(line).map(ResponseEvent::Usage));
            self.over = true;
            out.push(ResponseEvent::End);
        }
    }

    /// Reads the content of a line; in `/api/generate` it is not in a message.
    fn message(&mut self, line: &Map, push: &mut impl FnMut(Part)) {
        let message = line["message"].as_object().unwrap_or(line);
        let non_empty = |key: &str| message[key].as_str().filter(|text| !text.is_empty());
        if let Some(text) = non_empty("thinking") {
            push(Part::Reasoning(text.to_owned()));
        }
        if let Some(text) = non_empty("content").or_else(|| non_empty("response")) {
            push(Part::Text(text.to_owned()));
        }
        for call in list(&message["tool_calls"]) {
            self.call(call, push);
        }
    }

    fn call(&mut self, call: &Value, push: &mut impl FnMut(Part)) {
        let Some(name) = call["function"]["name"].as_str().filter(|name| !name.is_empty()) else {
            if let Some(Value::String(text)) = call.pointer("/function/arguments") {
                self.continue_call(text, push);
            }
            return;
        };
        self.close(push);
        let id = call["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
        let text = arguments_text(call);
        let number = self.calls;
        self.calls += 1;
        push(Part::CallStart { call: number, id, name: name.to_owned(), kind: CallKind::Function });
        self.open = Some((number, String::new()));
        self.continue_call(&text, push);
    }

    /// Adds to the arguments of the open call, which ends when they are complete.
    fn continue_call(&mut self, piece: &str, push: &mut impl FnMut(Part)) {
        let Some((number, text)) = &mut self.open else { return };
        text.push_str(piece);
        push(Part::Arguments { call: *number, text: piece.to_owned() });
        if text.trim_end().ends_with('}') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() {
            self.close(push);
        }
    }

    fn close(&mut self, push: &mut impl FnMut(Part)) {
        if let Some((call, _)) = self.open.take() {
            push(Part::CallEnd { call });
        }
    }
}

fn finish(line: &Map) -> Finish {
    match line["done_reason"].as_str() {
        None | Some("stop" | "") => Finish::Stop,
        Some("length") => Finish::Length,
        Some(word) => Finish::Other(word.to_owned()),
    }
}

fn usage(line: Map) -> Option<Usage> {
    let own: Map = line.into_iter().filter(|(key, _)| COUNTS.contains(&key.as_str())).collect();
    let count = |key: &str| own[key].as_u64();
    // The protocol does not count cached tokens.
    let (input, output) = (count("prompt_eval_count"), count("eval_count"));
    input.or(output)?;
    let [input, output] = [input, output].map(Option::unwrap_or_default);
    Some(Usage { input, output, cached: None, reasoning: None, own: json!(own) })
}
