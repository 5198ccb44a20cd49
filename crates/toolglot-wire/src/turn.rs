//! One answer of a model server on its way to the client.

use std::collections::BTreeMap;

use crate::bare_arguments::BareArguments;
use crate::chat::glance::ChunkTemplates;
use crate::chat::write::ChatWriter;
use crate::demand::{self, Join, Opening};
use crate::dispatch;
use crate::fault::{Fault, FaultKind};
use crate::framing::Framing;
use crate::messages;
use crate::normalize::{AnswerSettings, Normalizer};
use crate::ollama;
use crate::policy::WireLimits;
use crate::port::{Client, ProtocolReader, ProtocolWriter};
use crate::protocol::Protocol;
use crate::recall::{self, StoredAnswer};
use crate::refusals;
use crate::relay::Relay;
use crate::response_event::{Finish, Part, ResponseEvent, Usage};
use crate::responses;
use crate::secrets::Secrets;
use crate::sse::Frame;
use crate::suspect::Suspect;
use passing::counted;

mod passing;

/// How the bytes of an answer ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum TurnEnd {
    /// As they should, by the transport's rules.
    Over,
    /// They broke off.
    Cut(Fault),
}

/// What a turn was like, for logs and metrics.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Report {
    /// The dialect of the first call that was written as text.
    pub dialect: Option<String>,
    /// Calls that went to the client.
    pub calls: usize,
    /// Of them, those that had been written as text.
    pub text_calls: usize,
    /// Of them, those that were read with repairs.
    pub repaired: usize,
    /// Calls that did not: cut off, broken, or unwanted.
    pub dropped: usize,
    /// Calls that stayed text, since the policy rejects them.
    pub left: usize,
    /// Diagnostics by their code.
    pub diagnostics: BTreeMap<&'static str, usize>,
    /// Bytes that are held back now.
    pub held: usize,
    /// Whether the text began inside reasoning, which the prompt has opened then; nothing if it does not tell.
    pub begins_inside_reasoning: Option<bool>,
    /// Why the first alternative ended.
    pub finish: Option<Finish>,
    /// The error that the answer ended with.
    pub fault: Option<Fault>,
    /// Tokens, if the server counted them.
    pub usage: Option<Usage>,
}

/// Turns the bytes of one answer into bytes for the client.
pub struct Turn {
    framing: Framing,
    /// Nothing if the bytes go on as they are.
    conversion: Option<Box<Conversion>>,
    relay: Relay,
    over: bool,
}

/// Converts the server's protocol to the client's.
struct Conversion {
    ingress: Protocol,
    client: Client,
    /// The client calls the model by another name than the server.
    renamed: bool,
    reader: Box<dyn ProtocolReader>,
    normalizer: Normalizer,
    writer: ClientWriter,
    templates: ChunkTemplates,
    said: Vec<ResponseEvent>,
    cleaned: Vec<ResponseEvent>,
    /// The beginning of what the model said, if it may have to be asked again.
    spoken: String,
    /// The tokens of an earlier attempt.
    earlier: Option<Usage>,
    /// The beginning of the answer, which the server got, until it is settled.
    opening: Option<Opening>,
    /// The beginning of the answer, as long as it may be nothing but the arguments that are demanded.
    bare: Option<BareArguments>,
    /// The whole answer, if later requests may refer to it and it was not streamed.
    settled: Option<String>,
    secrets: Secrets,
    /// The tokens counted in the chunk that was last looked at, as it says them; nobody asks before the end.
    counted: String,
    /// The chunk of a call in text that was last looked at, if it has fields of the response, and the number of its shape. A
    /// later chunk of that shape has the same fields, so they are said with what follows the call.
    unsaid: String,
    unsaid_shape: usize,
}

/// The client's writer; chunks between the same protocol may take a shorter conversion.
enum ClientWriter {
    Chat(Box<ChatWriter>),
    Other(Box<dyn ProtocolWriter>),
}

