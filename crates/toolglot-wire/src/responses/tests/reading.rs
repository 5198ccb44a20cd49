//! What the reader says of items that are not broken, only rare.

use toolglot_json::{Value, json};

use super::{bytes_of, client, events_of, read, read_whole, write};
use crate::fault::FaultKind;
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, Usage};

fn event(kind: &str, rest: &Value) -> Value {
    let mut event = json!({"type": kind});
    event.as_object_mut().unwrap().extend(rest.as_object().cloned().unwrap());
    event
}

/// Returns what is said of a stream besides what only writers of this protocol need.
fn parts(said: &[ResponseEvent]) -> Vec<Part> {
    let parts = said.iter().filter_map(|said| match said {
        ResponseEvent::Part { part: Part::Own(_), .. } => None,
        ResponseEvent::Part { part, .. } => Some(part.clone()),
        _ => None,
    });
    parts.collect()
}

fn text(text: &str) -> Part {
    Part::Text(text.to_owned())
}

#[test]
fn two_calls_side_by_side_are_kept_apart() {
    let call = |number: usize, status: &str, arguments: &str| {
        json!({"output_index": number, "item": {"type": "function_call", "id": format!("fc_{number}"),
            "call_id": format!("call_{number}"), "name": "go", "status": status, "arguments": arguments}})
    };
    let delta = |number: usize, text: &str| {
        let place = json!({"output_index": number, "item_id": format!("fc_{number}"), "delta": text});
        event("response.function_call_arguments.delta", &place)
    };
    let said = read(&bytes_of(&[
        event("response.output_item.added", &call(0, "in_progress", "")),
        event("response.output_item.added", &call(1, "in_progress", "")),
        delta(0, "{\"a\":"),
        delta(1, "{"),
        delta(0, "1}"),
        delta(1, "}"),
        event("response.output_item.done", &call(0, "completed", "{\"a\":1}")),
        event("response.output_item.done", &call(1, "completed", "{}")),
        event("response.completed", &json!({"response": {"status": "completed"}})),
    ]));
    let start = |call: usize| {
        let (id, name) = (Some(format!("call_{call}")), "go".to_owned());
        Part::CallStart { call, id, name, kind: CallKind::Function }
    };
    let piece = |call: usize, text: &str| Part::Arguments { call, text: text.to_owned() };
    let (first, second) = (start(0), start(1));
    assert_eq!(
        parts(&said),
        [
            first,
            second,
            piece(0, "{\"a\":"),
            piece(1, "{"),
            piece(0, "1}"),
            piece(1, "}"),
            Part::CallEnd { call: 0 },
            Part::CallEnd { call: 1 },
            Part::Finish(Finish::ToolCalls),
        ]
    );
}

#[test]
fn free_text_calls_are_read() {
    let item = json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": "call_1", "name": "patch", "input": ""});
    let said = read(&bytes_of(&[
        event("response.output_item.added", &json!({"output_index": 0, "item": item})),
        event(
            "response.custom_tool_call_input.delta",
            &json!({"output_index": 0, "item_id": "ctc_1", "delta": "*** {"}),
        ),
        event(
            "response.custom_tool_call_input.done",
            &json!({"output_index": 0, "item_id": "ctc_1", "input": "*** {\n"}),
        ),
        event("response.completed", &json!({"response": {}})),
    ]));
    let piece = |text: &str| Part::Arguments { call: 0, text: text.to_owned() };
    let (id, name) = (Some("call_1".to_owned()), "patch".to_owned());
    assert_eq!(
        parts(&said),
        [
            Part::CallStart { call: 0, id, name, kind: CallKind::Custom },
            piece("*** {"),
            piece("\n"),
            Part::CallEnd { call: 0 },
            Part::Finish(Finish::ToolCalls),
        ]
    );
}

