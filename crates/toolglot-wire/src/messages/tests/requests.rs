//! Requests as they become Chat Completions requests: one text file for each.

use std::fs;
use std::path::Path;

use toolglot_json::{Map, Value, json};

use crate::chat::history::HistoryRepairer;
use crate::messages::{count_tokens, make_safe, to_chat};
use crate::policy::Policy;

/// Between a request and what becomes of it.
const RULE: &str = "\n--- becomes\n";

fn map(value: Value) -> Map {
    value.as_object().cloned().unwrap()
}

/// The converted request, and what was left out of it.
fn convert(request: Value) -> (Map, Vec<String>) {
    let (body, mut notes) = (serde_json::to_vec(&request).unwrap(), Vec::new());
    (to_chat(&map(request), &body, &["reasoning_content"], &mut notes).unwrap(), notes)
}

fn safe(request: &mut Map, policy: &Policy) {
    make_safe(request, &mut HistoryRepairer { tools: &toolglot::Tools::default(), policy, notes: &mut Vec::new() });
}

/// A request with one message and these fields.
fn with(fields: Value) -> Map {
    let mut request = json!({"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]});
    request.as_object_mut().unwrap().extend(map(fields));
    convert(request).0
}

#[test]
fn requests_become_what_their_files_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/messages/tests/requests");
    let mut files = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        let (given, expected) = text.split_once(RULE).unwrap_or((text.trim_end(), ""));
        let json: String = given.lines().filter(|line| !line.starts_with('#')).collect();
        let (request, notes) = convert(serde_json::from_str(&json).unwrap());
        let notes: String = notes.iter().map(|note| format!("note: {note}\n")).collect();
        let becomes = format!("{}\n{notes}", serde_json::to_string_pretty(&request).unwrap());
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, format!("{given}{RULE}{becomes}")).unwrap();
        } else {
            assert_eq!(becomes, expected, "{}", path.display());
        }
        files += 1;
    }
    assert_eq!(files, 8);
}

#[test]
fn choices_of_tools() {
    for (choice, tool_choice, parallel) in [
        (json!({"type": "auto"}), json!("auto"), Value::Null),
        (json!({"type": "any", "disable_parallel_tool_use": false}), json!("required"), Value::Null),
        (json!({"type": "none"}), json!("none"), Value::Null),
        (json!({"type": "auto", "disable_parallel_tool_use": true}), json!("auto"), json!(false)),
        (json!({"type": "tool", "name": "f"}), json!({"type": "function", "function": {"name": "f"}}), Value::Null),
        (json!({"type": "tool", "name": "gone"}), Value::Null, Value::Null),
        (json!({"type": "future"}), Value::Null, Value::Null),
        (Value::Null, Value::Null, Value::Null),
    ] {
        let chat = with(json!({"tools": [{"name": "f", "input_schema": {}}], "tool_choice": choice}));
        let found = ["tool_choice", "parallel_tool_calls"].map(|key| chat.get(key).cloned().unwrap_or_default());
        assert_eq!(found, [tool_choice, parallel], "{choice}");
    }
}

#[test]
fn thinking_and_the_format_of_the_output() {
    for (budget, effort) in [(1_024, "low"), (8_192, "medium"), (31_999, "high")] {
        let chat = with(json!({"thinking": {"type": "enabled", "budget_tokens": budget}}));
        assert_eq!(chat["reasoning_effort"], effort);
    }
    for thinking in [json!({"type": "adaptive"}), json!({"type": "disabled"}), Value::Null] {
        assert_eq!(with(json!({"thinking": thinking})).get("reasoning_effort"), None);
    }
    let format = json!({"type": "json_schema", "schema": {"type": "object"}});
    for fields in [json!({"output_config": {"format": format, "effort": "low"}}), json!({"output_format": format})] {
        let expected = json!({"type": "json_schema",
            "json_schema": {"name": "output", "schema": {"type": "object"}, "strict": true}});
        assert_eq!(with(fields)["response_format"], expected);
    }
    assert_eq!(with(json!({"output_config": {"effort": "low"}})).get("response_format"), None);
}

#[test]
fn a_long_name_of_a_user_is_left_out() {
    for (length, is_kept) in [(64, true), (65, false)] {
        let chat = with(json!({"metadata": {"user_id": "u".repeat(length)}}));
        assert_eq!(chat.contains_key("user"), is_kept);
    }
}

#[test]
fn reasoning_goes_where_it_is_wanted() {
    let thinking = json!({"type": "thinking", "thinking": "hm", "signature": ""});
    let request =
        map(json!({"messages": [{"role": "assistant", "content": [thinking, {"type": "text", "text": "Hi"}]}]}));
    for (fields, expected) in [
        (&[][..], json!({"role": "assistant", "content": "Hi"})),
        (&["reasoning"], json!({"role": "assistant", "content": "Hi", "reasoning": "hm"})),
        (&["a", "b"], json!({"role": "assistant", "content": "Hi", "a": "hm", "b": "hm"})),
    ] {
        assert_eq!(to_chat(&request, b"", fields, &mut Vec::new()).unwrap()["messages"][0], expected);
    }
}

#[test]
fn a_request_without_messages_is_refused() {
    for request in [json!({}), json!({"messages": "Hi"})] {
        let fault = to_chat(&map(request), b"", &[], &mut Vec::new()).unwrap_err();
        assert_eq!((fault.status, fault.param.as_deref()), (400, Some("messages")));
    }
}

