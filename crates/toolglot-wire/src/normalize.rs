//! Normalizes an answer: finds calls in text, repairs native calls, and orders everything as the writers expect it.

use std::sync::Arc;

use toolglot::{Dialects, Options};

use crate::chat::request::ChatAsked;
use crate::fault::{Fault, FaultKind};
use crate::policy::{Duplicates, WireLimits};
use crate::report::Report;
use crate::response_event::{Finish, Part, ResponseEvent, ResponseStart};
use crate::suspect::{self, Suspect};
use choice::ChoiceNormalizer;
pub(crate) use choice::LogprobsFate;
use ids::AnswerIds;

mod call_emitter;
mod choice;
mod ids;
mod native;
mod text_reader;

/// The requirements for an answer: those of the client's request and those of the operator's policy.
#[derive(Clone, Debug, Default)]
pub(crate) struct AnswerSettings {
    pub(crate) asked: Arc<ChatAsked>,
    pub(crate) dialects: Dialects,
    pub(crate) options: Options,
    pub(crate) limits: WireLimits,
    pub(crate) duplicates: Duplicates,
    /// Whether text is parsed for calls.
    pub(crate) parse: bool,
    /// Whether the answer is streamed, so that emitted events cannot be retracted.
    pub(crate) streamed: bool,
    pub(crate) reasoning_open: bool,
    /// Whether events that only the server's protocol has are separate blocks, which end the text before them.
    pub(crate) own_blocks: bool,
}

/// The state that the alternatives of an answer share.
#[derive(Default)]
struct AnswerState {
    settings: AnswerSettings,
    ids: AnswerIds,
    report: Report,
    /// The tool of the first call that was emitted.
    first_tool: Option<String>,
    /// Whether the text closed reasoning that it had not opened.
    orphan_closer: bool,
    /// Whether the text contained reasoning, and whether it contained anything else.
    has_reasoning: bool,
    has_text: bool,
    /// The end of the text that was parsed for calls.
    recent_text: String,
    /// The normalized events that the caller has not taken yet. In a whole answer these are all of its events, from
    /// which the events of a failed call are removed.
    out: Vec<ResponseEvent>,
}

impl AnswerState {
    fn count_diagnostic(&mut self, code: &'static str) {
        *self.report.diagnostics.entry(code).or_default() += 1;
    }
}

/// Normalizes one answer.
pub(crate) struct Normalizer {
    state: AnswerState,
    /// The alternatives with the server's numbers, in the order in which they appeared.
    choices: Vec<(usize, ChoiceNormalizer)>,
    begun: bool,
    ended: bool,
}

impl Normalizer {
    /// Returns a normalizer for one answer; ids are generated from the seed.
    pub(crate) fn new(settings: AnswerSettings, seed: u64) -> Self {
        let ids = AnswerIds::new(settings.asked.clone(), seed);
        let state = AnswerState { settings, ids, ..AnswerState::default() };
        Self { state, choices: Vec::new(), begun: false, ended: false }
    }

    /// Returns the settings, which may change before the first event.
    pub(crate) fn settings_mut(&mut self) -> &mut AnswerSettings {
        &mut self.state.settings
    }

    /// Normalizes an event of the server. The caller must not take the events of a whole answer before its end.
    pub(crate) fn push_event(&mut self, event: ResponseEvent) {
        if self.ended {
            return;
        }
        match event {
            ResponseEvent::Begin(begin) => self.begin(begin),
            ResponseEvent::Part { choice, part } => {
                self.begin(ResponseStart::default());
                let at = self.position_or_insert(choice);
                self.choices[at].1.push_part(part, &mut self.state);
                self.end_if_done(at);
            }
            ResponseEvent::Usage(usage) => self.state.report.usage = Some(usage),
            ResponseEvent::Extra(extra) => {
                self.begin(ResponseStart::default());
                self.state.out.push(ResponseEvent::Extra(extra));
            }
            ResponseEvent::Lost => self.handle_loss(),
            ResponseEvent::Fault(fault) => self.fail(fault),
            ResponseEvent::End => self.end(),
        }
    }

    /// Returns the normalized events that the caller has not taken yet.
    pub(crate) fn events(&mut self) -> &mut Vec<ResponseEvent> {
        &mut self.state.out
    }

