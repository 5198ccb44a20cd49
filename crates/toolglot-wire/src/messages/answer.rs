//! The fields of an answer around its blocks: the model, the stop reason, the usage.

use toolglot_json::{Map, Value, json};

use super::count::estimate;
use super::usage;
use crate::port::Client;
use crate::protocol::Protocol;
use crate::response_event::{Finish, Part, ResponseEvent, ResponseStart, Usage};

/// The fields of an answer without its blocks.
#[derive(Debug, Default)]
pub(super) struct AnswerEnvelope {
    usage: Option<Usage>,
    finish: Option<Finish>,
    extra: Map,
}

impl AnswerEnvelope {
    /// Reads an event if it is about the answer itself.
    pub(super) fn add(&mut self, event: &ResponseEvent) {
        match event {
            ResponseEvent::Usage(usage) => self.usage = Some(usage.clone()),
            ResponseEvent::Extra(extra) => self.extra.extend(extra.clone()),
            ResponseEvent::Part { choice: 0, part: Part::Finish(finish) } => self.finish = Some(finish.clone()),
            _ => {}
        }
    }

    /// Returns the message without content. The protocol has token counts at the beginning; if the server sent none,
    /// they are estimated.
    pub(super) fn head(&self, begin: &ResponseStart, client: &Client) -> Map {
        let id =
            begin.id.clone().unwrap_or_else(|| toolglot::mint(client.seed, usize::MAX).replacen("call_", "msg_", 1));
        let estimated = || json!({"input_tokens": estimate(&client.request), "output_tokens": 0});
        let message = json!({
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": begin.model.as_ref().unwrap_or(&client.model),
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": begin.usage.as_ref().map_or_else(estimated, |usage| usage::write(usage).into()),
        });
        if let Value::Object(message) = message { message } else { Map::new() }
    }

    /// Returns the stop reason, and the client's stop sequence if that is the reason.
    pub(super) fn stop(&self, refused: bool, client: &Client) -> (Value, Value) {
        let word = match &self.finish {
            Some(Finish::StopSequence(sequence)) => {
                let sequence = Some(sequence.as_str()).filter(|sequence| !sequence.is_empty());
                return ("stop_sequence".into(), sequence.into());
            }
            Some(Finish::ToolCalls) => "tool_use",
            Some(Finish::Length) => "max_tokens",
            Some(Finish::ContentFilter) => "refusal",
            Some(Finish::Other(word)) if client.upstream == Protocol::Messages => word,
            Some(Finish::Stop) if refused => "refusal",
            Some(Finish::Stop | Finish::Other(_)) | None => "end_turn",
        };
        (word.into(), Value::Null)
    }

    /// Returns the token counts, if the server sent them.
    pub(super) fn counts(&self) -> Option<Map> {
        self.usage.as_ref().map(usage::write)
    }

    /// Returns the server's unknown fields, if it uses this protocol.
    pub(super) fn extra(&self, client: &Client) -> Map {
        if client.upstream == Protocol::Messages { self.extra.clone() } else { Map::new() }
    }
}
