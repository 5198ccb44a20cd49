//! Makes what a server said clean: calls out of text, native calls put right, everything in the order writers rely on.

use std::collections::HashSet;
use std::sync::Arc;

use toolglot::{Dialects, Options, Tools};

use crate::demand::Demand;
use crate::fault::{Fault, FaultKind};
use crate::policy::{Duplicates, WireLimits};
use crate::report::Report;
use crate::response_event::{Finish, Part, ResponseEvent, ResponseStart};
use crate::suspect::{self, Suspect};
use choice::ChoiceNormalizer;
pub(crate) use choice::TokenFate;
use ids::AnswerIds;

mod call_emitter;
mod choice;
mod ids;
mod native;
mod text_reader;

/// What the client's request and the operator's policy want of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerSettings {
    pub(crate) dialects: Dialects,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
    pub(crate) limits: WireLimits,
    pub(crate) duplicates: Duplicates,
    /// Text is read for calls.
    pub(crate) parse: bool,
    /// Calls are wanted at all.
    pub(crate) calls: bool,
    /// More than one call is wanted.
    pub(crate) parallel: bool,
    /// Tools whose input is free text, although the server knows them as functions.
    pub(crate) custom: Arc<HashSet<String>>,
    /// The ids of earlier calls.
    pub(crate) used: Arc<HashSet<String>>,
    /// How many alternatives were asked for.
    pub(crate) alternatives: usize,
    /// The answer has to hold a call.
    pub(crate) demand: Option<Demand>,
    /// The answer is streamed, so that nothing can be taken back.
    pub(crate) streamed: bool,
    pub(crate) reasoning_open: bool,
    /// What only the server's protocol knows are blocks of their own, which end the text before them.
    pub(crate) own_blocks: bool,
}

/// What the alternatives of an answer share.
#[derive(Default)]
struct SharedByChoices {
    wants: AnswerSettings,
    ids: AnswerIds,
    report: Report,
    /// The tool of the first call that was begun.
    first: Option<String>,
    /// The text closed reasoning that it had not opened.
    orphan_closer: bool,
    /// The text held reasoning; it held anything else.
    thought: bool,
    spoke: bool,
    /// The end of the text that was read for calls.
    read: String,
    /// The normalized events that the caller has not taken yet; in a whole answer, all of them.
    out: Vec<ResponseEvent>,
}

impl SharedByChoices {
    /// Counts a diagnostic.
    fn count(&mut self, code: &'static str) {
        *self.report.diagnostics.entry(code).or_default() += 1;
    }
}

/// Makes one answer clean.
pub(crate) struct Normalizer {
    shared: SharedByChoices,
    /// The alternatives by the server's numbers, in the order in which they appeared.
    choices: Vec<(usize, ChoiceNormalizer)>,
    begun: bool,
    ended: bool,
}

impl Normalizer {
    /// Returns what cleans one answer; ids are made from the seed.
    pub(crate) fn new(wants: AnswerSettings, seed: u64) -> Self {
        let ids = AnswerIds::new(wants.used.clone(), seed);
        let shared = SharedByChoices { wants, ids, ..SharedByChoices::default() };
        Self { shared, choices: Vec::new(), begun: false, ended: false }
    }

    /// Says that the prompt opened a reasoning region.
    pub(crate) fn set_reasoning_open(&mut self, open: bool) {
        self.shared.wants.reasoning_open = open;
    }

    /// Says that the answer comes whole, so that a call that fails need not be said at all.
    pub(crate) fn set_whole(&mut self) {
        self.shared.wants.streamed = false;
    }

    /// Takes what the server said and says it clean. In a whole answer, `events` has to hold all that was said before.
    pub(crate) fn push_event(&mut self, said: ResponseEvent) {
        if self.ended {
            return;
        }
        match said {
            ResponseEvent::Begin(begin) => self.begin(begin),
            ResponseEvent::Part { choice, part } => {
                self.begin(ResponseStart::default());
                let at = self.place(choice);
                self.choices[at].1.part(part, &mut self.shared);
                self.look(at);
            }
            ResponseEvent::Usage(usage) => self.shared.report.usage = Some(usage),
            ResponseEvent::Extra(extra) => {
                self.begin(ResponseStart::default());
                self.shared.out.push(ResponseEvent::Extra(extra));
            }
            ResponseEvent::Lost => self.lose(),
            ResponseEvent::Fault(fault) => self.fail(fault),
            ResponseEvent::End => self.end(),
        }
    }

