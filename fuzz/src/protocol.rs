//! What holds for protocols: a stream put together is the whole answer, cuts change no byte, and garbage is no harm.

use arbitrary::{Arbitrary, Result, Unstructured};
use toolglot_json::{Value, json};
use toolglot_wire::{EngineKind, Exchange, Fault, FaultKind, Policy, Protocol, TurnEnd};

use crate::answers::{Gist, of_stream, of_whole};
use crate::message::shown;
use crate::pieces;
use crate::setup::{HEAD, Head};
use crate::wire::pieces as cut;

/// A request of any client: what comes back says the same streamed and whole, whatever the cuts.
pub fn protocol(data: &[u8]) {
    let mut rest = Unstructured::new(data);
    let Ok(head) = Head::arbitrary(&mut rest) else { return };
    let client = Protocol::ALL[usize::from(head.tools) % 4];
    match head.set % 4 {
        0 => garbage(&head, client, &pieces::message(rest.take_rest(), 0)),
        1 => request(&head, client, rest.take_rest()),
        _ => generated(&head, client, &mut rest).unwrap_or_default(),
    }
}

/// Returns seeds: requests, streams, and answers that are made of choices.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let head = |set: u8, client: u8| Head { set, tools: client, ..Head::default() }.bytes();
    let mut seeds = Vec::new();
    for (number, client) in (0..).zip(Protocol::ALL) {
        seeds.push([&head(1, number)[..], asked(client, true).to_string().as_bytes()].concat());
        let answer = Answer {
            reasoning: "hm".into(),
            text: "Look: <tool_call>{\"name\": \"ls\", \"arguments\": {\"path\": \"a\"}}</tool_call>".into(),
            calls: vec![("call_1".into(), "ls", "{\"path\": \"x\\n\", \"n\": \"3\"}".into())],
            finish: "tool_calls",
        };
        let stream = answer.stream(3);
        let first = turn(Protocol::Chat, client, &head_of(number), true);
        let own = stream_through(&first.expect("a request"), stream.as_bytes(), None);
        seeds.push([&head(0, number)[..], &own].concat());
        seeds.push([&head(4, number)[..], stream.as_bytes()].concat());
        seeds.extend((0..8).map(|at| [&head(2, number)[..], &[at; 40], answer.text.as_bytes()].concat()));
    }
    seeds
}

fn head_of(client: u8) -> Head {
    Head { tools: client, ..Head::default() }
}

impl Head {
    fn bytes(self) -> [u8; HEAD] {
        let mut bytes = [0; HEAD];
        (bytes[0], bytes[2]) = (self.set, self.tools);
        bytes
    }
}

/// Any bytes from a server: the same bytes go to the client at any cut.
fn garbage(head: &Head, client: Protocol, bytes: &[u8]) {
    // A server of the client's protocol, or one that speaks chat.
    let upstream = if head.set & 4 == 0 { client } else { Protocol::Chat };
    let Some(exchange) = turn(upstream, client, head, true) else { return };
    let whole = stream_through(&exchange, bytes, None);
    for longest in [1, 9] {
        let pieces = stream_through(&exchange, bytes, Some((longest, head.cuts as u8)));
        assert!(pieces == whole, "{upstream} to {client}\n{}\n-{}\n+{}", shown(bytes), shown(&whole), shown(&pieces));
    }
    let _ = exchange.turn(1, 1).whole(bytes);
    exchange.turn(1, 1).push_whole(bytes, &mut Vec::new());
}

/// Any bytes from a client: a request for the server that is JSON, or a fault.
fn request(head: &Head, client: Protocol, bytes: &[u8]) {
    for upstream in [client, Protocol::Chat] {
        let Ok(mut exchange) = Exchange::read(client, upstream, bytes, &policy(head)) else { continue };
        let body = exchange.upstream_body();
        let is_json = toolglot_json::from_slice(&body).is_ok();
        assert!(is_json || exchange.is_relay(), "{}\n{}", shown(bytes), shown(&body));
        for message in ["tools", "tool_choice", "template", "stream_options"] {
            exchange.amend(&Fault::new(FaultKind::Request, message));
            let amended = exchange.upstream_body();
            assert!(exchange.is_relay() || toolglot_json::from_slice(&amended).is_ok(), "{}", shown(&amended));
        }
        let mut turn = exchange.turn(1, 1);
        turn.push(
            b"data: {\"choices\": [{\"delta\": {\"content\": \"x\"}, \"finish_reason\": \"stop\"}]}\n\n",
            &mut Vec::new(),
        );
        turn.finish(TurnEnd::Over, &mut Vec::new());
    }
}

