//! Calls of earlier turns and their results: strict servers refuse a conversation in which one lacks the other.

use serde_json::{Value, json};

/// What a model is told where no result of a call was ever sent.
pub(crate) const UNANSWERED: &str = "There is no result: the call was not carried out.";

/// What stands before a result whose call is not there.
pub(crate) const ORPHAN: &str = "The result of a call that is not part of this conversation:";

/// Puts the results of every call right behind it, and says so where there is none. A result that names no call is taken
/// for that of the first one without; one that names a call which is not there becomes a message of the user's.
pub(crate) fn pair(messages: Vec<Value>) -> Vec<Value> {
    let mut pairs = Pairs { paired: Vec::with_capacity(messages.len()), open: Vec::new(), later: Vec::new() };
    messages.into_iter().for_each(|message| pairs.add(message));
    pairs.close();
    pairs.paired
}

struct Pairs {
    paired: Vec<Value>,
    /// The ids of calls whose results have not come.
    open: Vec<Value>,
    /// What came before their results.
    later: Vec<Value>,
}

impl Pairs {
    fn add(&mut self, mut message: Value) {
        if is_result(&message) && self.call_of(&message).is_none() {
            message = orphan(&mut message);
        }
        let calls: Vec<Value> = calls(&message).iter().filter_map(|call| call.get("id").cloned()).collect();
        if !calls.is_empty() {
            self.close();
            self.paired.push(message);
            self.open = calls;
        } else if let Some(at) = self.call_of(&message) {
            message["tool_call_id"] = self.open.remove(at);
            self.paired.push(message);
        } else if self.open.is_empty() {
            self.paired.push(message);
        } else {
            self.later.push(message);
        }
        if self.open.is_empty() {
            self.paired.append(&mut self.later);
        }
    }

    /// Returns the place of the open call that a message has the result of.
    fn call_of(&self, message: &Value) -> Option<usize> {
        if !is_result(message) {
            return None;
        }
        match message.get("tool_call_id").filter(|id| !id.is_null() && *id != "") {
            Some(id) => self.open.iter().position(|open| open == id),
            None => (!self.open.is_empty()).then_some(0),
        }
    }

    /// Says of the calls that are open that they have no result.
    fn close(&mut self) {
        let missing = |id| json!({"role": "tool", "tool_call_id": id, "content": UNANSWERED});
        self.paired.extend(self.open.drain(..).map(missing));
        self.paired.append(&mut self.later);
    }
}

fn is_result(message: &Value) -> bool {
    message.get("role").and_then(Value::as_str) == Some("tool")
}

/// Returns what a result says as a message of the user's.
fn orphan(message: &mut Value) -> Value {
    let content = match message["content"].take() {
        Value::Array(parts) => [json!({"type": "text", "text": ORPHAN})].into_iter().chain(parts).collect(),
        text => Value::from(format!("{ORPHAN}\n{}", text.as_str().unwrap_or_default())),
    };
    json!({"role": "user", "content": content})
}

fn calls(message: &Value) -> &[Value] {
    message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
