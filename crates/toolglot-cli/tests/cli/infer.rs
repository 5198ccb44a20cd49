//! Dialects from chat templates: found, derived, certified, and templates that are not safe to run.

use serde_json::{Value, json};

use crate::{file, toolglot};

/// A template that writes calls in a format of its own.
const OWN: &str = "{%- for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}{% for c in m.tool_calls or [] %}<|do|>\
                   {{ c.function.name }}<|with|>{{ c.function.arguments | tojson }}<|done|>{% endfor %}<|end|>{% endfor %}\
                   {%- if add_generation_prompt %}<|assistant|>{% endif %}";

#[test]
fn a_derived_file_is_written_and_reads() {
    let (template, out) = (file("own_1.jinja", OWN), file("own.toml", ""));
    let done = toolglot(&["dialects", "infer", &template, "--out", &out, "--force"], "");
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(
        done.out.starts_with("dialect         own\ngrade           A ") || done.out.contains("grade           A "),
        "{}",
        done.out
    );
    let done = toolglot(&["parse", "--dialect", &out], "<|do|>ls<|with|>{\"path\": \"src\"}<|done|><|end|>");
    let message: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(message["tool_calls"][0]["function"]["arguments"], "{\"path\": \"src\"}");
}

#[test]
fn a_tokenizer_config_and_a_folder_are_read() {
    let config = json!({"chat_template": [{"name": "default", "template": "{{ x }}"}, {"name": "tool_use", "template": OWN}],
        "added_tokens_decoder": {"1": {"content": "<|do|>"}}});
    let config = file("tokenizer_config.json", config.to_string());
    let folder = std::path::Path::new(&config).parent().unwrap().to_string_lossy().into_owned();
    for template in [&config, &folder] {
        let done = toolglot(&["dialects", "infer", template, "--json"], "");
        let found: Value = serde_json::from_str(&done.out).unwrap();
        assert_eq!((found["grade"].as_str(), found["derived"].as_bool()), (Some("A"), Some(true)), "{}", done.err);
        assert!(found["file"].as_str().unwrap().contains("special = [\"<|do|>\"]"), "{}", done.out);
    }
}

#[test]
fn a_built_in_dialect_is_certified_or_not() {
    let template = file("own_2.jinja", OWN);
    let done = toolglot(&["dialects", "certify", "hermes", "--template", &template], "");
    assert_eq!(done.code, 1);
    assert!(done.out.contains("grade           none"), "{}", done.out);
}

#[test]
fn a_template_without_calls_exits_with_1() {
    let template = file("plain.jinja", "{% for m in messages %}{{ m.content }}{% endfor %}");
    let done = toolglot(&["dialects", "infer", &template], "");
    assert_eq!((done.code, done.err.contains("writes no tool calls")), (1, true), "{}", done.err);
}

#[cfg(unix)]
#[test]
fn a_template_that_takes_all_memory_ends_in_an_error() {
    let greedy =
        "{% set ns = namespace(x='aaaaaaaa') %}{% for i in range(60) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}";
    let done = toolglot(&["dialects", "infer", &file("greedy.jinja", greedy)], "");
    assert_eq!(done.code, 2);
    assert!(done.err.contains("more than 512 MiB of memory"), "{}", done.err);
}
