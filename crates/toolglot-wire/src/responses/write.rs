//! Writes a stream for a Responses client, following the rules that its SDKs require.
//!
//! Each item and each of its parts begins with an event and ends with one that repeats its whole text, and the last
//! event contains the whole response. SDKs read some of these and not others; this way they all see the same.

use std::collections::{HashMap, HashSet};

use toolglot_json::{Map, Value};

use self::event::EventBuilder;
use self::item::{OpenItem, PartKind};
use self::response::ResponseObject;
use super::kinds::ItemKind;
use super::tools::{Toolbox, kind, text};
use crate::fault::Fault;
use crate::policy::ReasoningItem;
use crate::port::{Client, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Finish, Part, ResponseEvent};
use crate::tokens::PendingLogprobs;

mod event;
mod item;
mod own;
mod response;

/// Returns the body of a response: the response in the last event of a stream.
pub(crate) fn whole(events: &[ResponseEvent], client: &Client) -> Value {
    let mut writer = ResponsesWriter::new(client.clone());
    let mut stream = Vec::new();
    for event in events {
        writer.write(event, &mut stream);
        stream.clear();
    }
    serde_json::from_str(&writer.body()).unwrap_or_default()
}

/// Writes one response.
#[derive(Debug, Default)]
pub(crate) struct ResponsesWriter {
    client: Client,
    toolbox: Toolbox,
    response: ResponseObject,
    sequence: u64,
    begun: bool,
    over: bool,
    finish: Option<Finish>,
    failure: Option<Value>,
    open: Option<OpenItem>,
    /// The log probabilities of text that has not been written.
    logprobs: PendingLogprobs,
    /// White space that no text has followed yet: between two calls it is not a message.
    blank: String,
    /// The items as JSON text: complete, or as they were when they began.
    output: Vec<String>,
    ids: HashSet<String>,
    /// The server's fields of items that have not begun here.
    announced: Vec<Map>,
    /// The field in which the server sends the open reasoning item, if known.
    announced_form: Option<ReasoningItem>,
    /// The positions of items that only this protocol has, by the server's ids and indexes.
    own_ids: HashMap<String, usize>,
    own_indexes: HashMap<u64, usize>,
}

impl ProtocolWriter for ResponsesWriter {
    fn write(&mut self, event: &ResponseEvent, out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        match event {
            ResponseEvent::Begin(begin) => {
                self.response.begin(begin, &self.client);
                self.begin(out);
            }
            ResponseEvent::Part { choice: 0, part } => {
                self.begin(out);
                self.part(part, out);
            }
            ResponseEvent::Usage(usage) => self.response.usage(usage, self.client.upstream),
            ResponseEvent::Extra(fields) if self.client.upstream == Protocol::Responses => self.response.extend(fields),
            // This protocol has no alternatives, and no place for unknown fields of others.
            ResponseEvent::Part { .. } | ResponseEvent::Extra(_) | ResponseEvent::Lost => {}
            ResponseEvent::Fault(fault) => self.fail(fault, out),
            ResponseEvent::End => self.end(out),
        }
    }

    fn settled(&self) -> Option<String> {
        (self.over && self.failure.is_none()).then(|| self.body())
    }
}

