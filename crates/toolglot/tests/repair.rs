//! Repair of an arguments string: JSON comes out, or an honest failure.

#![expect(clippy::expect_used, reason = "a test may panic")]

use toolglot::{Code, Dialects, Options, Repaired, Tools, repair};

const LS: &str = r#"[{"name": "ls", "parameters": {"type": "object", "properties": {"dirPath": {"type": "string"},
    "recursive": {"type": "boolean"}, "depth": {"type": "integer"}, "ratio": {"type": "number"}, "tags": {"type": "array"}}}}]"#;

fn with(tools: &str, arguments: &str) -> Repaired {
    let tools = Tools::from_json_str(tools).expect("they are tools");
    repair(arguments, &Dialects::builtin(), &tools, &Options::default())
}

/// Checks what comes out, that it is JSON, and that it comes out again as it is.
fn check(tools: &str, arguments: &str, expected: Option<&str>) {
    let found = with(tools, arguments);
    assert_eq!(found.arguments.as_deref(), expected, "{arguments}\n{:?}", found.diagnostics);
    let Some(json) = found.arguments else {
        assert!(!found.diagnostics.is_empty(), "a failure says why: {arguments}");
        return;
    };
    let value: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_str(&json);
    assert!(value.is_ok(), "{json}");
    assert_eq!(with(tools, &json).arguments.as_deref(), Some(json.as_str()));
}

#[test]
fn valid_json_is_never_altered() {
    for json in [
        "{}",
        r#"{ "dirPath" : "a\u00e9\/" , "recursive":true }"#,
        r#"{"depth": 123456789012345678901234567890, "ratio": 1.10}"#,
    ] {
        check(LS, json, Some(json));
        assert!(with(LS, json).diagnostics.is_empty());
    }
}

