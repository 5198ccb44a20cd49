//! What clients get for calls, reasoning and limits that chat servers send, natively or as text.

use toolglot_json::{Value, json};

use super::{accumulate, all_said, client, events_of, write};
use crate::policy::{Policy, ReasoningItem};
use crate::protocol::Protocol;
use crate::response_event::{Finish, Part, ResponseEvent, ResponseStart, Usage};
use crate::{Exchange, FaultKind, TurnEnd};

/// Returns the response that a client ends up with when a chat server sends these deltas.
fn answer(tools: &Value, deltas: &[Value], finish: &str) -> (Value, accumulate::Seen) {
    let request = json!({"model": "asked", "stream": true, "input": "hi", "tools": tools, "instructions": "be"});
    let policy = Policy::default();
    let exchange =
        Exchange::read(Protocol::Responses, Protocol::Chat, request.to_string().as_bytes(), &policy).unwrap();
    let mut turn = exchange.turn(7, 1_700_000_000);
    let mut out = Vec::new();
    let mut send = |choice: Value| {
        let chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [choice]});
        turn.push(format!("data: {chunk}\n\n").as_bytes(), &mut out);
    };
    deltas.iter().for_each(|delta| send(json!({"index": 0, "delta": delta, "finish_reason": null})));
    send(json!({"index": 0, "delta": {}, "finish_reason": finish}));
    turn.finish(TurnEnd::Over, &mut out);
    let events = events_of(&out);
    (accumulate::openai(&events), accumulate::ai_sdk(&events))
}

#[test]
fn a_call_written_as_text_becomes_an_item() {
    let tools = json!([{"type": "namespace", "name": "mcp__eyes", "tools": [{"type": "function", "name": "look",
        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}}}]}]);
    let text = "I look.\n<tool_call>\n{\"name\": \"mcp__eyes__look\", \"arguments\": {\"at\": \"sea\"}}\n</tool_call>";
    let pieces: Vec<Value> = text.split_inclusive(' ').map(|piece| json!({"content": piece})).collect();
    let (response, seen) = answer(&tools, &pieces, "stop");
    let call = &response["output"][1];
    assert_eq!(
        (&call["type"], &call["name"], &call["namespace"], &call["arguments"]),
        (&json!("function_call"), &json!("look"), &json!("mcp__eyes"), &json!("{\"at\": \"sea\"}"))
    );
    assert_eq!((seen.text.trim(), seen.calls.len(), seen.end.as_str()), ("I look.", 1, "response.completed"));
    assert_eq!(
        (&response["tools"], &response["instructions"], &response["store"]),
        (&tools, &json!("be"), &json!(false))
    );
    assert_eq!(response["model"], "m");
}

#[test]
fn white_space_between_calls_is_no_message() {
    let tools = json!([{"type": "function", "name": "look", "parameters": {"type": "object"}}]);
    let call = |at: usize| {
        json!({"tool_calls": [{"index": at, "id": format!("call_{at}"), "type": "function",
            "function": {"name": "look", "arguments": "{}"}}]})
    };
    let blank = json!({"content": "\n\n"});
    let (response, seen) =
        answer(&tools, &[call(0), blank.clone(), call(1), blank, json!({"content": "Done."})], "tool_calls");
    let kinds: Vec<&str> =
        response["output"].as_array().unwrap().iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["function_call", "function_call", "message"]);
    assert_eq!(seen.text, "\n\n\n\nDone.");
}

#[test]
fn a_call_with_free_text_comes_back_as_free_text() {
    let tools = json!([{"type": "custom", "name": "apply_patch"}]);
    let patch = "*** Begin Patch\n+\"x\"\n";
    let call = json!({"name": "apply_patch", "arguments": {"input": patch}});
    let text = json!({"content": format!("<tool_call>\n{call}\n</tool_call>")});
    let native = json!({"tool_calls": [{"index": 0, "id": "call_9", "type": "function",
        "function": {"name": "apply_patch", "arguments": json!({"input": patch}).to_string()}}]});
    for delta in [text, native] {
        let (response, seen) = answer(&tools, &[delta], "tool_calls");
        let item = &response["output"][0];
        assert_eq!((&item["type"], &item["input"]), (&json!("custom_tool_call"), &json!(patch)));
        assert!(item["id"].as_str().unwrap().starts_with("ctc_"));
        assert_eq!(seen.calls[0].1, "apply_patch");
    }
}

#[test]
fn reasoning_goes_where_the_policy_says() {
    let parts = || vec![Part::Reasoning("hm".to_owned()), Part::Text("so".to_owned())];
    for (item, summary, content) in [
        (ReasoningItem::Summary, json!([{"type": "summary_text", "text": "hm"}]), Value::Null),
        (ReasoningItem::Text, json!([]), json!([{"type": "reasoning_text", "text": "hm"}])),
    ] {
        let mut client = client(Protocol::Chat, &json!({}));
        client.reasoning_item = item;
        let response = accumulate::openai(&events_of(&write(&all_said(parts(), Finish::Stop), &client)));
        let written = &response["output"][0];
        assert_eq!((&written["summary"], written.get("content").unwrap_or(&Value::Null)), (&summary, &content));
        assert!(written["id"].as_str().unwrap().starts_with("rs_"));
        assert_eq!(response["output"][1]["content"][0]["text"], "so");
    }
}

