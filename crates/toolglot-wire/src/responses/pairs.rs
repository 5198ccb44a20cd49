//! The calls of a Responses request and their results: servers refuse a call without a result, and a result without a call.

use std::collections::HashSet;

use toolglot_json::{Value, json};

use super::tools::{json_text, kind, text};
use crate::chat::pairs::{ORPHAN, UNANSWERED};
use crate::members::take;

/// The items that call, and what has their results.
const CALLS: [(&str, &str); 2] =
    [("function_call", "function_call_output"), ("custom_tool_call", "custom_tool_call_output")];

/// Adds a note for every call without a result, after the calls that were made together. A result whose call is
/// not there becomes a message of the user's, unless the server may remember the call.
///
/// Servers of this protocol find a result by its id at any position, so nothing else has to move.
pub(super) fn pair(items: Vec<Value>, remembers: bool) -> Vec<Value> {
    let ids = |role: ItemRole| -> HashSet<String> {
        let of_role = items.iter().filter(|item| role_of(item).is_some_and(|(found, _)| found == role));
        of_role.filter_map(|item| text(item, "call_id").map(str::to_owned)).collect()
    };
    let (made, answered) = (ids(ItemRole::Call), ids(ItemRole::Result));
    let (mut paired, mut missing) = (Vec::with_capacity(items.len()), Vec::new());
    for item in items {
        let id = text(&item, "call_id").unwrap_or_default().to_owned();
        match role_of(&item) {
            Some((ItemRole::Call, output)) if !answered.contains(&id) => {
                missing.push(json!({"type": output, "call_id": id, "output": UNANSWERED}));
                paired.push(item);
            }
            Some((ItemRole::Call, _)) => paired.push(item),
            role => {
                paired.append(&mut missing);
                let is_orphan = role.is_some() && !remembers && !made.contains(&id);
                paired.push(if is_orphan { orphan(item) } else { item });
            }
        }
    }
    paired.append(&mut missing);
    paired
}

/// What an item has to do with calls.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemRole {
    Call,
    Result,
}

/// Returns what an item has to do with calls, and what the result of such a call is.
fn role_of(item: &Value) -> Option<(ItemRole, &'static str)> {
    let kind = kind(item);
    let (call, output) = CALLS.iter().find(|(call, output)| [*call, *output].contains(&kind))?;
    Some((if kind == *call { ItemRole::Call } else { ItemRole::Result }, output))
}

/// Returns what a result says as a message of the user's.
fn orphan(mut item: Value) -> Value {
    let said = match take(&mut item, "output") {
        Value::Array(parts) => parts,
        Value::Null => Vec::new(),
        output => vec![json!({"type": "input_text", "text": json_text(&output)})],
    };
    let parts: Vec<Value> = [json!({"type": "input_text", "text": ORPHAN})].into_iter().chain(said).collect();
    json!({"type": "message", "role": "user", "content": parts})
}
