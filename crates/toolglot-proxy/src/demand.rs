//! Answers that have to hold a call: nothing goes to the client before there is one, and a model that made none is asked
//! once more.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Body;
use http_body_util::BodyExt;
use toolglot_wire::{Exchange, Fault, Turn, TurnEnd, Usage};

use crate::block_in_place::block_in_place_if_large;
use crate::bodies::collect;
use crate::error::ProxyError;
use crate::forms::Target;
use crate::headers;
use crate::live::Shared;
use crate::record::Record;

/// What is needed to ask a model again.
pub(crate) struct Again {
    pub(crate) exchange: Exchange,
    pub(crate) target: Target,
}

/// How an answer is read before it goes out: whether the client gets a stream, how much, and for how long.
pub(crate) struct Patience {
    pub(crate) wants_stream: bool,
    pub(crate) most: usize,
    pub(crate) idle: Option<Duration>,
    pub(crate) whole: Option<Duration>,
}

/// An answer of which nothing has been read.
pub(crate) struct Arrived {
    pub(crate) turn: Turn,
    /// It is a stream.
    pub(crate) flows: bool,
    pub(crate) body: Body,
}

/// An answer that may go out: what has been written of it, and what is still to come.
pub(crate) struct StartedResponse {
    pub(crate) turn: Turn,
    pub(crate) out: Vec<u8>,
    /// Nothing if the answer is over.
    pub(crate) rest: Option<Body>,
}

impl StartedResponse {
    /// A stream that may go out as it comes.
    pub(crate) fn flowing(arrived: Arrived) -> Self {
        Self { turn: arrived.turn, out: Vec::new(), rest: Some(arrived.body) }
    }
}

impl Arrived {
    /// Reads all of an answer: one that is not streamed, or not although it was asked to be.
    pub(crate) async fn whole(self, record: &mut Record, patience: &Patience) -> Result<StartedResponse, Fault> {
        let Self { mut turn, body, .. } = self;
        let body = collect(body, patience.most, patience.whole).await?;
        record.first_byte();
        record.answered(&body);
        let start = Instant::now();
        let mut out = Vec::new();
        let read = block_in_place_if_large(body.len(), || {
            if patience.wants_stream {
                turn.push_whole(&body, &mut out);
                return Ok(());
            }
            turn.whole(&body).map(|whole| out = whole)
        });
        record.busy += start.elapsed();
        read.map(|()| StartedResponse { turn, out, rest: None })
    }

    /// Reads an answer until it is clear whether it holds the call that is demanded, or too much is held.
    async fn until_decided(self, record: &mut Record, patience: &Patience) -> Result<StartedResponse, Fault> {
        if !patience.wants_stream || !self.flows {
            return self.whole(record, patience).await;
        }
        let Self { mut turn, mut body, .. } = self;
        let mut out = Vec::new();
        while turn.meets_demand().is_none() && out.len() <= patience.most {
            let ended = match next(&mut body, patience.idle).await? {
                Some(Ok(frame)) => {
                    let start = Instant::now();
                    if let Ok(bytes) = frame.into_data() {
                        record.answered(&bytes);
                        block_in_place_if_large(bytes.len().max(turn.held() / 8), || turn.push(&bytes, &mut out));
                    }
                    record.busy += start.elapsed();
                    continue;
                }
                Some(Err(error)) => {
                    let message = format!("the model server broke off its answer: {error}");
                    TurnEnd::Cut(ProxyError::Cut.because(message))
                }
                None => TurnEnd::Over,
            };
            turn.finish(ended, &mut out);
            return Ok(StartedResponse { turn, out, rest: None });
        }
        Ok(StartedResponse { turn, out, rest: Some(body) })
    }
}

/// Why a model is asked again.
const WHY: &str = "the answer held no call although one was demanded; the model was asked again";

impl Again {
    /// Reads an answer until it is clear that it holds the call that is demanded; asks again if it does not.
    pub(crate) async fn settle(
        mut self,
        shared: &Shared,
        record: &mut Record,
        arrived: Arrived,
        patience: &Patience,
    ) -> Result<StartedResponse, Fault> {
        let first = arrived.until_decided(record, patience).await?;
        if first.turn.meets_demand() != Some(false) {
            return Ok(first);
        }
        self.exchange.ask_again(&first.turn);
        let earlier = first.turn.report().usage;
        drop(first);
        let second = self.ask(shared, record, earlier).await?.until_decided(record, patience).await?;
        match second.turn.meets_demand() {
            Some(false) => Err(unsatisfied("and not when it was asked again either")),
            _ => Ok(second),
        }
    }

    /// Asks the model again; the answer's turn counts the tokens of both attempts.
    async fn ask(&mut self, shared: &Shared, record: &mut Record, earlier: Option<Usage>) -> Result<Arrived, Fault> {
        record.attempts += 1;
        if let Some(capture) = &mut record.capture {
            capture.answer.clear();
            capture.begun = false;
        }
        let body = self.exchange.upstream_body().into();
        let response = self.target.send_in_form(&mut self.exchange, record, body).await?;
        record.retry = Some(WHY);
        if !response.status().is_success() {
            return Err(unsatisfied("and the model server refused to be asked again"));
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let second = self.exchange.turn(shared.draw(), now).with_earlier_usage(earlier);
        let flows = headers::is_event_stream(response.headers());
        Ok(Arrived { turn: second.with_secrets(record.secrets.clone()), flows, body: response.into_body() })
    }
}

/// A piece of a body, if there is one more.
type Piece = Option<Result<http_body::Frame<bytes::Bytes>, axum::Error>>;

async fn next(body: &mut Body, idle: Option<Duration>) -> Result<Piece, Fault> {
    let Some(time) = idle else { return Ok(body.frame().await) };
    tokio::time::timeout(time, body.frame()).await.map_err(|_| {
        let message =
            format!("the model server said nothing for {time:?}; `timeouts.idle` decides how long is too long");
        ProxyError::Idle.because(message)
    })
}

fn unsatisfied(why: &str) -> Fault {
    ProxyError::Unsatisfied.because(format!(
        "`tool_choice` demands a call, and the model made none, {why}; leave the choice to the model, or use a server that \
         enforces it"
    ))
}
