//! What the answers of a server mean, and what mends it.
//!
//! | what arrived | condition | what mends it |
//! |---|---|---|
//! | nothing for the plain request | unanswered | the address, the key, the model's name |
//! | an error for tools only | refuses tools | the server's flag, or the prompt |
//! | a native call whose name or arguments are wrong | calls broken | the proxy |
//! | a call in the text of the whole answer | calls in text | the proxy, or the server's parser |
//! | a native call, but not in the stream | streams unread | the proxy |
//! | no call at all | no call | the prompt |

use toolglot_wire::EngineKind;

use super::{Condition, Examination, Probe};

/// Says what three answers mean: plain, with a tool, streamed.
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

/// Returns what to do, the surest first.
pub(super) fn fixes(found: &Examination, engine: EngineKind) -> Vec<String> {
    let proxy = |more: &str| format!("toolglot serve --upstream {}{more}", found.url);
    let written = found.probes.iter().find_map(|probe| probe.dialect.clone());
    let dialect = written.as_ref().or(found.template.as_ref()).or(found.by_name.as_ref());
    let pinned = written.as_ref().map(|name| format!(" --dialect {name}")).unwrap_or_default();
    match found.verdict {
        Condition::Healthy => Vec::new(),
        Condition::Unanswered => vec![unanswered(found)],
        Condition::CallsBroken | Condition::StreamsUnread => vec![proxy("")],
        Condition::CallsInText => {
            let own = own_parser(engine, dialect.map(String::as_str));
            [Some(proxy(&pinned)), own].into_iter().flatten().collect()
        }
        Condition::RefusesTools => {
            let own = own_parser(engine, dialect.map(String::as_str));
            [Some(proxy(" --set route.mode=auto")), own].into_iter().flatten().collect()
        }
        Condition::NoCall => vec![proxy(" --set route.mode=prompt")],
    }
}

fn unanswered(found: &Examination) -> String {
    let [plain, ..] = &found.probes[..] else { return String::new() };
    match plain.status {
        401 | 403 => "pass the server's key with `--key`".to_owned(),
        404 if found.models.is_empty() => {
            "check the path of the URL: `/v1/chat/completions` is looked for below it".to_owned()
        }
        404 => format!("name one of its models with `--model`: {}", found.models.join(", ")),
        0 => "start the server, or check the address and the port".to_owned(),
        _ => "see the server's own log; without tools it should answer, too".to_owned(),
    }
}

/// How the server itself is told to read calls.
fn own_parser(engine: EngineKind, dialect: Option<&str>) -> Option<String> {
    let parser = dialect.map_or_else(|| "NAME".to_owned(), |name| format!("NAME, with its name for `{name}`"));
    match engine {
        EngineKind::Vllm => Some(format!("vllm serve … --enable-auto-tool-choice --tool-call-parser {parser}")),
        EngineKind::Sglang => Some(format!("python -m sglang.launch_server … --tool-call-parser {parser}")),
        EngineKind::LlamaCpp => Some("llama-server … --jinja, with the model's own chat template".to_owned()),
        EngineKind::Ollama => Some("a Modelfile whose TEMPLATE mentions `.Tools`".to_owned()),
        _ => None,
    }
}
