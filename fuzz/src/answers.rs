//! What a client makes of an answer, streamed or whole, in each protocol.

use toolglot_json::Value;
use toolglot_wire::{Protocol, SseReader, WireLimits};

/// How answers end that a limit cut, in the words of all protocols.
const CUT: [&str; 6] =
    ["length", "content_filter", "max_tokens", "refusal", "incompletemax_output_tokens", "incompletecontent_filter"];

/// What an answer says.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Gist {
    pub(crate) text: String,
    reasoning: String,
    /// Ids, names and arguments.
    calls: Vec<(String, String, Value)>,
    finish: String,
}

impl Gist {
    /// Ids are there and differ, arguments are objects.
    pub(crate) fn check(self) {
        let mut ids: Vec<&str> = self.calls.iter().map(|call| call.0.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let fine =
            self.calls.iter().all(|(id, name, arguments)| !id.is_empty() && !name.is_empty() && arguments.is_object());
        assert!(fine && ids.len() == self.calls.len(), "{self:#?}");
    }

    /// Drops the call that a limit cut off, which a whole answer does not have. Empty objects at the end may be such calls': what
    /// there was of their arguments only a stream shows.
    fn drop_cut_call(&mut self) {
        let is_cut = |arguments: &Value| arguments.as_object().is_none_or(toolglot_json::Map::is_empty);
        while CUT.contains(&self.finish.as_str()) && self.calls.last().is_some_and(|call| is_cut(&call.2)) {
            self.calls.pop();
        }
    }

    fn text(&mut self, text: &Value) {
        self.text += text.as_str().unwrap_or_default();
    }

    fn reasoning(&mut self, text: &Value) {
        self.reasoning += text.as_str().unwrap_or_default();
    }

    /// Adds a line of Ollama's API, or a whole answer.
    fn line(&mut self, line: &Value) -> Result<(), String> {
        if let Some(error) = line.get("error") {
            return Err(error.to_string());
        }
        let message = &line["message"];
        self.text(&message["content"]);
        self.reasoning(&message["thinking"]);
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            self.call(&call["id"], &call["function"]["name"], &call["function"]["arguments"]);
        }
        self.finish += line["done_reason"].as_str().unwrap_or_default();
        Ok(())
    }

    fn call(&mut self, id: &Value, name: &Value, arguments: &Value) {
        self.calls.push((word(id), word(name), object(arguments)));
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Reads what may be JSON in a text.
fn object(arguments: &Value) -> Value {
    let text = arguments.as_str();
    text.map_or_else(|| arguments.clone(), |text| serde_json::from_str(text).unwrap_or_else(|_| text.into()))
}

/// Returns what a whole body says.
pub(crate) fn of_whole(protocol: Protocol, body: &[u8]) -> Result<Gist, String> {
    let body: Value = toolglot_json::from_slice(body).map_err(|error| error.to_string())?;
    let mut gist = Gist::default();
    match protocol {
        Protocol::Chat => {
            let choice = &body["choices"][0];
            let message = &choice["message"];
            gist.text(&message["content"]);
            gist.reasoning(&message["reasoning_content"]);
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                gist.call(&call["id"], &call["function"]["name"], &call["function"]["arguments"]);
            }
            gist.finish = word(&choice["finish_reason"]);
            gist.drop_cut_call();
        }
        Protocol::Ollama => gist.line(&body)?,
        Protocol::Messages => {
            for block in body["content"].as_array().into_iter().flatten() {
                match block["type"].as_str() {
                    Some("tool_use") => gist.call(&block["id"], &block["name"], &block["input"]),
                    _ => {
                        gist.text(&block["text"]);
                        gist.reasoning(&block["thinking"]);
                    }
                }
            }
            gist.finish = word(&body["stop_reason"]);
            gist.drop_cut_call();
        }
        Protocol::Responses => gist = response(&body),
    }
    Ok(gist)
}

fn response(body: &Value) -> Gist {
    let mut gist = Gist::default();
    for item in body["output"].as_array().into_iter().flatten() {
        if item["type"] == "function_call" {
            gist.call(&item["call_id"], &item["name"], &item["arguments"]);
        }
        for part in item["content"].as_array().into_iter().flatten() {
            gist.text(&part["text"]);
            gist.text(&part["refusal"]);
        }
        item["summary"].as_array().into_iter().flatten().for_each(|part| gist.reasoning(&part["text"]));
    }
    gist.finish = word(&body["status"]) + &word(&body["incomplete_details"]["reason"]);
    gist.drop_cut_call();
    gist
}

/// Returns what a stream says when it is put together, or the error that it ends with.
pub(crate) fn of_stream(protocol: Protocol, stream: &[u8]) -> Result<Gist, String> {
    if protocol == Protocol::Ollama {
        let mut gist = Gist::default();
        for line in stream.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            gist.line(&serde_json::from_slice(line).map_err(|error| error.to_string())?)?;
        }
        return Ok(gist);
    }
    let mut reader = SseReader::new(&WireLimits::default());
    reader.push(stream);
    let mut known = Known::default();
    while let Some(frame) = reader.next_frame() {
        let frame = frame.map_err(|fault| fault.message)?;
        if frame.data == "[DONE]" {
            continue;
        }
        let data: Value = toolglot_json::from_str(frame.data).map_err(|error| format!("{error}: {}", frame.data))?;
        match protocol {
            Protocol::Chat => known.chunk(&data)?,
            Protocol::Messages => known.message(&data)?,
            Protocol::Responses => known.response(&data)?,
            Protocol::Ollama => {}
        }
    }
    known.end(protocol)
}

