//! An assistant's turn as in a chat API: reasoning, content, calls.

use minijinja::Value;
use toolglot::Message;
use toolglot_json::Value as Json;

use crate::ordered;

/// An assistant's turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// The reasoning.
    pub reasoning: String,
    /// The content.
    pub content: String,
    /// The calls.
    pub calls: Vec<SaidCall>,
}

/// A call of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaidCall {
    /// The tool's name.
    pub name: String,
    /// The arguments, a JSON object as text.
    pub arguments: String,
}

impl Said {
    pub(crate) fn call(mut self, name: &str, arguments: &str) -> Self {
        self.calls.push(SaidCall { name: name.to_owned(), arguments: arguments.to_owned() });
        self
    }

    pub(crate) fn content(self, content: &str) -> Self {
        Self { content: content.to_owned(), ..self }
    }

    pub(crate) fn reasoning(self, reasoning: &str) -> Self {
        Self { reasoning: reasoning.to_owned(), ..self }
    }

    /// Returns whether a parsed message is equal: calls exactly, text except for surrounding white space.
    pub(crate) fn is(&self, message: &Message) -> bool {
        let same = |(call, read): (&SaidCall, &toolglot::Call)| {
            call.name == read.name && json(&call.arguments) == json(&read.arguments)
        };
        message.content.trim() == self.content.trim()
            && message.reasoning.trim() == self.reasoning.trim()
            && message.calls.len() == self.calls.len()
            && message.incomplete.is_empty()
            && self.calls.iter().zip(&message.calls).all(same)
    }
}

impl From<&Message> for Said {
    fn from(message: &Message) -> Self {
        let calls = message.calls.iter();
        Self {
            reasoning: message.reasoning.clone(),
            content: message.content.clone(),
            calls: calls.map(|call| SaidCall { name: call.name.clone(), arguments: call.arguments.clone() }).collect(),
        }
    }
}

fn json(text: &str) -> Option<Json> {
    serde_json::from_str(text).ok()
}

/// The form in which a template expects an assistant's message; templates differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Whether arguments are JSON text rather than an object.
    pub arguments_as_text: bool,
    /// Whether empty content is null rather than an empty string.
    pub null_content: bool,
    /// The member for the reasoning.
    pub reasoning: Option<&'static str>,
    /// Whether ids contain the name: `functions.NAME:0`. Other ids have nine letters and digits, as some templates reject
    /// any other length.
    pub named_ids: bool,
}

/// The members that templates use for reasoning.
const REASONING: [Option<&str>; 4] = [Some("reasoning_content"), Some("reasoning"), Some("thinking"), Some("thought")];

impl Shape {
    /// All shapes, the usual ones first.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        let flags = [false, true];
        flags.into_iter().flat_map(move |named_ids| {
            REASONING.into_iter().flat_map(move |reasoning| {
                flags.into_iter().flat_map(move |null_content| {
                    flags.into_iter().map(move |arguments_as_text| Self {
                        arguments_as_text,
                        null_content,
                        reasoning,
                        named_ids,
                    })
                })
            })
        })
    }

    /// The id of a call.
    pub(crate) fn id(self, number: usize, name: &str) -> String {
        if self.named_ids { format!("functions.{name}:{number}") } else { format!("{ID}{number:04}") }
    }

    /// Returns the message in this shape.
    pub(crate) fn message(self, said: &Said) -> Value {
        let calls = said.calls.iter().enumerate().map(|(number, call)| {
            let object = ordered::value(&call.arguments);
            let arguments = if self.arguments_as_text { Value::from(call.arguments.as_str()) } else { object };
            let function = map([("name", Value::from(call.name.as_str())), ("arguments", arguments)]);
            let id = Value::from(self.id(number, &call.name));
            map([("id", id), ("type", Value::from("function")), ("function", function)])
        });
        let content = match said.content.as_str() {
            "" if self.null_content => Value::from(()),
            text => Value::from(text),
        };
        let mut members = vec![("role", Value::from("assistant")), ("content", content)];
        if let (Some(member), false) = (self.reasoning, said.reasoning.is_empty()) {
            members.push((member, Value::from(said.reasoning.as_str())));
        }
        if !said.calls.is_empty() {
            members.push(("tool_calls", calls.collect()));
        }
        map(members)
    }
}

/// The prefix of the ids of probes.
pub(crate) const ID: &str = "Zqid0";

pub(crate) fn map<'m>(members: impl IntoIterator<Item = (&'m str, Value)>) -> Value {
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}
