//! Pairs the calls of a Messages request with their results: servers refuse a call whose result is not in the next
//! turn.
//!
//! Consecutive messages of one role are one turn for servers of this protocol, so calls and results are paired by turn.

use std::collections::{HashMap, HashSet};

use toolglot_json::{Value, json};

use super::block::{blocks, kind};
use crate::chat::pairs::{ORPHAN, UNANSWERED};
use crate::members::take;
use crate::partners::{CallAct, partners};

/// Moves the results of each call to the beginning of the next turn, and adds a placeholder for missing ones; a result
/// whose call is missing becomes text. A valid conversation is unchanged.
pub(super) fn pair(messages: Vec<Value>) -> Vec<Value> {
    let mut turns = turns(messages.clone());
    let (results, are_in_order) = take_results(&mut turns);
    if are_in_order { messages } else { put_in_order(turns, results) }
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

fn put_in_order(turns: Vec<MessagesTurn>, mut results: Vec<Vec<Value>>) -> Vec<Value> {
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

/// Removes the results from the turns, and returns those of each turn's calls, and whether they were at the beginning of
/// the next turn. Results without a call become text.
fn take_results(turns: &mut [MessagesTurn]) -> (Vec<Vec<Value>>, bool) {
    let (calls, mut results) = join(turns);
    let mut are_in_order = results.iter().all(Vec::is_empty);
    for (at, turn) in turns.iter_mut().enumerate() {
        let (mut rest, mut orphans) = (Vec::new(), Vec::new());
        for (place, mut block) in std::mem::take(&mut turn.blocks).into_iter().enumerate() {
            match calls.get(&(at, place)) {
                Some(Some((turn, id))) => {
                    are_in_order &= at == turn + 1 && place == results[*turn].len();
                    block["tool_use_id"] = id.as_str().into();
                    results[*turn].push(block);
                }
                Some(None) => {
                    are_in_order = false;
                    orphans.extend(orphan_blocks(block));
                }
                None => rest.push(block),
            }
        }
        turn.blocks = rest.into_iter().chain(orphans).collect();
    }
    (results, are_in_order)
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
