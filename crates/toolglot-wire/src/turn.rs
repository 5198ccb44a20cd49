//! One answer of a model server on its way to the client.

use std::collections::BTreeMap;

use crate::chat::glance::{Kind, Moulds};
use crate::chat::write::Writer as ChatWriter;
use crate::clean::{Clean, Wants};
use crate::fault::{Fault, FaultKind};
use crate::messages;
use crate::policy::WireLimits;
use crate::port::{self, Client, Read, Write};
use crate::protocol::Protocol;
use crate::recall::{self, Memento};
use crate::relay::Relay;
use crate::responses;
use crate::said::{Finish, Part, Said, Usage};
use crate::secrets::Secrets;
use crate::sse::{Frame, SseReader};

/// How the bytes of an answer ended.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::exhaustive_enums, reason = "there is no third way")]
pub enum Ended {
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
    /// Text held the closer of a reasoning region that nothing had opened: the prompt opens it.
    pub orphan_reasoning_closer: bool,
    /// The model was done and all of its text was reasoning, which nothing closed: the prompt may not have opened any.
    pub all_reasoning: bool,
    /// Why the first alternative ended.
    pub finish: Option<Finish>,
    /// The error that the answer ended with.
    pub fault: Option<Fault>,
    /// Tokens, if the server counted them.
    pub usage: Option<Usage>,
}

/// Turns the bytes of one answer into bytes for the client.
pub struct Turn {
    sse: SseReader,
    /// Nothing if the bytes go on as they are.
    way: Option<Box<Way>>,
    relay: Relay,
    over: bool,
}

/// The way of what is said from the server's protocol to the client's.
struct Way {
    ingress: Protocol,
    client: Client,
    /// The client calls the model by another name than the server.
    renamed: bool,
    reader: Box<dyn Read>,
    clean: Clean,
    writer: Out,
    moulds: Moulds,
    said: Vec<Said>,
    cleaned: Vec<Said>,
    /// The whole answer, if later requests may refer to it and it was not streamed.
    settled: Option<String>,
    secrets: Secrets,
}

/// The client's writer; chunks between the same protocol may take a shorter way.
enum Out {
    Chat(Box<ChatWriter>),
    Other(Box<dyn Write>),
}

impl Turn {
    /// Returns a turn whose bytes go on as they are, in the protocol of the client and the server: of a stream that does not
    /// end as it should, an error is the end.
    pub fn relay(protocol: Protocol, limits: &WireLimits) -> Self {
        Self { sse: SseReader::new(limits), way: None, relay: Relay::new(protocol, limits.line), over: false }
    }

    pub(crate) fn new(ingress: Protocol, client: Client, wants: Wants, renamed: bool, limits: &WireLimits) -> Self {
        let writer = match ingress {
            Protocol::Chat => Out::Chat(Box::new(ChatWriter::new(client.clone()))),
            Protocol::Responses => Out::Other(Box::new(responses::Writer::new(client.clone()))),
            Protocol::Messages => Out::Other(Box::new(messages::Writer::new(client.clone()))),
        };
        let way = Way {
            ingress,
            renamed,
            reader: port::reader(client.upstream, limits),
            clean: Clean::new(wants, client.seed),
            writer,
            moulds: Moulds::default(),
            said: Vec::new(),
            cleaned: Vec::new(),
            settled: None,
            secrets: Secrets::default(),
            client,
        };
        Self { way: Some(Box::new(way)), ..Self::relay(ingress, limits) }
    }

