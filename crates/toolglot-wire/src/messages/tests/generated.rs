//! Generated answers: the body is what clients make of the stream, and both are read as they were said.

use toolglot_json::{Map, Value, json};

use super::accumulate::{USAGE, accumulate};
use super::{client, part, read, read_whole, told, write};
use crate::messages::whole;
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent, ResponseStart, Usage};

const TEXTS: [&str; 8] = ["Hi", " there", "\n", "\"quoted\" \\ ", "ü€😀", "data: x\n\nevent: y\r", "</tool_call>", "{"];
const INPUTS: [&str; 6] = [
    "{}",
    r#"{"city": "Paris"}"#,
    r#"{"id": 123456789012345678901234567890, "x": 1.10, "y": -0.0}"#,
    "{ \"a\" : [ 1,2 ] ,\"b\":{\"c\":null}}",
    r#"{"text": "\u00fc \"q\" \\ \n €"}"#,
    r#"{"b": 1, "a": 2}"#,
];

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }
}

#[test]
fn a_body_is_what_clients_make_of_the_stream() {
    for seed in 0..3_000 {
        let said = answer(&mut Dice(seed));
        let stream = write(&said, Protocol::Messages);
        let body = whole(&said, &client(Protocol::Messages));
        let accumulated = accumulate(&stream).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{stream}"));
        assert_eq!(without_uncounted(serde_json::from_slice(&body).unwrap()), accumulated, "seed {seed}\n{stream}");
        let written: Vec<ResponseEvent> = said.iter().map(as_written).collect();
        assert_eq!(told(&read(stream.as_bytes())), told(&written), "seed {seed}, the stream read");
        assert_eq!(told(&read_whole(&body)), told(&written), "seed {seed}, the body read");
    }
}

/// Other counts than these, clients pass over at the end of a stream.
fn without_uncounted(mut body: Value) -> Value {
    body["usage"].as_object_mut().unwrap().retain(|key, _| USAGE.contains(&key.as_str()));
    body
}

/// What is read where this was said: a refusal is a text here.
fn as_written(said: &ResponseEvent) -> ResponseEvent {
    match said {
        ResponseEvent::Part { part: Part::Refusal(text), .. } => part(Part::Text(text.clone())),
        said => said.clone(),
    }
}

fn answer(dice: &mut Dice) -> Vec<ResponseEvent> {
    let begin =
        ResponseStart { id: Some("msg_1".into()), model: Some("m".into()), created: None, ..ResponseStart::default() };
    let mut said = vec![ResponseEvent::Begin(begin)];
    let (mut calls, mut refused, mut before) = (0, false, 9);
    for _ in 0..dice.roll(6) {
        // Two texts that follow each other are one block, and so are two reasonings; after that they cannot be told apart.
        let mut sort = dice.roll(5);
        sort = if sort == before && sort < 2 { 2 } else { sort };
        before = sort;
        match sort {
            0 => {
                let is_refusal = dice.roll(5) == 0;
                refused |= is_refusal;
                let sort: fn(String) -> Part = if is_refusal { Part::Refusal } else { Part::Text };
                texts(dice, sort, &mut said);
            }
            1 => {
                texts(dice, Part::Reasoning, &mut said);
                if dice.roll(2) == 0 {
                    said.push(part(Part::Seal("c2ln+/=".into())));
                }
            }
            2 | 3 => {
                call(dice, calls, &mut said);
                calls += 1;
            }
            _ => own(dice, &mut said),
        }
    }
    let done = if calls > 0 { Finish::ToolCalls } else { Finish::Stop };
    let cut = [Finish::Length, Finish::ContentFilter, Finish::StopSequence("END".into())];
    let finish = if refused {
        Finish::ContentFilter
    } else if dice.roll(4) == 0 {
        cut[dice.roll(3)].clone()
    } else {
        done
    };
    said.push(part(Part::Finish(finish)));
    if dice.roll(3) == 0 {
        said.push(ResponseEvent::Extra(Map::from_iter([("container".to_owned(), json!({"id": "c"}))])));
    }
    said.extend([ResponseEvent::Usage(usage(dice)), ResponseEvent::End]);
    said
}

/// White space alone would be no block.
fn texts(dice: &mut Dice, sort: fn(String) -> Part, said: &mut Vec<ResponseEvent>) {
    let mut chosen: Vec<&str> = (0..=dice.roll(3)).map(|_| dice.pick(&TEXTS)).collect();
    if chosen.iter().all(|text| text.trim().is_empty()) {
        chosen.push(TEXTS[0]);
    }
    said.extend(chosen.into_iter().map(|text| part(sort(text.to_owned()))));
}

fn call(dice: &mut Dice, call: usize, said: &mut Vec<ResponseEvent>) {
    let start = Part::CallStart { call, id: Some(format!("call_{call}")), name: "f".into(), kind: CallKind::Function };
    said.push(part(start));
    let mut rest = dice.pick(&INPUTS);
    while !rest.is_empty() {
        let wanted = 1 + dice.roll(rest.len());
        let cut = (wanted..=rest.len()).find(|cut| rest.is_char_boundary(*cut)).unwrap();
        said.push(part(Part::Arguments { call, text: rest[..cut].to_owned() }));
        rest = &rest[cut..];
    }
    said.push(part(Part::CallEnd { call }));
}

/// A block that only this protocol knows.
fn own(dice: &mut Dice, said: &mut Vec<ResponseEvent>) {
    let blocks = [
        json!({"type": "redacted_thinking", "data": "abc"}),
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}}),
    ];
    let block = blocks[dice.roll(2)].clone();
    said.push(part(Part::Own(json!({"type": "content_block_start", "content_block": block}))));
    said.push(part(Part::Own(json!({"type": "content_block_stop"}))));
}

fn usage(dice: &mut Dice) -> Usage {
    let (input, cached, output) = (dice.roll(100) as u64, dice.roll(2) as u64 * 5, dice.roll(50) as u64);
    let own = json!({
        "input_tokens": input,
        "cache_read_input_tokens": cached,
        "output_tokens": output,
        "service_tier": "standard",
    });
    Usage { input: input + cached, output, cached: Some(cached), reasoning: None, own }
}