#[test]
fn what_a_limit_cuts_says_so() {
    for (finish, reason) in [(Finish::Length, "max_output_tokens"), (Finish::ContentFilter, "content_filter")] {
        let said = all_said(vec![Part::Text("and th".to_owned())], finish);
        let response = accumulate::openai(&events_of(&write(&said, &client(Protocol::Chat, &json!({})))));
        assert_eq!(response["incomplete_details"], json!({"reason": reason}));
        assert_eq!(response["output"][0]["status"], "incomplete");
    }
    // A word that only another protocol knows cut nothing.
    let said = all_said(vec![Part::Text("x".to_owned())], Finish::Other("eos".to_owned()));
    let response = accumulate::openai(&events_of(&write(&said, &client(Protocol::Chat, &json!({})))));
    assert_eq!(response["output"][0]["status"], "completed");
}

#[test]
fn counts_are_in_this_protocols_words() {
    let own = json!({"prompt_tokens": 9, "completion_tokens": 4});
    let usage = Usage { input: 9, output: 4, cached: Some(3), reasoning: None, own };
    let said = [ResponseEvent::Begin(ResponseStart::default()), ResponseEvent::Usage(usage), ResponseEvent::End];
    let response = crate::responses::whole(&said, &client(Protocol::Chat, &json!({})));
    assert_eq!(
        response["usage"],
        json!({
            "input_tokens": 9, "input_tokens_details": {"cached_tokens": 3},
            "output_tokens": 4, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 13,
        })
    );
    assert_eq!((&response["model"], &response["created_at"]), (&json!("asked"), &json!(1_700_000_000)));
    assert!(response["id"].as_str().unwrap().starts_with("resp_"));
}

#[test]
fn a_failure_before_anything_was_said_is_told_in_a_stream_that_is_whole() {
    let fault = crate::Fault::new(FaultKind::Overloaded, "busy").with_code("529");
    let events = events_of(&write(&[ResponseEvent::Fault(fault)], &client(Protocol::Chat, &json!({}))));
    let kinds: Vec<&str> = events.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["response.created", "response.in_progress", "error", "response.failed"]);
    assert_eq!(events[3]["response"]["error"], json!({"code": "server_is_overloaded", "message": "busy"}));
    assert_eq!(events[2]["error"]["code"], "server_is_overloaded");
}

#[test]
fn a_response_that_is_not_there_yet_stays_so() {
    let queued = json!({"id": "resp_1", "status": "queued", "output": []});
    let said = super::read_whole(queued.to_string().as_bytes());
    assert_eq!(crate::responses::whole(&said, &client(Protocol::Responses, &json!({})))["status"], "queued");
}

#[test]
fn text_of_an_engine_that_breaks_its_streams_is_put_right_without_tools() {
    let request = json!({"model": "m", "stream": true, "input": "hi"}).to_string();
    let read = |engine: &str| {
        let policy = Policy::default().with_engine(engine.parse().unwrap());
        Exchange::read(Protocol::Responses, Protocol::Responses, request.as_bytes(), &policy).unwrap()
    };
    assert!(read("generic").is_relay());
    let mut turn = read("llama.cpp").turn(1, 2);
    let mut out = Vec::new();
    for event in [
        json!({"type": "response.created", "response": {"id": "resp_1", "object": "response", "status": "in_progress"}}),
        json!({"type": "response.output_text.delta", "item_id": "msg_1", "delta": "Hi"}),
        json!({"type": "response.completed", "response": {"id": "resp_1", "status": "completed", "output": [
            {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hi"}]}]}}),
    ] {
        turn.push(format!("data: {event}\n\n").as_bytes(), &mut out);
    }
    turn.finish(TurnEnd::Over, &mut out);
    assert_eq!(accumulate::openai(&events_of(&out))["output"][0]["content"][0]["text"], "Hi");
}

#[test]
fn a_call_written_as_text_by_a_responses_server_becomes_an_item() {
    let tools = json!([{"type": "function", "name": "look", "parameters": {"type": "object"}}]);
    let request =
        json!({"model": "m", "stream": true, "input": "hi", "tools": tools, "previous_response_id": "resp_0"});
    let (from, to) = (Protocol::Responses, Protocol::Responses);
    let exchange = Exchange::read(from, to, request.to_string().as_bytes(), &Policy::default()).unwrap();
    let (mut turn, mut out) = (exchange.turn(1, 2), Vec::new());
    let said = all_said(
        ["I look. <tool_", "call>{\"name\": \"look\", \"arguments\": {\"at\": 1}}</tool", "_call>"]
            .map(|piece| Part::Text(piece.to_owned()))
            .to_vec(),
        Finish::Stop,
    );
    turn.push(&write(&said, &client(Protocol::Responses, &json!({}))), &mut out);
    turn.finish(TurnEnd::Over, &mut out);
    let response = accumulate::openai(&events_of(&out));
    let kinds: Vec<&Value> = response["output"].as_array().unwrap().iter().map(|item| &item["type"]).collect();
    assert_eq!(kinds, ["message", "function_call"]);
    assert_eq!((&response["output"][1]["arguments"], &response["id"]), (&json!("{\"at\": 1}"), &json!("resp_up")));
}

#[test]
fn what_only_chat_knows_is_no_event() {
    let own = Part::Own(json!({"message": {"made_up": 1}, "choice": {"token_ids": [1]}}));
    let said = all_said(vec![Part::Text("Hi".to_owned()), own], Finish::Stop);
    let events = events_of(&write(&said, &client(Protocol::Chat, &json!({}))));
    assert!(events.iter().all(|event| event["type"].as_str().unwrap().starts_with("response.")), "{events:#?}");
}