    /// Keys that are taken out of errors before anybody sees them.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Secrets) -> Self {
        match &mut self.way {
            Some(way) => way.secrets = secrets,
            None => self.relay.secrets = secrets,
        }
        self
    }

    /// Says whether the bytes go on as they are.
    pub fn is_relay(&self) -> bool {
        self.way.is_none()
    }

    /// Whether the prompt opened a reasoning region, so that the answer begins inside it.
    #[must_use]
    pub fn with_reasoning_open(mut self, reasoning_open: bool) -> Self {
        if let Some(way) = &mut self.way {
            way.clean.set_reasoning_open(reasoning_open);
        }
        self
    }

    /// Takes bytes of the server's stream, gives bytes of the client's.
    pub fn push(&mut self, upstream_bytes: &[u8], out: &mut Vec<u8>) {
        if self.over {
            return;
        }
        let Some(way) = &mut self.way else { return self.relay.push(upstream_bytes, out) };
        self.sse.push(upstream_bytes);
        while let Some(frame) = self.sse.next_frame() {
            match frame {
                Ok(frame) => way.frame(&frame, out),
                Err(fault) => way.fault(fault, out),
            }
        }
        self.over = way.clean.is_over();
    }

    /// Ends the stream.
    pub fn finish(&mut self, ended: Ended, out: &mut Vec<u8>) {
        let early = || Fault::new(FaultKind::Upstream, "the model server's answer ended before it was finished");
        let fault = match ended {
            Ended::Over => early().with_code("upstream_ended_early"),
            Ended::Cut(fault) => fault,
        };
        if self.over {
            return;
        }
        self.over = true;
        match &mut self.way {
            None => self.relay.finish(fault, out),
            Some(way) => {
                if let Some(frame) = self.sse.finish() {
                    way.frame(&frame, out);
                }
                way.reader.cut(fault, &mut way.said);
                way.pass_on(out);
            }
        }
    }

    /// Turns a whole answer into the client's.
    ///
    /// # Errors
    /// If the server answered with an error, or with what is no answer.
    pub fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        self.over = true;
        match &mut self.way {
            None => Ok(body.to_vec()),
            Some(way) => way.whole(body),
        }
    }

    /// Takes the whole answer of a server that was asked for a stream and sent none; gives bytes of the client's stream.
    pub fn push_whole(&mut self, body: &[u8], out: &mut Vec<u8>) {
        self.over = true;
        match &mut self.way {
            None => out.extend_from_slice(body),
            Some(way) => {
                way.reader.whole(body, &mut way.said);
                way.pass_on(out);
            }
        }
    }

    /// Returns what to send while nothing is said.
    pub fn keep_alive(&self) -> &'static [u8] {
        match self.way.as_ref().map(|way| &way.writer) {
            Some(Out::Other(writer)) => writer.keep_alive(),
            Some(Out::Chat(writer)) => writer.keep_alive(),
            None => b": keepalive\n\n",
        }
    }

    /// Returns what to remember of the answer; nothing before it is over, if it failed, and where nobody may refer to it.
    pub fn memento(&self) -> Option<Memento> {
        let way = self.way.as_ref().filter(|way| self.over && way.client.remembers)?;
        let settled = way.settled.clone().or_else(|| match &way.writer {
            Out::Chat(_) => None,
            Out::Other(writer) => writer.settled(),
        });
        recall::memento(&way.client.request, &settled?)
    }

    /// Says whether no more of the server's answer is wanted.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Says whether the client has the end of the answer, or would if it asked.
    pub fn is_said(&self) -> bool {
        self.over || self.way.is_none() && self.relay.is_ended()
    }

    /// Returns what the turn was like so far.
    pub fn report(&self) -> Report {
        let Some(way) = &self.way else {
            return Report { held: self.relay.held(), fault: self.relay.fault.clone(), ..Report::default() };
        };
        let tally = way.clean.tally();
        Report {
            dialect: tally.dialect.as_deref().map(str::to_owned),
            calls: tally.calls,
            text_calls: tally.text_calls,
            repaired: tally.repaired,
            dropped: tally.dropped,
            left: tally.left,
            diagnostics: tally.diagnostics.clone(),
            held: self.sse.held() + way.clean.held(),
            orphan_reasoning_closer: tally.orphan_closer,
            all_reasoning: tally.thought && !tally.spoke && tally.calls == 0 && tally.finish == Some(Finish::Stop),
            finish: tally.finish.clone(),
            fault: tally.fault.clone(),
            usage: way.clean.usage().cloned(),
        }
    }
}

