//! The ids of calls are the server's where they serve, and no two calls of a conversation share one.

use toolglot_json::{Value, json};
use toolglot_wire::{HistoryIds, Policy};

use crate::accumulate::answer;
use crate::script::{events, exchange, good, request, stream};

fn with_id(id: &str) -> String {
    let mut chunks = good();
    chunks[1]["choices"][0]["delta"]["tool_calls"][0]["id"] = json!(id);
    events(&chunks)
}

fn history(ids: &[&str]) -> Value {
    let call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "get_weather", "arguments": "{}"}});
    let mut messages = Vec::new();
    for id in ids {
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call(id)]}));
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": "rain"}));
    }
    request(json!({"messages": messages}))
}

#[test]
fn an_id_is_kept_or_made() {
    for (id, kept) in [("call_a", true), ("chatcmpl-tool-1", true), ("functions.get_weather:0", false), ("", false)] {
        let found = answer(&stream(&request(json!({})), &with_id(id)));
        assert_eq!(found.calls[0].0 == id, kept, "{id}");
    }
    let found = answer(&stream(&history(&["call_a"]), &with_id("call_a")));
    assert_ne!(found.calls[0].0, "call_a");
}

#[test]
fn earlier_ids_are_written_as_the_server_wants_them() {
    let sent = |style: HistoryIds| -> Vec<(String, String)> {
        let policy = Policy::default().with_ids(style);
        let body = exchange(&history(&["call_a", "123456789"]), &policy).upstream_body();
        let body: Value = toolglot_json::from_slice(&body).unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let pairs = body["messages"].as_array().unwrap().chunks(2);
        pairs.map(|pair| (text(&pair[0]["tool_calls"][0]["id"]), text(&pair[1]["tool_call_id"]))).collect()
    };
    for style in [HistoryIds::Kept, HistoryIds::Nine, HistoryIds::Counted] {
        assert!(sent(style).iter().all(|(call, result)| call == result), "{style:?}");
        assert_eq!(sent(style), sent(style), "{style:?}");
    }
    assert_eq!(sent(HistoryIds::Kept)[0].0, "call_a");
    let nine = sent(HistoryIds::Nine);
    assert!(nine[0].0.len() == 9 && nine[0].0.bytes().all(|byte| byte.is_ascii_alphanumeric()), "{nine:?}");
    assert_eq!(nine[1].0, "123456789");
    let counted: Vec<String> = sent(HistoryIds::Counted).into_iter().map(|pair| pair.0).collect();
    assert_eq!(counted, ["functions.get_weather:0", "functions.get_weather:1"]);
}
