//! Prompt mode: when tools are written into the prompt, and in which dialect.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, detect};
use toolglot_wire::Fault;

use crate::config::RouteSettings;

/// The note on a request that was resent with the tools in its prompt.
pub(crate) const WHY: &str = "the server does not accept tools; they were sent in the prompt";

/// The note on a request whose tools the server rejects.
pub(crate) const ADVICE: &str = "the server does not accept tools; set `mode = \"auto\"` to send them in the prompt";

/// The note on a request whose grammar the server does not accept with tools.
pub(crate) const HOLD_ADVICE: &str = "the server does not accept a grammar with tools; set `mode = \"auto\"` to send the tools in the prompt and the grammar with them";

/// The dialect for unknown models, on which most models were trained.
const USUAL: &str = "hermes";

/// Phrases in errors of servers that reject tools: Ollama, OpenRouter, llama-server, vLLM and others.
const REFUSALS: [&str; 11] = [
    "does not support tools",
    "support tool use",
    "requires --jinja",
    "tool choice requires",
    "does not support function calling",
    "does not support tool",
    "tools are not supported",
    "tools is not supported",
    "tool calling is not supported",
    "tool use is not supported",
    "function calling is not supported",
];

/// Returns whether an error means that the server does not accept tools for the model.
pub(crate) fn is_refusal(fault: &Fault) -> bool {
    let message = fault.message.to_lowercase();
    matches!(fault.status, 400 | 404 | 422 | 500 | 501) && REFUSALS.iter().any(|words| message.contains(words))
}

/// Returns the dialect for prompts that a route sets, or else the first of those that it reads.
pub(crate) fn chosen(route: &RouteSettings, dialects: &Dialects) -> Result<Option<Arc<Dialect>>, String> {
    if !route.teach.is_empty() {
        let found = dialects.get(&route.teach).cloned().or_else(|| Dialects::builtin().get(&route.teach).cloned());
        let wrong = || format!("unknown dialect `{}`; run `toolglot dialects list` to list all", route.teach);
        return found.map(Some).ok_or_else(wrong);
    }
    Ok(first(route, dialects))
}

/// Returns the first of the dialects that a route reads, if it lists them.
pub(crate) fn first(route: &RouteSettings, dialects: &Dialects) -> Option<Arc<Dialect>> {
    let is_open = route.dialect.iter().any(|name| name == "auto" || name == "off");
    dialects.iter().next().filter(|_| !is_open).cloned()
}

/// Returns the dialect for tools in a model's prompt, unless its route sets one.
pub(crate) fn of_model(model: &str, dialects: &Dialects) -> Option<Arc<Dialect>> {
    by_name(model, dialects).or_else(|| dialects.get(USUAL).or_else(|| dialects.iter().next()).cloned())
}

/// Returns the dialect of models with this name, if known.
pub(crate) fn by_name(model: &str, dialects: &Dialects) -> Option<Arc<Dialect>> {
    let known = detect::from_model(model, dialects).into_iter().next()?;
    dialects.get(&known.dialect).cloned()
}

#[cfg(test)]
mod tests {
    use toolglot_wire::FaultKind;

    use super::*;

    #[test]
    fn refusals_of_tools_are_known() {
        for (message, wanted) in [
            ("registry.ollama.ai/library/gemma:2b does not support tools", true),
            ("No endpoints found that support tool use", true),
            ("tools param requires --jinja flag", true),
            ("\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set", true),
            ("this model's maximum context length is 4096 tokens", false),
            ("tool_choice names an unknown tool", false),
        ] {
            assert_eq!(is_refusal(&Fault::new(FaultKind::Request, message)), wanted, "{message}");
        }
        assert!(!is_refusal(&Fault::new(FaultKind::RateLimit, "does not support tools")));
    }

    #[test]
    fn a_model_is_told_in_its_own_dialect() {
        let all = Dialects::builtin();
        let name = |model: &str| of_model(model, &all).map(|dialect| dialect.name().to_owned());
        assert_eq!(name("Qwen/Qwen3-Coder-30B-A3B-Instruct").as_deref(), Some("qwen3_coder"));
        assert_eq!(name("nobody-knows").as_deref(), Some("hermes"));
        let few = all.only(&["pythonic"]).unwrap_or_default();
        assert_eq!(
            of_model("nobody-knows", &few).map(|dialect| dialect.name().to_owned()).as_deref(),
            Some("pythonic")
        );
    }
}
