//! One message: its JSON, its events, its explanation.

use serde_json::Value;

use crate::{file, toolglot};

#[test]
fn text_is_a_message_without_calls() {
    let path = file("plain.txt", "just text\n");
    for args in [&["parse", &path][..], &["parse", "-"], &["parse"]] {
        let done = toolglot(args, "just text\n");
        assert_eq!((done.code, done.err.as_str()), (0, ""));
        let wanted = r#"{"role":"assistant","content":"just text\n","finish_reason":"stop","dialect":null}"#;
        assert_eq!(done.out, format!("{wanted}\n"));
    }
}

#[test]
fn a_call_that_was_cut_off_is_never_just_missing() {
    let done = toolglot(&["parse"], "<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"/");
    let message: Value = serde_json::from_str(&done.out).expect("a message");
    assert_eq!((&message["finish_reason"], &message["dialect"]), (&"length".into(), &"hermes".into()));
    let cut = &message["incomplete_calls"][0];
    assert_eq!((&cut["name"], &cut["outcome"]), (&"ls".into(), &"truncated".into()), "{message}");
}

#[test]
fn a_binary_file_is_refused_in_one_line() {
    let path = file("picture.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0");
    for args in [&["parse"][..], &["parse", "--events"], &["parse", "--jsonl"], &["explain"], &["repair"]] {
        let done = toolglot(&[args, &[&path]].concat(), "");
        assert_eq!((done.code, done.out.as_str(), done.err.lines().count()), (2, "", 1), "{}", done.err);
        assert!(done.err.contains("picture.png` is a binary file"), "{}", done.err);
    }
}

#[test]
fn a_file_that_is_not_utf_8_is_read_lossily() {
    let path = file("latin1.txt", b"caf\xE9 cr\xE8me");
    for chunk in ["1", "2", "100"] {
        let done = toolglot(&["parse", "--chunk", chunk, &path], "");
        let message: Value = serde_json::from_str(&done.out).expect("a message");
        assert_eq!((done.code, message["content"].as_str()), (0, Some("caf\u{FFFD} cr\u{FFFD}me")));
    }
}

#[test]
fn events_tile_the_input_and_end() {
    let done = toolglot(&["parse", "--events", "--chunk", "random:3"], "some text é 全 that goes on");
    let events: Vec<Value> = done.out.lines().map(|line| serde_json::from_str(line).expect("an event")).collect();
    let (end, events) = events.split_last().expect("at least the end");
    assert_eq!(end["type"], "end");
    let mut at = 0;
    for event in events {
        assert_eq!(event["start"], at, "{event}");
        at = event["end"].as_u64().expect("a place");
    }
    assert_eq!(at, 29);
}

#[test]
fn explain_names_every_step_and_shows_bytes_escaped() {
    let done = toolglot(&["explain"], "text \x1b[31m\n");
    assert_eq!(done.code, 0);
    assert!(done.out.contains("\"text \\u{1b}[31m\\n\""), "{}", done.out);
    assert!(done.out.contains("finish_reason stop"));
}

/// A message with a call that needs a repair, on its second line.
const REPAIRED: &str = "Let me see.\n<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"/\",}}</tool_call>\n";

#[test]
fn a_call_goes_to_stdout_and_what_was_repaired_to_stderr() {
    let path = file("repaired.txt", REPAIRED);
    let done = toolglot(&["parse", "--dialect", "hermes", &path], "");
    let message: Value = serde_json::from_str(&done.out).expect("a message");
    let function = &message["tool_calls"][0]["function"];
    assert_eq!(
        (done.code, function["name"].as_str(), function["arguments"].as_str()),
        (0, Some("ls"), Some("{\"path\": \"/\"}"))
    );
    assert!(done.err.contains("repair[trailing_comma]: ") && done.err.contains("repaired.txt:2:"), "{}", done.err);
    let (line, carets) =
        done.err.lines().zip(done.err.lines().skip(1)).find(|(_, next)| next.contains('^')).expect("carets");
    let marked = line.as_bytes().get(carets.find('^').expect("a caret"));
    assert!(matches!(marked, Some(b',' | b'}')), "{}", done.err);
}

#[test]
fn flags_are_policies() {
    let done = toolglot(&["parse", "--repairs", "none"], REPAIRED);
    let message: Value = serde_json::from_str(&done.out).expect("a message");
    assert_eq!((done.code, &message["tool_calls"]), (0, &Value::Null));
    let cut = "<tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"/ho";
    assert!(!toolglot(&["parse"], cut).out.contains("tool_calls"));
    assert!(toolglot(&["parse", "--accept-incomplete"], cut).out.contains("tool_calls"));
}

#[test]
fn ids_are_the_same_again_unless_they_are_random() {
    let ids = |flags: &[&str]| {
        let message: Value = serde_json::from_str(&toolglot(flags, REPAIRED).out).expect("a message");
        message["tool_calls"][0]["id"].as_str().expect("an id").to_owned()
    };
    assert_eq!(ids(&["parse"]), ids(&["parse", "--chunk", "1"]));
    assert_ne!(ids(&["parse", "--ids", "random"]), ids(&["parse", "--ids", "random"]));
}

#[test]
fn explain_says_what_was_tried_what_won_and_what_was_repaired() {
    let done = toolglot(&["explain"], REPAIRED);
    for said in ["committed", "hermes", "call 0: `ls`", "trailing_comma, line 2", "call 0: repaired", "calls 1"] {
        assert!(done.out.contains(said), "{said} in\n{}", done.out);
    }
    let tags = "<tool_call>ls\n<arg_key>path</arg_key>\n<arg_value>/</arg_value>\n</tool_call>";
    let done = toolglot(&["explain"], tags);
    for said in ["rejected   hy_v3", "committed  glm45"] {
        assert!(done.out.contains(said), "{said} in\n{}", done.out);
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_reported_in_their_place() {
    let done = toolglot(&["parse"], b"one\ntwo\xFFthree");
    assert!(done.err.contains("[invalid_utf8]") && done.err.contains("<stdin>:2:4 (bytes 7.."), "{}", done.err);
}

#[test]
fn a_name_beside_auto_is_preferred_where_dialects_read_the_same() {
    let text = "<tool_call>\n<function=ls>\n<parameter=path>src</parameter>\n</function>\n</tool_call>";
    let dialect = |args: &[&str]| {
        let done = toolglot(&[&["parse", "--events"], args].concat(), text);
        let end: Value = serde_json::from_str(done.out.lines().last().expect("the end")).expect("an event");
        end["dialect"].as_str().unwrap_or_default().to_owned()
    };
    let first = dialect(&["-d", "auto"]);
    for other in ["qwen3_coder", "mimo"] {
        assert_eq!(dialect(&["-d", other, "-d", "auto"]), dialect(&["-d", "auto", "-d", other]));
    }
    assert_eq!(dialect(&["-d", "hermes", "-d", "auto"]), first, "the text itself decides");
    assert_eq!(toolglot(&["parse", "-d", "no_such", "-d", "auto"], text).code, 2);
}

/// A call spelled in text, then the same as the model wrote it.
const TOKENS: &str = r#"{"text": "<tool"}
{"text": "_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>"}

{"text": "<tool_call>", "special": true}
{"text": "{\"name\": \"ls\", \"arguments\": {}}", "special": false}
{"text": "</tool_call>", "special": true}"#;

#[test]
fn only_special_tokens_are_markers_where_tokens_are_given() {
    let done = toolglot(&["parse", "--tokens", "-d", "hermes"], TOKENS);
    let message: Value = serde_json::from_str(&done.out).expect("a message");
    assert_eq!(message["tool_calls"][0]["function"]["name"], "ls");
    assert_eq!(message["content"], "<tool_call>{\"name\": \"rm\", \"arguments\": {}}</tool_call>");
    assert!(done.err.contains("policy[marker_in_text]"), "{}", done.err);
    let events = toolglot(&["parse", "--tokens", "--events", "-d", "hermes"], TOKENS);
    assert_eq!(events.out.matches("call_start").count(), 1, "{}", events.out);
    let explained = toolglot(&["explain", "--tokens", "-d", "hermes"], TOKENS);
    assert!(explained.out.contains("spelled out in text, not a special token"), "{}", explained.out);
}

#[test]
fn a_line_that_is_no_token_is_named() {
    for wrong in ["text", "{}", r#"{"text": 1}"#, r#"{"text": "a", "special": "yes"}"#] {
        let done = toolglot(&["parse", "--tokens"], format!("{{\"text\": \"a\"}}\n{wrong}\n"));
        assert_eq!(done.code, 2, "{wrong}");
        assert!(done.err.contains("line 2 is not a token"), "{}", done.err);
    }
}

#[test]
fn advice_names_the_flag() {
    let json = r#"{"name": "ls", "arguments": {}}"#;
    let tools = file("advice_tools.json", r#"[{"name": "ls"}]"#);
    let rows: [(&[&str], String, &str); 4] = [
        (&["-d", "kimi_k2"], format!("<tool_call>{json}</tool_call>"), "or pass `--dialect auto`"),
        (&[], format!("So:\n\n```json\n{json}\n```\nDone."), "pass `--evidence eager`"),
        (&[], "<tool_call>{\"name\": \"ls\", \"arguments\": {\"a\": \"b".to_owned(), "pass `--accept-incomplete`"),
        (
            &["--calls-in-reasoning", "quote"],
            format!("<think>So <tool_call>{json}</tool_call>"),
            "pass `--calls-in-reasoning wait`",
        ),
    ];
    for (flags, text, advice) in rows {
        let done = toolglot(&[&["explain", "-t", &tools], flags].concat(), &text);
        assert!(done.out.contains(advice) && !done.out.contains("set `"), "{advice} in {}", done.out);
    }
    let done = toolglot(&["parse", "-t", &tools, "-d", "kimi_k2"], format!("<tool_call>{json}</tool_call>"));
    assert!(done.err.contains("or pass `--dialect auto`"), "{}", done.err);
}

#[test]
fn explain_answers_first_why_nothing_was_recognised() {
    let first = |args: &[&str], text: &str| {
        toolglot(&[&["explain"], args].concat(), text).out.lines().next().unwrap_or_default().to_owned()
    };
    let json = r#"{"name": "ls", "arguments": {}}"#;
    assert_eq!(
        first(&[], "Hello."),
        "no call recognised: nothing in the text looks like a call; some formats need declared tools: pass `--tools`"
    );
    assert_eq!(first(&[], &format!("<tool_call>{json}</tool_call>")), "recognised 1 call: `ls` (dialect hermes)");
    assert!(first(&[], json).starts_with("no call recognised: looks like a call to `ls`, but no tools are declared"));
    assert!(first(&[], &format!("See `<tool_call>{json}</tool_call>`")).contains("is inside Markdown code"));
    assert!(first(&["-d", "kimi_k2"], &format!("<tool_call>{json}</tool_call>")).contains("in the dialect `hermes`"));
    assert!(first(&[], "<tool_call>{\"name\": \"ls\"").contains("the text ends inside a call to `ls`"));
}

#[test]
fn explain_says_where_parsing_stopped_and_what_to_do() {
    let tools = file("advice.json", r#"[{"name": "ls", "parameters": {"properties": {"path": {"type": "string"}}}}]"#);
    // Everything before the steps, without the reason.
    let second = |args: &[&str], text: &str| {
        let done = toolglot(&[&["explain", "-t", &tools], args].concat(), text);
        done.out.lines().skip(1).take_while(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        second(&["-d", "glm45"], "<tool_call>ls<tool_call>path</arg_key><arg_value>a</arg_value></tool_call>"),
        "parsing stopped at line 1, column 14, before \"<tool_call>path</arg_key…\"; `toolglot dialects show glm45` \
         shows what it expects"
    );
    let cut = "<tool_call>\n{\"name\": \"ls\", \"arguments\": {\"path\" ~ \"a\"}}</tool_call>";
    let stopped = second(&["-d", "hermes"], cut);
    assert!(stopped.starts_with("parsing stopped at line 2, column 37, before \"~ "), "{stopped}");
    assert!(
        second(&[], "ls => {\"path\": \"a\"}")
            .contains("`toolglot dialects new mine.toml --example FILE --call 'ls {…}'`")
    );
    let draft = "<think><tool_call>{\"name\": \"ls\", \"arguments\": {}}</tool_call></think>No.";
    assert!(second(&[], draft).contains("pass `--calls-in-reasoning end`"), "{}", second(&[], draft));
    assert_eq!(second(&[], "Hello."), "");
    let mid = "I use {\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}} now.";
    assert!(second(&[], mid).starts_with("at line 1, column 7 (bytes 6..48): \"{\"name\""), "{}", second(&[], mid));
    assert!(!second(&[], &format!("&lt;tool_call&gt;{}", &mid[6..48])).contains("dialects new"));
    let stopped = second(&["-d", "mistral"], "[TOOL_CALLS] ls path=a");
    assert!(stopped.starts_with("parsing stopped at line 1, column 13, before \" ls path=a\""), "{stopped}");
    let rejected =
        second(&["--validation", "strict"], "<tool_call>{\"name\": \"ls\", \"arguments\": {\"to\": 3}}</tool_call>");
    assert!(rejected.starts_with("at line 1, column 1 (bytes 0..61): "), "{rejected}");
    let closest = second(&["-d", "hermes"], "Let me.\n<tool_call>list it please</tool_call>");
    assert!(
        closest.starts_with("closest: at line 2, column 1, \"<tool_call>list it pleas…\", `hermes` reads "),
        "{closest}"
    );
}

#[test]
fn explain_names_what_may_be_a_call_where_nothing_looks_like_one() {
    let tools = file("named.json", r#"[{"name": "ls"}]"#);
    let first = |dialect: &str, text: &str| {
        let done = toolglot(&["explain", "-t", &tools, "-d", dialect], text);
        done.out.lines().next().unwrap_or_default().to_owned()
    };
    let named = first("hermes", "Ok.\nSee <ls>/</ls> and more");
    assert!(
        named.contains("mentions the tool `ls` at line 2, column 6") && named.contains("`--dialect auto`"),
        "{named}"
    );
    let orphan = first("hermes", "Well. <tool_call></tool_call>");
    assert!(orphan.contains("a closing marker at line 1, column 18"), "{orphan}");
}

#[test]
fn parse_reports_a_near_miss() {
    let done = toolglot(&["parse"], r#"{"name": "ls", "arguments": {}}"#);
    assert!(
        done.err.contains("policy[near_miss]: looks like a call to `ls`, but no tools are declared"),
        "{}",
        done.err
    );
    let line = serde_json::json!({"id": 1, "text": "[ls(path=\"/\")]"}).to_string();
    let answer: Value = serde_json::from_str(&toolglot(&["parse", "--jsonl"], line).out).expect("an answer");
    assert_eq!(answer["diagnostics"][0]["code"], "near_miss");
}
