//! Conversations at random in every dialect: written as text and read back, they are what they were.
//!
//! `PROMPT_ROUNDS=1000 cargo test --release -p toolglot-wire --test prompt` asks for more of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolglot::{Dialect, Dialects, Tools};
use toolglot_json::{Map, Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, restore};

/// A small generator of numbers.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.roll(list.len())]
    }

    /// A text out of fragments of markers, prose and characters that need care.
    fn text(&mut self) -> String {
        const PIECES: [&str; 20] = [
            "plain words",
            " ",
            "\n",
            "\n\n",
            "a < b",
            "</",
            "<tool",
            "_call>",
            "\"",
            "\\",
            "{",
            "}",
            "caf\u{e9}",
            "\u{1F600}",
            "[1, 2]",
            "tool_response",
            "key: value",
            "Action",
            "def f():\n    return 1",
            "100%",
        ];
        // Most are harmless, so that most conversations can be expressed.
        if self.roll(3) > 0 {
            return format!("{} {}", self.pick(&["The file", "It is", "Look at"]), self.roll(1000));
        }
        let pieces: String = (0..1 + self.roll(5)).map(|_| self.pick(&PIECES)).collect();
        format!("x{pieces}x")
    }
}

fn tool(name: &str, properties: Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": format!("Does {name}."),
        "parameters": {"type": "object", "properties": properties}}})
}

fn tools() -> Value {
    let text = json!({"type": "string"});
    json!([
        tool("list_files", json!({"path": text})),
        tool("write_file", json!({"path": text, "content": text})),
        tool("count", json!({"from": {"type": "integer"}, "deep": {"type": "boolean"}, "items": {"type": "array"}})),
        tool("now", json!({})),
    ])
}

fn arguments(name: &str, dice: &mut Dice) -> Value {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| _ = map.insert(key.to_owned(), value);
    match name {
        "list_files" => put("path", dice.text().into()),
        "write_file" => {
            put("path", "a/b.txt".into());
            put("content", dice.text().into());
        }
        "count" => {
            put("from", (dice.roll(2000) as i64 - 1000).into());
            put("deep", (dice.roll(2) == 0).into());
            put("items", json!([1, "two", null]));
        }
        _ => {}
    }
    map.into()
}

/// A conversation in order, as chat has it.
fn conversation(dice: &mut Dice) -> Vec<Value> {
    let mut messages = vec![json!({"role": "user", "content": dice.text()})];
    for turn in 0..1 + dice.roll(3) {
        let count = dice.roll(3);
        let said = if count == 0 || dice.roll(2) == 0 { dice.text().into() } else { Value::Null };
        let names: Vec<&str> = (0..count).map(|_| dice.pick(&["list_files", "write_file", "count", "now"])).collect();
        let call = |(at, name): (usize, &&str)| {
            let function = json!({"name": name, "arguments": arguments(name, dice).to_string()});
            json!({"id": format!("call_{turn}_{at}"), "type": "function", "function": function})
        };
        let calls: Vec<Value> = names.iter().enumerate().map(call).collect();
        let mut message = json!({"role": "assistant", "content": said});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        messages.push(message);
        for at in 0..count {
            messages.push(json!({"role": "tool", "tool_call_id": format!("call_{turn}_{at}"), "content": dice.text()}));
        }
        if count == 0 || dice.roll(2) == 0 {
            messages.push(json!({"role": "user", "content": dice.text()}));
        }
    }
    messages
}

/// What a conversation says, whatever its ids and however its arguments are written.
fn gist(messages: &[Value]) -> Vec<Value> {
    let one = |message: &Value| {
        let calls = message["tool_calls"].as_array().into_iter().flatten();
        let call = |call: &Value| {
            let arguments = call["function"]["arguments"].as_str().unwrap_or_default();
            json!([call["function"]["name"], toolglot_json::from_str(arguments).unwrap_or_default()])
        };
        let content = message["content"].as_str().unwrap_or_default();
        json!([message["role"], content, calls.map(call).collect::<Vec<_>>()])
    };
    messages.iter().map(one).collect()
}

fn sent(request: &Value, dialect: &Arc<Dialect>) -> (Value, Vec<String>) {
    let policy = Policy::default().with_prompt(Some(Arc::clone(dialect)));
    let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.to_string().as_bytes(), &policy).unwrap();
    (serde_json::from_slice(&exchange.upstream_body()).unwrap(), exchange.notes().to_vec())
}

#[test]
fn a_conversation_in_text_reads_back_the_same_in_every_dialect() {
    let rounds: u64 = std::env::var("PROMPT_ROUNDS").ok().and_then(|text| text.parse().ok()).unwrap_or(25);
    let declared = Tools::from_json(&(&tools()).into()).unwrap();
    let mut few: BTreeMap<String, (u64, String)> = BTreeMap::new();
    for dialect in Dialects::builtin().iter() {
        let (mut same, mut note) = (0, String::new());
        for seed in 0..rounds {
            let messages = conversation(&mut Dice(seed));
            let request = json!({"model": "m", "messages": messages, "tools": tools(), "tool_choice": "auto"});
            let (body, notes) = sent(&request, dialect);
            let text = body["messages"].as_array().unwrap();
            let is_plain = |message: &Value| message.get("tool_calls").is_none() && message["role"] != "tool";
            assert!(text.iter().all(is_plain) && body.get("tools").is_none(), "{body}");
            if let Some(found) = notes.first() {
                note.clone_from(found);
                continue;
            }
            same += 1;
            let restored = restore(&text[1..], dialect, &declared);
            assert_eq!(gist(&restored), gist(&messages), "{} {seed}: {body}", dialect.name());
        }
        if same * 2 < rounds {
            few.insert(dialect.name().to_owned(), (same, note));
        }
    }
    // Some cannot say two calls, text beside calls, or certain values; each says why.
    assert!(few.len() < 16, "{few:#?}");
}

#[test]
fn the_same_request_becomes_the_same_bytes() {
    for dialect in Dialects::builtin().iter() {
        let request = json!({"model": "m", "messages": conversation(&mut Dice(7)), "tools": tools()});
        assert_eq!(sent(&request, dialect), sent(&request, dialect));
        let (body, _) = sent(&request, dialect);
        let system = body["messages"][0]["content"].as_str().unwrap();
        assert!(system.contains("list_files") && !system.contains("{example}"), "{}: {system}", dialect.name());
    }
}
