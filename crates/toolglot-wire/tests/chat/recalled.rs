//! Clients of the Responses protocol that refer to earlier answers, before a server that knows only chat.

use std::collections::HashMap;

use toolglot_json::{Value, json};
use toolglot_wire::{Exchange, Policy, Protocol, Recall, StoredAnswer, Turn, TurnEnd};

use crate::script::{chunk, delta, events};

/// What was remembered: items by their ids, conversations by the ids of the answers that end them.
#[derive(Default)]
struct Memory {
    items: HashMap<String, Value>,
    conversations: HashMap<String, Vec<Value>>,
}

impl Recall for Memory {
    fn item(&self, id: &str) -> Option<Value> {
        self.items.get(id).cloned()
    }

    fn conversation(&self, id: &str) -> Option<Vec<Value>> {
        self.conversations.get(id).cloned()
    }
}

impl Memory {
    fn keep(&mut self, stored_answer: StoredAnswer) {
        let earlier = stored_answer.previous.and_then(|id| self.conversations.get(&id).cloned());
        let mut items = earlier.unwrap_or_default();
        items.extend(serde_json::from_str::<Vec<Value>>(&stored_answer.input).unwrap());
        for (id, text) in stored_answer.output {
            let item: Value = toolglot_json::from_str(&text).unwrap();
            assert_eq!(item["id"], id.as_str());
            self.items.insert(id, item.clone());
            items.push(item);
        }
        self.conversations.insert(stored_answer.id, items);
    }
}

fn asked(request: &Value, memory: &Memory) -> Exchange {
    let tool = json!({"type": "function", "name": "ls", "parameters": {"type": "object"}});
    let mut whole = json!({"model": "m", "stream": true, "tools": [tool]});
    request.as_object().unwrap().iter().for_each(|(key, value)| whole[key] = value.clone());
    let body = whole.to_string();
    let policy = Policy::default();
    Exchange::read_recalling(Protocol::Responses, Protocol::Chat, body.as_bytes(), &policy, Some(memory)).unwrap()
}

fn sent(exchange: &Exchange) -> Value {
    toolglot_json::from_slice(&exchange.upstream_body()).unwrap()["messages"].clone()
}

fn call_chunks() -> String {
    let call = json!({"index": 0, "id": "call_a", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    events(&[
        delta(json!({"role": "assistant", "content": "Let me see."})),
        delta(json!({"tool_calls": [call]})),
        chunk(json!({}), json!("tool_calls")),
    ])
}

fn streamed(exchange: &Exchange, stream: &str) -> (Turn, Vec<u8>) {
    let (mut turn, mut out) = (exchange.turn(1, 1), Vec::new());
    turn.push(stream.as_bytes(), &mut out);
    (turn, out)
}

#[test]
fn a_request_goes_on_from_the_answer_that_it_names() {
    let mut memory = Memory::default();
    let first = asked(&json!({"input": "list the files"}), &memory);
    let (mut turn, _) = streamed(&first, &call_chunks());
    turn.finish(TurnEnd::Over, &mut Vec::new());
    let stored_answer = turn.stored_answer().unwrap();
    let (id, previous) = (stored_answer.id.clone(), stored_answer.previous.clone());
    assert_eq!(previous, None);
    memory.keep(stored_answer);

    let result = json!({"type": "function_call_output", "call_id": "call_a", "output": "a.txt"});
    let second = asked(&json!({"input": [result], "previous_response_id": id, "stream": false}), &memory);
    let call = json!({"id": "call_a", "type": "function", "function": {"name": "ls", "arguments": "{}"}});
    let conversation = json!([
        {"role": "user", "content": "list the files"},
        {"role": "assistant", "content": "Let me see.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_a", "content": "a.txt"},
    ]);
    assert_eq!(sent(&second), conversation);

    let mut turn = second.turn(2, 1);
    assert_eq!(turn.stored_answer(), None);
    let whole = json!({"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "One."}, "finish_reason": "stop"}]});
    let body: Value = toolglot_json::from_slice(&turn.whole(whole.to_string().as_bytes()).unwrap()).unwrap();
    let stored_answer = turn.stored_answer().unwrap();
    assert_eq!(
        (stored_answer.previous.as_deref(), body["id"].as_str()),
        (Some(id.as_str()), Some(stored_answer.id.as_str()))
    );
    memory.keep(stored_answer);

    let third = asked(&json!({"input": "thanks", "previous_response_id": body["id"]}), &memory);
    let mut expected = conversation.as_array().cloned().unwrap();
    expected.push(json!({"role": "assistant", "content": "One."}));
    expected.push(json!({"role": "user", "content": "thanks"}));
    assert_eq!(sent(&third), Value::from(expected));
}

#[test]
fn an_item_that_is_referred_to_stands_in_its_place() {
    let item = json!({"type": "function_call", "id": "fc_1", "call_id": "a", "name": "ls", "arguments": "{}"});
    let result = json!({"type": "function_call_output", "call_id": "a", "output": "a.txt"});
    let memory = Memory { items: HashMap::from([("fc_1".to_owned(), item)]), ..Memory::default() };
    for reference in
        [json!({"type": "item_reference", "id": "fc_1"}), json!({"id": "fc_1"}), json!({"type": null, "id": "fc_1"})]
    {
        let messages = sent(&asked(&json!({"input": [reference, result]}), &memory));
        assert_eq!(messages[0]["tool_calls"][0]["id"], "a", "{messages}");
        assert_eq!(messages[1]["content"], "a.txt");
    }
    let unknown = json!({"model": "m", "input": [{"type": "item_reference", "id": "fc_2"}], "tools": []}).to_string();
    let policy = Policy::default();
    let read = Exchange::read_recalling(
        Protocol::Responses,
        Protocol::Chat,
        unknown.as_bytes(),
        &policy,
        Some(&memory as &dyn Recall),
    );
    assert!(read.unwrap_err().message.contains("`fc_2`"));
}

#[test]
fn only_an_answer_that_came_to_its_end_may_be_remembered() {
    let memory = Memory::default();
    let stream = call_chunks();
    let (half, _) = stream.split_at(stream.len() / 2);
    let (mut turn, mut out) = streamed(&asked(&json!({"input": "x"}), &memory), half);
    assert_eq!(turn.stored_answer(), None);
    turn.finish(TurnEnd::Over, &mut out);
    assert_eq!(turn.stored_answer(), None);
    let (turn, out) = streamed(&asked(&json!({"input": "x", "store": false}), &memory), &stream);
    assert!(turn.is_over() && turn.stored_answer().is_none());
    assert!(String::from_utf8(out).unwrap().contains("\"store\":false"));
    let chat = crate::script::exchange(&crate::script::request(json!({})), &Policy::default());
    assert_eq!(streamed(&chat, &stream).0.stored_answer(), None);
}
