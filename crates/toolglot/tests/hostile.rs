//! What text that an attacker steered cannot do; `SECURITY.md` names these tests.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::fmt::Write as _;

use toolglot::{
    Code, Collector, Diagnostic, Dialect, Dialects, EventKind, Limits, Message, Options, Parser, Tools, UnknownTool,
    Validation, parse, repair,
};

const TOOLS: &str =
    r#"[{"name": "read", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]"#;

fn tools() -> Tools {
    Tools::from_json_str(TOOLS).expect("the tool is declared well")
}

fn read(text: &str, options: &Options) -> Message {
    parse(text, &Dialects::builtin(), &tools(), options)
}

/// The same call as JSON and as tags.
fn calls(key: &str, value: &str) -> [String; 2] {
    let json = serde_json::json!({"name": "read", "arguments": {key: value}});
    [
        format!("<tool_call>{json}</tool_call>"),
        format!("<tool_call>\n<function=read>\n<parameter={key}>\n{value}\n</parameter>\n</function>\n</tool_call>"),
    ]
}

#[test]
fn names_of_arguments_are_data() {
    for key in ["../x", "/etc/passwd", "__proto__", "constructor", "a.b[0]", "$(id)", "path;rm"] {
        for text in calls(key, "v") {
            let message = read(&text, &Options::default());
            let call = message.calls.first().unwrap_or_else(|| panic!("no call in {text}"));
            let arguments: serde_json::Value = serde_json::from_str(&call.arguments).expect("JSON");
            assert_eq!(arguments, serde_json::json!({key: "v"}), "{text}");
            assert_eq!(message.diagnosed(Code::UnknownParameter).count(), 1, "{text}");
            let strict = read(&text, &Options::default().with_validation(Validation::Strict));
            assert_eq!((strict.calls.len(), strict.content.as_str()), (0, text.as_str()));
        }
    }
}

