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
    let ids = |is_of_kind: &dyn Fn(&Value) -> bool| -> HashSet<String> {
        let found = items.iter().filter(|item| is_of_kind(item));
        found.filter_map(|item| text(item, "call_id").map(str::to_owned)).collect()
    };
    let (made, answered) = (ids(&|item| result_type(item).is_some()), ids(&is_result));
    let (mut paired, mut missing) = (Vec::with_capacity(items.len()), Vec::new());
    for item in items {
        let id = text(&item, "call_id").unwrap_or_default().to_owned();
        if let Some(output) = result_type(&item) {
            if !answered.contains(&id) {
                missing.push(json!({"type": output, "call_id": id, "output": UNANSWERED}));
            }
            paired.push(item);
        } else {
            paired.append(&mut missing);
            let is_orphan = is_result(&item) && !remembers && !made.contains(&id);
            paired.push(if is_orphan { orphan(item) } else { item });
        }
    }
    paired.append(&mut missing);
    paired
}

/// Returns the type of the result of an item that is a call.
fn result_type(item: &Value) -> Option<&'static str> {
    CALLS.iter().find(|(call, _)| *call == kind(item)).map(|(_, output)| *output)
}

fn is_result(item: &Value) -> bool {
    CALLS.iter().any(|(_, output)| *output == kind(item))
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
