//! Requests as chat requests, and as requests that stay what they are.

use toolglot_json::{Value, json};

use super::object;
use crate::fault::Fault;
use crate::policy::Policy;
use crate::protocol::Protocol;
use crate::responses::request::to_chat;

fn chat(request: &Value) -> Value {
    Value::Object(to_chat(&object(request), &mut Vec::new()).unwrap())
}

fn messages(input: &Value) -> Value {
    chat(&json!({"input": input}))["messages"].clone()
}

fn fault(request: &Value) -> Fault {
    to_chat(&object(request), &mut Vec::new()).unwrap_err()
}

/// Returns what is sent to a server that speaks Responses itself.
fn sent(request: &Value) -> Value {
    let body = request.to_string();
    let exchange = crate::Exchange::read(Protocol::Responses, Protocol::Responses, body.as_bytes(), &Policy::default());
    serde_json::from_slice(&exchange.unwrap().upstream_body()).unwrap()
}

/// What a coding agent sends in the middle of its work.
fn agents_request() -> Value {
    json!({
        "model": "m",
        "instructions": "You are an agent.",
        "input": [
            {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "Sandbox: none."}, {"type": "input_text", "text": "Skills: few."}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "list files"}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "I shall list."}], "content": null,
                "encrypted_content": null},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Listing."}]},
            {"type": "function_call", "id": "fc_1", "name": "shell", "arguments": "{\"cmd\":\"ls\"}", "call_id": "call_1"},
            {"type": "function_call", "id": "fc_2", "name": "look", "namespace": "mcp__eyes", "arguments": "{}",
                "call_id": "call_2"},
            {"type": "custom_tool_call", "id": "ctc_1", "name": "apply_patch", "input": "*** Begin", "call_id": "call_3"},
            {"type": "function_call_output", "id": "fco_1", "call_id": "call_1", "output": "a.txt"},
            {"type": "function_call_output", "call_id": "call_2", "output": [
                {"type": "input_text", "text": "seen"}, {"type": "input_image", "image_url": "data:image/png;base64,AA"}]},
            {"type": "custom_tool_call_output", "call_id": "call_3", "output": "done"},
        ],
        "tools": [
            {"type": "function", "name": "shell", "description": "runs", "strict": false,
                "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}}},
            {"type": "custom", "name": "apply_patch", "description": "patches",
                "format": {"type": "grammar", "syntax": "lark", "definition": "start: x"}},
            {"type": "namespace", "name": "mcp__eyes", "description": "sees", "tools": [
                {"type": "function", "name": "look", "parameters": {"type": "object"}}]},
            {"type": "web_search", "external_web_access": false},
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": true,
        "reasoning": {"effort": "high", "summary": "auto"},
        "store": false,
        "stream": true,
        "include": ["reasoning.encrypted_content"],
        "prompt_cache_key": "k",
        "text": {"verbosity": "low"},
        "client_metadata": {"x": "y"},
        "max_output_tokens": 99,
        "chat_template_kwargs": {"thinking": true},
    })
}

/// The same for a chat server.
fn agents_chat() -> Value {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    json!({
        "model": "m",
        "messages": [
            {"role": "system", "content": "You are an agent.\n\nSandbox: none.\n\nSkills: few."},
            {"role": "user", "content": "list files"},
            {"role": "assistant", "content": "Listing.", "reasoning_content": "I shall list.", "tool_calls": [
                call("call_1", "shell", "{\"cmd\":\"ls\"}"),
                call("call_2", "mcp__eyes__look", "{}"),
                {"id": "call_3", "type": "custom", "custom": {"name": "apply_patch", "input": "*** Begin"}},
            ]},
            {"role": "tool", "tool_call_id": "call_1", "content": "a.txt"},
            {"role": "tool", "tool_call_id": "call_2", "content": "seen\n[image]"},
            {"role": "tool", "tool_call_id": "call_3", "content": "done"},
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}]},
        ],
        "reasoning_effort": "high",
        "stream": true,
        "verbosity": "low",
        "max_tokens": 99,
        "chat_template_kwargs": {"thinking": true},
        "tools": [
            {"type": "function", "function": {"name": "shell", "description": "runs", "strict": false,
                "parameters": {"type": "object", "properties": {"cmd": {"type": "string"}}}}},
            {"type": "custom", "custom": {"name": "apply_patch", "description": "patches",
                "format": {"type": "grammar", "grammar": {"syntax": "lark", "definition": "start: x"}}}},
            {"type": "function", "function": {"name": "mcp__eyes__look", "parameters": {"type": "object"}}},
        ],
        "tool_choice": "auto",
        "parallel_tool_calls": true,
    })
}

