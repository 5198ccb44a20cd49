//! Everything that servers get wrong in a stream comes out right.

use toolglot_json::{Value, json};

use crate::accumulate::{Answer, answer, answers};
use crate::script::{call, chunk, delta, events, good, request, stream};

type Edit = fn(&mut Vec<Value>);

const PARIS: &str = "{\"city\": \"Paris\"}";

fn element(chunks: &mut [Value], at: usize) -> &mut Value {
    &mut chunks[at]["choices"][0]["delta"]["tool_calls"][0]
}

fn remove(value: &mut Value, key: &str) {
    value.as_object_mut().unwrap().remove(key);
}

fn each(chunks: &mut [Value], edit: fn(&mut Value)) {
    chunks.iter_mut().for_each(edit);
}

/// A whole call of a tool in one element.
fn whole_call(index: u64, id: &str, city: &str) -> Value {
    let arguments = json!({"city": city}).to_string();
    json!({"index": index, "id": id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}})
}

fn usage(more: Value) -> Value {
    let mut chunk = json!({"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "m",
        "usage": {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}});
    chunk.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    chunk
}

/// Streams whose one call must be `get_weather` of Paris, with nothing around it.
const ONE: &[(&str, Edit)] = &[
    ("good", |_| {}),
    ("no id", |c| remove(element(c, 1), "id")),
    ("id null", |c| element(c, 1)["id"] = Value::Null),
    ("id empty", |c| element(c, 1)["id"] = json!("")),
    ("no role", |c| drop(c.remove(0))),
    ("role in every chunk", |c| each(c, |c| c["choices"][0]["delta"]["role"] = json!("assistant"))),
    ("id repeated", |c| (2..4).for_each(|at| element(c, at)["id"] = json!("call_a"))),
    ("a new id in every chunk", |c| (2..4).for_each(|at| element(c, at)["id"] = json!(format!("call_{at}")))),
    ("name repeated", |c| (2..4).for_each(|at| element(c, at)["function"]["name"] = json!("get_weather"))),
    ("name and id repeated", |c| {
        (2..4).for_each(|at| {
            element(c, at)["id"] = json!("call_a");
            element(c, at)["function"]["name"] = json!("get_weather");
        });
    }),
    ("type repeated", |c| (2..4).for_each(|at| element(c, at)["type"] = json!("function"))),
    ("empty id and name later", |c| {
        (2..4).for_each(|at| {
            element(c, at)["id"] = json!("");
            element(c, at)["function"]["name"] = json!("");
        });
    }),
    ("null id, type and name later", |c| {
        (2..4).for_each(|at| {
            element(c, at)["id"] = Value::Null;
            element(c, at)["type"] = Value::Null;
            element(c, at)["function"]["name"] = Value::Null;
        });
    }),
    ("no type", |c| remove(element(c, 1), "type")),
    ("no index", |c| (1..4).for_each(|at| remove(element(c, at), "index"))),
    ("index from one", |c| (1..4).for_each(|at| element(c, at)["index"] = json!(1))),
    ("no content key", |c| remove(&mut c[0]["choices"][0]["delta"], "content")),
    ("content empty", |c| c[0]["choices"][0]["delta"]["content"] = json!("")),
    ("arguments as object", |c| {
        element(c, 1)["function"]["arguments"] = json!({"city": "Paris"});
        c.drain(2..4);
    }),
    ("arguments null first", |c| element(c, 1)["function"]["arguments"] = Value::Null),
    ("arguments absent first", |c| remove(&mut element(c, 1)["function"], "arguments")),
    ("an empty object first", |c| element(c, 1)["function"]["arguments"] = json!("{}")),
    ("whole call in one chunk", |c| {
        *element(c, 1) = whole_call(0, "call_a", "Paris");
        c.drain(2..4);
    }),
    ("tool_calls as an object", |c| {
        c[1]["choices"][0]["delta"]["tool_calls"] = whole_call(0, "call_a", "Paris");
        c.drain(2..4);
    }),
    ("finish stop", |c| c[4]["choices"][0]["finish_reason"] = json!("stop")),
    ("finish missing", |c| drop(c.pop())),
    ("finish in the last piece", |c| {
        c[3]["choices"][0]["finish_reason"] = json!("tool_calls");
        c.pop();
    }),
    ("finish empty until the end", |c| {
        c[..4].iter_mut().for_each(|c| c["choices"][0]["finish_reason"] = json!(""));
    }),
    ("finish twice", |c| c.push(chunk(json!({}), json!("stop")))),
    ("usage", |c| c.push(usage(json!({"choices": []})))),
    ("usage without choices", |c| c.push(usage(json!({})))),
    ("usage null", |c| each(c, |c| c["usage"] = Value::Null)),
    ("no object", |c| each(c, |c| remove(c, "object"))),
    ("no id, created, model", |c| each(c, |c| ["id", "created", "model"].iter().for_each(|key| remove(c, key)))),
    ("chunk ids change", |c| c.iter_mut().enumerate().for_each(|(at, c)| c["id"] = json!(format!("chatcmpl-{at}")))),
    ("keys we do not know", |c| {
        each(c, |c| {
            c["obfuscation"] = json!("xxxx");
            c["service_tier"] = json!("default");
            c["choices"][0]["logprobs"] = Value::Null;
        });
    }),
    ("nulls and empty lists first", |c| {
        c[0]["choices"][0]["delta"] =
            json!({"role": "assistant", "content": null, "tool_calls": [], "function_call": null, "refusal": null});
    }),
    ("empty deltas between", |c| (0..4).for_each(|at| c.insert(2 * at + 1, delta(json!({"content": null}))))),
    ("an empty chunk first", |c| {
        c.insert(
            0,
            json!({"id": "", "object": "", "created": 0, "model": "", "choices": [], "prompt_filter_results": []}),
        );
    }),
    ("no delta at the end", |c| remove(&mut c[4]["choices"][0], "delta")),
    ("delta null at the end", |c| drop(c[4]["choices"][0]["delta"].take())),
    ("choice without index", |c| each(c, |c| remove(&mut c["choices"][0], "index"))),
    ("no finish key", |c| c[..4].iter_mut().for_each(|c| remove(&mut c["choices"][0], "finish_reason"))),
    ("a number where the chunk belongs", |c| c.insert(2, json!(7))),
    ("legacy function call", |c| {
        for at in 1..4 {
            let function = element(c, at)["function"].take();
            c[at]["choices"][0]["delta"] = json!({"function_call": function});
        }
        c[4]["choices"][0]["finish_reason"] = json!("function_call");
    }),
    ("arguments that are no strict JSON", |c| {
        element(c, 2)["function"]["arguments"] = json!("{'city': ");
        element(c, 3)["function"]["arguments"] = json!("'Paris',}");
    }),
    ("another spelling of the name", |c| element(c, 1)["function"]["name"] = json!("functions.get_weather:0")),
];

