//! Requests and answers of Ollama's API, from and to other protocols.

use toolglot_json::{Value, json};

use crate::{Exchange, Policy, Protocol, TurnEnd};

const TOOLS: &str = r#"[{"type":"function","function":{"name":"ls","parameters":{"type":"object","properties":{"n":{"type":"integer"}}}}}]"#;

fn exchange(ingress: Protocol, upstream: Protocol, request: &Value) -> (Exchange, Value) {
    let exchange = Exchange::read(ingress, upstream, request.to_string().as_bytes(), &Policy::default()).unwrap();
    let sent = serde_json::from_slice(&exchange.upstream_body()).unwrap();
    (exchange, sent)
}

fn with_tools(mut request: Value) -> Value {
    request["tools"] = serde_json::from_str(TOOLS).unwrap();
    request
}

/// Returns the lines that a client gets of a server's stream, however it is cut.
fn lines(exchange: &Exchange, stream: &str) -> Vec<Value> {
    let mut seen: Option<String> = None;
    for cut in 0..stream.len() {
        let (mut turn, mut out) = (exchange.turn(1, 1_795_392_000), Vec::new());
        turn.push(&stream.as_bytes()[..cut], &mut out);
        turn.push(&stream.as_bytes()[cut..], &mut out);
        turn.finish(TurnEnd::Over, &mut out);
        let text = String::from_utf8(out).unwrap();
        let calls = |text: &str| text.matches("tool_calls").count();
        assert_eq!(calls(seen.get_or_insert_with(|| text.clone())), calls(&text), "cut at {cut}: {text}");
    }
    seen.unwrap_or_default().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(lines: &[Value]) -> String {
    lines.iter().filter_map(|line| line["message"]["content"].as_str().or_else(|| line["response"].as_str())).collect()
}

#[test]
fn a_request_keeps_what_it_asks_in_chat() {
    let request = with_tools(json!({"model": "m", "messages": [
        {"role": "system", "content": "s"},
        {"role": "user", "content": "look", "images": ["iVBORw0"]},
        {"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [{"function": {"name": "ls", "arguments": {"n": 1}}}]},
        {"role": "tool", "tool_name": "ls", "content": "a.txt"}],
        "options": {"temperature": 0.5, "num_predict": 7, "stop": ["x"], "num_ctx": 4096},
        "format": {"type": "object"}, "think": "low", "keep_alive": "5m"}));
    let (exchange, sent) = exchange(Protocol::Ollama, Protocol::Chat, &request);
    assert!(exchange.is_stream(), "streams are what is asked for unless a request says otherwise");
    assert_eq!(sent["stream"], true);
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0"}});
    assert_eq!(sent["messages"][1]["content"], json!([{"type": "text", "text": "look"}, image]));
    let call = &sent["messages"][2]["tool_calls"][0];
    assert_eq!(call["function"]["arguments"], r#"{"n":1}"#);
    assert_eq!(sent["messages"][3]["tool_call_id"], call["id"]);
    assert_eq!(sent["messages"][2]["reasoning_content"], "hm");
    for (key, value) in [
        ("temperature", json!(0.5)),
        ("max_tokens", json!(7)),
        ("stop", json!(["x"])),
        ("reasoning_effort", json!("low")),
    ] {
        assert_eq!(sent[key], value, "{key}");
    }
    assert_eq!(sent["response_format"]["json_schema"]["schema"], json!({"type": "object"}));
    assert!(exchange.notes().iter().any(|note| note.contains("num_ctx")), "{:?}", exchange.notes());
}

#[test]
fn a_chat_request_is_said_in_ollamas_words() {
    let request = with_tools(json!({"model": "m", "max_completion_tokens": 9, "stop": "x", "reasoning_effort": "none",
        "tool_choice": "auto", "response_format": {"type": "json_object"}, "messages": [
        {"role": "user", "content": [{"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0"}}]},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "ls", "arguments": "{\"n\":1}"}},
            {"id": "b", "type": "function", "function": {"name": "ls", "arguments": "{\"n\":2}"}}]},
        {"role": "tool", "tool_call_id": "b", "content": "second"},
        {"role": "tool", "tool_call_id": "a", "content": "first"}]}));
    let (_, sent) = exchange(Protocol::Chat, Protocol::Ollama, &request);
    assert_eq!(sent["stream"], false, "a stream is what the server sends unless a request says otherwise");
    assert_eq!(sent["options"], json!({"num_predict": 9, "stop": "x"}));
    assert_eq!((&sent["format"], &sent["think"]), (&json!("json"), &json!(false)));
    assert_eq!(sent["messages"][0], json!({"role": "user", "content": "look", "images": ["iVBORw0"]}));
    assert_eq!(
        sent["messages"][1]["tool_calls"][1],
        json!({"id": "b", "function": {"name": "ls", "arguments": {"n": 2}}})
    );
    assert_eq!(
        sent["messages"][2],
        json!({"role": "tool", "content": "first", "tool_name": "ls", "tool_call_id": "a"})
    );
    assert!(sent.get("tool_choice").is_none() && sent["tools"][0]["function"]["name"] == "ls", "{sent}");
}

