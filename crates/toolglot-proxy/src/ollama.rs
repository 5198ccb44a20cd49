//! Requests of Ollama clients for the models, their capabilities and the version.
//!
//! They are forwarded; if the server does not know the path, the proxy answers in Ollama's format.

use std::sync::Arc;

use axum::body::Body;
use http::{HeaderMap, Method, header};
use toolglot_json::{Value, json};

use crate::bodies::collect;
use crate::headers;
use crate::live::Live;
use crate::upstream::Server;

/// A request for information.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Question {
    Tags,
    Running,
    Show,
    Version,
}

/// The reported version: clients require one that streams calls, which Ollama does since 0.8.
const VERSION: &str = "0.12.0";

/// Maximum bytes of a list of models.
const MAX_LIST: usize = 16 << 20;

impl Question {
    /// Returns the answer for servers without Ollama's API; nothing if the requested model is unknown.
    pub(crate) async fn answer(self, live: &Live, headers: &HeaderMap, body: &[u8]) -> Option<Value> {
        match self {
            Self::Version => Some(json!({"version": VERSION})),
            Self::Running => Some(json!({"models": []})),
            Self::Tags => Some(json!({"models": tags(live, headers).await})),
            Self::Show => {
                let asked: Value = toolglot_json::from_slice(body).unwrap_or_default();
                let name = asked.get("model").or_else(|| asked.get("name"))?.as_str()?;
                live.route(name)?;
                Some(json!({
                    "modelfile": "", "parameters": "", "template": "", "details": details(),
                    "model_info": {"general.architecture": "unknown"}, "capabilities": ["completion", "tools"],
                }))
            }
        }
    }
}

impl Server {
    /// Sends a client's `GET` with this key; returns the JSON of a successful answer.
    pub(crate) async fn ask(&self, live: &Live, path: &str, headers: &HeaderMap, key: Option<&str>) -> Option<Value> {
        let mut headers = headers.clone();
        headers.remove(header::ACCEPT_ENCODING);
        headers::exchange_key(&mut headers, key, live.keys.is_empty(), Some(self.protocol()));
        let uri = self.same_path(&path.parse().ok()?).ok()?;
        let answer = self.send(Method::GET, uri, headers, Body::empty()).await.ok()?;
        if !answer.status().is_success() {
            return None;
        }
        let body = collect(answer.into_body(), MAX_LIST, live.config.timeouts.connect.on()).await.ok()?;
        serde_json::from_slice(&body).ok()
    }
}

async fn tags(live: &Live, headers: &HeaderMap) -> Vec<Value> {
    let (mut tags, mut headers) = (Vec::new(), headers.clone());
    headers.remove(header::CONTENT_TYPE);
    for server in &live.servers {
        tags.extend(own_tags(live, server, &headers).await);
    }
    tags
}

/// Returns a server's models from Ollama's API, or else from OpenAI's.
async fn own_tags(live: &Live, server: &Arc<Server>, headers: &HeaderMap) -> Vec<Value> {
    let own = server.ask(live, "/api/tags", headers, server.key.as_deref()).await;
    if let Some(Value::Array(models)) = own.as_ref().and_then(|tags| tags.get("models")) {
        return models.clone();
    }
    let list = server.ask(live, "/v1/models", headers, server.key.as_deref()).await.unwrap_or_default();
    let models = list["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    models.iter().filter_map(|model| Some(tag(model.get("id")?.as_str()?))).collect()
}

fn tag(name: &str) -> Value {
    json!({"name": name, "model": name, "modified_at": "1970-01-01T00:00:00Z", "size": 0, "digest": "",
        "details": details()})
}

fn details() -> Value {
    json!({"parent_model": "", "format": "", "family": "", "families": [], "parameter_size": "", "quantization_level": ""})
}