#[track_caller]
fn is_paris(name: &str, answer: &Answer) {
    assert_eq!(answer.finish, "tool_calls", "{name}");
    assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("", ""), "{name}");
    let [(id, tool, arguments)] = &answer.calls[..] else { panic!("{name}: {:?}", answer.calls) };
    let arguments: Value = toolglot_json::from_str(arguments).unwrap();
    assert!(!id.is_empty() && tool == "get_weather", "{name}: {id} {tool}");
    assert_eq!(arguments, json!({"city": "Paris"}), "{name}");
}

#[test]
fn one_call_survives_every_break() {
    for (name, edit) in ONE {
        let mut chunks = good();
        edit(&mut chunks);
        is_paris(name, &answer(&stream(&request(json!({})), &events(&chunks))));
    }
}

#[test]
fn one_call_survives_every_framing() {
    let text = events(&good());
    let pinged: String = text.split_inclusive("\n\n").map(|event| format!(": keepalive 1/2\n\n{event}")).collect();
    for (name, text) in [
        ("no end", text.replace("data: [DONE]\n\n", "")),
        ("comments", pinged),
        ("crlf", text.replace('\n', "\r\n")),
        ("cr", text.replace('\n', "\r")),
        ("no space", text.replace("data: ", "data:")),
        ("a mark first", format!("\u{feff}{text}")),
        ("garbage between", text.replacen("\n\n", "\n\nnonsense\n\ndata: {\"a\": \n\n", 1)),
    ] {
        is_paris(name, &answer(&stream(&request(json!({})), &text)));
    }
}