#[test]
fn a_key_given_twice_is_told() {
    let json = r#"<tool_call>{"name": "read", "arguments": {"path": "a", "path": "b"}}</tool_call>"#;
    let tags = "<function=read><parameter=path>a</parameter><parameter=path>b</parameter></function>";
    for text in [json, tags] {
        let message = read(text, &Options::default());
        assert_eq!(message.diagnosed(Code::DuplicateParameter).count(), 1, "{text}");
        assert_eq!(read(text, &Options::default().with_validation(Validation::Strict)).calls.len(), 0, "{text}");
    }
    assert_eq!(read(tags, &Options::default()).calls[0].arguments, r#"{"path": "a"}"#);
}

#[test]
fn a_long_name_is_no_name() {
    let long = "n".repeat(129);
    let text = format!("<tool_call>{{\"name\": \"{long}\", \"arguments\": {{}}}}</tool_call>");
    let message = parse(&text, &Dialects::builtin(), &Tools::default(), &Options::default());
    assert_eq!((message.calls.len(), message.content), (0, text));
}

#[test]
fn a_name_has_no_other_characters() {
    for name in ["rm -rf", "a;b", "$(id)", "a`b`", "../x", "-f", "a\\b", "a*", "a\u{202e}b", "{}", ""] {
        let json = serde_json::json!({"name": name, "arguments": {}});
        for text in [format!("<tool_call>{json}</tool_call>"), format!("<function={name}>\n</function>")] {
            let message = parse(&text, &Dialects::builtin(), &Tools::default(), &Options::default());
            assert_eq!((message.calls.len(), message.incomplete.len()), (0, 0), "{text}");
        }
    }
}

#[test]
fn a_call_that_is_cut_off_is_not_among_the_calls() {
    let json = "<tool_call>{\"name\": \"read\", \"arguments\": {\"path\": \"a/\u{e9}\"}}</tool_call>";
    let tags = "<function=read>\n<parameter=path>\na/\u{e9}\n</parameter>\n</function>";
    for (text, closer) in [(json, "}}<"), (tags, "</parameter>")] {
        let whole = text.find(closer).expect("the arguments end");
        for (at, _) in text.char_indices().filter(|(at, _)| *at <= whole) {
            let message = read(&text[..at], &Options::default());
            assert_eq!(message.calls.len(), 0, "{}", &text[..at]);
        }
        assert_eq!(read(text, &Options::default()).calls.len(), 1);
    }
}

#[test]
fn a_tool_that_is_not_declared_is_told_or_text() {
    let text = r#"<tool_call>{"name": "rm/../../bin/sh", "arguments": {}}</tool_call>"#;
    assert_eq!(read(text, &Options::default()).diagnosed(Code::UnknownTool).count(), 1);
    for options in [
        Options::default().with_unknown_tool(UnknownTool::Text),
        Options::default().with_validation(Validation::Strict),
    ] {
        assert_eq!(read(text, &options).calls.len(), 0);
    }
}

#[test]
fn a_quoted_call_is_text() {
    let call = r#"<tool_call>{"name": "read", "arguments": {}}</tool_call>"#;
    for text in [format!("Write `{call}` to call."), format!("Like this:\n```\n{call}\n```\nSee?")] {
        let message = read(&text, &Options::default());
        assert_eq!((message.calls.len(), message.content.as_str()), (0, text.as_str()));
    }
}

#[test]
fn entities_do_not_expand() {
    let lol = "<!DOCTYPE l [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">]>&b;&#65;&lt;";
    for text in calls("path", lol) {
        let message = read(&text, &Options::default());
        let arguments: serde_json::Value = serde_json::from_str(&message.calls[0].arguments).expect("JSON");
        assert_eq!(arguments["path"], lol, "{text}");
    }
    let attribute = r#"<use_tool name="read" path="&amp;lt;&#65;&lol;&lt;"/>"#;
    assert_eq!(read(attribute, &Options::default()).calls[0].arguments, r#"{"path": "&lt;&#65;&lol;<"}"#);
}

/// Texts that nest, and that keep what they say in doubt for as long as they can.
fn endless() -> Vec<String> {
    let openers = [
        "",
        "<think>",
        "<tool_call>",
        "<tool_call>{\"name\": \"read\", \"arguments\": ",
        "<tool_call>{\"arguments\": {\"path\": ",
        "<function=read>\n<parameter=path>\n",
        "<read>",
        "<use_tool name=\"read\">",
        "[read(path=",
        "<|tool_call>call:read{path:",
        "<think><function=read>",
    ];
    let pieces = [
        "[",
        "{",
        "(",
        "{\"a\":",
        "[{",
        "<a>",
        "<read>",
        "<think>",
        "<tool_call>",
        "```\n",
        "\"",
        "\"\\\"",
        "a",
        " ",
        "\n",
        "</function>\n",
        "</parameter>",
        "\\",
        "&quot;",
        "a: ",
    ];
    openers.iter().flat_map(|open| pieces.map(|piece| format!("{open}{}", piece.repeat(5_000 / piece.len())))).collect()
}

#[test]
fn nesting_costs_no_stack() {
    let reads = || {
        let options = Options::default().with_limits(Limits::default().with_depth(usize::MAX));
        endless().iter().for_each(|text| drop(read(text, &options)));
    };
    let small = std::thread::Builder::new().stack_size(256 * 1024).spawn(reads).expect("it starts");
    assert!(small.join().is_ok());
}

#[test]
fn heads_in_strings_are_not_looked_into_each_from_the_other() {
    // Behind each quote the call may be over, and behind that the next one begin, with a quote in it, and so on.
    let heads = "\"path\": \"zqv\"}\"path\": \", {\"name\": \"read\"".repeat(1_000);
    let text = format!("{{\"tool_calls\": [{{\"name\": \"read\", \"arguments\": {{\"path\": \"{heads}");
    let (done, ends) = std::sync::mpsc::channel();
    let reads = move || {
        let set = Dialects::builtin().only(&["openai_json"]).expect("it is built in");
        let found = repair(&text, &set, &tools(), &Options::default()).arguments.is_some();
        done.send((found, parse(&text, &set, &tools(), &Options::default()).calls.len()))
    };
    std::thread::Builder::new().stack_size(256 * 1024).spawn(reads).expect("it starts");
    assert_eq!(ends.recv_timeout(std::time::Duration::from_secs(60)), Ok((false, 0)));
}

#[test]
fn what_is_held_is_bounded() {
    const HELD: usize = 1000;
    let options = Options::default().with_limits(Limits::default().with_held(HELD));
    for text in endless() {
        let mut parser = Parser::new(&Dialects::builtin(), &tools(), &options);
        let (mut said, mut most) = (0, 0);
        for (number, piece) in text.as_bytes().chunks(100).enumerate() {
            let piece = std::str::from_utf8(piece).expect("it is ASCII");
            said = parser
                .push(piece)
                .filter(|event| !matches!(event.kind, EventKind::Diagnostic(_)))
                .fold(said, |_, event| event.span.end);
            most = most.max(number * 100 + piece.len() - said);
        }
        assert!(most <= HELD + HELD / 4, "{most} bytes are held of {:?}", &text[..60]);
    }
}

#[test]
fn what_stays_open_too_long_is_read_ahead_in_vain_only_so_often() {
    // Every line may open a call of a tool that nobody declared, which must be read to its end.
    let text = "<function=f>\n<parameter=a>\n".repeat(15_000);
    for validation in [Validation::Coerce, Validation::Strict] {
        let options = Options::default().with_limits(Limits::default().with_held(4096)).with_validation(validation);
        let told = read(&text, &options).diagnosed(Code::LimitHeld).count();
        // Twice the text, a quarter of the default limit on held text, and as much again for what the last ones may add.
        assert!(told > 0 && told * 4096 < 2 * text.len() + (1 << 19), "{told} times");
    }
}

#[test]
fn openers_in_reasoning_are_known_again_however_they_arrive() {
    // Some repeat and others differ: both count, until so much was read ahead in vain that no head with attributes is read.
    let alike = "<function name=".repeat(90);
    let few = "<invoke name=x>".repeat(9);
    let unlike: String = (0..90).map(|number| format!("<invoke name={number} <function name=\"f{number} ")).collect();
    let call = "<invoke name=\"read\">\n<parameter name=\"path\">x</parameter>\n</invoke>";
    let (dialects, options) = (Dialects::builtin(), Options::default());
    for (before, drafts) in [(few, 1), (alike.clone(), 0), (unlike.clone(), 0), (unlike + &alike, 0)] {
        let reasoning = before + call;
        let text = format!("<think>{reasoning}</think>{call}");
        let expected = read(&text, &options);
        assert_eq!((expected.calls.len(), expected.reasoning.as_str()), (1, reasoning.as_str()));
        assert_eq!(expected.diagnosed(Code::CallInReasoning).count(), drafts, "{reasoning}");
        for size in [1, 4, 50, 3000] {
            let mut parser = Parser::new(&dialects, &tools(), &options);
            let mut collector = Collector::new(&options);
            for piece in text.as_bytes().chunks(size) {
                collector.feed(&mut parser, std::str::from_utf8(piece).expect("it is ASCII"));
            }
            assert_eq!(collector.complete(&mut parser), expected, "in pieces of {size}");
        }
    }
}

#[test]
fn what_is_said_is_no_longer_than_what_was_read_allows() {
    let bodies = ["\u{1}", "\"", "\\", "<", "&lt;", "{", "[", "\u{fffd}", "a,", "<a>", "1e9 "];
    for body in bodies {
        for text in calls("path", &body.repeat(20_000)).into_iter().chain([body.repeat(20_000)]) {
            let message = read(&text, &Options::default());
            let calls = message.calls.iter().map(|call| call.arguments.len()).sum::<usize>();
            let begun = message.incomplete.iter().map(|call| call.arguments.len() + call.text.len()).sum::<usize>();
            let said = message.content.len() + message.reasoning.len() + calls + begun;
            assert!(said <= 6 * text.len() + 100, "{body:?}: {said} bytes of {}", text.len());
            assert!(message.diagnostics.len() <= text.len() / 2 + 10, "{body:?}: {}", message.diagnostics.len());
        }
    }
}

#[test]
fn what_is_told_of_one_kind_is_bounded() {
    let comments = "/**/".repeat(20_000);
    let told = |diagnostics: &[Diagnostic]| {
        assert!(diagnostics.len() < 10_010, "{}", diagnostics.len());
        diagnostics.iter().filter(|diagnostic| diagnostic.message.ends_with("unreported")).count()
    };
    let [json, _] = calls("path", "~");
    let message = read(&json.replace("\"~\"", &format!("{comments}1")), &Options::default());
    assert_eq!((message.calls.len(), told(&message.diagnostics)), (1, 1));
    let arguments = format!("{{\"a\": {comments}1}}");
    let repaired = repair(&arguments, &Dialects::builtin(), &tools(), &Options::default());
    assert_eq!((repaired.arguments.is_some(), told(&repaired.diagnostics)), (true, 1));
    let lines = "<tool_call>[]</tool_call></think>\n".repeat(20_000);
    assert_eq!(told(&read(&lines, &Options::default()).diagnostics), 1);
    let mut parser = Parser::new(&Dialects::builtin(), &tools(), &Options::default());
    let diagnosed = lines
        .as_bytes()
        .chunks(7)
        .map(|piece| parser.push_bytes(piece).filter(|event| matches!(event.kind, EventKind::Diagnostic(_))).count());
    assert!(diagnosed.sum::<usize>() < 10_010);
}

#[test]
fn a_dialect_file_has_limits() {
    let refused = |file: &str| Dialect::from_toml("theirs", file).expect_err("it is refused").to_string();
    let large = format!("call = \"<x>{{call}}</x>\"\n#{}", "x".repeat(256 * 1024));
    assert!(refused(&large).contains("256 KiB"), "{}", refused(&large));
    let word = |name: &str| format!("{name} = [{}]\n", "\"a\", ".repeat(9));
    let mut words = "call = \"<{a}{b}{c}{d}>{call}</x>\"\n[words]\n".to_owned();
    for name in ["a", "b", "c", "d"] {
        let _ = write!(words, "{}", word(name).replace("\"a\"", &format!("\"{name}\"")));
    }
    assert!(refused(&words).contains("spellings"), "{}", refused(&words));
    assert!(refused("call = \"<x>{call}</x>\"\nrun = \"rm\"\n").contains("run"));
    let deep = format!("call = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(!refused(&deep).is_empty());
}

#[test]
fn markers_of_a_dialect_file_may_be_of_any_characters() {
    let params = "call = \"<{name}>\\n{params}~</{name}>\"\nparam = \"<{key}>{tree}</{key}>~\\n\"";
    let content = "call = \"~call {name}>{content}~end>\"";
    let texts = [
        (params, "<read>\n<path>src</path>~\n~</read>"),
        (params, "<read>\n<path>src</path>\n~~</read>"),
        (params, "<read>\n<path>src~</read>~"),
        (content, "~call read>a ~ b~~end>"),
        (content, "~call read>~call> ~end~"),
    ];
    for mark in ["\u{fffd}", "\u{fffd}\u{fffd}\u{fffd}", "–", "🛠"] {
        for (file, text) in texts.map(|(file, text)| (file.replace('~', mark), text.replace('~', mark))) {
            let dialect = Dialect::from_toml("theirs", &file).expect("the file is right");
            let dialects = Dialects::builtin().with(dialect).only(&["theirs"]).expect("it is there");
            let whole = parse(&text, &dialects, &tools(), &Options::default());
            let mut parser = Parser::new(&dialects, &tools(), &Options::default());
            let mut collector = Collector::new(&Options::default());
            for byte in text.as_bytes() {
                parser.push_bytes(&[*byte]).for_each(|event| collector.add(&event));
            }
            parser.finish().for_each(|event| collector.add(&event));
            assert_eq!(collector.finish(text.as_bytes()).calls.len(), whole.calls.len(), "{text}");
        }
    }
}