#[test]
fn reasoning_keeps_its_form_its_parts_and_its_seal() {
    let output = json!([
        {"type": "reasoning", "id": "rs_1", "encrypted_content": "c2Vh", "summary": [
            {"type": "summary_text", "text": "one"}, {"type": "summary_text", "text": "two"},
        ]},
        {"type": "reasoning", "id": "rs_2", "summary": [], "content": [{"type": "reasoning_text", "text": "raw"}]},
        {"type": "reasoning", "id": "rs_3", "summary": [], "encrypted_content": "b25seQ"},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "phase": "final_answer",
            "content": [
                {"type": "output_text", "text": "a", "annotations": [], "logprobs": []},
                {"type": "output_text", "text": "b", "annotations": [], "logprobs": []},
            ]},
    ]);
    let said = read_whole(json!({"id": "resp_1", "status": "completed", "output": output}).to_string().as_bytes());
    let reasoning = |text: &str| Part::Reasoning(text.to_owned());
    let seal = |text: &str| Part::Seal(text.to_owned());
    assert_eq!(
        parts(&said),
        [
            reasoning("one"),
            reasoning("two"),
            seal("c2Vh"),
            reasoning("raw"),
            seal("b25seQ"),
            text("a"),
            text("b"),
            Part::Finish(Finish::Stop),
        ]
    );
    let client = client(Protocol::Responses, &json!({}));
    let events = events_of(&write(&said, &client));
    let written = &events.last().unwrap()["response"]["output"];
    let without_order =
        |value: &Value| serde_json::from_str::<std::collections::BTreeMap<String, Value>>(&value.to_string());
    for (ours, theirs) in written.as_array().unwrap().iter().zip(output.as_array().unwrap()) {
        assert_eq!(without_order(ours).unwrap(), without_order(theirs).unwrap());
    }
}

#[test]
fn a_raw_and_a_summarised_reasoning_are_not_said_twice() {
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "short"}],
        "content": [{"type": "reasoning_text", "text": "long"}]});
    let delta = json!({"item_id": "rs_1", "content_index": 0, "delta": "long"});
    let said = read(&bytes_of(&[
        event("response.reasoning_text.delta", &delta),
        event("response.output_item.done", &json!({"output_index": 0, "item": item})),
        event("response.completed", &json!({"response": {"output": [item]}})),
    ]));
    assert_eq!(parts(&said), [Part::Reasoning("long".to_owned()), Part::Finish(Finish::Stop)]);
}

#[test]
fn an_incomplete_response_is_cut_whatever_its_details() {
    for details in [json!(null), json!({}), json!({"reason": "max_output_tokens"})] {
        let response = json!({"incomplete_details": details, "output": []});
        let said = read(&bytes_of(&[event("response.incomplete", &json!({"response": response}))]));
        assert_eq!(parts(&said), [Part::Finish(Finish::Length)], "{details}");
    }
}

