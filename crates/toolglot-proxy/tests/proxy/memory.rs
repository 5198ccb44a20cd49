//! What clients of Responses refer to, where the model server remembers nothing.

use toolglot_json::{Value, json};

use crate::support::*;

pub(crate) const PATH: &str = "/v1/responses";

fn tools() -> Value {
    json!([{"type": "function", "name": "ls", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}])
}

pub(crate) fn ask(more: &Value) -> String {
    let mut request = json!({"model": "m", "tools": tools()});
    for (key, value) in more.as_object().into_iter().flatten() {
        request[key] = value.clone();
    }
    request.to_string()
}

/// The whole response, of a stream too.
pub(crate) fn response(body: &[u8]) -> Value {
    let last = frames(body).pop().unwrap_or_else(|| String::from_utf8_lossy(body).into_owned());
    let value: Value = toolglot_json::from_str(&last).unwrap();
    value.get("response").cloned().unwrap_or(value)
}

pub(crate) fn with_key(key: &str, body: &str) -> String {
    post(PATH, body).replacen("host: localhost", &format!("host: localhost\r\nauthorization: Bearer {key}"), 1)
}

pub(crate) async fn server() -> Server {
    Server::start(|seen| match toolglot_json::from_slice(&seen.body).unwrap_or_default()["stream"] {
        Value::Bool(true) => stream(&call_as_text()),
        _ => whole("200 OK", "", &answer().to_string()),
    })
    .await
}

fn answer() -> Value {
    let text = "Hi. <tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>";
    let message = json!({"role": "assistant", "content": text});
    json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
}

/// Who said what in the last request that the server saw.
pub(crate) fn said(server: &Server) -> Vec<(String, Value)> {
    let messages = server.last().json()["messages"].as_array().cloned().unwrap_or_default();
    let what = |message: &Value| match message["tool_calls"][0]["function"]["arguments"].as_str() {
        Some(arguments) => json!(arguments),
        None => message["content"].clone(),
    };
    messages.iter().map(|message| (message["role"].as_str().unwrap_or_default().to_owned(), what(message))).collect()
}

pub(crate) fn turns(turns: &[(&str, &str)]) -> Vec<(String, Value)> {
    turns.iter().map(|(role, text)| ((*role).to_owned(), json!(text))).collect()
}

#[tokio::test]
async fn items_and_answers_that_are_referred_to_are_remembered() {
    let server = server().await;
    let running = Running::before(&server, &[]).await;
    for stream in [false, true] {
        let (_, body) = running.post(PATH, &ask(&json!({"input": "go", "stream": stream}))).await;
        let first = response(&body);
        assert_eq!(first["store"], true, "{first}");
        let output = first["output"].as_array().unwrap();
        let call = output.iter().find(|item| item["type"] == "function_call").unwrap();
        let result = json!({"type": "function_call_output", "call_id": call["call_id"], "output": "b.txt"});
        let mut input = vec![json!({"role": "user", "content": "go"})];
        input.extend(output.iter().map(|item| json!({"type": "item_reference", "id": item["id"]})));
        input.push(result.clone());
        let whole = turns(&[("user", "go"), ("assistant", "{\"path\": \"a\"}"), ("tool", "b.txt")]);
        running.post(PATH, &ask(&json!({"input": input}))).await;
        assert_eq!(said(&server), whole);
        let goes_on = json!({"input": [result], "previous_response_id": first["id"]});
        let (_, body) = running.post(PATH, &ask(&goes_on)).await;
        assert_eq!(said(&server), whole);
        let second = response(&body);
        assert_eq!(second["previous_response_id"], first["id"]);
        let third = json!({"input": "and now?", "previous_response_id": second["id"]});
        running.post(PATH, &ask(&third)).await;
        let roles: Vec<String> = said(&server).into_iter().map(|(role, _)| role).collect();
        assert_eq!(
            roles,
            ["user", "assistant", "tool", "assistant", "tool", "user"],
            "a call without a result gets one"
        );
    }
}

#[tokio::test]
async fn nobody_refers_to_what_another_was_told_nor_to_what_was_not_to_be_kept() {
    let server = server().await;
    let running = Running::before(&server, &[("keys", "one,two")]).await;
    let id = async |key: &str, more: Value| {
        let (_, body) = running.ask(&with_key(key, &ask(&more))).await;
        response(&body)["id"].as_str().unwrap().to_owned()
    };
    let goes_on = async |key: &str, id: &str| {
        let asked = ask(&json!({"input": "x", "previous_response_id": id}));
        running.ask(&with_key(key, &asked)).await
    };
    let kept = id("one", json!({"input": "go"})).await;
    assert!(goes_on("one", &kept).await.0.starts_with("HTTP/1.1 200"));
    let (head, body) = goes_on("two", &kept).await;
    assert!(head.starts_with("HTTP/1.1 400"), "{head}");
    let error = &toolglot_json::from_slice(&body).unwrap()["error"];
    assert_eq!(error["param"], "previous_response_id");
    assert!(error["message"].as_str().unwrap().contains("does not store"), "{error}");
    let dropped = id("one", json!({"input": "go", "store": false})).await;
    assert!(goes_on("one", &dropped).await.0.starts_with("HTTP/1.1 400"));
}

#[tokio::test]
async fn the_memory_can_be_switched_off_and_is_bounded() {
    let server = server().await;
    for (flag, value, stored) in [("limits.answers_kept", "0", false), ("limits.bytes_kept", "10", true)] {
        let running = Running::before(&server, &[(flag, value)]).await;
        let (_, body) = running.post(PATH, &ask(&json!({"input": "go"}))).await;
        let first = response(&body);
        assert_eq!(first["store"], stored);
        let goes_on = json!({"input": "x", "previous_response_id": first["id"]});
        let (head, _) = running.post(PATH, &ask(&goes_on)).await;
        assert!(head.starts_with("HTTP/1.1 400"), "{flag}: {head}");
        let refers = json!({"input": [{"type": "item_reference", "id": first["output"][0]["id"]}]});
        let (head, body) = running.post(PATH, &ask(&refers)).await;
        assert!(head.starts_with("HTTP/1.1 400"), "{flag}: {head}");
        assert!(String::from_utf8(body).unwrap().contains("refers to an item"));
    }
}
