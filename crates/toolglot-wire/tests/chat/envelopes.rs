//! Whatever servers put around a piece: what passes at a glance says what the same chunk says that is read with care.

use toolglot_json::{Map, Value, json};
use toolglot_wire::{Policy, Report};

use crate::accumulate::answers;
use crate::generated::Dice;
use crate::script::{exchange, request, stream_in};

const TEXTS: [&str; 11] = [
    " one",
    "two",
    "\n",
    "\"three\" \\ ",
    "\u{1f600}",
    "<",
    " <tool_call>\n",
    "{\"name\": \"get_time\", ",
    "\"arguments\": {}}",
    "\n</tool_call>",
    "",
];

const ARGUMENTS: [&str; 8] = ["{\"city\": \"", "Par", "is", "\\\"", "\"", ", \"days\": 3", "}", " "];

/// What one server puts around its pieces.
struct Server {
    dice: Dice,
    /// The choices among ways to write a field that hold for the whole stream.
    habits: Vec<usize>,
    chunks: u64,
}

impl Server {
    fn new(seed: u64) -> Self {
        let mut dice = Dice(seed);
        let habits = (0..16).map(|_| dice.roll(60)).collect();
        Self { dice, habits, chunks: 0 }
    }

    /// One of some ways: the server's habit, and now and then another.
    fn way(&mut self, habit: usize, ways: usize) -> usize {
        if self.dice.roll(24) == 0 { self.dice.roll(ways) } else { self.habits[habit] % ways }
    }

    /// Says whether the server has a habit that one of so many has.
    fn has(&self, habit: usize, of: usize) -> bool {
        self.habits[habit].is_multiple_of(of)
    }

    fn rarely(&mut self) -> bool {
        self.dice.roll(40) == 0
    }

    /// A chunk with a delta; `text` is what log probabilities are of.
    fn chunk(&mut self, choice: usize, delta: Map, text: Option<&str>) -> Value {
        self.chunks += 1;
        let mut alternative = json!({"index": choice, "delta": delta});
        match self.way(0, 3) {
            0 => alternative["finish_reason"] = Value::Null,
            1 => {
                alternative = json!({"finish_reason": null, "index": choice, "delta": delta});
            }
            _ => {}
        }
        match (self.way(1, 4), text) {
            (0, _) => alternative["logprobs"] = Value::Null,
            (1, Some(text)) if !text.is_empty() => alternative["logprobs"] = self.logprobs(text),
            _ => {}
        }
        match self.way(2, 6) {
            0 => alternative["matched_stop"] = Value::Null,
            1 => alternative["token_ids"] = json!([self.dice.roll(9), self.dice.roll(9)]),
            _ => {}
        }
        let id = if self.rarely() { "chatcmpl-2".to_owned() } else { "chatcmpl-\u{e9}1".to_owned() };
        let id = if self.way(3, 5) == 0 { format!("{id}-{}", self.chunks) } else { id };
        let created = 1000 + if self.way(4, 2) == 0 { self.chunks / 3 } else { 0 };
        let mut chunk = if self.way(5, 3) == 0 {
            json!({"choices": [alternative], "created": created, "id": id, "model": "m", "object": "chat.completion.chunk"})
        } else {
            json!({"id": id, "object": "chat.completion.chunk", "created": created, "model": "m", "choices": [alternative]})
        };
        self.more(&mut chunk);
        chunk
    }

    /// What servers add to the response.
    fn more(&mut self, chunk: &mut Value) {
        let count = self.chunks;
        match self.way(6, 5) {
            0 => chunk["usage"] = Value::Null,
            1 | 2 => {
                chunk["usage"] = json!({"prompt_tokens": 9, "completion_tokens": count, "total_tokens": 9 + count})
            }
            _ => {}
        }
        match self.way(7, 6) {
            0 => chunk["obfuscation"] = json!("x".repeat(self.dice.roll(9))),
            1 => chunk["timings"] = json!({"n": count, "ms": 0.25}),
            2 => chunk["p"] = json!("pad \"".repeat(self.dice.roll(3))),
            _ => {}
        }
        if self.way(8, 3) == 0 {
            chunk["system_fingerprint"] = json!("fp");
        }
        if self.rarely() {
            match self.dice.roll(7) {
                0 => chunk["model"] = json!("other"),
                1 => chunk["object"] = json!(""),
                2 => chunk["error"] = Value::Null,
                3 => chunk["usage"] = json!(7),
                4 => chunk["created"] = json!("now"),
                5 => chunk["choices"][0]["finish_reason"] = json!(""),
                _ => _ = chunk.as_object_mut().and_then(|chunk| chunk.remove("id")),
            }
        }
    }

