//! The lines of an answer: the model, the content, and at the end the reason and the usage.

use toolglot_json::{Map, Value, json};

use super::generates;
use crate::port::Client;
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseStart, Usage};

/// What every line of an answer says, and what the last one adds.
#[derive(Debug)]
pub(super) struct OllamaEnvelope {
    model: String,
    created_at: String,
    /// The client asked `/api/generate`.
    generates: bool,
    /// Whether the server uses this protocol, too.
    is_own: bool,
    pub(super) finish: Option<Finish>,
    pub(super) usage: Option<Usage>,
}

impl OllamaEnvelope {
    pub(super) fn new(begin: &ResponseStart, client: &Client) -> Self {
        Self {
            model: begin.model.clone().unwrap_or_else(|| client.model.clone()),
            created_at: date(begin.created.unwrap_or(client.now)),
            generates: generates(&client.request),
            is_own: client.upstream == Protocol::Ollama,
            finish: None,
            usage: None,
        }
    }

    /// Returns a line that says something.
    pub(super) fn line(&self, said: OllamaMessage) -> Map {
        let mut line = Map::from_iter([
            ("model".to_owned(), self.model.as_str().into()),
            ("created_at".to_owned(), self.created_at.as_str().into()),
        ]);
        let probable = said.logprobs.clone();
        if self.generates {
            line.extend(said.fields("response"));
        } else {
            let role = ("role".to_owned(), Value::from("assistant"));
            line.insert("message".to_owned(), [role].into_iter().chain(said.fields("content")).collect());
        }
        if !probable.is_empty() {
            line.insert("logprobs".to_owned(), probable.into());
        }
        line.insert("done".to_owned(), false.into());
        line
    }

    /// Returns the last line; durations come only from the server.
    pub(super) fn last(&self, said: OllamaMessage) -> Map {
        let mut line = self.line(said);
        line.insert("done".to_owned(), true.into());
        line.insert("done_reason".to_owned(), self.done_reason().into());
        if let Some(usage) = &self.usage {
            let counted = || json!({"prompt_eval_count": usage.input, "eval_count": usage.output});
            let counts = if self.is_own { usage.own.clone() } else { counted() };
            line.extend(counts.as_object().cloned().unwrap_or_default());
        }
        line
    }

    /// Returns why the answer ended; calls are no reason of their own here.
    fn done_reason(&self) -> &str {
        match &self.finish {
            Some(Finish::Length) => "length",
            Some(Finish::Other(word)) if self.is_own => word,
            _ => "stop",
        }
    }
}

/// What a message says: a piece of one, or all of it.
#[derive(Debug, Default)]
pub(super) struct OllamaMessage {
    content: String,
    thinking: String,
    calls: Vec<Value>,
    logprobs: Vec<Value>,
}

impl OllamaMessage {
    pub(super) fn is_empty(&self) -> bool {
        self.content.is_empty() && self.thinking.is_empty() && self.calls.is_empty()
    }

    fn fields(self, content: &str) -> Map {
        let mut fields = Map::from_iter([(content.to_owned(), self.content.into())]);
        if !self.thinking.is_empty() {
            fields.insert("thinking".to_owned(), self.thinking.into());
        }
        if !self.calls.is_empty() {
            fields.insert("tool_calls".to_owned(), self.calls.into());
        }
        fields
    }
}

/// The open calls: in this protocol, a call is sent when it is complete.
#[derive(Debug, Default)]
pub(super) struct OllamaCalls {
    open: Vec<OllamaCall>,
    said: usize,
}

/// A call whose input is still coming.
#[derive(Debug)]
struct OllamaCall {
    call: usize,
    id: String,
    name: String,
    kind: CallKind,
    input: String,
}

impl OllamaCalls {
    /// Adds to a message what a part says.
    pub(super) fn add(&mut self, part: &Part, to: &mut OllamaMessage) {
        match part {
            Part::Text(text) | Part::Refusal(text) => to.content.push_str(text),
            Part::Reasoning(text) => to.thinking.push_str(text),
            Part::Logprobs(tokens) => to.logprobs.extend_from_slice(tokens),
            Part::CallStart { call, id, name, kind } => self.open.push(OllamaCall {
                call: *call,
                id: id.clone().unwrap_or_default(),
                name: name.clone(),
                kind: *kind,
                input: String::new(),
            }),
            Part::Arguments { call, text } => {
                if let Some(open) = self.open.iter_mut().find(|open| open.call == *call) {
                    open.input.push_str(text);
                }
            }
            Part::CallEnd { call } => {
                if let Some(at) = self.open.iter().position(|open| open.call == *call) {
                    to.calls.push(self.open.remove(at).value(self.said));
                    self.said += 1;
                }
            }
            Part::CallCut { call } => self.open.retain(|open| open.call != *call),
            Part::Seal(_) | Part::Own(_) | Part::Finish(_) => {}
        }
    }
}

impl OllamaCall {
    /// Returns the call; clients of this protocol take objects and nothing else.
    fn value(self, index: usize) -> Value {
        let object = || serde_json::from_str::<Map>(&self.input).ok().map(Value::Object);
        let arguments = match self.kind {
            CallKind::Custom => json!({"input": self.input}),
            CallKind::Function if self.input.trim().is_empty() => json!({}),
            CallKind::Function => object().unwrap_or_else(|| json!({"raw": self.input})),
        };
        json!({"id": self.id, "function": {"index": index, "name": self.name, "arguments": arguments}})
    }
}

/// Returns seconds since 1970 as RFC 3339 has it. Days are counted from 1 March, so that the leap day is the last of a
/// year; 146,097 days are 400 years.
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_are_right() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_251_199, "2024-02-29T23:59:59Z"),
            (1_795_392_000, "2026-11-23T00:00:00Z"),
        ] {
            assert_eq!(super::date(seconds), date);
        }
    }
}
