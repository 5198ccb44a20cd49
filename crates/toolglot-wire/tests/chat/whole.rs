//! Answers that are not streamed.

use toolglot_json::{Value, json};
use toolglot_wire::{EngineKind, Exchange, Fault, Policy, Protocol};

use crate::script::{exchange, request};

const CALL: &str = "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}</tool_call>";

fn body(message: Value, finish: &str) -> Value {
    json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}})
}

fn turned(request: &Value, body: &str) -> Result<Value, Fault> {
    let out = exchange(request, &Policy::default()).turn(1, 1000).whole(body.as_bytes())?;
    Ok(serde_json::from_slice(&out).unwrap())
}

#[test]
fn a_call_is_right_whatever_its_form_was() {
    let function = json!({"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"});
    let object = json!({"name": "get_weather", "arguments": {"city": "Paris"}});
    for message in [
        json!({"role": "assistant", "content": null, "tool_calls": [{"id": "call_a", "type": "function", "function": function}]}),
        json!({"content": null, "tool_calls": [{"id": "call_a", "index": 3, "function": object}]}),
        json!({"tool_calls": [{"id": "call_a", "function": {"name": "get_weather", "arguments": "{'city': 'Paris'}"}}]}),
    ] {
        for finish in ["tool_calls", "stop", ""] {
            let out = turned(&request(json!({})), &body(message.clone(), finish).to_string()).unwrap();
            let choice = &out["choices"][0];
            assert_eq!((choice["finish_reason"].as_str(), &choice["index"]), (Some("tool_calls"), &json!(0)));
            let call = &choice["message"]["tool_calls"][0];
            assert_eq!((&call["id"], &call["type"]), (&json!("call_a"), &json!("function")));
            let arguments: Value = toolglot_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
            assert_eq!(arguments, json!({"city": "Paris"}));
            assert_eq!(
                (&choice["message"]["role"], &choice["message"]["content"]),
                (&json!("assistant"), &Value::Null)
            );
            assert_eq!(out["usage"]["total_tokens"], 7);
        }
    }
}

#[test]
fn a_message_without_calls_stays_without() {
    for extra in [json!({}), json!({"tool_calls": null}), json!({"tool_calls": []})] {
        let mut message = json!({"role": "assistant", "content": "Hi", "reasoning": "hm", "annotations": [1]});
        message.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let mut whole = body(message, "stop");
        whole["choices"][0]["logprobs"] = json!({"content": [{"token": "H"}, {"token": "i"}]});
        whole["choices"][0]["stop_reason"] = json!(7);
        whole["system_fingerprint"] = json!("fp");
        let out = turned(&request(json!({})), &whole.to_string()).unwrap();
        let message = json!({"role": "assistant", "content": "Hi", "refusal": null, "reasoning_content": "hm", "annotations": [1]});
        whole["choices"][0]["message"] = message;
        assert_eq!(out, whole);
    }
}

#[test]
fn text_beside_a_call_keeps_its_probabilities() {
    let tokens = ["H", "i", "<tool_call>", "{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}", "</tool_call>"];
    let mut whole = body(json!({"role": "assistant", "content": tokens.concat()}), "stop");
    let content: Vec<_> = tokens.iter().map(|token| json!({"token": token, "logprob": -0.5})).collect();
    whole["choices"][0]["logprobs"] = json!({"content": content, "refusal": null});
    let out = turned(&request(json!({})), &whole.to_string()).unwrap();
    assert_eq!(out["choices"][0]["message"]["tool_calls"].as_array().map(Vec::len), Some(1));
    assert_eq!(out["choices"][0]["message"]["content"], "Hi");
    assert_eq!(out["choices"][0]["logprobs"], json!({"content": content[..2], "refusal": null}));
}

#[test]
fn text_becomes_calls_and_loses_its_probabilities() {
    let mut whole = body(json!({"role": "assistant", "content": format!("<think>hm</think>Hi{CALL}{CALL}")}), "stop");
    whole["choices"][0]["logprobs"] = json!({"content": [{"token": "H"}]});
    let out = turned(&request(json!({})), &whole.to_string()).unwrap();
    let message = &out["choices"][0]["message"];
    assert_eq!((&message["content"], &message["reasoning_content"]), (&json!("Hi"), &json!("hm")));
    assert_eq!(message["tool_calls"].as_array().unwrap().len(), 2);
    assert_ne!(message["tool_calls"][0]["id"], message["tool_calls"][1]["id"]);
    assert_eq!(out["choices"][0].get("logprobs"), None);
}