    /// Reads text; returns whether it can be passed on unchanged, and otherwise emits the result.
    pub(crate) fn pass_text(&mut self, choice: usize, text: &str) -> bool {
        let Some(at) = self.open_position(choice).filter(|at| self.choices[*at].1.has_only_text()) else {
            self.push_event(ResponseEvent::Part { choice, part: Part::Text(text.to_owned()) });
            return false;
        };
        let is_unchanged = self.choices[at].1.pass_text(text, &mut self.state);
        self.end_if_done(at);
        is_unchanged
    }

    /// Reads reasoning from a field of its own; returns whether it can be passed on unchanged. Otherwise nothing is
    /// read.
    pub(crate) fn pass_reasoning(&mut self, choice: usize) -> bool {
        let at = self.open_position(choice).filter(|at| self.choices[*at].1.has_only_text());
        at.inspect(|at| self.choices[*at].1.leave_reasoning()).is_some()
    }

    /// Reads arguments of a call; returns whether they can be passed on unchanged, and otherwise emits the result. The
    /// call is given by the server's number and, if the client knows it, the client's.
    pub(crate) fn pass_arguments(&mut self, choice: usize, (call, number): (usize, Option<usize>), text: &str) -> bool {
        if let Some((at, number)) = self.open_position(choice).zip(number)
            && self.choices[at].1.continues_call(call, number)
        {
            return self.choices[at].1.pass_arguments(text, &mut self.state);
        }
        self.push_event(ResponseEvent::Part { choice, part: Part::Arguments { call, text: text.to_owned() } });
        false
    }

    /// Returns whether the answer may end before the server ends it: after one call, if only one is allowed.
    pub(crate) fn may_end_early(&self) -> bool {
        !self.state.settings.asked.parallel
    }

    /// Returns what would happen to log probabilities that arrive now.
    pub(crate) fn logprobs_fate(&self, choice: usize) -> LogprobsFate {
        self.open_position(choice).map_or(LogprobsFate::Undecided, |at| self.choices[at].1.logprobs_fate())
    }

    /// Returns whether an alternative has the same number for the client; `begins` starts it if it is the next one.
    pub(crate) fn keeps_number(&mut self, choice: usize, begins: bool) -> bool {
        if begins && choice == self.choices.len() && self.begun && !self.ended {
            self.position_or_insert(choice);
        }
        self.position(choice) == Some(choice)
    }

    /// Returns whether the answer has ended.
    pub(crate) fn is_over(&self) -> bool {
        self.ended
    }

    /// Returns what was counted so far.
    pub(crate) fn report(&self) -> &Report {
        &self.state.report
    }

    /// Returns whether the answer contains the required call; none while that is open, or if no call is required.
    /// An answer that failed, was truncated or refused counts as complete, so that it is not requested again.
    pub(crate) fn meets_demand(&self) -> Option<bool> {
        let AnswerState { settings, report, first_tool, .. } = &self.state;
        let demand = settings.asked.demand.as_ref()?;
        if let Some(first) = first_tool {
            // The events of a broken call are removed from a whole answer again.
            let is_emitted = settings.streamed || !self.ended || report.calls > 0;
            return Some(demand.is_met_by(first) && is_emitted || self.was_truncated());
        }
        self.ended.then(|| self.was_truncated())
    }

    /// Returns the text if no call was found in it although it looks as if it contained one.
    pub(crate) fn suspect(&self) -> Option<Suspect> {
        let AnswerState { settings, report, recent_text, .. } = &self.state;
        let is_candidate = settings.parse && report.calls == 0 && report.fault.is_none();
        (is_candidate && suspect::has_signs(recent_text)).then(|| Suspect {
            text: recent_text.clone(),
            dialects: settings.dialects.clone(),
            tools: settings.asked.tools.clone(),
            options: settings.options.clone().with_reasoning_open(settings.reasoning_open),
        })
    }

    /// Returns the settings of an answer that is parsed for calls, until the first call is found.
    pub(crate) fn settings(&self) -> Option<&AnswerSettings> {
        Some(&self.state.settings).filter(|settings| settings.parse && self.state.first_tool.is_none())
    }

