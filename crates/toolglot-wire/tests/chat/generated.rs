//! Answers made at random: streamed and whole, they say the same.

use toolglot_json::{Value, json};
use toolglot_wire::Policy;

use crate::accumulate::{Answer, answer};
use crate::script::{chunk, delta, events, exchange, request, stream_in};

/// A small generator of numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn pick<'t>(&mut self, list: &[&'t str]) -> &'t str {
        list[self.roll(list.len())]
    }

    /// Cuts a text at random characters.
    fn cut(&mut self, text: &str) -> Vec<String> {
        let mut pieces = vec![String::new()];
        for char in text.chars() {
            if self.roll(4) == 0 {
                pieces.push(String::new());
            }
            pieces.last_mut().unwrap().push(char);
        }
        pieces
    }
}

const TEXTS: [&str; 6] = ["", "Hello ", "a < b\n\n", "`x` ", "caf\u{e9} ", "{\"a\": 1} "];
const CALLS: [&str; 4] = [
    "<tool_call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}</tool_call>",
    "<tool_call>\n{\"name\": \"get_time\", \"arguments\": {\"zone\": \"a\\nb\", \"days\": \"3\"}}\n</tool_call>\n",
    "<think>hm</think>",
    "",
];
const ARGUMENTS: [&str; 6] =
    ["{}", "", "{\"city\": \"Paris\", \"days\": 2}", "{'city': 'Paris'}", "{\"days\": \"7\"}", "{\"city\": \"{[\"}"];

/// An answer as chunks and as a whole.
fn generated(dice: &mut Dice) -> (Vec<Value>, Value) {
    let (mut chunks, mut message) = (vec![delta(json!({"role": "assistant"}))], json!({"role": "assistant"}));
    if dice.roll(3) == 0 {
        let text = dice.pick(&["hm", "let me <think>", "why\nnot"]);
        message["reasoning_content"] = json!(text);
        chunks.extend(dice.cut(text).into_iter().map(|piece| delta(json!({"reasoning_content": piece}))));
    }
    let text: String = (0..dice.roll(5)).map(|_| [dice.pick(&TEXTS), dice.pick(&CALLS)].concat()).collect();
    message["content"] = json!(text);
    chunks.extend(dice.cut(&text).into_iter().map(|piece| delta(json!({"content": piece}))));
    let mut calls = Vec::new();
    for index in 0..dice.roll(4) {
        let (name, arguments) = (dice.pick(&["get_weather", "get_time", "other"]), dice.pick(&ARGUMENTS));
        let id = dice.pick(&["call_a", "call_b", "", "functions.x:0", "call_c"]);
        let head = json!({"index": index, "id": id, "type": "function", "function": {"name": name}});
        chunks.push(delta(json!({"tool_calls": [head]})));
        chunks.extend(
            dice.cut(arguments)
                .into_iter()
                .map(|piece| delta(json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]}))),
        );
        calls.push(json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}));
    }
    message["tool_calls"] = json!(calls);
    let finish = dice.pick(&["stop", "tool_calls", "length", "content_filter"]);
    chunks.push(chunk(json!({}), json!(finish)));
    let choice = json!({"index": 0, "message": message, "finish_reason": finish});
    (chunks, json!({"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}))
}

fn whole_answer(body: &[u8]) -> Answer {
    let body: Value = toolglot_json::from_slice(body).unwrap();
    let choice = &body["choices"][0];
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let call =
        |call: &Value| (text(&call["id"]), text(&call["function"]["name"]), text(&call["function"]["arguments"]));
    Answer {
        text: text(&choice["message"]["content"]),
        reasoning: text(&choice["message"]["reasoning_content"]),
        calls: choice["message"]["tool_calls"].as_array().into_iter().flatten().map(call).collect(),
        finish: text(&choice["finish_reason"]),
    }
}

#[test]
fn a_stream_put_together_is_the_whole_answer() {
    let exchange = exchange(&request(json!({})), &Policy::default());
    let mut made = 0;
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let (chunks, body) = generated(&mut dice);
        let whole = whole_answer(&exchange.turn(1, 1000).whole(body.to_string().as_bytes()).unwrap());
        let text = events(&chunks);
        let size = 1 + dice.roll(200);
        let (out, _) = stream_in(&exchange, text.as_bytes(), size, None);
        assert_eq!(answer(&out), whole, "seed {seed}: {body}");
        made += whole.calls.len();
    }
    assert!(made > 600, "{made} calls");
}
