//! Streams put together as the SDKs do it, where they throw an error here is a panic.

use toolglot_json::{Value, json};

/// What an agent on the AI SDK ends up with.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Seen {
    pub(super) text: String,
    pub(super) reasoning: String,
    /// Names and inputs, as text.
    pub(super) calls: Vec<(String, String, String)>,
    pub(super) end: String,
}

/// Puts a response together from its deltas, by the rules of openai-python and openai-node, whichever is the stricter,
/// and checks that the last event says the same; that is what both return in the end.
pub(super) fn openai(events: &[Value]) -> Value {
    assert_eq!(events[0]["type"], "response.created", "both throw without it");
    let mut output: Vec<Value> = Vec::new();
    let mut done: Vec<bool> = Vec::new();
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event["sequence_number"], number);
        let kind = event["type"].as_str().unwrap();
        if let Some(response) = event.get("response") {
            assert_eq!(response["id"], events[0]["response"]["id"], "both throw when it changes");
            required(response);
        }
        match (kind, event.get("output_index").and_then(Value::as_u64)) {
            ("response.output_item.added", Some(index)) => {
                assert_eq!(index, output.len() as u64, "two items on one index");
                assert!(!event["item"]["id"].as_str().unwrap().is_empty(), "node throws");
                assert!(output.iter().all(|item| item["id"] != event["item"]["id"]));
                output.push(event["item"].clone());
                done.push(false);
            }
            (_, Some(index)) => {
                let at = usize::try_from(index).unwrap();
                assert!(!done[at], "{kind} after the item's end");
                if kind == "response.output_item.done" {
                    ended(&output[at], &event["item"]);
                    output[at] = event["item"].clone();
                    done[at] = true;
                } else {
                    inside(kind, event, &mut output[at]);
                }
            }
            _ => {}
        }
    }
    let last = events.last().unwrap();
    let response = &last["response"];
    match last["type"].as_str().unwrap() {
        "response.completed" => assert_eq!(response["status"], "completed"),
        "response.incomplete" => {
            assert_eq!(response["status"], "incomplete");
            assert!(response["incomplete_details"]["reason"].is_string());
        }
        other => panic!("the stream ends with {other}"),
    }
    assert!(done.iter().all(|done| *done), "node throws when an item is unfinished");
    assert_eq!(response["output"], json!(output), "both trust it");
    response.clone()
}

/// Checks the fields that the SDKs' types call required.
fn required(response: &Value) {
    for key in [
        "created_at",
        "error",
        "incomplete_details",
        "instructions",
        "metadata",
        "model",
        "output",
        "temperature",
        "parallel_tool_calls",
        "tool_choice",
        "tools",
        "top_p",
        "status",
        "text",
        "usage",
    ] {
        assert!(response.get(key).is_some(), "`{key}` is required");
    }
    assert_eq!(response["object"], "response");
    assert!(response["created_at"].is_u64() && response["model"].is_string());
}

/// Applies an event that says something about an open item.
fn inside(kind: &str, event: &Value, item: &mut Value) {
    let (stem, last) = kind.rsplit_once('.').unwrap();
    let is_known =
        ["message", "reasoning", "function_call", "custom_tool_call"].contains(&item["type"].as_str().unwrap());
    if !is_known {
        return;
    }
    assert_eq!(event["item_id"], item["id"], "{kind}");
    let (list, field, index) = match stem {
        "response.content_part" => ("content", "", "content_index"),
        "response.reasoning_summary_part" => ("summary", "", "summary_index"),
        "response.output_text" | "response.reasoning_text" => ("content", "text", "content_index"),
        "response.output_text.annotation" => ("content", "annotations", "content_index"),
        "response.refusal" => ("content", "refusal", "content_index"),
        "response.reasoning_summary_text" => ("summary", "text", "summary_index"),
        "response.function_call_arguments" => ("", "arguments", ""),
        "response.custom_tool_call_input" => ("", "input", ""),
        _ => panic!("{kind} is unknown"),
    };
    let at = usize::try_from(event.get(index).and_then(Value::as_u64).unwrap_or_default()).unwrap();
    if field.is_empty() && last == "added" {
        let parts = item.as_object_mut().unwrap().entry(list).or_insert_with(|| json!([]));
        assert_eq!(at, parts.as_array().unwrap().len());
        parts.as_array_mut().unwrap().push(event["part"].clone());
        return;
    }
    let part = if list.is_empty() { item } else { &mut item[list][at] };
    assert!(part.is_object(), "python throws an IndexError for {kind}");
    match (last, field) {
        ("done", "") => assert_eq!(*part, event["part"]),
        ("done", field) => assert_eq!(part[field], event[field]),
        ("added", field) => part[field].as_array_mut().unwrap().push(event["annotation"].clone()),
        (_, field) => {
            let whole = format!("{}{}", part[field].as_str().unwrap(), event["delta"].as_str().unwrap());
            part[field] = whole.into();
            let tokens = event.get("logprobs").and_then(Value::as_array).cloned().unwrap_or_default();
            part.get_mut("logprobs")
                .and_then(Value::as_array_mut)
                .into_iter()
                .for_each(|all| all.extend(tokens.clone()));
        }
    }
}

/// Checks that the end of an item is what came of its beginning.
fn ended(open: &Value, end: &Value) {
    for (key, value) in open.as_object().unwrap() {
        assert!(key == "status" || end[key] == *value || !is_ours(open), "`{key}` changed: {value} and {}", end[key]);
    }
    assert!(end.get("status").is_none_or(|status| status != "in_progress"));
    assert!(end["type"] != "custom_tool_call" || end["status"] == "completed", "the AI SDK drops it");
}

fn is_ours(item: &Value) -> bool {
    ["message", "reasoning", "function_call", "custom_tool_call"].contains(&item["type"].as_str().unwrap())
}

/// Puts together what the AI SDK shows: text from deltas, calls from the ends of their items.
pub(super) fn ai_sdk(events: &[Value]) -> Seen {
    let mut seen = Seen::default();
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    for event in events {
        match event["type"].as_str().unwrap() {
            "response.created" => {
                assert!(event["response"]["created_at"].is_u64() && event["response"]["model"].is_string());
            }
            "response.output_text.delta" => seen.text += event["delta"].as_str().unwrap(),
            "response.reasoning_summary_text.delta" => seen.reasoning += event["delta"].as_str().unwrap(),
            "response.output_item.done" => {
                let item = &event["item"];
                let input = match item["type"].as_str().unwrap() {
                    "function_call" => &item["arguments"],
                    "custom_tool_call" => &item["input"],
                    _ => continue,
                };
                assert!(item["id"].is_string(), "the call would be lost");
                seen.calls.push((word(&item["call_id"]), word(&item["name"]), word(input)));
            }
            end @ ("response.completed" | "response.incomplete" | "response.failed") => seen.end = end.to_owned(),
            _ => {}
        }
    }
    seen
}