impl ResponsesWriter {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            toolbox: Toolbox::read(&client.request, &mut Vec::new()),
            response: ResponseObject::new(&client),
            client,
            ..Self::default()
        }
    }

    /// Returns the current response as JSON text.
    fn body(&self) -> String {
        let reason = self.incomplete_reason().filter(|_| self.over);
        let status = match (&self.failure, &self.finish) {
            _ if !self.over => "in_progress",
            (Some(_), _) => "failed",
            (None, Some(Finish::Other(status))) if ["queued", "in_progress"].contains(&status.as_str()) => status,
            (None, _) if reason.is_some() => "incomplete",
            (None, _) => "completed",
        };
        self.response.text(status, &self.output, reason, self.failure.as_ref())
    }

    /// Returns the protocol's reason if the response was truncated.
    fn incomplete_reason(&self) -> Option<&'static str> {
        match self.finish {
            Some(Finish::Length) => Some("max_output_tokens"),
            Some(Finish::ContentFilter) => Some("content_filter"),
            _ => None,
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            let body = self.body();
            self.event("response.created", out).json("response", &body);
            self.event("response.in_progress", out).json("response", &body);
        }
    }

    fn part(&mut self, part: &Part, out: &mut Vec<u8>) {
        match part {
            Part::Text(text) => self.text(text, out),
            Part::Refusal(text) => self.push_text(ItemKind::Message, PartKind::Refusal, text, out),
            Part::Reasoning(text) => {
                let form = self.announced_form.unwrap_or(self.client.reasoning_item);
                let part = if form == ReasoningItem::Summary { PartKind::Summary } else { PartKind::Reasoning };
                self.push_text(ItemKind::Reasoning, part, text, out);
            }
            Part::Seal(seal) => {
                self.ensure_open(ItemKind::Reasoning, out);
                self.open.iter_mut().for_each(|item| item.seal(seal));
            }
            Part::CallStart { id, name, kind, .. } => {
                self.close(out);
                self.start_call(id.as_deref().unwrap_or_default(), name, *kind, out);
            }
            Part::Arguments { text, .. } => self.push_input(text, out),
            Part::CallEnd { .. } => self.close(out),
            Part::CallCut { .. } => self.close_as("incomplete", out),
            Part::Logprobs(tokens) => self.logprobs.add(tokens),
            Part::Own(event) => self.own(event, out),
            Part::Finish(finish) => {
                self.finish = Some(finish.clone());
                self.close(out);
            }
        }
    }

    /// Writes text. Blank text between calls waits, unless a server of this protocol sent it in an item.
    fn text(&mut self, text: &str, out: &mut Vec<u8>) {
        let is_foreign = self.client.upstream != Protocol::Responses;
        let begins = self.open.as_ref().is_none_or(|item| item.kind != ItemKind::Message);
        if is_foreign && begins && !self.output.is_empty() && text.trim().is_empty() {
            return self.blank.push_str(text);
        }
        if self.blank.is_empty() {
            return self.push_text(ItemKind::Message, PartKind::Text, text, out);
        }
        let text = std::mem::take(&mut self.blank) + text;
        self.push_text(ItemKind::Message, PartKind::Text, &text, out);
    }

    /// Writes text to a part of an item; an open item or part of another kind ends first.
    fn push_text(&mut self, kind: ItemKind, part: PartKind, text: &str, out: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        self.ensure_open(kind, out);
        if self.open.as_ref().and_then(|item| item.part).is_some_and(|open| open != part) {
            self.end_part(out);
        }
        let Some(item) = &mut self.open else { return };
        if item.part.is_none() {
            item.begin_part(part, EventBuilder::new(&part.part_event(".added"), &mut self.sequence, out));
        }
        let logprobs = if part == PartKind::Text { self.logprobs.take(text) } else { Vec::new() };
        item.delta(text, logprobs, EventBuilder::new(&part.text_event(".delta"), &mut self.sequence, out));
    }

    fn push_input(&mut self, text: &str, out: &mut Vec<u8>) {
        let Some(item) = &mut self.open else { return };
        match item.input_kind() {
            Some(part) if !text.is_empty() => {
                item.delta(text, Vec::new(), EventBuilder::new(&part.text_event(".delta"), &mut self.sequence, out));
            }
            None if item.kind == ItemKind::Search => item.text.push_str(text),
            _ => {}
        }
    }

    fn ensure_open(&mut self, kind: ItemKind, out: &mut Vec<u8>) {
        if self.open.as_ref().is_some_and(|item| item.kind == kind) {
            return;
        }
        self.close(out);
        let at = self.announced.iter().rposition(|head| has(head, "type", kind.name()));
        let head = at.map(|at| self.announced.swap_remove(at)).unwrap_or_default();
        // Older heads of this type belong to items that never had any text.
        self.announced.retain(|head| !has(head, "type", kind.name()));
        self.start(kind, head, out);
    }

    fn start_call(&mut self, call_id: &str, name: &str, call: CallKind, out: &mut Vec<u8>) {
        let tool = self.toolbox.find(name);
        let kind = match call {
            CallKind::Custom => ItemKind::Custom,
            CallKind::Function if tool.is_some_and(|tool| tool.is_search) => ItemKind::Search,
            CallKind::Function => ItemKind::Function,
        };
        let is_it = |head: &Map| has(head, "type", kind.name()) && has(head, "call_id", call_id);
        let at = self.announced.iter().position(is_it);
        let mut head = at.map(|at| self.announced.remove(at)).unwrap_or_default();
        let namespace = tool.and_then(|tool| tool.namespace.clone());
        head.extend(namespace.map(|namespace| ("namespace".to_owned(), namespace.into())));
        head["call_id"] = call_id.into();
        if kind != ItemKind::Search {
            head["name"] = tool.map_or(name, |tool| &tool.name).into();
        }
        self.start(kind, head, out);
    }

    fn start(&mut self, kind: ItemKind, head: Map, out: &mut Vec<u8>) {
        let index = self.output.len();
        let id = head["id"].as_str().map(str::to_owned);
        // Clients assign events to items by their ids.
        let id = id.filter(|id| !id.is_empty() && !self.ids.contains(id));
        let id = id.unwrap_or_else(|| generated_id(kind.prefix(), self.client.seed, index + 1));
        self.ids.insert(id.clone());
        let item = OpenItem::new(kind, index, id, head);
        self.output.push(item.text("in_progress"));
        self.event("response.output_item.added", out).number("output_index", index).json("item", &self.output[index]);
        self.open = Some(item);
    }

    fn end_part(&mut self, out: &mut Vec<u8>) {
        let Some(item) = &mut self.open else { return };
        let Some(part) = item.part else { return };
        item.end_text(EventBuilder::new(&part.text_event(".done"), &mut self.sequence, out));
        item.end_part(EventBuilder::new(&part.part_event(".done"), &mut self.sequence, out));
    }

    /// Ends the open item; a message is incomplete if the response was truncated.
    fn close(&mut self, out: &mut Vec<u8>) {
        let is_message = self.open.as_ref().is_some_and(|item| item.kind == ItemKind::Message);
        let is_truncated = is_message && self.incomplete_reason().is_some();
        self.close_as(if is_truncated { "incomplete" } else { "completed" }, out);
    }

    fn close_as(&mut self, status: &str, out: &mut Vec<u8>) {
        self.end_part(out);
        let Some(mut item) = self.open.take() else { return };
        if let Some(part) = item.input_kind() {
            item.end_text(EventBuilder::new(&part.text_event(".done"), &mut self.sequence, out));
        }
        let index = item.index;
        self.output[index] = item.text(status);
        self.event("response.output_item.done", out).number("output_index", index).json("item", &self.output[index]);
        if item.kind == ItemKind::Reasoning {
            self.announced_form = None;
        }
    }

    fn end(&mut self, out: &mut Vec<u8>) {
        self.begin(out);
        self.close(out);
        self.over = true;
        let name = if self.incomplete_reason().is_some() { "response.incomplete" } else { "response.completed" };
        let body = self.body();
        self.event(name, out).json("response", &body);
    }

    /// Writes the error as an `error` event and in the response: clients read one or the other. The event has its
    /// fields twice: in `error`, where servers send them and SDKs look, and at the top level, as specified.
    fn fail(&mut self, fault: &Fault, out: &mut Vec<u8>) {
        self.begin(out);
        self.over = true;
        if let Some(mut item) = self.open.take() {
            item.cut();
            self.output[item.index] = item.text("incomplete");
        }
        let failure = response::error(fault);
        let mut nested = fault.body(Protocol::Responses)["error"].take();
        nested["code"] = failure["code"].clone();
        self.failure = Some(failure);
        let body = self.body();
        self.event("error", out)
            .json("code", &nested["code"].to_string())
            .text("message", &fault.message)
            .json("param", &nested["param"].to_string())
            .json("error", &nested.to_string());
        self.event("response.failed", out).json("response", &body);
    }

    fn event<'a>(&mut self, name: &str, out: &'a mut Vec<u8>) -> EventBuilder<'a> {
        EventBuilder::new(&[name], &mut self.sequence, out)
    }
}

fn has(head: &Map, key: &str, value: &str) -> bool {
    head[key] == *value
}

/// Returns an id with the prefix of its kind. The seed is inverted, so that it cannot equal the id of a call.
fn generated_id(prefix: &str, seed: u64, place: usize) -> String {
    let id = toolglot::mint(!seed, place);
    format!("{prefix}_{}", id.trim_start_matches("call_"))
}
