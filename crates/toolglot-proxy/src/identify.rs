//! Detects which program serves the models, by requests that only one of them answers.

use std::sync::Arc;
use std::time::Duration;

use axum::response::Response;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use tokio::task::JoinSet;
use toolglot_json::Value;
use toolglot_wire::EngineKind;

use crate::upstream::Server;

/// Paths that only one program answers, with a key of its answer, for servers whose list of models is inconclusive; the
/// first match counts.
const ASK: [(&str, &str, EngineKind); 5] = [
    ("/props", "default_generation_settings", EngineKind::LlamaCpp),
    ("/get_model_info", "model_path", EngineKind::Sglang),
    ("/api/version", "version", EngineKind::Ollama),
    ("/api/v0/models", "data", EngineKind::LmStudio),
    ("/version", "version", EngineKind::Vllm),
];

/// Timeout for one of these answers, which are constant; a slower server is not ready, and the client's request must not
/// time out because of it.
const WAIT: Duration = Duration::from_secs(2);

impl Server {
    /// Returns the program that serves the models. A known result is used at once, while detection runs again.
    pub(crate) async fn engine_kind(self: &Arc<Self>, headers: &HeaderMap) -> EngineKind {
        if let Some(kind) = self.engine.set {
            return kind;
        }
        if self.engine.begins() {
            let (server, headers) = (Arc::clone(self), headers.clone());
            tokio::spawn(async move { server.engine.store(server.detect(&headers).await) });
        }
        self.engine.known().await
    }

    /// Detects the program; none if the server does not answer.
    async fn detect(self: &Arc<Self>, headers: &HeaderMap) -> Option<EngineKind> {
        let (server, models) = self.ask_one("/v1/models", headers, WAIT).await?;
        let models: Value = toolglot_json::from_slice(&models).unwrap_or_default();
        if let Some(kind) = EngineKind::of_models(&models) {
            return Some(kind);
        }
        if server.contains("llama.cpp") {
            return Some(EngineKind::LlamaCpp);
        }
        // A service on the internet is none of these.
        if self.is_https() {
            return Some(EngineKind::Generic);
        }
        let mut asked = JoinSet::new();
        for (at, (path, word, _)) in ASK.into_iter().enumerate() {
            let (server, headers) = (Arc::clone(self), headers.clone());
            asked.spawn(async move {
                let (_, body) = server.ask_one(path, &headers, WAIT).await?;
                toolglot_json::from_slice(&body).ok()?.get(word).map(|_| at)
            });
        }
        let first = asked.join_all().await.into_iter().flatten().min();
        Some(first.map_or(EngineKind::Generic, |at| ASK[at].2))
    }

    /// Sends one request; returns the `Server` header and the body of a successful answer.
    pub(crate) async fn ask_one(&self, path: &str, headers: &HeaderMap, wait: Duration) -> Option<(String, Vec<u8>)> {
        let uri = self.same_path(&path.parse().ok()?).ok()?;
        let mut headers = headers.clone();
        headers.remove(http::header::CONTENT_TYPE);
        let answer = self.send(Method::GET, uri, headers, axum::body::Body::empty());
        let answer: Response = tokio::time::timeout(wait, answer).await.ok()?.ok()?;
        if !answer.status().is_success() {
            return None;
        }
        let server = answer.headers().get(http::header::SERVER).and_then(|value| value.to_str().ok());
        let server = server.unwrap_or_default().to_owned();
        let body = tokio::time::timeout(wait, Limited::new(answer.into_body(), 4 << 20).collect()).await.ok()?.ok()?;
        Some((server, body.to_bytes().to_vec()))
    }
}