/// An answer made of choices: what a client puts together of the stream is the whole answer, also the second time.
fn generated(head: &Head, client: Protocol, from: &mut Unstructured<'_>) -> Result<()> {
    let answer = Answer::new(from)?;
    let (stream, body) = (answer.stream(usize::from(head.cuts % 9) + 1), answer.whole().to_string());
    let (stream, whole) = compare(head, Protocol::Chat, client, stream.as_bytes(), body.as_bytes());
    // A whole answer of these does not say where among its text a call stood, and none has the call that a limit cut: without
    // it the text before is what was cut.
    let is_apart = matches!(client, Protocol::Chat | Protocol::Ollama);
    if let Some(whole) = whole.filter(|whole| !is_apart && !answer.may_lose_call(client, whole)) {
        compare(head, client, client, &stream, &whole);
    }
    Ok(())
}

/// What a stream says of a call that it began and cannot end.
const STARTED: [&str; 2] = ["cannot be parsed inside a call", "ended inside a call"];

/// Takes a stream and the same as a whole body to a client, and compares what comes of them.
fn compare(
    head: &Head,
    upstream: Protocol,
    client: Protocol,
    stream: &[u8],
    body: &[u8],
) -> (Vec<u8>, Option<Vec<u8>>) {
    let streamed = turn(upstream, client, head, true).expect("a request");
    let at_once = turn(upstream, client, head, false).expect("a request");
    let out = stream_through(&streamed, stream, Some((17, head.cuts as u8)));
    let found = of_stream(client, &out);
    let whole = at_once.turn(1, 1).whole(body);
    let told = || format!("{upstream} to {client}, {head:?}\n{}", shown(body));
    match &whole {
        // A call that began cannot be taken back in a stream; of a whole answer it is left out.
        Ok(_) if found.as_ref().is_err_and(|error| STARTED.iter().any(|why| error.contains(why))) => {
            return (out, None);
        }
        Ok(whole) => {
            let wanted = of_whole(client, whole);
            assert!(wanted == found, "{}\nstreamed {found:#?}\nwhole {wanted:#?}", told());
            wanted.map(|gist: Gist| gist.check()).unwrap_or_else(|why| panic!("{why}\n{}", told()));
        }
        Err(fault) => assert!(found.is_err(), "{}\nstreamed {found:#?}\nwhole {fault:?}", told()),
    }
    (out, whole.ok())
}

fn stream_through(exchange: &Exchange, stream: &[u8], cuts: Option<(usize, u8)>) -> Vec<u8> {
    let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
    cut(stream, cuts).into_iter().for_each(|piece| turn.push(piece, &mut out));
    turn.finish(TurnEnd::Over, &mut out);
    out
}

fn turn(upstream: Protocol, client: Protocol, head: &Head, stream: bool) -> Option<Exchange> {
    Exchange::read(client, upstream, asked(client, stream).to_string().as_bytes(), &policy(head)).ok()
}

fn policy(head: &Head) -> Policy {
    let engines = [EngineKind::default(), EngineKind::Vllm, EngineKind::LlamaCpp, EngineKind::Ollama];
    Policy::default().with_options(head.options(false)).with_engine(engines[usize::from(head.limits[1]) % 4])
}

