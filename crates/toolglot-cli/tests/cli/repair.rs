//! Repair of arguments: exit codes and the line protocol.

use crate::{file, toolglot};

#[test]
fn broken_lines_say_what_to_do() {
    let done = toolglot(&["repair", "--jsonl"], "{\"id\":1,\"arguments\":5}\n{\"id\":2,\"arguments\":[]}\nx");
    assert_eq!(done.code, 1);
    assert_eq!(done.out.matches("`arguments` is no string").count(), 2, "{}", done.out);
    assert!(done.out.contains("\"line\":3"));
}

#[test]
fn the_tool_is_chosen_by_name_where_there_are_several() {
    let tools = r#"[{"type": "function", "function": {"name": "a"}}, {"type": "function", "function": {"name": "b"}}]"#;
    let path = file("two_tools.json", tools);
    let several = toolglot(&["repair", "--tools", &path], "{}");
    assert_eq!(several.code, 2);
    assert!(several.err.contains("add `--tool` with one of a, b"), "{}", several.err);
    let unknown = toolglot(&["repair", "--tools", &path, "--tool", "c"], "{}");
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("declares no tool `c`; use a, b"), "{}", unknown.err);
}
