//! The startup message: the address of the proxy, and settings for clients.

use crate::headers::NO_KEY;
use crate::live::Live;

/// Returns the message; `has_page` says whether this build includes the inspector.
pub(crate) fn text(live: &Live, place: &str, has_page: bool) -> String {
    let scheme = if live.tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}", place.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]"));
    let key = if live.keys.is_empty() { NO_KEY } else { "a key of this proxy" };
    let servers: Vec<String> = live.config.upstreams.iter().map(|upstream| upstream.url.shown()).collect();
    let servers = if live.config.server.demo { "the built-in demo".to_owned() } else { servers.join(", ") };
    let version = env!("CARGO_PKG_VERSION");
    let mut out = format!("toolglot {version} is listening on {place} in front of {servers}\n\n");
    if place.starts_with("unix:") {
        return out;
    }
    out += &format!(
        r#"  OpenAI clients      export OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY={key}
  Claude Code         export ANTHROPIC_BASE_URL={url} ANTHROPIC_AUTH_TOKEN={key}
  Codex               in ~/.codex/config.toml:
      model_provider = "toolglot"
      [model_providers.toolglot]
      name = "toolglot"
      base_url = "{url}/v1"
      wire_api = "responses"

"#
    );
    if live.config.server.inspector && has_page {
        out += &format!("  Inspector           {url}/inspector/\n\n");
    }
    if live.config.server.demo { out + &demo(&url) } else { out }
}

/// The same request twice: the model's raw answer, and what a client receives.
fn demo(url: &str) -> String {
    let ask = |model: &str| {
        format!(
            "curl -s {url}/v1/chat/completions -d '{{\"model\": \"{model}\", \"messages\": [{{\"role\": \"user\", \
             \"content\": \"Weather?\"}}], \"tools\": [{{\"type\": \"function\", \"function\": {{\"name\": \
             \"get_weather\", \"parameters\": {{\"type\": \"object\", \"properties\": {{\"city\": {{\"type\": \
             \"string\"}}, \"days\": {{\"type\": \"integer\"}}}}}}}}}}]}}'"
        )
    };
    let (raw, read) = (ask("raw/qwen3_coder"), ask("demo/qwen3_coder"));
    format!("What the model writes:\n\n{raw}\n\nWhat a client receives (any dialect can follow `demo/`):\n\n{read}\n\n")
}
