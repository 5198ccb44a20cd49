//! Parameters that nothing but the next one's opener separates, as users invent them.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::sync::Arc;

use toolglot::{Collector, Dialect, Dialects, Message, Options, Parser, Renderer, Rendering, Tools, parse};

const FILE: &str = "call = '<<call:{name}{params}>>'\nparam = '|{key}={value}'\n";
const TOOLS: &str = r#"[{"name": "save", "parameters": {"type": "object", "required": ["path"], "properties":
    {"path": {"type": "string"}, "text": {"type": "string"}, "count": {"type": "integer"}}}}]"#;

fn read(text: &str, tools: &str) -> Message {
    read_with(text, FILE, tools)
}

fn read_with(text: &str, file: &str, tools: &str) -> Message {
    let dialects = Dialects::from_iter([Dialect::from_toml("separated", file).expect("a dialect")]);
    let (tools, options) = (Tools::from_json_str(tools).expect("tools"), Options::default());
    let whole = parse(text, &dialects, &tools, &options);
    let (mut parser, mut collector) = (Parser::new(&dialects, &tools, &options), Collector::new(&options));
    for letter in text.chars() {
        parser.push(letter.encode_utf8(&mut [0; 4])).for_each(|event| collector.add(&event));
    }
    parser.finish().for_each(|event| collector.add(&event));
    assert_eq!(collector.finish(text.as_bytes()).calls, whole.calls, "{text}");
    whole
}

#[test]
fn a_separator_ends_the_value_before_it() {
    for (text, arguments) in [
        ("<<call:save|path=a b|text=w>>", r#"{"path": "a b", "text": "w"}"#),
        ("<<call:save|path=a>>", r#"{"path": "a"}"#),
        ("Now.\n<<call:save|path=a|count=3>>\nDone.", r#"{"path": "a", "count": 3}"#),
        // What is no parameter of the tool is a part of the value, and so is a second one of the same name.
        ("<<call:save|path=a|b=c|text=x||y|path=z>>", r#"{"path": "a|b=c", "text": "x||y|path=z"}"#),
        // A closer in the middle of a line is data where another closes the line.
        ("<<call:save|path=a|text=echo 1 >> log>>", r#"{"path": "a", "text": "echo 1 >> log"}"#),
        ("<<call:save|path=>>", r#"{"path": ""}"#),
        ("<<call:save|path=two\nlines|text=w>>", r#"{"path": "two\nlines", "text": "w"}"#),
    ] {
        let message = read(text, TOOLS);
        assert_eq!(message.calls.len(), 1, "{text}\n{message:?}");
        assert_eq!(message.calls[0].arguments, arguments, "{text}");
        assert_eq!(message.diagnostics, [], "{text}");
    }
    assert_eq!(read("<<call:save|path=a|b=c>>", "").calls[0].arguments, r#"{"path": "a", "b": "c"}"#);
}

#[test]
fn a_separator_is_written_only_between_parameters_where_the_file_says_so() {
    let file = "strong = ['@@call']\ncall = '@@call {name}{params:between}@@'\n\
                param = [';;{key}={value}', ': {key}={value}']\n";
    let (dialect, tools) = (Arc::new(Dialect::from_toml("between", file).expect("a dialect")), Tools::default());
    for (arguments, written) in [
        (r#"{"path": "a", "text": "b", "count": 3}"#, "@@call save: path=a;;text=b;;count=3@@"),
        (r#"{"path": "a"}"#, "@@call save: path=a@@"),
        ("{}", "@@call save@@"),
    ] {
        let message = Rendering::new().with_call("save", arguments);
        let text = Renderer::new(&dialect, &tools).render(&message).expect("a text");
        assert_eq!((text.as_str(), read_with(&text, file, "[]").calls[0].arguments.as_str()), (written, arguments));
    }
}

/// Markers that prose never contains end a value by themselves, and a piece of one in it is damage; a word of one is not.
#[test]
fn strong_markers_end_values_and_words_of_them_do_not() {
    let file = "strong = ['@@param', '@@begin_call', '@@end_of_call']\n\
                call = \"@@begin_call {name}\\n{params}@@end_of_call\"\nparam = \"@@param {key}\\n{value}\\n\"\n";
    let read = |[path, text]: [&str; 2]| {
        let text = format!("@@begin_call save\n@@param path\n{path}\n@@param text\n{text}\n@@end_of_call");
        read_with(&text, file, TOOLS).calls
    };
    for values in [["a", "b"], ["a call", "call param begin end"], ["@", "x@@y"], ["", ""]] {
        let [path, text] = values;
        let calls = read(values);
        let found: Vec<&str> = calls.iter().map(|call| call.arguments.as_str()).collect();
        assert_eq!(found, [format!(r#"{{"path": "{path}", "text": "{text}"}}"#)], "{values:?}");
    }
    let long = "a long text ".repeat(1_000);
    for damaged in [["a\n@@beg save", "b"], ["a", "b\n@@end_f_call"], ["a", &format!("@@beg {long}")]] {
        assert_eq!(read(damaged), [], "{damaged:?}");
    }
}

#[test]
fn calls_and_text_go_on_behind_the_last_value() {
    let message = read("<<call:save|path=a>><<call:save|path=b|text=c>>\nEnd.", TOOLS);
    let arguments: Vec<&str> = message.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!(arguments, [r#"{"path": "a"}"#, r#"{"path": "b", "text": "c"}"#]);
    assert_eq!(message.content, "End.");
    let message = read("<<call:save|path=a>> and more", TOOLS);
    assert_eq!((message.calls[0].arguments.as_str(), message.content.as_str()), (r#"{"path": "a"}"#, " and more"));
}

#[test]
fn a_value_without_the_closer_of_its_call_is_cut() {
    let message = read("<<call:save|path=a|te", TOOLS);
    assert_eq!(message.calls, []);
    assert_eq!(message.incomplete.len(), 1);
}
