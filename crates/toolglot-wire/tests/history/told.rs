//! A conversation as a client of each protocol may send it: in any legal grouping of turns, and damaged.

use toolglot_json::{Value, json};
use toolglot_wire::Protocol;

use crate::made::{Call, Dice, Turn};

/// How a client writes a history.
struct Style<'d> {
    /// Nothing if all is as plain as can be.
    dice: Option<&'d mut Dice>,
    /// Ids count from 0 in each turn.
    counts: bool,
    ids: usize,
}

impl Style<'_> {
    fn one_in(&mut self, sides: usize) -> bool {
        self.dice.as_mut().is_some_and(|dice| dice.one_in(sides))
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        if let Some(dice) = &mut self.dice {
            dice.shuffle(list);
        }
    }

    fn ids(&mut self, calls: &[Call]) -> Vec<String> {
        if self.counts {
            return calls.iter().enumerate().map(|(at, call)| format!("functions.{}:{at}", call.name)).collect();
        }
        let mut id = || {
            self.ids += 1;
            format!("call_{}", self.ids)
        };
        calls.iter().map(|_| id()).collect()
    }
}

/// Returns a request in a grouping at random; one in three declares no tools.
pub(crate) fn request(protocol: Protocol, history: &[Turn], dice: &mut Dice) -> Value {
    let has_tools = !dice.one_in(3);
    // Servers of the other protocols refuse an id that comes again.
    let counts = protocol == Protocol::Chat && dice.one_in(4);
    whole(protocol, history, has_tools, Style { dice: Some(dice), counts, ids: 0 })
}

/// Returns the plainest request.
pub(crate) fn in_order(protocol: Protocol, history: &[Turn]) -> Value {
    whole(protocol, history, true, Style { dice: None, counts: false, ids: 0 })
}

fn whole(protocol: Protocol, history: &[Turn], has_tools: bool, mut style: Style<'_>) -> Value {
    let mut list = Vec::new();
    for turn in history {
        match protocol {
            Protocol::Chat => chat(turn, &mut style, &mut list),
            Protocol::Responses => responses(turn, &mut style, &mut list),
            Protocol::Messages => messages(turn, &mut style, &mut list),
            Protocol::Ollama => ollama(turn, &mut style, &mut list),
        }
    }
    let schema = json!({"type": "object", "properties": {}});
    let (key, tool) = match protocol {
        Protocol::Chat | Protocol::Ollama => {
            ("messages", json!({"type": "function", "function": {"name": "ls", "parameters": schema}}))
        }
        Protocol::Responses => ("input", json!({"type": "function", "name": "ls", "parameters": schema})),
        Protocol::Messages => ("messages", json!({"name": "ls", "input_schema": schema})),
    };
    let mut request = json!({"model": "m", key: list});
    if protocol == Protocol::Messages {
        request["max_tokens"] = 9.into();
    }
    if has_tools {
        request["tools"] = json!([tool]);
    }
    request
}

fn chat(turn: &Turn, style: &mut Style<'_>, list: &mut Vec<Value>) {
    list.extend(turn.asked.iter().map(|text| json!({"role": "user", "content": text})));
    let ids = style.ids(&turn.calls);
    let call = |(call, id): (&Call, &String)| {
        let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
        json!({"id": id, "type": "function", "function": function})
    };
    let mut calls: Vec<Value> = turn.calls.iter().zip(&ids).map(call).collect();
    let mut said = turn.said.clone();
    let mut results: Vec<Value> = turn
        .calls
        .iter()
        .zip(&ids)
        .map(|(call, id)| json!({"role": "tool", "tool_call_id": id, "content": call.result}))
        .collect();
    // Ids that come again could not be told apart if their turn was not one message.
    while style.dice.is_some() && !style.counts && (!calls.is_empty() || said.len() > 1) && style.one_in(2) {
        let text = if said.is_empty() || style.one_in(2) { Value::Null } else { said.remove(0).into() };
        let some = if calls.is_empty() { Vec::new() } else { calls.drain(..1).collect() };
        match (text.is_null(), some.is_empty()) {
            (true, true) => {}
            (false, true) => list.push(json!({"role": "assistant", "content": text})),
            _ => list.push(json!({"role": "assistant", "content": text, "tool_calls": some})),
        }
    }
    if !said.is_empty() || !calls.is_empty() {
        let text = if said.is_empty() { Value::Null } else { said.join(" ").into() };
        let mut message = json!({"role": "assistant", "content": text});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        list.push(message);
    }
    style.shuffle(&mut results);
    for result in results {
        let parts = style.one_in(3);
        let content = result["content"].clone();
        list.push(match parts {
            true => json!({"role": "tool", "tool_call_id": result["tool_call_id"],
                "content": [{"type": "text", "text": content}]}),
            false => result,
        });
    }
}

