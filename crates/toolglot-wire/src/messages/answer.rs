//! The envelope of an answer's blocks: the model, the stop reason, the usage.

use toolglot_json::{Map, Value, json};

use super::count::estimate;
use super::usage;
use crate::port::Client;
use crate::protocol::Protocol;
use crate::response_event::{Finish, ResponseEvent, ResponseStart, Usage};

/// The fields of an answer except its blocks.
#[derive(Debug, Default)]
pub(super) struct AnswerEnvelope {
    usage: Option<Usage>,
    finish: Option<Finish>,
    extra: Map,
}

impl AnswerEnvelope {
    /// Reads an event that is not part of a block.
    pub(super) fn add(&mut self, said: &ResponseEvent) {
        match said {
            ResponseEvent::Usage(usage) => self.usage = Some(usage.clone()),
            ResponseEvent::Extra(extra) => self.extra.extend(extra.clone()),
            _ => {}
        }
    }

    /// Takes why the answer ended.
    pub(super) fn set_finish(&mut self, finish: &Finish) {
        self.finish = Some(finish.clone());
    }

    /// Returns the message with nothing in it. Its counts have to be there at once: what the server did not say is
    /// estimated.
    pub(super) fn head(&self, begin: &ResponseStart, client: &Client) -> Map {
        let id =
            begin.id.clone().unwrap_or_else(|| toolglot::mint(client.seed, usize::MAX).replacen("call_", "msg_", 1));
        let estimated = || {
            Map::from_iter([
                ("input_tokens".to_owned(), estimate(&client.request).into()),
                ("output_tokens".to_owned(), 0.into()),
            ])
        };
        let message = json!({
            "id": id,
            "type": "message",
            "role": "assistant",
            "model": begin.model.as_ref().unwrap_or(&client.model),
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": begin.usage.as_ref().map_or_else(estimated, usage::write),
        });
        if let Value::Object(message) = message { message } else { Map::new() }
    }

    /// Returns why the answer ended: the protocol's word, and the sequence of the client's that it ended with.
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

    /// Returns the tokens, if the server counted them.
    pub(super) fn counts(&self) -> Option<Map> {
        self.usage.as_ref().map(usage::write)
    }

    /// Returns the fields that only this protocol knows; those of other protocols mean nothing here.
    pub(super) fn extra(&self, client: &Client) -> Map {
        if client.upstream == Protocol::Messages { self.extra.clone() } else { Map::new() }
    }
}
