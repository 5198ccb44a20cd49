//! Converts an answer of a model server for the client.

use crate::bare_arguments::BareArguments;
use crate::chat::glance::ChunkTemplates;
use crate::demand::{self, Opening};
use crate::dispatch::{self, ClientWriter};
use crate::fault::{Fault, FaultKind};
use crate::framing::Framing;
use crate::normalize::{AnswerSettings, Normalizer};
use crate::policy::WireLimits;
use crate::port::{Client, KEEP_ALIVE, ProtocolReader};
use crate::protocol::Protocol;
use crate::recall::{self, StoredAnswer};
use crate::refusals;
use crate::relay::Relay;
use crate::report::Report;
use crate::response_event::{Part, ResponseEvent, Usage};
use crate::secrets::Secrets;
use crate::sse::Frame;
use crate::suspect::Suspect;
use passing::read_usage;

mod passing;

/// How an answer ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is no other way")]
pub enum TurnEnd {
    /// Properly, by the rules of the transport.
    Over,
    /// It was truncated.
    Cut(Fault),
}

/// Converts the bytes of an answer to bytes for the client.
pub struct Turn {
    framing: Framing,
    /// None if the bytes pass unchanged.
    conversion: Option<Box<Conversion>>,
    relay: Relay,
    over: bool,
}

/// Converts the server's protocol to the client's.
struct Conversion {
    ingress: Protocol,
    client: Client,
    /// Whether the client uses another name for the model than the server.
    renamed: bool,
    reader: Box<dyn ProtocolReader>,
    normalizer: Normalizer,
    writer: ClientWriter,
    templates: ChunkTemplates,
    /// The server's events that have not been normalized.
    pending: Vec<ResponseEvent>,
    /// The start of the model's text, if the request may be retried.
    answer_start: String,
    /// The token counts of an earlier attempt.
    earlier: Option<Usage>,
    /// The prefill, until the text after it is settled.
    opening: Option<Opening>,
    /// The start of the answer, while it may be bare arguments.
    bare: Option<BareArguments>,
    /// The whole answer, if it is to be stored and was not streamed.
    settled: Option<String>,
    secrets: Secrets,
    /// The usage of the last chunk, as text; it is parsed only at the end.
    counted: String,
    /// The last chunk inside a call in text, if it has unknown fields of the response, and the number of its shape.
    /// Later chunks of this shape have the same fields, so only the last values are emitted, after the call.
    unread: String,
    unread_shape: usize,
}

impl Turn {
    /// Returns a turn that passes bytes on unchanged, for a client and a server with the same protocol; it adds an
    /// error to a truncated stream.
    pub fn relay(protocol: Protocol, limits: &WireLimits) -> Self {
        Self {
            framing: Framing::new(protocol, limits),
            conversion: None,
            relay: Relay::new(protocol, limits.line),
            over: false,
        }
    }

    pub(crate) fn new(
        ingress: Protocol,
        client: Client,
        settings: AnswerSettings,
        renamed: bool,
        limits: &WireLimits,
    ) -> Self {
        let framing = Framing::new(client.upstream, limits);
        let conversion = Conversion {
            ingress,
            renamed,
            reader: dispatch::reader(client.upstream, limits),
            normalizer: Normalizer::new(settings, client.seed),
            writer: ClientWriter::new(ingress, client.clone()),
            templates: ChunkTemplates::default(),
            pending: Vec::new(),
            answer_start: String::new(),
            earlier: None,
            opening: None,
            bare: None,
            settled: None,
            secrets: Secrets::default(),
            counted: String::new(),
            unread: String::new(),
            unread_shape: 0,
            client,
        };
        Self { framing, conversion: Some(Box::new(conversion)), ..Self::relay(ingress, limits) }
    }

