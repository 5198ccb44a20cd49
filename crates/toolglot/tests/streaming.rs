//! A long string comes out while it arrives: what a reader waits for is counted, for every dialect.

#![expect(clippy::expect_used, reason = "a test may panic")]

use std::sync::Arc;

use toolglot::{Dialect, Dialects, EventKind, Options, Parser, Renderer, Rendering, Tools};

const TOOLS: &str = r#"[{"name": "write", "parameters": {"type": "object", "required": ["text"],
    "properties": {"text": {"type": "string"}}}}]"#;

/// Bytes of a value that may be held back: as many as could be a marker.
const HELD: usize = 64;

/// Returns how many bytes of a value have arrived at most that were not given out.
fn lag(dialect: &Arc<Dialect>, tools: &Tools) -> Option<usize> {
    let words = "plain words of a long value ".repeat(40);
    let arguments = format!("{{\"text\": \"{}\"}}", words.trim_end());
    let message = Rendering::new().with_call("write", &arguments);
    let text = Renderer::new(dialect, tools).render(&message).ok()?;
    let (from, to) = (text.find("plain")?, text.rfind("value")?);
    let dialects = Dialects::builtin().only(&[dialect.name()]).expect("it is built in");
    let mut parser = Parser::new(&dialects, tools, &Options::default());
    let (mut given, mut lag) = (String::new(), 0);
    for at in 0..text.len() {
        for event in parser.push_bytes(&text.as_bytes()[at..=at]) {
            if let EventKind::Arguments { json, .. } = event.kind {
                given.push_str(json);
            }
        }
        if (from..to).contains(&at) {
            let out = given.find("plain").map_or(0, |start| given.len() - start);
            lag = lag.max(at + 1 - from - out.min(at + 1 - from));
        }
    }
    Some(lag)
}

#[test]
fn a_declared_string_is_given_out_while_it_arrives() {
    let tools = Tools::from_json_str(TOOLS).expect("they are tools");
    let all = Dialects::builtin();
    let lags: Vec<_> = all.iter().filter_map(|dialect| Some((dialect.name(), lag(dialect, &tools)?))).collect();
    assert!(lags.len() > 50, "{}", lags.len());
    let waiting: Vec<_> = lags.iter().filter(|(_, lag)| *lag > HELD).collect();
    assert!(waiting.is_empty(), "{waiting:?}");
}
