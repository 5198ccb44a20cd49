//! Calls of earlier turns and their results: strict servers refuse a conversation in which one lacks the other.

use std::collections::HashSet;

use toolglot_json::{Map, Value, json};

use crate::members::take;
use crate::partners::{CallAct, partners};

/// The result for a call without one.
pub(crate) const UNANSWERED: &str = "No result: the call was not executed.";

/// The text before a result whose call is missing.
pub(crate) const ORPHAN: &str = "The result of a call that is not part of this conversation:";

/// Moves the results of every call directly after it, in the order of the calls, and adds a note if there is none.
///
/// Messages of the model that follow each other are one turn: if one before the last calls, they become one message. A
/// result that names no call is taken for that of the first one without; one whose call is not there becomes a message
/// of the user's. A conversation that is in order stays as it is.
pub(crate) fn pair(messages: Vec<Value>) -> Vec<Value> {
    let links = CallLinks::of(&messages);
    let mut slots: Vec<Option<Value>> = messages.into_iter().map(Some).collect();
    let (mut paired, mut at) = (Vec::with_capacity(slots.len()), 0);
    while at < slots.len() {
        let end = links.turn_end[at].unwrap_or(at + 1);
        let is_moved = links.is_answer[at];
        if let Some(message) = if is_moved { None } else { slots[at].take() } {
            let rest = (at + 1..end).filter_map(|place| slots[place].take()).collect::<Vec<_>>();
            let message = rest.into_iter().fold(message, merged);
            paired.push(if is_result(&message) { orphan(message) } else { message });
            let mut answers: Vec<&CallAnswer> = (at..end).flat_map(|place| &links.answers[place]).collect();
            answers.sort_by_key(|answer| answer.call);
            for CallAnswer { id, place, .. } in answers {
                let none = || json!({"role": "tool", "content": UNANSWERED});
                let mut result = place.and_then(|place| slots[place].take()).unwrap_or_else(none);
                result["tool_call_id"] = id.clone();
                paired.push(result);
            }
        }
        at = end;
    }
    paired
}

/// Makes one message of those of one role that follow each other: the templates of many models refuse them. Results stay
/// apart, and so do speakers with names.
pub(crate) fn one_a_turn(messages: Vec<Value>) -> Vec<Value> {
    let mut turns: Vec<Value> = Vec::with_capacity(messages.len());
    for message in messages {
        match turns.last_mut().filter(|last| continues_call(last, &message)) {
            Some(last) => *last = merged(last.take(), message),
            None => turns.push(message),
        }
    }
    turns
}

/// Says whether a message is more of the same turn.
fn continues_call(last: &Value, message: &Value) -> bool {
    role(last) == role(message)
        && !is_result(last)
        && calls(last).is_empty()
        && last.get("name") == message.get("name")
        && [last, message].iter().all(|message| message.get("content").is_none_or(|said| !said.is_object()))
}

/// What became of a call: its result is the message at a place, if there is one.
#[derive(Clone)]
struct CallAnswer {
    /// The call's number in the conversation.
    call: usize,
    id: Value,
    place: Option<usize>,
}

/// What belongs together in a conversation, for each message.
struct CallLinks {
    /// The message has the result of a call that is there.
    is_answer: Vec<bool>,
    /// What became of its calls.
    answers: Vec<Vec<CallAnswer>>,
    /// Where a turn ends that begins here and has to become one message.
    turn_end: Vec<Option<usize>>,
}

impl CallLinks {
    fn of(messages: &[Value]) -> Self {
        let count = messages.len();
        let (mut acts, mut places) = (Vec::new(), Vec::new());
        let (mut turn_end, mut turn) = (vec![None; count], AssistantRun::default());
        for (place, message) in messages.iter().enumerate() {
            let ids: Vec<&str> = calls(message).iter().filter_map(|call| call.get("id")?.as_str()).collect();
            if turn.is_left_by(message, &ids) {
                turn.close(place, &mut turn_end);
                let start = place + usize::from(role(message) != "assistant");
                turn = AssistantRun { start, ..AssistantRun::default() };
                acts.push(CallAct::Begin);
                places.push(place);
            }
            turn.early |= !turn.ids.is_empty();
            turn.ids.extend(&ids);
            acts.extend(ids.into_iter().map(CallAct::Call));
            acts.extend(
                is_result(message).then(|| CallAct::Result(message["tool_call_id"].as_str().unwrap_or_default())),
            );
            places.resize(acts.len(), place);
        }
        turn.close(count, &mut turn_end);
        let mut links = Self { is_answer: vec![false; count], answers: vec![Vec::new(); count], turn_end };
        links.join(&acts, &places);
        links
    }

    fn join(&mut self, acts: &[CallAct<'_>], places: &[usize]) {
        let mut answered = vec![false; acts.len()];
        for (at, call) in partners(acts).into_iter().enumerate() {
            if let Some((call, CallAct::Call(id))) = call.map(|call| (call, acts[call])) {
                answered[call] = true;
                self.is_answer[places[at]] = true;
                self.answers[places[call]].push(CallAnswer { call, id: id.into(), place: Some(places[at]) });
            }
        }
        for (call, act) in acts.iter().enumerate().filter(|(at, _)| !answered[*at]) {
            if let CallAct::Call(id) = act {
                self.answers[places[call]].push(CallAnswer { call, id: (*id).into(), place: None });
            }
        }
    }
}

/// Messages of the model that follow each other.
#[derive(Default)]
struct AssistantRun<'m> {
    start: usize,
    ids: HashSet<&'m str>,
    /// A message before the last one calls.
    early: bool,
}

impl AssistantRun<'_> {
    /// Says whether a message is not part of the turn: another's, or one that calls by the same id again.
    fn is_left_by(&self, message: &Value, ids: &[&str]) -> bool {
        role(message) != "assistant" || ids.iter().any(|id| self.ids.contains(id))
    }

    fn close(&self, end: usize, turn_end: &mut [Option<usize>]) {
        if self.early && self.start < end {
            turn_end[self.start] = Some(end);
        }
    }
}

/// Returns two messages of the model as one; nothing either says is lost.
fn merged(mut first: Value, mut second: Value) -> Value {
    let (Some(into), Some(from)) = (first.as_object_mut(), second.as_object_mut()) else { return first };
    for (key, value) in std::mem::take(from) {
        let before = into.get_mut(&key).map(Value::take).unwrap_or_default();
        let both = match (before, value) {
            (before, Value::Null) => before,
            (Value::Null, value) => value,
            (Value::String(before), Value::String(_)) if key == "role" => before.into(),
            (Value::String(before), Value::String(text)) if before.is_empty() || text.is_empty() => {
                (before + &text).into()
            }
            (Value::String(before), Value::String(text)) => format!("{before}\n\n{text}").into(),
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

/// Returns what a result says as a message of the user's.
fn orphan(mut message: Value) -> Value {
    let content = match take(&mut message, "content") {
        Value::Array(parts) => [json!({"type": "text", "text": ORPHAN})].into_iter().chain(parts).collect(),
        text => Value::from(format!("{ORPHAN}\n{}", text.as_str().unwrap_or_default())),
    };
    Map::from_iter([("role".to_owned(), "user".into()), ("content".to_owned(), content)]).into()
}

fn calls(message: &Value) -> &[Value] {
    let list = message["tool_calls"].as_array().filter(|_| role(message) == "assistant");
    list.map(Vec::as_slice).unwrap_or_default()
}