#[test]
fn limits_and_counts_are_read() {
    for (response, finish) in [
        (json!({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}), Finish::Length),
        (json!({"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}), Finish::ContentFilter),
        (json!({"status": "incomplete", "incomplete_details": {"reason": "odd"}}), Finish::Length),
        (json!({"status": "incomplete"}), Finish::Length),
        (json!({"status": "completed", "incomplete_details": null}), Finish::Stop),
    ] {
        let mut response = response;
        response["usage"] = json!({"input_tokens": 9, "output_tokens": 4, "total_tokens": 13, "odd": 1,
            "input_tokens_details": {"cached_tokens": 5}, "output_tokens_details": {"reasoning_tokens": 2}});
        response["output"] = json!([]);
        let said = read_whole(response.to_string().as_bytes());
        assert_eq!(parts(&said), [Part::Finish(finish)]);
        let own = response["usage"].clone();
        let usage = Usage { input: 9, output: 4, cached: Some(5), reasoning: Some(2), own };
        assert_eq!(said[2..], [ResponseEvent::Usage(usage), ResponseEvent::End]);
    }
}

#[test]
fn what_is_no_response_is_a_fault() {
    for (body, kind, message) in [
        (r#"{"error": {"message": "no", "type": "rate_limit_error"}}"#, FaultKind::RateLimit, "no"),
        (
            r#"{"id": "r", "status": "failed", "output": [], "error": {"code": "server_error", "message": "no"}}"#,
            FaultKind::Server,
            "no",
        ),
        (r#"{"status": "cancelled", "output": []}"#, FaultKind::Upstream, "the model server cancelled the response"),
        ("[1]", FaultKind::Upstream, "expected a response from the model server, found an object of type ``"),
        ("<html>", FaultKind::Upstream, "the model server sent invalid JSON: expected value at line 1 column 1"),
    ] {
        let said = read_whole(body.as_bytes());
        let Some(ResponseEvent::Fault(fault)) = said.last() else { panic!("{body}: {said:?}") };
        assert_eq!((fault.kind, fault.message.as_str()), (kind, message), "{body}");
    }
}

#[test]
fn items_of_the_server_itself_go_through_with_new_numbers() {
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search"}});
    let message = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [
        {"type": "output_text", "text": "found", "annotations": []}]});
    let note = json!({"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 5});
    let place = json!({"item_id": "msg_1", "output_index": 7, "content_index": 0});
    let with = |key: &str, value: Value| {
        let mut place = place.clone();
        place[key] = value;
        place
    };
    let said = read(&bytes_of(&[
        event("response.output_item.added", &json!({"output_index": 5, "item": search})),
        event("response.web_search_call.searching", &json!({"output_index": 5, "item_id": "ws_1"})),
        event("response.output_item.done", &json!({"output_index": 5, "item": search})),
        event("response.output_text.delta", &with("delta", "found".into())),
        event("response.output_text.annotation.added", &with("annotation", note.clone())),
        event("response.completed", &json!({"response": {"output": [search, message]}})),
    ]));
    let events = events_of(&write(&said, &client(Protocol::Responses, &json!({}))));
    let response = super::accumulate::openai(&events);
    assert_eq!(response["output"][0], search);
    assert_eq!(response["output"][1]["content"][0]["annotations"], json!([note]));
    let searching = events.iter().find(|event| event["type"] == "response.web_search_call.searching").unwrap();
    assert_eq!((searching["output_index"].as_u64(), searching["item_id"].as_str()), (Some(0), Some("ws_1")));
    // Clients of other protocols have no use for them, and writers drop them.
    assert_eq!(parts(&said), [text("found"), Part::Finish(Finish::Stop)]);
}

#[test]
fn what_else_the_server_says_of_the_response_survives() {
    let response =
        json!({"id": "resp_1", "status": "completed", "output": [], "service_tier": "flex", "odd": {"x": 1}});
    let body =
        crate::responses::whole(&read_whole(response.to_string().as_bytes()), &client(Protocol::Responses, &json!({})));
    assert_eq!((&body["service_tier"], &body["odd"]), (&json!("flex"), &json!({"x": 1})));
}

#[test]
fn citations_and_probabilities_of_a_text_survive_whole_and_streamed() {
    let note = json!({"type": "url_citation", "url": "u", "title": "t", "start_index": 0, "end_index": 5});
    let token = |text: &str| json!({"token": text, "logprob": -0.5, "bytes": [], "top_logprobs": []});
    let part = json!({"type": "output_text", "text": "found it", "annotations": [note], "logprobs": [token("found"), token(" it")]});
    let message =
        json!({"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [part]});
    let response = json!({"id": "resp_1", "status": "completed", "output": [message]});
    let place = json!({"item_id": "msg_1", "output_index": 0, "content_index": 0});
    let with = |key: &str, value: Value, tokens: Value| {
        let mut place = place.clone();
        (place[key], place["logprobs"]) = (value, tokens);
        place
    };
    let streamed = bytes_of(&[
        event("response.output_text.delta", &with("delta", "found".into(), json!([token("found")]))),
        event("response.output_text.delta", &with("delta", " it".into(), json!([token(" it")]))),
        event("response.completed", &json!({"response": response})),
    ]);
    let request = json!({"model": "m", "input": "hi", "stream": true, "tools": [{"type": "function", "name": "f"}]});
    let body = request.to_string();
    let exchange =
        crate::Exchange::read(Protocol::Responses, Protocol::Responses, body.as_bytes(), &Default::default());
    let exchange = exchange.unwrap();
    let whole = exchange.turn(1, 1).whole(response.to_string().as_bytes()).unwrap();
    assert_eq!(toolglot_json::from_slice(&whole).unwrap()["output"][0]["content"][0], part);
    let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
    turn.push(&streamed, &mut out);
    let events = events_of(&out);
    assert_eq!(super::accumulate::openai(&events)["output"][0]["content"][0], part);
    let deltas = events.iter().filter(|event| event["type"] == "response.output_text.delta");
    let tokens: Vec<Value> = deltas.flat_map(|event| event["logprobs"].as_array().unwrap().clone()).collect();
    assert_eq!(Value::from(tokens), part["logprobs"]);
}
