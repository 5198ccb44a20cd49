//! The built-in demo server, which has no model and answers with a call in any dialect.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use http::{Method, Request, header};
use http_body_util::{BodyExt, Limited};
use tokio::time::sleep;
use toolglot::{Dialect, Dialects, Renderer, Rendering, Tools};
use toolglot_json::{Map, Value, json};
use toolglot_wire::{Fault, FaultKind, Protocol};

use crate::bodies::json_response;
use crate::config::{Config, RAW};
use crate::error;

/// The speed of the demo: this many characters, then a pause.
const PIECE: usize = 6;
const REST: Duration = Duration::from_millis(10);

/// The text before the call.
const REASONING: &str = "The user wants something that a tool can do.";
const CONTENT: &str = "Let me see.";

/// The demo server.
pub(crate) struct Demo {
    dialects: Dialects,
    /// The dialect of models whose name does not contain one.
    usual: String,
}

impl Demo {
    /// Creates a demo server for the dialect in the settings, or else the first one.
    pub(crate) fn new(config: &Config) -> Self {
        let dialects = Dialects::builtin();
        let named = config.routes.iter().flat_map(|route| &route.dialect).find(|name| dialects.get(name).is_some());
        let first = dialects.iter().next().map(|dialect| dialect.name().to_owned());
        Self { usual: named.cloned().or(first).unwrap_or_default(), dialects }
    }

    /// Answers a request as a model server would.
    pub(crate) async fn answer(&self, request: Request<Body>) -> Response {
        let (parts, body) = request.into_parts();
        let answer = match (parts.method, parts.uri.path()) {
            (Method::GET, "/v1/models") => Ok(json_response(&self.models())),
            (Method::POST, "/v1/chat/completions") => {
                let body = Limited::new(body, 64 << 20).collect().await.map(|body| body.to_bytes());
                self.chat(&body.unwrap_or_default())
            }
            (_, path) => Err(Fault::new(FaultKind::NotFound, format!("the demo does not serve `{path}`"))),
        };
        answer.unwrap_or_else(|fault| error::response(&fault, Protocol::Chat))
    }

    fn models(&self) -> Value {
        let names = ["demo/", RAW].into_iter().flat_map(|prefix| {
            self.dialects
                .iter()
                .map(move |dialect| json!({"id": format!("{prefix}{}", dialect.name()), "object": "model"}))
        });
        json!({"object": "list", "data": names.collect::<Vec<_>>()})
    }

    fn chat(&self, body: &[u8]) -> Result<Response, Fault> {
        let wrong = |message: String| Fault::new(FaultKind::Request, message);
        let request: Value = toolglot_json::from_slice(body).map_err(|error| wrong(error.to_string()))?;
        let model = request["model"].as_str().unwrap_or_default();
        let text = self.text(model, &request)?;
        let head = json!({"id": "chatcmpl-demo", "created": 0, "model": model});
        Ok(if request["stream"] == true { streamed(head, &text, &request) } else { said(head, &text) })
    }

    /// The model's text: a call of the first tool, or a sentence after its result.
    fn text(&self, model: &str, request: &Value) -> Result<String, Fault> {
        let messages = request["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        if let Some(result) = messages.last().filter(|message| message["role"] == "tool") {
            return Ok(format!("The tool says: {}", plain(&result["content"])));
        }
        let tools = request.get("tools").filter(|tools| tools.as_array().is_some_and(|tools| !tools.is_empty()));
        let Some(tools) = tools else { return Ok("Hello! Declare a tool and I will call it.".to_owned()) };
        let dialect = self.dialect(model)?;
        let function = tools.get(0).map(|tool| tool.get("function").unwrap_or(tool)).unwrap_or(&Value::Null);
        let name = function["name"].as_str().unwrap_or("tool");
        let arguments = sample(&function["parameters"]).to_string();
        let declared = Tools::from_json_str(&tools.to_string()).unwrap_or_default();
        written(dialect, &declared, name, &arguments)
    }

    fn dialect(&self, model: &str) -> Result<&Arc<Dialect>, Fault> {
        let name = model.rsplit_once('/').map_or(self.usual.as_str(), |(_, name)| name);
        let missing = || format!("unknown dialect `{name}`; run `toolglot dialects list` to list all");
        self.dialects.get(name).ok_or_else(|| Fault::new(FaultKind::NotFound, missing()))
    }
}

