//! Repair of arguments: exit codes and the line protocol.

use crate::{file, toolglot};

#[test]
fn broken_lines_say_what_to_do() {
    let done = toolglot(&["repair", "--jsonl"], "{\"id\":1,\"arguments\":5}\n{\"id\":2,\"arguments\":[]}\nx");
    assert_eq!(done.code, 1);
    assert_eq!(done.out.matches("`arguments` must be a string").count(), 2, "{}", done.out);
    assert!(done.out.contains("\"line\":3"));
}

#[test]
fn the_tool_is_chosen_by_name_where_there_are_several() {
    let tools = r#"[{"type": "function", "function": {"name": "a"}}, {"type": "function", "function": {"name": "b"}}]"#;
    let path = file("two_tools.json", tools);
    let several = toolglot(&["repair", "--tools", &path], "{}");
    assert_eq!(several.code, 2);
    assert!(several.err.contains("2 tools are declared; name one with `--tool`: a, b"), "{}", several.err);
    let unknown = toolglot(&["repair", "--tools", &path, "--tool", "c"], "{}");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("unknown tool `c`; did you mean `a`?"), "{}", unknown.err);
}

#[test]
fn a_line_names_its_tool_or_declares_it() {
    let tool =
        |name: &str, kind: &str| serde_json::json!({"name": name, "parameters": {"properties": {"n": {"type": kind}}}});
    let path =
        file("named_tools.json", serde_json::json!([tool("count", "integer"), tool("say", "string")]).to_string());
    let line =
        |tool: serde_json::Value| serde_json::json!({"id": 1, "arguments": "{\"n\": \"5\"}", "tool": tool}).to_string();
    let input = [line("count".into()), line("say".into()), line(tool("x", "integer")), line("cuont".into())].join("\n");
    let done = toolglot(&["repair", "--jsonl", "--tools", &path], input);
    let answers: Vec<serde_json::Value> = done.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let arguments: Vec<_> = answers.iter().filter_map(|answer| answer["arguments"].as_str()).collect();
    assert_eq!(arguments, ["{\"n\": 5}", "{\"n\": \"5\"}", "{\"n\": 5}"]);
    assert_eq!(answers[3]["error"], "unknown tool `cuont`; did you mean `count`?");
}

#[test]
fn cut_off_arguments_are_closed_if_asked_for() {
    let cut = "{\"path\": \"src/ma";
    let open = toolglot(&["repair"], cut);
    assert!(
        open.code == 1 && open.err.contains("error: the `\"` at line 1, column 10 is never closed"),
        "{}",
        open.err
    );
    let open = toolglot(&["repair"], "{\"a\": [1,\n {\"b\": 2");
    assert!(open.err.contains("the `{` at line 2, column 2 is never closed"), "{}", open.err);
    let none = toolglot(&["repair"], "prose");
    assert!(none.code == 1 && none.err.contains("error: no arguments recognised"), "{}", none.err);
    let done = toolglot(&["repair", "--accept-incomplete"], cut);
    assert_eq!((done.code, done.out.as_str()), (0, "{\"path\": \"src/ma\"}\n"), "{}", done.err);
}
