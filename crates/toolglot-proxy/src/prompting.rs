//! Prompt mode: for which models the tools are written into the prompt, and in which dialect.

use std::sync::Arc;

use toolglot::{Dialect, Dialects, detect};
use toolglot_wire::Fault;

use crate::config::RouteSettings;

/// What is told of a request that was sent again with the tools in its prompt.
pub(crate) const WHY: &str = "the server takes no tools; they are in the prompt";

/// What operators are told whose server refuses tools.
pub(crate) const ADVICE: &str = "the server takes no tools; with `mode = \"auto\"` they are written into the prompt";

/// The advice to operators whose server takes no grammar beside tools.
pub(crate) const HOLD_ADVICE: &str = "the server takes no grammar beside tools; with `mode = \"auto\"` they are written into the prompt, and the grammar is sent";

/// The dialect of models that nothing is known of: more of them were trained on it than on any other.
const USUAL: &str = "hermes";

/// Words of the errors with which servers refuse tools: Ollama, OpenRouter, llama-server, vLLM, and what others say.
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

/// Says whether an error means that the server takes no tools for the model.
pub(crate) fn is_refusal(fault: &Fault) -> bool {
    let message = fault.message.to_lowercase();
    matches!(fault.status, 400 | 404 | 422 | 500 | 501) && REFUSALS.iter().any(|words| message.contains(words))
}

/// Returns the dialect that a route names for prompts: one that is set, or the first of those that it reads.
pub(crate) fn chosen(route: &RouteSettings, dialects: &Dialects) -> Result<Option<Arc<Dialect>>, String> {
    if !route.teach.is_empty() {
        let found = dialects.get(&route.teach).cloned().or_else(|| Dialects::builtin().get(&route.teach).cloned());
        let wrong = || format!("unknown dialect `{}`; `toolglot dialects list` shows them all", route.teach);
        return found.map(Some).ok_or_else(wrong);
    }
    Ok(first(route, dialects))
}

/// Returns the first of the dialects that a route reads, if it names them.
pub(crate) fn first(route: &RouteSettings, dialects: &Dialects) -> Option<Arc<Dialect>> {
    let is_open = route.dialect.iter().any(|name| name == "auto" || name == "off");
    dialects.iter().next().filter(|_| !is_open).cloned()
}

/// Returns the dialect in which a model is told of tools, unless its route names one.
pub(crate) fn of_model(model: &str, dialects: &Dialects) -> Option<Arc<Dialect>> {
    by_name(model, dialects).or_else(|| dialects.get(USUAL).or_else(|| dialects.iter().next()).cloned())
}

/// Returns the dialect that a model of this name writes, if the name says it.
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
