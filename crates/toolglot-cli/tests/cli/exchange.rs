//! Dialects from answers, and in the formats of others.

use serde_json::Value;

use crate::{file, toolglot};

#[test]
fn a_whole_answer_makes_a_file_without_its_prose() {
    let text = "Sure, let me look that up for you: @@run brew {\"tea\": \"oolong\"} @@end\nHope that helps!\n";
    let (example, out) = (file("answer.txt", text), file("brew.toml", ""));
    let call = "brew {\"tea\": \"oolong\"}";
    let done = toolglot(&["dialects", "new", &out, "--force", "--example", &example, "--call", call, "--strong"], "");
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("call    = \"@@run {name} {arguments} @@end\""), "{}", done.out);
    let done = toolglot(&["dialects", "check", &out, "--example", &example, "--call", call], "");
    assert_eq!((done.code, done.out.contains("the example is read as brew(")), (0, true), "{}{}", done.out, done.err);
}

#[test]
fn a_file_that_does_not_read_its_example_is_told_so() {
    let (example, own) = (file("other.txt", "<act>ls</act>"), file("act.toml", "call = \"<call>{call}</call>\"\n"));
    let done = toolglot(&["dialects", "check", &own, "--example", &example], "");
    assert_eq!((done.code, done.err.contains("the example is read as no call")), (1, true), "{}", done.err);
}

#[test]
fn a_dialect_goes_to_a_response_template_and_back() {
    let config = file("export_config.json", r#"{"eos_token": "</s>"}"#);
    let done = toolglot(&["dialects", "export", "qwen3_coder", "--as", "response-template", "--into", &config], "");
    assert_eq!((done.code, done.err.contains("are not read")), (0, true), "{}", done.err);
    let written: Value = serde_json::from_str(&std::fs::read_to_string(&config).unwrap()).unwrap();
    assert_eq!((&written["eos_token"], &written["response_template"]["version"]), (&"</s>".into(), &1.into()));
    let out = file("back.toml", "");
    let done = toolglot(&["dialects", "import", &config, "--out", &out, "--force"], "");
    assert_eq!(done.code, 0, "{}", done.err);
    let text = "<tool_call>\n<function=ls>\n<parameter=path>\nsrc\n</parameter>\n</function>\n</tool_call>";
    assert!(toolglot(&["parse", "--dialect", &out], text).out.contains("{\\\"path\\\": \\\"src\\\"}"));
}

#[test]
fn what_a_response_template_cannot_say_is_refused_by_name() {
    let done = toolglot(&["dialects", "export", "cline", "--as", "response-template"], "");
    assert_eq!((done.code, done.err.contains("{tree}")), (1, true), "{}", done.err);
    let template = file("odd.json", r#"{"start_anchor": "<a>", "fields": {"mood": {}}}"#);
    let done = toolglot(&["dialects", "import", &template], "");
    assert_eq!((done.code, done.err.contains("field `mood`")), (1, true), "{}", done.err);
}
