//! Clean responses made from a seed: however they travel, they say the same.

use toolglot_json::{Value, json};

use super::{accumulate, all_said, bytes_of, client, events_of, read, read_whole, write};
use crate::policy::ReasoningItem;
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent};
use crate::responses::whole;

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[usize::try_from(self.roll(of.len() as u64)).unwrap()]
    }

    fn pieces(&mut self, make: fn(String) -> Part) -> Vec<Part> {
        let some = 1 + self.roll(3);
        let words = ["a", " b\n", "\"q\" \\", "é😀", "\u{2028}", "</x>\n\n", "data: x\r\n", "\u{0}"];
        (0..some).map(|_| make(self.pick(&words).to_owned())).collect()
    }
}

/// Returns a clean response of a few parts.
fn response(seed: u64, own: bool) -> Vec<ResponseEvent> {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let (mut parts, mut calls) = (Vec::new(), 0);
    for _ in 0..dice.roll(6) {
        match dice.roll(if own { 6 } else { 5 }) {
            0 => parts.extend(dice.pieces(Part::Text)),
            1 => parts.extend(dice.pieces(Part::Refusal)),
            // Two pieces of reasoning in a row are one item, and so are its seals.
            2 if !matches!(parts.last(), Some(Part::Reasoning(_) | Part::Seal(_))) => {
                parts.extend(dice.pieces(Part::Reasoning));
                if dice.roll(2) == 0 {
                    parts.push(Part::Seal(format!("seal {}", parts.len())));
                }
            }
            2 | 3 => {
                let kind = CallKind::Function;
                let (call, id) = (calls, Some(format!("call_{calls}")));
                parts.push(Part::CallStart { call, id, name: dice.pick(&["go", "stay"]).to_owned(), kind });
                let pieces = [["{", "\"to\": ", "1}"], ["{}", "", ""], ["{\"a\":\"\\n", "é", "\"}"]];
                let pieces = pieces[usize::try_from(dice.roll(3)).unwrap()];
                parts.extend(pieces.map(|text| Part::Arguments { call, text: text.to_owned() }));
                parts.push(Part::CallEnd { call });
                calls += 1;
            }
            4 => {
                let (call, id, kind) = (calls, Some(format!("call_{calls}")), CallKind::Custom);
                parts.push(Part::CallStart { call, id, name: "free".to_owned(), kind });
                let say = |part| match part {
                    Part::Text(text) => Part::Arguments { call, text },
                    other => other,
                };
                parts.extend(dice.pieces(Part::Text).into_iter().map(say));
                parts.push(Part::CallEnd { call });
                calls += 1;
            }
            _ => parts.extend(search(seed, parts.len())),
        }
    }
    let finishes = [Finish::Length, Finish::ContentFilter, if calls > 0 { Finish::ToolCalls } else { Finish::Stop }];
    let finish = finishes[usize::try_from(dice.roll(6).min(2)).unwrap()].clone();
    all_said(parts, finish)
}

/// Returns an item that no other protocol has.
fn search(seed: u64, place: usize) -> [Part; 3] {
    let id = format!("ws_{seed}_{place}");
    let item = |status: &str| json!({"id": id, "type": "web_search_call", "status": status});
    [
        json!({"type": "response.output_item.added", "output_index": 90 + place, "item": item("in_progress")}),
        json!({"type": "response.web_search_call.searching", "output_index": 90 + place, "item_id": id}),
        json!({"type": "response.output_item.done", "output_index": 90 + place, "item": item("completed")}),
    ]
    .map(Part::Own)
}

#[test]
fn the_stream_put_together_is_the_whole_response() {
    for seed in 0..400 {
        let said = response(seed, true);
        for upstream in [Protocol::Responses, Protocol::Chat] {
            let client = client(upstream, &json!({"tools": [{"type": "function", "name": "go"}]}));
            let streamed = accumulate::openai(&events_of(&write(&said, &client)));
            assert_eq!(streamed, whole(&said, &client), "seed {seed}");
        }
    }
}

