//! Recorded responses in forms that [`Transcript`] does not read: batch output, legacy completions, indented streams.

use toolglot_json::Value;
use toolglot_wire::{TextCompletion, Transcript};

/// Reads a recorded response: a whole body or a captured stream, in any known protocol.
pub(crate) fn read(bytes: &[u8]) -> Option<Transcript> {
    Transcript::read(bytes).or_else(|| {
        let bodies = serde_json::Deserializer::from_slice(bytes).into_iter().collect::<Result<Vec<Value>, _>>().ok()?;
        match &bodies[..] {
            [body] => batch(body).or_else(|| completion(body)),
            // A stream of Ollama that was indented, as `jq` does: each piece must be a line again.
            pieces => Transcript::read(pieces.iter().map(|piece| format!("{piece}\n")).collect::<String>().as_bytes()),
        }
    })
}

/// Returns whether the start of a file looks like a recorded response.
pub(crate) fn begins(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let keys = ["\"created_at\"", "\"text_completion\"", "\"response\""];
    Transcript::begins(start) || text.trim_start().starts_with('{') && keys.iter().any(|key| text.contains(key))
}

/// Reads the body in a line of OpenAI's batch output, or in a log entry with `response`.
fn batch(entry: &Value) -> Option<Transcript> {
    let response = entry.get("response").filter(|response| response.is_object())?;
    read(response.get("body").unwrap_or(response).to_string().as_bytes())
}

/// Reads a legacy completion: each choice has its text and no message.
fn completion(body: &Value) -> Option<Transcript> {
    if !body.get("choices")?.as_array()?.iter().all(|choice| choice["text"].is_string()) {
        return None;
    }
    let mut chat = body.clone();
    TextCompletion::as_chat(&mut chat, false);
    Transcript::read(chat.to_string().as_bytes())
}

#[cfg(test)]
mod tests {
    use toolglot_json::json;

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