/// A client's request with two tools.
fn asked(client: Protocol, stream: bool) -> Value {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}, "n": {"type": "integer"}}});
    let names = ["ls", "note"];
    match client {
        Protocol::Chat => json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "hi"}],
            "tools": names.map(|name| json!({"type": "function", "function": {"name": name, "parameters": schema}}))}),
        Protocol::Ollama => json!({"model": "m", "stream": stream, "messages": [{"role": "user", "content": "hi"}],
            "tools": names.map(|name| json!({"type": "function", "function": {"name": name, "parameters": schema}}))}),
        Protocol::Responses => json!({"model": "m", "stream": stream, "input": "hi",
            "tools": names.map(|name| json!({"type": "function", "name": name, "parameters": schema}))}),
        Protocol::Messages => json!({"model": "m", "stream": stream, "max_tokens": 9,
            "messages": [{"role": "user", "content": "hi"}],
            "tools": names.map(|name| json!({"name": name, "input_schema": schema}))}),
    }
}

/// An answer of a chat server.
struct Answer {
    reasoning: String,
    text: String,
    /// Ids, names and arguments.
    calls: Vec<(String, &'static str, String)>,
    finish: &'static str,
}

impl Answer {
    /// Says whether a whole answer leaves out its last call, because a limit cut it: a native one, or one in the text.
    fn may_lose_call(&self, client: Protocol, whole: &[u8]) -> bool {
        let keeps_text = || of_whole(client, whole).is_ok_and(|gist: Gist| gist.text == self.text);
        matches!(self.finish, "length" | "content_filter") && !(self.calls.is_empty() && keeps_text())
    }

    fn new(from: &mut Unstructured<'_>) -> Result<Self> {
        let reasoning = *from.choose(&["", "", "hm", "why\nnot"])?;
        let finish = *from.choose(&["stop", "tool_calls", "length", "content_filter"])?;
        let mut calls = Vec::new();
        for number in 0..from.int_in_range(0..=2)? {
            let id = *from.choose(&["call_a", "call_b", "", "functions.ls:0"])?;
            let name = *from.choose(&["ls", "note", "other"])?;
            let length = from.int_in_range(0..=40)?.min(from.len());
            let arguments = match from.int_in_range(0..=3)? {
                0 => String::from_utf8_lossy(&pieces::message(from.bytes(length)?, 0)).into_owned(),
                _ => (*from.choose(&[
                    "{}",
                    "",
                    "{\"path\": \"a\\n\\u00e9\", \"n\": 2}",
                    "{'path': 'x'}",
                    "{\"n\": \"7\"}",
                ])?)
                .to_owned(),
            };
            calls.push((
                format!("{id}{}", if id.is_empty() { String::new() } else { number.to_string() }),
                name,
                arguments,
            ));
        }
        let home = from.int_in_range(0..=80)?;
        let home = home % toolglot::Dialects::builtin().len();
        let text = String::from_utf8_lossy(&pieces::message(from.bytes(from.len())?, home)).into_owned();
        Ok(Self { reasoning: reasoning.to_owned(), text, calls, finish })
    }

    fn stream(&self, longest: usize) -> String {
        let mut deltas = vec![json!({"role": "assistant"})];
        let cut = |text: &str| -> Vec<String> {
            let chars: Vec<char> = text.chars().collect();
            chars.chunks(longest).map(String::from_iter).collect()
        };
        deltas.extend(cut(&self.reasoning).into_iter().map(|piece| json!({"reasoning_content": piece})));
        deltas.extend(cut(&self.text).into_iter().map(|piece| json!({"content": piece})));
        for (index, (id, name, arguments)) in self.calls.iter().enumerate() {
            let function = json!({"name": name, "arguments": ""});
            deltas.push(json!({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]}));
            let piece = |piece| json!({"tool_calls": [{"index": index, "function": {"arguments": piece}}]});
            deltas.extend(cut(arguments).into_iter().map(piece));
        }
        let chunk = |delta: &Value, finish: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
            let chunk =
                json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]});
            format!("data: {chunk}\n\n")
        };
        let deltas: String = deltas.iter().map(|delta| chunk(delta, Value::Null)).collect();
        deltas + &chunk(&json!({}), json!(self.finish)) + "data: [DONE]\n\n"
    }

    fn whole(&self) -> Value {
        let call = |(id, name, arguments): &(String, &str, String)| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
        let message = json!({"role": "assistant", "content": self.text, "reasoning_content": self.reasoning,
            "tool_calls": self.calls.iter().map(call).collect::<Vec<_>>()});
        json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}]})
    }
}
