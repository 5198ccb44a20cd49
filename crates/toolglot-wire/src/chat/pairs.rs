//! Pairs the calls of earlier turns with their results: strict servers refuse a call or a result without the other.

use toolglot_json::{Value, json};

use crate::members::{joined, take};
use crate::partners::{CallAct, partners};

/// The result for a call without one.
pub(crate) const UNANSWERED: &str = "No result: the call was not executed.";

/// The text before a result whose call is missing.
pub(crate) const ORPHAN: &str = "The result of a call that is not part of this conversation:";

/// Moves the results of each call directly after it, in the order of the calls, and adds a placeholder for missing
/// ones.
///
/// Consecutive messages of the model are one turn: if one before the last has calls, they become one message. A result
/// without an id belongs to the first call without a result; one whose call is missing becomes a user message. A valid
/// conversation is unchanged.
pub(crate) fn pair(messages: Vec<Value>) -> Vec<Value> {
    let messages = merged_where(messages, continues_calls);
    let CallLinks { is_answer, answers } = CallLinks::of(&messages);
    let mut slots: Vec<Option<Value>> = messages.into_iter().map(Some).collect();
    let mut paired = Vec::with_capacity(slots.len());
    for (at, answers) in answers.into_iter().enumerate() {
        let Some(mut message) = slots[at].take_if(|_| !is_answer[at]) else { continue };
        if is_result(&message) {
            message = under_heading(ORPHAN, "\n", take(&mut message, "content"));
        }
        paired.push(message);
        for CallAnswer { id, place } in answers {
            let none = || json!({"role": "tool", "content": UNANSWERED});
            let mut result = place.and_then(|place| slots[place].take()).unwrap_or_else(none);
            result["tool_call_id"] = id;
            paired.push(result);
        }
    }
    paired
}

/// Merges consecutive messages of one role: the templates of many models refuse them. Results are not merged, and
/// neither are messages with different names.
pub(crate) fn one_a_turn(messages: Vec<Value>) -> Vec<Value> {
    merged_where(messages, continues_turn)
}

/// Merges each message into the one before it, if it continues that.
fn merged_where(messages: Vec<Value>, continues: fn(&Value, &Value) -> bool) -> Vec<Value> {
    let mut turns: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages {
        match turns.last_mut().filter(|last| continues(last, &message)) {
            Some(last) => *last = merged(last.take(), message),
            None => turns.push(message),
        }
    }
    turns
}

/// Returns whether a message of the model continues its turn after calls.
fn continues_calls(last: &Value, message: &Value) -> bool {
    // Some engines count ids from 0 in each turn.
    let repeats = |call: &Value| calls(last).iter().any(|before| before["id"] == call["id"]);
    role(message) == "assistant" && !calls(last).is_empty() && !calls(message).iter().any(repeats)
}

/// Returns whether a message continues the turn of the last one.
fn continues_turn(last: &Value, message: &Value) -> bool {
    role(last) == role(message)
        && !is_result(last)
        && calls(last).is_empty()
        && last.get("name") == message.get("name")
        && [last, message].iter().all(|message| message.get("content").is_none_or(|content| !content.is_object()))
}

/// A call and the place of the message with its result, if there is one.
#[derive(Clone)]
struct CallAnswer {
    id: Value,
    place: Option<usize>,
}

/// The relations between the messages of a conversation, by message.
struct CallLinks {
    /// Whether the message is the result of a call in the conversation.
    is_answer: Vec<bool>,
    /// The calls of the message.
    answers: Vec<Vec<CallAnswer>>,
}

impl CallLinks {
    fn of(messages: &[Value]) -> Self {
        let (mut acts, mut places) = (Vec::new(), Vec::new());
        for (place, message) in messages.iter().enumerate() {
            let ids = calls(message).iter().filter_map(|call| call.get("id")?.as_str());
            let result = message["tool_call_id"].as_str().unwrap_or_default();
            acts.push(CallAct::Begin);
            acts.extend(ids.map(CallAct::Call));
            acts.extend(is_result(message).then_some(CallAct::Result(result)));
            places.resize(acts.len(), place);
        }
        let mut links = Self { is_answer: vec![false; messages.len()], answers: vec![Vec::new(); messages.len()] };
        links.join(&acts, &places);
        links
    }

    fn join(&mut self, acts: &[CallAct<'_>], places: &[usize]) {
        let mut results = vec![None; acts.len()];
        for (call, place) in partners(acts).into_iter().zip(places).filter_map(|(call, place)| Some((call?, *place))) {
            results[call] = Some(place);
            self.is_answer[place] = true;
        }
        for ((act, call), result) in acts.iter().zip(places).zip(results) {
            if let CallAct::Call(id) = act {
                self.answers[*call].push(CallAnswer { id: (*id).into(), place: result });
            }
        }
    }
}

/// Merges two messages of the model; no content is lost.
fn merged(mut first: Value, mut second: Value) -> Value {
    let (Some(into), Some(from)) = (first.as_object_mut(), second.as_object_mut()) else { return first };
    for (key, value) in std::mem::take(from) {
        let before = into.get_mut(&key).map(Value::take).unwrap_or_default();
        let both = match (before, value) {
            (before, Value::Null) => before,
            (Value::Null, value) => value,
            (Value::String(before), Value::String(_)) if key == "role" => before.into(),
            (Value::String(before), Value::String(text)) => joined(&before, &text).into(),
            (Value::Array(before), Value::Array(list)) => before.into_iter().chain(list).collect(),
            (Value::Array(parts), Value::String(text)) => parts.into_iter().chain(part(text)).collect(),
            (Value::String(text), Value::Array(parts)) => part(text).into_iter().chain(parts).collect(),
            (before, _) => before,
        };
        into.insert(key, both);
    }
    first
}

fn part(text: String) -> Option<Value> {
    (!text.is_empty()).then(|| json!({"type": "text", "text": text}))
}

fn role(message: &Value) -> &str {
    message["role"].as_str().unwrap_or_default()
}

fn is_result(message: &Value) -> bool {
    role(message) == "tool"
}

/// Returns a user message with a heading before its content.
pub(super) fn under_heading(heading: &str, gap: &str, content: Value) -> Value {
    let content = match content {
        Value::Array(parts) => [json!({"type": "text", "text": heading})].into_iter().chain(parts).collect(),
        text => Value::from(format!("{heading}{gap}{}", text.as_str().unwrap_or_default())),
    };
    json!({"role": "user", "content": content})
}

fn calls(message: &Value) -> &[Value] {
    let list = message["tool_calls"].as_array().filter(|_| role(message) == "assistant");
    list.map(Vec::as_slice).unwrap_or_default()
}
