//! Recorded response bodies outside the supported protocols: Ollama's, legacy completions, batch output. Each is
//! converted to a chat completion.

use toolglot_json::{Value, json};
use toolglot_wire::Transcript;

/// Reads a recorded response: a whole body or a captured stream, in any known protocol.
pub(crate) fn read(bytes: &[u8]) -> Option<Transcript> {
    Transcript::read(bytes).or_else(|| Transcript::read(as_chat(bytes)?.to_string().as_bytes()))
}

/// Returns whether the start of a file looks like a recorded response.
pub(crate) fn begins(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let keys = ["\"created_at\"", "\"text_completion\"", "\"response\""];
    Transcript::begins(start) || text.trim_start().starts_with('{') && keys.iter().any(|key| text.contains(key))
}

fn as_chat(bytes: &[u8]) -> Option<Value> {
    let text = std::str::from_utf8(bytes).ok()?;
    let bodies = serde_json::Deserializer::from_str(text).into_iter().collect::<Result<Vec<Value>, _>>().ok()?;
    match &bodies[..] {
        [] => None,
        [body] => batch(body).or_else(|| completion(body)).or_else(|| ollama(&bodies)),
        _ => ollama(&bodies),
    }
}

/// The body in a line of OpenAI's batch output, or in a log entry with `response`.
fn batch(entry: &Value) -> Option<Value> {
    let response = entry.get("response").filter(|response| response.is_object())?;
    let body = response.get("body").unwrap_or(response);
    Transcript::read(body.to_string().as_bytes()).map(|_| body.clone()).or_else(|| as_chat(body.to_string().as_bytes()))
}

/// A legacy completion: each choice has its text and no message.
fn completion(body: &Value) -> Option<Value> {
    let choices = body.get("choices")?.as_array()?;
    let choice = |choice: &Value| {
        let message = json!({"role": "assistant", "content": choice.get("text")?.as_str()?});
        Some(json!({"message": message, "finish_reason": choice.get("finish_reason")}))
    };
    Some(json!({"choices": choices.iter().map(choice).collect::<Option<Vec<_>>>()?}))
}

/// Ollama's `/api/chat` and `/api/generate`: one body, or a stream of bodies whose texts are joined.
fn ollama(bodies: &[Value]) -> Option<Value> {
    let (mut content, mut thinking, mut calls) = (String::new(), String::new(), Vec::new());
    let mut finish = Value::Null;
    for body in bodies {
        body.get("done").filter(|done| done.is_boolean())?;
        let message = body.get("message").unwrap_or(body);
        let text = |key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default();
        content.push_str(message.get("content").or(body.get("response"))?.as_str()?);
        thinking.push_str(text("thinking"));
        calls.extend(message.get("tool_calls").and_then(Value::as_array).into_iter().flatten().map(call));
        finish = body.get("done_reason").cloned().unwrap_or(finish);
    }
    let message = json!({"role": "assistant", "content": content, "reasoning_content": thinking, "tool_calls": calls});
    Some(json!({"choices": [{"message": message, "finish_reason": finish}]}))
}

/// Converts a call: Ollama's arguments are an object, a chat completion's are JSON text.
fn call(call: &Value) -> Value {
    let function = call.get("function").unwrap_or(call);
    let arguments = match function.get("arguments") {
        Some(Value::String(text)) => text.clone(),
        Some(object) => object.to_string(),
        None => String::new(),
    };
    json!({"id": call.get("id"), "type": "function",
        "function": {"name": function.get("name"), "arguments": arguments}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(body: &Value) -> Option<String> {
        read(body.to_string().as_bytes()).map(|saved| saved.alternatives[0].text.clone())
    }

    #[test]
    fn ollamas_stream_is_put_together() {
        let piece = |text: &str, done: bool| json!({"model": "m", "created_at": "t", "message": {"role": "assistant", "content": text}, "done": done});
        let stream = format!("{}\n{}\n", piece("Hel", false), piece("lo", true));
        assert_eq!(read(stream.as_bytes()).map(|saved| saved.alternatives[0].text.clone()).as_deref(), Some("Hello"));
    }

    #[test]
    fn ollamas_calls_keep_their_arguments() {
        let call = json!({"function": {"name": "ls", "arguments": {"path": "/", "n": 1.50}}});
        let message = json!({"role": "assistant", "content": "", "thinking": "hm", "tool_calls": [call]});
        let saved = read(json!({"model": "m", "message": message, "done": true}).to_string().as_bytes());
        let Some(alternative) = saved.map(|saved| saved.alternatives[0].clone()) else { panic!("it is a body") };
        assert_eq!((alternative.calls[0].name.as_str(), alternative.reasoning.as_str()), ("ls", "hm"));
        assert_eq!(alternative.calls[0].arguments.replace(' ', "").replace("1.50", "1.5"), r#"{"path":"/","n":1.5}"#);
    }

    #[test]
    fn completions_and_batches_are_read() {
        assert_eq!(text(&json!({"object": "text_completion", "choices": [{"text": "a"}]})).as_deref(), Some("a"));
        let body = json!({"choices": [{"message": {"role": "assistant", "content": "b"}}]});
        let line = json!({"custom_id": "1", "response": {"status_code": 200, "body": body}});
        assert_eq!(text(&line).as_deref(), Some("b"));
        assert_eq!(text(&json!({"model": "m", "response": "c", "done": true})).as_deref(), Some("c"));
    }

    #[test]
    fn a_models_own_text_is_no_body() {
        for text in ["", "Hello", r#"{"name": "ls", "arguments": {}}"#, r#"{"response": "a"}"#, "1 2", "{} {}"] {
            assert_eq!(read(text.as_bytes()), None, "{text}");
        }
    }
}
