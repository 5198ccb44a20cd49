//! Every way in which servers are known to break the stream, and what each client has in the end.

use toolglot_json::{Value, json};

use super::{accumulate, bytes_of, client, events_of, read, write};
use crate::protocol::Protocol;
use crate::response_event::ResponseEvent;

type Edit = fn(&mut Vec<Value>);

/// The good stream's events by number: 0 created, 1 in progress; the message: 2 added, 3 part added, 4 and 5 deltas,
/// 6 text done, 7 part done, 8 done; the call: 9 added, 10 and 11 deltas, 12 arguments done, 13 done; 14 completed.
fn good() -> Vec<Value> {
    let text = |text: &str| json!({"type": "output_text", "text": text, "annotations": []});
    let message = |status: &str, content: Value| json!({"id": "msg_9", "type": "message", "role": "assistant", "status": status, "content": content});
    let call = |status: &str, arguments: &str| {
        json!({"id": "fc_9", "type": "function_call", "call_id": "call_9", "name": "go", "status": status,
            "arguments": arguments})
    };
    let response = |status: &str, output: Value| {
        json!({"id": "resp_9", "object": "response", "created_at": 3, "model": "m", "status": status, "output": output,
            "usage": {"input_tokens": 4, "output_tokens": 2, "total_tokens": 6}})
    };
    let opening = response("in_progress", json!([]));
    let (said, gone) = (message("completed", json!([text("Hello")])), call("completed", r#"{"to":1}"#));
    let mut events = vec![
        json!({"type": "response.created", "response": opening}),
        json!({"type": "response.in_progress", "response": opening}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": message("in_progress", json!([]))}),
        json!({"type": "response.content_part.added", "output_index": 0, "item_id": "msg_9", "content_index": 0,
            "part": text("")}),
    ];
    events.extend(["Hel", "lo"].map(|piece| {
        json!({"type": "response.output_text.delta", "output_index": 0, "item_id": "msg_9", "content_index": 0,
            "delta": piece})
    }));
    events.extend([
        json!({"type": "response.output_text.done", "output_index": 0, "item_id": "msg_9", "content_index": 0,
            "text": "Hello"}),
        json!({"type": "response.content_part.done", "output_index": 0, "item_id": "msg_9", "content_index": 0,
            "part": text("Hello")}),
        json!({"type": "response.output_item.done", "output_index": 0, "item": said}),
        json!({"type": "response.output_item.added", "output_index": 1, "item": call("in_progress", "")}),
    ]);
    events.extend([r#"{"to""#, ":1}"].map(|piece| {
        json!({"type": "response.function_call_arguments.delta", "output_index": 1, "item_id": "fc_9", "delta": piece})
    }));
    events.extend([
        json!({"type": "response.function_call_arguments.done", "output_index": 1, "item_id": "fc_9",
            "arguments": r#"{"to":1}"#}),
        json!({"type": "response.output_item.done", "output_index": 1, "item": gone}),
        json!({"type": "response.completed", "response": response("completed", json!([said, gone]))}),
    ]);
    (0..).zip(&mut events).for_each(|(number, event): (usize, _)| event["sequence_number"] = number.into());
    events
}

fn without(events: &mut [Value], keys: &[&str]) {
    for event in events {
        keys.iter().for_each(|key| drop(event.as_object_mut().unwrap().remove(key)));
    }
}

/// Streams that every client reads as text and a call.
const READ: [(&str, Edit); 33] = [
    ("good", |_| {}),
    ("no numbers", |events| without(events, &["sequence_number"])),
    ("no created", |events| drop(events.remove(0))),
    ("neither created nor in progress", |events| drop(events.drain(0..2))),
    ("no in_progress", |events| drop(events.remove(1))),
    ("created says almost nothing", |events| events[0]["response"] = json!({"id": "resp_9"})),
    ("no part added", |events| drop(events.remove(3))),
    ("no parts", |events| {
        events.remove(7);
        events.remove(3);
    }),
    ("no message added", |events| drop(events.drain(2..4))),
    ("no message done", |events| drop(events.remove(8))),
    ("text in its end only", |events| drop(events.drain(4..6))),
    ("text in the item's end only", |events| drop(events.drain(3..8))),
    ("text in the last event only", |events| drop(events.drain(2..9))),
    ("no call added", |events| drop(events.remove(9))),
    ("no call done", |events| drop(events.remove(13))),
    ("neither call added nor done", |events| {
        events.remove(13);
        events.remove(9);
    }),
    ("call in the last event only", |events| drop(events.drain(9..14))),
    ("all in the last event only", |events| drop(events.drain(0..14))),
    ("no arguments done", |events| drop(events.remove(12))),
    ("no events of arguments", |events| drop(events.drain(10..13))),
    ("arguments are an object", |events| {
        events.drain(10..13);
        events[10]["item"]["arguments"] = json!({"to": 1});
        events[11]["response"]["output"][1]["arguments"] = json!({"to": 1});
    }),
    ("completed has an empty output", |events| events[14]["response"]["output"] = json!([])),
    ("completed has no output", |events| without(std::slice::from_mut(&mut events[14]["response"]), &["output"])),
    ("completed has no usage", |events| without(std::slice::from_mut(&mut events[14]["response"]), &["usage"])),
    ("response.done", |events| events[14]["type"] = "response.done".into()),
    ("the response's id changes", |events| events[14]["response"]["id"] = "resp_other".into()),
    ("the call's item id changes", |events| {
        events[13]["item"]["id"] = "fc_other".into();
        events[14]["response"]["output"][1]["id"] = "fc_third".into();
    }),
    ("the message's item id changes", |events| events[14]["response"]["output"][0]["id"] = "msg_other".into()),
    ("the call id changes", |events| {
        events[13]["item"]["call_id"] = "call_other".into();
        events[14]["response"]["output"][1]["call_id"] = "call_other".into();
    }),
    ("the call has no item id", |events| {
        without(std::slice::from_mut(&mut events[9]["item"]), &["id"]);
        without(&mut events[10..13], &["item_id"]);
        without(std::slice::from_mut(&mut events[13]["item"]), &["id"]);
    }),
    ("two items on one index", |events| events[9..14].iter_mut().for_each(|event| event["output_index"] = 0.into())),
    ("nothing says where it belongs", |events| {
        without(events, &["output_index", "content_index", "sequence_number", "item_id"]);
    }),
    ("neither indexes nor a whole response at the beginning", |events| {
        without(events, &["output_index", "content_index", "sequence_number"]);
        for event in &mut events[0..2] {
            event["response"] = json!({"id": "resp_9", "object": "response", "status": "in_progress"});
        }
    }),
];

#[test]
fn every_broken_stream_comes_out_right() {
    for (name, edit) in READ {
        let mut events = good();
        edit(&mut events);
        let bytes = bytes_of(&events);
        for upstream in [Protocol::Responses, Protocol::Chat] {
            let written = events_of(&write(&read(&bytes), &client(upstream, &json!({}))));
            let response = accumulate::openai(&written);
            let output = response["output"].as_array().unwrap();
            assert_eq!(output.len(), 2, "{name}: {response:#}");
            // A text that comes after the call stays after it.
            let message = usize::from(name == "text in the last event only");
            assert_eq!(output[message]["content"][0]["text"], "Hello", "{name}");
            assert_eq!(output[1 - message]["arguments"], r#"{"to":1}"#, "{name}");
            let seen = accumulate::ai_sdk(&written);
            assert_eq!((seen.text.as_str(), seen.end.as_str()), ("Hello", "response.completed"), "{name}");
            // A call of which nobody ever said the id keeps that of its item.
            let ids = if name.starts_with("neither call") { ["call_9", "fc_9"] } else { ["call_9", "call_9"] };
            assert!(ids.contains(&seen.calls[0].0.as_str()), "{name}: {seen:?}");
            assert_eq!((seen.calls[0].1.as_str(), seen.calls.len()), ("go", 1), "{name}");
        }
    }
}

#[test]
fn pieces_and_framing_do_not_matter() {
    let expected = read(&bytes_of(&good()));
    for (name, bytes) in [
        ("no event names", good().iter().map(|event| format!("data: {event}\n\n")).collect::<String>()),
        ("a mark at the end", format!("{}data: [DONE]\n\n", String::from_utf8(bytes_of(&good())).unwrap())),
        ("comments", good().iter().map(|event| format!(": ping\n\ndata:{event}\r\n\r\n")).collect()),
        ("types in event names only", {
            let strip = |event: &Value| {
                let mut event = event.clone();
                let name = event.as_object_mut().unwrap().remove("type").unwrap();
                format!("event: {}\ndata: {event}\n\n", name.as_str().unwrap())
            };
            good().iter().map(strip).collect()
        }),
    ] {
        assert_eq!(read(bytes.as_bytes()), expected, "{name}");
    }
}

/// Streams that every client must see as failed.
const FAILED: [(&str, Edit, &str); 8] = [
    (
        "error",
        |events| {
            events.truncate(11);
            events.push(json!({"type": "error", "code": "server_error", "message": "boom", "param": null}));
        },
        "boom",
    ),
    (
        "nested error",
        |events| {
            events.truncate(5);
            events.push(json!({"type": "error", "error": {"type": "server_error", "message": "boom"}}));
        },
        "boom",
    ),
    (
        "an error of another protocol",
        |events| {
            events.truncate(5);
            events.push(json!({"error": {"message": "boom", "code": 500}}));
        },
        "boom",
    ),
    (
        "failed",
        |events| {
            events.truncate(11);
            let error = json!({"code": "rate_limit_exceeded", "message": "boom"});
            events.push(json!({"type": "response.failed", "response": {"id": "resp_9", "error": error}}));
        },
        "boom",
    ),
    (
        "failed, said in the status",
        |events| {
            let error = json!({"code": "server_error", "message": "boom"});
            events[14]["response"] = json!({"id": "resp_9", "status": "failed", "error": error});
        },
        "boom",
    ),
    ("cut in a call", |events| events.truncate(11), "it broke off"),
    // Nothing says that no further item was to come.
    ("no completed", |events| drop(events.pop()), "it broke off"),
    ("nothing at all", Vec::clear, "it broke off"),
];

#[test]
fn every_failure_is_told() {
    for (name, edit, message) in FAILED {
        let mut events = good();
        edit(&mut events);
        let said = read(&bytes_of(&events));
        assert!(
            matches!(said.last(), Some(ResponseEvent::Fault(fault)) if fault.message == message),
            "{name}: {said:?}"
        );
        let written = events_of(&write(&said, &client(Protocol::Responses, &json!({}))));
        let [.., error, failed] = written.as_slice() else { panic!("{name}") };
        assert_eq!(written[0]["type"], "response.created", "{name}");
        assert_eq!(
            (&error["type"], &error["message"], &error["error"]["message"]),
            (&json!("error"), &json!(message), &json!(message)),
            "{name}"
        );
        assert_eq!(
            (&failed["type"], &failed["response"]["error"]["message"]),
            (&json!("response.failed"), &json!(message)),
            "{name}"
        );
        let code = if name == "failed" { "rate_limit_exceeded" } else { "server_error" };
        assert!(name.contains("another") || failed["response"]["error"]["code"] == code, "{name}: {failed}");
        assert_eq!(failed["response"]["status"], "failed", "{name}");
    }
}

#[test]
fn a_cut_anywhere_is_told() {
    let bytes = bytes_of(&good());
    let last = bytes.len() - 2;
    for end in 0..bytes.len() {
        let said = read(&bytes[..end]);
        let written = events_of(&write(&said, &client(Protocol::Responses, &json!({}))));
        // The blank line after the last event may be missing.
        let expected = if end >= last { "response.completed" } else { "response.failed" };
        assert_eq!(written.last().unwrap()["type"], expected, "cut at {end}");
    }
}