#[test]
fn a_call_without_arguments_has_an_empty_object() {
    let edits: [Edit; 4] = [
        |c| remove(&mut element(c, 1)["function"], "arguments"),
        |_| {},
        |c| element(c, 1)["function"]["arguments"] = json!("{}"),
        |c| element(c, 1)["function"]["arguments"] = json!({}),
    ];
    for edit in edits {
        let mut chunks = good();
        edit(&mut chunks);
        chunks.drain(2..4);
        let answer = answer(&stream(&request(json!({})), &events(&chunks)));
        assert_eq!(answer.calls, [("call_a".into(), "get_weather".into(), "{}".into())]);
    }
}

#[test]
fn two_calls_are_two_calls() {
    let head = |index: u64, id: &str| {
        call(
            json!({"index": index, "id": id, "type": "function", "function": {"name": "get_weather", "arguments": ""}}),
        )
    };
    let piece = |index: u64, text: &str| call(json!({"index": index, "function": {"arguments": text}}));
    let rome = "{\"city\": \"Rome\"}";
    let without_index = |chunk: &Value| {
        let mut chunk = chunk.clone();
        remove(&mut chunk["choices"][0]["delta"]["tool_calls"][0], "index");
        chunk
    };
    let glued = |text: &str| vec![head(0, "call_a"), piece(0, text)];
    let calls = |chunks: Vec<Value>| {
        let mut all = vec![delta(json!({"role": "assistant"}))];
        all.extend(chunks);
        all.push(chunk(json!({}), json!("tool_calls")));
        all
    };
    let apart = vec![head(0, "call_a"), piece(0, PARIS), head(0, "call_b"), piece(0, rome)];
    for (name, chunks) in [
        (
            "in one chunk",
            vec![delta(json!({"tool_calls": [whole_call(0, "call_a", "Paris"), whole_call(1, "call_b", "Rome")]}))],
        ),
        ("one after the other", vec![head(0, "call_a"), piece(0, PARIS), head(1, "call_b"), piece(1, rome)]),
        (
            "interleaved",
            vec![
                head(0, "call_a"),
                head(1, "call_b"),
                piece(0, "{\"city\":"),
                piece(1, "{\"city\": \"R"),
                piece(0, " \"Paris\"}"),
                piece(1, "ome\"}"),
            ],
        ),
        ("on one index", vec![call(whole_call(0, "call_a", "Paris")), call(whole_call(0, "call_b", "Rome"))]),
        ("on one index, in pieces", apart.clone()),
        ("without index", apart.iter().map(without_index).collect()),
        ("on one index without ids", vec![call(whole_call(0, "", "Paris")), call(whole_call(0, "", "Rome"))]),
        ("both in one arguments string", glued("{\"city\": \"Paris\"}{\"city\": \"Rome\"}")),
        ("both in one string, apart", glued("{\"city\": \"Paris\"}\n {\"city\": \"Rome\"}\n")),
    ] {
        let answer = answer(&stream(&request(json!({})), &events(&calls(chunks))));
        let cities: Vec<Value> = answer.calls.iter().map(|call| serde_json::from_str(&call.2).unwrap()).collect();
        assert_eq!(cities, [json!({"city": "Paris"}), json!({"city": "Rome"})], "{name}");
        assert_ne!(answer.calls[0].0, answer.calls[1].0, "{name}");
        assert_eq!(answer.finish, "tool_calls", "{name}");
    }
}

