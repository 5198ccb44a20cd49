//! Requests as the model server gets them.

use toolglot_json::{Value, json};
use toolglot_wire::{EngineKind, Exchange, Fault, FaultKind, Policy, Protocol};

use crate::script::{exchange, request};

fn sent(request: &Value, engine: EngineKind) -> Value {
    let body = exchange(request, &Policy::default().with_engine(engine)).upstream_body();
    serde_json::from_slice(&body).unwrap()
}

/// What becomes of one earlier message.
fn turned(message: Value) -> Value {
    sent(&request(json!({"messages": [message]})), EngineKind::Generic)["messages"][0].clone()
}

fn call(arguments: Value) -> Value {
    json!({"role": "assistant", "content": null, "tool_calls": [
        {"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": arguments}}]})
}

#[test]
fn a_good_request_goes_on_as_it_is() {
    let wish = request(json!({"temperature": 0.1, "grammar": "x", "messages": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,"}}]},
        call(json!("{\"city\":  \"Paris\", \"n\": 1e999}")),
        {"role": "tool", "tool_call_id": "a", "content": "rain"}]}));
    let body = exchange(&wish, &Policy::default()).upstream_body();
    assert_eq!(String::from_utf8(body).unwrap(), wish.to_string());
}

#[test]
fn bad_arguments_of_earlier_turns_become_objects() {
    for (arguments, expected) in [
        (json!(""), "{}"),
        (Value::Null, "{}"),
        (json!({"city": "Paris"}), r#"{"city":"Paris"}"#),
        (json!("{'city': 'Paris',}"), r#"{"city": "Paris"}"#),
        (json!("no idea"), r#"{"raw":"no idea"}"#),
        (json!("{\"city\": \"Par"), r#"{"raw":"{\"city\": \"Par"}"#),
        (json!("[1, 2]"), r#"{"raw":"[1, 2]"}"#),
        (json!([]), "{}"),
    ] {
        let found = turned(call(arguments.clone()))["tool_calls"][0]["function"]["arguments"].clone();
        assert_eq!(found, expected, "{arguments}");
    }
    let mut without = call(Value::Null);
    without["tool_calls"][0]["function"].as_object_mut().unwrap().remove("arguments");
    assert_eq!(turned(without)["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn calls_and_results_of_earlier_turns_are_whole() {
    let bare = json!({"role": "assistant", "tool_calls": [{"function": {"name": "get_weather", "arguments": "{}"}}]});
    let found = turned(bare)["tool_calls"][0].clone();
    assert_eq!(found["type"], "function");
    assert!(found["id"].as_str().unwrap().starts_with("call_"));
    for empty in [json!([]), Value::Null] {
        assert_eq!(turned(json!({"role": "assistant", "content": "x", "tool_calls": empty})).get("tool_calls"), None);
    }
    let parts = json!([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]);
    let image = json!([{"type": "image_url", "image_url": {"url": "data:,"}}]);
    let said = |content: &Value| json!({"role": "tool", "tool_call_id": "a", "content": content});
    for (content, expected) in
        [(parts, json!("a\nb")), (Value::Null, json!("")), (json!("x"), json!("x")), (image.clone(), image.clone())]
    {
        let messages = json!([call(json!("{}")), said(&content)]);
        let found = sent(&request(json!({"messages": messages})), EngineKind::Generic)["messages"][1].clone();
        assert_eq!(found, said(&expected));
    }
    // Strict servers refuse a result whose call is not there.
    let words = "The result of a call that is not part of this conversation:";
    for (content, expected) in [
        (json!("x"), json!(format!("{words}\nx"))),
        (image.clone(), json!([{"type": "text", "text": words}, image[0]])),
    ] {
        assert_eq!(turned(said(&content)), json!({"role": "user", "content": expected}));
    }
}

#[test]
fn functions_become_tools() {
    let wish = json!({"model": "m", "functions": [{"name": "ls", "parameters": {"type": "object"}}],
        "function_call": {"name": "ls"}, "messages": [
            {"role": "assistant", "content": null, "function_call": {"name": "ls", "arguments": "{}"}},
            {"role": "function", "name": "ls", "content": "a.txt"}]});
    let body = sent(&wish, EngineKind::Generic);
    assert_eq!(
        body["tools"][0],
        json!({"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}})
    );
    assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "ls"}}));
    assert!(body.get("functions").is_none() && body.get("function_call").is_none());
    let [call, result] = &body["messages"].as_array().unwrap()[..] else { panic!("{body}") };
    assert_eq!((&call["tool_calls"][0]["id"], result["role"].as_str()), (&result["tool_call_id"], Some("tool")));
    assert!(call.get("function_call").is_none());
}

#[test]
fn engines_get_what_they_need() {
    let body = sent(&request(json!({})), EngineKind::Vllm);
    assert_eq!((&body["skip_special_tokens"], &body["spaces_between_special_tokens"]), (&json!(false), &json!(false)));
    let body = sent(&request(json!({})), EngineKind::LlamaCpp);
    assert_eq!((&body["parse_tool_calls"], &body["reasoning_format"]), (&json!(false), &json!("none")));
    assert_eq!(sent(&request(json!({})), EngineKind::Generic), request(json!({})));
    let forced = Policy::default().with_engine(EngineKind::Vllm).with_forced(true);
    let body =
        exchange(&json!({"model": "m", "tools": [], "tool_choice": "auto", "parallel_tool_calls": true}), &forced);
    let body: Value = toolglot_json::from_slice(&body.upstream_body()).unwrap();
    assert_eq!(body, json!({"model": "m", "skip_special_tokens": false, "spaces_between_special_tokens": false}));
}

#[test]
fn a_server_without_a_parser_is_asked_again() {
    let mut exchange = exchange(&request(json!({})), &Policy::default());
    let refusal = br#"{"object": "error", "message": "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", "code": 400}"#;
    let why = exchange.amend(&Fault::of_response(400, refusal)).unwrap();
    let body: Value = toolglot_json::from_slice(&exchange.upstream_body()).unwrap();
    assert_eq!((&body["tool_choice"], why), (&json!("none"), "the server has no tool parser"));
    assert!(exchange.amend(&Fault::new(FaultKind::Request, "too long")).is_none());
}

/// One refusal after the other, each once.
#[test]
fn what_a_server_does_not_know_is_left_out() {
    let mut asked = request(json!({"parallel_tool_calls": true,
        "tool_choice": {"type": "function", "function": {"name": "ls"}}}));
    asked["tools"] = json!([
        {"type": "function", "function": {"name": "ls", "strict": true}},
        {"type": "function", "function": {"name": "rm"}},
    ]);
    asked["messages"] = json!([
        {"role": "user", "content": "a"}, {"role": "system", "content": "b"},
        {"role": "assistant", "tool_calls": [
            {"id": "call_1", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "call_1", "content": "x"},
    ]);
    let mut exchange = exchange(&asked, &Policy::default());
    for refusal in [
        "Unsupported parameter: parallel_tool_calls",
        "Extra inputs are not permitted: tools.0.function.strict",
        "Invalid tool_choice type: 'object'. Supported string values: none, auto, required",
        "Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.",
        "System message must be at the beginning.",
    ] {
        let fault = Fault::new(FaultKind::Request, refusal);
        assert!(exchange.amend(&fault).is_some(), "{refusal}");
        assert_eq!(exchange.amend(&fault), None, "{refusal}");
    }
    let body: Value = toolglot_json::from_slice(&exchange.upstream_body()).unwrap();
    assert_eq!(body["tools"], json!([{"type": "function", "function": {"name": "ls"}}]));
    assert_eq!((&body["tool_choice"], body.get("parallel_tool_calls")), (&json!("required"), None));
    let messages = &body["messages"];
    assert_eq!(messages[0], json!({"role": "user", "content": "a\n\nFurther instructions:\n\nb"}));
    assert_eq!(messages[1]["tool_calls"][0]["id"].as_str().map(str::len), Some(9));
    assert_eq!(messages[2]["tool_call_id"], messages[1]["tool_calls"][0]["id"]);
}

#[test]
fn tools_with_free_text_become_functions_where_nothing_else_is_known() {
    let wish = json!({"model": "m", "tools": [{"type": "custom", "custom": {"name": "run", "description": "Runs."}}],
        "tool_choice": {"type": "custom", "custom": {"name": "run"}}, "messages": [
            {"role": "assistant", "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "run", "input": "x\"y"}}]},
            {"role": "tool", "tool_call_id": "a", "content": "ok"}]});
    let body = sent(&wish, EngineKind::Vllm);
    assert_eq!(body["tools"][0]["function"]["parameters"]["required"], json!(["input"]));
    assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "run"}}));
    let call = &body["messages"][0]["tool_calls"][0];
    assert_eq!(call["function"], json!({"name": "run", "arguments": "{\"input\":\"x\\\"y\"}"}));
    assert_eq!((&call["type"], call.get("custom")), (&json!("function"), None));
    assert_eq!(sent(&wish, EngineKind::Generic), wish);
}

