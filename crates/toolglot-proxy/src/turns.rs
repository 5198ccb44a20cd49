//! Requests of the four protocols: converted to the model server's protocol, and answered in the client's.

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::response::Parts;
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};
use toolglot_wire::{Exchange, Fault, FaultKind, Policy, Protocol, Recall, TextCompletion, Turn};

use crate::bodies::{ERROR_BODY, collect, model_of, read_body};
use crate::capture::{Capture, CaptureBuffer};
use crate::config::setting::{Keep, Mode, TemplateUse};
use crate::demand::{AnswerLimits, Retry, StartedResponse, UpstreamAnswer};
use crate::error::{self, ProxyError};
use crate::forms::{Target, read_error};
use crate::headers::{ATTEMPTS, PROMPT, SERVER_TIMING};
use crate::live::{Live, Route, Shared};
use crate::owner::Owner;
use crate::paths::Deployment;
use crate::record::Record;
use crate::store::{self, Recollection};
use crate::stream::Flow;
use crate::upstream::{Server, turn_headers};
use crate::{completions, declared, guard, headers, prompting};

mod held;

/// Ollama's path for single prompts.
const GENERATE: &str = "/api/generate";

/// Answers a request of a protocol.
pub(crate) async fn answer(shared: Arc<Shared>, ingress: Protocol, request: Request<Body>) -> Response {
    let (mut parts, body) = request.into_parts();
    let live = shared.live.load_full();
    let (mut record, room) = Record::begin(&shared, ingress.name(), &mut parts);
    let id = record.id.clone();
    let read = async {
        room?;
        record.admit(&live, &parts.headers)?;
        guard::check_body(&parts.headers)?;
        read_body(&live.config, &parts.headers, body).await
    };
    let mut response = match read.await {
        Ok(body) => {
            record.busy = Duration::ZERO;
            let body = with_deployment(body, parts.extensions.get::<Deployment>());
            let (shared, live, head, found, began) = (&shared, &*live, &parts, model_of(&body), Instant::now());
            let job = TurnJob { shared, live, ingress, head, body, found, began };
            job.run(record).await
        }
        Err(fault) => failed(record, ingress, fault),
    };
    headers::identify(response.headers_mut(), id, ingress);
    response
}

/// Rejects a request before it is read.
pub(crate) fn refused_at_once(shared: &Arc<Shared>, parts: &mut http::request::Parts, fault: Fault) -> Response {
    let shape = if parts.uri.path().contains("/messages") { Protocol::Messages } else { Protocol::Chat };
    let (record, _) = Record::begin(shared, "other", parts);
    let id = record.id.clone();
    let mut response = failed(record, shape, fault);
    response.headers_mut().insert(headers::REQUEST_ID, id);
    response
}

/// Ends a request with an error of the proxy.
pub(crate) fn failed(mut record: Record, ingress: Protocol, mut fault: Fault) -> Response {
    // The client receives this status, whatever the server's.
    record.status = fault.status;
    fault.redact(&record.secrets);
    let response = error::response(&fault, ingress);
    record.whole(&response);
    record.fail(fault);
    response
}

/// Adds the model in the path to a request without one.
fn with_deployment(body: Bytes, deployment: Option<&Deployment>) -> Bytes {
    let Some(Deployment(name)) = deployment.filter(|_| model_of(&body).is_none()) else { return body };
    let Some(rest) = body.trim_ascii_start().strip_prefix(b"{") else { return body };
    let comma = if rest.trim_ascii_start().starts_with(b"}") { "" } else { "," };
    let start = format!("{{\"model\":{}{comma}", toolglot_json::Value::from(name.as_str()));
    [start.as_bytes(), rest].concat().into()
}

/// A request that has been read.
struct TurnJob<'a> {
    shared: &'a Arc<Shared>,
    live: &'a Live,
    ingress: Protocol,
    head: &'a http::request::Parts,
    body: Bytes,
    /// The model that the body names, and its place there.
    found: Option<(String, Range<usize>)>,
    began: Instant,
}

