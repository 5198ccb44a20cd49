//! Which program serves the models: set, or found out by asking what only one of them answers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::response::Response;
use http::{HeaderMap, Method};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinSet;
use toolglot_wire::EngineKind;

use crate::upstream::Server;

/// What is known of a server's program.
pub(crate) struct Engine {
    set: Option<EngineKind>,
    found: watch::Sender<Found>,
}

/// What was found out, and since when somebody has been finding out.
#[derive(Clone, Copy, Default)]
struct Found {
    kind: Option<(EngineKind, Instant)>,
    asking: Option<Instant>,
}

/// Paths that only one program answers, with a word of the answer; asked of servers without a telling list of
/// models; the first of those that answer counts.
const ASK: [(&str, &str, EngineKind); 5] = [
    ("/props", "default_generation_settings", EngineKind::LlamaCpp),
    ("/get_model_info", "model_path", EngineKind::Sglang),
    ("/api/version", "version", EngineKind::Ollama),
    ("/api/v0/models", "data", EngineKind::LmStudio),
    ("/version", "version", EngineKind::Vllm),
];

/// How long a request waits for one of these answers. The answer is a constant of the server; one that takes longer
/// is not ready, and the client's request must not time out for it.
const WAIT: Duration = Duration::from_secs(2);

/// How long the first requests wait for all of it: the markers of their calls may depend on it.
const PATIENCE: Duration = Duration::from_secs(1);

/// After this time a server is asked again: another program may have been started at its address. Five minutes bound
/// how long a restart is treated wrongly, at the cost of one request.
const FRESH: Duration = Duration::from_secs(300);

/// A server that did not show what it is, is asked again sooner: it may have been starting.
const UNSURE: Duration = Duration::from_secs(30);

impl Engine {
    pub(crate) fn new(set: Option<EngineKind>) -> Self {
        Self { set, found: watch::Sender::new(Found::default()) }
    }
}

impl Found {
    fn is_stale(self) -> bool {
        self.kind.is_none_or(|(kind, when)| when.elapsed() >= if kind == EngineKind::Generic { UNSURE } else { FRESH })
    }
}

impl Server {
    /// Returns what serves the models. What is known is used at once, however old, while somebody asks again; only the
    /// first requests wait, and not for long.
    pub(crate) async fn engine_kind(self: &Arc<Self>, headers: &HeaderMap) -> EngineKind {
        if let Some(kind) = self.engine.set {
            return kind;
        }
        let begins = self.engine.found.send_if_modified(|found| {
            let begins = found.is_stale() && found.asking.is_none();
            if begins {
                found.asking = Some(Instant::now());
            }
            begins
        });
        if begins {
            let (server, headers) = (Arc::clone(self), headers.clone());
            tokio::spawn(async move { server.find_out(headers).await });
        }
        let mut found = self.engine.found.subscribe();
        let since = found.borrow().asking.map_or(Duration::ZERO, |since| since.elapsed());
        let known = found.wait_for(|found| found.kind.is_some());
        let known = tokio::time::timeout(PATIENCE.saturating_sub(since), known).await;
        let kind = known.ok().and_then(Result::ok).and_then(|found| found.kind);
        kind.map_or(EngineKind::Generic, |(kind, _)| kind)
    }

    async fn find_out(self: Arc<Self>, headers: HeaderMap) {
        let kind = self.ask(&headers).await;
        self.engine.found.send_modify(|found| {
            // A server that does not answer now is what it was.
            let known = found.kind.map_or(EngineKind::Generic, |(kind, _)| kind);
            *found = Found { kind: Some((kind.unwrap_or(known), Instant::now())), asking: None };
        });
    }

    /// Asks what the server is; nothing if it does not answer.
    async fn ask(self: &Arc<Self>, headers: &HeaderMap) -> Option<EngineKind> {
        let (server, models) = self.ask_one("/v1/models", headers).await?;
        let models: Value = serde_json::from_slice(&models).unwrap_or_default();
        if let Some(kind) = EngineKind::of_models(&models) {
            return Some(kind);
        }
        if server.contains("llama.cpp") {
            return Some(EngineKind::LlamaCpp);
        }
        // A service on the internet is none of these, and would wonder about the questions.
        if self.is_https() {
            return Some(EngineKind::Generic);
        }
        let mut asked = JoinSet::new();
        for (at, (path, word, _)) in ASK.into_iter().enumerate() {
            let (server, headers) = (Arc::clone(self), headers.clone());
            asked.spawn(async move {
                let (_, body) = server.ask_one(path, &headers).await?;
                serde_json::from_slice::<Value>(&body).ok()?.get(word).map(|_| at)
            });
        }
        let first = asked.join_all().await.into_iter().flatten().min();
        Some(first.map_or(EngineKind::Generic, |at| ASK[at].2))
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