#[test]
fn a_choice_among_tools_leaves_only_those() {
    let choice = json!({"type": "allowed_tools", "allowed_tools": {"mode": "required",
        "tools": [{"type": "function", "function": {"name": "get_time"}}]}});
    let body = sent(&request(json!({"tool_choice": choice})), EngineKind::Generic);
    assert_eq!((body["tools"].as_array().unwrap().len(), &body["tool_choice"]), (1, &json!("required")));
    assert_eq!(body["tools"][0]["function"]["name"], "get_time");
}

#[test]
fn what_is_no_request_is_a_fault() {
    let read = |body: &str, policy: &Policy| {
        Exchange::read(Protocol::Chat, Protocol::Chat, body.as_bytes(), policy).unwrap_err()
    };
    assert_eq!(read("{", &Policy::default()).kind, FaultKind::Request);
    assert_eq!(read("[]", &Policy::default()).status, 400);
    let small = Policy::default().with_limits(toolglot_wire::WireLimits::default().with_body(3));
    assert_eq!(read("{\"a\": 1}", &small).code.as_deref(), Some("body_too_large"));
}

#[test]
fn calls_and_results_of_earlier_turns_stand_together() {
    let calls = |ids: &[&str]| {
        let call = |id: &&str| json!({"id": id, "type": "function", "function": {"name": "ls", "arguments": "{}"}});
        json!({"role": "assistant", "content": null, "tool_calls": ids.iter().map(call).collect::<Vec<_>>()})
    };
    let result = |id: &str, text: &str| json!({"role": "tool", "tool_call_id": id, "content": text});
    let none = |id: &str| result(id, "No result: the call was not executed.");
    let user = |text: &str| json!({"role": "user", "content": text});
    let nameless = json!({"role": "tool", "content": "x"});
    for (messages, expected) in [
        (json!([calls(&["a"])]), json!([calls(&["a"]), none("a")])),
        (
            json!([calls(&["a", "b"]), result("b", "x"), user("go on")]),
            json!([calls(&["a", "b"]), none("a"), result("b", "x"), user("go on")]),
        ),
        (
            json!([calls(&["a"]), user("wait"), result("a", "x"), user("go on")]),
            json!([calls(&["a"]), result("a", "x"), user("wait\n\ngo on")]),
        ),
        (
            json!([calls(&["a"]), calls(&["a"]), result("a", "x")]),
            json!([calls(&["a"]), none("a"), calls(&["a"]), result("a", "x")]),
        ),
        (json!([calls(&["a"]), nameless]), json!([calls(&["a"]), result("a", "x")])),
    ] {
        let found = sent(&request(json!({"messages": messages})), EngineKind::Generic)["messages"].clone();
        let found: Vec<_> = found.as_array().unwrap().iter().map(plain).collect();
        let expected: Vec<_> = expected.as_array().unwrap().iter().map(plain).collect();
        assert_eq!(found, expected);
    }
}