#[test]
fn text_and_reasoning_stand_beside_calls() {
    let parts = json!({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "Hi."}]});
    for (at, pieces, text, reasoning) in [
        (1, vec![json!({"content": "Let me"}), json!({"content": " check."})], "Let me check.", ""),
        (4, vec![json!({"content": "after"})], "after", ""),
        (3, vec![json!({"content": "inside"})], "inside", ""),
        (1, vec![json!({"reasoning_content": "hmm"}), json!({"reasoning_content": " ok"})], "", "hmm ok"),
        (1, vec![json!({"reasoning": "hmm"})], "", "hmm"),
        (
            1,
            vec![json!({"reasoning": "hmm", "reasoning_details": [{"type": "reasoning.text", "text": "hmm"}]})],
            "",
            "hmm",
        ),
        (1, vec![json!({"reasoning_details": [{"type": "reasoning.text", "text": "hmm"}]})], "", "hmm"),
        (1, vec![parts], "Hi.", "hm"),
    ] {
        let mut chunks = good();
        chunks.splice(at..at, pieces.into_iter().map(delta));
        let found = answer(&stream(&request(json!({})), &events(&chunks)));
        assert_eq!((found.text.as_str(), found.reasoning.as_str()), (text, reasoning));
        assert_eq!(found.calls, [("call_a".into(), "get_weather".into(), PARIS.into())]);
    }
}

#[test]
fn errors_stay_errors() {
    let error = json!({"error": {"message": "boom", "type": "server_error", "code": 500, "param": null}});
    let mut named = events(&good()[..3]).replace("data: [DONE]\n\n", "");
    let plain = format!("{named}data: {error}\n\ndata: [DONE]\n\n");
    named.push_str(&format!("event: error\ndata: {error}\n\n"));
    let word = "event: error\ndata: boom\n\n".to_owned();
    for text in [plain, named, word] {
        let out = stream(&request(json!({})), &text);
        assert!(answers(&out).unwrap_err().contains("boom"), "{out}");
        assert!(!out.contains("[DONE]"));
    }
}

#[test]
fn usage_is_for_clients_that_ask() {
    let mut chunks = good();
    chunks.push(usage(json!({"choices": []})));
    let without = stream(&request(json!({})), &events(&chunks));
    assert!(!without.contains("usage"), "{without}");
    let wanted = stream(&request(json!({"stream_options": {"include_usage": true}})), &events(&chunks));
    let last = wanted.lines().rev().filter(|line| !line.is_empty()).nth(1).unwrap();
    let last: Value = toolglot_json::from_str(last.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!((&last["choices"], &last["usage"]["total_tokens"]), (&json!([]), &json!(7)));
}

/// A stream whose line of arguments is damaged on the way, at one byte after the other.
#[test]
fn arguments_that_lose_a_piece_are_no_call() {
    let value = json!({"city": "Oslo and Bergen"}).to_string();
    let chunks = |pieces: &[&str]| {
        let mut all = good()[..1].to_vec();
        all.push(delta(json!({"tool_calls": [{"index": 0, "id": "a", "type": "function",
            "function": {"name": "get_weather", "arguments": ""}}]})));
        all.extend(
            pieces.iter().map(|piece| delta(json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}))),
        );
        all.extend(good()[4..].to_vec());
        all
    };
    let text = events(&chunks(&[&value[..12], &value[12..20], &value[20..]]));
    let lines: Vec<&str> = text.split_inclusive("\n\n").collect();
    let lost = lines.iter().position(|line| line.contains(&value[12..20])).unwrap();
    for damage in ["data: {\"id\": \"c\", \"choi\n\n", "data: \u{1}\u{2}\n\n"] {
        let damaged = [&lines[..lost], &[damage], &lines[lost + 1..]].concat().concat();
        let out = stream(&request(json!({})), &damaged);
        assert!(out.contains("tool_call_broken"), "{out}");
        assert!(!out.contains("\"finish_reason\":\"tool_calls\"") && !out.contains("Bergen"), "{out}");
    }
    // Between calls, the rest is there.
    let spoken = events(&[
        good()[0].clone(),
        delta(json!({"content": "one "})),
        delta(json!({"content": "two"})),
        chunk(json!({}), json!("stop")),
    ]);
    let lines: Vec<&str> = spoken.split_inclusive("\n\n").collect();
    let damaged = [&lines[..2], &["data: {\"choi\n\n"], &lines[2..]].concat().concat();
    let out = answer(&stream(&request(json!({})), &damaged));
    assert_eq!((out.text.as_str(), out.finish.as_str()), ("one two", "stop"));
}