#[test]
fn a_history_for_the_same_protocol_is_made_safe() {
    let call = |input: Value| json!({"type": "tool_use", "id": "a", "name": "f", "input": input});
    let request = |input: Value| {
        map(json!({"messages": [{"role": "user", "content": "x"},
            {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}, call(input)]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "ok"}]}]}))
    };
    let policy = Policy::default().with_dialects(toolglot::Dialects::builtin());
    for (input, expected) in [
        (json!("{\"x\": 1}"), json!({"x": 1})),
        (json!("{'x': True,}"), json!({"x": true})),
        (json!("no idea"), json!({"raw": "no idea"})),
        (json!(""), json!({})),
        (Value::Null, json!({})),
        (json!([1]), json!({"raw": [1]})),
    ] {
        let mut changed = request(input.clone());
        safe(&mut changed, &policy);
        assert_eq!(changed, request(expected), "{input}");
    }
    let mut good = request(json!({"x": "y"}));
    safe(&mut good, &policy);
    assert_eq!(good, request(json!({"x": "y"})));
}

#[test]
fn calls_without_results_get_one_for_the_same_protocol() {
    let call = |id: &str| json!({"type": "tool_use", "id": id, "name": "f", "input": {}});
    let made =
        |ids: &[&str]| json!({"role": "assistant", "content": ids.iter().map(|id| call(id)).collect::<Vec<_>>()});
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": text});
    let user = |content: Value| json!({"role": "user", "content": content});
    let none = |id: &str| result(id, "No result: the call was not executed.");
    // Servers refuse an id that two calls have.
    let again = toolglot::mint(toolglot::seed_of(b"a"), 1);
    for (sent, expected) in [
        (json!([made(&["a"])]), json!([made(&["a"]), user(json!([none("a")]))])),
        (
            json!([made(&["a", "b"]), user(json!([result("b", "x")]))]),
            json!([made(&["a", "b"]), user(json!([none("a"), result("b", "x")]))]),
        ),
        (
            json!([made(&["a"]), user(json!("go on"))]),
            json!([made(&["a"]), user(json!([none("a"), {"type": "text", "text": "go on"}]))]),
        ),
        (json!([made(&["a"]), made(&[])]), json!([made(&["a"]), user(json!([none("a")]))])),
        (
            json!([made(&["a"]), user(json!([result("a", "x")])), made(&["a"]), user(json!("so?"))]),
            json!([
                made(&["a"]),
                user(json!([result("a", "x")])),
                made(&[&again]),
                user(json!([none(&again), {"type": "text", "text": "so?"}]))
            ]),
        ),
        (
            json!([made(&["a"]), made(&["b"]), user(json!([result("a", "x")])), user(json!([result("b", "y")]))]),
            json!([made(&["a"]), made(&["b"]), user(json!([result("a", "x")])), user(json!([result("b", "y")]))]),
        ),
        (
            json!([made(&["a", "b"]), user(json!("wait")), user(json!([result("b", "y"), result("a", "x")]))]),
            json!([
                made(&["a", "b"]),
                user(json!([result("b", "y"), result("a", "x"), {"type": "text", "text": "wait"}]))
            ]),
        ),
        (
            json!([made(&["a", "b"]), user(json!([result("a", "x")])), made(&["c"]), user(json!([result("b", "y")]))]),
            json!([
                made(&["a", "b"]),
                user(json!([result("a", "x"), result("b", "y")])),
                made(&["c"]),
                user(json!([none("c")]))
            ]),
        ),
    ] {
        let mut changed = map(json!({"messages": sent}));
        safe(&mut changed, &Policy::default());
        assert_eq!(changed["messages"], expected);
    }
}

#[test]
fn an_estimate_of_tokens() {
    let image =
        json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "A".repeat(9_000)}});
    let result = json!({"type": "tool_result", "tool_use_id": "a", "content": [image]});
    let text = "x".repeat(400);
    for (request, expected) in [
        (json!({"messages": []}), 0),
        (json!({"messages": [{"role": "user", "content": "Hi"}]}), 8),
        (json!({"system": text, "messages": []}), 101),
        (json!({"messages": [{"role": "user", "content": [image, image]}]}), 7 + 3_200),
        (json!({"messages": [{"role": "user", "content": [result]}]}), 7 + 1_600),
        (json!({"messages": [], "tools": [{"name": "f", "description": text}]}), 108),
    ] {
        assert_eq!(count_tokens(request.to_string().as_bytes()), Ok(expected));
    }
    assert_eq!(count_tokens(b"[]").unwrap_err().status, 400);
}

#[test]
fn results_whose_calls_are_not_there_are_what_the_user_says() {
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "ok"});
    let call = json!({"type": "tool_use", "id": "a", "name": "f", "input": {}});
    let mut request = map(json!({"messages": [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result("z"), result("a"), {"type": "text", "text": "so?"}]}]}));
    safe(&mut request, &Policy::default());
    let text = |text: &str| json!({"type": "text", "text": text});
    let words = text("The result of a call that is not part of this conversation:");
    assert_eq!(request["messages"][1]["content"], json!([result("a"), text("so?"), words, text("ok")]));
}
