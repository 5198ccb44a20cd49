//! Token counts of the Messages protocol, which does not count cached tokens as input.

use toolglot_json::{Map, Value};

use crate::response_event::Usage;

/// Replaces counts with later ones: counts are totals.
pub(super) fn merge(usage: &mut Map, more: Option<&Value>) {
    let counts = more.and_then(Value::as_object).into_iter().flatten().filter(|(_, value)| !value.is_null());
    usage.extend(counts.map(|(key, value)| (key.clone(), value.clone())));
}

/// Returns the counts in the form that all protocols share, if there are any.
pub(super) fn read(own: Map) -> Option<Usage> {
    let count = |key: &str| own[key].as_u64();
    let cached = count("cache_read_input_tokens");
    let made = count("cache_creation_input_tokens");
    let details = own.get("output_tokens_details");
    let reasoning = ["thinking_tokens", "reasoning_tokens"].iter().find_map(|key| details?.get(*key)?.as_u64());
    let plain = count("input_tokens");
    plain.or(count("output_tokens"))?;
    Some(Usage {
        input: [plain, cached, made].into_iter().flatten().fold(0, u64::saturating_add),
        output: count("output_tokens").unwrap_or_default(),
        cached,
        reasoning,
        own: own.into(),
    })
}

/// Returns the counts in this protocol: as the server sent them if it uses it, otherwise converted.
pub(super) fn write(usage: &Usage) -> Map {
    let openai = ["total_tokens", "input_tokens_details", "prompt_tokens"];
    let is_ours = |own: &&Map| own.contains_key("input_tokens") && !openai.iter().any(|key| own.contains_key(key));
    let cached = usage.cached.unwrap_or_default();
    let mut counts = usage.own.as_object().filter(is_ours).cloned().unwrap_or_else(|| {
        let input = usage.input.saturating_sub(cached);
        let cached = usage.cached.map(|cached| ("cache_read_input_tokens".to_owned(), cached.into()));
        [("input_tokens".to_owned(), input.into())].into_iter().chain(cached).collect()
    });
    counts["output_tokens"] = usage.output.into();
    counts
}
