//! Earlier answers, and their items, that a Responses client refers to instead of sending them again.

use toolglot_json::{Map, Value, json};

use crate::members::take;

/// The stored answers of a client.
pub trait Recall {
    /// Returns an item of an earlier answer.
    fn item(&self, id: &str) -> Option<Value>;

    /// Returns all items, input and output, of the conversation that ends with an earlier answer.
    fn conversation(&self, id: &str) -> Option<Vec<Value>>;
}

/// An answer that its client may refer to later.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "this is all that later requests may refer to")]
pub struct StoredAnswer {
    /// The answer's id.
    pub id: String,
    /// The id of the previous answer, if the request named one.
    pub previous: Option<String>,
    /// The answer without its items, as the JSON text of an object.
    pub head: String,
    /// The items of the request, as the JSON text of a list.
    pub input: String,
    /// The items of the answer: the id and the JSON text of each.
    pub output: Vec<(String, String)>,
}

/// Replaces references by their items; references to items that are not stored are kept.
pub(crate) fn fill(request: &mut Map, memory: &dyn Recall) {
    let items = request.get_mut("input").and_then(Value::as_array_mut);
    for item in items.into_iter().flatten() {
        // The type may be omitted if there is nothing but an id.
        let is_bare = || item["type"].is_null() && item.as_object().is_some_and(|it| it.len() <= 2);
        if item["type"] == "item_reference" || is_bare() {
            let id = item["id"].as_str();
            if let Some(found) = id.and_then(|id| memory.item(id)) {
                *item = found;
            }
        }
    }
}

/// Returns the request with the conversation that it continues, if that is stored.
pub(crate) fn continued(request: &Map, memory: &dyn Recall) -> Option<Map> {
    let mut items = memory.conversation(previous(request)?)?;
    let mut request = request.clone();
    request.remove("previous_response_id");
    items.append(&mut input(&request));
    request["input"] = items.into();
    Some(request)
}

/// Returns the answer to store; nothing if it has no id.
pub(crate) fn stored_answer(request: &Map, answer: &str) -> Option<StoredAnswer> {
    let mut head: Value = toolglot_json::from_str(answer).ok()?;
    let Value::Array(output) = take(&mut head, "output") else { return None };
    head["output"] = json!([]);
    let id_of = |item: &Value| item["id"].as_str().unwrap_or_default().to_owned();
    Some(StoredAnswer {
        id: head["id"].as_str()?.to_owned(),
        previous: previous(request).map(str::to_owned),
        head: head.to_string(),
        input: Value::from(input(request)).to_string(),
        output: output.iter().map(|item| (id_of(item), item.to_string())).collect(),
    })
}

fn previous(request: &Map) -> Option<&str> {
    request["previous_response_id"].as_str()
}

fn input(request: &Map) -> Vec<Value> {
    match request.get("input") {
        Some(Value::Array(items)) => items.clone(),
        Some(text @ Value::String(_)) => vec![json!({"role": "user", "content": text})],
        _ => Vec::new(),
    }
}