#[test]
fn a_call_that_is_cut_off_is_not_there() {
    let half = &CALL[..60];
    for (content, finish, expected, calls) in [
        (half.to_owned(), "length", "length", 0),
        (half.to_owned(), "stop", "length", 0),
        (format!("Hi{CALL}{half}"), "stop", "tool_calls", 1),
        (format!("Hi{CALL}{half}"), "length", "length", 1),
    ] {
        let whole = body(json!({"role": "assistant", "content": content}), finish);
        let out = turned(&request(json!({})), &whole.to_string()).unwrap();
        let choice = &out["choices"][0];
        let found = choice["message"]["tool_calls"].as_array().map_or(0, Vec::len);
        assert_eq!((choice["finish_reason"].as_str(), found), (Some(expected), calls), "{out}");
        assert!(!out.to_string().contains("tool_call>"), "{out}");
    }
}

#[test]
fn clients_of_functions_get_a_function_call() {
    let wish =
        json!({"model": "m", "messages": [], "functions": [{"name": "get_weather", "parameters": {"type": "object"}}]});
    let whole = body(json!({"role": "assistant", "content": CALL}), "stop").to_string();
    let out = turned(&wish, &whole).unwrap();
    let choice = &out["choices"][0];
    assert_eq!(
        choice["message"]["function_call"],
        json!({"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"})
    );
    assert_eq!(choice["finish_reason"], "function_call");
    assert_eq!(choice["message"].get("tool_calls"), None);
}

#[test]
fn what_is_no_answer_is_a_fault() {
    for (text, message) in [
        ("<html>", "is not a chat completion"),
        ("{}", "is not a chat completion"),
        (r#"{"error": {"message": "boom", "type": "server_error"}}"#, "boom"),
        (r#"{"object": "error", "message": "bad", "code": 400}"#, "bad"),
    ] {
        let fault = turned(&request(json!({})), text).unwrap_err();
        assert!(fault.message.contains(message), "{}", fault.message);
    }
}

#[test]
fn nothing_is_done_where_there_is_nothing_to_do() {
    let plain = r#"{"model":"m",  "messages": [], "stream":false}"#;
    let exchange = toolglot_wire::Exchange::read(
        toolglot_wire::Protocol::Chat,
        toolglot_wire::Protocol::Chat,
        plain.as_bytes(),
        &Policy::default().with_engine(EngineKind::Vllm),
    )
    .unwrap();
    assert!(exchange.is_relay() && !exchange.has_tools() && !exchange.is_stream());
    assert_eq!(exchange.upstream_body(), plain.as_bytes());
    assert_eq!(exchange.turn(1, 0).whole(b" {} ").unwrap(), b" {} ");
    let mut out = Vec::new();
    exchange.turn(1, 0).push(b"data: x\r\n", &mut out);
    assert_eq!(out, b"data: x\r\n");
}

/// Servers refuse an empty list of tools, and a choice among none.
#[test]
fn an_empty_list_of_tools_is_not_sent() {
    let plain = br#"{"model": "m", "messages": [], "tools": [ ], "tool_choice": "auto"}"#;
    let chat = toolglot_wire::Protocol::Chat;
    let exchange = toolglot_wire::Exchange::read(chat, chat, plain, &Policy::default()).unwrap();
    assert!(exchange.is_relay() && !exchange.is_untouched());
    assert_eq!(exchange.upstream_body(), br#"{"model":"m","messages":[]}"#);
}

#[test]
fn a_call_without_a_name_is_a_fault() {
    let nameless = |arguments: &str| {
        let call = json!({"id": "a", "type": "function", "function": {"name": null, "arguments": arguments}});
        let whole = body(json!({"role": "assistant", "content": null, "tool_calls": [call]}), "tool_calls");
        turned(&request(json!({})), &whole.to_string())
    };
    let fault = nameless("{\"city\": \"Paris\"}").unwrap_err();
    assert_eq!(fault.code.as_deref(), Some("tool_call_broken"));
    assert!(nameless("").is_ok(), "nothing at all was said");
}

/// JavaScript cuts strings between the halves of a pair, and servers cut tokens there.
#[test]
fn half_a_character_is_no_reason_to_fail() {
    let half = r#"cut \ud83c"#;
    let whole = body(json!({"role": "assistant", "content": "HALF"}), "stop").to_string().replace("HALF", half);
    let out = turned(&request(json!({})), &whole).unwrap();
    assert_eq!(out["choices"][0]["message"]["content"], "cut \u{fffd}");
    let wish = request(json!({"messages": [{"role": "user", "content": "HALF"}]})).to_string().replace("HALF", half);
    let policy = Policy::default();
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, wish.as_bytes(), &policy).unwrap();
    let sent: Value = toolglot_json::from_slice(&exchange.upstream_body()).unwrap();
    assert_eq!(sent["messages"][0]["content"], "cut \u{fffd}");
    let frame =
        format!("data: {}\n\n", r#"{"choices":[{"index":0,"delta":{"content":"HALF"}}]}"#.replace("HALF", half));
    let mut out = Vec::new();
    exchange.turn(1, 1).push(frame.as_bytes(), &mut out);
    assert!(String::from_utf8(out).unwrap().contains("cut \u{fffd}"));
}