impl Turn {
    /// Returns a turn whose bytes go on as they are, in the protocol of the client and the server: of a stream that does not
    /// end as it should, an error is the end.
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
        wants: AnswerSettings,
        renamed: bool,
        limits: &WireLimits,
    ) -> Self {
        let writer = match ingress {
            Protocol::Chat => ClientWriter::Chat(Box::new(ChatWriter::new(client.clone()))),
            Protocol::Responses => ClientWriter::Other(Box::new(responses::ResponsesWriter::new(client.clone()))),
            Protocol::Messages => ClientWriter::Other(Box::new(messages::MessagesWriter::new(client.clone()))),
            Protocol::Ollama => ClientWriter::Other(Box::new(ollama::OllamaWriter::new(client.clone()))),
        };
        let framing = Framing::new(client.upstream, limits);
        let conversion = Conversion {
            ingress,
            renamed,
            reader: dispatch::reader(client.upstream, limits),
            normalizer: Normalizer::new(wants, client.seed),
            writer,
            templates: ChunkTemplates::default(),
            said: Vec::new(),
            cleaned: Vec::new(),
            spoken: String::new(),
            earlier: None,
            opening: None,
            bare: None,
            settled: None,
            secrets: Secrets::default(),
            counted: String::new(),
            unsaid: String::new(),
            unsaid_shape: 0,
            client,
        };
        Self { framing, conversion: Some(Box::new(conversion)), ..Self::relay(ingress, limits) }
    }

    /// Keys that are taken out of errors before anybody sees them.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Secrets) -> Self {
        match &mut self.conversion {
            Some(conversion) => conversion.secrets = secrets,
            None => self.relay.secrets = secrets,
        }
        self
    }

    /// Tokens of an earlier attempt, which are counted with those of this one.
    #[must_use]
    pub fn with_earlier_usage(mut self, usage: Option<Usage>) -> Self {
        if let Some(conversion) = &mut self.conversion {
            conversion.earlier = usage;
        }
        self
    }

    /// Says whether the answer holds the call that the client demands; nothing while that is open, and where none is
    /// demanded.
    pub fn meets_demand(&self) -> Option<bool> {
        self.conversion.as_ref().and_then(|conversion| conversion.normalizer.meets_demand())
    }

    /// The beginning of the answer, which the server got.
    #[must_use]
    pub(crate) fn with_opening(mut self, opening: Option<Opening>) -> Self {
        if let Some(conversion) = &mut self.conversion {
            conversion.bare =
                if opening.is_none() { conversion.normalizer.settings().and_then(BareArguments::new) } else { None };
            conversion.opening = opening;
        }
        self
    }

    /// Returns the beginning of what the model said, where a call is demanded.
    pub(crate) fn spoken(&self) -> &str {
        self.conversion.as_ref().map_or("", |conversion| &conversion.spoken)
    }

    /// Returns the text of an answer that is over in which no call was read, if it may look as if it held one.
    pub fn suspect(&self) -> Option<Suspect> {
        self.conversion.as_ref().filter(|_| self.over)?.normalizer.suspect()
    }

    /// Says whether the bytes go on as they are.
    pub fn is_relay(&self) -> bool {
        self.conversion.is_none()
    }

    /// Whether the prompt opened a reasoning region, so that the answer begins inside it.
    #[must_use]
    pub fn with_reasoning_open(mut self, reasoning_open: bool) -> Self {
        if let Some(conversion) = &mut self.conversion {
            conversion.normalizer.set_reasoning_open(reasoning_open);
        }
        self
    }

    /// Takes bytes of the server's stream, gives bytes of the client's.
    pub fn push(&mut self, upstream_bytes: &[u8], out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        let Some(conversion) = &mut self.conversion else { return self.relay.push(upstream_bytes, out) };
        self.framing.push(upstream_bytes);
        while let Some(frame) = self.framing.next_frame() {
            match frame {
                Ok(frame) => conversion.frame(&frame, out),
                Err(fault) => conversion.fault(fault, out),
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
                    conversion.last_frame(&frame, out);
                }
                conversion.say_held_back();
                conversion.reader.cut(fault, &mut conversion.said);
                conversion.pass_on(out);
            }
        }
    }

    /// Turns a whole answer into the client's.
    ///
    /// # Errors
    /// If the server answered with an error, or with what is no answer.
    pub fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        self.over = true;
        match &mut self.conversion {
            None => Ok(body.to_vec()),
            Some(conversion) => conversion.whole(body),
        }
    }

    /// Takes the whole answer of a server that was asked for a stream and sent none; gives bytes of the client's stream.
    pub fn push_whole(&mut self, body: &[u8], out: &mut Vec<u8>) {
        self.over = true;
        match &mut self.conversion {
            None => out.extend_from_slice(body),
            Some(conversion) => {
                conversion.reader.whole(body, &mut conversion.said);
                conversion.pass_on(out);
            }
        }
    }

    /// Returns what to send while nothing is said.
    pub fn keep_alive(&self) -> &'static [u8] {
        match self.conversion.as_ref().map(|conversion| &conversion.writer) {
            Some(ClientWriter::Other(writer)) => writer.keep_alive(),
            Some(ClientWriter::Chat(writer)) => writer.keep_alive(),
            None => b": keepalive\n\n",
        }
    }

    /// Returns what to remember of the answer; nothing before it is over, if it failed, and where nobody may refer to it.
    pub fn stored_answer(&self) -> Option<StoredAnswer> {
        let conversion = self.conversion.as_ref().filter(|conversion| self.over && conversion.client.remembers)?;
        let settled = conversion.settled.clone().or_else(|| match &conversion.writer {
            ClientWriter::Chat(_) => None,
            ClientWriter::Other(writer) => writer.settled(),
        });
        recall::stored_answer(&conversion.client.request, &settled?)
    }

    /// Says whether no more of the server's answer is wanted.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Says whether the client has the end of the answer, or would if it asked.
    pub fn is_said(&self) -> bool {
        self.over || self.conversion.is_none() && self.relay.ended
    }

    /// Returns how many bytes are held back now.
    pub fn held(&self) -> usize {
        match &self.conversion {
            None => self.relay.held(),
            Some(conversion) => {
                self.framing.held() + conversion.bare.as_ref().map_or(0, Join::held) + conversion.normalizer.held()
            }
        }
    }

    /// Returns what the turn was like so far.
    pub fn report(&self) -> Report {
        let Some(conversion) = &self.conversion else {
            return Report { held: self.held(), fault: self.relay.fault.clone(), ..Report::default() };
        };
        let tally = conversion.normalizer.tally();
        Report {
            dialect: tally.dialect.as_deref().map(str::to_owned),
            calls: tally.calls,
            text_calls: tally.text_calls,
            repaired: tally.repaired,
            dropped: tally.dropped,
            left: tally.left,
            diagnostics: tally.diagnostics.clone(),
            held: self.held(),
            begins_inside_reasoning: conversion.normalizer.begins_inside_reasoning(),
            finish: tally.finish.clone(),
            fault: tally.fault.clone(),
            usage: conversion.usage(),
        }
    }
}

