//! Calls that arrive where no client looks for them: in errors, envelopes, names, another call's place, or as arguments alone.

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Fault, FaultKind, Policy, Protocol};

use crate::accumulate::answer;
use crate::script::{call, chunk, delta, events, exchange, request, stream, stream_in};

/// The names and arguments of what a client gathers of a stream.
fn calls(request: &Value, chunks: &[Value]) -> Vec<(String, Value)> {
    gathered(&stream(request, &events(chunks)))
}

fn gathered(text: &str) -> Vec<(String, Value)> {
    let found = answer(text).calls;
    found.into_iter().map(|call| (call.1, serde_json::from_str(&call.2).unwrap())).collect()
}

fn named(index: u64, id: &str, name: &str) -> Value {
    call(json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}))
}

fn pieces(index: u64, text: &str) -> Vec<Value> {
    let (first, second) = text.split_at(text.len() / 2);
    [first, second].iter().map(|text| call(json!({"index": index, "function": {"arguments": text}}))).collect()
}

fn end() -> Value {
    chunk(json!({}), json!("tool_calls"))
}

#[test]
fn calls_of_one_index_share_the_arguments_behind_them() {
    let heads = || vec![named(0, "a", "get_weather"), named(0, "b", "get_time")];
    let all = |text: &str| [heads(), pieces(0, text), vec![end()]].concat();
    assert_eq!(
        calls(&request(json!({})), &all(r#"{"city": "Paris"}{"zone": "CET"}"#)),
        [("get_weather".to_owned(), json!({"city": "Paris"})), ("get_time".to_owned(), json!({"zone": "CET"}))]
    );
    // One object is the last one's: the first has none.
    assert_eq!(
        calls(&request(json!({})), &all(r#"{"zone": "CET"}"#)),
        [("get_weather".to_owned(), json!({})), ("get_time".to_owned(), json!({"zone": "CET"}))]
    );
}

#[test]
fn arguments_in_a_name_are_read() {
    let name = "get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value>";
    for arguments in ["{}", ""] {
        let chunks = [vec![named(0, "a", name)], pieces(0, arguments), vec![end()]].concat();
        assert_eq!(calls(&request(json!({})), &chunks), [("get_weather".to_owned(), json!({"city": "Paris"}))]);
    }
    // What is no tool's name stays as it is.
    let chunks = [vec![named(0, "a", "x<y")], pieces(0, "{}"), vec![end()]].concat();
    assert_eq!(calls(&request(json!({})), &chunks), [("x<y".to_owned(), json!({}))]);
}

fn forced(more: Value) -> Value {
    let mut wish = request(json!({"tool_choice": {"type": "function", "function": {"name": "get_weather"}}}));
    for (key, value) in more.as_object().unwrap() {
        wish[key] = value.clone();
    }
    wish
}

#[test]
fn arguments_alone_are_the_call_that_is_demanded() {
    let said = |pieces: &[&str], finish: &str| {
        let text = pieces.iter().map(|text| delta(json!({"content": text})));
        text.chain([chunk(json!({}), json!(finish))]).collect::<Vec<_>>()
    };
    let paris = vec![("get_weather".to_owned(), json!({"city": "Paris"}))];
    assert_eq!(calls(&forced(json!({})), &said(&["{\"ci", "ty\": \"Paris\"}"], "stop")), paris);
    let whole = |content: &str| {
        let body = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": "stop"}]});
        let out = exchange(&forced(json!({"stream": false})), &Policy::default())
            .turn(1, 0)
            .whole(body.to_string().as_bytes());
        toolglot_json::from_slice(&out.unwrap()).unwrap()["choices"][0].clone()
    };
    let choice = whole(" {\"city\": \"Paris\"}\n");
    assert_eq!(choice["message"]["tool_calls"][0]["function"]["name"], "get_weather");
    assert_eq!(choice["finish_reason"], "tool_calls");
    // What does not fit, is cut off, or is no object stays text.
    for text in ["{\"town\": \"Paris\"}", "{\"days\": \"many\"}", "{\"city\": \"Par", "It is {\"city\": \"Paris\"}"] {
        let choice = whole(text);
        assert_eq!(choice["message"]["content"], text);
        assert_eq!(choice["message"].get("tool_calls"), None, "{text}");
        assert!(calls(&forced(json!({})), &said(&[text], "stop")).is_empty(), "{text}");
    }
    assert!(calls(&forced(json!({})), &said(&["{\"city\": \"Paris\"}"], "length")).is_empty());
    // A call that is written as one is read as one.
    let written = "{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}";
    assert_eq!(calls(&forced(json!({})), &said(&[written], "stop")), paris);
    // Without the demand, JSON is text.
    assert!(calls(&request(json!({})), &said(&["{\"city\": \"Paris\"}"], "stop")).is_empty());
}

#[test]
fn a_refusal_in_a_stream_that_holds_the_call_is_the_call() {
    let refusal = |text: &str| json!({"error": {"message": "Failed to call a function.", "code": "tool_use_failed", "status_code": 400, "failed_generation": text}});
    let sent = |text: &str| format!("event: error\ndata: {}\n\n", refusal(text));
    let found = stream(&request(json!({})), &sent("<function=get_weather>{\"city\": \"Paris\"}</function>"));
    assert_eq!(gathered(&found), [("get_weather".to_owned(), json!({"city": "Paris"}))]);
    let words = stream(&request(json!({})), &sent("I cannot do that."));
    assert!(words.contains("tool_use_failed") && !words.contains("tool_calls"), "{words}");
}

#[test]
fn an_answer_in_an_envelope_is_read() {
    let answer =
        json!({"choices": [{"index": 0, "message": {"role": "assistant", "content": "hi"}, "finish_reason": "stop"}]});
    let exchange = exchange(&request(json!({"stream": false})), &Policy::default());
    let out = exchange.turn(1, 0).whole(json!({"data": answer, "success": true}).to_string().as_bytes()).unwrap();
    assert_eq!(toolglot_json::from_slice(&out).unwrap()["choices"][0]["message"]["content"], "hi");
    assert!(exchange.turn(1, 0).whole(br#"{"data": {"x": 1}, "success": false}"#).is_err());
}

/// A server without the role `tool` gets earlier calls and results as text, and the declarations.
#[test]
fn a_server_that_knows_no_role_for_results_gets_them_as_text() {
    let one = json!({"id": "a", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Paris\"}"}});
    let messages = json!([{"role": "user", "content": "go"}, {"role": "assistant", "content": null, "tool_calls": [one]},
        {"role": "tool", "tool_call_id": "a", "content": "sunny"}]);
    for message in ["Only user, assistant and system roles are supported!", "Internal Server Error"] {
        let mut asked = exchange(&request(json!({"messages": messages})), &Policy::default());
        assert!(asked.amend(&Fault::new(FaultKind::Upstream, message)).unwrap().contains("role"));
        let sent: Value = toolglot_json::from_slice(&asked.upstream_body()).unwrap();
        assert_eq!(sent["tools"].as_array().unwrap().len(), 2);
        let roles: Vec<&str> =
            sent["messages"].as_array().unwrap().iter().filter_map(|it| it["role"].as_str()).collect();
        assert_eq!(roles, ["user", "assistant", "user"]);
        let (call, result) = (sent["messages"][1].to_string(), sent["messages"][2].to_string());
        assert!(call.contains("get_weather") && call.contains("Paris") && !call.contains("tool_calls\""), "{call}");
        assert!(result.contains("sunny"), "{result}");
        assert_eq!(asked.amend(&Fault::new(FaultKind::Upstream, message)), None);
    }
    let mut plain = exchange(&request(json!({})), &Policy::default());
    assert_eq!(plain.amend(&Fault::new(FaultKind::Upstream, "Internal Server Error")), None);
}

/// Codex searches for tools by one of its own, and declares what it found in the conversation.
#[test]
fn the_clients_search_for_tools_is_a_function_for_the_server() {
    let search = json!({"type": "tool_search", "execution": "client", "description": "finds tools",
        "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}});
    let found = json!([{"type": "namespace", "name": "mcp__fs", "tools": [
        {"type": "function", "name": "read", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]}]);
    let input = json!([{"type": "message", "role": "user", "content": "go"},
        {"type": "tool_search_call", "call_id": "s", "status": "completed", "execution": "client", "arguments": {"query": "files"}},
        {"type": "tool_search_output", "call_id": "s", "status": "completed", "execution": "client", "tools": found}]);
    let wish = json!({"model": "m", "stream": true, "input": input, "tools": [search, {"type": "tool_search"}]});
    let asked =
        Exchange::read(Protocol::Responses, Protocol::Chat, wish.to_string().as_bytes(), &Policy::default()).unwrap();
    let sent: Value = toolglot_json::from_slice(&asked.upstream_body()).unwrap();
    let names: Vec<&str> =
        sent["tools"].as_array().unwrap().iter().filter_map(|it| it["function"]["name"].as_str()).collect();
    assert_eq!(names, ["tool_search", "mcp__fs__read"]);
    assert_eq!(sent["messages"][1]["tool_calls"][0]["function"]["arguments"], "{\"query\":\"files\"}");
    assert_eq!(sent["messages"][2]["content"], "Tools found: mcp__fs__read");
    assert!(asked.notes().iter().any(|note| note.contains("tool_search")), "the vendor's own search is left out");

    let items = |arguments: &str, finish: &str| {
        let answer =
            [vec![named(0, "a", "tool_search")], pieces(0, arguments), vec![chunk(json!({}), json!(finish))]].concat();
        let (out, _) = stream_in(&asked, events(&answer).as_bytes(), 9, None);
        let done = out.lines().filter_map(|line| toolglot_json::from_str(line.strip_prefix("data: ")?).ok());
        done.filter(|event| event["type"] == "response.output_item.done")
            .map(|event| event["item"].clone())
            .next()
            .unwrap()
    };
    let item = items("{\"query\": \"mail\"}", "tool_calls");
    assert_eq!(item["type"], "tool_search_call");
    assert_eq!(
        (&item["execution"], &item["call_id"], &item["arguments"]),
        (&json!("client"), &json!("a"), &json!({"query": "mail"}))
    );
    // What a limit cut is no object, and no search.
    let cut = items("{\"query\": \"ma", "length");
    assert_eq!((&cut["status"], cut["arguments"].is_string()), (&json!("incomplete"), true));
}
