//! An answer and its lines: the model, the content, and at the end the finish reason and the usage.

use toolglot_json::{Map, Value, json};

use super::generates;
use crate::port::Client;
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, Usage};
use crate::transcript_choice::{TranscriptCall, TranscriptChoice};

/// An answer, as far as it has arrived.
#[derive(Debug, Default)]
pub(crate) struct OllamaAnswer {
    model: String,
    created_at: String,
    /// Whether the client uses `/api/generate`.
    pub(super) generates: bool,
    /// Whether the server uses this protocol, too.
    is_own: bool,
    usage: Option<Usage>,
    /// What has not been sent; its calls are incomplete: in this protocol, a call is sent when it is complete.
    unsent: TranscriptChoice,
    complete: Vec<Value>,
    logprobs: Vec<Value>,
    /// The number of complete calls.
    calls: usize,
}

impl OllamaAnswer {
    pub(crate) fn new(client: &Client) -> Self {
        Self {
            model: client.model.clone(),
            created_at: date(client.now),
            generates: generates(&client.request),
            is_own: client.upstream == Protocol::Ollama,
            ..Self::default()
        }
    }

    /// Adds an event; this protocol has no alternatives.
    pub(super) fn add(&mut self, event: &ResponseEvent) {
        match event {
            ResponseEvent::Begin(begin) => {
                begin.model.iter().for_each(|model| self.model.clone_from(model));
                begin.created.iter().for_each(|created| self.created_at = date(*created));
            }
            ResponseEvent::Part { choice: 0, part } => self.add_part(part),
            ResponseEvent::Usage(usage) => self.usage = Some(usage.clone()),
            _ => {}
        }
    }

    fn add_part(&mut self, part: &Part) {
        let open = &mut self.unsent.calls;
        match part {
            Part::Logprobs(tokens) => self.logprobs.extend_from_slice(tokens),
            Part::CallEnd { call } => {
                if let Some(at) = open.iter().position(|open| open.number == *call) {
                    self.complete.push(complete(open.remove(at), self.calls));
                    self.calls += 1;
                }
            }
            Part::CallCut { call } => open.retain(|open| open.number != *call),
            part => self.unsent.add(part),
        }
    }

    /// Returns whether there is anything to send; log probabilities wait for their text.
    pub(super) fn has_content(&self) -> bool {
        !self.unsent.text.is_empty() || !self.unsent.reasoning.is_empty() || !self.complete.is_empty()
    }

    /// Returns a line with what has not been sent.
    pub(super) fn line(&mut self) -> Value {
        let TranscriptChoice { text, reasoning, .. } = &mut self.unsent;
        let [content, thinking] = [text, reasoning].map(std::mem::take);
        let [calls, logprobs] = [&mut self.complete, &mut self.logprobs].map(std::mem::take);
        let mut line = json!({"model": self.model, "created_at": self.created_at});
        let mut fields = if self.generates {
            json!({"response": content})
        } else {
            json!({"role": "assistant", "content": content})
        };
        if !thinking.is_empty() {
            fields["thinking"] = thinking.into();
        }
        if !calls.is_empty() {
            fields["tool_calls"] = calls.into();
        }
        match (&mut line, fields) {
            (Value::Object(line), Value::Object(fields)) if self.generates => line.extend(fields),
            (line, fields) => line["message"] = fields,
        }
        if !logprobs.is_empty() {
            line["logprobs"] = logprobs.into();
        }
        line["done"] = false.into();
        line
    }

    /// Returns the last line; durations come only from the server.
    pub(super) fn last_line(&mut self) -> Value {
        let mut line = self.line();
        line["done"] = true.into();
        // Calls are not a reason here.
        line["done_reason"] = match &self.unsent.finish {
            Some(Finish::Length) => "length".into(),
            Some(Finish::Other(word)) if self.is_own => word.as_str().into(),
            _ => "stop".into(),
        };
        if let Some(usage) = &self.usage {
            let counted = || json!({"prompt_eval_count": usage.input, "eval_count": usage.output});
            let counts = if self.is_own { usage.own.clone() } else { counted() };
            for (key, count) in counts.as_object().into_iter().flatten() {
                line[key] = count.clone();
            }
        }
        line
    }
}

/// Returns a complete call; clients of this protocol accept only objects as arguments.
fn complete(call: TranscriptCall, index: usize) -> Value {
    let TranscriptCall { id, name, arguments: input, kind, .. } = call;
    let object = || serde_json::from_str::<Map>(&input).ok().map(Value::Object);
    let arguments = match kind {
        CallKind::Custom => json!({"input": input}),
        CallKind::Function if input.trim().is_empty() => json!({}),
        CallKind::Function => object().unwrap_or_else(|| json!({"raw": input})),
    };
    json!({"id": id.unwrap_or_default(), "function": {"index": index, "name": name, "arguments": arguments}})
}

/// Formats seconds since 1970 as in RFC 3339. Days are counted from 1 March, so that the leap day is the last of a
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
