//! Calls whose envelope is misspelt, of tools whose parameters are called like the envelope's own members: what comes out is
//! what was meant, or no finished call.

#![expect(clippy::unwrap_used, reason = "helpers of tests end the test that cannot go on")]

use serde_json::{Value, json};
use toolglot::{Dialect, Dialects, Message, Options, Renderer, Rendering, Tools, parse};

/// Tools without required parameters, so that nothing but the envelope says that something is wrong.
fn tools() -> Tools {
    let parameters = |keys: &[&str]| {
        let properties: serde_json::Map<String, Value> =
            keys.iter().map(|key| ((*key).to_owned(), json!({"type": "string"}))).collect();
        json!({"type": "object", "properties": properties})
    };
    let tool = |name: &str, keys: &[&str]| json!({"name": name, "parameters": parameters(keys)});
    let all = json!([
        tool("create_user", &["name", "age"]),
        tool("create_issue", &["type", "title"]),
        tool("get_user", &["id", "index"]),
        tool("list_dir", &["path"]),
        tool("call_tool", &["tool", "input"]),
    ]);
    Tools::from_json(&all).unwrap()
}

const CALLS: [(&str, &str); 6] = [
    ("create_user", r#"{"name": "Ann", "age": "5"}"#),
    ("create_issue", r#"{"type": "bug", "title": "x"}"#),
    ("get_user", r#"{"id": "u42"}"#),
    ("list_dir", r#"{"path": "src"}"#),
    ("call_tool", r#"{"tool": "hammer", "input": "nail"}"#),
    ("list_dir", "{}"),
];

/// What models write for the key of the arguments, by mistake or by habit of another format.
const MISSPELT: [&str; 12] = [
    "Arguments",
    "ARGUMENTS",
    "arguements",
    "argumnets",
    "aruments",
    "argument_list",
    "kwargs",
    "payload",
    "param",
    "body",
    "function_arguments",
    "data",
];

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// The dialects that write a call as one JSON object, and the key that it has for its arguments.
fn dialects() -> Vec<(Dialects, std::sync::Arc<Dialect>, &'static str)> {
    let builtin = Dialects::builtin();
    let key_of = |dialect: &std::sync::Arc<Dialect>| {
        let rendering = Rendering::new().with_call("list_dir", r#"{"path": "src"}"#);
        let text = Renderer::new(dialect, &tools()).render(&rendering).ok()?;
        ["arguments", "parameters", "tool_input", "args", "input"].into_iter().find(|key| {
            text.contains(&format!("\"{key}\": {{\"path\"")) || text.contains(&format!("\"{key}\":{{\"path\""))
        })
    };
    builtin
        .iter()
        .filter_map(|dialect| Some(([dialect.clone()].into_iter().collect(), dialect.clone(), key_of(dialect)?)))
        .collect()
}

/// Whether nothing else came out than what was meant.
fn is_right(message: &Message, name: &str, arguments: &str) -> bool {
    message.calls.iter().all(|call| call.name == name && json(&call.arguments) == json(arguments))
}

#[test]
fn a_misspelt_key_gives_the_arguments_or_no_call() {
    let (tools, dialects) = (tools(), dialects());
    assert!(dialects.len() > 20, "{} dialects have a key for arguments", dialects.len());
    let (mut read, mut tried) = (0, 0);
    for (pinned, dialect, key) in &dialects {
        for (name, arguments) in CALLS {
            let rendering = Rendering::new().with_call(name, arguments);
            let Ok(text) = Renderer::new(dialect, &tools).render(&rendering) else { continue };
            for misspelt in MISSPELT {
                let damaged = text.replacen(&format!("\"{key}\":"), &format!("\"{misspelt}\":"), 1);
                for all in [pinned, &Dialects::builtin()] {
                    let message = parse(&damaged, all, &tools, &Options::default());
                    assert!(is_right(&message, name, arguments), "{}: {damaged}\n{:?}", dialect.name(), message.calls);
                    (read, tried) = (read + message.calls.len(), tried + 1);
                }
            }
        }
    }
    // Most of them leave one reading.
    assert!(read * 10 >= tried * 6, "{read} of {tried}");
}

#[test]
fn members_of_the_envelope_are_no_parameters() {
    let (tools, dialects) = (tools(), Dialects::builtin());
    let envelopes = [
        (r#"{"name": "create_user"}"#, "create_user", "{}"),
        (r#"{"type": "function", "name": "create_issue"}"#, "create_issue", "{}"),
        (r#"{"id": "call_1", "type": "function", "name": "list_dir"}"#, "list_dir", "{}"),
        (r#"{"id": "call_1", "name": "get_user"}"#, "get_user", "never"),
        (r#"{"name": "list_dir", "meta": {"x": 1}}"#, "list_dir", "never"),
        (r#"{"name": "list_dir", "a": {"path": "x"}, "b": {"path": "y"}}"#, "list_dir", "never"),
    ];
    for (envelope, name, arguments) in envelopes {
        let message = parse(&format!("<tool_call>{envelope}</tool_call>"), &dialects, &tools, &Options::default());
        let found: Vec<(&str, &str)> =
            message.calls.iter().map(|call| (call.name.as_str(), call.arguments.as_str())).collect();
        let expected: &[(&str, &str)] = if arguments == "never" { &[] } else { &[(name, arguments)] };
        assert_eq!(found, expected, "{envelope}");
    }
}
