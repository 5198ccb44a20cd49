//! The calls of a Messages request and their results: servers refuse a call whose result is not in the next turn.
//!
//! Messages of one role that follow each other are one turn to the servers of this protocol, so calls and results are
//! looked for in turns, not in messages.

use std::collections::HashMap;

use toolglot_json::{Value, json};

use super::block::blocks;
use super::block::kind;
use crate::chat::pairs::{ORPHAN, UNANSWERED};
use crate::members::{list, take};
use crate::partners::{CallAct, partners};

/// Moves the results of every call to the beginning of the next turn, and adds a note if there is none; a result whose
/// call is not there becomes text of its turn. A conversation that is in order stays as it is.
pub(super) fn pair(messages: Vec<Value>) -> Vec<Value> {
    if is_in_order(&messages) { messages } else { put_in_order(turns(messages)) }
}

/// Who has the word, as [`is_in_order`] reads a conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Model,
    /// The user's turn has had nothing but results.
    Results,
    /// The user's turn has had something else; no more results may come.
    User,
}

/// Says whether every turn of the model is followed by the results of its calls, and by nothing else before them.
fn is_in_order(messages: &[Value]) -> bool {
    let (mut open, mut word): (HashMap<&str, usize>, Speaker) = (HashMap::new(), Speaker::User);
    for message in messages {
        let blocks = list(message.get("content"));
        let is_models = role(message) == "assistant";
        word = match (is_models, word) {
            (true, Speaker::Model) => Speaker::Model,
            (true, _) if !open.is_empty() => return false,
            (true, _) => Speaker::Model,
            (false, Speaker::Model | Speaker::Results)
                if kind(blocks.first().unwrap_or(&Value::Null)) == "tool_result" =>
            {
                Speaker::Results
            }
            (false, _) => Speaker::User,
        };
        for block in blocks {
            match (is_models, kind(block)) {
                (true, "tool_use") => *open.entry(id_of(block)).or_default() += 1,
                (false, "tool_result") => match open.get_mut(id_of(block)).filter(|_| word == Speaker::Results) {
                    Some(count) if *count > 1 => *count -= 1,
                    Some(_) => _ = open.remove(id_of(block)),
                    None => return false,
                },
                (false, _) => word = Speaker::User,
                (true, _) => {}
            }
        }
        if word == Speaker::User && !open.is_empty() {
            return false;
        }
    }
    open.is_empty()
}

/// One turn of a conversation.
struct MessagesTurn {
    message: Value,
    blocks: Vec<Value>,
}

/// Joins messages of one role that follow each other.
fn turns(messages: Vec<Value>) -> Vec<MessagesTurn> {
    let mut turns: Vec<MessagesTurn> = Vec::with_capacity(messages.len());
    for mut message in messages {
        if message.is_string() {
            message = json!({"role": "user", "content": message});
        }
        let mut blocks = blocks(take(&mut message, "content"));
        match turns.last_mut().filter(|last| role(&last.message) == role(&message)) {
            Some(last) => last.blocks.append(&mut blocks),
            None => turns.push(MessagesTurn { message, blocks }),
        }
    }
    turns
}

fn put_in_order(mut turns: Vec<MessagesTurn>) -> Vec<Value> {
    let mut results = take_results(&mut turns);
    let mut messages = Vec::with_capacity(turns.len() + 1);
    let mut answers = Vec::new();
    for (at, turn) in turns.into_iter().enumerate() {
        let MessagesTurn { mut message, blocks } = turn;
        let is_users = role(&message) == "user";
        if !is_users && !answers.is_empty() {
            messages.push(json!({"role": "user", "content": std::mem::take(&mut answers)}));
        }
        let content: Vec<Value> = std::mem::take(&mut answers).into_iter().chain(blocks).collect();
        answers = std::mem::take(&mut results[at]);
        // A turn whose results have all gone where they belong says nothing any more.
        if !content.is_empty() || !is_users {
            message["content"] = content.into();
            messages.push(message);
        }
    }
    if !answers.is_empty() {
        messages.push(json!({"role": "user", "content": answers}));
    }
    messages
}

