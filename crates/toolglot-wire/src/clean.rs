//! Makes what a server said clean: calls out of text, native calls put right, everything in the order writers rely on.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use toolglot::{Dialects, Options, Tools};

use crate::fault::Fault;
use crate::policy::WireLimits;
use crate::said::{Begin, Finish, Part, Said, Usage};
use choice::Choice;
use ids::Ids;

mod choice;
mod ids;
mod native;
mod speech;
mod voice;

/// What the client's request and the operator's policy want of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wants {
    pub(crate) dialects: Dialects,
    pub(crate) tools: Tools,
    pub(crate) options: Options,
    pub(crate) limits: WireLimits,
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
    /// The answer is streamed, so that nothing can be taken back.
    pub(crate) streamed: bool,
    pub(crate) reasoning_open: bool,
    /// What only the server's protocol knows are blocks of their own, which end the text before them.
    pub(crate) own_blocks: bool,
}

/// What was counted on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) dialect: Option<Arc<str>>,
    pub(crate) calls: usize,
    pub(crate) text_calls: usize,
    pub(crate) repaired: usize,
    pub(crate) dropped: usize,
    pub(crate) left: usize,
    pub(crate) diagnostics: BTreeMap<&'static str, usize>,
    pub(crate) orphan_closer: bool,
    /// The text held reasoning; it held anything else.
    pub(crate) thought: bool,
    pub(crate) spoke: bool,
    pub(crate) finish: Option<Finish>,
    /// The error that the answer ended with.
    pub(crate) fault: Option<Fault>,
}

/// What the alternatives of an answer share.
struct Shared {
    wants: Wants,
    ids: Ids,
    tally: Tally,
}

/// Makes one answer clean.
pub(crate) struct Clean {
    shared: Shared,
    /// The alternatives by the server's numbers, in the order in which they appeared.
    choices: Vec<(usize, Choice)>,
    usage: Option<Usage>,
    begun: bool,
    ended: bool,
}

impl Clean {
    /// Returns what cleans one answer; ids are made from the seed.
    pub(crate) fn new(wants: Wants, seed: u64) -> Self {
        let ids = Ids::new(wants.used.clone(), seed);
        let shared = Shared { wants, ids, tally: Tally::default() };
        Self { shared, choices: Vec::new(), usage: None, begun: false, ended: false }
    }

    /// Says that the prompt opened a reasoning region.
    pub(crate) fn set_reasoning_open(&mut self, open: bool) {
        self.shared.wants.reasoning_open = open;
    }

    /// Says that the answer comes whole, so that a call that fails need not be said at all.
    pub(crate) fn set_whole(&mut self) {
        self.shared.wants.streamed = false;
    }

    /// Takes what the server said and says it clean. In a whole answer `out` has to hold all that was said before.
    pub(crate) fn say(&mut self, said: Said, out: &mut Vec<Said>) {
        if self.ended {
            return;
        }
        match said {
            Said::Begin(begin) => self.begin(begin, out),
            Said::Part { choice, part } => {
                self.begin(Begin::default(), out);
                let at = self.place(choice);
                self.choices[at].1.part(part, &mut self.shared, out);
                self.look(at, out);
            }
            Said::Usage(usage) => self.usage = Some(usage),
            Said::Extra(extra) => {
                self.begin(Begin::default(), out);
                out.push(Said::Extra(extra));
            }
            Said::Fault(fault) => self.fail(fault, out),
            Said::End => self.end(out),
        }
    }

    /// Reads text that may go on as it came; says whether it does, or else says what became of it.
    pub(crate) fn passes(&mut self, choice: usize, text: &str, out: &mut Vec<Said>) -> bool {
        match self.choices.iter_mut().find(|(number, _)| *number == choice) {
            Some((_, found)) if !self.ended && found.is_plain() => {
                let passes = found.passes(text, &mut self.shared, out);
                let at = self.place(choice);
                self.look(at, out);
                passes
            }
            _ => {
                self.say(Said::Part { choice, part: Part::Text(text.to_owned()) }, out);
                false
            }
        }
    }

