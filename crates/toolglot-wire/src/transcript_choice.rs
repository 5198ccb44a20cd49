//! One alternative of an answer, collected from its parts.

use crate::response_event::{CallKind, Finish, Part};

/// An alternative of a saved answer.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct TranscriptChoice {
    /// The text, as sent by the server.
    pub text: String,
    /// The reasoning that the server parsed.
    pub reasoning: String,
    /// The calls that the server parsed, as sent.
    pub calls: Vec<TranscriptCall>,
    /// Why it ended, if known.
    pub finish: Option<Finish>,
}

/// A native call of a saved answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptCall {
    /// Its id, if it has one.
    pub id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Its arguments, as sent and not validated.
    pub arguments: String,
    pub(crate) number: usize,
    pub(crate) kind: CallKind,
}

impl TranscriptChoice {
    /// Adds a part of the answer; what only some protocols have is left out.
    pub(crate) fn add(&mut self, part: &Part) {
        match part {
            Part::Text(text) | Part::Refusal(text) => self.text.push_str(text),
            Part::Reasoning(text) => self.reasoning.push_str(text),
            Part::CallStart { call, id, name, kind } => {
                let (id, name) = (id.clone(), name.clone());
                self.calls.push(TranscriptCall { id, name, arguments: String::new(), number: *call, kind: *kind });
            }
            Part::Arguments { call, text } => {
                let call = self.calls.iter_mut().rev().find(|known| known.number == *call);
                call.into_iter().for_each(|call| call.arguments.push_str(text));
            }
            Part::Finish(finish) => self.finish = self.finish.take().or_else(|| Some(finish.clone())),
            Part::Seal(_) | Part::Logprobs(_) | Part::CallEnd { .. } | Part::CallCut { .. } | Part::Own(_) => {}
        }
    }
}
