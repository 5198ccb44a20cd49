//! Calls as text, in every dialect.

use toolglot::{Dialects, FinishReason, Options, Outcome, Renderer, Rendering, Tools, parse};
use toolglot_json::{Value, json};
use toolglot_wire::{Policy, Protocol};

use crate::client::{exchange, gather, tools};

/// A message whose arguments end in all kinds of brackets, and hold what looks like their end.
fn message<'m>() -> Rendering<'m> {
    Rendering::new()
        .with_content("Now.")
        .with_call("edit", r#"{"path": "a}b", "text": "x = {\"y\": [1]}\n}", "line": 12, "tags": ["t", "}"], "more": {"a": {"b": {}}}}"#)
        .with_call("list", r#"{"all": true}"#)
        .with_call("list", "{}")
}

/// Returns a Chat server's stream of a text that ends for a reason.
fn stream(said: &str, finish: &str) -> String {
    let chunk = |delta: Value, finish: Value| {
        let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
        format!("data: {}\n\n", json!({"id": "c", "object": "chat.completion.chunk", "choices": [choice]}))
    };
    let end = chunk(json!({}), json!(finish));
    format!("{}{end}data: [DONE]\n\n", chunk(json!({"role": "assistant", "content": said}), Value::Null))
}

#[test]
fn what_a_client_gathers_is_json_only_if_the_call_is_finished() {
    let tools = Tools::from_json(&(&tools()).into()).unwrap();
    let mut cuts = 0;
    for (number, dialect) in Dialects::builtin().iter().enumerate() {
        let written = Renderer::new(dialect, &tools).render(&message()).or_else(|_| {
            // Some have one call a message, or no place for text.
            let one = Rendering::new().with_call("edit", r#"{"path": "a}b", "text": "x = {\"y\": [1]}"}"#);
            Renderer::new(dialect, &tools).render(&one)
        });
        let Ok(written) = written else { continue };
        let dialects = Dialects::from_iter([dialect.as_ref().clone()]);
        let policy = Policy::default().with_dialects(dialects.clone());
        let exchanges = Protocol::ALL.map(|client| (client, exchange(client, Protocol::Chat, &policy)));
        for at in (0..=written.len()).filter(|at| written.is_char_boundary(*at)) {
            let said = &written[..at];
            for (reason, finish) in [(FinishReason::Length, "length"), (FinishReason::Stop, "stop")] {
                let options = Options::default().with_finish_reason(Some(reason));
                let read = parse(said, &dialects, &tools, &options);
                let finished: Vec<Value> =
                    read.calls.iter().map(|call| serde_json::from_str(&call.arguments).unwrap()).collect();
                let is_broken = read.incomplete.iter().any(|call| call.outcome == Outcome::Broken);
                // Nothing but the words differs between the protocols.
                let turns =
                    exchanges.iter().skip((number + at) % 4).take(if reason == FinishReason::Length { 4 } else { 1 });
                for (client, exchange) in turns {
                    let what = || format!("{} to {client:?}, {finish}: {said}", dialect.name());
                    let gathered = gather(exchange, *client, stream(said, finish).as_bytes());
                    gathered.check().unwrap_or_else(|error| panic!("{error}\n{}", what()));
                    assert_eq!(gathered.run(), finished, "{}\n{gathered:?}", what());
                    if reason == FinishReason::Length && !is_broken {
                        assert_eq!((gathered.finish.as_str(), gathered.error), ("length", false), "{}", what());
                    } else if !read.incomplete.is_empty() {
                        assert!(gathered.error || gathered.calls.len() == finished.len(), "{}", what());
                    }
                    cuts += 1;
                }
            }
        }
    }
    assert!(cuts > 20_000, "{cuts}");
}