/// The destination of a request, its settings, and its record.
struct TurnAsked<'a> {
    record: &'a mut Record,
    route: &'a Route,
    policy: Policy,
    target: Target,
}

/// A server's answer and its converter.
struct Answered {
    response: Response,
    /// Converts the answer, or relays it.
    turn: Turn,
    wants_stream: bool,
    /// The data to retry the request, if the answer must contain a call.
    retry: Option<Retry>,
}

impl TurnJob<'_> {
    async fn run(self, mut record: Record) -> Response {
        let ingress = self.ingress;
        let answered = match self.exchange(&mut record).await {
            Ok(answered) => answered,
            Err(fault) => return failed(record, ingress, fault),
        };
        record.status = answered.response.status().as_u16();
        if !answered.response.status().is_success() {
            return self.refused(record, answered.response).await;
        }
        let turn = answered.turn.with_secrets(record.secrets.clone());
        if !turn.is_relay() && headers::is_compressed(answered.response.headers()) {
            let message = "the model server compressed its answer (`content-encoding`) although the request did not allow it; disable compression in the server or the proxy in front of it";
            return failed(record, ingress, ProxyError::COMPRESSED.because(message));
        }
        if turn.is_relay() {
            return relayed(self.shared, self.live, record, answered.response, Some(turn));
        }
        let (mut head, body) = answered.response.into_parts();
        let answer = UpstreamAnswer { turn, flows: headers::is_event_stream(&head.headers), body };
        let answer_limits = self.answer_limits(answered.wants_stream);
        let started = match answered.retry {
            Some(retry) => retry.run(self.shared, &mut record, answer, &answer_limits).await,
            None if answer_limits.wants_stream && answer.flows => {
                Ok(StartedResponse { turn: answer.turn, out: Vec::new(), rest: Some(answer.body) })
            }
            None => answer.whole(&mut record, &answer_limits).await,
        };
        headers::for_written(&mut head.headers);
        match started {
            Ok(started) => {
                let response = self.deliver(record, head, started, answered.wants_stream).await;
                self.in_own_words(response).await
            }
            Err(fault) => failed(record, ingress, fault),
        }
    }

    /// Sends the request; the answer may be an error.
    async fn exchange(&self, record: &mut Record) -> Result<Answered, Fault> {
        let model = self.found.as_ref().map_or("", |(model, _)| model);
        record.ask_for(model);
        let missing = || {
            Fault::new(
                FaultKind::NotFound,
                format!("no route matches the model `{model}`; use another model, or add a route"),
            )
        };
        let (route, label) = self.live.route(model).ok_or_else(missing)?;
        let server = &route.server;
        label.clone_into(&mut record.model_label);
        server.name.clone_into(&mut record.upstream);
        record.check_scope(model, server)?;
        if completions::is_path(self.head.uri.path()) {
            return self.completed(record, route).await;
        }
        let mut first = None;
        for protocol in server.protocols(self.ingress) {
            let answered = self.exchange_in(protocol, record, route).await?;
            let status = answered.response.status();
            if !matches!(status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
                server.note_protocol(self.ingress, protocol, status);
                return Ok(answered);
            }
            // The server may support another protocol; an unknown model is unknown in all.
            first.get_or_insert(answered);
        }
        first.ok_or_else(missing)
    }

    /// Sends the request in a protocol.
    async fn exchange_in(&self, protocol: Protocol, record: &mut Record, route: &Route) -> Result<Answered, Fault> {
        let server = &route.server;
        let is_own = protocol == self.ingress;
        let uri = if is_own && self.head.uri.path().trim_end_matches('/') == GENERATE {
            server.same_path(&Uri::from_static(GENERATE))?
        } else {
            server.turn_uri(protocol, self.head.uri.query().filter(|_| is_own))?
        };
        let target = self.target(record, server, protocol, uri);
        if !route.is_off || protocol != self.ingress {
            return self.converted(record, route, target).await;
        }
        let body = route.renamed(&self.body, self.found.as_ref());
        record.busy += self.began.elapsed();
        let response = target.send(body).await?;
        let turn = Turn::relay(self.ingress, route.policy.limits());
        Ok(Answered { response, turn, wants_stream: false, retry: None })
    }

    /// Returns the destination of a request to a server on behalf of the client.
    fn target(&self, record: &Record, server: &Arc<Server>, protocol: Protocol, uri: Uri) -> Target {
        let mut headers = turn_headers(record.key_at(server), protocol, &self.head.headers, self.live.keys.is_empty());
        headers.insert(headers::REQUEST_ID, record.id.clone());
        Target { server: Arc::clone(server), protocol, uri, headers, resent: Arc::clone(&record.resent) }
    }

    /// Sends a request for a text completion; with tools, the answer is converted to a chat completion.
    async fn completed(&self, record: &mut Record, route: &Route) -> Result<Answered, Fault> {
        let tools = declared::of_header(&self.head.headers)?.or_else(|| route.tools.clone());
        let asked = TextCompletion::read(&self.body, tools.as_ref().filter(|_| !route.is_off))?;
        let exchange = Exchange::read(Protocol::Chat, Protocol::Chat, &asked.chat_request(), &route.policy)?;
        let body = match asked.without_tools().filter(|_| !exchange.is_relay()) {
            Some(body) => route.renamed(&Bytes::copy_from_slice(body), model_of(body).as_ref()),
            None => route.renamed(&self.body, self.found.as_ref()),
        };
        let uri = route.server.versioned("/completions", self.head.uri.query())?;
        let mut target = self.target(record, &route.server, Protocol::Chat, uri);
        target.headers.remove(declared::TOOLS);
        record.busy += self.began.elapsed();
        let response = target.send(body).await?;
        let turn = self.shared.turn(&exchange).with_reasoning_open(route.settings.reasoning_open.value == Some(true));
        let wants_stream = exchange.is_stream();
        if !response.status().is_success() || turn.is_relay() {
            return Ok(Answered { response, turn, wants_stream, retry: None });
        }
        let response = completions::as_chat(response, self.live.config.limits.answer.0).await?;
        Ok(Answered { response, turn, wants_stream, retry: None })
    }

    /// Converts an answer back to a text completion, if the client asked for one.
    async fn in_own_words(&self, response: Response) -> Response {
        if !completions::is_path(self.head.uri.path()) || !response.status().is_success() {
            return response;
        }
        let read = completions::as_completion(response, self.live.config.limits.answer.0).await;
        read.unwrap_or_else(|fault| error::response(&fault, self.ingress))
    }

    async fn converted(&self, record: &mut Record, route: &Route, target: Target) -> Result<Answered, Fault> {
        let server = &route.server;
        let engine = server.engine_kind(&target.headers).await;
        let mut policy = route.policy.clone().with_engine(engine);
        let learned = match route.settings.template.value {
            TemplateUse::Auto => server.learned(engine, &target.headers, self.shared).await,
            TemplateUse::Off => None,
        };
        if let Some(learned) = &learned {
            policy = policy.with_dialects(learned.dialects(route.policy.dialects()));
            if learned.opens_reasoning() && server.with_template.remember(&record.model) {
                self.shared.learn_reasoning(&record.model);
            }
        }
        if self.ingress == Protocol::Responses {
            record.owner = Owner::of_headers(&self.head.headers);
        }
        let opens = route.settings.reasoning_open.value.unwrap_or_else(|| self.shared.opens_reasoning(&record.model));
        let written = learned.map(|learned| learned.dialect()).or_else(|| route.written(&record.model));
        let policy = policy.with_native(written).with_prefilled(opens);
        // What a server refused once it would refuse each time; asking again would double every request.
        let is_known = route.settings.mode.value == Mode::Auto && server.without_tools.has(&record.model);
        let prompted = route.settings.mode.value == Mode::Prompt || is_known;
        let mut asked = TurnAsked { record, route, policy, target };
        let mut exchange = self.read_as_taken(&mut asked, prompted).await?;
        asked.record.busy += self.began.elapsed();
        let mut response = self.send_as_held(&mut asked, &mut exchange, prompted).await?;
        if exchange.has_tools() && asked.record.dialect_taught.is_none() && !response.status().is_success() {
            let (answer, fault) = read_error(response).await?;
            response = answer;
            match route.settings.mode.value {
                Mode::Auto if prompting::is_refusal(&fault) => {
                    exchange = self.read(&mut asked, true, true).await?;
                    asked.record.retry = Some(prompting::WHY);
                    response = self.send_as_held(&mut asked, &mut exchange, true).await?;
                    if response.status().is_success() {
                        server.without_tools.remember(&asked.record.model);
                    }
                }
                Mode::Native if prompting::is_refusal(&fault) => {
                    asked.record.notes.push(prompting::ADVICE.to_owned());
                }
                _ => {}
            }
        }
        let turn = self.shared.turn(&exchange).with_reasoning_open(opens);
        self.start_capture(&mut asked, (&exchange, opens), &response);
        let wants_stream = exchange.is_stream();
        let retry = exchange.demands_call().then_some(Retry { exchange, target: asked.target });
        Ok(Answered { response, turn, wants_stream, retry })
    }

    /// Starts capturing the exchange, if enabled.
    fn start_capture(&self, asked: &mut TurnAsked<'_>, read: (&Exchange, bool), response: &Response) {
        let (exchange, reasoning_open) = read;
        if self.live.config.server.capture.value == Keep::Off || exchange.is_relay() {
            return;
        }
        let known = Capture {
            protocols: (self.ingress.name().to_owned(), asked.target.protocol.name().to_owned()),
            engine: asked.policy.engine().name().to_owned(),
            reasoning_open,
            begun: exchange.is_begun(),
            streamed: headers::is_event_stream(response.headers()),
            ..Capture::default()
        };
        asked.record.capture = Some(Box::new(CaptureBuffer::new(known, self.body.clone())));
    }

    /// Reads the request, with the tools in the prompt or not, with a grammar or not. A first pass finds the stored answers
    /// that it refers to, which are fetched for the second.
    async fn read(&self, asked: &mut TurnAsked<'_>, prompted: bool, held: bool) -> Result<Exchange, Fault> {
        let TurnAsked { record, route, policy, target } = asked;
        let dialect = if prompted { route.taught(&record.model) } else { None };
        let takes_prefill = !route.server.without_prefill.has(&record.model);
        let takes_schema = !route.server.without_schema.has(&record.model);
        let takes_grammar = held && !route.server.without_grammar.has(&record.model);
        let policy = policy.clone().with_prompt(dialect.clone()).with_schema(takes_schema);
        let policy = policy.with_prefill(route.settings.prefill && takes_prefill).with_grammar(takes_grammar);
        let remembers = self.live.config.limits.answers_kept > 0;
        let read = |memory: &Recollection| {
            let memory = remembers.then_some(memory as &dyn Recall);
            Exchange::read_recalling(self.ingress, target.protocol, &self.body, &policy, memory)
        };
        let (first, references) = Recollection::asked_by(read);
        let exchange = if references.is_empty() {
            first?
        } else {
            read(&store::recall(self.shared, self.live, record.owner, references).await?)?
        };
        record.notes = exchange.notes().to_vec();
        record.dialect_taught = dialect.filter(|_| exchange.has_tools()).map(|dialect| dialect.name().to_owned());
        Ok(exchange)
    }

    /// Passes on a server's error in the client's protocol.
    async fn refused(&self, mut record: Record, response: Response) -> Response {
        let (mut head, body) = response.into_parts();
        let body = match collect(body, ERROR_BODY, self.live.config.timeouts.idle.on()).await {
            Ok(body) => body,
            Err(fault) => return failed(record, self.ingress, fault),
        };
        // Some servers repeat the request's headers in their errors, and with them a key that is not the client's.
        let body = record.secrets.redact_body(&body).map_or(body, Bytes::from);
        let fault = Fault::of_response(head.status.as_u16(), &body);
        record.fail(fault.clone());
        headers::for_written(&mut head.headers);
        // A body that is already in the client's protocol is passed on unchanged.
        let error: toolglot_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_own = match self.ingress {
            Protocol::Ollama => error["error"].is_string(),
            Protocol::Messages => error["error"]["message"].is_string() && error["type"] == "error",
            Protocol::Chat | Protocol::Responses => error["error"]["message"].is_string() && error["type"] != "error",
        };
        let response = if is_own {
            Response::from_parts(head, Body::from(body))
        } else {
            error::with_headers(&fault, self.ingress, head.headers)
        };
        record.whole(&response);
        response
    }

    fn answer_limits(&self, wants_stream: bool) -> AnswerLimits {
        let (limits, timeouts) = (&self.live.config.limits, &self.live.config.timeouts);
        let whole = timeouts.total.on().or(timeouts.first_byte.on());
        AnswerLimits { wants_stream, most: limits.answer.0, idle: timeouts.idle.on(), whole }
    }

    /// Sends an answer, or its beginning and then the rest.
    async fn deliver(
        &self,
        mut record: Record,
        mut head: Parts,
        started: StartedResponse,
        is_stream: bool,
    ) -> Response {
        if is_stream {
            headers::for_stream(&mut head.headers, self.ingress);
        } else {
            head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        self.add_timing(&mut head.headers, &record);
        if started.rest.is_some() {
            let flow = Flow::started(self.shared, started, record, &self.live.config.timeouts);
            return Response::from_parts(head, Body::new(flow));
        }
        let report = started.turn.report();
        if !is_stream {
            let mut set = |name: &'static str, text: &str| {
                if let Ok(value) = HeaderValue::from_str(text) {
                    head.headers.insert(name, value);
                }
            };
            report.dialect.iter().for_each(|dialect| set("x-toolglot-dialect", dialect));
            set("x-toolglot-tool-calls", &report.calls.to_string());
        }
        if let Some(keeping) = record.remember(&started.turn) {
            // Errors have been logged.
            let _ = keeping.await;
        }
        record.sent(&started.out);
        record.delivered(report, started.out.len());
        Response::from_parts(head, Body::from(started.out))
    }

    fn add_timing(&self, headers: &mut HeaderMap, record: &Record) {
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let own = record.busy;
        let upstream = self.began.elapsed().saturating_sub(own);
        let timing = format!("toolglot;dur={:.3}, upstream;dur={:.3}", millis(own), millis(upstream));
        if let Ok(timing) = HeaderValue::from_str(&timing) {
            headers.append(SERVER_TIMING, timing);
        }
        if let Some(Ok(dialect)) = record.dialect_taught.as_deref().map(HeaderValue::from_str) {
            headers.insert(PROMPT, dialect);
        }
        if record.attempts > 1 {
            headers.insert(ATTEMPTS, record.attempts.into());
        }
    }
}

/// Passes on an answer unchanged; a turn adds an error to a truncated stream.
pub(crate) fn relayed(
    shared: &Arc<Shared>,
    live: &Live,
    record: Record,
    response: Response,
    turn: Option<Turn>,
) -> Response {
    let (mut head, body) = response.into_parts();
    headers::for_client(&mut head.headers);
    let turn = turn.filter(|_| headers::is_event_stream(&head.headers) && !headers::is_compressed(&head.headers));
    if turn.is_some() {
        head.headers.remove(header::CONTENT_LENGTH);
    }
    let flow = Flow::new(shared, body, turn, record, &live.config.timeouts);
    Response::from_parts(head, Body::new(flow))
}
