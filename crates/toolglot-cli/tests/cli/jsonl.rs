//! The line protocol: order, errors, overrides, and that cutting changes nothing.

use serde_json::{Value, json};

use crate::{Done, file, toolglot};

fn lines(done: &Done) -> Vec<Value> {
    done.out.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// Lines of very different cost, so that workers overtake each other.
fn many() -> String {
    let line = |n: usize| {
        let text = format!("line {n} <tool_call>{{\"name\": \"f\", \"arguments\": {{\"n\": {n}}}}}</tool_call> é");
        json!({ "id": n, "text": text.repeat(if n.is_multiple_of(500) { 100 } else { 1 }) }).to_string() + "\n"
    };
    (0..10_000).map(line).collect()
}

#[test]
fn ten_thousand_lines_keep_their_order_and_cutting_changes_nothing() {
    let input = many();
    let whole = toolglot(&["parse", "--jsonl", "--dialect", "hermes"], &input);
    assert_eq!((whole.code, whole.err.as_str()), (0, "10000 lines; 11980 calls\n"));
    assert_eq!(toolglot(&["parse", "--jsonl", "--quiet", "--dialect", "hermes"], &input).err, "");
    let ids: Vec<u64> = lines(&whole).iter().filter_map(|line| line["id"].as_u64()).collect();
    assert!(ids.iter().copied().eq(0..10_000));
    for chunk in ["1", "3", "random:1", "random:2"] {
        let cut = toolglot(&["parse", "--jsonl", "--dialect", "hermes", "--chunk", chunk], &input);
        assert!(cut.out == whole.out, "--chunk {chunk} changed the output");
    }
}

#[test]
fn a_run_ends_with_what_it_came_to() {
    let call = |arguments: &str| {
        json!({"text": format!("<tool_call>{{\"name\": \"f\", \"arguments\": {arguments}}}</tool_call>")}).to_string()
    };
    let cut = json!({"text": "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": "}).to_string();
    let missed = json!({"text": "`<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>`"}).to_string();
    let input = [call("{a: 1,}"), call("{a: 2}"), "{}".to_owned(), cut, missed].join("\n");
    let first = file("tally_one.jsonl", &input);
    let done = toolglot(&["parse", "--jsonl", "--dialect", "hermes", &first, &first], "");
    let wanted = "10 lines; 4 calls; 2 incomplete calls; 2 failed lines; missed: in_code 2; repairs: bare_key 4, trailing_comma 2; other diagnostics: truncated 2\n";
    assert_eq!((done.code, done.err.as_str(), done.out.lines().count()), (1, wanted, 10));
}

#[test]
fn members_have_the_documented_order_and_ids_are_echoed_exactly() {
    let done =
        toolglot(&["parse", "--jsonl"], "{\"text\":\"hi\",\"id\":1.50}\n{\"text\":\"\",\"id\":{\"b\":1,\"a\":[]}}");
    let wanted = "{\"id\":1.50,\"message\":{\"role\":\"assistant\",\"content\":\"hi\"},\"finish_reason\":\"stop\",\"dialect\":null,\"diagnostics\":[]}\n\
                  {\"id\":{\"b\":1,\"a\":[]},\"message\":{\"role\":\"assistant\",\"content\":null},\"finish_reason\":\"stop\",\"dialect\":null,\"diagnostics\":[]}\n";
    assert_eq!((done.code, done.out.as_str()), (0, wanted));
}

#[test]
fn broken_lines_say_what_to_do_and_the_run_goes_on() {
    let broken: &[(&[u8], &str)] = &[
        (b"nonsense", "one JSON object per line"),
        (b"[1]", "one JSON object per line"),
        (b"{\"id\":1} {}", "one JSON object per line"),
        (b"{\"id\":1}", "missing `text`"),
        (b"{\"id\":1,\"text\":null}", "missing `text`"),
        (b"{\"id\":1,\"text\":5}", "`text` must be a string"),
        (b"{\"id\":1,\"text\":\"\\ud800\"}", "surrogates"),
        (b"{\"id\":1,\"text\":\"\xFF\"}", "not UTF-8"),
        (b"{\"id\":1,\"text\":\"\",\"dialect\":\"no_such\"}", "no_such"),
        (b"{\"id\":1,\"text\":\"\",\"dialect\":7}", "a name or a list of names"),
        (b"{\"id\":1,\"text\":\"\",\"tools\":\"x\"}", "invalid `tools`"),
        (b"{\"id\":1,\"text\":\"\",\"options\":[]}", "`options` must be an object"),
        (b"{\"id\":1,\"text\":\"\",\"options\":{\"evidense\":\"strict\"}}", "did you mean `evidence`?"),
        (b"{\"id\":1,\"text\":\"\",\"options\":{\"evidence\":\"much\"}}", "strict, balanced, eager"),
        (b"{\"id\":1,\"text\":\"\",\"options\":{\"reasoning_open\":\"yes\"}}", "`true` or `false`"),
        (b"{\"id\":1,\"text\":\"\",\"options\":{\"repairs\":[\"magic\"]}}", "magic"),
        (b"{\"id\":1,\"text\":\"\",\"options\":{\"limits\":{\"depth\":-1}}}", "a non-negative integer"),
        (b"{\"id\":1,\"text\":\"\",\"options\":{\"limits\":{\"width\":1}}}", "held, arguments, depth, calls"),
    ];
    let mut input = Vec::new();
    for (line, _) in broken {
        input.extend_from_slice(line);
        input.push(b'\n');
    }
    input.extend_from_slice(b"{\"id\":\"last\",\"text\":\"fine\"}");
    let done = toolglot(&["parse", "--jsonl"], input);
    let answers = lines(&done);
    assert_eq!((done.code, answers.len()), (1, broken.len() + 1));
    for (at, ((line, hint), answer)) in broken.iter().zip(&answers).enumerate() {
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.contains(hint), "{} says {answer}", String::from_utf8_lossy(line));
        assert_eq!(answer["line"], at + 1);
        assert!(answer["id"].is_null() || answer["id"] == 1);
    }
    assert_eq!(answers[broken.len()]["message"]["content"], "fine");
}

#[test]
fn every_option_is_understood_and_null_leaves_the_flag() {
    let options = json!({
        "dialects": ["hermes"], "validation": "strict", "untyped": "string", "reasoning_open": false,
        "finish_reason": null, "calls_in_reasoning": "quote", "evidence": "eager", "unknown_tool": "text",
        "accept_incomplete": true, "repairs": ["fence"], "limits": {"held": 1000, "arguments": 1000, "depth": 9, "calls": 2}
    });
    let line = json!({"id": 1, "text": "x", "tools": null, "dialect": null, "options": options}).to_string();
    let done = toolglot(&["parse", "--jsonl", "--finish-reason", "length"], line);
    assert_eq!(done.code, 0, "{}", done.out);
    assert_eq!(lines(&done)[0]["finish_reason"], "length");
}

#[test]
fn calls_and_cut_off_calls_have_the_documented_members() {
    let text = "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call><tool_call>{\"name\": \"g\", \"arguments\": {\"a\": \"x";
    let done = toolglot(&["parse", "--jsonl"], json!({"id": 1, "text": text, "dialect": "hermes"}).to_string());
    let answer = &lines(&done)[0];
    let function = json!({"name": "f", "arguments": "{}"});
    let id = &answer["message"]["tool_calls"][0]["id"];
    assert_eq!(answer["message"]["tool_calls"], json!([{"id": id, "type": "function", "function": function}]));
    assert_eq!((&answer["finish_reason"], &answer["dialect"]), (&json!("tool_calls"), &json!("hermes")));
    let cut = &answer["incomplete_calls"][0];
    assert_eq!((&cut["name"], &cut["outcome"]), (&json!("g"), &json!("truncated")), "{answer}");
    assert!(cut["text"].as_str().is_some_and(|text| text.ends_with("\"x")), "{cut}");
    let codes: Vec<&Value> = answer["diagnostics"].as_array().into_iter().flatten().map(|row| &row["code"]).collect();
    assert!(codes.contains(&&json!("truncated")), "{codes:?}");
}

#[test]
fn what_a_line_says_stands_above_the_flags() {
    let tool = |kind: &str| json!([{"name": "f", "parameters": {"properties": {"a": {"type": kind}}}}]);
    let text = "<function=f><parameter=a>5</parameter></function>";
    let line = |tools| json!({"id": 1, "text": text, "dialect": "qwen3_coder", "tools": tools}).to_string();
    let input = [line(tool("integer")), line(tool("string")), line(json!(null))].join("\n");
    let path = file("string_tool.json", tool("string").to_string());
    let done = toolglot(&["parse", "--jsonl", "--dialect", "hermes", "--tools", &path], input);
    let arguments = |line: &Value| line["message"]["tool_calls"][0]["function"]["arguments"].to_string();
    let wanted = [r#""{\"a\": 5}""#, r#""{\"a\": \"5\"}""#, r#""{\"a\": \"5\"}""#].map(|text| text.replace(": ", ":"));
    let got: Vec<String> = lines(&done).iter().map(|line| arguments(line).replace(": ", ":")).collect();
    assert_eq!(got, wanted);
}

#[test]
fn blank_lines_line_ends_and_a_byte_order_mark_are_no_lines() {
    let done = toolglot(&["parse", "--jsonl"], "\u{FEFF}{\"id\":1,\"text\":\"a\"}\r\n\n \n{\"id\":2}");
    let answers = lines(&done);
    assert_eq!((done.code, answers.len()), (1, 2));
    assert_eq!(answers[1]["line"], 4);
}

#[test]
fn a_line_without_end_is_not_kept() {
    let most = 64 << 20;
    let line = |text: &str| format!("{{\"text\":\"{text}\"}}");
    let around = line("").len();
    for (length, is_fine) in [(most, true), (most + 1, false), (most + (1 << 20), false)] {
        let input = format!("{}\n{}\n{}\n", line("first"), line(&"a".repeat(length - around)), line("last"));
        let done = toolglot(&["parse", "--jsonl", "--dialect", "hermes"], &input);
        let answers = lines(&done);
        assert_eq!((answers.len(), done.code), (3, i32::from(!is_fine)), "{length}");
        assert_eq!(answers[1].get("error").is_none(), is_fine, "{length}");
        if !is_fine {
            assert_eq!(answers[1]["error"], "the line is longer than 64 MiB; split it");
            assert_eq!(answers[1]["line"], 2);
        }
        assert_eq!(answers[2]["message"]["content"], "last", "{length}");
    }
    let unended = toolglot(&["parse", "--jsonl"], format!("{}\n{}", line("first"), "a".repeat(most + (3 << 20))));
    assert_eq!((lines(&unended).len(), unended.code), (2, 1));
}

#[test]
fn no_input_is_fine() {
    let done = toolglot(&["parse", "--jsonl"], "");
    assert_eq!((done.code, done.out.as_str()), (0, ""));
}