#[test]
fn calls_in_a_servers_text_are_native_ones() {
    let stream = concat!(
        r#"{"model":"m","created_at":"x","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}"#,
        "\n",
        r#"{"model":"m","created_at":"x","message":{"role":"assistant","content":"I look. <tool_call>\n{\"name\": \"ls\", \"argu"},"done":false}"#,
        "\n",
        r#"{"model":"m","created_at":"x","message":{"role":"assistant","content":"ments\": {\"n\": 1}}\n</tool_call>"},"done":false}"#,
        "\n",
        r#"{"model":"m","created_at":"x","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":5,"prompt_eval_count":3,"eval_count":4}"#,
        "\n",
    );
    let request = with_tools(json!({"model": "m", "messages": [{"role": "user", "content": "?"}]}));
    let (own, _) = exchange(Protocol::Ollama, Protocol::Ollama, &request);
    let lines = lines(&own, stream);
    assert_eq!(text(&lines).trim(), "I look.");
    assert_eq!(lines[0]["message"]["thinking"], "hm");
    let calls: Vec<&Value> =
        lines.iter().filter_map(|line| line["message"]["tool_calls"].as_array()).flatten().collect();
    assert_eq!(calls.len(), 1, "{lines:?}");
    assert_eq!(calls[0]["function"], json!({"index": 0, "name": "ls", "arguments": {"n": 1}}));
    let last = lines.last().unwrap();
    let of = |key: &str| last[key].clone();
    assert_eq!(
        [of("done"), of("done_reason"), of("total_duration"), of("eval_count")],
        [json!(true), json!("stop"), json!(5), json!(4)]
    );
    // A chat client gets the same call, and counts in its own words.
    let (chat, _) = exchange(Protocol::Chat, Protocol::Ollama, &with_tools(json!({"model": "m", "messages": []})));
    let whole = r#"{"model":"m","message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"ls","arguments":{"n":"1"}}}]},"done":true,"done_reason":"stop","prompt_eval_count":3,"eval_count":4}"#;
    let body: Value = toolglot_json::from_slice(&chat.turn(1, 0).whole(whole.as_bytes()).unwrap()).unwrap();
    let choice = &body["choices"][0];
    assert_eq!(
        (&choice["finish_reason"], &choice["message"]["tool_calls"][0]["function"]["arguments"]),
        (&json!("tool_calls"), &json!(r#"{"n":1}"#))
    );
    assert_eq!(body["usage"], json!({"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}));
}

/// Some servers stream the arguments as text, with the name in the first piece only.
#[test]
fn arguments_in_pieces_are_one_call() {
    let line = |function: Value| {
        json!({"model": "m", "done": false, "message": {"role": "assistant", "content": "", "tool_calls": [{"function": function}]}})
            .to_string()
            + "\n"
    };
    let stream = line(json!({"index": 0, "name": "ls", "arguments": "{"}))
        + &line(json!({"index": 0, "arguments": "\"n\":"}))
        + &line(json!({"index": 0, "arguments": "7}"}))
        + "{\"model\":\"m\",\"done\":true,\"done_reason\":\"stop\"}\n";
    let request = with_tools(json!({"model": "m", "messages": [{"role": "user", "content": "?"}]}));
    let (own, _) = exchange(Protocol::Ollama, Protocol::Ollama, &request);
    let lines = lines(&own, &stream);
    let calls: Vec<&Value> =
        lines.iter().filter_map(|line| line["message"]["tool_calls"].as_array()).flatten().collect();
    assert_eq!(calls.len(), 1, "{lines:?}");
    assert_eq!(calls[0]["function"], json!({"index": 0, "name": "ls", "arguments": {"n": 7}}));
}

#[test]
fn a_prompt_is_answered_as_one() {
    let request = json!({"model": "m", "system": "s", "prompt": "p", "stream": false});
    let (whole, sent) = exchange(Protocol::Ollama, Protocol::Chat, &request);
    assert_eq!(sent["messages"], json!([{"role": "system", "content": "s"}, {"role": "user", "content": "p"}]));
    let answer = r#"{"id":"c","model":"m","created":0,"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"length"}]}"#;
    let body: Value =
        toolglot_json::from_slice(&whole.turn(1, 1_795_392_000).whole(answer.as_bytes()).unwrap()).unwrap();
    assert_eq!(
        body,
        json!({"model": "m", "created_at": "2026-11-23T00:00:00Z", "response": "Hi", "done": true, "done_reason": "length"})
    );
    for key in ["raw", "suffix", "template"] {
        let mut request = request.clone();
        request[key] = if key == "raw" { true.into() } else { "x".into() };
        let read =
            |upstream| Exchange::read(Protocol::Ollama, upstream, request.to_string().as_bytes(), &Policy::default());
        assert_eq!(read(Protocol::Messages).unwrap_err().param.as_deref(), Some(key));
        assert!(read(Protocol::Ollama).unwrap().is_untouched());
    }
}

#[test]
fn what_breaks_off_ends_with_an_error() {
    let start = "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"done\":false}\n";
    let plain = json!({"model": "m", "messages": []});
    let (plain, _) = exchange(Protocol::Ollama, Protocol::Ollama, &plain);
    assert!(plain.is_relay());
    let (read, _) = exchange(Protocol::Ollama, Protocol::Ollama, &with_tools(json!({"model": "m", "messages": []})));
    for exchange in [plain, read] {
        let lines = lines(&exchange, start);
        assert_eq!(lines[0]["message"]["content"], "Hi");
        assert_eq!(lines[1], json!({"error": "the model server's answer ended early"}));
        let mut turn = exchange.turn(1, 0);
        let mut out = Vec::new();
        turn.push(b"{\"error\":\"no memory\"}\n", &mut out);
        turn.finish(TurnEnd::Over, &mut out);
        assert_eq!(String::from_utf8_lossy(&out), "{\"error\":\"no memory\"}\n");
    }
}

/// Errors are logged, and what was said is not.
#[test]
fn a_line_that_is_no_json_is_an_error_only_if_it_is_words() {
    let (exchange, _) =
        exchange(Protocol::Ollama, Protocol::Ollama, &with_tools(json!({"model": "m", "messages": []})));
    let unread = "the model server's answer is not a response of Ollama's API";
    for (line, wanted) in [
        ("data: {\"choices\":[{\"delta\":{\"content\":\"a secret\"}}]}\n", unread),
        ("{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"a secr\n", unread),
        ("the runner ended\n", "the runner ended"),
    ] {
        assert_eq!(lines(&exchange, line), [json!({"error": wanted})], "{line}");
    }
}
