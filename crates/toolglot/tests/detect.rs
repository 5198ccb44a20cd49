//! Which dialect it is: chat templates, names of models and outputs, each with the verdict expected first.

use toolglot::detect::{Verdict, from_model, from_output, from_template};
use toolglot::{Dialects, Tools};

/// Small chat templates, each behind a line with its dialect; `none` is one that calls no tools.
const TEMPLATES: &str = include_str!("wild/templates.jinja");

/// Dialects whose templates read the same: values differ only in the white space that is theirs.
const ALIKE: [(&str, &str); 1] = [("poolside_v1", "glm45")];

#[test]
fn templates_say_which_dialect_they_write() {
    let all = Dialects::builtin();
    let mut wrong = Vec::new();
    for (dialect, template) in templates() {
        let verdicts = from_template(template, &all);
        let first = verdicts.first().map_or("none", |verdict| &verdict.dialect);
        let tied = verdicts.iter().take_while(|verdict| verdict.score == verdicts[0].score);
        let is_tied = tied.into_iter().any(|verdict| &*verdict.dialect == dialect);
        if first != dialect && !(ALIKE.contains(&(dialect, first)) && is_tied) {
            wrong.push(format!("{dialect}: {}", shown(&verdicts)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn templates_may_be_escaped_as_in_json() {
    let all = Dialects::builtin();
    for (dialect, template) in templates().filter(|(dialect, _)| *dialect != "none") {
        let escaped = serde_json::to_string(template).unwrap().replace('<', "\\u003c");
        let names = |template| from_template(template, &all).into_iter().map(|v| v.dialect).collect::<Vec<_>>();
        assert_eq!(names(&escaped), names(template), "{dialect}");
    }
}

#[test]
fn names_of_models_say_which_dialect_they_write() {
    for (model, dialects) in [
        ("NousResearch/Hermes-3-Llama-3.1-8B", "hermes llama3_json"),
        ("Qwen/Qwen3-235B-A22B", "hermes"),
        ("qwen/qwen3-coder-next", "qwen3_coder hermes"),
        ("Qwen/Qwen2.5-Coder-7B-Instruct", "qwen25_drift hermes"),
        ("deepseek-ai/DeepSeek-V3", "deepseek_v3"),
        ("deepseek-ai/DeepSeek-V3.1-Terminus", "deepseek_v3_1"),
        ("deepseek-ai/DeepSeek-V3.2-Exp", "deepseek_v3_1"),
        ("deepseek-ai/DeepSeek-V3.2", "deepseek_v3_2"),
        ("deepseek-ai/DeepSeek-V4-Flash", "deepseek_v4"),
        ("deepseek-ai/DeepSeek-R1-Distill-Qwen-7B", "deepseek_v3"),
        ("moonshotai/Kimi-K2-Thinking", "kimi_k2"),
        ("moonshotai/Kimi-K3", "kimi_k3"),
        ("zai-org/GLM-4.6", "glm45"),
        ("zai-org/GLM-5", "glm47"),
        ("MiniMaxAI/MiniMax-M2.5", "minimax_m2"),
        ("openai/gpt-oss-120b", "harmony"),
        ("mistralai/Mistral-Nemo-Instruct-2407", "mistral_json"),
        ("mistralai/Devstral-Small-2507", "mistral_v11"),
        ("meta-llama/Llama-3.2-3B-Instruct", "pythonic llama3_json"),
        ("meta-llama/Llama-4-Scout-17B-16E", "llama3_json llama4_pythonic"),
        ("google/gemma-3-27b-it", "pythonic"),
        ("google/gemma-4-27b-it", "gemma4"),
        ("CohereLabs/c4ai-command-r7b-12-2024", "cohere_command"),
        ("CohereForAI/c4ai-command-r-plus-08-2024", "command_r cohere_command"),
        ("nvidia/Llama-3_3-Nemotron-Super-49B-v1", "nemotron_deci"),
        ("ibm-granite/granite-4.0-h-small", "hermes"),
        ("ibm-granite/granite-3.3-8b-instruct", "granite"),
        ("LLM360/K2-Horizon-32B", "k2_horizon_json k2_horizon"),
        ("anthropic/claude-sonnet-4.5", "anthropic_invoke"),
        ("katanemo/Arch-Agent-7B", "hermes"),
        ("Menlo/Jan-nano", "hermes"),
        ("falcon3:10b", "hermes"),
        ("smollm3", "hermes"),
        ("microsoft_Fara-7B-Q4_K_M.gguf", "hermes"),
        ("facebook/cwm", "cwm"),
        ("cwm:32b", "cwm"),
        ("rwkv7", "rwkv"),
        ("fla-hub/rwkv7-2.9B-g1", "rwkv"),
        ("llm-jp/llm-jp-4-8b-thinking", "harmony"),
        ("gpt-oss:20b", "harmony"),
        ("somebody/Some-Model-7B", ""),
    ] {
        let verdicts = from_model(model, &Dialects::builtin());
        let names: Vec<&str> = verdicts.iter().map(|verdict| &*verdict.dialect).collect();
        assert_eq!(names.join(" "), dialects, "{model}");
    }
}

#[test]
fn outputs_say_which_dialect_they_are() {
    let tools = Tools::from_json_str(include_str!("wild/tools.json")).unwrap();
    for (text, dialect) in [
        ("<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>", "hermes"),
        ("<tool_call>\n<function=now>\n</function>\n</tool_call>", "qwen3_coder"),
        ("<tool_call>search\n<arg_key>query</arg_key>\n<arg_value>x</arg_value>\n</tool_call>", "glm45"),
        ("[TOOL_CALLS][{\"name\": \"now\", \"arguments\": {}}]", "mistral_json"),
        ("[TOOL_CALLS]now[ARGS]{}", "mistral_v11"),
        ("<|tool_call>call:now{}<tool_call|>", "gemma4"),
        ("<|python_tag|>{\"name\": \"search\", \"parameters\": {\"query\": \"x\"}}", "llama3_json"),
        ("<function=search>{\"query\": \"x\"}</function>", "functionary_v3"),
        ("functools[{\"name\": \"now\", \"arguments\": {}}]", "phi4_mini"),
        ("<|channel|>commentary to=functions.now <|constrain|>json<|message|>{}<|call|>", "harmony"),
        ("[search(query=\"x\")]", "pythonic"),
        ("I looked.\n\nAction: search\nAction Input: {\"query\": \"x\"}", "react"),
    ] {
        let verdicts = from_output(text, &Dialects::builtin(), &tools);
        let first = verdicts.first().unwrap_or_else(|| panic!("nothing for {text}"));
        assert_eq!(&*first.dialect, dialect, "{text}: {}", shown(&verdicts));
    }
    for text in ["", "The weather is fine.", "<div>now</div>", "{\"city\": \"Seoul\"}"] {
        assert_eq!(from_output(text, &Dialects::builtin(), &tools), [], "{text}");
    }
}

#[test]
fn every_reason_points_at_what_it_names() {
    let text = "I see.\n<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";
    let all = Dialects::builtin();
    for verdict in from_output(text, &all, &Tools::default()) {
        for evidence in verdict.evidence.iter().filter(|evidence| evidence.what.starts_with("marker")) {
            let span = evidence.span.clone().unwrap();
            assert_eq!(evidence.what, format!("marker `{}`", &text[span]));
        }
    }
    for verdict in from_template(TEMPLATES, &all) {
        for evidence in verdict.evidence.iter().filter(|evidence| evidence.what.contains("marker")) {
            let span = evidence.span.clone().unwrap();
            assert!(evidence.what.contains(TEMPLATES[span].trim_end()), "{}", evidence.what);
        }
    }
}

#[test]
fn a_preferred_dialect_breaks_ties() {
    let text = "<tool_call>\n<function=search>\n<parameter=query>x</parameter>\n</function>\n</tool_call>";
    let all = Dialects::builtin();
    let preferred = all.prefer("mimo").unwrap();
    assert_eq!(preferred.iter().next().map(|dialect| dialect.name()), Some("mimo"));
    assert_eq!(preferred.len(), all.len());
    let message = toolglot::parse(text, &preferred, &Tools::default(), &toolglot::Options::default());
    assert_eq!(message.calls[0].name, "search");
    assert!(all.prefer("nothing").is_err());
}

fn templates() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEMPLATES.split("== ").skip(1).filter_map(|part| part.split_once('\n'))
}

fn shown(verdicts: &[Verdict]) -> String {
    let one = |verdict: &Verdict| {
        let reasons = verdict.evidence.iter().map(|evidence| format!("{:+} {}", evidence.weight, evidence.what));
        let reasons: Vec<String> = reasons.collect();
        format!("{} {} ({})", verdict.dialect, verdict.score, reasons.join(", "))
    };
    verdicts.iter().take(4).map(one).collect::<Vec<_>>().join("\n    ")
}
