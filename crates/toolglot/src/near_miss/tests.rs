//! Each reason, and texts that have none.

use super::*;
use crate::parse;

const DECLARED: &str =
    r#"[{"name": "search", "parameters": {"properties": {"query": {"type": "string"}}}}, {"name": "read_file"}]"#;

fn reason(text: &str, dialects: &[&str], tools: &str) -> Option<(MissReason, String)> {
    let all = Dialects::builtin();
    let dialects = if dialects.is_empty() { all } else { all.only(dialects).unwrap() };
    let tools = Tools::from_json_str(tools).unwrap();
    let options = Options::default();
    let message = parse(text, &dialects, &tools, &options);
    let miss = near_miss(text, &message, &dialects, &tools, &options)?;
    assert!(miss.diagnostic.span.end <= text.len(), "{miss:?}");
    Some((miss.reason, miss.diagnostic.message))
}

#[test]
fn the_reason_is_named() {
    use MissReason::*;
    let json = r#"{"name": "search", "arguments": {"query": "x"}}"#;
    let rows: &[(&str, &[&str], &str, MissReason, &str)] = &[
        (
            "<tool_call>{\"name\": \"search\", \"arguments\": {\"query\": \"x",
            &[],
            DECLARED,
            CutOff,
            "ends inside a call to `search`",
        ),
        ("<tool_call>{\"name\": \"search\"", &[], DECLARED, CutOff, "ends inside a call to `search`, before"),
        ("<tool_call>{\"name\": \"search\", \"argum", &[], DECLARED, CutOff, "ends inside a call to `search`, before"),
        (json, &[], "", NoTools, "`search`, but no tools are declared"),
        ("[search(query=\"x\")]", &[], "", NoTools, "`search`"),
        ("Action: search\nAction Input: {\"query\": \"x\"}", &[], "", NoTools, "`search`"),
        ("[serch(query=\"x\")]", &[], DECLARED, UnknownName, "did you mean `search`?"),
        (&format!("<tool_call>{json}</tool_call>"), &["kimi_k2"], DECLARED, OtherDialect, "`hermes`"),
        (&format!("Like this: `<tool_call>{json}</tool_call>`"), &[], DECLARED, InCode, "`search`"),
        (&format!("So:\n\n```xml\n<tool_call>{json}</tool_call>\n```\n"), &[], DECLARED, InCode, "Markdown code"),
        (
            &format!("I will use {json} now."),
            &[],
            DECLARED,
            WeakMarker,
            "prompt the model to write the call and nothing else",
        ),
        (&format!("So:\n\n```json\n{json}\n```\nDone."), &[], DECLARED, InCode, "set `evidence` to `eager`"),
        (&format!("So: &lt;tool_call&gt;{json}&lt;/tool_call&gt;"), &[], DECLARED, UnknownMarker, "escaped for HTML"),
        ("<tool_call>{\"name\": \"sea", &[], DECLARED, CutOff, "ends inside a call to `sea`, before"),
        (
            "<tool_call>{\"name\": \"search\", \"arguments\": {\"query\" ~ \"x\"}}</tool_call>",
            &[],
            DECLARED,
            Broken,
            "opens a call in the dialect `hermes`, but the text after it cannot be parsed as one; its JSON is invalid at byte 52: expected `:`",
        ),
        ("Let me call search(query=\"x\") for you.", &[], DECLARED, WeakMarker, "too weak"),
        (&format!("<tool_cal>{json}</tool_cal>"), &[], DECLARED, UnknownMarker, "the nearest is `<tool_call>`"),
        ("<tool_run name=\"search\"><q>x</q></tool_run>", &[], DECLARED, UnknownMarker, "`<tool_run` is not a marker"),
        (
            &format!("<my_tool_run>{json}</my_tool_run> and more"),
            &["kimi_k2"],
            DECLARED,
            UnknownMarker,
            "`<my_tool_run>` is not",
        ),
        ("search query=cats", &[], DECLARED, UnknownMarker, "with its parameter `query`"),
        (r#"{"do": "search", "with": {"query": "cats"}}"#, &[], DECLARED, UnknownMarker, "`search` appears with"),
        (r#" {"query": "cats"} "#, &[], DECLARED, UnknownMarker, "looks like the arguments of `search`"),
        (
            r#"{"name": "search", "arguments": {"query": "x""#,
            &[],
            DECLARED,
            UnknownMarker,
            "an object that is not closed; the answer may be cut off",
        ),
        ("[search(query=cats]", &[], DECLARED, UnknownMarker, "not in the form"),
        (&format!("<think>a <tool_call>{json}</tool_call> draft</think>Hello"), &[], DECLARED, InReasoning, "draft"),
    ];
    check(rows);
}

/// Checks rows of a text, the dialects, the tools, the reason and some of its words.
#[track_caller]
fn check(rows: &[(&str, &[&str], &str, MissReason, &str)]) {
    let mut wrong = Vec::new();
    for (text, dialects, tools, expected, words) in rows {
        match reason(text, dialects, tools) {
            Some((found, said)) if found == *expected && said.contains(words) => {}
            found => wrong.push(format!("{text:?}: {found:?}, expected {expected:?} with {words:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_fault_is_named_with_its_place() {
    use MissReason::*;
    let json = r#"{"name": "search", "arguments": {"query": "x"}}"#;
    let rows: [(&str, &[&str], MissReason, &str); 12] = [
        (
            r#"<tool_call>{"name": "search", "arguments": {"query": "x</tool_call>"#,
            &["kimi_k2"],
            OtherDialect,
            "a marker of the dialect `hermes`, which is not enabled",
        ),
        (
            r#"<tool_call>{"tool_to_run": "search", "args": {"query": "x"}}</tool_call>"#,
            &["hermes"],
            Broken,
            "its JSON is invalid at byte 11: no key `name` with the tool's name",
        ),
        (
            "<tool_call>\n<parameter=search>\n<parameter=query>\nx\n</parameter>\n</tool_call>",
            &["qwen3_coder"],
            OtherDialect,
            "in the dialect `qwen25_drift`, which is not enabled",
        ),
        (&format!("So: <my_own>{json}</my_own>"), &[], UnknownMarker, "`<my_own>` is not a marker"),
        ("Action: search\nAction Input: {\"query\": \"x\"\nOk.", &[], UnknownMarker, "invalid at byte 43"),
        ("[search(query=\"cats]", &[], UnknownMarker, "the string that begins at byte 14 is not closed"),
        ("```json\n{\"do\": \"search\", \"query\": \"x\n```\n", &[], UnknownMarker, "inside Markdown code"),
        (
            &format!("So:\n```\n<tool_call>{}</tool_call>\n```\n", json.replace("search", "serch")),
            &["hermes"],
            InCode,
            "the tool is not declared; did you mean `search`?",
        ),
        (
            &format!("Not `<tool_call>{json}</tool_call>`:\n<tool_call>{{\"name\": \"search\" ~}}</tool_call> here."),
            &["hermes"],
            Broken,
            "its JSON is invalid at byte 107",
        ),
        (
            r#"<tool_call>{"name": "search", "arguments": {"query": cats, "x"}}</tool_call> ok"#,
            &["hermes"],
            Broken,
            "cannot be parsed to its end: its JSON is invalid at byte 53: expected value",
        ),
        (
            r#"<tool_call>{"name": "search", "arguments": {"query": "c</b>", "k": [1}}</tool_call> ok"#,
            &["hermes"],
            Broken,
            "does not match the tool's declaration (byte 83); `missing_bracket` at byte 71",
        ),
        (
            r#"<tool_call>{"name": "search", "arguments": {"query": "say "hi", and "ho", {}}</tool_call> ok"#,
            &["hermes"],
            CutOff,
            "in the string `query`; `inner_quote` at byte 58",
        ),
    ];
    check(&rows.map(|(text, dialects, reason, words)| (text, dialects, DECLARED, reason, words)));
}

#[test]
fn an_option_that_prevents_a_call_is_named() {
    let tools = Tools::from_json_str(DECLARED).unwrap();
    let dialects = Dialects::builtin();
    let check = |text: &str, options: Options, words: &str| {
        let message = parse(text, &dialects, &tools, &options);
        let miss = near_miss(text, &message, &dialects, &tools, &options).map(|miss| miss.diagnostic.message);
        assert!(miss.as_ref().is_some_and(|found| found.contains(words)), "{miss:?}");
    };
    let call = |arguments: &str| format!("<tool_call>{{\"name\": \"search\", \"arguments\": {arguments}}}</tool_call>");
    let options = Options::default;
    let strict = options().with_validation(crate::Validation::Strict);
    check(&call("{\"query\": 3, \"q\": 1}"), strict, "; set `validation` to `lenient` to accept it");
    let bare = options().with_repairs(crate::Repairs::NONE);
    check(&call("{\"query\": 'x'}"), bare, "byte 53: expected value; set `repairs` to `all` to accept it");
    let limits = crate::Limits::default().with_arguments(10);
    check(
        &call("{\"query\": \"cats\"}"),
        options().with_limits(limits),
        "reached a limit: arguments too long (limit `arguments`); ended here (byte ",
    );
    let quote = options().with_calls_in_reasoning(CallsInReasoning::Quote);
    check(&format!("<think>{}", call("{\"query\": \"x\"}")), quote, "set `calls_in_reasoning` to `wait`");
}

#[test]
fn prose_and_code_are_no_near_miss() {
    for text in [
        "",
        "Just text.",
        "Use `print(x)` or a <b>tag</b>, see [the docs](https://example.com) and f(x) = 2x.",
        "```python\ndef main():\n    print(\"hello\")\n```",
        "The result is {\"total\": 3, \"items\": [1, 2]}.",
        "Steps:\n1. open(file)\n2. read(file)\n",
        "<html><body><p>Hello</p><input name=\"search\"></body></html>",
        "A reader looks for <tool_call> and </tool_call>, with JSON between.",
        "```json\n{\"name\": \"Alice\", \"age\": 30}\n```",
    ] {
        assert_eq!(reason(text, &[], ""), None, "{text}");
        assert_eq!(reason(text, &[], DECLARED), None, "{text}");
    }
}

#[test]
fn a_tool_beside_its_parameter_is_found_by_whole_words() {
    let tools = Tools::from_json_str(DECLARED).unwrap();
    let found = marker::unmarked("research query: no; search my_query, query=cats", &tools);
    assert_eq!(found, Some(("search", "query", 20..42)));
    assert_eq!(marker::unmarked("The search has a query of words.", &tools), None);
}

#[test]
fn a_weak_marker_of_a_chosen_dialect_is_a_miss_without_tools_too() {
    let text = "I will do [search(query=\"x\")] now.";
    assert_eq!(reason(text, &["pythonic"], "").map(|found| found.0), Some(MissReason::WeakMarker));
    assert_eq!(reason(text, &[], ""), None);
}

#[test]
fn a_message_with_calls_misses_nothing() {
    let text =
        r#"<tool_call>{"name": "search", "arguments": {}}</tool_call> and `<tool_call>{"name": "search"}</tool_call>`"#;
    assert_eq!(reason(text, &[], DECLARED), None);
}

#[test]
fn long_texts_are_looked_at_from_their_end() {
    let text = "é".repeat(100_000) + "\n[search(query=\"x\")]";
    assert_eq!(reason(&text, &[], "").map(|found| found.0), Some(MissReason::NoTools));
    let hostile = "<a {\"name\" `".repeat(20_000);
    let from = std::time::Instant::now();
    let _ = reason(&hostile, &[], DECLARED);
    assert!(from.elapsed().as_secs() < 30);
}
