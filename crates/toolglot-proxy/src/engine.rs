//! Which program serves the models: set, or found out by asking what only one of them answers.

use std::time::{Duration, Instant};

use axum::response::Response;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use tokio::sync::Mutex;
use toolglot_wire::EngineKind;

use crate::upstream::Server;

/// What is known of a server's program.
pub(crate) struct Engine {
    set: Option<EngineKind>,
    found: Mutex<Option<(EngineKind, Instant)>>,
}

/// Paths that only one program answers, with a word of the answer; tried in order on servers without a telling list of
/// models.
const ASK: [(&str, &str, EngineKind); 5] = [
    ("/props", "default_generation_settings", EngineKind::LlamaCpp),
    ("/get_model_info", "model_path", EngineKind::Sglang),
    ("/api/version", "version", EngineKind::Ollama),
    ("/api/v0/models", "data", EngineKind::LmStudio),
    ("/version", "version", EngineKind::Vllm),
];

/// How long a request waits for one of these answers.
const WAIT: Duration = Duration::from_secs(2);

/// After this time a server is asked again: another one may run at its place.
const FRESH: Duration = Duration::from_secs(300);

/// A server that did not show what it is, is asked again sooner: it may have been starting.
const UNSURE: Duration = Duration::from_secs(30);

impl Engine {
    pub(crate) fn new(set: Option<EngineKind>) -> Self {
        Self { set, found: Mutex::new(None) }
    }
}

impl Server {
    /// Returns what serves the models; the first request that needs to know finds out, with its own key.
    pub(crate) async fn engine_kind(&self, headers: &HeaderMap) -> EngineKind {
        if let Some(kind) = self.engine.set {
            return kind;
        }
        let mut found = self.engine.found.lock().await;
        if let Some((kind, when)) = *found {
            let fresh = if kind == EngineKind::Generic { UNSURE } else { FRESH };
            if when.elapsed() < fresh {
                return kind;
            }
        }
        let kind = self.ask(headers).await;
        *found = Some((kind, Instant::now()));
        kind
    }

    async fn ask(&self, headers: &HeaderMap) -> EngineKind {
        let Some((server, models)) = self.ask_one("/v1/models", headers).await else { return EngineKind::Generic };
        let models: Value = serde_json::from_slice(&models).unwrap_or_default();
        if let Some(kind) = EngineKind::of_models(&models) {
            return kind;
        }
        if server.contains("llama.cpp") {
            return EngineKind::LlamaCpp;
        }
        // A service on the internet is none of these, and would wonder about the questions.
        if self.is_https() {
            return EngineKind::Generic;
        }
        for (path, word, kind) in ASK {
            let answer = self.ask_one(path, headers).await;
            let told = answer.and_then(|(_, body)| serde_json::from_slice::<Value>(&body).ok());
            if told.is_some_and(|told| told.get(word).is_some()) {
                return kind;
            }
        }
        EngineKind::Generic
    }

    /// Asks one question: the `Server` header and the body of an answer that is a success.
    async fn ask_one(&self, path: &str, headers: &HeaderMap) -> Option<(String, Vec<u8>)> {
        let uri = self.same_path(&path.parse().ok()?).ok()?;
        let mut headers = headers.clone();
        headers.remove(http::header::CONTENT_TYPE);
        let answer = self.send(Method::GET, uri, headers, axum::body::Body::empty());
        let answer: Response = tokio::time::timeout(WAIT, answer).await.ok()?.ok()?;
        if !answer.status().is_success() {
            return None;
        }
        let server = answer.headers().get(http::header::SERVER).and_then(|value| value.to_str().ok());
        let server = server.unwrap_or_default().to_owned();
        let body = tokio::time::timeout(WAIT, Limited::new(answer.into_body(), 4 << 20).collect()).await.ok()?.ok()?;
        Some((server, body.to_bytes().to_vec()))
    }
}
