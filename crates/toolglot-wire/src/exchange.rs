//! A client's request: what to send to the model server, and how to read the answer.

use std::borrow::Cow;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolglot::Dialect;
use toolglot_json::{Map, Value, json};

use crate::chat::history::HistoryRepairer;
use crate::chat::request::{ChatAsked, put_in_order};
use crate::demand::{self, Demand, DemandPrompt, Opening};
use crate::dispatch::{as_chat, from_chat, make_safe, to_chat};
use crate::enforce::{self, Enforced, Enforcement};
use crate::fault::{Fault, FaultKind};
use crate::normalize::AnswerSettings;
use crate::ollama;
use crate::policy::Policy;
use crate::port::Client;
use crate::prompt::into_text;
use crate::protocol::Protocol;
use crate::recall::{self, Recall};
use crate::refusals;
use crate::surrogates::repaired;
use crate::turn::Turn;

/// A client's request, which creates the [`Turn`] for its answer.
///
/// # Example
/// ```
/// use toolglot_wire::{Exchange, Policy, Protocol, TurnEnd};
/// let request = r#"{"model": "m", "stream": true, "messages": [],
///     "tools": [{"type": "function", "function": {"name": "ls", "parameters": {"type": "object"}}}]}"#;
/// let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, request.as_bytes(), &Policy::default())?;
/// let mut turn = exchange.turn(1, 0);
/// let mut out = Vec::new();
/// turn.push(b"data: {\"choices\": [{\"delta\": {\"content\": \"<tool_call>{\\\"name\\\": \\\"ls\\\", \\\"arguments\\\": {}}\"}}]}\n\n", &mut out);
/// turn.push(b"data: {\"choices\": [{\"delta\": {\"content\": \"</tool_call>\"}, \"finish_reason\": \"stop\"}]}\n\n", &mut out);
/// turn.finish(TurnEnd::Over, &mut out);
/// assert!(String::from_utf8_lossy(&out).contains(r#""finish_reason":"tool_calls""#));
/// # Ok::<(), toolglot_wire::Fault>(())
/// ```
#[derive(Clone, Debug)]
pub struct Exchange {
    ingress: Protocol,
    model: String,
    stream: bool,
    has_tools: bool,
    /// Whether earlier turns were repaired, although nothing else has to be done.
    is_changed: bool,
    /// The bytes for the server; empty if they are still to be written.
    body: Vec<u8>,
    notes: Vec<String>,
    /// The conversion; none if the answer is passed on unchanged.
    work: Option<Box<ExchangeWork>>,
    policy: Policy,
}

/// The conversion of a request and its answer.
#[derive(Clone, Debug)]
struct ExchangeWork {
    upstream: Protocol,
    /// The client's request.
    request: Arc<Map>,
    /// The request for the server.
    sent: Map,
    settings: AnswerSettings,
    /// The required call in prompt mode.
    demand_prompt: Option<DemandPrompt>,
    /// Whether the request ends with the prefill of that call, which excludes a grammar.
    is_begun: bool,
    /// Whether the server constrains the answer after a retry.
    is_shaped: bool,
    /// The grammar that was added, if any.
    enforced: Enforced,
    /// Whether later requests may refer to the answer.
    remembers: bool,
}

/// The fields of a request that decide whether there is anything to do.
#[derive(Deserialize)]
struct RequestGlance<'a> {
    model: Option<Value>,
    stream: Option<Value>,
    #[serde(borrow)]
    tools: Option<&'a RawValue>,
    #[serde(borrow)]
    functions: Option<&'a RawValue>,
}

impl Exchange {
    /// Reads a client's request.
    ///
    /// # Errors
    /// If it is not a valid request of the protocol, or cannot be converted to the server's.
    pub fn read(ingress: Protocol, upstream: Protocol, body: &[u8], policy: &Policy) -> Result<Self, Fault> {
        Self::read_recalling(ingress, upstream, body, policy, None)
    }