#[test]
fn tags_of_a_whole_call_give_their_arguments() {
    let inner = "<parameter=dirPath>src</parameter><parameter=recursive>True</parameter>";
    let padded = "<parameter=dirPath>\nsrc\n</parameter>\n<parameter=recursive>\nTrue\n</parameter>";
    for text in [
        format!("<tool_call><function=ls>{inner}\n</function></tool_call>"),
        format!("<tool_call>\n<function=ls>\n{padded}\n</function>\n</tool_call>"),
        format!("<function=ls>{inner}</function>"),
        inner.to_owned(),
        padded.to_owned(),
    ] {
        check(LS, &text, Some(r#"{"dirPath": "src", "recursive": true}"#));
        check("", &text, Some(r#"{"dirPath": "src", "recursive": true}"#));
    }
}

#[test]
fn a_whole_call_in_json_that_needs_a_repair_gives_its_arguments_too() {
    for call in [
        r#"{{"name": "ls", "arguments": {"depth": 1}}"#,
        r#"{"name": "ls", "arguments": {"depth": 1}}}"#,
        r#"{"name": "ls", "arguments": {"depth": 1},}"#,
    ] {
        check(LS, call, Some(r#"{"depth": 1}"#));
    }
}

#[test]
fn without_a_schema_scalars_are_what_they_say() {
    for (text, value) in [
        ("TRUE", "true"),
        ("false", "false"),
        ("False", "false"),
        ("5", "5"),
        ("-1.50", "-1.50"),
        ("null", "null"),
        ("[1, 2]", "[1, 2]"),
        (r#"{"a": 1}"#, r#"{"a": 1}"#),
        ("src/main.rs", r#""src/main.rs""#),
        ("007", r#""007""#),
        ("NaN", r#""NaN""#),
        ("Infinity", r#""Infinity""#),
        ("1e999", r#""1e999""#),
    ] {
        check("", &format!("<parameter=a>{text}</parameter>"), Some(&format!(r#"{{"a": {value}}}"#)));
    }
}

#[test]
fn with_a_schema_the_schema_decides() {
    for (key, text, value) in [
        ("dirPath", "true", r#""true""#),
        ("dirPath", "5", r#""5""#),
        ("dirPath", r#"{"a": 1}"#, r#""{\"a\": 1}""#),
        ("depth", "5", "5"),
        ("ratio", "5", "5"),
        ("recursive", "False", "false"),
        ("tags", r#"["a"]"#, r#"["a"]"#),
    ] {
        check(LS, &format!("<parameter={key}>{text}</parameter>"), Some(&format!(r#"{{"{key}": {value}}}"#)));
    }
    check(LS, r#"{"dirPath": {"a": 1}}"#, Some(r#"{"dirPath": "{\"a\": 1}"}"#));
}

#[test]
fn names_of_prototype_members_are_plain_keys() {
    let text = "<parameter=__proto__>{\"x\": 1}</parameter><parameter=constructor>a</parameter><parameter=prototype>b</parameter>";
    check("", text, Some(r#"{"__proto__": {"x": 1}, "constructor": "a", "prototype": "b"}"#));
}

#[test]
fn damaged_json_is_mended() {
    for (text, expected) in [
        (r#"{"dirPath": "src"#, None),
        (r#"{'dirPath': 'src'}"#, Some(r#"{"dirPath": "src"}"#)),
        (r#"{"dirPath": "src",}"#, Some(r#"{"dirPath": "src"}"#)),
        (r#"{dirPath: "src", recursive: True}"#, Some(r#"{"dirPath": "src", "recursive": true}"#)),
        ("```json\n{\"dirPath\": \"src\"}\n```", Some(r#"{"dirPath": "src"}"#)),
        (r#""{\"dirPath\": \"src\"}""#, Some(r#"{"dirPath": "src"}"#)),
        (r#"{"dirPath": "src"}}"#, Some(r#"{"dirPath": "src"}"#)),
    ] {
        let found = with(LS, text);
        if expected.is_some() {
            check(LS, text, expected);
        }
        assert!(!found.diagnostics.is_empty(), "{text}");
    }
}

#[test]
fn nothing_is_an_empty_object_and_says_so() {
    for blank in ["", "  ", "\n"] {
        let found = with(LS, blank);
        assert_eq!(found.arguments.as_deref(), Some("{}"));
        assert_eq!(found.diagnostics[0].code, Code::EmptyArguments);
    }
}

#[test]
fn what_is_nothing_known_fails_honestly() {
    for text in [
        "no idea",
        "<div>hello</div>",
        "src/main.rs",
        "true",
        "5",
        "[1, 2]",
        "\"text\"",
        "<parameter",
        "</parameter>",
        "{",
        "\u{0}",
    ] {
        check(LS, text, None);
    }
}

#[test]
fn the_only_edit_that_makes_json_is_made() {
    for (text, expected) in [
        (r#"{"size": "a 27" screen"}"#, Some(r#"{"size": "a 27\" screen"}"#)),
        (r#"{"size": "27" wide", "n": 1}"#, Some(r#"{"size": "27\" wide", "n": 1}"#)),
        (r#"{"items": ["a "b", "c"]}"#, Some(r#"{"items": ["a \"b", "c"]}"#)),
        (r#"{"one": "x, y, "two": "z"}"#, Some(r#"{"one": "x, y", "two": "z"}"#)),
        (r#"{"one": x, y", "two": "z"}"#, Some(r#"{"one": "x, y", "two": "z"}"#)),
        ("{\"l\": [\n\"ab,\n\"cd\"\n]}", Some("{\"l\": [\n\"ab\",\n\"cd\"\n]}")),
        (r#"{"l": [{"n": 1}}, {"n": 2}]}"#, Some(r#"{"l": [{"n": 1}, {"n": 2}]}"#)),
        (r#"{"one": 1}, "two": 2}"#, Some(r#"{"one": 1, "two": 2}"#)),
        // Two edits would do, and they say different things.
        (r#"{"one: 1, "two": 2}"#, None),
        (r#"{"l": ["a, "b"]}"#, None),
        (r#"{"o": {"n": 1}, "two": 2}, "three": 3}"#, None),
        // It may have been cut off.
        (r#"{"l": ["a]}"#, None),
    ] {
        check("", text, expected);
    }
    let exact = Options::default().with_repairs(toolglot::Repairs::exact());
    let found = repair(r#"{"size": "a 27" screen"}"#, &Dialects::builtin(), &Tools::default(), &exact);
    assert_eq!(found.arguments, None);
}

#[test]
fn an_edit_is_reported_where_it_was_made() {
    let fenced = "```json\n{\"a\": \"2\" b\", \"c\": 1}\n```";
    let found = with("", fenced);
    assert_eq!(found.arguments.as_deref(), Some(r#"{"a": "2\" b", "c": 1}"#));
    let places: Vec<_> = found.diagnostics.iter().map(|found| (found.code, &fenced[..found.span.start])).collect();
    assert_eq!(places, [(Code::Fence, ""), (Code::InnerQuote, "```json\n{\"a\": \"2")]);
}

#[test]
fn what_the_end_cut_off_is_no_member() {
    let open = Options::default().with_accept_incomplete(true);
    for (text, expected) in [
        ("{", "{}"),
        ("{\"", "{}"),
        ("{\"na", "{}"),
        ("{\"a\": 1, \"na", "{\"a\": 1}"),
        ("{\"a\": \"x\", \"b\": nul", "{\"a\": \"x\", \"b\": null}"),
        ("{\"a\": \"x\" /* a comm", "{\"a\": \"x\" }"),
        ("{\"l\": [\"a]}", "{\"l\": [\"a\"]}"),
    ] {
        let found = repair(text, &Dialects::builtin(), &Tools::default(), &open);
        assert_eq!(found.arguments.as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn braces_in_a_word_without_quotes_stand_in_pairs() {
    let all = Options::default().with_repairs(toolglot::Repairs::all());
    let found = repair("{path: ${HOME}/x, n: 1}", &Dialects::builtin(), &Tools::default(), &all);
    assert_eq!(found.arguments.as_deref(), Some(r#"{"path": "${HOME}/x", "n": 1}"#));
}

#[test]
fn a_comment_behind_a_string_and_a_comma_too_many_stand_beside_each_other() {
    check("", r#"{"l": [1, "a" /* one */],}"#, Some(r#"{"l": [1, "a" ]}"#));
}

#[test]
fn the_ends_of_strings_are_looked_for_in_all_of_a_long_text() {
    let line = "He said \"hi\", and went on as if nobody had heard it.\\n".repeat(4_000);
    let meant = format!("{{\"a\": \"{}\", \"b\": \"x\"}}", line.replace('"', "\\\""));
    let found = repair(
        &format!("{{\"a\": \"{line}\", \"b\": \"x\"}}"),
        &Dialects::builtin(),
        &Tools::default(),
        &Options::default(),
    );
    assert_eq!(found.arguments.as_deref(), Some(meant.as_str()));
}
