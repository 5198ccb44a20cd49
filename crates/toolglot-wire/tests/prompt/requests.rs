//! Requests as a server without tools gets them, and what becomes of its answer.

use toolglot::Dialects;
use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, TurnEnd};

fn policy(dialect: &str) -> Policy {
    Policy::default().with_prompt(Dialects::builtin().get(dialect).cloned())
}

fn exchange(ingress: Protocol, upstream: Protocol, request: &Value, dialect: &str) -> Exchange {
    Exchange::read(ingress, upstream, request.to_string().as_bytes(), &policy(dialect)).unwrap()
}

fn sent(request: &Value, dialect: &str) -> Value {
    let exchange = exchange(Protocol::Chat, Protocol::Chat, request, dialect);
    serde_json::from_slice(&exchange.upstream_body()).unwrap()
}

fn ping() -> Value {
    json!({"type": "function", "function": {"name": "ping", "description": "Ping a host.", "parameters": {
        "type": "object", "properties": {"host": {"type": "string", "description": "The host."}}, "required": ["host"]}}})
}

fn request(more: Value) -> Value {
    let call = |id: &str, host: &str| {
        let function = json!({"name": "ping", "arguments": json!({"host": host}).to_string()});
        json!({"id": id, "type": "function", "function": function})
    };
    let mut request = json!({"model": "m", "tools": [ping()], "messages": [
        {"role": "system", "content": "SYS"},
        {"role": "user", "content": "HI"},
        {"role": "assistant", "content": "OK", "tool_calls": [call("a", "a"), call("b", "b")]},
        {"role": "tool", "tool_call_id": "b", "content": "R2"},
        {"role": "tool", "tool_call_id": "a", "content": "R1"},
        {"role": "user", "content": "BYE"}]});
    more.as_object().unwrap().iter().for_each(|(key, value)| request[key] = value.clone());
    request
}

#[test]
fn families_get_the_words_of_their_own_templates() {
    let json = r#"{"type": "function", "function": {"name": "ping", "description": "Ping a host.", "parameters": {"type": "object", "properties": {"host": {"type": "string", "description": "The host."}}, "required": ["host"]}}}"#;
    let body = sent(&request(json!({})), "hermes");
    let text = |at: usize| body["messages"][at]["content"].as_str().unwrap_or_default().to_owned();
    assert_eq!(
        text(0),
        format!(
            "SYS\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\nYou are provided with \
             function signatures within <tools></tools> XML tags:\n<tools>\n{json}\n</tools>\n\nFor each function call, \
             return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n<tool_call>\n\
             {{\"name\": <function-name>, \"arguments\": <args-json-object>}}\n</tool_call>"
        )
    );
    assert_eq!(
        text(2),
        "OK\n<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"a\"}}\n</tool_call>\n<tool_call>\n{\"name\": \
         \"ping\", \"arguments\": {\"host\": \"b\"}}\n</tool_call>"
    );
    assert_eq!(text(3), "<tool_response>\nR1\n</tool_response>\n<tool_response>\nR2\n</tool_response>\n\nBYE");
    assert_eq!(body["messages"].as_array().unwrap().len(), 4);
    for (dialect, expected) in [
        ("glm45", "\n# Tools\n\nYou may call one or more functions"),
        (
            "qwen3_coder",
            "SYS\n\n# Tools\n\nYou have access to the following tools:\n\n<tools>\n<function>\n<name>ping</name>",
        ),
        ("minimax_m2", "SYS\n\n# Tools\nYou may call one or more tools to assist with the user query."),
        ("pythonic", "SYS\n\n# Tools\n\nYou can call the functions listed below"),
    ] {
        let body = sent(&request(json!({})), dialect);
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.starts_with(expected), "{dialect}: {system}");
    }
}

#[test]
fn a_choice_is_told_in_words() {
    let named = json!({"type": "function", "function": {"name": "ping"}});
    for (more, expected) in [
        (json!({"tool_choice": "required"}), "\n\nYou must call at least one function now."),
        (json!({"tool_choice": named}), "\n\nCall the function `ping` now."),
        (json!({"parallel_tool_calls": false}), "\n\nCall only one function at a time."),
        (json!({"tool_choice": "auto"}), "</tool_call>"),
    ] {
        let body = sent(&request(more), "hermes");
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.ends_with(expected), "{system}");
        let fields = ["tools", "tool_choice", "parallel_tool_calls"];
        assert!(fields.iter().all(|key| body.get(*key).is_none()), "{body}");
    }
    for more in [json!({"tool_choice": "none"}), json!({"tools": []})] {
        let body = sent(&request(more), "hermes");
        assert_eq!(body["messages"][0]["content"], "SYS");
        assert!(body["messages"][2]["content"].as_str().unwrap().contains("<tool_call>"), "earlier calls stay text");
    }
}