    /// As [`Exchange::read`], for a client that may refer to earlier answers. The caller stores them, as returned by
    /// [`Turn::stored_answer`]; a server with the client's protocol stores them itself.
    ///
    /// # Errors
    /// Also if the request refers to an answer that is not stored.
    pub fn read_recalling(
        ingress: Protocol,
        upstream: Protocol,
        body: &[u8],
        policy: &Policy,
        memory: Option<&dyn Recall>,
    ) -> Result<Self, Fault> {
        if body.len() > policy.limits.body {
            let message = format!("the request is larger than {} bytes", policy.limits.body);
            return Err(Fault::new(FaultKind::TooLarge, message).with_code("body_too_large"));
        }
        // Serde would read a list as the fields in their order.
        if body.trim_ascii_start().first() == Some(&b'[') {
            return Err(no_object());
        }
        let glance: RequestGlance<'_> = serde_json::from_slice(body).map_err(unreadable)?;
        let has_tools = [glance.tools, glance.functions].into_iter().flatten().any(is_list);
        let model = glance.model.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
        let renamed = policy.upstream_model.as_ref().is_some_and(|name| *name != model);
        let broken = policy.engine.row().breaks.contains(&upstream);
        let prompted = policy.prompt.is_some() && (has_tools || mentions_calls(body));
        // | the request      | `work`  | sent                 | the answer |
        // |------------------|---------|----------------------|------------|
        // | idle, not read   | none    | the client's bytes   | unchanged  |
        // | idle, unchanged  | dropped | the client's bytes   | unchanged  |
        // | idle, repaired   | dropped | the repaired request | unchanged  |
        // | other, unchanged | kept    | the client's bytes   | converted  |
        // | other            | kept    | `work.sent`          | converted  |
        //
        // Most requests are idle, so a few fields decide it before anything else is read.
        let idle = ingress == upstream && !has_tools && !prompted && !policy.forced && !renamed && !broken;
        let stream = ingress.is_stream(glance.stream.as_ref());
        let body = &*if idle { Cow::Borrowed(body) } else { repaired(body) };
        // Servers refuse an empty list.
        let lists_nothing = glance.tools.is_some_and(|tools| !is_list(tools) && tools.get().starts_with('['));
        let is_read = !idle || lists_nothing || mentions_calls(body);
        let mut notes = Vec::new();
        let work = is_read
            .then(|| ExchangeWork::new((ingress, upstream), body, policy, stream, memory, &mut notes).map(Box::new))
            .transpose()?;
        let is_same = work.as_ref().is_none_or(|work| work.sent == *work.request);
        let changed = work.as_ref().filter(|_| !is_same && idle).map(|work| work.sent.to_vec());
        let is_changed = changed.is_some();
        let body = changed.unwrap_or_else(|| if is_same { body.to_vec() } else { Vec::new() });
        // Without tools there is nothing to look for in the answer.
        let work = work.filter(|_| !idle);
        Ok(Self { ingress, model, stream, has_tools, is_changed, body, notes, work, policy: policy.clone() })
    }

    /// Returns the model, as named by the client.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Returns whether the client wants a stream.
    pub fn is_stream(&self) -> bool {
        self.stream
    }

    /// Returns whether the request declares tools.
    pub fn has_tools(&self) -> bool {
        self.has_tools
    }

    /// Returns whether the answer is passed on unchanged.
    pub fn is_relay(&self) -> bool {
        self.work.is_none()
    }

    /// Returns whether the request is passed on unchanged as well.
    pub fn is_untouched(&self) -> bool {
        self.is_relay() && !self.is_changed
    }

    /// Returns the body for the model server.
    pub fn upstream_body(&self) -> Vec<u8> {
        match &self.work {
            Some(work) if self.body.is_empty() => work.sent.to_vec(),
            _ => self.body.clone(),
        }
    }