#[test]
fn an_agents_request_becomes_a_chat_request() {
    let mut notes = Vec::new();
    let chat = Value::Object(to_chat(&object(&agents_request()), &mut notes).unwrap());
    assert_eq!(notes, ["tool of type `web_search` omitted: only its vendor's server can run it"]);
    assert_eq!(chat, agents_chat());
}

#[test]
fn what_the_model_said_between_two_inputs_is_one_message() {
    let said = |text: &str| json!({"role": "assistant", "content": text});
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
    let chat_call = |id: &str| json!({"id": id, "type": "function", "function": {"name": "f", "arguments": "{}"}});
    let output = |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "o"});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "o"});
    let turns = |parts: &[Value]| messages(&parts.to_vec().into());
    assert_eq!(
        turns(&[call("a"), output("a"), call("b"), output("b")]),
        json!([
            {"role": "assistant", "content": null, "tool_calls": [chat_call("a")]}, result("a"),
            {"role": "assistant", "content": null, "tool_calls": [chat_call("b")]}, result("b"),
        ])
    );
    assert_eq!(
        turns(&[said("one"), call("a"), said("two "), said("three"), output("a")]),
        json!([
            {"role": "assistant", "content": "one\ntwo three", "tool_calls": [chat_call("a")]}, result("a"),
        ])
    );
    let refused = json!({"role": "assistant", "content": [{"type": "refusal", "refusal": "no"}]});
    assert_eq!(turns(&[refused]), json!([{"role": "assistant", "content": "", "refusal": "no"}]));
    let raw = json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": "short"}],
        "content": [{"type": "reasoning_text", "text": "long"}]});
    assert_eq!(turns(&[raw]), json!([{"role": "assistant", "content": "", "reasoning_content": "long"}]));
    let sealed = json!({"type": "reasoning", "summary": [], "encrypted_content": "x"});
    assert_eq!(turns(&[sealed, said("hi")]), json!([said("hi")]));
}

#[test]
fn parts_survive() {
    let content = json!([
        {"type": "input_text", "text": "see"},
        {"type": "input_image", "image_url": "u", "detail": "low", "file_id": null},
        {"type": "input_image", "file_id": "f"},
        {"type": "input_file", "file_data": "d", "filename": "n"},
        {"type": "input_file", "file_url": "u", "filename": "n"},
        {"type": "input_audio", "input_audio": {"data": "d", "format": "wav"}},
        {"type": "hologram"},
    ]);
    let mut notes = Vec::new();
    let request = object(&json!({"input": [{"role": "user", "content": content}]}));
    assert_eq!(
        to_chat(&request, &mut notes).unwrap()["messages"][0]["content"],
        json!([
            {"type": "text", "text": "see"},
            {"type": "image_url", "image_url": {"detail": "low", "url": "u"}},
            {"type": "file", "file": {"file_id": "f"}},
            {"type": "file", "file": {"file_data": "d", "filename": "n"}},
            {"type": "text", "text": "n\nu"},
            {"type": "input_audio", "input_audio": {"data": "d", "format": "wav"}},
        ])
    );
    assert_eq!(notes, ["part of type `hologram` omitted: chat completions have no equivalent"]);
    assert_eq!(messages(&json!("hi")), json!([{"role": "user", "content": "hi"}]));
    let output = json!({"type": "function_call_output", "call_id": "a", "output": {"x": 1}});
    assert_eq!(messages(&json!([output]))[0]["content"], json!("{\"x\":1}"));
}