/// How much of a failed answer a model is shown again.
const MOST_SPOKEN: usize = 4096;

impl Conversion {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) {
        if !self.glance(frame, out) {
            self.say_held_back();
            match self.refused_answer(frame) {
                Some(answer) => self.reader.frame(&Frame { event: None, data: &answer, raw: &[] }, &mut self.said),
                None => self.reader.frame(frame, &mut self.said),
            }
        }
        self.pass_on(out);
    }

    /// Returns the chunk that a server should have sent in place of an error that refuses what its model wrote.
    fn refused_answer(&self, frame: &Frame<'_>) -> Option<String> {
        let is_error = self.client.upstream == Protocol::Chat && refusals::may_be_refusal(frame.data);
        self.normalizer.settings().filter(|_| is_error).and_then(|wants| refusals::chunk(frame.data, wants))
    }

    /// Takes the frame in which the stream ended: if it is only a part of one, the end of the stream is the fault.
    fn last_frame(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) {
        if !self.glance(frame, out) {
            self.say_held_back();
            self.reader.frame(frame, &mut self.said);
            self.said.retain(|said| !matches!(said, ResponseEvent::Lost));
        }
        self.pass_on(out);
    }

    /// Returns the tokens counted so far.
    fn usage(&self) -> Option<Usage> {
        let mut usage = counted(&self.counted);
        usage.iter_mut().zip(&self.earlier).for_each(|(usage, earlier)| usage.add(earlier));
        usage.or_else(|| self.normalizer.usage().cloned())
    }

    fn fault(&mut self, fault: Fault, out: &mut Vec<u8>) {
        self.say_held_back();
        self.said.push(ResponseEvent::Fault(fault));
        self.pass_on(out);
    }

    /// Writes what was said.
    fn pass_on(&mut self, out: &mut Vec<u8>) {
        self.make_clean();
        for said in self.cleaned.drain(..) {
            match &mut self.writer {
                ClientWriter::Chat(writer) => writer.write(&said, out),
                ClientWriter::Other(writer) => writer.write(&said, out),
            }
        }
        if let ClientWriter::Chat(writer) = &mut self.writer
            && !self.normalizer.is_over()
        {
            writer.settle(out);
        }
    }

    fn make_clean(&mut self) {
        demand::join(&mut self.opening, &mut self.said);
        demand::join(&mut self.bare, &mut self.said);
        for mut said in self.said.drain(..) {
            match &mut said {
                ResponseEvent::Fault(fault) => fault.redact(&self.secrets),
                ResponseEvent::Begin(begin) if self.renamed => begin.model = Some(self.client.model.clone()),
                ResponseEvent::Usage(usage) => self.earlier.iter().for_each(|earlier| usage.add(earlier)),
                ResponseEvent::Part { choice: 0, part: Part::Text(text) } if self.normalizer.demands_call() => {
                    let room = MOST_SPOKEN.saturating_sub(self.spoken.len());
                    let letters = text.char_indices().take_while(|(at, letter)| at + letter.len_utf8() <= room);
                    self.spoken.extend(letters.map(|(_, letter)| letter));
                }
                _ => {}
            }
            self.normalizer.push_event(said, &mut self.cleaned);
        }
    }

    fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        self.normalizer.set_whole();
        self.reader.whole(body, &mut self.said);
        self.make_clean();
        let said = std::mem::take(&mut self.cleaned);
        match said.last() {
            Some(ResponseEvent::Fault(fault)) => Err(fault.clone()),
            _ => {
                let whole = dispatch::whole(self.ingress, &said, &self.client);
                self.settled = self.client.remembers.then(|| String::from_utf8_lossy(&whole).into_owned());
                Ok(whole)
            }
        }
    }
}
