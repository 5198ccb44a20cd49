//! The startup message: the address of the proxy, and settings for clients.

use std::fmt::Write as _;

use crate::headers::NO_KEY;
use crate::live::Live;

/// Returns the message; `has_page` says whether this build includes the inspector.
pub(crate) fn text(live: &Live, place: &str, has_page: bool) -> String {
    let scheme = if live.tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{}", place.replace("0.0.0.0", "127.0.0.1").replace("[::]", "[::1]"));
    let key = if live.keys.is_empty() { NO_KEY } else { "a key of this proxy" };
    let mut out = String::new();
    let mut line = |text: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{text}");
    };
    let servers: Vec<String> = live.config.upstreams.iter().map(|upstream| upstream.url.shown()).collect();
    let servers = if live.config.server.demo { "the built-in demo".to_owned() } else { servers.join(", ") };
    line(&format!("toolglot {} is listening on {place} in front of {servers}\n", env!("CARGO_PKG_VERSION")));
    if place.starts_with("unix:") {
        return out;
    }
    line(&format!("  OpenAI clients      export OPENAI_BASE_URL={url}/v1 OPENAI_API_KEY={key}"));
    line(&format!("  Claude Code         export ANTHROPIC_BASE_URL={url} ANTHROPIC_AUTH_TOKEN={key}"));
    line("  Codex               in ~/.codex/config.toml:");
    line("      model_provider = \"toolglot\"");
    line("      [model_providers.toolglot]");
    line("      name = \"toolglot\"");
    line(&format!("      base_url = \"{url}/v1\""));
    line("      wire_api = \"responses\"\n");
    if live.config.server.inspector && has_page {
        line(&format!("  Inspector           {url}/inspector/\n"));
    }
    if live.config.server.demo {
        demo(&mut out, &url);
    }
    out
}

/// The same request twice: the model's raw answer, and what a client receives.
fn demo(out: &mut String, url: &str) {
    let ask = |model: &str| {
        format!(
            "curl -s {url}/v1/chat/completions -d '{{\"model\": \"{model}\", \"messages\": [{{\"role\": \"user\", \
             \"content\": \"Weather?\"}}], \"tools\": [{{\"type\": \"function\", \"function\": {{\"name\": \
             \"get_weather\", \"parameters\": {{\"type\": \"object\", \"properties\": {{\"city\": {{\"type\": \
             \"string\"}}, \"days\": {{\"type\": \"integer\"}}}}}}}}}}]}}'"
        )
    };
    // Writing to a string cannot fail.
    let _ = writeln!(out, "What the model writes:\n\n{}\n", ask("raw/qwen3_coder"));
    let _ = writeln!(out, "What a client receives (any dialect can follow `demo/`):\n\n{}\n", ask("demo/qwen3_coder"));
}