#[test]
fn what_a_result_shows_stands_before_what_the_user_says() {
    let image = json!({"type": "input_image", "image_url": "u"});
    let input = json!([{"type": "function_call_output", "call_id": "a", "output": [image]}, {"role": "user", "content": "so?"}]);
    assert_eq!(
        messages(&input),
        json!([{"role": "tool", "tool_call_id": "a", "content": "[image]"}, {"role": "user", "content": [
            {"type": "image_url", "image_url": {"url": "u"}}, {"type": "text", "text": "so?"}]}])
    );
}

#[test]
fn later_instructions_are_no_second_system_message() {
    let developer = |text: &str| json!({"type": "message", "role": "developer", "content": text});
    let user = json!({"role": "user", "content": "hi"});
    assert_eq!(
        messages(&json!([developer("a"), user, developer("b")])),
        json!([{"role": "system", "content": "a"}, user,
            {"role": "user", "content": "Further instructions:\n\nb"}])
    );
}

#[test]
fn every_form_of_tool_choice_is_read() {
    let with = |choice: Value| {
        chat(&json!({"input": "", "tool_choice": choice, "parallel_tool_calls": false, "tools": [
            {"type": "function", "name": "a"}, {"type": "custom", "name": "b"},
            {"type": "namespace", "name": "n", "tools": [{"type": "function", "name": "a"}]},
        ]}))
    };
    let names = |chat: &Value| {
        let name = |tool: &Value| tool[tool["type"].as_str().unwrap()]["name"].as_str().unwrap().to_owned();
        chat["tools"].as_array().unwrap().iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(names(&with(json!("none"))), ["a", "b", "n__a"]);
    for (choice, expected) in [
        (json!("none"), json!("none")),
        (json!("required"), json!("required")),
        (json!({"type": "function", "name": "a"}), json!({"type": "function", "function": {"name": "a"}})),
        (json!({"type": "custom", "name": "b"}), json!({"type": "custom", "custom": {"name": "b"}})),
        (
            json!({"type": "function", "name": "a", "namespace": "n"}),
            json!({"type": "function", "function": {"name": "n__a"}}),
        ),
        (json!({"type": "web_search"}), Value::Null),
        (
            json!({"type": "allowed_tools", "mode": "required", "tools": [{"type": "function", "name": "a"}]}),
            json!("required"),
        ),
    ] {
        assert_eq!(with(choice.clone())["tool_choice"], expected, "{choice}");
    }
    let allowed = with(json!({"type": "allowed_tools", "mode": "auto", "tools": [{"type": "custom", "name": "b"}]}));
    assert_eq!((names(&allowed), &allowed["tool_choice"]), (vec!["b".to_owned()], &json!("auto")));
    assert_eq!(allowed["parallel_tool_calls"], false);
    let nothing = chat(&json!({"input": "", "tools": [{"type": "web_search"}], "tool_choice": "auto",
        "parallel_tool_calls": true}));
    assert_eq!(nothing, json!({"messages": [{"role": "user", "content": ""}]}));
}

#[test]
fn names_that_chat_does_not_allow_are_shortened_and_found_again() {
    let long = "x".repeat(70);
    let tools = json!([{"type": "namespace", "name": long, "tools": [{"type": "function", "name": "go"}]},
        {"type": "namespace", "name": "a b", "tools": [{"type": "function", "name": "go"}]}]);
    let call = json!({"type": "function_call", "call_id": "c", "name": "go", "namespace": long, "arguments": "{}"});
    let chat = chat(&json!({"input": [call], "tools": tools}));
    let name = chat["tools"][0]["function"]["name"].as_str().unwrap();
    assert!(name.len() <= 64 && name.contains("go_"), "{name}");
    assert_eq!(chat["messages"][0]["tool_calls"][0]["function"]["name"], name);
    assert!(chat["tools"][1]["function"]["name"].as_str().unwrap().starts_with("a_b__go_"));
}

#[test]
fn formats_become_response_formats() {
    let format = |format: Value| chat(&json!({"input": "", "text": {"format": format}}))["response_format"].clone();
    assert_eq!(format(json!({"type": "text"})), Value::Null);
    assert_eq!(format(json!({"type": "json_object"})), json!({"type": "json_object"}));
    assert_eq!(
        format(json!({"type": "json_schema", "name": "n", "strict": true, "schema": {"type": "object"}})),
        json!({"type": "json_schema", "json_schema": {"name": "n", "strict": true, "schema": {"type": "object"}}})
    );
}

#[test]
fn what_needs_memory_is_refused() {
    for (request, param, word) in [
        (json!({"input": "", "previous_response_id": "resp_1"}), "previous_response_id", "whole conversation"),
        (json!({"input": "", "conversation": {"id": "c"}}), "conversation", "whole conversation"),
        (json!({"prompt": {"id": "p"}}), "prompt", "whole conversation"),
        (json!({"input": "", "background": true}), "background", "remove it"),
        (json!({"input": [{"type": "item_reference", "id": "rs_1"}]}), "input", "`rs_1` refers to an item"),
        (json!({"model": "m"}), "input", "missing `input`"),
    ] {
        let fault = fault(&request);
        assert_eq!((fault.status, fault.param.as_deref()), (400, Some(param)), "{request}");
        assert!(fault.message.contains(word), "{}", fault.message);
        let code = if word.contains("missing") { "missing_required_parameter" } else { "unsupported_parameter" };
        assert_eq!(fault.code.as_deref(), Some(code), "{request}");
    }
    chat(&json!({"input": "", "previous_response_id": null, "background": false}));
}

#[test]
fn a_request_that_stays_a_responses_request_keeps_all_but_broken_arguments() {
    let request = |arguments: [Value; 3]| {
        let call =
            |arguments: Value| json!({"type": "function_call", "call_id": "c", "name": "f", "arguments": arguments});
        let mut items: Vec<Value> = arguments.into_iter().map(call).collect();
        items.push(json!({"type": "function_call_output", "call_id": "c", "output": "ok"}));
        json!({"model": "m", "previous_response_id": "resp_1", "stream": true, "input": items, "odd": [1],
            "tools": [{"type": "function", "name": "f", "parameters": {"type": "object"}}, {"type": "web_search"}]})
    };
    let sent = sent(&request([json!("{ \"a\": 1 }"), json!("{'a': 1}"), json!({"a": 1})]));
    assert_eq!(sent, request([json!("{ \"a\": 1 }"), json!("{\"a\": 1}"), json!("{\"a\":1}")]));
}

#[test]
fn calls_without_results_get_one_for_the_same_protocol() {
    let call = |id: &str| json!({"type": "function_call", "call_id": id, "name": "f", "arguments": "{}"});
    let output = |id: &str, text: &str| json!({"type": "function_call_output", "call_id": id, "output": text});
    let none = |id: &str| output(id, "No result: the call was not executed.");
    let free = json!({"type": "custom_tool_call", "call_id": "d", "name": "f", "input": "x"});
    let nothing = "No result: the call was not executed.";
    for (items, expected) in [
        (json!([call("a"), call("b"), output("b", "x")]), json!([call("a"), call("b"), none("a"), output("b", "x")])),
        (
            json!([free, {"role": "user", "content": "go on"}]),
            json!([free, {"type": "custom_tool_call_output", "call_id": "d", "output": nothing},
                {"role": "user", "content": "go on"}]),
        ),
        (
            json!([output("z", "x"), call("a"), output("a", "y")]),
            json!([{"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "The result of a call that is not part of this conversation:"},
                {"type": "input_text", "text": "x"}]}, call("a"), output("a", "y")]),
        ),
        (
            json!([call("a"), {"type": "item_reference", "id": "fco_1"}]),
            json!([call("a"), {"type": "item_reference", "id": "fco_1"}]),
        ),
    ] {
        let tools = json!([{"type": "function", "name": "f", "parameters": {"type": "object"}}]);
        assert_eq!(sent(&json!({"model": "m", "input": items, "tools": tools}))["input"], expected);
    }
}

