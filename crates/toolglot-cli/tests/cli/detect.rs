//! Detection: a table or JSON for each source that is given, with reasons.

use crate::{file, toolglot};

const QWEN: &str = "<tool_call>\n<function=now>\n</function>\n</tool_call>";

#[test]
fn an_output_on_stdin_gives_a_table_with_reasons() {
    let done = toolglot(&["detect"], QWEN);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.starts_with("from the output\n  qwen3_coder "), "{}", done.out);
    assert!(done.out.contains("marker `<function=`  12..22\n"), "{}", done.out);
}

#[test]
fn a_model_and_a_template_need_no_output() {
    let template = "{% for m in messages %}[{{ m.role }}]{{ m.content }}{% for c in m.tool_calls or [] %}[TOOL_CALLS]\
                    {{ c.function.name }}[ARGS]{{ c.function.arguments | tojson }}{% endfor %}</s>{% endfor %}";
    let template = file("chat.jinja", template);
    let done = toolglot(&["detect", "--json", "--model", "org/Kimi-K2-Instruct", "--template", &template], "");
    assert_eq!(done.code, 0, "{}", done.err);
    let found: serde_json::Value = serde_json::from_str(&done.out).unwrap_or_default();
    assert_eq!(found["model"][0]["dialect"], "kimi_k2");
    assert_eq!(found["template"][0]["dialect"], "mistral_v11");
    assert_eq!(found.get("output"), None);
}

#[test]
fn nothing_found_is_said_and_exits_with_1() {
    let done = toolglot(&["detect", "--model", "org/no-such-model"], "");
    assert_eq!((done.code, done.out.as_str()), (1, "from the model\n  no dialect matches\n"));
}

#[test]
fn a_template_that_only_mentions_markers_writes_no_calls() {
    let template = file(
        "mentions.jinja",
        "Never write <tool_call> {{ '<function=' }}!{% for m in messages %}{{ m.content }}{% endfor %}",
    );
    let done = toolglot(&["detect", "--template", &template], "");
    assert_eq!((done.code, done.out.as_str()), (1, "from the template\n  no dialect matches\n"));
    assert!(done.err.contains("this template writes no tool calls"), "{}", done.err);
}

#[test]
fn a_template_that_does_not_run_is_judged_by_its_text() {
    let template = file("broken.jinja", "{{ '[TOOL_CALLS]' + call.name + '[ARGS]' }}{% if %}");
    let done = toolglot(&["detect", "--template", &template], "");
    assert!(done.out.starts_with("from the template\n  mistral_v11 "), "{}", done.out);
    assert!(done.err.contains("using only the template's text"), "{}", done.err);
}
