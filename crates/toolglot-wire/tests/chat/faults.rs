//! Errors in the middle of a server's stream, in every shape that servers have for them.

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, TurnEnd};

/// What servers send; all say the same.
const ERRORS: [&str; 9] = [
    "event: error\ndata: {\"code\":500,\"message\":\"no more\",\"type\":\"server_error\"}\n\n",
    "data: {\"error\":{\"code\":500,\"message\":\"no more\",\"type\":\"server_error\"}}\n\n",
    "event: error\ndata: {\"error\":{\"message\":\"no more\"}}\n\n",
    "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"no more\"}}\n\n",
    "data: {\"type\":\"error\",\"code\":\"server_error\",\"message\":\"no more\",\"param\":null}\n\n",
    "data: {\"object\":\"error\",\"message\":\"no more\",\"type\":\"InternalServerError\",\"code\":500}\n\n",
    "data: {\"error\":\"no more\"}\n\n",
    "event: error\ndata: no more\n\n",
    "event: error\ndata: \"no more\"\n\n",
];

/// The beginning of an answer in each protocol.
const BEGINNINGS: [(Protocol, &str); 3] = [
    (
        Protocol::Chat,
        "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hi\"},\"finish_reason\":null}]}\n\n",
    ),
    (
        Protocol::Responses,
        "data: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"model\":\"m\",\"created_at\":1}}\n\n",
    ),
    (
        Protocol::Messages,
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"model\":\"m\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":0}}}\n\n",
    ),
];

fn request(ingress: Protocol) -> Value {
    let schema = json!({"type": "object"});
    match ingress {
        Protocol::Chat => json!({"model": "m", "stream": true, "messages": [],
            "tools": [{"type": "function", "function": {"name": "ls", "parameters": schema}}]}),
        Protocol::Responses => json!({"model": "m", "stream": true, "input": "go",
            "tools": [{"type": "function", "name": "ls", "parameters": schema}]}),
        Protocol::Messages => json!({"model": "m", "stream": true, "messages": [], "max_tokens": 9,
            "tools": [{"name": "ls", "input_schema": schema}]}),
        Protocol::Ollama => json!({"model": "m", "messages": [],
            "tools": [{"type": "function", "function": {"name": "ls", "parameters": schema}}]}),
    }
}

/// The message of the error as each protocol's clients find it.
fn told(ingress: Protocol, stream: &str) -> Value {
    let last = |name: &str| {
        let mut frames = stream.split("\n\n").filter(|frame| frame.starts_with(&format!("event: {name}\n")));
        frames.next().and_then(|frame| frame.split_once("data: ")).map(|(_, data)| data.to_owned())
    };
    let data = match ingress {
        Protocol::Chat => stream.trim().rsplit_once("data: ").map(|(_, data)| data.to_owned()),
        Protocol::Responses | Protocol::Messages => last("error"),
        Protocol::Ollama => stream.lines().last().map(str::to_owned),
    };
    let event: Value = toolglot_json::from_str(&data.unwrap_or_default()).unwrap_or_default();
    if ingress == Protocol::Responses {
        assert_eq!(event["error"]["message"], event["message"], "{stream}");
        assert!(stream.contains("event: response.failed\n"), "{stream}");
    }
    if ingress == Protocol::Ollama { event["error"].clone() } else { event["error"]["message"].clone() }
}

#[test]
fn an_error_in_any_shape_reaches_every_client_in_its_own() {
    for (upstream, beginning) in BEGINNINGS {
        for ingress in Protocol::ALL.into_iter().filter(|ingress| upstream == Protocol::Chat || *ingress == upstream) {
            for error in ERRORS {
                let body = request(ingress).to_string();
                let exchange = Exchange::read(ingress, upstream, body.as_bytes(), &Policy::default()).unwrap();
                let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
                turn.push(format!("{beginning}{error}").as_bytes(), &mut out);
                turn.finish(TurnEnd::Over, &mut out);
                let stream = String::from_utf8(out).unwrap();
                assert_eq!(told(ingress, &stream), "no more", "{upstream} to {ingress}, {error}: {stream}");
                let ends = ["[DONE]", "response.completed", "message_stop", "finish_reason\":\"stop"];
                assert!(!ends.iter().any(|end| stream.contains(end)), "{stream}");
            }
        }
    }
}

#[test]
fn a_finish_that_is_repeated_ends_the_answer_once() {
    for more in [1, 2, 3] {
        let policy = Policy::default();
        let exchange =
            Exchange::read(Protocol::Chat, Protocol::Chat, request(Protocol::Chat).to_string().as_bytes(), &policy);
        let (mut turn, mut out) = (exchange.unwrap().turn(1, 1000), Vec::new());
        turn.push(BEGINNINGS[0].1.as_bytes(), &mut out);
        let finish =
            BEGINNINGS[0].1.replace("\"finish_reason\":null", "\"finish_reason\":\"stop\"").replace("\"Hi\"", "null");
        turn.push(finish.repeat(more).as_bytes(), &mut out);
        turn.finish(TurnEnd::Over, &mut out);
        let text = String::from_utf8(out).unwrap();
        assert_eq!((text.matches("\"stop\"").count(), text.contains("error")), (1, false), "{more}: {text}");
    }
}
