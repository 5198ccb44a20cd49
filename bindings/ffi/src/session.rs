//! A parser with the records of its last step, and the message so far if it is wanted.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem::take;

use toolglot::{Collector, Dialects, Events, Options, Parser, Tools};
use toolglot_json::Value;

use crate::answer;
use crate::fault::Fault;
use crate::record::{TgEvent, TgKind};

/// A parser, what it said last, and what it said so far.
pub(crate) struct Session {
    parser: Parser,
    dialects: Dialects,
    options: Options,
    /// What the next message's ids are made from; of its text if nothing is known.
    seed: Option<u64>,
    records: Vec<TgEvent>,
    /// The message so far and its input, if the caller wants it put together.
    collected: Option<(Collector, Vec<u8>)>,
    finished: bool,
    /// A panic left it in nobody knows what state.
    broken: bool,
}

/// A step of a parser.
pub(crate) enum Step<'i> {
    /// Bytes, cut anywhere.
    Bytes(&'i [u8]),
    /// A special token.
    Special(&'i str),
    /// The end of the message.
    Finish,
}

impl Session {
    pub(crate) fn new(dialects: &Dialects, tools: &Tools, options: &Options) -> Self {
        Self {
            parser: Parser::new(dialects, tools, options),
            dialects: dialects.clone(),
            options: options.clone(),
            seed: options.id_seed().or_else(draw),
            records: Vec::new(),
            collected: None,
            finished: false,
            broken: false,
        }
    }

    /// Puts messages together from now on.
    pub(crate) fn collect(&mut self) {
        if self.collected.is_none() {
            self.collected = Some((self.collector(), Vec::new()));
        }
    }

    fn collector(&self) -> Collector {
        let options = self.options.clone();
        Collector::new(&self.seed.map_or(options.clone(), |seed| options.with_id_seed(seed)))
    }

    /// Takes a step; its records replace those of the step before.
    pub(crate) fn step(&mut self, step: &Step<'_>) -> Result<(), Fault> {
        if self.broken {
            return Err(Fault::Failed("the parser panicked earlier; create a new one".to_owned()));
        }
        self.records.clear();
        // A panic on the way leaves it so.
        self.broken = true;
        if take(&mut self.finished) {
            self.seed = self.seed.map(|seed| seed.wrapping_add(1));
            self.collected = self.collected.is_some().then(|| (self.collector(), Vec::new()));
        }
        let (events, bytes): (Events<'_>, &[u8]) = match step {
            Step::Bytes(bytes) => (self.parser.push_bytes(bytes), bytes),
            Step::Special(token) => (self.parser.push_special(token), token.as_bytes()),
            Step::Finish => (self.parser.finish(), &[]),
        };
        match &mut self.collected {
            Some((collector, input)) => {
                input.extend_from_slice(bytes);
                self.records
                    .extend(events.inspect(|event| collector.add(event)).filter_map(|event| TgEvent::new(&event)));
            }
            None => self.records.extend(events.filter_map(|event| TgEvent::new(&event))),
        }
        (self.finished, self.broken) = (matches!(step, Step::Finish), false);
        Ok(())
    }

    /// Returns the records of the last step.
    pub(crate) fn records(&self) -> &[TgEvent] {
        &self.records
    }

    /// Returns the bytes that end the text or reasoning of the last record, if plain text may follow it.
    pub(crate) fn stop_bytes(&self) -> Option<&[u8; 256]> {
        let last = self.records.last()?;
        matches!(last.kind, TgKind::Text | TgKind::Reasoning).then(|| self.parser.stop_bytes())?
    }

    /// Returns the dialect of the message's first call, or nothing.
    pub(crate) fn dialect(&self) -> &str {
        self.parser.dialect().map(|name| &**name).unwrap_or_default()
    }

    /// Sets why the server ended the current message.
    pub(crate) fn set_finish_reason(&mut self, reason: toolglot::FinishReason) {
        self.parser.set_finish_reason(Some(reason));
        if let Some((collector, _)) = &mut self.collected {
            collector.set_finish_reason(Some(reason));
        }
    }

    /// Returns the message so far as JSON; a finished one includes the near miss, if any.
    pub(crate) fn message(&self) -> Result<Value, Fault> {
        let Some((collector, input)) = &self.collected else {
            return Err(Fault::Failed(
                "this parser does not collect messages; call `tg_parser_collect` first".to_owned(),
            ));
        };
        let mut collector = collector.clone();
        collector.set_dialect(self.parser.dialect().cloned());
        let mut message = collector.finish(input);
        if self.finished {
            message.add_near_miss(input, &self.dialects, self.parser.tools(), &self.options);
        }
        Ok(answer::message(&message))
    }
}

/// Draws a seed. A module has no randomness of its own: who runs it gives one.
fn draw() -> Option<u64> {
    (!cfg!(target_family = "wasm")).then(|| RandomState::new().build_hasher().finish())
}
