//! Fetches a server's chat template.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use toolglot_json::{Value, json};
use toolglot_wire::EngineKind;

use crate::live::Shared;
use crate::template::{Learned, TemplateFacts};
use crate::upstream::Server;

/// Timeout for a server to return its template.
const WAIT: Duration = Duration::from_secs(5);

/// Returns the template and tokens in a server's properties.
pub(crate) fn of_properties(properties: &Value) -> Option<Value> {
    let template = properties.get("chat_template")?.as_str()?;
    let token = |name: &str| properties.get(name).cloned().unwrap_or_default();
    Some(json!({"chat_template": template, "bos_token": token("bos_token"), "eos_token": token("eos_token")}))
}

impl Server {
    /// Returns facts about the server's template, if it provides one. They are fetched once and logged.
    pub(crate) async fn learned(
        self: &Arc<Self>,
        engine: EngineKind,
        headers: &HeaderMap,
        shared: &Shared,
    ) -> Option<Arc<Learned>> {
        let read = shared.read_template().filter(|_| engine == EngineKind::LlamaCpp)?;
        let learned = self.template.get_or_try_init(|| async {
            let (_, properties) = self.ask_one("/props", headers, WAIT).await.ok_or(())?;
            let properties = serde_json::from_slice(&properties).map_err(drop)?;
            let Some(config) = of_properties(&properties) else { return Ok(None) };
            let found = tokio::task::spawn_blocking(move || read(&config.to_string())).await.map_err(drop)?;
            Ok::<_, ()>(self.log_template(found, shared))
        });
        learned.await.ok()?.clone()
    }

    fn log_template(&self, found: Result<TemplateFacts, String>, shared: &Shared) -> Option<Arc<Learned>> {
        let server = Value::from(self.name.as_str());
        match found {
            Ok(facts) => {
                let message = "using the server's chat template to read answers";
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
                shared.event("warning", "cannot use the server's chat template to read answers", &details);
                None
            }
        }
    }
}
