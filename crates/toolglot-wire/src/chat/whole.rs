//! Writes a whole chat completion.

use toolglot_json::{Map, Value, json};

use crate::chat::fields;
use crate::chat::write::{ChunkEnvelope, is_legacy, reasoning_names};
use crate::port::Client;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart};
use crate::transcript_choice::{TranscriptCall, TranscriptChoice};

/// One alternative.
#[derive(Default)]
struct WholeChoice {
    answer: TranscriptChoice,
    refusal: String,
    /// Unknown fields of the message and of the alternative.
    own: [Map; 2],
}

/// Returns the body of a response, from normalized events.
pub(crate) fn whole(events: &[ResponseEvent], client: &Client) -> Value {
    let (mut begin, mut choices, mut usage, mut extra) = (ResponseStart::default(), Vec::new(), None, Map::new());
    for event in events {
        match event {
            ResponseEvent::Begin(start) => begin = start.clone(),
            ResponseEvent::Part { choice, part } => {
                choices.resize_with(choices.len().max(choice + 1), WholeChoice::default);
                choices[*choice].add(part);
            }
            ResponseEvent::Usage(counts) => usage = Some(fields::usage(counts)),
            ResponseEvent::Extra(fields) => extra.extend(fields.clone()),
            ResponseEvent::Lost | ResponseEvent::Fault(_) | ResponseEvent::End => {}
        }
    }
    let envelope = ChunkEnvelope::new(&begin, client);
    let mut body = json!({"id": envelope.id, "object": "chat.completion", "created": envelope.created,
        "model": envelope.model});
    body["choices"] = choices.into_iter().enumerate().map(|(index, choice)| choice.value(index, client)).collect();
    if let Some(usage) = usage {
        body["usage"] = usage;
    }
    for (key, value) in extra {
        body[key.as_str()] = value;
    }
    body
}

impl WholeChoice {
    fn add(&mut self, part: &Part) {
        match part {
            Part::Refusal(text) => self.refusal.push_str(text),
            Part::Own(own) => {
                for (kept, key) in self.own.iter_mut().zip(["message", "choice"]) {
                    kept.extend(own[key].as_object().cloned().unwrap_or_default());
                }
            }
            part => self.answer.add(part),
        }
    }

    fn value(mut self, index: usize, client: &Client) -> Value {
        let legacy = is_legacy(&client.request);
        let finish = self.answer.finish.take().unwrap_or(Finish::Stop);
        let finish = fields::finish_name(&finish);
        let finish = if legacy && finish == "tool_calls" { "function_call" } else { finish };
        let [message_own, mut choice_own] = std::mem::take(&mut self.own);
        if let Some(mut found) = choice_own.remove("logprobs")
            && keep_tokens(&mut found, &self.answer.text).is_some()
        {
            choice_own["logprobs"] = found;
        }
        let mut choice = json!({"index": index, "message": self.message(legacy, client), "finish_reason": finish});
        for (place, own) in [("/message", message_own), ("", choice_own)] {
            if let Some(object) = choice.pointer_mut(place).and_then(Value::as_object_mut) {
                object.extend(own);
            }
        }
        choice
    }

    fn message(self, legacy: bool, client: &Client) -> Value {
        let TranscriptChoice { text, reasoning, calls, .. } = self.answer;
        let content = Some(text).filter(|text| !text.is_empty() || calls.is_empty());
        let refusal = Some(self.refusal).filter(|text| !text.is_empty());
        let mut message = json!({"role": "assistant", "content": content, "refusal": refusal});
        if !reasoning.is_empty() {
            for name in reasoning_names(client.reasoning_field) {
                message[*name] = reasoning.clone().into();
            }
        }
        match calls.first() {
            Some(call) if legacy => {
                message["function_call"] = json!({"name": call.name, "arguments": call.arguments});
            }
            Some(_) => message["tool_calls"] = calls.into_iter().map(whole_call).collect(),
            None => {}
        }
        message
    }
}

fn whole_call(call: TranscriptCall) -> Value {
    let id = call.id.unwrap_or_default();
    match call.kind {
        CallKind::Function => json!({"id": id, "type": "function",
            "function": {"name": call.name, "arguments": call.arguments}}),
        CallKind::Custom => json!({"id": id, "type": "custom",
            "custom": {"name": call.name, "input": call.arguments}}),
    }
}

/// Removes the log probabilities of calls from those of a text, if the calls were in one place; returns none if the
/// rest does not match the text.
fn keep_tokens(found: &mut Value, text: &str) -> Option<()> {
    let Some(tokens) = found.get_mut("content").and_then(Value::as_array_mut) else {
        return text.is_empty().then_some(());
    };
    let spelled = |token: &Value| token["token"].as_str().unwrap_or_default().to_owned();
    let (mut rest, mut before) = (text, 0);
    while let Some(left) = tokens.get(before).and_then(|token| rest.strip_prefix(&*spelled(token))) {
        (rest, before) = (left, before + 1);
    }
    let mut behind = tokens.len();
    while behind > before
        && !rest.is_empty()
        && let Some(left) = rest.strip_suffix(&*spelled(&tokens[behind - 1]))
    {
        (rest, behind) = (left, behind - 1);
    }
    tokens.drain(before..behind);
    rest.is_empty().then_some(())
}