impl Way {
    fn frame(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) {
        if !self.glance(frame, out) {
            self.reader.frame(frame, &mut self.said);
        }
        self.pass_on(out);
    }

    /// Lets a chunk that adds one piece go on as it came if it may; says whether it was dealt with.
    fn glance(&mut self, frame: &Frame<'_>, out: &mut Vec<u8>) -> bool {
        let Out::Chat(writer) = &self.writer else { return false };
        let Some(chunk) = self.moulds.look(frame, writer.envelope()) else { return false };
        let (choice, text) = (chunk.choice, &*chunk.text);
        let begins = !matches!(chunk.kind, Kind::Arguments(_));
        if text.is_empty() || !writer.is_under_way(choice) || !self.clean.knows(choice, begins) {
            return false;
        }
        // Log probabilities have to be known before their text, of which a part may be held back.
        let says_more = self.moulds.says_more(frame, &chunk);
        let probable = says_more && chunk.kind == Kind::Text && frame.data.contains("\"logprobs\"");
        let passes = match chunk.kind {
            Kind::Text if probable => {
                self.besides_text(frame);
                self.make_clean();
                self.clean.passes(choice, text, &mut self.cleaned)
            }
            Kind::Text => self.clean.passes(choice, text, &mut self.cleaned),
            Kind::Reasoning(field) => {
                if !writer.reasons_in(field) || !self.clean.passes_reasoning(choice) {
                    return false;
                }
                true
            }
            // What else such a chunk says could not be told from what has been read of it.
            Kind::Arguments(_) if says_more => return false,
            Kind::Arguments(index) => {
                let Some(call) = self.reader.goes_on(choice, index, text) else { return false };
                let number = writer.function(index);
                self.clean.passes_arguments(choice, (call, number), text, &mut self.cleaned)
            }
        };
        if passes {
            self.cleaned.clear();
            out.extend_from_slice(frame.raw);
            if let (Out::Chat(writer), Kind::Text) = (&mut self.writer, chunk.kind) {
                writer.passed(choice);
            }
        } else if says_more && !probable {
            self.besides_text(frame);
        }
        true
    }

    /// Reads what a chunk says besides its text.
    fn besides_text(&mut self, frame: &Frame<'_>) {
        self.reader.frame(frame, &mut self.said);
        self.said.retain(|said| !matches!(said, Said::Part { part: Part::Text(_), .. }));
    }

    fn fault(&mut self, fault: Fault, out: &mut Vec<u8>) {
        self.said.push(Said::Fault(fault));
        self.pass_on(out);
    }

    /// Writes what was said.
    fn pass_on(&mut self, out: &mut Vec<u8>) {
        self.make_clean();
        for said in self.cleaned.drain(..) {
            match &mut self.writer {
                Out::Chat(writer) => writer.write(&said, out),
                Out::Other(writer) => writer.write(&said, out),
            }
        }
        if let Out::Chat(writer) = &mut self.writer
            && !self.clean.is_over()
        {
            writer.settle(out);
        }
    }

    fn make_clean(&mut self) {
        for mut said in self.said.drain(..) {
            if let Said::Fault(fault) = &mut said {
                fault.blot(&self.secrets);
            }
            if let Said::Begin(begin) = &mut said
                && self.renamed
            {
                begin.model = Some(self.client.model.clone());
            }
            self.clean.say(said, &mut self.cleaned);
        }
    }

    fn whole(&mut self, body: &[u8]) -> Result<Vec<u8>, Fault> {
        self.clean.set_whole();
        self.reader.whole(body, &mut self.said);
        self.make_clean();
        let said = std::mem::take(&mut self.cleaned);
        match said.last() {
            Some(Said::Fault(fault)) => Err(fault.clone()),
            _ => {
                let whole = port::whole(self.ingress, &said, &self.client);
                self.settled = self.client.remembers.then(|| String::from_utf8_lossy(&whole).into_owned());
                Ok(whole)
            }
        }
    }
}
