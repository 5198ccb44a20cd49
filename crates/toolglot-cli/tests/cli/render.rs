//! Messages as text: one, many, and those that cannot be written.

use crate::{file, toolglot};

const MESSAGE: &str = r#"{"role": "assistant", "content": [{"type": "text", "text": "Hi."}], "reasoning_content": "plan",
    "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"a\":1.50}"}},
                   {"function": {"name": "g", "arguments": {"big": 12345678901234567890}}}]}"#;

#[test]
fn a_message_becomes_the_text_and_nothing_else() {
    let done = toolglot(&["render", "--dialect", "functionary"], MESSAGE.replace("reasoning_content", "extra"));
    assert_eq!((done.code, done.err.as_str()), (0, ""));
    assert_eq!(
        done.out,
        "Hi.\n<function=f>{\"a\": 1.50}</function>\n<function=g>{\"big\": 12345678901234567890}</function>"
    );
}

#[test]
fn what_was_rendered_parses_to_the_same_message() {
    for dialect in ["glm47", "harmony", "kimi_k2", "gigachat35"] {
        let text = toolglot(&["render", "-d", dialect], MESSAGE).out;
        let back = toolglot(&["parse", "-d", dialect], &text).out;
        assert_eq!(toolglot(&["render", "-d", dialect], &back).out.trim_end(), text.trim_end(), "{dialect}: {back}");
    }
}

#[test]
fn a_message_that_cannot_be_said_fails_with_the_reason() {
    let done = toolglot(&["render", "-d", "react"], MESSAGE);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.contains("`react` cannot express the reasoning"), "{}", done.err);
    let unchecked =
        toolglot(&["render", "-d", "glm45", "--no-check"], r#"{"tool_calls":[{"name":"f","arguments":{"a":"5"}}]}"#);
    assert_eq!((unchecked.code, unchecked.out.contains("<arg_value>5<")), (0, true));
}

#[test]
fn each_line_has_its_dialect_its_tools_and_its_answer() {
    let lines = [
        r#"{"id": 1, "dialect": "glm47", "message": {"tool_calls": [{"function": {"name": "f", "arguments": {"a": "5"}}}]}}"#,
        r#"{"id": 2, "dialect": "glm47", "tools": [{"name": "f", "parameters": {"properties": {"a": {"type": "string"}}}}],
            "message": {"tool_calls": [{"function": {"name": "f", "arguments": {"a": "5"}}}]}}"#,
        r#"{"id": 3, "message": {"content": "Hi."}}"#,
        r#"{"id": 4, "dialect": "no_such", "message": {"content": "Hi."}}"#,
        r#"{"id": 5}"#,
    ];
    let input = lines.map(|line| line.replace('\n', " ")).join("\n");
    let done = toolglot(&["render", "--jsonl"], input);
    let answers: Vec<&str> = done.out.lines().collect();
    assert_eq!(done.code, 1);
    assert!(answers[0].starts_with(r#"{"id":1,"error":"`glm47` cannot express parameter `a`"#), "{}", answers[0]);
    let text = "<tool_call>f<arg_key>a</arg_key><arg_value>5</arg_value></tool_call>";
    assert_eq!(answers[1], format!(r#"{{"id":2,"text":"{text}"}}"#));
    assert!(answers[2].contains("expected one dialect"), "{}", answers[2]);
    assert!(answers[3].contains("unknown dialect `no_such`"), "{}", answers[3]);
    assert!(answers[4].contains("missing `message`"), "{}", answers[4]);
}

#[test]
fn a_dialect_file_of_ones_own_is_written_too() {
    let path = file("run.toml", "call = \"<run>{call}</run>\"");
    let done = toolglot(&["render", "-d", &path], r#"{"tool_calls": [{"function": {"name": "ls", "arguments": ""}}]}"#);
    assert_eq!(done.out, "<run>{\"name\": \"ls\", \"arguments\": {}}</run>");
}
