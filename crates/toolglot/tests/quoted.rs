//! A call that Markdown quotes stays quoted behind a closer that nothing opened, by name and under `auto`.

use toolglot::{Dialect, Dialects, Options, Renderer, Rendering, Tools, parse};

fn tools() -> Tools {
    let tools = r#"[{"name": "rm", "parameters": {"type": "object", "properties": {"path": {"type": "string"}}}}]"#;
    Tools::from_json_str(tools).unwrap_or_default()
}

/// The last marker of a rendered call, which closes it.
fn closer(call: &str) -> Option<&str> {
    let marker = &call[call.rfind(['<', '['])?..];
    (marker.len() > 2 && !marker.contains("/w")).then_some(marker)
}

fn calls(text: &str, dialects: &Dialects) -> usize {
    parse(text, dialects, &tools(), &Options::default()).calls.len()
}

/// Ways to quote a call, with a place for the closer.
fn quotations(call: &str, closer: &str) -> Vec<String> {
    let mut all = vec![
        format!("Write it like this:\n\n```xml\n{closer}\n{call}\n```\n\nThat is all."),
        format!("Write it like this:\n\n~~~\n{closer}{call}\n~~~\n\nThat is all."),
    ];
    if !call.contains(['\n', '`']) {
        all.push(format!("Write `{closer}{call}` to remove it."));
        all.push(format!("Write ``{closer} {call}`` to remove it."));
    }
    all
}

#[test]
fn a_stray_closer_does_not_end_markdown() {
    let builtin = Dialects::builtin();
    let mut tried = 0;
    for dialect in builtin.iter() {
        let Some(call) = rendered(dialect) else { continue };
        let Some(closer) = closer(&call) else { continue };
        let pinned: Dialects = [dialect.clone()].into_iter().collect();
        let plain = quotations(&call, "");
        for (quoted, plain) in quotations(&call, closer).iter().zip(&plain) {
            for dialects in [&pinned, &builtin] {
                tried += 1;
                let (with, without) = (calls(quoted, dialects), calls(plain, dialects));
                assert!(with <= without, "{}: {with} calls, {without} without the closer: {quoted}", dialect.name());
            }
        }
    }
    assert!(tried > 200, "{tried} quotations were tried");
}

fn rendered(dialect: &std::sync::Arc<Dialect>) -> Option<String> {
    let message = Rendering::new().with_call("rm", r#"{"path": "/w"}"#);
    Renderer::new(dialect, &tools()).render(&message).ok()
}
