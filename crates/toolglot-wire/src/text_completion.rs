//! Text completions, which have no tools: converts their requests and answers to chat completions, and the answers
//! back, so that they share a reader and a writer.

use toolglot_json::{Map, Value, json};

use crate::fault::{Fault, FaultKind};

/// A request for a text completion whose tools are declared in it, which servers do not support, or outside it.
pub struct TextCompletion {
    chat: Value,
    body: Option<Vec<u8>>,
}

/// Fields about tools, which are not sent to a server.
const OF_TOOLS: [&str; 3] = ["tools", "tool_choice", "parallel_tool_calls"];

impl TextCompletion {
    /// Reads a request; the tools in it take precedence over `declared`.
    ///
    /// # Errors
    /// If it is not a JSON object, or combines tools with `echo` or a required call.
    pub fn read(body: &[u8], declared: Option<&Value>) -> Result<Self, Fault> {
        let wrong = |message: String| Fault::new(FaultKind::Request, message);
        let mut request: Map = serde_json::from_slice(body)
            .map_err(|error| wrong(format!("the request is not a JSON object: {error}")))?;
        let mut chat = json!({"messages": []});
        for name in ["model", "stream", "stream_options"].iter().chain(&OF_TOOLS) {
            if let Some(value) = request.get(name) {
                chat[*name] = value.clone();
            }
        }
        if let (Some(tools), true) = (declared, chat["tools"].is_null()) {
            chat["tools"] = tools.clone();
        }
        let has_tools = chat["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        if has_tools && request.get("echo") == Some(&Value::Bool(true)) {
            let message = "`echo` is not supported with tools, since the prompt would be read for calls; remove `echo`";
            return Err(wrong(message.to_owned()).with_param("echo"));
        }
        let demands = |choice: &Value| choice.is_object() || choice == "required" || choice == "any";
        if has_tools && demands(&chat["tool_choice"]) {
            let message =
                "a text completion cannot require a call; remove `tool_choice`, or use `/v1/chat/completions`";
            return Err(wrong(message.to_owned()).with_param("tool_choice"));
        }
        let before = request.len();
        request.retain(|name, _| !OF_TOOLS.contains(&name.as_str()));
        let body = (request.len() < before).then(|| Value::Object(request).to_string().into_bytes());
        Ok(Self { chat, body })
    }

    /// Returns a chat request with the same tools, for an [`Exchange`](crate::Exchange) that reads the answer.
    pub fn chat_request(&self) -> Vec<u8> {
        self.chat.to_string().into_bytes()
    }

    /// Returns the request without fields about tools; nothing if it has none.
    pub fn without_tools(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// Converts a server's answer, or a chunk of it, to a chat completion; returns whether it was a text completion.
    pub fn as_chat(answer: &mut Value, is_chunk: bool) -> bool {
        let (object, part) = if is_chunk { ("chat.completion.chunk", "delta") } else { ("chat.completion", "message") };
        reworded(answer, object, |choice| {
            let text = choice.remove("text").unwrap_or_default();
            // Text completions have another format of log probabilities.
            choice.remove("logprobs");
            let message =
                if is_chunk { json!({"content": text}) } else { json!({"role": "assistant", "content": text}) };
            choice.insert(part.to_owned(), message);
        })
    }

    /// Converts a chat completion, or a chunk of it, to a text completion: text in `text`, calls in `tool_calls`,
    /// reasoning in its field, all in the choice; returns whether it was a chat completion.
    pub fn as_completion(answer: &mut Value) -> bool {
        let is_chat = answer["object"].as_str().is_some_and(|object| object.starts_with("chat.completion"));
        is_chat
            && reworded(answer, "text_completion", |choice| {
                let message = ["delta", "message"].iter().find_map(|part| choice.remove(part)).unwrap_or_default();
                let Value::Object(mut message) = message else { return };
                let text = message.remove("content").filter(Value::is_string);
                choice["text"] = text.unwrap_or_else(|| "".into());
                choice.extend(message.into_iter().filter(|(name, value)| name != "role" && !value.is_null()));
            })
    }
}

/// Changes the type of an answer and rewrites its alternatives; returns whether it has any.
fn reworded(answer: &mut Value, object: &str, mut each: impl FnMut(&mut Map)) -> bool {
    let Some(choices) = answer.get_mut("choices").and_then(Value::as_array_mut) else { return false };
    choices.iter_mut().filter_map(Value::as_object_mut).for_each(&mut each);
    answer["object"] = object.into();
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: &Value, declared: Option<&Value>) -> Result<TextCompletion, Fault> {
        TextCompletion::read(body.to_string().as_bytes(), declared)
    }

    #[test]
    fn what_a_request_says_of_tools_goes_to_no_server() {
        let tools = json!([{"type": "function", "function": {"name": "ls"}}]);
        let asked = read(&json!({"model": "m", "prompt": "go", "tools": tools, "tool_choice": "auto"}), None).unwrap();
        assert_eq!(asked.without_tools(), Some(&br#"{"model":"m","prompt":"go"}"#[..]));
        let chat: Value = toolglot_json::from_slice(&asked.chat_request()).unwrap();
        assert_eq!(chat, json!({"messages": [], "model": "m", "tools": tools, "tool_choice": "auto"}));
        let beside = read(&json!({"prompt": "go", "stream": true}), Some(&tools)).unwrap();
        assert_eq!(beside.without_tools(), None);
        let chat: Value = toolglot_json::from_slice(&beside.chat_request()).unwrap();
        assert_eq!(chat, json!({"messages": [], "stream": true, "tools": tools}));
    }

    #[test]
    fn what_cannot_be_read_with_tools_is_refused() {
        let tools = json!([{"type": "function", "function": {"name": "ls"}}]);
        for (name, value) in [("echo", json!(true)), ("tool_choice", json!("required")), ("tool_choice", json!({}))] {
            let fault = read(&json!({"prompt": "go", (name): value}), Some(&tools)).err().unwrap();
            assert_eq!((fault.status, fault.param.as_deref()), (400, Some(name)));
        }
        assert!(read(&json!({"prompt": "go", "echo": true}), None).is_ok());
        assert!(read(&json!([]), None).is_err());
    }

    #[test]
    fn answers_are_put_into_a_chats_words_and_back() {
        let usage = json!({"total_tokens": 3});
        let mut whole = json!({"id": "c", "object": "text_completion", "choices": [{"index": 0, "text": "hi",
            "logprobs": null, "finish_reason": "stop"}], "usage": usage});
        assert!(TextCompletion::as_chat(&mut whole, false));
        assert_eq!(
            whole,
            json!({"id": "c", "object": "chat.completion", "choices": [{"index": 0,
            "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}], "usage": usage})
        );
        let call = json!([{"id": "x", "type": "function", "function": {"name": "ls", "arguments": "{}"}}]);
        whole["choices"][0]["message"]["content"] = Value::Null;
        whole["choices"][0]["message"]["tool_calls"] = call.clone();
        assert!(TextCompletion::as_completion(&mut whole));
        assert_eq!(
            whole,
            json!({"id": "c", "object": "text_completion", "choices": [{"index": 0,
            "finish_reason": "stop", "text": "", "tool_calls": call}], "usage": usage})
        );
        let mut error = json!({"error": {"message": "no"}});
        assert!(!TextCompletion::as_chat(&mut error, true) && !TextCompletion::as_completion(&mut error));
    }
}
