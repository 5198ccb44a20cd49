//! Repairs earlier turns of a conversation, so that no server fails on them.

use std::collections::{HashMap, HashSet, VecDeque};

use toolglot::{Tools, mint, repair, seed_of};
use toolglot_json::{Map, Value, json};

use super::pairs::{ORPHAN, UNANSWERED, one_a_turn, pair, under_heading};
use crate::members::{legal, list, put};
use crate::policy::{HistoryIds, Policy};

/// Converts legacy functions to tools: declarations, choice, calls and results.
pub(crate) fn replace_deprecated(request: &mut Map) {
    if let Some(Value::Array(functions)) = request.remove("functions") {
        let tools = functions.into_iter().map(|function| json!({"type": "function", "function": function})).collect();
        request.entry("tools").or_insert(Value::Array(tools));
    }
    if let Some(choice) = request.remove("function_call") {
        let choice = if choice.is_string() { choice } else { json!({"type": "function", "function": choice}) };
        request.entry("tool_choice").or_insert(choice);
    }
    let mut last = None;
    for (place, message) in messages(request).enumerate() {
        let role = message["role"].as_str();
        if let Some(function) = message.get("function_call").filter(|call| call.is_object()).cloned() {
            // The same history gets the same ids in each request, so that servers can reuse what they have read.
            let id = mint(seed_of(function.to_string().as_bytes()), place);
            let call = json!([{"id": id.clone(), "type": "function", "function": function}]);
            message.entry("tool_calls").or_insert(call);
            last = Some(id);
        } else if role == Some("function") {
            message["role"] = "tool".into();
            let id = last.take().unwrap_or_else(|| mint(0, place));
            message.entry("tool_call_id").or_insert(id.into());
        }
        message.remove("function_call");
    }
}

/// Converts earlier calls of free-text tools to calls of functions with one string.
pub(crate) fn custom_as_functions(request: &mut Map) {
    for call in messages(request).flat_map(calls) {
        if let Some(custom) = call.remove("custom") {
            let input = custom["input"].clone();
            let arguments = json!({"input": input}).to_string();
            let name = custom["name"].clone();
            call["type"] = "function".into();
            call["function"] = json!({"name": name, "arguments": arguments});
        }
    }
}

/// Returns a user message with instructions from the middle of a conversation: many templates accept a system message
/// only at the beginning.
pub(crate) fn later_instructions(content: Value) -> Value {
    under_heading("Further instructions:", "\n\n", content)
}

/// Returns a message of the model; servers accept a missing content only next to calls.
pub(crate) fn assistant(text: String, refusal: &str, (fields, reasoning): (&[&str], &str), calls: Vec<Value>) -> Value {
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    let mut message = Map::from_iter([("role".to_owned(), "assistant".into()), ("content".to_owned(), content)]);
    for field in fields {
        put(&mut message, field, Some(reasoning).filter(|text| !text.is_empty()));
    }
    put(&mut message, "refusal", Some(refusal).filter(|text| !text.is_empty()));
    put(&mut message, "tool_calls", Some(calls).filter(|calls| !calls.is_empty()));
    message.into()
}