    /// Returns notes for a log about parts of the request that the server's protocol does not support and that were
    /// omitted.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Changes the request after the server rejected it, if another form may succeed; returns why.
    pub fn amend(&mut self, fault: &Fault) -> Option<&'static str> {
        self.amended(fault, true)
    }

    /// As [`Exchange::amend`], before sending to a server that rejected an earlier request.
    pub fn amend_early(&mut self, fault: &Fault) -> Option<&'static str> {
        let choice = self.work.as_ref()?.sent.get("tool_choice");
        // The client's own choice is always tried: servers may accept some choices and not others.
        let is_free = choice.is_none_or(|choice| choice.is_null() || choice == "auto");
        self.amended(fault, is_free)
    }

    /// Returns the answer that a server should have sent instead of an error: some servers reject what their model
    /// wrote, and include it in the error. The server's protocol must be Chat.
    pub fn answer_of_refusal(&self, body: &[u8]) -> Option<Vec<u8>> {
        let work = self.work.as_ref().filter(|work| work.upstream == Protocol::Chat && work.settings.parse)?;
        refusals::answer(body, self.stream, &work.settings)
    }

    fn amended(&mut self, fault: &Fault, by_choice: bool) -> Option<&'static str> {
        // In prompt mode, the request has no tools that a server could reject.
        let is_open = self.has_tools && !self.policy.off && self.policy.prompt.is_none();
        let work = self.work.as_mut().filter(|_| is_open)?;
        // First what is known of this engine, then what many servers reject.
        let by_engine = if by_choice { self.policy.engine.amend(&mut work.sent, fault) } else { None };
        let is_chat = work.upstream == Protocol::Chat;
        let why = by_engine.or_else(|| if is_chat { refusals::amend(&mut work.sent, fault) } else { None })?;
        self.body.clear();
        Some(why)
    }

    /// Returns whether the answer must contain a call; check [`Turn::meets_demand`] before sending it.
    pub fn demands_call(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.settings.asked.demand.is_some())
    }

    /// Changes the request for a retry after an answer without the required call.
    pub fn ask_again(&mut self, turn: &Turn) {
        // A prefill has to be the last message, where the new instruction goes.
        self.simplify();
        let Some(work) = &mut self.work else { return };
        let Some(demand) = &work.settings.asked.demand else { return };
        // With a grammar, an answer without the call shows that the server ignores it, and `response_format` must be
        // free for the schema.
        if let Some(before) = work.enforced.before.take() {
            enforce::release(&mut work.sent, before);
        }
        let demand_prompt = work.demand_prompt.as_ref();
        let shapes = self.policy.schema && work.upstream == Protocol::Chat;
        work.is_shaped =
            demand::ask_again(&mut work.sent, work.upstream, (turn.answer_start(), demand, demand_prompt), shapes);
        if work.is_shaped {
            work.settings.dialects = demand::with_shaped(&work.settings.dialects);
        }
        self.body.clear();
    }

    /// Removes what was added to the request to get a call and a server may reject; returns whether there was any.
    pub fn simplify(&mut self) -> bool {
        let Some(work) = &mut self.work else { return false };
        let (begun, shaped) = (std::mem::take(&mut work.is_begun), std::mem::take(&mut work.is_shaped));
        if begun {
            self.policy.engine.remove_prefill(&mut work.sent);
        }
        if let (true, Some(demand), Some(demand_prompt)) = (shaped, &work.settings.asked.demand, &work.demand_prompt) {
            demand::unshape(&mut work.sent, demand, demand_prompt);
        }
        if begun || shaped {
            self.body.clear();
        }
        begun || shaped
    }

    /// Returns whether the request includes a grammar.
    pub fn is_held(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.enforced.before.is_some())
    }

    /// Returns whether the server would accept a grammar if the tools were in the prompt, and only then.
    pub fn wants_prompt(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.enforced.wants_prompt)
    }

    /// Returns whether the request prefills the required call.
    pub fn is_begun(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.is_begun)
    }

    /// Returns whether the request asks for JSON of a schema to get the required call.
    pub fn is_shaped(&self) -> bool {
        self.work.as_ref().is_some_and(|work| work.is_shaped)
    }

    /// Returns a turn for an answer: ids are derived from the seed, `now` is in seconds since the Unix epoch.
    pub fn turn(&self, seed: u64, now: u64) -> Turn {
        let limits = &self.policy.limits;
        let Some(work) = &self.work else { return Turn::relay(self.ingress, limits) };
        let client = Client {
            request: work.request.clone(),
            upstream: work.upstream,
            model: self.model.clone(),
            seed,
            now,
            reasoning_field: self.policy.reasoning_field,
            reasoning_item: self.policy.reasoning_item,
            remembers: work.remembers,
        };
        let renamed = self.policy.upstream_model.is_some();
        let opening =
            work.demand_prompt.as_ref().filter(|_| work.is_begun).and_then(|prompt| Opening::new(&prompt.opening));
        Turn::new(self.ingress, client, work.settings.clone(), renamed, limits).with_opening(opening)
    }
}