    /// Reads text that may be passed on unchanged; returns whether it is, and otherwise emits the result.
    pub(crate) fn passes(&mut self, choice: usize, text: &str) -> bool {
        let Some(at) = self.open_choice(choice).filter(|at| self.choices[*at].1.is_plain()) else {
            self.push_event(ResponseEvent::Part { choice, part: Part::Text(text.to_owned()) });
            return false;
        };
        let passes = self.choices[at].1.passes(text, &mut self.shared);
        self.look(at);
        passes
    }

    /// Says whether the answer may end before the server says so: with one call, if no more are wanted.
    pub(crate) fn may_have_enough(&self) -> bool {
        !self.shared.wants.parallel
    }

    /// Says what would become of log probabilities that come now.
    pub(crate) fn token_fate(&self, choice: usize) -> TokenFate {
        self.open_choice(choice).map_or(TokenFate::Open, |at| self.choices[at].1.token_fate())
    }

    /// Says whether reasoning that the server separates from text may be passed on unchanged.
    pub(crate) fn passes_reasoning(&mut self, choice: usize) -> bool {
        let at = self.open_choice(choice).filter(|at| self.choices[*at].1.is_plain());
        at.is_some_and(|at| self.choices[at].1.passes_reasoning())
    }

    /// Reads arguments of a call that may be passed on unchanged if its number is the same for the client; says whether they
    /// do, or else says what became of them.
    pub(crate) fn passes_arguments(
        &mut self,
        choice: usize,
        (call, number): (usize, Option<usize>),
        text: &str,
    ) -> bool {
        if let Some((at, number)) = self.open_choice(choice).zip(number)
            && self.choices[at].1.continues_call(call, number)
        {
            return self.choices[at].1.passes_arguments(text, &mut self.shared);
        }
        self.push_event(ResponseEvent::Part { choice, part: Part::Arguments { call, text: text.to_owned() } });
        false
    }

    /// Says whether an alternative has the number that the server gave it; with text, one may begin that is next.
    pub(crate) fn knows(&mut self, choice: usize, begins: bool) -> bool {
        if begins && choice == self.choices.len() && self.begun && !self.ended && self.number(choice).is_none() {
            self.place(choice);
        }
        self.number(choice) == Some(choice)
    }

    /// Returns the clean number of an alternative, if it has begun.
    fn number(&self, choice: usize) -> Option<usize> {
        self.choices.iter().position(|(number, _)| *number == choice)
    }

    /// Returns the clean number of an alternative that has begun, unless the answer is over.
    fn open_choice(&self, choice: usize) -> Option<usize> {
        self.number(choice).filter(|_| !self.ended)
    }

    /// Returns the normalized events that the caller has not taken yet.
    pub(crate) fn events(&mut self) -> &mut Vec<ResponseEvent> {
        &mut self.shared.out
    }

    /// Says whether nothing more will be said.
    pub(crate) fn is_over(&self) -> bool {
        self.ended
    }

    /// Returns what was counted so far.
    pub(crate) fn report(&self) -> &Report {
        &self.shared.report
    }

    /// Says whether the answer holds the call that it has to hold; nothing while that is open, or if it need not hold one.
    /// An answer that failed, was cut off or refused is not asked for again.
    pub(crate) fn meets_demand(&self) -> Option<bool> {
        let SharedByChoices { wants, report, first, .. } = &self.shared;
        let demand = wants.demand.as_ref()?;
        if let Some(first) = first {
            let is_made = wants.streamed || !self.ended || report.calls > 0;
            return Some(demand.is_met_by(first) && is_made || self.was_cut());
        }
        self.ended.then(|| self.was_cut())
    }

    /// Returns the text in which no call was read, if it may look as if it held one.
    pub(crate) fn suspect(&self) -> Option<Suspect> {
        let SharedByChoices { wants, report, read, .. } = &self.shared;
        let is_missed = wants.parse && report.calls == 0 && report.fault.is_none() && suspect::has_signs(read);
        is_missed.then(|| Suspect {
            text: read.clone(),
            dialects: wants.dialects.clone(),
            tools: wants.tools.clone(),
            options: wants.options.clone().with_reasoning_open(wants.reasoning_open),
        })
    }

