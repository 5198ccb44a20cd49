//! How a model server handles tools: three small requests, their results, and fixes.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::{HeaderMap, Method, header};
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use toolglot::detect::{from_model, from_template};
use toolglot::{Dialects, Options, Tools, near_miss, parse};
use toolglot_json::{Value, json};
use toolglot_wire::{EngineKind, Protocol, Transcript};

use crate::config::{Config, Sources};
use crate::lifecycle::{ServeError, runtime};
use crate::live::Live;
use crate::shown_template::of_properties;
use crate::template::{ReadTemplate, TemplateFacts};
use crate::upstream::{Server, turn_headers};

mod advice;
#[cfg(test)]
mod tests;

/// The result of examining a server.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Examination {
    /// Its URL.
    pub url: String,
    /// The server program.
    pub engine: &'static str,
    /// Whether a toolglot proxy is in front of the server.
    pub is_toolglot: bool,
    /// The models that it lists.
    pub models: Vec<String>,
    /// The model that was tested.
    pub model: String,
    /// The dialect of its chat template, if the server provides the template.
    pub template: Option<String>,
    /// Facts from running that template.
    pub certificate: Option<TemplateFacts>,
    /// The dialect that the model's name suggests.
    pub by_name: Option<String>,
    /// The results of the three requests; only the first if it did not reach the server.
    pub probes: Vec<Probe>,
    /// The verdict.
    pub verdict: Condition,
    /// Fixes, the most reliable first: commands, server flags, settings.
    pub fixes: Vec<String>,
}

/// The result of one request.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Probe {
    /// `plain`, `tool` or `stream`.
    pub request: &'static str,
    /// The HTTP status; 0 if there was no answer.
    pub status: u16,
    /// Why there is no readable answer.
    pub fault: Option<String>,
    /// Bytes of text.
    pub text: usize,
    /// Bytes of reasoning that the server parsed.
    pub reasoning: usize,
    /// Calls that the server parsed.
    pub native_calls: usize,
    /// Those of them whose arguments are not a JSON object, or whose name is not the tool's.
    pub broken_calls: usize,
    /// Calls that the server left in the text or the reasoning.
    pub calls_in_text: usize,
    /// Their dialect.
    pub dialect: Option<String>,
    /// Why text that looks like a call was not recognised as one.
    pub near_miss: Option<String>,
    /// The name of that reason.
    pub miss_reason: Option<&'static str>,
}

/// The condition of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Condition {
    /// Tool calls arrive as such, streamed or not.
    Healthy,
    /// The server leaves calls in the text.
    CallsInText,
    /// The server parses calls incorrectly.
    CallsBroken,
    /// The server parses calls, but not in streams.
    StreamsUnread,
    /// The server rejects requests with tools.
    RefusesTools,
    /// The model answered without a call.
    NoCall,
    /// The server does not answer plain requests.
    Unanswered,
}

/// The tool that the model is asked to call.
const TOOL: &str = "get_weather";

/// Timeout for an answer; the model may have to be loaded first.
const WAIT: Duration = Duration::from_secs(120);

/// Maximum bytes of an answer.
const MAX_ANSWER: usize = 4 << 20;

/// Examines how a server handles tools.
///
/// # Errors
/// If the URL is invalid. A server that does not answer is not an error; the examination reports it.
pub fn examine(
    url: &str,
    key: Option<&str>,
    model: Option<&str>,
    read_template: Option<ReadTemplate>,
) -> Result<Examination, ServeError> {
    let flag = |name: &str, value: &str| (name.to_owned(), value.to_owned(), "`doctor`".to_owned());
    let mut flags = vec![flag("upstream", url)];
    flags.extend(key.map(|key| flag("upstream.key", key)));
    let live = Live::new(Config::load(&Sources { flags, ..Sources::default() })?)?;
    let runtime = runtime()?;
    let server = &live.servers[0];
    let probe = ServerProbe { server, url, tools: tools(), read_template, is_toolglot: Cell::new(false) };
    Ok(runtime.block_on(probe.examine(model)))
}