#[test]
fn the_ai_sdk_sees_what_was_said() {
    for seed in 0..400 {
        let said = response(seed, false);
        let mut expected = accumulate::Seen::default();
        for said in &said {
            let ResponseEvent::Part { part, .. } = said else { continue };
            match part {
                Part::Text(text) => expected.text += text,
                Part::Reasoning(text) => expected.reasoning += text,
                Part::CallStart { id, name, .. } => {
                    expected.calls.push((id.clone().unwrap(), name.clone(), String::new()));
                }
                Part::Arguments { text, .. } => expected.calls.last_mut().unwrap().2 += text,
                Part::Finish(Finish::Length | Finish::ContentFilter) => expected.end = "response.incomplete".to_owned(),
                Part::Finish(_) => expected.end = "response.completed".to_owned(),
                _ => {}
            }
        }
        let written = events_of(&write(&said, &client(Protocol::Chat, &json!({}))));
        let mut seen = accumulate::ai_sdk(&written);
        // White space behind a call is no message of its own.
        [&mut seen.text, &mut expected.text].into_iter().for_each(|text| text.truncate(text.trim_end().len()));
        assert_eq!(seen, expected, "seed {seed}");
    }
}

#[test]
fn what_is_written_is_read_as_it_was() {
    for seed in 0..400 {
        let mut client = client(Protocol::Responses, &json!({"model": "m"}));
        client.reasoning_item = if seed % 2 == 0 { ReasoningItem::Summary } else { ReasoningItem::Text };
        let said = response(seed, true);
        let body = whole(&said, &client);
        let (stream, body_text) = (write(&said, &client), body.to_string());
        // How a server sends its reasoning counts more than how the operator would.
        for item in [ReasoningItem::Summary, ReasoningItem::Text] {
            client.reasoning_item = item;
            let again = read(&stream);
            assert_eq!(whole(&again, &client), body, "stream of seed {seed}: {again:#?}");
            let again = read_whole(body_text.as_bytes());
            assert_eq!(whole(&again, &client), body, "body of seed {seed}: {again:#?}");
        }
    }
}

#[test]
fn what_the_last_event_repeats_is_said_once() {
    for seed in 0..200 {
        let client = client(Protocol::Responses, &json!({"model": "m"}));
        let written = events_of(&write(&response(seed, true), &client));
        let body = &written.last().unwrap()["response"];
        // Any event in the middle may be missing but a piece of a text: the last one has it all, and nothing is said
        // twice.
        for missing in 2..written.len() - 1 {
            if written[missing].get("delta").is_some() {
                continue;
            }
            let mut events = written.clone();
            events.remove(missing);
            let again: Value = whole(&read(&bytes_of(&events)), &client);
            let mut expected = texts(body);
            if written[missing]["type"] == "response.output_item.done" {
                // Then the seal may come too late to be put where it belongs.
                let late = |text: &(String, String)| text.0 != "encrypted_content" || texts(&again).contains(text);
                expected.retain(late);
            }
            assert_eq!(texts(&again), expected, "seed {seed} without {}", written[missing]);
        }
    }
}

/// Returns all texts of a response by what they are, in order, and the names of its calls.
fn texts(body: &Value) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    for item in body["output"].as_array().unwrap() {
        for list in ["content", "summary"] {
            for part in item[list].as_array().into_iter().flatten() {
                let text = part["text"].as_str().or(part["refusal"].as_str()).unwrap();
                found.push((part["type"].to_string(), text.to_owned()));
            }
        }
        for field in ["arguments", "input", "encrypted_content"] {
            let text = item[field].as_str();
            found.extend(
                text.map(|text| (item["name"].as_str().unwrap_or_default().to_owned() + field, text.to_owned())),
            );
        }
    }
    found.sort();
    found
}
