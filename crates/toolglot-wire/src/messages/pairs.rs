//! Pairs the calls of a Messages request with their results: servers refuse a call whose result is not in the next
//! turn.
//!
//! Consecutive messages of one role are one turn for servers of this protocol, so calls and results are paired by turn.

use std::collections::{HashMap, HashSet};

use toolglot_json::{Value, json};

use super::block::{blocks, kind};
use crate::chat::pairs::{ORPHAN, UNANSWERED};
use crate::members::{list, take};
use crate::partners::{CallAct, partners};

/// Moves the results of each call to the beginning of the next turn, and adds a placeholder for missing ones; a result
/// whose call is missing becomes text. A valid conversation is unchanged.
pub(super) fn pair(messages: Vec<Value>) -> Vec<Value> {
    if is_in_order(&messages) { messages } else { put_in_order(turns(messages)) }
}

/// The state of [`is_in_order`]: what the current turn contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speaker {
    Model,
    /// Only results, in a user's turn.
    Results,
    /// Other blocks, in a user's turn; no results may follow.
    User,
}

/// Returns whether every turn of the model is directly followed by the results of its calls.
fn is_in_order(messages: &[Value]) -> bool {
    let (mut open, mut word): (HashMap<&str, usize>, Speaker) = (HashMap::new(), Speaker::User);
    for message in messages {
        let blocks = list(&message["content"]);
        let is_models = role(message) == "assistant";
        if is_models && word != Speaker::Model && !open.is_empty() {
            return false;
        }
        let begins_with_result = blocks.first().is_some_and(|block| kind(block) == "tool_result");
        word = match word {
            _ if is_models => Speaker::Model,
            Speaker::Model | Speaker::Results if begins_with_result => Speaker::Results,
            _ => Speaker::User,
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

/// Joins consecutive messages of one role.
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
        // A turn of moved results is empty.
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

/// Removes the results from the turns, and returns those of each turn's calls. Results without a call become text.
fn take_results(turns: &mut [MessagesTurn]) -> Vec<Vec<Value>> {
    let (calls, mut results) = join(turns);
    for (at, turn) in turns.iter_mut().enumerate() {
        let (mut rest, mut orphans) = (Vec::new(), Vec::new());
        for (place, mut block) in std::mem::take(&mut turn.blocks).into_iter().enumerate() {
            match calls.get(&(at, place)) {
                Some(Some((turn, id))) => {
                    block["tool_use_id"] = id.as_str().into();
                    results[*turn].push(block);
                }
                Some(None) => orphans.extend(orphan_blocks(block)),
                None => rest.push(block),
            }
        }
        turn.blocks = rest.into_iter().chain(orphans).collect();
    }
    results
}

/// The turn and the id of each result's call, by the turn and the place of the result's block; none if it has no call.
type CallsOfResults = HashMap<(usize, usize), Option<(usize, String)>>;

/// Returns the call of each result, and placeholders for the missing results of each turn's calls.
fn join(turns: &[MessagesTurn]) -> (CallsOfResults, Vec<Vec<Value>>) {
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
    let called = partners(&acts);
    let answered: HashSet<usize> = called.iter().flatten().copied().collect();
    let (mut calls, mut results) = (HashMap::new(), vec![Vec::new(); turns.len()]);
    for (at, (act, place)) in acts.iter().zip(&places).enumerate() {
        match (act, called[at]) {
            (CallAct::Result(_), Some(call)) => {
                let (turn, block) = places[call];
                calls.insert(*place, Some((turn, id_of(&turns[turn].blocks[block]).to_owned())));
            }
            (CallAct::Result(_), None) => _ = calls.insert(*place, None),
            (CallAct::Call(id), _) if !answered.contains(&at) => {
                results[place.0].push(json!({"type": "tool_result", "tool_use_id": id, "content": UNANSWERED}));
            }
            (CallAct::Call(_) | CallAct::Begin, _) => {}
        }
    }
    (calls, results)
}

/// Converts a result without a call to blocks of the user.
fn orphan_blocks(mut orphan: Value) -> impl Iterator<Item = Value> {
    let content = blocks(take(&mut orphan, "content"));
    let content = content.into_iter().filter(|block| block.get("text") != Some(&"".into()));
    [json!({"type": "text", "text": ORPHAN})].into_iter().chain(content)
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