impl ExchangeWork {
    fn new(
        (ingress, upstream): (Protocol, Protocol),
        body: &[u8],
        policy: &Policy,
        stream: bool,
        memory: Option<&dyn Recall>,
        notes: &mut Vec<String>,
    ) -> Result<Self, Fault> {
        let mut request = toolglot_json::object_from_slice(body).map_err(unreadable)?;
        // In prompt mode, all requests are converted by way of Chat Completions. A request without a conversation has
        // no calls.
        let prompt = policy.prompt.as_ref().filter(|_| ingress != Protocol::Ollama || !ollama::generates(&request));
        let same = ingress == upstream && (prompt.is_none() || upstream == Protocol::Chat);
        // A server of the client's protocol resolves references itself.
        let memory = memory.filter(|_| ingress == Protocol::Responses && !same);
        if let Some(memory) = memory {
            recall::fill(&mut request, memory);
        }
        // Only for the conversion: a stored answer names the one before it, and does not repeat its items.
        let continued = memory.and_then(|memory| recall::continued(&request, memory));
        // If client and server use the same protocol, it does not matter what Chat Completions cannot express.
        let chat = if same {
            as_chat(ingress, &request, body, policy)
        } else {
            to_chat(ingress, continued.as_ref().unwrap_or(&request), body, policy, notes)?
        };
        let asked = ChatAsked::of(&chat);
        let mut sent = if same && upstream != Protocol::Chat { request.clone() } else { chat };
        let mut repairer = HistoryRepairer { tools: &asked.tools, policy, notes };
        let (mut demand_prompt, mut enforced) = (None, Enforced::default());
        if same && upstream != Protocol::Chat {
            make_safe(ingress, &mut sent, &mut repairer);
        } else {
            put_in_order(&mut sent, same && prompt.is_none(), &mut repairer);
            if let Some(dialect) = prompt {
                (demand_prompt, enforced) = into_prompt(&mut sent, dialect, &asked, upstream, &mut repairer)?;
            }
            sent = from_chat(upstream, sent, notes);
        }
        if asked.needs_markers(policy) {
            policy.engine.complete(&mut sent, upstream);
        }
        if prompt.is_none() && upstream == Protocol::Chat {
            enforced = enforce::apply(Enforcement::new(&sent, &asked, None, upstream, policy), &mut sent, notes);
        }
        // A grammar covers the answer from its start, so there must be no prefill.
        let may_prefill = policy.prefill && upstream == Protocol::Chat && enforced.before.is_none();
        let opening = demand_prompt.as_ref().map(|prompt| prompt.opening.as_str()).filter(|text| !text.is_empty());
        let is_begun = may_prefill && opening.is_some_and(|opening| policy.engine.prefill(&mut sent, opening));
        // All other protocols end a stream with token counts; chat servers send them only on request.
        if !same && stream && upstream == Protocol::Chat {
            let options = sent.entry("stream_options").or_insert_with(|| json!({}));
            options["include_usage"] = true.into();
        }
        if let Some(model) = &policy.upstream_model {
            sent["model"] = model.as_str().into();
        }
        let mut settings = AnswerSettings { own_blocks: upstream != Protocol::Chat, ..settings(asked, policy, stream) };
        if enforced.is_shaped {
            settings.dialects = demand::with_shaped(&settings.dialects);
        }
        let remembers = memory.is_some() && request["store"] != false;
        Ok(Self {
            upstream,
            request: Arc::new(request),
            sent,
            settings,
            demand_prompt,
            is_begun,
            is_shaped: false,
            enforced,
            remembers,
        })
    }
}