/// Returns the text of a result, in which a word stands for each other part; these parts are added to `attachments`,
/// since servers accept them only in a user message.
pub(crate) fn result_text(content: Value, attachments: &mut Vec<Value>) -> String {
    let Value::Array(parts) = content else { return content.as_str().unwrap_or_default().to_owned() };
    let texts = parts.into_iter().map(|part| match part["text"].as_str() {
        Some(text) => text.to_owned(),
        None => {
            let kind = part["type"].as_str().unwrap_or("part");
            let word = format!("[{}]", kind.trim_end_matches("_url"));
            attachments.push(part);
            word
        }
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Returns the ids of all calls and results.
pub(crate) fn ids(request: &Map) -> HashSet<String> {
    let of = |value: &Value, key: &str| value[key].as_str().map(str::to_owned);
    let mut found = HashSet::new();
    for message in list(&request["messages"]) {
        found.extend(of(message, "tool_call_id"));
        let calls = list(&message["tool_calls"]);
        found.extend(calls.iter().filter_map(|call| of(call, "id")));
    }
    found
}

/// Repairs earlier turns, and records notes about it.
pub(crate) struct HistoryRepairer<'a> {
    pub(crate) tools: &'a Tools,
    pub(crate) policy: &'a Policy,
    pub(crate) notes: &'a mut Vec<String>,
}

impl HistoryRepairer<'_> {
    /// Adds a note about an earlier turn.
    pub(crate) fn note(&mut self, what: String) {
        self.notes.push(format!("history: {what}"));
    }

    /// Returns the arguments of a call as the text of an object: repaired if possible, otherwise wrapped, so that the
    /// model sees what it wrote.
    pub(crate) fn arguments(&mut self, text: &str, name: &str) -> String {
        let Policy { dialects, options, .. } = self.policy;
        let fixed = repair(text, dialects, &self.tools.only_named(name), options).arguments;
        let fixed = fixed.filter(|fixed| is_object(fixed));
        if !text.trim().is_empty() {
            let how = if fixed.is_some() { "repaired" } else { "sent as `{\"raw\": …}`" };
            self.note(format!("arguments of `{name}` are not a JSON object; {how}"));
        }
        fixed.unwrap_or_else(|| json!({"raw": text}).to_string())
    }

    /// Returns a valid tool name: the declared one if it resolves to one, otherwise with `_` for invalid characters.
    fn name(&mut self, name: &str) -> String {
        let legal = legal(name);
        if legal == name || self.tools.names().any(|declared| declared == name) {
            return name.to_owned();
        }
        let sent = self.tools.resolve(name).map_or(legal, str::to_owned);
        self.note(format!("`{name}` is not a valid tool name; sent as `{sent}`"));
        sent
    }

    /// Adds notes about placeholders for missing results and about results without calls.
    pub(crate) fn note_pairs(&mut self, paired: &[Value]) {
        for (mark, what) in [
            (UNANSWERED, "a call has no result; a placeholder was added"),
            (ORPHAN, "a result has no call; sent as a user message"),
        ] {
            if paired.iter().any(|item| has_mark(item, mark)) {
                self.note(what.to_owned());
            }
        }
    }
}

/// Returns whether any string in a message begins with the mark.
fn has_mark(value: &Value, mark: &str) -> bool {
    match value {
        Value::String(text) => text.starts_with(mark),
        Value::Array(list) => list.iter().any(|item| has_mark(item, mark)),
        Value::Object(members) => members.values().any(|item| has_mark(item, mark)),
        _ => false,
    }
}

/// Makes earlier turns valid: arguments are the text of an object, results are text, ids have the server's form.
pub(crate) fn make_safe(request: &mut Map, repairer: &mut HistoryRepairer<'_>) {
    for (place, message) in messages(request).enumerate() {
        if let Some(calls) = message.get_mut("tool_calls").and_then(Value::as_array_mut) {
            let all = calls.len();
            // No server accepts a call without a name; its result becomes a user message.
            calls.retain(|call| call["function"]["name"].as_str() != Some(""));
            if calls.len() < all {
                repairer.note("a call without a name was omitted".to_owned());
            }
        }
        if message.get("tool_calls").is_some_and(|calls| calls.as_array().is_none_or(Vec::is_empty)) {
            message.remove("tool_calls");
        }
        for (at, call) in calls(message).enumerate() {
            make_call_safe(call, repairer);
            let id = call["id"].as_str().filter(|id| !id.is_empty()).map(str::to_owned);
            call["id"] = id.unwrap_or_else(|| mint(place as u64, at)).into();
        }
        if message["role"] == "tool" {
            make_result_safe(message);
        }
    }
    if let Some(messages) = request.get_mut("messages").and_then(Value::as_array_mut) {
        // Calls and results must be next to each other before messages of one role are merged.
        *messages = pair(std::mem::take(messages));
        repairer.note_pairs(messages);
        *messages = one_a_turn(std::mem::take(messages));
    }
    // Last, because results find their calls by the client's ids.
    if repairer.policy.ids != HistoryIds::Kept {
        identify(request, repairer.policy.ids);
    }
}

/// Converts the ids of calls and of their results to the server's form.
pub(crate) fn identify(request: &mut Map, style: HistoryIds) {
    let (mut renamed, mut counted) = (RenamedIds::default(), 0);
    for message in messages(request) {
        for call in calls(message) {
            let name = call["function"]["name"].as_str().unwrap_or_default().to_owned();
            let Some(Value::String(id)) = call.get_mut("id") else { continue };
            let new = match style {
                HistoryIds::Kept => id.clone(),
                HistoryIds::Nine => nine(id),
                HistoryIds::Counted => format!("functions.{name}:{counted}"),
            };
            counted += 1;
            renamed.add_call(id, new.clone());
            *id = new;
        }
        if let Some(Value::String(id)) = message.get_mut("tool_call_id") {
            *id = renamed.of_result(id);
        }
    }
}

fn make_call_safe(call: &mut Map, repairer: &mut HistoryRepairer<'_>) {
    if call.contains_key("custom") {
        return;
    }
    call.entry("type").or_insert("function".into());
    let Some(Value::Object(function)) = call.get_mut("function") else { return };
    let name = repairer.name(function["name"].as_str().unwrap_or_default());
    if function.get("name").is_some_and(|old| *old != *name) {
        function["name"] = name.as_str().into();
    }
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) if is_object(text) => return,
        Some(Value::String(text)) => repairer.arguments(text, &name),
        None | Some(Value::Null) => "{}".to_owned(),
        Some(value @ Value::Object(_)) => value.to_string(),
        Some(value) => repairer.arguments(&value.to_string(), &name),
    };
    function["arguments"] = arguments.into();
}

