//! Native calls, from servers of every protocol that sends them in pieces.

use toolglot_json::{Value, json};
use toolglot_wire::{Policy, Protocol};

use crate::client::{exchange, gather};

const ARGUMENTS: [&str; 4] = [
    r#"{"path": "a}b", "text": "x = {\"y\": [1]}\n}", "line": 12, "tags": ["t", "}"], "more": {"a": {"b": {}}}}"#,
    // What is repaired on the way is no more JSON than what is valid.
    r#"{'path': "a", "line": "12", "more": {"a": True,}, "tags": ["}"],}"#,
    r#"{"arguments": {"path": "a", "more": {}}}"#,
    r#""{\"path\": \"a\", \"line\": 3}""#,
];

/// Returns a server's stream of a call whose arguments come in pieces, cut off by a limit or ended as if all were there.
fn stream(server: Protocol, pieces: &[&str], cut: bool) -> String {
    let frames: Vec<Value> = match server {
        Protocol::Chat => chat(pieces, cut),
        Protocol::Responses => responses(pieces, cut),
        Protocol::Messages => messages(pieces, cut),
        Protocol::Ollama => unreachable!("it sends calls whole"),
    };
    frames.iter().map(|frame| format!("data: {frame}\n\n")).chain(["data: [DONE]\n\n".to_owned()]).collect()
}

fn chat(pieces: &[&str], cut: bool) -> Vec<Value> {
    let chunk = |delta: Value, finish: Value| json!({"id": "c", "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]});
    let call = |call: Value| chunk(json!({"tool_calls": [call]}), Value::Null);
    let head = json!({"index": 0, "id": "a", "type": "function", "function": {"name": "edit", "arguments": ""}});
    let pieces = pieces.iter().map(|piece| call(json!({"index": 0, "function": {"arguments": piece}})));
    let end = chunk(json!({}), if cut { "length" } else { "tool_calls" }.into());
    [call(head)].into_iter().chain(pieces).chain([end]).collect()
}

fn messages(pieces: &[&str], cut: bool) -> Vec<Value> {
    let block = json!({"type": "tool_use", "id": "a", "name": "edit", "input": {}});
    let delta = |piece: &&str| json!({"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}});
    let reason = if cut { "max_tokens" } else { "tool_use" };
    let mut events = vec![
        json!({"type": "message_start", "message": {"id": "m", "role": "assistant", "content": [], "usage": {"input_tokens": 1}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
    ];
    events.extend(pieces.iter().map(delta));
    events.extend([
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 1}}),
        json!({"type": "message_stop"}),
    ]);
    events
}

fn responses(pieces: &[&str], cut: bool) -> Vec<Value> {
    let status = if cut { "incomplete" } else { "completed" };
    let item = |status: &str, arguments: String| json!({"id": "fc", "type": "function_call", "call_id": "a", "name": "edit", "status": status, "arguments": arguments});
    let response = |status: &str, output: Value| {
        json!({"id": "r", "object": "response", "status": status, "output": output,
            "incomplete_details": cut.then(|| json!({"reason": "max_output_tokens"}))})
    };
    let delta = |piece: &&str| json!({"type": "response.function_call_arguments.delta", "output_index": 0, "item_id": "fc", "delta": piece});
    let mut events = vec![
        json!({"type": "response.created", "response": response("in_progress", json!([]))}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": item("in_progress", String::new())}),
    ];
    events.extend(pieces.iter().map(delta));
    let whole = item(status, pieces.concat());
    events.extend([
        json!({"type": "response.output_item.done", "output_index": 0, "item": whole}),
        json!({"type": format!("response.{status}"), "response": response(status, json!([whole]))}),
    ]);
    events
}

#[test]
fn a_native_call_that_is_cut_off_anywhere_is_no_json_on_any_way() {
    for server in [Protocol::Chat, Protocol::Responses, Protocol::Messages] {
        for client in Protocol::ALL {
            let exchange = exchange(client, server, &Policy::default());
            for arguments in ARGUMENTS {
                for at in 0..arguments.len() {
                    for (finish, cut) in [("length", true), ("tool_calls", false)] {
                        let (first, second) = arguments[..at].split_at(at / 2);
                        let gathered = gather(&exchange, client, stream(server, &[first, second], cut).as_bytes());
                        let what = || format!("{server:?} to {client:?}, {finish}: {}", &arguments[..at]);
                        gathered.check().unwrap_or_else(|error| panic!("{error}\n{}", what()));
                        // Without a limit, no arguments at all are an empty object, and a last quote is missing.
                        let quote_is_missing = arguments.starts_with('"') && at + 1 == arguments.len();
                        let is_made = !cut && (at == 0 || quote_is_missing);
                        assert_eq!(gathered.run().len(), usize::from(is_made), "{}\n{gathered:?}", what());
                        assert_eq!(gathered.error, !cut && !is_made, "{}\n{gathered:?}", what());
                        assert!(!cut || gathered.finish == "length", "{}\n{gathered:?}", what());
                    }
                }
                let gathered = gather(&exchange, client, stream(server, &[arguments], false).as_bytes());
                gathered.check().unwrap();
                assert_eq!((gathered.run().len(), gathered.error), (1, false), "{arguments}\n{gathered:?}");
            }
        }
    }
}
