//! Requests of the three protocols: read, sent to a model server in its words, answered in the client's.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::value::RawValue;
use toolglot_wire::{Exchange, Fault, FaultKind, Protocol, Recall, Turn};

use crate::error::{self, Wrong};
use crate::headers;
use crate::live::{Live, Route, Shared};
use crate::record::Record;
use crate::stream::Flow;
use crate::upstream::{Server, turn_headers};

/// Bytes of a server's error that are read.
pub(crate) const ERROR_BODY: usize = 1 << 20;

/// Answers a request of a protocol.
pub(crate) async fn answer(shared: Arc<Shared>, ingress: Protocol, request: Request<Body>) -> Response {
    let (parts, body) = request.into_parts();
    let live = shared.live.load_full();
    let (mut record, refused) = match Record::begin(&shared, ingress.name(), &parts) {
        Ok(record) => (record, None),
        Err((record, fault)) => (*record, Some(fault)),
    };
    let id = record.id.clone();
    let refused = refused.map_or_else(|| live.keys.check(&parts.headers), Err);
    let read = match refused {
        Ok(()) => read_body(&live, &parts.headers, body).await,
        Err(fault) => Err(fault),
    };
    let mut response = match read {
        Ok(body) => {
            record.busy = Duration::ZERO;
            let job = Job { shared: &shared, live: &live, ingress, head: &parts, body, began: Instant::now() };
            job.run(record).await
        }
        Err(fault) => failed(record, ingress, fault),
    };
    response.headers_mut().insert(headers::REQUEST_ID, id.clone());
    if ingress == Protocol::Messages {
        headers::identify(response.headers_mut(), &id, Some(ingress), "");
    }
    response
}

/// Ends a request with an error of ours.
pub(crate) fn failed(mut record: Record, ingress: Protocol, mut fault: Fault) -> Response {
    // Whatever the server said first, this is what the client gets.
    record.status = fault.status;
    fault.blot(&record.secrets);
    let response = error::response(&fault, ingress);
    record.whole(&response);
    record.fail(fault);
    response
}

/// Reads a request's body, as much as is allowed and as long as is allowed.
pub(crate) async fn read_body(live: &Live, headers: &HeaderMap, body: Body) -> Result<Bytes, Fault> {
    let most = live.config.limits.body.0;
    let too_large =
        || Wrong::Body.because(format!("the request has more than {most} bytes; `limits.body` allows no more"));
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if length.is_some_and(|length| length > most) {
        return Err(too_large());
    }
    let read = Limited::new(body, most).collect();
    let read = match live.config.timeouts.body.on() {
        Some(time) => tokio::time::timeout(time, read)
            .await
            .map_err(|_| Wrong::BodyTime.because(format!("the rest of the request did not come within {time:?}")))?,
        None => read.await,
    };
    read.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            too_large()
        } else {
            Wrong::BodyRead.because(format!("the request broke off: {error}"))
        }
    })
}

/// The place of a request's model, and nothing else of it.
#[derive(serde::Deserialize)]
struct Peek<'a> {
    #[serde(borrow)]
    model: Option<&'a RawValue>,
}

/// Returns the model that a request names, and where.
pub(crate) fn model_of(body: &[u8]) -> Option<(String, std::ops::Range<usize>)> {
    let raw = serde_json::from_slice::<Peek<'_>>(body).ok()?.model?;
    let model = serde_json::from_str::<String>(raw.get()).ok()?;
    let start = (raw.get().as_ptr() as usize).checked_sub(body.as_ptr() as usize)?;
    Some((model, start..start + raw.get().len()))
}

/// Puts another model's name into a request and changes nothing else.
pub(crate) fn with_model(body: &Bytes, place: std::ops::Range<usize>, model: &str) -> Bytes {
    let (before, after) = (body.get(..place.start), body.get(place.end..));
    let name = serde_json::Value::from(model).to_string();
    [before.unwrap_or_default(), name.as_bytes(), after.unwrap_or_default()].concat().into()
}

/// One request that has been read.
struct Job<'a> {
    shared: &'a Arc<Shared>,
    live: &'a Live,
    ingress: Protocol,
    head: &'a http::request::Parts,
    body: Bytes,
    began: Instant,
}

/// A server's answer and what reads it.
struct Answered {
    response: Response,
    /// What reads the answer, or passes it on as it is.
    turn: Turn,
    wants_stream: bool,
}