/// A message in one line, whatever the order of its fields.
fn plain(message: &Value) -> String {
    let ids = message["tool_calls"].as_array().into_iter().flatten().map(|call| call["id"].to_string());
    let ids: String = ids.collect();
    format!("{} {} {} {ids}", message["role"], message["tool_call_id"], message["content"])
}

#[test]
fn numbers_keep_their_digits_in_a_request_that_is_written_anew() {
    let numbers = "[123456789012345678901234567890, 1e+400, 0.1000000000000000055, -0.0, 1e+2]";
    let body = format!(
        r#"{{"model":"m","logit_bias":{numbers},"functions":[{{"name":"f","parameters":{{"enum":{numbers}}}}}],"messages":[]}}"#
    );
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, body.as_bytes(), &Policy::default()).unwrap();
    let sent = String::from_utf8(exchange.upstream_body()).unwrap();
    assert!(sent.contains("\"tools\""), "{sent}");
    let numbers = numbers.replace(' ', "");
    assert_eq!(sent.matches(&numbers).count(), 2, "{sent}");
}

/// What a history holds that servers refuse: turns of one role, calls without a name or with an illegal one, values for text.
#[test]
fn what_servers_refuse_in_a_history_is_put_right() {
    let calls = json!([
        {"id": "a", "type": "function", "function": {"name": "", "arguments": "{}"}},
        {"id": "b", "type": "function", "function": {"name": "web.search", "arguments": {"q": "x"}}},
    ]);
    let messages = json!([
        {"role": "system", "content": "one"}, {"role": "system", "content": "two"},
        {"role": "user", "content": "first"}, {"role": "user", "content": [{"type": "text", "text": "second"}]},
        {"role": "assistant", "content": null, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "b", "content": {"found": 1}},
        {"role": "tool", "tool_call_id": "a", "content": "error"},
        {"role": "user", "content": "on"},
    ]);
    let found = sent(&request(json!({"messages": messages})), EngineKind::Generic)["messages"].clone();
    let text = |text: &str| json!({"type": "text", "text": text});
    let orphan = "The result of a call that is not part of this conversation:\nerror\n\non";
    assert_eq!(
        found,
        json!([
            {"role": "system", "content": "one\n\ntwo"},
            {"role": "user", "content": [text("first"), text("second")]},
            {"role": "assistant", "content": null, "tool_calls": [
                {"id": "b", "type": "function", "function": {"name": "web_search", "arguments": "{\"q\":\"x\"}"}},
            ]},
            {"role": "tool", "tool_call_id": "b", "content": "{\"found\":1}"},
            {"role": "user", "content": orphan},
        ])
    );
}