fn responses(turn: &Turn, style: &mut Style<'_>, list: &mut Vec<Value>) {
    let user =
        |text: &String| json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]});
    list.extend(turn.asked.iter().map(user));
    let ids = style.ids(&turn.calls);
    let part = |text: &String| json!({"type": "output_text", "text": text, "annotations": []});
    let said = turn.said.iter().map(|text| json!({"type": "message", "role": "assistant", "content": [part(text)]}));
    let call = |(call, id): (&Call, &String)| json!({"type": "function_call", "call_id": id, "name": call.name, "arguments": call.arguments.to_string()});
    let calls = turn.calls.iter().zip(&ids).map(call);
    let result =
        |(call, id): (&Call, &String)| json!({"type": "function_call_output", "call_id": id, "output": call.result});
    let mut results: Vec<Value> = turn.calls.iter().zip(&ids).map(result).collect();
    list.extend(said.chain(calls));
    style.shuffle(&mut results);
    list.extend(results);
}

fn messages(turn: &Turn, style: &mut Style<'_>, list: &mut Vec<Value>) {
    let text = |text: &String| json!({"type": "text", "text": text});
    group("user", turn.asked.iter().map(text).collect(), style, list);
    let ids = style.ids(&turn.calls);
    let call = |(call, id): (&Call, &String)| json!({"type": "tool_use", "id": id, "name": call.name, "input": call.arguments});
    let calls = turn.calls.iter().zip(&ids).map(call);
    group("assistant", turn.said.iter().map(text).chain(calls).collect(), style, list);
    let result = |(call, id): (&Call, &String)| {
        let content = if style.one_in(2) { json!([{"type": "text", "text": call.result}]) } else { json!(call.result) };
        json!({"type": "tool_result", "tool_use_id": id, "content": content})
    };
    let mut results: Vec<Value> = turn.calls.iter().zip(&ids).map(result).collect();
    style.shuffle(&mut results);
    group("user", results, style, list);
}

fn ollama(turn: &Turn, style: &mut Style<'_>, list: &mut Vec<Value>) {
    list.extend(turn.asked.iter().map(|text| json!({"role": "user", "content": text})));
    // Older clients know no ids: results name their tools, and stand in the order of their calls.
    let (ids, has_ids) = (style.ids(&turn.calls), style.one_in(2));
    let call = |(call, id): (&Call, &String)| {
        let function = json!({"name": call.name, "arguments": call.arguments});
        if has_ids { json!({"id": id, "function": function}) } else { json!({"function": function}) }
    };
    let calls: Vec<Value> = turn.calls.iter().zip(&ids).map(call).collect();
    let mut said = turn.said.clone();
    while style.dice.is_some() && said.len() > 1 && style.one_in(2) {
        list.push(json!({"role": "assistant", "content": said.remove(0)}));
    }
    if !said.is_empty() || !calls.is_empty() {
        let mut message = json!({"role": "assistant", "content": said.join(" ")});
        if !calls.is_empty() {
            message["tool_calls"] = calls.into();
        }
        list.push(message);
    }
    let result = |(call, id): (&Call, &String)| match has_ids {
        true => json!({"role": "tool", "content": call.result, "tool_call_id": id}),
        false => json!({"role": "tool", "content": call.result, "tool_name": call.name}),
    };
    let mut results: Vec<Value> = turn.calls.iter().zip(&ids).map(result).collect();
    if has_ids {
        style.shuffle(&mut results);
    }
    list.extend(results);
}

/// Puts blocks into one message, or into several of the same role; what the user says behind results may go on in theirs.
fn group(role: &str, blocks: Vec<Value>, style: &mut Style<'_>, list: &mut Vec<Value>) {
    for block in blocks {
        let is_same = list.last().is_some_and(|last: &Value| last["role"] == role);
        match list.last_mut().and_then(|last| last["content"].as_array_mut()).filter(|_| is_same && !style.one_in(2)) {
            Some(content) => content.push(block),
            None => list.push(json!({"role": role, "content": [block]})),
        }
    }
}

/// Takes something out of a request, moves it, or repeats it.
pub(crate) fn damage(protocol: Protocol, request: &mut Value, dice: &mut Dice) {
    let key = if protocol == Protocol::Responses { "input" } else { "messages" };
    let Some(list) = request[key].as_array_mut() else { return };
    for _ in 0..1 + dice.roll(3) {
        if list.len() < 2 {
            return;
        }
        let at = dice.roll(list.len());
        let item = list.remove(at);
        if !dice.one_in(2) {
            list.insert(dice.roll(list.len() + 1), item);
        }
    }
}