    /// Says whether reasoning that the server tells from text may go on as it came.
    pub(crate) fn passes_reasoning(&mut self, choice: usize) -> bool {
        let found = self.choices.iter_mut().find(|(number, _)| *number == choice);
        !self.ended && found.is_some_and(|(_, found)| found.is_plain() && found.passes_reasoning())
    }

    /// Reads arguments of a call that may go on as they came if the client knows it by the number, too; says whether they
    /// do, or else says what became of them.
    pub(crate) fn passes_arguments(
        &mut self,
        choice: usize,
        (call, number): (usize, Option<usize>),
        text: &str,
        out: &mut Vec<Said>,
    ) -> bool {
        let found = self.choices.iter_mut().find(|(number, _)| *number == choice).filter(|_| !self.ended);
        if let Some(((_, found), number)) = found.zip(number)
            && found.goes_on(call, number)
        {
            return found.passes_arguments(text, &mut self.shared, out);
        }
        self.say(Said::Part { choice, part: Part::Arguments { call, text: text.to_owned() } }, out);
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

    /// Says whether nothing more will be said.
    pub(crate) fn is_over(&self) -> bool {
        self.ended
    }

    /// Returns what was counted so far.
    pub(crate) fn tally(&self) -> &Tally {
        &self.shared.tally
    }

    /// Returns the tokens counted so far.
    pub(crate) fn usage(&self) -> Option<&Usage> {
        self.usage.as_ref()
    }

    /// Returns how many bytes of text wait until it is clear what they are.
    pub(crate) fn held(&self) -> usize {
        self.choices.iter().map(|(_, choice)| choice.held()).sum()
    }

    fn begin(&mut self, begin: Begin, out: &mut Vec<Said>) {
        if !std::mem::replace(&mut self.begun, true) {
            self.usage = begin.usage.clone().or(self.usage.take());
            out.push(Said::Begin(begin));
        }
    }

    fn place(&mut self, choice: usize) -> usize {
        self.number(choice).unwrap_or_else(|| {
            self.choices.push((choice, Choice::new(self.choices.len())));
            self.choices.len() - 1
        })
    }

    /// Looks whether a call failed, or whether all that is wanted has been said.
    fn look(&mut self, at: usize, out: &mut Vec<Said>) {
        if let Some(fault) = self.choices[at].1.take_fault() {
            return self.end_with(fault, out);
        }
        // A whole answer is there already, its counts too.
        let enough = self.shared.wants.streamed
            && self.choices.len() >= self.shared.wants.alternatives.max(1)
            && self.choices.iter().all(|(_, choice)| choice.has_enough());
        if enough {
            self.end(out);
        }
    }

    /// Ends the answer with what no call is any more, and the fault.
    fn fail(&mut self, fault: Fault, out: &mut Vec<Said>) {
        self.begin(Begin::default(), out);
        for (_, choice) in &mut self.choices {
            choice.give_up(&mut self.shared, out);
        }
        self.end_with(fault, out);
    }

    fn end_with(&mut self, fault: Fault, out: &mut Vec<Said>) {
        self.ended = true;
        self.shared.tally.fault = Some(fault.clone());
        out.push(Said::Fault(fault));
    }

    fn end(&mut self, out: &mut Vec<Said>) {
        self.begin(Begin::default(), out);
        if self.choices.is_empty() {
            self.place(0);
        }
        for at in 0..self.choices.len() {
            self.choices[at].1.part(Part::Finish(Finish::Stop), &mut self.shared, out);
            if let Some(fault) = self.choices[at].1.take_fault() {
                return self.end_with(fault, out);
            }
        }
        self.ended = true;
        out.extend(self.usage.clone().map(Said::Usage));
        out.push(Said::End);
    }
}

#[cfg(test)]
mod tests;
