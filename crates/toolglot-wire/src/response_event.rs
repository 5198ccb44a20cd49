//! Response events, common to all protocols.

use toolglot::FinishReason;
use toolglot_json::{Map, Value};

use crate::fault::Fault;

/// An event of a response. A streamed response is a sequence of events, a whole response the same sequence at once.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "readers and writers of this crate are its only users")]
pub enum ResponseEvent {
    /// The response begins; always the first event.
    Begin(ResponseStart),
    /// A part of one of the alternatives.
    Part {
        /// The alternative's number, dense from 0.
        choice: usize,
        /// The part.
        part: Part,
    },
    /// Token counts; a later event replaces an earlier one.
    Usage(Usage),
    /// Unknown fields of the response; a writer of the same protocol restores them.
    Extra(Map),
    /// A part of the stream could not be read and is lost.
    Lost,
    /// The server failed; the last event.
    Fault(Fault),
    /// The response is complete; the last event.
    End,
}

impl ResponseEvent {
    /// Returns a part of the first alternative.
    pub(crate) fn first(part: Part) -> Self {
        Self::Part { choice: 0, part }
    }
}

/// The metadata of a response.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseStart {
    /// The response's id, if the server sent one.
    pub id: Option<String>,
    /// The model's name, if the server sent one.
    pub model: Option<String>,
    /// When it was created, in seconds since the Unix epoch, if the server sent it.
    pub created: Option<u64>,
    /// Token counts before the answer, if the server sent them at the start.
    pub usage: Option<Usage>,
}

/// A part of an alternative. Text, reasoning and calls are sequential: each ends when another begins, and only calls may be
/// open in parallel.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "readers and writers of this crate are its only users")]
pub enum Part {
    /// Text for the user.
    Text(String),
    /// Text of a refusal.
    Refusal(String),
    /// Text of the reasoning.
    Reasoning(String),
    /// Data to send back with the reasoning in a later request: a signature, or encrypted reasoning.
    Seal(String),
    /// Log probabilities of the tokens of the following text, in OpenAI's format.
    Logprobs(Vec<Value>),
    /// A call begins.
    CallStart {
        /// The call's number in the alternative: the server's before normalization, consecutive from 0 after it.
        call: usize,
        /// Its id; always present and unique after normalization.
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// The kind of its input.
        kind: CallKind,
    },
    /// A piece of a call's input: JSON text, or free text for a custom tool.
    Arguments {
        /// The call's number.
        call: usize,
        /// The piece.
        text: String,
    },
    /// A call is complete.
    CallEnd {
        /// The call's number.
        call: usize,
    },
    /// A token limit truncated the answer inside a call, so its input is incomplete. Only after normalization.
    CallCut {
        /// The call's number.
        call: usize,
    },
    /// An event about a block or item that only exists in one protocol, such as a web search by the server. A writer of the same
    /// protocol renumbers it, others drop it.
    Own(Value),
    /// Why the alternative ended; its last part.
    Finish(Finish),
}

impl Part {
    /// Returns its approximate size in bytes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Self::Text(text) | Self::Refusal(text) | Self::Reasoning(text) | Self::Seal(text) => text.len(),
            Self::Arguments { text, .. } => text.len(),
            Self::Own(value) => value.to_string().len(),
            Self::Logprobs(tokens) => tokens.iter().map(|token| token.to_string().len()).sum(),
            Self::CallStart { .. } | Self::CallEnd { .. } | Self::CallCut { .. } | Self::Finish(_) => 0,
        }
    }
}

/// The kind of a call's input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "readers and writers of this crate are its only users")]
pub enum CallKind {
    /// A JSON object.
    #[default]
    Function,
    /// Free text.
    Custom,
}

/// Why an alternative ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "readers and writers of this crate are its only users")]
pub enum Finish {
    /// The model finished.
    Stop,
    /// The model wrote this stop sequence of the client.
    StopSequence(String),
    /// The model calls tools.
    ToolCalls,
    /// A token limit was reached.
    Length,
    /// A content filter intervened, or the model refused.
    ContentFilter,
    /// A reason that only exists in one protocol.
    Other(String),
}

impl Finish {
    /// Returns whether the answer was truncated.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self, Self::Length | Self::ContentFilter)
    }

    /// Returns the finish reason for a parser; none if it only exists in one protocol.
    pub fn reason(&self) -> Option<FinishReason> {
        match self {
            Self::Stop | Self::StopSequence(_) => Some(FinishReason::Stop),
            Self::ToolCalls => Some(FinishReason::ToolCalls),
            Self::Length => Some(FinishReason::Length),
            Self::ContentFilter => Some(FinishReason::ContentFilter),
            Self::Other(_) => None,
        }
    }
}

/// Token counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the request, including cached ones.
    pub input: u64,
    /// Tokens of the response, including reasoning.
    pub output: u64,
    /// Cached tokens of the request.
    pub cached: Option<u64>,
    /// Reasoning tokens of the response.
    pub reasoning: Option<u64>,
    /// The counts as sent by the server; a writer of the same protocol repeats them.
    pub own: Value,
}

impl Usage {
    /// Reads the counts of a server; the pointers are those of the input, the output, and the cached and reasoning tokens.
    pub(crate) fn of(own: Value, [input, output, cached, reasoning]: [&str; 4]) -> Self {
        let count = |pointer: &str| own.pointer(pointer).and_then(Value::as_u64);
        let [input, output, cached, reasoning] = [input, output, cached, reasoning].map(count);
        Self { input: input.unwrap_or_default(), output: output.unwrap_or_default(), cached, reasoning, own }
    }

    /// Adds the tokens of an earlier attempt.
    pub(crate) fn add(&mut self, earlier: &Self) {
        let sum = |now: Option<u64>, before: Option<u64>| match (now, before) {
            (None, None) => None,
            (now, before) => Some(now.unwrap_or(0).saturating_add(before.unwrap_or(0))),
        };
        self.input = self.input.saturating_add(earlier.input);
        self.output = self.output.saturating_add(earlier.output);
        self.cached = sum(self.cached, earlier.cached);
        self.reasoning = sum(self.reasoning, earlier.reasoning);
        add_counts(&mut self.own, &earlier.own);
    }
}

fn add_counts(counts: &mut Value, earlier: &Value) {
    match (counts, earlier) {
        (Value::Object(counts), Value::Object(earlier)) => {
            for (key, value) in counts {
                add_counts(value, earlier.get(key).unwrap_or(&Value::Null));
            }
        }
        (counts, earlier) => {
            if let (Some(count), Some(more)) = (counts.as_u64(), earlier.as_u64()) {
                *counts = count.saturating_add(more).into();
            }
        }
    }
}
