//! Writes the stream of a chat completion by the rules of the strictest clients.

use std::fmt;
use std::io::Write as _;

use toolglot_json::{Map, Value, json};

use crate::chat::fields;
use crate::policy::ReasoningField;
use crate::port::{Client, ProtocolWriter};
use crate::protocol::Protocol;
use crate::response_event::{CallKind, Part, ResponseEvent, ResponseStart};
use crate::sse::{write_frame, write_json};
use crate::tokens::PendingLogprobs;

/// The target of a chunk's piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceTarget {
    Text,
    /// Reasoning, in the field of this name.
    Reasoning(&'static str),
    /// The arguments of the function call with this index.
    Arguments(u64),
}

/// Writes one answer.
#[derive(Default)]
pub(crate) struct ChatWriter {
    client: Client,
    pub(crate) envelope: ChunkEnvelope,
    /// Whether each alternative's role has been written; it comes before everything else.
    roles: Vec<bool>,
    kinds: Vec<CallKind>,
    /// The log probabilities of each alternative's text.
    tokens: Vec<PendingLogprobs>,
    legacy: bool,
    wants_usage: bool,
    /// Whether the client wants token counts in every chunk.
    pub(crate) counts_in_chunks: bool,
    extra: Map,
}

/// The fields that every chunk repeats.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChunkEnvelope {
    pub(crate) id: String,
    pub(crate) created: u64,
    pub(crate) model: String,
    /// The same fields as JSON text: the id without quotes, the model with them.
    pub(super) id_text: String,
    pub(super) created_text: String,
    pub(super) model_text: String,
    /// The start of every chunk, up to the alternatives.
    head: Vec<u8>,
}

impl ChunkEnvelope {
    /// Returns the server's values, and generated ones where there are none.
    pub(crate) fn new(begin: &ResponseStart, client: &Client) -> Self {
        // Minted ids have the prefix of calls.
        let ours = || format!("chatcmpl-{}", toolglot::mint(client.seed, usize::MAX).trim_start_matches("call_"));
        let id = begin.id.clone().filter(|id| !id.is_empty()).unwrap_or_else(ours);
        let created = begin.created.unwrap_or(client.now);
        let model = begin.model.clone().unwrap_or_else(|| client.model.clone());
        let quoted = |text: &str| Value::from(text).to_string();
        let (id_text, model_text, created_text) = (quoted(&id), quoted(&model), created.to_string());
        let head = format!(
            r#"{{"id":{id_text},"object":"chat.completion.chunk","created":{created_text},"model":{model_text}"#
        );
        let id_text = id_text[1..id_text.len() - 1].to_owned();
        Self { id, created, model, id_text, created_text, model_text, head: head.into_bytes() }
    }
}

impl ProtocolWriter for ChatWriter {
    fn write(&mut self, event: &ResponseEvent, out: &mut Vec<u8>) {
        match event {
            ResponseEvent::Begin(begin) => self.envelope = ChunkEnvelope::new(begin, &self.client),
            ResponseEvent::Part { choice, part } => self.part(*choice, part, out),
            ResponseEvent::Usage(usage) if self.wants_usage => {
                self.chunk(Some(("usage", fields::usage(usage))), out, |_| ());
            }
            ResponseEvent::Usage(_) | ResponseEvent::Lost => {}
            ResponseEvent::Extra(extra) => self.extra.extend(extra.clone()),
            ResponseEvent::Fault(fault) => write_json(None, &fault.body(Protocol::Chat), out),
            ResponseEvent::End => {
                if !self.extra.is_empty() {
                    self.chunk(None, out, |_| ());
                }
                write_frame(None, b"[DONE]", out);
            }
        }
    }
}

impl ChatWriter {
    pub(crate) fn new(client: Client) -> Self {
        let options = client.request.get("stream_options");
        let wants = |what| options.is_some_and(|options| options[what] == true);
        let (wants_usage, counts_in_chunks) = (wants("include_usage"), wants("continuous_usage_stats"));
        Self {
            legacy: is_legacy(&client.request),
            wants_usage,
            counts_in_chunks: wants_usage && counts_in_chunks,
            client,
            ..Self::default()
        }
    }

    /// Returns whether a chunk of the server may be next: the role has been written, and no unknown fields wait.
    pub(crate) fn is_under_way(&self, choice: usize) -> bool {
        self.extra.is_empty() && self.roles.get(choice).copied().unwrap_or_default()
    }