/// Some servers refuse what their model wrote, and quote it in the error.
#[test]
fn a_refused_call_is_read_from_the_error() {
    let tools = json!([{"type": "function", "function": {"name": "ls", "parameters": {"properties": {"path": {"type": "string"}}}}}]);
    let groq = json!({"error": {"message": "Failed to call a function.", "code": "tool_use_failed",
        "failed_generation": "<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>"}});
    let ollama =
        json!({"error": {"message": "error parsing tool call: raw='{\"path\": \"a\",}', err=invalid character '}'"}});
    let words = json!({"error": {"message": "no", "failed_generation": "I cannot do that."}});
    for stream in [false, true] {
        let exchange = exchange(&request(json!({"tools": tools, "stream": stream})), &Policy::default());
        for refusal in [&groq, &ollama] {
            let answer = exchange.answer_of_refusal(refusal.to_string().as_bytes()).unwrap();
            let (mut turn, mut out) = (exchange.turn(1, 0), Vec::new());
            if stream {
                turn.push(&answer, &mut out);
                turn.finish(toolglot_wire::TurnEnd::Over, &mut out);
            } else {
                out = turn.whole(&answer).unwrap();
            }
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains(r#""name":"ls""#) && text.contains("tool_calls"), "{refusal}: {text}");
            assert!(!text.contains("tool_call>"), "{text}");
        }
        assert_eq!(exchange.answer_of_refusal(words.to_string().as_bytes()), None);
    }
}