/// Takes the results out of the turns; returns those of each turn's calls. The others become text.
fn take_results(turns: &mut [MessagesTurn]) -> Vec<Vec<Value>> {
    let calls = calls_of_results(turns);
    let mut results = missing(turns, &calls);
    for (at, turn) in turns.iter_mut().enumerate() {
        let (mut rest, mut orphans) = (Vec::new(), Vec::new());
        for (place, mut block) in std::mem::take(&mut turn.blocks).into_iter().enumerate() {
            match calls.get(&(at, place)) {
                Some(Some(call)) => {
                    block["tool_use_id"] = call.id.as_str().into();
                    results[call.turn].push(block);
                }
                Some(None) => orphans.extend(said(block)),
                None => rest.push(block),
            }
        }
        turn.blocks = rest.into_iter().chain(orphans).collect();
    }
    results
}

/// The call that a result belongs to.
struct CalledBy {
    turn: usize,
    place: usize,
    id: String,
}

/// Returns the call of every result, by the turn and the place of its block.
fn calls_of_results(turns: &[MessagesTurn]) -> HashMap<(usize, usize), Option<CalledBy>> {
    let (mut acts, mut places) = (Vec::new(), Vec::new());
    for (at, turn) in turns.iter().enumerate() {
        acts.push(CallAct::Begin);
        places.push((at, 0));
        for (place, block) in turn.blocks.iter().enumerate() {
            let act = match (role(&turn.message), kind(block)) {
                ("assistant", "tool_use") => CallAct::Call(id_of(block)),
                ("assistant", _) => continue,
                (_, "tool_result") => CallAct::Result(id_of(block)),
                _ => continue,
            };
            acts.push(act);
            places.push((at, place));
        }
    }
    let called = |call: usize| match acts[call] {
        CallAct::Call(id) => Some(CalledBy { turn: places[call].0, place: places[call].1, id: id.to_owned() }),
        _ => None,
    };
    let found = partners(&acts).into_iter().zip(&acts).zip(&places);
    let results = found.filter(|((_, act), _)| matches!(act, CallAct::Result(_)));
    results.map(|((call, _), place)| (*place, call.and_then(called))).collect()
}

/// Says of the calls of each turn that have no result that they have none.
fn missing(turns: &[MessagesTurn], calls: &HashMap<(usize, usize), Option<CalledBy>>) -> Vec<Vec<Value>> {
    let answered: std::collections::HashSet<_> = calls.values().flatten().map(|call| (call.turn, call.place)).collect();
    let of_turn = |(at, turn): (usize, &MessagesTurn)| {
        let calls = turn.blocks.iter().enumerate().filter(|(_, block)| kind(block) == "tool_use");
        let open = calls.filter(|(place, _)| role(&turn.message) == "assistant" && !answered.contains(&(at, *place)));
        let none = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": UNANSWERED});
        open.map(|(_, block)| none(id_of(block))).collect()
    };
    turns.iter().enumerate().map(of_turn).collect()
}

/// Returns what a result says as blocks of the user's.
fn said(mut orphan: Value) -> impl Iterator<Item = Value> {
    let said = blocks(take(&mut orphan, "content"));
    let said = said.into_iter().filter(|block| block.get("text") != Some(&"".into()));
    [json!({"type": "text", "text": ORPHAN})].into_iter().chain(said)
}

fn id_of(block: &Value) -> &str {
    let key = if kind(block) == "tool_use" { "id" } else { "tool_use_id" };
    block[key].as_str().unwrap_or_default()
}

fn role(message: &Value) -> &str {
    match message["role"].as_str() {
        Some(role @ ("assistant" | "system")) => role,
        _ => "user",
    }
}