/// Moves the tools of a request into the prompt; returns the required call, and the grammar.
fn into_prompt(
    sent: &mut Map,
    dialect: &Arc<Dialect>,
    asked: &ChatAsked,
    upstream: Protocol,
    repairer: &mut HistoryRepairer<'_>,
) -> Result<(Option<DemandPrompt>, Enforced), Fault> {
    let HistoryRepairer { policy, notes, .. } = repairer;
    let demand = demand_of(asked, policy).map(|demand| DemandPrompt::new(sent, demand, dialect));
    let demand_prompt = demand.transpose()?.flatten();
    // The demand and the grammar are made of the tools, which `into_text` removes. The grammar is added after that,
    // since some engines refuse one beside tools.
    let enforcement = Enforcement::new(sent, asked, Some(dialect), upstream, policy);
    into_text(sent, &asked.tools, dialect, notes);
    Ok((demand_prompt, enforce::apply(enforcement, sent, notes)))
}

fn settings(mut asked: ChatAsked, policy: &Policy, streamed: bool) -> AnswerSettings {
    asked.demand = demand_of(&asked, policy).cloned();
    let pinned = policy.prompt.as_ref().map(|dialect| [Arc::clone(dialect)].into_iter().collect());
    AnswerSettings {
        dialects: pinned.unwrap_or_else(|| policy.dialects.clone()),
        // If calls are forbidden, text that looks like one is meant as text.
        parse: !policy.off && (policy.forced || (!asked.tools.is_empty() && !asked.none)),
        asked: Arc::new(asked),
        options: policy.options.clone(),
        duplicates: policy.duplicates,
        limits: policy.limits,
        streamed,
        ..AnswerSettings::default()
    }
}

/// Returns the required call, if the answer can be checked for it.
fn demand_of<'a>(asked: &'a ChatAsked, policy: &Policy) -> Option<&'a Demand> {
    // Only the first call of an answer is recorded, not the first of each alternative.
    asked.demand.as_ref().filter(|_| !policy.off && !asked.tools.is_empty() && asked.alternatives < 2)
}

fn no_object() -> Fault {
    Fault::new(FaultKind::Request, "invalid request: expected a JSON object")
}

fn unreadable(error: serde_json::Error) -> Fault {
    if error.is_data() {
        return no_object();
    }
    Fault::new(FaultKind::Request, format!("invalid request: {error}"))
}

/// Returns whether a conversation may contain calls or results, even if only a text looks like one.
fn mentions_calls(body: &[u8]) -> bool {
    // Three have no closing quote, so that the types of results match, too.
    const WORDS: [&str; 7] = [
        "\"tool_calls\"",
        "\"tool_call_id\"",
        "\"tool_name\"",
        "\"function_call",
        "\"custom_tool_call",
        "\"tool_use",
        "\"tool_result\"",
    ];
    WORDS.iter().any(|word| memchr::memmem::find(body, word.as_bytes()).is_some())
}

/// Returns whether a field is a list and not empty.
fn is_list(raw: &RawValue) -> bool {
    let inside = raw.get().trim().strip_prefix('[').map(str::trim_start);
    inside.is_some_and(|inside| !inside.starts_with(']'))
}