    /// Returns what is wanted of an answer that is read for calls and holds none so far.
    pub(crate) fn settings(&self) -> Option<&AnswerSettings> {
        Some(&self.shared.wants).filter(|wants| wants.parse && self.shared.first.is_none())
    }

    /// Says whether the answer has to hold a call.
    pub(crate) fn demands_call(&self) -> bool {
        self.shared.wants.demand.is_some()
    }

    /// Says whether the text began inside reasoning; nothing if it does not tell, as one that was cut does not.
    pub(crate) fn begins_inside_reasoning(&self) -> Option<bool> {
        let SharedByChoices { wants, report, thought, spoke, .. } = &self.shared;
        let is_done = matches!(report.finish, Some(Finish::Stop | Finish::ToolCalls));
        let says_more = *spoke || report.calls > 0;
        match (wants.reasoning_open, *thought) {
            _ if self.shared.orphan_closer => Some(true),
            (true, true) if says_more => Some(true),
            // Nothing closed it although the model was done.
            (true, true) if is_done => Some(false),
            (false, false) if says_more && is_done => Some(false),
            _ => None,
        }
    }

    fn was_cut(&self) -> bool {
        let report = &self.shared.report;
        report.fault.is_some() || matches!(report.finish, Some(Finish::Length | Finish::ContentFilter))
    }

    /// Returns how many bytes of text wait until it is clear what they are.
    pub(crate) fn held(&self) -> usize {
        self.choices.iter().map(|(_, choice)| choice.held()).sum()
    }

    fn begin(&mut self, begin: ResponseStart) {
        if !std::mem::replace(&mut self.begun, true) {
            let usage = &mut self.shared.report.usage;
            *usage = begin.usage.clone().or(usage.take());
            self.shared.out.push(ResponseEvent::Begin(begin));
        }
    }

    fn place(&mut self, choice: usize) -> usize {
        self.number(choice).unwrap_or_else(|| {
            self.choices.push((choice, ChoiceNormalizer::new(self.choices.len())));
            self.choices.len() - 1
        })
    }

    /// Looks whether a call failed, or whether all that is wanted has been said.
    fn look(&mut self, at: usize) {
        if let Some(fault) = self.choices[at].1.take_fault() {
            return self.end_with(fault);
        }
        // A whole answer is there already, its counts too.
        let enough = self.shared.wants.streamed
            && self.choices.len() >= self.shared.wants.alternatives.max(1)
            && self.choices.iter().all(|(_, choice)| choice.has_enough());
        if enough {
            self.end();
        }
    }

    /// Handles a lost piece: inside a call, the call fails; elsewhere, the loss is counted.
    fn lose(&mut self) {
        self.shared.count("damaged_stream");
        if self.choices.iter().any(|(_, choice)| choice.is_inside_call()) {
            let message = "the model server's stream is corrupted inside a call";
            self.fail(Fault::new(FaultKind::Upstream, message).with_code("tool_call_broken"));
        }
    }

    /// Ends the answer with what no call is any more, and the fault.
    fn fail(&mut self, fault: Fault) {
        self.begin(ResponseStart::default());
        for (_, choice) in &mut self.choices {
            choice.give_up(&mut self.shared);
        }
        self.end_with(fault);
    }

    fn end_with(&mut self, fault: Fault) {
        self.ended = true;
        self.shared.report.fault = Some(fault.clone());
        self.shared.out.push(ResponseEvent::Fault(fault));
    }

    fn end(&mut self) {
        self.begin(ResponseStart::default());
        if self.choices.is_empty() {
            self.place(0);
        }
        for at in 0..self.choices.len() {
            self.choices[at].1.end(&mut self.shared);
            if let Some(fault) = self.choices[at].1.take_fault() {
                return self.end_with(fault);
            }
        }
        self.ended = true;
        self.shared.out.extend(self.shared.report.usage.clone().map(ResponseEvent::Usage));
        self.shared.out.push(ResponseEvent::End);
    }
}

#[cfg(test)]
mod tests;