#[test]
fn a_model_is_kept_from_inventing_results() {
    assert_eq!(sent(&request(json!({})), "hermes")["stop"], json!(["<tool_response>"]));
    assert_eq!(sent(&request(json!({"stop": "END"})), "hermes")["stop"], json!(["END", "<tool_response>"]));
    let full = json!(["a", "b", "c", "d"]);
    assert_eq!(sent(&request(json!({"stop": full})), "hermes")["stop"], full);
    assert_eq!(sent(&request(json!({"tool_choice": "none"})), "hermes").get("stop"), None);
}

#[test]
fn the_answer_is_read_in_the_dialect_for_every_pair_of_protocols() {
    let text = "Sure.\n<tool_call>\n{\"name\": \"ping\", \"arguments\": {\"host\": \"a\"}}\n</tool_call>";
    for ingress in Protocol::ALL {
        let request = match ingress {
            Protocol::Chat => json!({"model": "m", "messages": [{"role": "user", "content": "go"}], "tools": [ping()]}),
            Protocol::Responses => json!({"model": "m", "input": "go",
                "tools": [{"type": "function", "name": "ping", "parameters": {"type": "object"}}]}),
            Protocol::Messages => {
                json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "go"}],
                "tools": [{"name": "ping", "input_schema": {"type": "object"}}]})
            }
            Protocol::Ollama => json!({"model": "m", "stream": false, "tools": [ping()],
                "messages": [{"role": "user", "content": "go"}]}),
        };
        for upstream in Protocol::ALL {
            let answer = match upstream {
                Protocol::Chat => {
                    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
                    {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}]})
                }
                Protocol::Responses => json!({"id": "resp_1", "object": "response", "created_at": 1, "model": "m",
                    "status": "completed", "output": [{"type": "message", "id": "msg_1", "role": "assistant",
                        "status": "completed", "content": [{"type": "output_text", "text": text, "annotations": []}]}]}),
                Protocol::Messages => json!({"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
                    "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1},
                    "content": [{"type": "text", "text": text}]}),
                Protocol::Ollama => json!({"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": true,
                    "done_reason": "stop", "message": {"role": "assistant", "content": text}}),
            };
            let exchange = exchange(ingress, upstream, &request, "hermes");
            let body: Value = toolglot_json::from_slice(&exchange.upstream_body()).unwrap();
            assert!(body.get("tools").is_none() && body.get("tool_choice").is_none(), "{body}");
            let whole = exchange.turn(1, 1).whole(answer.to_string().as_bytes()).unwrap();
            let whole: Value = toolglot_json::from_slice(&whole).unwrap();
            let (name, finish) = match ingress {
                Protocol::Chat => {
                    let choice = &whole["choices"][0];
                    (&choice["message"]["tool_calls"][0]["function"]["name"], &choice["finish_reason"])
                }
                Protocol::Responses => (&whole["output"][1]["name"], &whole["output"][1]["type"]),
                Protocol::Messages => (&whole["content"][1]["name"], &whole["stop_reason"]),
                Protocol::Ollama => (&whole["message"]["tool_calls"][0]["function"]["name"], &whole["done_reason"]),
            };
            let expected = ["tool_calls", "function_call", "tool_use", "stop"];
            assert_eq!(name, "ping", "{ingress} from {upstream}: {whole}");
            assert!(expected.contains(&finish.as_str().unwrap()), "{ingress} from {upstream}: {whole}");
        }
    }
}

#[test]
fn a_call_that_is_streamed_in_prompt_mode_is_native_for_the_client() {
    let mut asked = request(json!({"stream": true}));
    asked["messages"] = json!([{"role": "user", "content": "go"}]);
    for dialect in Dialects::builtin().iter() {
        let tools = toolglot::Tools::from_json(&(&json!([ping()])).into()).unwrap();
        let call = toolglot::Rendering::new().with_call("ping", r#"{"host": "example.org"}"#);
        let Ok(text) = toolglot::Renderer::new(dialect, &tools).render(&call) else { continue };
        let exchange = exchange(Protocol::Chat, Protocol::Chat, &asked, dialect.name());
        let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
        for piece in text.chars().map(String::from) {
            let delta = json!({"index": 0, "delta": {"content": piece}, "finish_reason": null});
            let chunk =
                json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [delta]});
            turn.push(format!("data: {chunk}\n\n").as_bytes(), &mut out);
        }
        turn.push(b"data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n", &mut out);
        turn.finish(TurnEnd::Over, &mut out);
        let out = String::from_utf8(out).unwrap();
        assert!(
            out.contains(r#""name":"ping""#) && out.contains(r#""finish_reason":"tool_calls""#),
            "{}: {text}: {out}",
            dialect.name()
        );
    }
}
