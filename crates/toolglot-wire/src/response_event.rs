//! What is said in a response, in words that all protocols share.

use toolglot::FinishReason;
use toolglot_json::{Map, Value};

use crate::fault::Fault;

/// One thing said in a response. A streamed response is a sequence of these, a whole one the same sequence at once.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "readers and writers of this crate are its only users")]
pub enum ResponseEvent {
    /// The response begins; the first thing said, once.
    Begin(ResponseStart),
    /// A piece of one of the alternatives that were asked for.
    Part {
        /// The alternative's number, dense from 0.
        choice: usize,
        /// The piece.
        part: Part,
    },
    /// Tokens counted; a later count replaces an earlier one.
    Usage(Usage),
    /// Fields of the response that no protocol of ours knows; a writer of the same protocol puts them where they were.
    Extra(Map),
    /// A piece of the stream cannot be read; what it held is lost.
    Lost,
    /// The server failed in the middle; nothing follows.
    Fault(Fault),
    /// The server said that the response is over; nothing follows.
    End,
}

/// What a response says about itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseStart {
    /// The response's id, if the server gave one.
    pub id: Option<String>,
    /// The model's name, if the server gave one.
    pub model: Option<String>,
    /// Seconds since 1970, if the server said so.
    pub created: Option<u64>,
    /// Tokens as they were counted before the answer, if the server says so at once.
    pub usage: Option<Usage>,
}

/// A piece of one alternative. What it belongs to ends when another begins: text, reasoning and calls follow each other;
/// only calls may be open side by side.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "readers and writers of this crate are its only users")]
pub enum Part {
    /// Text for the user.
    Text(String),
    /// Text in which the model refuses.
    Refusal(String),
    /// Text of the model's reasoning.
    Reasoning(String),
    /// What has to come back with the reasoning in a later request: a signature, encrypted reasoning.
    Seal(String),
    /// Log probabilities of the tokens of text that comes next, as OpenAI's protocols write them.
    Logprobs(Vec<Value>),
    /// A call begins.
    CallStart {
        /// The call's number in the alternative, dense from 0 on the clean side; as the server numbered it before.
        call: usize,
        /// Its id; always there and unique on the clean side.
        id: Option<String>,
        /// The tool's name.
        name: String,
        /// What its input is.
        kind: CallKind,
    },
    /// The next piece of a call's input: JSON text, or free text for a custom tool.
    Arguments {
        /// The call's number.
        call: usize,
        /// The piece.
        text: String,
    },
    /// A call is over.
    CallEnd {
        /// The call's number.
        call: usize,
    },
    /// A limit of the server cut the answer off inside a call: its input is not whole. Said on the clean side only.
    CallCut {
        /// The call's number.
        call: usize,
    },
    /// A block or item that only its own protocol knows, such as a web search of the server's: one event as it came. A
    /// writer of the same protocol renumbers it, any other drops it.
    Own(Value),
    /// Why the alternative ended; the last thing said of it.
    Finish(Finish),
}

impl Part {
    /// Returns about how many bytes it takes.
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

/// What a call's input is.
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
    /// The model was done.
    Stop,
    /// The model wrote this sequence, which the client had named.
    StopSequence(String),
    /// The model calls tools.
    ToolCalls,
    /// A limit of tokens cut it.
    Length,
    /// A filter cut it, or the model refused.
    ContentFilter,
    /// A word that only its own protocol knows.
    Other(String),
}

impl Finish {
    /// Says whether the model had more to say.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self, Self::Length | Self::ContentFilter)
    }

    /// Returns what a parser has to know of it; nothing if only the protocol knows the word.
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

/// Tokens counted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Usage {
    /// Tokens of the request, cached ones included.
    pub input: u64,
    /// Tokens of the response, reasoning included.
    pub output: u64,
    /// Of the request's tokens, those that came from a cache.
    pub cached: Option<u64>,
    /// Of the response's tokens, those of reasoning.
    pub reasoning: Option<u64>,
    /// The counts as the server wrote them; a writer of the same protocol repeats them.
    pub own: Value,
}

impl Usage {
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
