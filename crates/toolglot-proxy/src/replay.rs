//! Reparses a captured exchange with the current code and settings.

use toolglot_wire::{EngineKind, Exchange, Protocol, Turn, TurnEnd};

use crate::capture::Capture;
use crate::config::Config;
use crate::live::Live;

/// Reparses a captured answer; returns what a client would now receive, which may be an error in its protocol.
///
/// # Errors
/// If the settings are invalid, or the captured request cannot be parsed.
pub fn replay(capture: &Capture, config: Config) -> Result<Vec<u8>, String> {
    let live = Live::new(config).map_err(|error| error.to_string())?;
    let (route, _) = live
        .route(&capture.model)
        .ok_or_else(|| format!("no route matches the model `{}`; add one to the settings", capture.model))?;
    let protocol = |name: &str| name.parse::<Protocol>();
    let (ingress, upstream) = (protocol(&capture.protocols.0)?, protocol(&capture.protocols.1)?);
    let taught = capture.prompt.as_ref().map(|name| {
        let known = route.policy.dialects().get(name).cloned();
        known.or_else(|| route.taught(&capture.model)).ok_or_else(|| format!("unknown dialect `{name}`"))
    });
    let policy = route
        .policy
        .clone()
        .with_engine(capture.engine.parse::<EngineKind>()?)
        .with_prompt(taught.transpose()?)
        .with_prefill(capture.begun)
        .with_schema(true);
    let request = capture.request.as_str().map_or_else(|| capture.request.to_string(), str::to_owned);
    let exchange = Exchange::read(ingress, upstream, request.as_bytes(), &policy);
    let mut exchange = exchange.map_err(|fault| format!("cannot parse the request: {}", fault.message))?;
    if capture.attempts > 1 {
        exchange.ask_again(&exchange.turn(0, 0));
    }
    let opens = route.settings.reasoning_open.value.unwrap_or(capture.reasoning_open);
    let turn = exchange.turn(0, capture.time).with_reasoning_open(opens);
    Ok(delivered(turn, ingress, exchange.is_stream(), capture))
}

fn delivered(mut turn: Turn, ingress: Protocol, wants_stream: bool, capture: &Capture) -> Vec<u8> {
    let (answer, mut out) = (capture.answer.as_bytes(), Vec::new());
    if !wants_stream {
        return turn.whole(answer).unwrap_or_else(|fault| fault.body(ingress).to_string().into_bytes());
    }
    if capture.streamed {
        turn.push(answer, &mut out);
        turn.finish(TurnEnd::Over, &mut out);
    } else {
        turn.push_whole(answer, &mut out);
    }
    out
}