    /// Sets the keys to redact in errors.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Secrets) -> Self {
        match &mut self.conversion {
            Some(conversion) => conversion.secrets = secrets,
            None => self.relay.secrets = secrets,
        }
        self
    }

    /// Sets the token counts of an earlier attempt, which are added to those of this one.
    #[must_use]
    pub fn with_earlier_usage(mut self, usage: Option<Usage>) -> Self {
        if let Some(conversion) = &mut self.conversion {
            conversion.earlier = usage;
        }
        self
    }

    /// Returns whether the answer contains the required call; none while that is open, or if none is required.
    pub fn meets_demand(&self) -> Option<bool> {
        self.conversion.as_ref().and_then(|conversion| conversion.normalizer.meets_demand())
    }

    /// Sets the prefill.
    #[must_use]
    pub(crate) fn with_opening(mut self, opening: Option<Opening>) -> Self {
        if let Some(conversion) = &mut self.conversion {
            // After a prefill, the model continues a call, and writes no bare arguments.
            conversion.bare =
                if opening.is_none() { conversion.normalizer.settings().and_then(BareArguments::new) } else { None };
            conversion.opening = opening;
        }
        self
    }

    /// Returns the start of the model's text, if a call is required.
    pub(crate) fn answer_start(&self) -> &str {
        self.conversion.as_ref().map_or("", |conversion| &conversion.answer_start)
    }

    /// Returns the text of a complete answer without calls, if it may be a near miss.
    pub fn suspect(&self) -> Option<Suspect> {
        self.conversion.as_ref().filter(|_| self.over)?.normalizer.suspect()
    }

    /// Returns whether bytes pass unchanged.
    pub fn is_relay(&self) -> bool {
        self.conversion.is_none()
    }

    /// Sets whether the prompt opened the reasoning, so that the answer begins inside it.
    #[must_use]
    pub fn with_reasoning_open(mut self, reasoning_open: bool) -> Self {
        if let Some(conversion) = &mut self.conversion {
            conversion.normalizer.settings_mut().reasoning_open = reasoning_open;
        }
        self
    }

    /// Converts bytes of the server's stream to bytes of the client's.
    pub fn push(&mut self, upstream_bytes: &[u8], out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        let Some(conversion) = &mut self.conversion else { return self.relay.push(upstream_bytes, out) };
        self.framing.push(upstream_bytes);
        while let Some(frame) = self.framing.next_frame() {
            match frame {
                Ok(frame) => conversion.frame(&frame, false, out),
                Err(fault) => {
                    conversion.emit_unread();
                    conversion.pending.push(ResponseEvent::Fault(fault));
                    conversion.pass_on(out);
                }
            }
        }
        self.over = conversion.normalizer.is_over();
    }

    /// Ends the stream.
    pub fn finish(&mut self, ended: TurnEnd, out: &mut Vec<u8>) {
        let early = || Fault::new(FaultKind::Upstream, "the model server's answer ended early");
        let fault = match ended {
            TurnEnd::Over => early().with_code("upstream_ended_early"),
            TurnEnd::Cut(fault) => fault,
        };
        if self.over {
            return;
        }
        self.over = true;
        match &mut self.conversion {
            None => self.relay.finish(fault, out),
            Some(conversion) => {
                if let Some(frame) = self.framing.finish() {
                    conversion.frame(&frame, true, out);
                }
                conversion.emit_unread();
                conversion.reader.cut(fault, &mut conversion.pending);
                conversion.pass_on(out);
            }
        }
    }

    /// Converts a whole answer for the client.
    ///
    /// # Errors
    /// If the server's answer is an error or invalid.
    pub fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        self.over = true;
        match &mut self.conversion {
            None => Ok(body.to_vec()),
            Some(conversion) => conversion.whole(body),
        }
    }

    /// Converts the whole answer of a server that did not stream although requested to bytes of the client's stream.
    pub fn push_whole(&mut self, body: &[u8], out: &mut Vec<u8>) {
        self.over = true;
        match &mut self.conversion {
            None => out.extend_from_slice(body),
            Some(conversion) => {
                conversion.reader.whole(body, &mut conversion.pending);
                conversion.pass_on(out);
            }
        }
    }

    /// Returns a keep-alive for an idle stream.
    pub fn keep_alive(&self) -> &'static [u8] {
        self.conversion.as_ref().map_or(KEEP_ALIVE, |conversion| conversion.writer.as_dyn().keep_alive())
    }

    /// Returns the answer to store; none before it is complete, if it failed, or if it must not be stored.
    pub fn stored_answer(&self) -> Option<StoredAnswer> {
        let conversion = self.conversion.as_ref().filter(|conversion| self.over && conversion.client.remembers)?;
        let settled = conversion.settled.clone().or_else(|| conversion.writer.as_dyn().settled());
        recall::stored_answer(&conversion.client.request, &settled?)
    }

    /// Returns whether no more of the server's answer is needed.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Returns whether the end of the answer has been written.
    pub fn is_said(&self) -> bool {
        self.over || self.conversion.is_none() && self.relay.ended
    }

    /// Returns the number of bytes currently held back.
    pub fn held(&self) -> usize {
        match &self.conversion {
            None => self.relay.held(),
            Some(conversion) => {
                self.framing.held()
                    + conversion.bare.as_ref().map_or(0, |bare| bare.text.len())
                    + conversion.normalizer.held()
            }
        }
    }

    /// Returns a summary of the turn so far.
    pub fn report(&self) -> Report {
        let Some(conversion) = &self.conversion else {
            return Report { held: self.held(), fault: self.relay.fault.clone(), ..Report::default() };
        };
        Report {
            held: self.held(),
            begins_inside_reasoning: conversion.normalizer.begins_inside_reasoning(),
            usage: conversion.usage(),
            ..conversion.normalizer.report().clone()
        }
    }
}