    /// Returns whether the answer must contain a call.
    pub(crate) fn demands_call(&self) -> bool {
        self.state.settings.asked.demand.is_some()
    }

    /// Returns whether the text began inside reasoning; none if that is unknown, as in a truncated answer.
    pub(crate) fn begins_inside_reasoning(&self) -> Option<bool> {
        let AnswerState { settings, report, has_reasoning, has_text, orphan_closer, .. } = &self.state;
        let is_done = matches!(report.finish, Some(Finish::Stop | Finish::ToolCalls));
        let has_more = *has_text || report.calls > 0;
        match (settings.reasoning_open, *has_reasoning) {
            _ if *orphan_closer => Some(true),
            (true, true) if has_more => Some(true),
            // A model that was done would have closed it.
            (true, true) if is_done => Some(false),
            (false, false) if has_more && is_done => Some(false),
            _ => None,
        }
    }

    fn was_truncated(&self) -> bool {
        let report = &self.state.report;
        report.fault.is_some() || report.finish.as_ref().is_some_and(Finish::is_cut)
    }

    /// Returns the number of bytes that wait until it is known what they are.
    pub(crate) fn held(&self) -> usize {
        self.choices.iter().map(|(_, choice)| choice.held()).sum()
    }

    fn begin(&mut self, begin: ResponseStart) {
        if !std::mem::replace(&mut self.begun, true) {
            // These counts are reported if the answer breaks off.
            let usage = &mut self.state.report.usage;
            *usage = begin.usage.clone().or(usage.take());
            self.state.out.push(ResponseEvent::Begin(begin));
        }
    }

    /// Returns the position of an alternative, which is its number for the client.
    fn position(&self, choice: usize) -> Option<usize> {
        self.choices.iter().position(|(number, _)| *number == choice)
    }

    fn open_position(&self, choice: usize) -> Option<usize> {
        self.position(choice).filter(|_| !self.ended)
    }

    fn position_or_insert(&mut self, choice: usize) -> usize {
        self.position(choice).unwrap_or_else(|| {
            self.choices.push((choice, ChoiceNormalizer::new(self.choices.len())));
            self.choices.len() - 1
        })
    }

    /// Ends the answer if a call of this alternative failed, or if all alternatives have the only call that is allowed.
    fn end_if_done(&mut self, at: usize) {
        if let Some(fault) = self.choices[at].1.emitter.fault.take() {
            return self.end_with(fault);
        }
        // A whole answer is not ended early: its token counts are still to come.
        let is_done = self.state.settings.streamed
            && self.choices.len() >= self.state.settings.asked.alternatives.max(1)
            && self.choices.iter().all(|(_, choice)| choice.emitter.has_enough);
        if is_done {
            self.end();
        }
    }

    /// Counts a lost event; if a call is open, the call and the answer fail.
    fn handle_loss(&mut self) {
        self.state.count_diagnostic("damaged_stream");
        // Text may lack a piece; arguments that lack one may still be valid, and do something else.
        if self.choices.iter().any(|(_, choice)| choice.is_inside_call()) {
            let message = "the model server's stream is corrupted inside a call";
            self.fail(Fault::new(FaultKind::Upstream, message).with_code("tool_call_broken"));
        }
    }

    /// Emits text that is held back, then ends the answer with the fault.
    fn fail(&mut self, fault: Fault) {
        self.begin(ResponseStart::default());
        for (_, choice) in &mut self.choices {
            choice.flush_text(&mut self.state);
        }
        self.end_with(fault);
    }

    fn end_with(&mut self, fault: Fault) {
        self.ended = true;
        self.state.report.fault = Some(fault.clone());
        self.state.out.push(ResponseEvent::Fault(fault));
    }

    fn end(&mut self) {
        self.begin(ResponseStart::default());
        if self.choices.is_empty() {
            self.position_or_insert(0);
        }
        for at in 0..self.choices.len() {
            self.choices[at].1.end(&mut self.state);
            if let Some(fault) = self.choices[at].1.emitter.fault.take() {
                return self.end_with(fault);
            }
        }
        self.ended = true;
        self.state.out.extend(self.state.report.usage.clone().map(ResponseEvent::Usage));
        self.state.out.push(ResponseEvent::End);
    }
}

#[cfg(test)]
mod tests;