#[derive(Default)]
struct Known {
    gist: Gist,
    /// Of each call its id, its name and the text of its arguments so far.
    calls: Vec<(Value, Value, String)>,
    last: Option<Gist>,
}

impl Known {
    fn chunk(&mut self, chunk: &Value) -> Result<(), String> {
        if let Some(error) = chunk.get("error") {
            return Err(error.to_string());
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        self.gist.text(&delta["content"]);
        self.gist.reasoning(&delta["reasoning_content"]);
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let at = usize::try_from(call["index"].as_u64().ok_or("no index")?).map_err(|_| "index")?;
            if at == self.calls.len() {
                self.calls.push((call["id"].clone(), call["function"]["name"].clone(), String::new()));
            }
            let known = self.calls.get_mut(at).ok_or("a call before its time")?;
            known.2 += call["function"]["arguments"].as_str().unwrap_or_default();
        }
        self.gist.finish += choice["finish_reason"].as_str().unwrap_or_default();
        Ok(())
    }

    fn message(&mut self, event: &Value) -> Result<(), String> {
        let block = &event["content_block"];
        let delta = &event["delta"];
        match event["type"].as_str() {
            Some("error") => return Err(event.to_string()),
            Some("content_block_start") if block["type"] == "tool_use" => {
                self.calls.push((block["id"].clone(), block["name"].clone(), String::new()));
            }
            Some("content_block_start") => {
                self.gist.text(&block["text"]);
                self.gist.reasoning(&block["thinking"]);
            }
            Some("content_block_delta") => {
                self.gist.text(&delta["text"]);
                self.gist.reasoning(&delta["thinking"]);
                if let Some(json) = delta["partial_json"].as_str() {
                    self.calls.last_mut().ok_or("input without a call")?.2 += json;
                }
            }
            Some("message_delta") => self.gist.finish = word(&delta["stop_reason"]),
            _ => {}
        }
        Ok(())
    }

    fn response(&mut self, event: &Value) -> Result<(), String> {
        match event["type"].as_str() {
            Some("error" | "response.failed") => return Err(event.to_string()),
            Some("response.output_text.delta" | "response.refusal.delta") => self.gist.text(&event["delta"]),
            Some("response.reasoning_summary_text.delta") => self.gist.reasoning(&event["delta"]),
            Some("response.output_item.added") if event["item"]["type"] == "function_call" => {
                self.calls.push((event["item"]["call_id"].clone(), event["item"]["name"].clone(), String::new()));
            }
            Some("response.function_call_arguments.delta") => {
                self.calls.last_mut().ok_or("arguments without a call")?.2 +=
                    event["delta"].as_str().unwrap_or_default();
            }
            Some("response.completed" | "response.incomplete") => self.last = Some(response(&event["response"])),
            _ => {}
        }
        Ok(())
    }

    fn end(mut self, protocol: Protocol) -> Result<Gist, String> {
        self.gist.finish = self.last.as_ref().map_or(self.gist.finish, |last| last.finish.clone());
        for (id, name, arguments) in std::mem::take(&mut self.calls) {
            // An input of which no piece came is the empty one of its start, unless a limit cut the call off before them.
            let nothing = if CUT.contains(&self.gist.finish.as_str()) { "" } else { "{}" };
            let arguments = if arguments.is_empty() { nothing.to_owned() } else { arguments };
            self.gist.call(&id, &name, &arguments.into());
        }
        self.gist.drop_cut_call();
        let Some(last) = self.last else {
            return if protocol == Protocol::Responses { Err("no end".to_owned()) } else { Ok(self.gist) };
        };
        if self.gist == last { Ok(last) } else { Err(format!("deltas {:#?}, end {last:#?}", self.gist)) }
    }
}