    /// Log probabilities of a text as one token, or as two.
    fn logprobs(&mut self, text: &str) -> Value {
        let at = text.char_indices().nth(1).map_or(text.len(), |(at, _)| at);
        let tokens = if self.dice.roll(2) == 0 { vec![text] } else { vec![&text[..at], &text[at..]] };
        let tokens = tokens.into_iter().filter(|token| !token.is_empty());
        let count = self.chunks;
        json!({"content": tokens.map(|token| json!({"token": token, "logprob": -0.5, "at": count})).collect::<Vec<_>>()})
    }

    fn delta(&mut self, name: &str, value: Value) -> Map {
        let mut delta = Map::new();
        match self.way(9, 5) {
            0 => _ = delta.insert("role".to_owned(), Value::Null),
            1 => _ = delta.insert("role".to_owned(), json!("assistant")),
            _ => {}
        }
        let others: &[(&str, Value)] = match self.way(10, 6) {
            0 => &[("reasoning_content", Value::Null), ("tool_calls", Value::Null), ("refusal", Value::Null)],
            1 => &[("content", json!(""))],
            2 => &[("reasoning_content", json!(""))],
            3 if self.dice.roll(12) == 0 => &[("made_up", json!(1))],
            _ => &[],
        };
        let before = self.way(11, 2) == 0;
        let mut add = |name: &str, value: &Value| _ = delta.entry(name.to_owned()).or_insert_with(|| value.clone());
        if before {
            add(name, &value);
        }
        others.iter().for_each(|(other, value)| {
            if *other != name {
                add(other, value)
            }
        });
        add(name, &value);
        delta
    }

    fn text(&mut self, choice: usize, text: &str) -> Value {
        let delta = self.delta("content", json!(text));
        self.chunk(choice, delta, Some(text))
    }

    fn reasoning(&mut self, choice: usize, text: &str) -> Value {
        let delta = self.delta("reasoning_content", json!(text));
        self.chunk(choice, delta, None)
    }

    fn call(&mut self, choice: usize, index: usize) -> Value {
        let element = json!([{"index": index, "id": format!("call_{index:0>24}"), "type": "function",
            "function": {"name": "get_weather", "arguments": ""}}]);
        let delta = self.delta("tool_calls", element);
        self.chunk(choice, delta, None)
    }

    fn arguments(&mut self, choice: usize, index: usize, text: &str) -> Value {
        let element = match self.way(12, 5) {
            0 => json!({"id": null, "index": index, "type": "function", "function": {"name": null, "arguments": text}}),
            1 => json!({"index": index, "id": "", "function": {"arguments": text, "name": ""}}),
            2 => json!({"index": index, "type": "function", "function": {"arguments": text}}),
            _ => json!({"index": index, "function": {"arguments": text}}),
        };
        let delta = self.delta("tool_calls", json!([element]));
        self.chunk(choice, delta, None)
    }