impl Job<'_> {
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
            let message = "the model server compressed its answer (`content-encoding`), which it was not asked to do; \
                           switch compression off at the server or at the proxy before it";
            return failed(record, ingress, Wrong::Compressed.because(message));
        }
        match answered.wants_stream {
            _ if turn.is_relay() => relayed(self.shared, self.live, record, answered.response, Some(turn)),
            true => self.stream(record, answered.response, turn).await,
            false => self.whole(record, answered.response, turn).await,
        }
    }

    /// Sends the request; the answer may be a refusal.
    async fn exchange(&self, record: &mut Record) -> Result<Answered, Fault> {
        let found = model_of(&self.body);
        let model = found.as_ref().map_or("", |(model, _)| model);
        let missing = || Fault::new(FaultKind::NotFound, format!("no route takes the model `{model}`"));
        let (route, label) = self.live.route(model).ok_or_else(missing)?;
        let server = &route.server;
        model.clone_into(&mut record.model);
        label.clone_into(&mut record.model_label);
        server.name.clone_into(&mut record.upstream);
        let uri = server.turn_uri(self.head.uri.query().filter(|_| server.protocol == self.ingress))?;
        let mut sent = turn_headers(server, &self.head.headers, self.live.keys.is_empty());
        sent.insert(headers::REQUEST_ID, record.id.clone());
        if route.is_off && server.protocol == self.ingress {
            let place = found.as_ref().map(|(_, place)| place.clone());
            let body = match (&route.model, place) {
                (Some(name), Some(place)) => with_model(&self.body, place, name),
                _ => self.body.clone(),
            };
            record.busy += self.began.elapsed();
            let response = server.send_again(&uri, &sent, body).await?;
            let turn = Turn::relay(self.ingress, route.policy.limits());
            return Ok(Answered { response, turn, wants_stream: false });
        }
        self.converted(record, route, &uri, &sent).await
    }

    async fn converted(
        &self,
        record: &mut Record,
        route: &Route,
        uri: &Uri,
        sent: &HeaderMap,
    ) -> Result<Answered, Fault> {
        let server = &route.server;
        let waited = Instant::now();
        let policy = route.policy.clone().with_engine(server.engine_kind(sent).await);
        let waited = waited.elapsed();
        record.owner = self.shared.owner(&self.head.headers);
        let memory = self.shared.memory.of(record.owner);
        let memory = (self.live.config.limits.answers_kept > 0).then_some(&memory as &dyn Recall);
        let exchange = Exchange::read_recalling(self.ingress, server.protocol, &self.body, &policy, memory)?;
        record.notes = exchange.notes().to_vec();
        let body = if exchange.is_relay() && route.model.is_none() {
            self.body.clone()
        } else {
            exchange.upstream_body().into()
        };
        let learned = server.refusal(&record.model).and_then(|fault| exchange.amended_body(&fault));
        let body = learned.map_or(body, |(body, _)| body.into());
        record.busy += self.began.elapsed().saturating_sub(waited);
        let mut response = server.send_again(uri, sent, body).await?;
        if response.status() == StatusCode::BAD_REQUEST {
            response = self.another_form(record, &exchange, server, uri, sent, response).await?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let opens = route.reasoning_open.unwrap_or_else(|| self.shared.opens_reasoning(&record.model));
        let turn = exchange.turn(self.shared.draw(), now).with_reasoning_open(opens);
        Ok(Answered { response, turn, wants_stream: exchange.is_stream() })
    }

    /// Sends a refused request in another form, if there is one; otherwise the refusal stands.
    async fn another_form(
        &self,
        record: &mut Record,
        exchange: &Exchange,
        server: &Server,
        uri: &Uri,
        sent: &HeaderMap,
        refusal: Response,
    ) -> Result<Response, Fault> {
        let (head, body) = refusal.into_parts();
        let body = collect(body, ERROR_BODY, None).await?;
        let fault = Fault::of_response(head.status.as_u16(), &body);
        let Some((again, why)) = exchange.retry_body(&fault) else {
            return Ok(Response::from_parts(head, Body::from(body)));
        };
        record.retry = Some(why);
        let answer = server.send_again(uri, sent, again.into()).await?;
        if answer.status().is_success() {
            server.remember_refusal(&record.model, fault);
        }
        Ok(answer)
    }

    /// Passes a server's refusal on, in the shape of the client's protocol.
    async fn refused(&self, mut record: Record, response: Response) -> Response {
        let (mut head, body) = response.into_parts();
        let body = match collect(body, ERROR_BODY, self.live.config.timeouts.idle.on()).await {
            Ok(body) => body,
            Err(fault) => return failed(record, self.ingress, fault),
        };
        let body = record.secrets.blot_body(&body).map_or(body, Bytes::from);
        let fault = Fault::of_response(head.status.as_u16(), &body);
        record.fail(fault.clone());
        headers::for_written(&mut head.headers);
        // A body that is in the client's shape already has all that the server said.
        let told: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let is_messages = told["type"] == "error";
        let response = if told["error"]["message"].is_string() && is_messages == (self.ingress == Protocol::Messages) {
            Response::from_parts(head, Body::from(body))
        } else {
            error::with_headers(&fault, self.ingress, head.headers)
        };
        record.whole(&response);
        response
    }

    async fn stream(&self, mut record: Record, response: Response, mut turn: Turn) -> Response {
        let is_stream = headers::is_event_stream(response.headers());
        let (mut head, body) = response.into_parts();
        headers::for_written(&mut head.headers);
        headers::for_stream(&mut head.headers);
        if is_stream {
            self.add_timing(&mut head.headers, &record);
            let flow = Flow::new(self.shared, body, Some(turn), record, &self.live.config.timeouts);
            return Response::from_parts(head, Body::new(flow));
        }
        // A server that does not stream although it was asked to says everything at once.
        let body = match collect(body, self.live.config.limits.answer.0, self.live.config.whole_time()).await {
            Ok(body) => body,
            Err(fault) => return failed(record, self.ingress, fault),
        };
        let mut out = Vec::new();
        turn.push_whole(&body, &mut out);
        record.remember(&turn);
        self.add_timing(&mut head.headers, &record);
        record.told(turn.report(), out.len());
        Response::from_parts(head, Body::from(out))
    }

    async fn whole(&self, mut record: Record, response: Response, mut turn: Turn) -> Response {
        let (mut head, body) = response.into_parts();
        let body = match collect(body, self.live.config.limits.answer.0, self.live.config.whole_time()).await {
            Ok(body) => body,
            Err(fault) => return failed(record, self.ingress, fault),
        };
        record.first_byte();
        let start = Instant::now();
        let whole = turn.whole(&body);
        record.busy += start.elapsed();
        let report = turn.report();
        let whole = match whole {
            Ok(whole) => whole,
            Err(fault) => return failed(record, self.ingress, fault),
        };
        record.remember(&turn);
        headers::for_written(&mut head.headers);
        head.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        let mut tell = |name: &'static str, text: &str| {
            if let Ok(value) = HeaderValue::from_str(text) {
                head.headers.insert(name, value);
            }
        };
        if let Some(dialect) = &report.dialect {
            tell("x-toolglot-dialect", dialect);
        }
        tell("x-toolglot-tool-calls", &report.calls.to_string());
        self.add_timing(&mut head.headers, &record);
        record.told(report, whole.len());
        Response::from_parts(head, Body::from(whole))
    }

    fn add_timing(&self, headers: &mut HeaderMap, record: &Record) {
        let millis = |time: Duration| time.as_secs_f64() * 1000.0;
        let own = record.busy;
        let upstream = self.began.elapsed().saturating_sub(own);
        let timing = format!("toolglot;dur={:.3}, upstream;dur={:.3}", millis(own), millis(upstream));
        headers::identify(headers, &record.id, None, &timing);
    }
}

/// Passes an answer on as it is; a turn adds an error where a stream breaks off.
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

/// Reads a server's body, as much as is allowed and as long as is allowed.
pub(crate) async fn collect(body: Body, most: usize, time: Option<Duration>) -> Result<Bytes, Fault> {
    let read = Limited::new(body, most).collect();
    let read = match time {
        Some(time) => tokio::time::timeout(time, read)
            .await
            .map_err(|_| Wrong::Total.because(format!("the model server's answer took longer than {time:?}")))?,
        None => read.await,
    };
    read.map(http_body_util::Collected::to_bytes).map_err(|error| {
        if error.is::<LengthLimitError>() {
            let message =
                format!("the model server's answer has more than {most} bytes; `limits.answer` allows no more");
            return Wrong::Answer.because(message);
        }
        Wrong::Cut.because(format!("the model server broke off its answer: {error}"))
    })
}