fn tools() -> Value {
    let city = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    json!([{"type": "function", "function": {"name": TOOL, "description": "Current weather of a city", "parameters": city}}])
}

/// A server being examined.
struct ServerProbe<'v> {
    server: &'v Arc<Server>,
    url: &'v str,
    tools: Value,
    read_template: Option<ReadTemplate>,
    /// Whether an answer passed a toolglot proxy.
    is_toolglot: Cell<bool>,
}

impl ServerProbe<'_> {
    async fn examine(&self, model: Option<&str>) -> Examination {
        let engine = self.server.engine_kind(&self.headers()).await;
        let models = self.models().await;
        let model =
            model.map(str::to_owned).or_else(|| models.first().cloned()).unwrap_or_else(|| "default".to_owned());
        let known = Dialects::builtin();
        let template = self.template(engine, &model).await;
        let best = |verdicts: Vec<toolglot::detect::Verdict>| verdicts.first().map(|best| best.dialect.to_string());
        // It runs only if it is a Jinja template.
        let certificate = template.as_ref().and_then(|shown| self.read_template?(&shown.to_string()).ok());
        let in_text = || best(from_template(template.as_ref()?["chat_template"].as_str()?, &known));
        let template = certificate.as_ref().map(|facts| facts.dialect.clone()).or_else(in_text);
        let by_name = best(from_model(&model, &known));
        let mut probes = Vec::new();
        for request in ["plain", "tool", "stream"] {
            let probe = self.probe(request, &model).await;
            let is_reached = probe.status > 0;
            probes.push(probe);
            if !is_reached {
                break;
            }
        }
        let verdict = advice::verdict(&probes);
        let mut found = Examination {
            url: self.url.to_owned(),
            engine: engine.name(),
            is_toolglot: self.is_toolglot.get(),
            models,
            model,
            template,
            certificate,
            by_name,
            probes,
            verdict,
            fixes: Vec::new(),
        };
        found.fixes = advice::fixes(&found, engine);
        found
    }

    fn headers(&self) -> HeaderMap {
        turn_headers(self.server.key.as_deref(), Protocol::Chat, &HeaderMap::new(), false)
    }

    /// Sends a request; returns the status and body of the answer, or why there is none.
    async fn ask(&self, path: &str, body: &Value) -> Result<(u16, Vec<u8>), String> {
        let uri = path.parse().map_err(|_| format!("`{path}` is not a path"))?;
        let uri = self.server.same_path(&uri).map_err(|fault| fault.message)?;
        let answered = async {
            let answer = self.server.send(Method::POST, uri, self.headers(), Body::from(body.to_string()));
            let answer = answer.await.map_err(|fault| fault.message)?;
            let status = answer.status().as_u16();
            let mut via = answer.headers().get_all(header::VIA).iter();
            let passed = via.any(|value| value.to_str().is_ok_and(|value| value.contains("toolglot")));
            self.is_toolglot.set(self.is_toolglot.get() || passed);
            let body = Limited::new(answer.into_body(), MAX_ANSWER).collect().await;
            let body = body.map_err(|error| format!("the answer ended early: {error}"))?;
            Ok((status, body.to_bytes().to_vec()))
        };
        let late = |_| format!("no answer within {} seconds", WAIT.as_secs());
        tokio::time::timeout(WAIT, answered).await.map_err(late)?
    }

    async fn models(&self) -> Vec<String> {
        let (_, answer) = self.server.ask_one("/v1/models", &self.headers(), WAIT).await.unwrap_or_default();
        let answer: Value = serde_json::from_slice(&answer).unwrap_or_default();
        let models = answer.get("data").and_then(Value::as_array).cloned().unwrap_or_default();
        models.iter().filter_map(|model| Some(model.get("id")?.as_str()?.to_owned())).collect()
    }

    /// Returns the chat template with its tokens, from servers that provide it.
    async fn template(&self, engine: EngineKind, model: &str) -> Option<Value> {
        match engine {
            EngineKind::LlamaCpp => {
                let (_, answer) = self.server.ask_one("/props", &self.headers(), WAIT).await?;
                of_properties(&serde_json::from_slice(&answer).ok()?)
            }
            EngineKind::Ollama => {
                let (_, answer) = self.ask("/api/show", &json!({"model": model})).await.ok()?;
                let answer: Value = serde_json::from_slice(&answer).ok()?;
                Some(json!({"chat_template": answer.get("template")?.as_str()?}))
            }
            _ => None,
        }
    }

    async fn probe(&self, request: &'static str, model: &str) -> Probe {
        let question = match request {
            "plain" => "Say hello in one word.",
            _ => "What is the weather in Oslo? Use the tool.",
        };
        let mut body = json!({"model": model, "max_tokens": 512, "temperature": 0,
            "messages": [{"role": "user", "content": question}]});
        if let (Some(body), true) = (body.as_object_mut(), request != "plain") {
            body.insert("tools".to_owned(), self.tools.clone());
            body.insert("stream".to_owned(), Value::from(request == "stream"));
        }
        match self.ask("/v1/chat/completions", &body).await {
            Ok((status, answer)) => self.read(Probe { request, status, ..Probe::default() }, &answer),
            Err(fault) => Probe { request, fault: Some(fault), ..Probe::default() },
        }
    }

    /// Reads an answer, and the calls that the server left in it.
    fn read(&self, mut probe: Probe, body: &[u8]) -> Probe {
        let saved = Transcript::read(body).filter(|_| (200..300).contains(&probe.status));
        let fault = saved.as_ref().and_then(|saved| saved.fault.as_ref()).map(|fault| fault.message.clone());
        let Some(answer) = saved.and_then(|saved| saved.alternatives.into_iter().next()).filter(|_| fault.is_none())
        else {
            probe.fault = Some(fault.unwrap_or_else(|| refusal(body)));
            return probe;
        };
        let declared = Tools::from_json(&(&self.tools).into()).unwrap_or_default();
        (probe.text, probe.reasoning, probe.native_calls) =
            (answer.text.len(), answer.reasoning.len(), answer.calls.len());
        let is_whole = |arguments: &str| toolglot_json::from_str(arguments).is_ok_and(|value| value.is_object());
        probe.broken_calls = answer.calls.iter().filter(|call| call.name != TOOL || !is_whole(&call.arguments)).count();
        if probe.request == "plain" {
            return probe;
        }
        for text in [&answer.text, &answer.reasoning] {
            let (dialects, options) = (Dialects::builtin(), Options::default());
            let message = parse(text, &dialects, &declared, &options);
            let miss = near_miss(text, &message, &dialects, &declared, &options);
            if let (None, Some(miss)) = (&probe.near_miss, miss) {
                (probe.near_miss, probe.miss_reason) = (Some(miss.diagnostic.message), Some(miss.reason.name()));
            }
            probe.calls_in_text += message.calls.len();
            probe.dialect =
                probe.dialect.or(message.dialect.map(|name| name.to_string()).filter(|_| !message.calls.is_empty()));
        }
        probe
    }
}

/// Returns an error's message, as one line.
fn refusal(answer: &[u8]) -> String {
    let value: Value = toolglot_json::from_slice(answer).unwrap_or_default();
    let message = ["/error/message", "/message", "/error", "/detail"].into_iter();
    let message = message.filter_map(|place| value.pointer(place)?.as_str()).next();
    let text = message.map_or_else(|| String::from_utf8_lossy(answer).into_owned(), str::to_owned);
    text.chars().take(300).collect::<String>().replace(['\n', '\r'], " ")
}