/// Maximum bytes of a failed answer that a model is shown again.
const MAX_ANSWER_START: usize = 4096;

impl Conversion {
    /// Reads a frame; if the last one is incomplete, the end of the stream is the error.
    fn frame(&mut self, frame: &Frame<'_>, is_last: bool, out: &mut Vec<u8>) {
        if !self.glance(frame, out) {
            self.emit_unread();
            match self.refused_answer(frame) {
                Some(answer) => self.reader.frame(&Frame { event: None, data: &answer, raw: &[] }, &mut self.pending),
                None => self.reader.frame(frame, &mut self.pending),
            }
            if is_last {
                self.pending.retain(|event| !matches!(event, ResponseEvent::Lost));
            }
        }
        self.pass_on(out);
    }

    /// Returns the chunk that a server should have sent instead of an error that rejects its model's text.
    fn refused_answer(&self, frame: &Frame<'_>) -> Option<String> {
        let is_error = self.client.upstream == Protocol::Chat && refusals::may_be_refusal(frame.data);
        self.normalizer.settings().filter(|_| is_error).and_then(|settings| refusals::chunk(frame.data, settings))
    }

    /// Returns the token counts so far.
    fn usage(&self) -> Option<Usage> {
        let mut usage = read_usage(&self.counted);
        usage.iter_mut().zip(&self.earlier).for_each(|(usage, earlier)| usage.add(earlier));
        usage.or_else(|| self.normalizer.report().usage.clone())
    }

    /// Writes the pending events.
    fn pass_on(&mut self, out: &mut Vec<u8>) {
        self.normalize();
        for event in self.normalizer.events().drain(..) {
            self.writer.as_dyn_mut().write(&event, out);
        }
        if let ClientWriter::Chat(writer) = &mut self.writer
            && !self.normalizer.is_over()
        {
            writer.settle(out);
        }
    }

    fn normalize(&mut self) {
        demand::hold_start(&mut self.opening, &mut self.pending);
        demand::hold_start(&mut self.bare, &mut self.pending);
        for mut event in self.pending.drain(..) {
            match &mut event {
                ResponseEvent::Fault(fault) => fault.redact(&self.secrets),
                ResponseEvent::Begin(begin) if self.renamed => begin.model = Some(self.client.model.clone()),
                ResponseEvent::Usage(usage) => self.earlier.iter().for_each(|earlier| usage.add(earlier)),
                ResponseEvent::Part { choice: 0, part: Part::Text(text) } if self.normalizer.demands_call() => {
                    let room = MAX_ANSWER_START.saturating_sub(self.answer_start.len());
                    let letters = text.char_indices().take_while(|(at, letter)| at + letter.len_utf8() <= room);
                    self.answer_start.extend(letters.map(|(_, letter)| letter));
                }
                _ => {}
            }
            self.normalizer.push_event(event);
        }
    }

    fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        // So that the events of a failed call can be removed.
        self.normalizer.settings_mut().streamed = false;
        self.reader.whole(body, &mut self.pending);
        self.normalize();
        let events = std::mem::take(self.normalizer.events());
        match events.last() {
            Some(ResponseEvent::Fault(fault)) => Err(fault.clone()),
            _ => {
                let whole = dispatch::whole(self.ingress, &events, &self.client);
                self.settled = self.client.remembers.then(|| String::from_utf8_lossy(&whole).into_owned());
                Ok(whole)
            }
        }
    }
}