/// Returns whether a text is one JSON object.
pub(crate) fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Converts the content of a result to text, unless it has parts other than text.
fn make_result_safe(message: &mut Map) {
    let text = match message.get("content") {
        None | Some(Value::Null) => String::new(),
        Some(Value::Array(parts)) => {
            let texts: Option<Vec<&str>> = parts.iter().map(|part| part.get("text")?.as_str()).collect();
            let Some(texts) = texts else { return };
            texts.join("\n")
        }
        Some(Value::String(_)) => return,
        Some(value) => value.to_string(),
    };
    message["content"] = text.into();
}

/// The new ids of calls whose results have not been found, by the old ones. Conversations may use an id more than once.
#[derive(Default)]
pub(crate) struct RenamedIds(HashMap<String, VecDeque<String>>);

impl RenamedIds {
    pub(crate) fn add_call(&mut self, old: &str, new: String) {
        self.0.entry(old.to_owned()).or_default().push_back(new);
    }

    /// Returns the new id of a result: that of the first call with the old id, each of which has one result.
    pub(crate) fn of_result(&mut self, old: &str) -> String {
        self.0.get_mut(old).and_then(VecDeque::pop_front).unwrap_or_else(|| old.to_owned())
    }
}

/// Returns nine letters and digits for an id: the id itself if it has that form, otherwise derived from it.
fn nine(id: &str) -> String {
    if id.len() == 9 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return id.to_owned();
    }
    mint(seed_of(id.as_bytes()), 0).trim_start_matches("call_").chars().take(9).collect()
}

fn messages(request: &mut Map) -> impl Iterator<Item = &mut Map> {
    let list = request.get_mut("messages").and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

fn calls(message: &mut Map) -> impl Iterator<Item = &mut Map> {
    let list = message.get_mut("tool_calls").and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}
