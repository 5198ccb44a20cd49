//! The fields and values of the protocol, in tables.

use toolglot_json::{Map, Value, json};

use crate::response_event::{Finish, Usage};

/// The fields of a response or chunk that readers and writers handle.
pub(crate) const RESPONSE: &[&str] = &["id", "object", "created", "model", "choices", "usage", "error", "obfuscation"];

/// The fields of a choice.
pub(crate) const CHOICE: &[&str] = &["index", "delta", "message", "finish_reason", "text"];

/// The fields of a message or delta.
pub(crate) const MESSAGE: &[&str] = &[
    "role",
    "content",
    "refusal",
    "reasoning_content",
    "reasoning",
    "reasoning_details",
    "tool_calls",
    "function_call",
];

/// Fields of a request that do not change the answer.
pub(crate) const NEUTRAL: [&str; 9] = [
    "metadata",
    "modalities",
    "prompt_cache_key",
    "prompt_cache_retention",
    "safety_identifier",
    "service_tier",
    "store",
    "stream_options",
    "verbosity",
];

/// The finish reasons as servers write them; the first spelling of each is the one that writers use.
pub(crate) const FINISH: [(&str, Finish); 14] = [
    ("stop", Finish::Stop),
    ("tool_calls", Finish::ToolCalls),
    ("length", Finish::Length),
    ("content_filter", Finish::ContentFilter),
    ("function_call", Finish::ToolCalls),
    ("tool_use", Finish::ToolCalls),
    ("tool-calls", Finish::ToolCalls),
    ("eos", Finish::Stop),
    ("eos_token", Finish::Stop),
    ("end_turn", Finish::Stop),
    ("max_tokens", Finish::Length),
    ("model_length", Finish::Length),
    ("safety", Finish::ContentFilter),
    ("malformed_function_call", Finish::Stop),
];

/// Returns the name of a finish reason; unknown ones are passed on as the server sent them.
pub(crate) fn finish_name(finish: &Finish) -> &str {
    match finish {
        Finish::Other(name) => name,
        Finish::StopSequence(_) => FINISH[0].0,
        known => FINISH.iter().find(|(_, finish)| finish == known).map_or(FINISH[0].0, |(name, _)| name),
    }
}

/// Returns a field if it is a string and not empty.
pub(crate) fn text<'m>(map: &'m Map, key: &str) -> Option<&'m str> {
    map[key].as_str().filter(|text| !text.is_empty())
}

/// Returns the token counts in this protocol: as the server sent them if it uses it, otherwise converted.
pub(crate) fn usage(usage: &Usage) -> Value {
    if usage.own.get("prompt_tokens").is_some() {
        return usage.own.clone();
    }
    let mut counts = json!({"prompt_tokens": usage.input, "completion_tokens": usage.output,
        "total_tokens": usage.input.saturating_add(usage.output)});
    if let Some(cached) = usage.cached {
        counts["prompt_tokens_details"] = json!({"cached_tokens": cached});
    }
    if let Some(reasoning) = usage.reasoning {
        counts["completion_tokens_details"] = json!({"reasoning_tokens": reasoning});
    }
    counts
}
