//! What a server's chat template says of its answers: the dialect of the calls, what the prompt opens, what ends a turn.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http_body_util::{BodyExt, Limited};
use serde::Serialize;
use serde_json::{Value, json};
use toolglot::{Dialect, Dialects};
use toolglot_wire::EngineKind;

use crate::live::Shared;
use crate::upstream::Server;

/// What a chat template was proved to write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TemplateFacts {
    /// The dialect.
    pub dialect: String,
    /// How well it fits: `A`, `B` or `C`.
    pub grade: String,
    /// The dialect's file, if it was derived from the template.
    #[serde(skip)]
    pub file: Option<String>,
    /// What the prompt opens for the model.
    pub prefill: String,
    /// What ends a turn.
    pub ends: Vec<String>,
    /// Whether the calls are found among all dialects; otherwise only this one is read.
    pub found_by_auto: bool,
}

/// Reads a chat template, given as JSON with `chat_template` and perhaps tokens, or says why it cannot.
///
/// A template is a program from a stranger: whoever runs it limits its steps and its memory.
pub type ReadTemplate = fn(&str) -> Result<TemplateFacts, String>;

/// What is known of a server's template.
pub(crate) struct Learned {
    facts: TemplateFacts,
    dialect: Arc<Dialect>,
}

impl Learned {
    fn new(facts: TemplateFacts) -> Option<Self> {
        let dialect = match &facts.file {
            Some(file) => Arc::new(Dialect::from_toml("template", file).ok()?),
            None => Arc::clone(Dialects::builtin().get(&facts.dialect)?),
        };
        Some(Self { facts, dialect })
    }

    /// The dialects to read with: this one first, or alone where the others would take its calls for something else.
    pub(crate) fn dialects(&self, known: &Dialects) -> Dialects {
        if !self.facts.found_by_auto {
            return [Arc::clone(&self.dialect)].into_iter().collect();
        }
        known.with((*self.dialect).clone())
    }

    pub(crate) fn opens_reasoning(&self) -> bool {
        !self.facts.prefill.is_empty()
    }
}

/// How long a server may take to show its template.
const WAIT: Duration = Duration::from_secs(5);

/// Returns what a server's properties say: its template, and the tokens that it names.
pub(crate) fn of_properties(properties: &Value) -> Option<Value> {
    let template = properties.get("chat_template")?.as_str()?;
    let token = |name: &str| properties.get(name).cloned().unwrap_or_default();
    Some(json!({"chat_template": template, "bos_token": token("bos_token"), "eos_token": token("eos_token")}))
}

impl Server {
    /// Returns what the server's template says, if it shows one; asked once it has answered, and told in the log.
    pub(crate) async fn learned(
        self: &Arc<Self>,
        engine: EngineKind,
        headers: &HeaderMap,
        shared: &Shared,
    ) -> Option<Arc<Learned>> {
        let read = shared.read_template().filter(|_| engine == EngineKind::LlamaCpp)?;
        let learned = self.template.get_or_try_init(|| async {
            let properties = self.properties(headers).await.ok_or(())?;
            let Some(config) = of_properties(&properties) else { return Ok(None) };
            let found = tokio::task::spawn_blocking(move || read(&config.to_string())).await.map_err(drop)?;
            Ok::<_, ()>(self.told(found, shared))
        });
        learned.await.ok()?.clone()
    }

    fn told(&self, found: Result<TemplateFacts, String>, shared: &Shared) -> Option<Arc<Learned>> {
        let server = Value::from(self.name.as_str());
        match found {
            Ok(facts) => {
                let message = "the server's chat template says how its answers are read";
                let details = [
                    ("upstream", server),
                    ("dialect", Value::from(facts.dialect.as_str())),
                    ("grade", Value::from(facts.grade.as_str())),
                    ("prefill", if facts.prefill.is_empty() { Value::Null } else { facts.prefill.as_str().into() }),
                    ("stop", if facts.ends.is_empty() { Value::Null } else { json!(facts.ends) }),
                ];
                shared.event("info", message, &details);
                Learned::new(facts).map(Arc::new)
            }
            Err(why) => {
                let details = [("upstream", server), ("reason", Value::from(why))];
                shared.event("warning", "the server's chat template does not say how its answers are read", &details);
                None
            }
        }
    }

    async fn properties(&self, headers: &HeaderMap) -> Option<Value> {
        let uri = self.same_path(&"/props".parse().ok()?).ok()?;
        let mut headers = headers.clone();
        headers.remove(http::header::CONTENT_TYPE);
        let asked = self.send(http::Method::GET, uri, headers, axum::body::Body::empty());
        let answer = tokio::time::timeout(WAIT, asked).await.ok()?.ok()?;
        if !answer.status().is_success() {
            return None;
        }
        let body = Limited::new(answer.into_body(), 4 << 20).collect();
        let body = tokio::time::timeout(WAIT, body).await.ok()?.ok()?;
        serde_json::from_slice(&body.to_bytes()).ok()
    }
}