/// Writes a call with reasoning and text if the dialect can express them.
fn written(dialect: &Arc<Dialect>, tools: &Tools, name: &str, arguments: &str) -> Result<String, Fault> {
    let renderer = Renderer::new(dialect, tools);
    let call = || Rendering::new().with_call(name, arguments);
    let tries = [
        renderer.render(&call().with_reasoning(REASONING).with_content(CONTENT)),
        renderer.render(&call().with_content(CONTENT)),
        renderer.render(&call()),
    ];
    let [_, _, last] = &tries;
    let error = last.as_ref().err().map(ToString::to_string).unwrap_or_default();
    let found = tries.into_iter().find_map(Result::ok);
    found.ok_or_else(|| Fault::new(FaultKind::Request, format!("{}: {error}", dialect.name())))
}

/// Makes an object that matches the types of a schema.
fn sample(schema: &Value) -> Value {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    let value = |schema: &Value| {
        let chosen = schema["enum"].get(0).or_else(|| schema.get("default")).or_else(|| schema["examples"].get(0));
        chosen.cloned().unwrap_or_else(|| match schema["type"].as_str() {
            Some("integer") => json!(3),
            Some("number") => json!(1.5),
            Some("boolean") => json!(true),
            Some("array") => json!([]),
            Some("object") => json!({}),
            _ => json!("Paris"),
        })
    };
    Value::Object(properties.iter().map(|(name, schema)| (name.clone(), value(schema))).collect::<Map>())
}

fn plain(content: &Value) -> String {
    let parts = content.as_array().map(Vec::as_slice).unwrap_or_default();
    let joined: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    content.as_str().map_or(joined, str::to_owned)
}

fn usage(text: &str) -> Value {
    json!({"prompt_tokens": 1, "completion_tokens": text.len() / 4, "total_tokens": 1 + text.len() / 4})
}

fn said(mut head: Value, text: &str) -> Response {
    head["object"] = "chat.completion".into();
    let message = json!({"role": "assistant", "content": text});
    head["choices"] = json!([{"index": 0, "message": message, "finish_reason": "stop"}]);
    head["usage"] = usage(text);
    json_response(&head)
}

fn streamed(mut head: Value, text: &str, request: &Value) -> Response {
    head["object"] = "chat.completion.chunk".into();
    let mut frames = Vec::new();
    let mut say = |choices: Value, usage: Option<Value>| {
        head["choices"] = choices;
        if let Some(usage) = usage {
            head["usage"] = usage;
        }
        frames.push(Bytes::from(format!("data: {head}\n\n")));
    };
    say(json!([{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": null}]), None);
    let characters: Vec<char> = text.chars().collect();
    for piece in characters.chunks(PIECE) {
        let piece: String = piece.iter().collect();
        say(json!([{"index": 0, "delta": {"content": piece}, "finish_reason": null}]), None);
    }
    say(json!([{"index": 0, "delta": {}, "finish_reason": "stop"}]), None);
    if request["stream_options"]["include_usage"] == true {
        say(json!([]), Some(usage(text)));
    }
    frames.push(Bytes::from_static(b"data: [DONE]\n\n"));
    // A pause before each, as from a model.
    let paced = iter(frames).then(|frame| async {
        sleep(REST).await;
        Ok::<_, Infallible>(frame)
    });
    ([(header::CONTENT_TYPE, "text/event-stream")], Body::from_stream(paced)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dialect_can_be_asked_for_a_call() {
        let demo = Demo { dialects: Dialects::builtin(), usual: "hermes".into() };
        let tool = json!({"type": "function", "function": {"name": "get_weather", "parameters": {
            "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}});
        let request = json!({"messages": [], "tools": [tool]});
        for dialect in demo.dialects.iter() {
            let text = demo.text(&format!("demo/{}", dialect.name()), &request).unwrap();
            assert!(text.contains("Paris"), "{}: {text}", dialect.name());
        }
        assert!(demo.text("demo/klingon", &request).unwrap_err().message.contains("`klingon`"));
    }
}
