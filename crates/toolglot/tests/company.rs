//! A call that is certain alone is certain among others: under `auto`, messages of one call, one behind the other.

use toolglot::{Dialects, Options, Renderer, Rendering, Tools, parse};

/// Names that are plain words, which markup has, too.
const TOOLS: &str = r#"[
    {"name": "search", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}},
    {"name": "run", "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}},
    {"name": "ping", "parameters": {"type": "object", "properties": {}}}
]"#;

const CALLS: [(&str, &str); 3] = [("search", r#"{"query":"a"}"#), ("run", r#"{"command":"ls -l"}"#), ("ping", "{}")];

/// Calls that are elements, as models write them.
const ELEMENTS: [&str; 9] = [
    "<ping/>",
    "<ping />",
    "<ping></ping>",
    "<ping>\n</ping>",
    r#"<search query="a"/>"#,
    "<search><query>a</query></search>",
    "<search>\n<query>a</query>\n</search>",
    r#"<run>{"command": "ls"}</run>"#,
    r#"<run command="ls"/>"#,
];

/// Returns what is called, and with what.
fn calls(text: &str, tools: &Tools) -> Vec<(String, String)> {
    let message = parse(text, &Dialects::builtin(), tools, &Options::default());
    message.calls.into_iter().map(|call| (call.name, call.arguments)).collect()
}

/// Returns how many texts are one call when alone, and the pairs of these that lose a call in one message.
fn lost(texts: &[String], tools: &Tools) -> (usize, Vec<String>) {
    let alone: Vec<_> =
        texts.iter().map(|text| (text, calls(text, tools))).filter(|(_, calls)| calls.len() == 1).collect();
    let pairs = alone.iter().flat_map(|first| alone.iter().map(move |second| (first, second)));
    let both = pairs.flat_map(|(first, second)| {
        ["\n", "\n\n"].map(|between| (format!("{}{between}{}", first.0, second.0), [&first.1[..], &second.1].concat()))
    });
    let lost = both.filter(|(text, wanted)| calls(text, tools) != *wanted).map(|(text, _)| text).collect();
    (alone.len(), lost)
}

#[test]
fn elements_stay_calls() {
    let tools = Tools::from_json_str(TOOLS).unwrap();
    let (alone, lost) = lost(&ELEMENTS.map(str::to_owned), &tools);
    assert_eq!(alone, ELEMENTS.len());
    assert!(lost.is_empty(), "{}", lost.join("\n---\n"));
}

#[test]
fn calls_of_every_dialect_stay_calls() {
    let tools = Tools::from_json_str(TOOLS).unwrap();
    let (mut read, mut all) = (0, Vec::new());
    for dialect in &Dialects::builtin() {
        let renderer = Renderer::new(dialect, &tools);
        let write =
            |(name, arguments): &(&str, &str)| renderer.render(&Rendering::new().with_call(name, arguments)).ok();
        let texts: Vec<_> = CALLS.iter().filter_map(write).collect();
        let (alone, lost) = lost(&texts, &tools);
        read += alone;
        all.extend(lost.into_iter().map(|text| format!("{}: {text}", dialect.name())));
    }
    assert_eq!(read, CALLS.len() * Dialects::builtin().iter().count(), "each call alone");
    assert!(all.is_empty(), "{}\n{}", all.len(), all.join("\n---\n"));
}

#[test]
fn text_between_calls_changes_none() {
    let (tools, options) = (Tools::from_json_str(TOOLS).unwrap(), Options::default());
    let mut lost = Vec::new();
    for dialect in &Dialects::builtin() {
        let own = Dialects::builtin().only(&[dialect.name()]).unwrap();
        let renderer = Renderer::new(dialect, &tools);
        let write =
            |(name, arguments): (&str, &str)| renderer.render(&Rendering::new().with_call(name, arguments)).ok();
        let texts: Vec<_> = CALLS.into_iter().filter_map(write).collect();
        for (first, second) in texts.iter().flat_map(|first| texts.iter().map(move |second| (first, second))) {
            let text = format!("{first}\nNow the next one.\n{second}");
            let message = parse(&text, &own, &tools, &options);
            if message.calls.len() != 2 || !message.incomplete.is_empty() {
                lost.push(format!("{}: {text}", dialect.name()));
            }
        }
    }
    assert!(lost.is_empty(), "{}\n{}", lost.len(), lost.join("\n---\n"));
}
