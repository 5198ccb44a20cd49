//! The verdict on a server's answers, and fixes.
//!
//! | answers | condition | fix |
//! |---|---|---|
//! | none to the plain request | unanswered | the URL, the key, the model's name |
//! | an error only with tools | rejects tools | a server flag, or tools in the prompt |
//! | a native call with a wrong name or arguments | calls broken | the proxy |
//! | a call in the text | calls in text | the proxy, or the server's parser |
//! | a native call, but not in the stream | streams unread | the proxy |
//! | text that looks like a call | no call | depends on the near miss |
//! | no call at all | no call | tools in the prompt |
//!
//! If a toolglot proxy is already in front of the server, the fix is one of its settings.

use toolglot_wire::EngineKind;

use super::{Condition, Examination, Probe};

/// Returns the verdict on three answers: plain, with a tool, streamed.
pub(super) fn verdict(probes: &[Probe]) -> Condition {
    let [plain, tool, stream] = probes else { return Condition::Unanswered };
    let both = [tool, stream];
    if plain.fault.is_some() {
        return Condition::Unanswered;
    }
    if tool.fault.is_some() {
        return Condition::RefusesTools;
    }
    if both.iter().any(|probe| probe.broken_calls > 0) {
        return Condition::CallsBroken;
    }
    match both.map(|probe| probe.native_calls > 0) {
        [true, true] => Condition::Healthy,
        [true, false] => Condition::StreamsUnread,
        _ if both.iter().any(|probe| probe.calls_in_text > 0) => Condition::CallsInText,
        _ => Condition::NoCall,
    }
}

/// Returns the fixes, the most reliable first.
pub(super) fn fixes(found: &Examination, engine: EngineKind) -> Vec<String> {
    let proxy = |more: &str| {
        if found.is_toolglot {
            return format!(
                "restart the existing `toolglot serve` with{}",
                if more.is_empty() { " --set capture=misses" } else { more }
            );
        }
        format!("toolglot serve --upstream {}{more}", found.url)
    };
    let written = found.probes.iter().find_map(|probe| probe.dialect.clone());
    let own = own_parser(found, engine);
    let with_own = |proxy: String| [Some(proxy), own.clone()].into_iter().flatten().collect();
    let pinned = written.as_ref().map(|name| format!(" --dialect {name}")).unwrap_or_default();
    match found.verdict {
        Condition::Healthy => Vec::new(),
        Condition::Unanswered => vec![unanswered(found)],
        Condition::StreamsUnread => vec![proxy("")],
        Condition::CallsBroken => with_own(proxy("")),
        Condition::CallsInText => with_own(proxy(&pinned)),
        Condition::RefusesTools => with_own(proxy(" --set route.mode=auto")),
        Condition::NoCall => missed(found).unwrap_or_else(|| vec![proxy(" --set route.mode=prompt")]),
    }
}

/// Returns the fix for text that looks like a call.
fn missed(found: &Examination) -> Option<Vec<String>> {
    let reason = found.probes.iter().find_map(|probe| probe.miss_reason)?;
    let first = match reason {
        "cut_off" => "raise the server's limit on output tokens",
        "unknown_marker" => {
            "create a dialect: `toolglot dialects new mine.toml --example FILE --call 'NAME ARGUMENTS'`"
        }
        _ => "save the answer to a file and run `toolglot explain FILE`",
    };
    Some(vec![first.to_owned()])
}

fn unanswered(found: &Examination) -> String {
    let [plain, ..] = &found.probes[..] else { return String::new() };
    match plain.status {
        401 | 403 => "pass the server's key with `--key`".to_owned(),
        404 if found.models.is_empty() => {
            "check the path of the URL: `/v1/chat/completions` is appended to it".to_owned()
        }
        404 => format!("name one of its models with `--model`: {}", found.models.join(", ")),
        0 => "start the server, or check the address and the port".to_owned(),
        _ => "check the server's log; requests fail even without tools".to_owned(),
    }
}

/// Returns the command that makes the server parse the dialect of its model, if it can.
fn own_parser(found: &Examination, engine: EngineKind) -> Option<String> {
    let written = found.probes.iter().find_map(|probe| probe.dialect.as_deref());
    let dialect = written.or(found.template.as_deref()).or(found.by_name.as_deref());
    let parser = |engine: usize| dialect.map_or(Some("NAME"), |dialect| parser(dialect, engine));
    let model = word(&found.model);
    match engine {
        EngineKind::Vllm => {
            Some(format!("vllm serve {model} --enable-auto-tool-choice --tool-call-parser {}", parser(0)?))
        }
        EngineKind::Sglang => {
            Some(format!("python -m sglang.launch_server --model-path {model} --tool-call-parser {}", parser(1)?))
        }
        EngineKind::LlamaCpp => Some("llama-server --jinja …, with the model's own chat template".to_owned()),
        EngineKind::Ollama => Some("a Modelfile whose TEMPLATE mentions `.Tools`".to_owned()),
        _ => None,
    }
}

const PARSERS: &str = include_str!("parsers.txt");

/// Returns the name of a dialect's parser in an engine, given by its column.
fn parser(dialect: &str, engine: usize) -> Option<&'static str> {
    let row =
        PARSERS.lines().map(str::split_whitespace).find_map(|mut row| (row.next() == Some(dialect)).then_some(row));
    row?.nth(engine).filter(|name| *name != "-")
}

/// Quotes a text for a shell; model names may contain anything.
fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-:@".contains(c);
    let quoted = text.is_empty() || text.starts_with('-') || !text.chars().all(is_plain);
    if quoted { format!("'{}'", text.replace('\'', r"'\''")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use toolglot::Dialects;

    use super::*;

    #[test]
    fn the_table_names_dialects_that_exist_and_three_words_a_row() {
        let dialects = Dialects::builtin();
        for row in PARSERS.lines().filter(|row| !row.starts_with('#')) {
            let words: Vec<&str> = row.split_whitespace().collect();
            assert!(words.len() == 3 && dialects.get(words[0]).is_some_and(|known| known.name() == words[0]), "{row}");
        }
        assert_eq!([parser("harmony", 0), parser("harmony", 1)], [Some("openai"), Some("gpt-oss")]);
        assert_eq!([parser("xlam", 1), parser("no_such", 0)], [None, None]);
    }

    #[test]
    fn a_models_name_is_one_word_of_a_shell() {
        assert_eq!(word("Qwen/Qwen3-8B"), "Qwen/Qwen3-8B");
        assert_eq!(word("a; rm -rf 'b'"), r"'a; rm -rf '\''b'\'''");
        assert_eq!(word("--help"), "'--help'");
    }
}