    /// Returns the client's number of a call, if it is a function call with the same index for the client.
    pub(crate) fn function(&self, index: u64) -> Option<usize> {
        let number = usize::try_from(index).ok()?;
        let known = self.kinds.get(number) == Some(&CallKind::Function);
        (known && !self.legacy).then_some(number)
    }

    /// Begins the first alternative; unknown fields of the response have been read by now.
    pub(crate) fn settle(&mut self, out: &mut Vec<u8>) {
        if self.roles.is_empty() && !self.envelope.id.is_empty() {
            self.role(0, out);
        }
    }

    /// Records that a chunk was passed on unchanged; it contained the log probabilities of its text.
    pub(crate) fn passed(&mut self, choice: usize, kind: PieceTarget) {
        let tokens = self.tokens.get_mut(choice).filter(|_| kind == PieceTarget::Text);
        tokens.into_iter().for_each(PendingLogprobs::clear);
    }

    /// Returns whether this field, and no other, carries reasoning for the client.
    pub(crate) fn reasons_in(&self, field: &str) -> bool {
        reasoning_names(self.client.reasoning_field) == [field]
    }

    fn part(&mut self, choice: usize, part: &Part, out: &mut Vec<u8>) {
        self.role(choice, out);
        match part {
            Part::Text(text) => self.text(choice, text, out),
            Part::Logprobs(tokens) => {
                self.tokens.resize_with(self.tokens.len().max(choice + 1), PendingLogprobs::default);
                self.tokens[choice].add(tokens);
            }
            Part::Refusal(text) => self.delta(choice, r#"{"refusal":"#, text, "}", out),
            Part::Reasoning(text) => self.reasoning(choice, text, out),
            Part::CallStart { call, id, name, kind } => {
                self.kinds.resize(self.kinds.len().max(call + 1), *kind);
                self.kinds[*call] = *kind;
                let id = id.as_deref().unwrap_or_default();
                let delta = call_head(*call, id, name, *kind, self.legacy);
                self.choice_chunk(choice, "null", out, |out| push(format_args!("{delta}"), out));
            }
            Part::Arguments { call, text } => self.arguments(choice, *call, text, out),
            Part::CallEnd { .. } | Part::CallCut { .. } | Part::Seal(_) => {}
            Part::Own(own) => self.own(choice, own, out),
            Part::Finish(finish) => {
                let name = fields::finish_name(finish);
                let name = if self.legacy && name == "tool_calls" { "function_call" } else { name };
                self.choice_chunk(choice, &Value::from(name).to_string(), out, |out| out.extend_from_slice(b"{}"));
            }
        }
    }

    fn role(&mut self, choice: usize, out: &mut Vec<u8>) {
        self.roles.resize(self.roles.len().max(choice + 1), false);
        if !std::mem::replace(&mut self.roles[choice], true) {
            let role = br#"{"role":"assistant","content":""}"#;
            self.choice_chunk(choice, "null", out, |out| out.extend_from_slice(role));
        }
    }

    fn text(&mut self, choice: usize, text: &str, out: &mut Vec<u8>) {
        let tokens = self.tokens.get_mut(choice).map(|tokens| tokens.take(text)).unwrap_or_default();
        if tokens.is_empty() {
            return self.delta(choice, r#"{"content":"#, text, "}", out);
        }
        let tail = format!(r#"}},"logprobs":{}"#, json!({"content": tokens, "refusal": null}));
        self.delta(choice, r#"{"content":"#, text, &tail, out);
    }

    fn reasoning(&mut self, choice: usize, text: &str, out: &mut Vec<u8>) {
        let names = reasoning_names(self.client.reasoning_field);
        self.choice_chunk(choice, "null", out, |out| {
            for (at, name) in names.iter().enumerate() {
                out.push(if at == 0 { b'{' } else { b',' });
                push_text(name, out);
                out.push(b':');
                push_text(text, out);
            }
            out.push(b'}');
        });
    }

    /// Writes a chunk with unknown fields; log probabilities are written with their text instead.
    fn own(&mut self, choice: usize, own: &Value, out: &mut Vec<u8>) {
        let delta = own["message"].clone();
        let mut fields = Map::from_iter([("index".to_owned(), json!(choice)), ("delta".to_owned(), delta)]);
        fields.extend(own["choice"].as_object().cloned().unwrap_or_default());
        fields.remove("logprobs");
        let unknown = |map: Option<&Value>| map.and_then(Value::as_object).is_some_and(|map| !map.is_empty());
        // `index` and `delta` are always there.
        if fields.len() > 2 || unknown(fields.get("delta")) {
            fields["finish_reason"] = Value::Null;
            self.chunk(None, out, |out| push(format_args!("{}", Value::Object(fields)), out));
        }
    }

    /// Writes a chunk whose delta is `head`, a text, `tail`.
    fn delta(&mut self, choice: usize, head: &str, text: &str, tail: &str, out: &mut Vec<u8>) {
        self.choice_chunk(choice, "null", out, |out| {
            out.extend_from_slice(head.as_bytes());
            push_text(text, out);
            out.extend_from_slice(tail.as_bytes());
        });
    }

    fn arguments(&mut self, choice: usize, call: usize, text: &str, out: &mut Vec<u8>) {
        let field = match self.kinds.get(call).copied().unwrap_or_default() {
            _ if self.legacy => return self.delta(choice, r#"{"function_call":{"arguments":"#, text, "}}", out),
            CallKind::Function => r#","function":{"arguments":"#,
            CallKind::Custom => r#","custom":{"input":"#,
        };
        self.choice_chunk(choice, "null", out, |out| {
            out.extend_from_slice(br#"{"tool_calls":[{"index":"#);
            push_number(call, out);
            out.extend_from_slice(field.as_bytes());
            push_text(text, out);
            out.extend_from_slice(b"}}]}");
        });
    }

    fn choice_chunk(&mut self, choice: usize, finish: &str, out: &mut Vec<u8>, delta: impl FnOnce(&mut Vec<u8>)) {
        self.chunk(None, out, |out| {
            out.extend_from_slice(br#"{"index":"#);
            push_number(choice, out);
            out.extend_from_slice(br#","delta":"#);
            delta(out);
            out.extend_from_slice(br#","finish_reason":"#);
            out.extend_from_slice(finish.as_bytes());
            out.push(b'}');
        });
    }

    /// Writes a chunk with at most one alternative, and with unknown fields that wait.
    fn chunk(&mut self, more: Option<(&str, Value)>, out: &mut Vec<u8>, choice: impl FnOnce(&mut Vec<u8>)) {
        out.extend_from_slice(b"data: ");
        out.extend_from_slice(&self.envelope.head);
        out.extend_from_slice(br#","choices":["#);
        choice(out);
        out.push(b']');
        let more = more.map(|(key, value)| (key.to_owned(), value));
        for (key, value) in std::mem::take(&mut self.extra).into_iter().chain(more) {
            out.push(b',');
            push_text(&key, out);
            push(format_args!(":{value}"), out);
        }
        out.extend_from_slice(b"}\n\n");
    }
}

/// Returns the delta with which a call begins.
fn call_head(call: usize, id: &str, name: &str, kind: CallKind, legacy: bool) -> Value {
    match kind {
        _ if legacy => json!({"function_call": {"name": name, "arguments": ""}}),
        CallKind::Function => json!({"tool_calls": [
            {"index": call, "id": id, "type": "function", "function": {"name": name, "arguments": ""}}]}),
        CallKind::Custom => json!({"tool_calls": [
            {"index": call, "id": id, "type": "custom", "custom": {"name": name, "input": ""}}]}),
    }
}

/// Returns the fields that carry reasoning.
pub(crate) fn reasoning_names(field: ReasoningField) -> &'static [&'static str] {
    match field {
        ReasoningField::ReasoningContent => &["reasoning_content"],
        ReasoningField::Reasoning => &["reasoning"],
        ReasoningField::Both => &["reasoning_content", "reasoning"],
    }
}

/// Returns whether the client uses the deprecated functions instead of tools.
pub(crate) fn is_legacy(request: &Map) -> bool {
    request["functions"].is_array() && !request["tools"].is_array()
}

/// Appends a number; most have one digit, and every piece of a call has two of them.
fn push_number(number: usize, out: &mut Vec<u8>) {
    match u8::try_from(number) {
        Ok(digit @ 0..=9) => out.push(b'0' + digit),
        _ => push(format_args!("{number}"), out),
    }
}

/// Appends formatted text.
fn push(text: fmt::Arguments<'_>, out: &mut Vec<u8>) {
    // A vector takes any bytes.
    let _ = out.write_fmt(text);
}

/// Appends a JSON string.
fn push_text(text: &str, out: &mut Vec<u8>) {
    // A string always has a JSON form, and a vector takes any bytes.
    let _ = serde_json::to_writer(out, text);
}
