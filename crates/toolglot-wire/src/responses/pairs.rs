//! Pairs the calls of a Responses request with their results: servers refuse one without the other.

use std::collections::HashSet;

use toolglot_json::{Value, json};

use super::tools::{json_text, kind, text};
use crate::chat::pairs::{ORPHAN, UNANSWERED};
use crate::members::take;

/// The types of calls, and those of their results.
const CALLS: [(&str, &str); 2] =
    [("function_call", "function_call_output"), ("custom_tool_call", "custom_tool_call_output")];

/// Adds a placeholder for each missing result, after the calls that were made together. A result whose call is missing
/// becomes a user message, unless the server may remember the call.
///
/// Servers of this protocol find a result by its id at any position, so nothing else is moved.
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

/// The role of an item in a pair.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemRole {
    Call,
    Result,
}

/// Returns the role of an item in a pair, and the type of such a call's result.
fn role_of(item: &Value) -> Option<(ItemRole, &'static str)> {
    let kind = kind(item);
    let (call, output) = CALLS.iter().find(|(call, output)| [*call, *output].contains(&kind))?;
    Some((if kind == *call { ItemRole::Call } else { ItemRole::Result }, output))
}

/// Converts a result without a call to a user message.
fn orphan(mut item: Value) -> Value {
    let output = match take(&mut item, "output") {
        Value::Array(parts) => parts,
        Value::Null => Vec::new(),
        output => vec![json!({"type": "input_text", "text": json_text(&output)})],
    };
    let parts: Vec<Value> = [json!({"type": "input_text", "text": ORPHAN})].into_iter().chain(output).collect();
    json!({"type": "message", "role": "user", "content": parts})
}
