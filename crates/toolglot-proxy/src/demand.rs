//! Answers that must contain a call: nothing is sent to the client before there is one, and the request is retried once if
//! there is none.

use std::time::{Duration, Instant};

use axum::body::Body;
use http_body_util::BodyExt;
use toolglot_wire::{Exchange, Fault, Turn, TurnEnd, Usage};

use crate::block_in_place::block_in_place_if_large;
use crate::bodies::{collect, in_time};
use crate::error::ProxyError;
use crate::forms::Target;
use crate::headers;
use crate::live::Shared;
use crate::record::Record;

/// The data to retry a request.
pub(crate) struct Retry {
    pub(crate) exchange: Exchange,
    pub(crate) target: Target,
}

/// How to read an answer before it is sent: whether the client wants a stream, and the limits.
pub(crate) struct AnswerLimits {
    pub(crate) wants_stream: bool,
    pub(crate) most: usize,
    pub(crate) idle: Option<Duration>,
    pub(crate) whole: Option<Duration>,
}

/// An unread answer.
pub(crate) struct UpstreamAnswer {
    pub(crate) turn: Turn,
    /// Whether it is a stream.
    pub(crate) flows: bool,
    pub(crate) body: Body,
}

/// An answer that may be sent: what has been written, and what is still to come.
pub(crate) struct StartedResponse {
    pub(crate) turn: Turn,
    pub(crate) out: Vec<u8>,
    /// None if the answer is complete.
    pub(crate) rest: Option<Body>,
}

impl UpstreamAnswer {
    /// Reads a whole answer that is not streamed.
    pub(crate) async fn whole(
        self,
        record: &mut Record,
        answer_limits: &AnswerLimits,
    ) -> Result<StartedResponse, Fault> {
        let Self { mut turn, body, .. } = self;
        let body = collect(body, answer_limits.most, answer_limits.whole).await?;
        record.first_byte();
        record.answered(&body);
        let start = Instant::now();
        let mut out = Vec::new();
        let read = block_in_place_if_large(body.len(), || {
            if answer_limits.wants_stream {
                turn.push_whole(&body, &mut out);
                return Ok(());
            }
            turn.whole(&body).map(|whole| out = whole)
        });
        record.busy += start.elapsed();
        read.map(|()| StartedResponse { turn, out, rest: None })
    }

    /// Reads an answer until it is clear whether it contains the required call, or the buffer is full.
    async fn until_decided(self, record: &mut Record, answer_limits: &AnswerLimits) -> Result<StartedResponse, Fault> {
        if !answer_limits.wants_stream || !self.flows {
            return self.whole(record, answer_limits).await;
        }
        let Self { mut turn, mut body, .. } = self;
        let mut out = Vec::new();
        while turn.meets_demand().is_none() && out.len() <= answer_limits.most {
            let next = in_time(answer_limits.idle, body.frame()).await.map_err(silent)?;
            let ended = match next {
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
                    let message =
                        format!("the model server closed the connection before its answer was complete: {error}");
                    TurnEnd::Cut(ProxyError::CUT.because(message))
                }
                None => TurnEnd::Over,
            };
            turn.finish(ended, &mut out);
            return Ok(StartedResponse { turn, out, rest: None });
        }
        Ok(StartedResponse { turn, out, rest: Some(body) })
    }
}

/// Why a request is retried.
const WHY: &str = "the answer lacked the required call; the request was retried";

impl Retry {
    /// Reads an answer until it contains the required call; retries once if it does not.
    pub(crate) async fn run(
        mut self,
        shared: &Shared,
        record: &mut Record,
        answer: UpstreamAnswer,
        answer_limits: &AnswerLimits,
    ) -> Result<StartedResponse, Fault> {
        let first = answer.until_decided(record, answer_limits).await?;
        if first.turn.meets_demand() != Some(false) {
            return Ok(first);
        }
        self.exchange.ask_again(&first.turn);
        let earlier = first.turn.report().usage;
        // Closes the first answer's connection, so that a server with one slot can take the second request.
        drop(first);
        let second = self.ask(shared, record, earlier).await?.until_decided(record, answer_limits).await?;
        match second.turn.meets_demand() {
            Some(false) => Err(unsatisfied("not even when asked again")),
            _ => Ok(second),
        }
    }

    /// Retries the request; the turn counts the tokens of both attempts.
    async fn ask(
        &mut self,
        shared: &Shared,
        record: &mut Record,
        earlier: Option<Usage>,
    ) -> Result<UpstreamAnswer, Fault> {
        record.attempts += 1;
        if let Some(capture) = &mut record.capture {
            capture.answer.clear();
            capture.known.begun = false;
        }
        let body = self.exchange.upstream_body().into();
        let response = self.target.send_in_form(&mut self.exchange, record, body).await?;
        record.retry = Some(WHY);
        if !response.status().is_success() {
            return Err(unsatisfied("and the model server rejected the retry"));
        }
        let second = shared.turn(&self.exchange).with_earlier_usage(earlier);
        let flows = headers::is_event_stream(response.headers());
        Ok(UpstreamAnswer { turn: second.with_secrets(record.secrets.clone()), flows, body: response.into_body() })
    }
}

/// The error of a server that pauses for longer than it may.
pub(crate) fn silent(time: Duration) -> Fault {
    ProxyError::IDLE.because(format!("no data from the model server for {time:?} (`timeouts.idle`)"))
}

fn unsatisfied(why: &str) -> Fault {
    ProxyError::UNSATISFIED.because(format!(
        "`tool_choice` requires a call, but the model made none, {why}; use `tool_choice` \"auto\", or a server that enforces \
         the choice"
    ))
}
