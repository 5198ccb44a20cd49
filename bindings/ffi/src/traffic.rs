//! A client's request and a model server's answer to it, between them the protocols.

use toolglot::{Dialects, seed_of};
use toolglot_wire::{Exchange, Fault as Told, FaultKind, Protocol, Turn, TurnEnd};

use crate::fault::Fault;
use crate::settings::{self, Traffic};

/// A client's request, read.
pub(crate) struct Request {
    exchange: Exchange,
    client: Protocol,
    seed: u64,
    now: u64,
    reasoning_open: bool,
}

/// One answer on its way to the client.
pub(crate) struct Answer {
    turn: Turn,
    client: Protocol,
}

impl Request {
    /// Reads a request; the message of a failure is the body of an error in the client's protocol.
    pub(crate) fn new(dialects: &Dialects, settings: &str, body: &[u8]) -> Result<Self, Fault> {
        let Traffic { client, server, policy, seed, now, reasoning_open } = settings::traffic(settings, dialects)?;
        let exchange = Exchange::read(client, server, body, &policy).map_err(|fault| told(&fault, client))?;
        Ok(Self { exchange, client, seed: seed.unwrap_or_else(|| seed_of(body)), now, reasoning_open })
    }

    /// Returns the body for the model server.
    pub(crate) fn body(&self) -> Vec<u8> {
        self.exchange.upstream_body()
    }

    /// Returns the way of one answer.
    pub(crate) fn answer(&self) -> Answer {
        let turn = self.exchange.turn(self.seed, self.now).with_reasoning_open(self.reasoning_open);
        Answer { turn, client: self.client }
    }
}

impl Answer {
    /// Takes bytes of the server's stream, gives bytes of the client's.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.turn.push(bytes, out);
    }

    /// Ends the stream; `why` is the reason of an interruption, or empty.
    pub(crate) fn finish(&mut self, why: &str, out: &mut Vec<u8>) {
        let cut = |why: &str| TurnEnd::Cut(Told::new(FaultKind::Upstream, why));
        self.turn.finish(if why.is_empty() { TurnEnd::Over } else { cut(why) }, out);
    }

    /// Turns a whole answer into the client's.
    pub(crate) fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        self.turn.whole(body).map_err(|fault| told(&fault, self.client))
    }
}

fn told(fault: &Told, client: Protocol) -> Fault {
    Fault::Failed(fault.body(client).to_string())
}