    fn stream(&mut self) -> String {
        let mut chunks = vec![self.text(0, "")];
        let alternatives = 1 + self.habits[13] % 2;
        for _ in 0..4 + self.dice.roll(30) {
            let choice = self.dice.roll(alternatives);
            // An answer that ends inside a call is an error, and says little.
            let texts = if self.has(15, 3) { TEXTS.len() } else { 6 };
            let (text, argument) = (TEXTS[self.dice.roll(texts)], ARGUMENTS[self.dice.roll(ARGUMENTS.len())]);
            let chunk = match self.dice.roll(10) {
                0 | 1 if self.has(14, 2) => self.reasoning(choice, TEXTS[0]),
                2..=5 if self.has(12, 4) => self.arguments(choice, 0, argument),
                6 if self.has(12, 4) => self.call(choice, 0),
                _ => self.text(choice, text),
            };
            chunks.push(chunk);
        }
        let stop = self.chunk(0, Map::new(), None);
        chunks.push(stop);
        if let Some(last) = chunks.last_mut() {
            last["choices"][0]["finish_reason"] = json!("stop");
        }
        let end = if self.has(13, 5) { "\r\n\r\n" } else { "\n\n" };
        let events: String = chunks.iter().map(|chunk| format!("data: {chunk}{end}")).collect();
        events + "data: [DONE]\n\n"
    }
}

/// What a client knows of a stream beside its answers: tokens, their probabilities, fields of the server's own.
#[derive(Debug, Default, PartialEq)]
struct Told {
    usage: Option<Value>,
    probable: Vec<Vec<Value>>,
    timings: Option<Value>,
    ids: Option<Value>,
}

fn told(stream: &str) -> Told {
    let mut told = Told { probable: vec![Vec::new(); 2], ..Told::default() };
    for data in stream.split("\n\n").filter_map(|frame| frame.strip_prefix("data: {")) {
        let chunk: Value = toolglot_json::from_str(&format!("{{{data}")).unwrap();
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            continue;
        }
        let ids = json!([chunk["id"], chunk["created"], chunk["model"], chunk["object"]]);
        assert_eq!(told.ids.get_or_insert_with(|| ids.clone()), &ids, "{stream}");
        told.usage = chunk.get("usage").filter(|usage| usage.is_object()).cloned().or(told.usage);
        told.timings = chunk.get("timings").cloned().or(told.timings);
        for choice in chunk["choices"].as_array().into_iter().flatten() {
            let at = choice["index"].as_u64().unwrap_or_default() as usize;
            let tokens = choice.pointer("/logprobs/content").and_then(Value::as_array);
            told.probable[at].extend(tokens.into_iter().flatten().cloned());
        }
    }
    told
}

fn summary(report: &Report) -> String {
    format!("{report:?}")
}

#[test]
fn a_glance_says_what_care_does() {
    let (mut same, mut all, mut failed, mut glanced) = (0, 0, 0, 0);
    for seed in 0..1500 {
        let mut server = Server::new(seed);
        let stream = server.stream();
        let wants_usage = seed % 3 > 0;
        let options = json!({"include_usage": wants_usage, "continuous_usage_stats": seed % 3 == 2});
        let wish = request(json!({"n": 1 + seed % 2, "stream_options": options, "logprobs": true,
            "parallel_tool_calls": seed % 5 > 0}));
        let exchange = exchange(&wish, &Policy::default());
        let (fast, report) = stream_in(&exchange, stream.as_bytes(), stream.len(), None);
        assert_eq!(stream_in(&exchange, stream.as_bytes(), 11, None).0, fast, "seed {seed}");
        let careful = stream.replace("data: {", "data:{");
        let (slow, expected) = stream_in(&exchange, careful.as_bytes(), careful.len(), None);
        let what = || format!("seed {seed}\n{stream}\nat a glance\n{fast}\nwith care\n{slow}");
        assert_eq!(answers(&fast), answers(&slow), "{}", what());
        let (found, wanted) = (told(&fast), told(&slow));
        if answers(&fast).is_err() {
            failed += 1;
            continue;
        }
        assert_eq!(found, wanted, "{}", what());
        assert!(wants_usage || found.usage.is_none(), "{}", what());
        assert_eq!(summary(&report), summary(&expected), "{}", what());
        let chunks = stream.split("\n\n").filter(|chunk| !chunk.is_empty());
        glanced += usize::from(fast != slow);
        same += chunks.clone().filter(|chunk| fast.contains(*chunk)).count();
        all += chunks.count();
    }
    assert!(same * 12 > all, "{same} of {all} chunks went on as they came");
    assert!(glanced > 600, "of {glanced} streams something passed at a glance");
    assert!(failed < 500, "{failed} streams failed");
}