#[test]
fn a_name_that_is_taken_is_no_second_tool_of_that_name() {
    let tool = |name: &str, what: &str| json!({"type": "function", "name": name, "description": what});
    let inner = |name: &str| json!({"type": "namespace", "name": "a", "tools": [tool(name, "inner")]});
    let request =
        json!({"input": "", "tools": [tool("ls", "first"), tool("ls", "second"), tool("a__go", "outer"), inner("go")]});
    let mut notes = Vec::new();
    let chat = Value::Object(to_chat(&object(&request), &mut notes).unwrap());
    assert_eq!(notes, ["tool `ls` omitted: it is declared twice"]);
    let said = |tool: &Value| (tool["function"]["name"].to_string(), tool["function"]["description"].to_string());
    let [(ls, first), (outer, _), (go, what)] = [0, 1, 2].map(|at| said(&chat["tools"][at]));
    assert_eq!(
        (ls.as_str(), first.as_str(), outer.as_str(), what.as_str()),
        ("\"ls\"", "\"first\"", "\"a__go\"", "\"inner\"")
    );
    assert!(go.starts_with("\"a__go") && go != outer, "{go}");
}

#[test]
fn parts_of_an_answer_that_chat_has_no_word_for_are_noted() {
    let content = json!([{"type": "output_text", "text": "a"}, {"type": "output_audio", "data": "x"}]);
    let input = json!([{"role": "assistant", "content": content},
        {"type": "mystery"}, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c"}]);
    let mut notes = Vec::new();
    let chat = Value::Object(to_chat(&object(&json!({"input": input})), &mut notes).unwrap());
    assert_eq!(
        notes,
        [
            "part of type `output_audio` omitted from an answer",
            "item of type `mystery` omitted: chat completions have no equivalent"
        ]
    );
    assert_eq!(chat["messages"][0]["content"], "a");
    assert_eq!(chat["messages"][1], json!({"role": "tool", "tool_call_id": "c", "content": ""}));
}

#[test]
fn log_probabilities_are_asked_for_and_come() {
    let wish = json!({"model": "m", "input": "", "top_logprobs": 2, "include": ["message.output_text.logprobs"]});
    let asked = chat(&wish);
    assert_eq!((&asked["logprobs"], &asked["top_logprobs"]), (&json!(true), &json!(2)));
    assert_eq!(chat(&json!({"input": "", "top_logprobs": 0, "include": ["x"]})).get("logprobs"), None);
    let body = wish.to_string();
    let exchange =
        crate::Exchange::read(Protocol::Responses, Protocol::Chat, body.as_bytes(), &Policy::default()).unwrap();
    let tokens = json!([{"token": "H", "logprob": -1.5}, {"token": "i", "logprob": -2.5}]);
    let answer = json!({"choices": [{"index": 0, "message": {"content": "Hi"}, "logprobs": {"content": tokens}, "finish_reason": "stop"}]});
    let whole = exchange.turn(1, 1).whole(answer.to_string().as_bytes()).unwrap();
    let whole: Value = toolglot_json::from_slice(&whole).unwrap();
    assert_eq!(whole["output"][0]["content"][0]["logprobs"], tokens);
}
