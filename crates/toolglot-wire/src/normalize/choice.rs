//! One alternative: its text and its native calls, put in the order in which writers can say them.

use std::collections::VecDeque;

use super::SharedByChoices;
use super::call_emitter::CallEmitter;
use super::native::NativeCall;
use super::text_reader::TextReader;
use crate::fault::Fault;
use crate::response_event::{Finish, Part};

/// One alternative.
#[derive(Default)]
pub(super) struct ChoiceNormalizer {
    emitter: CallEmitter,
    text_reader: TextReader,
    /// Native calls that are not over; only the first is being said.
    natives: VecDeque<NativeCall>,
    /// Events received while a call was open that must not be interrupted.
    waiting: Vec<Part>,
    /// Bytes of it.
    waiting_bytes: usize,
    /// Whether a native call began after the text, so that truncation does not affect the text.
    text_is_over: bool,
    finished: bool,
    /// The server said that the answer is over while a call was not whole: some say so with every piece.
    early: Option<Finish>,
    /// Anything was said.
    spoke: bool,
}

/// What becomes of the log probabilities of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenFate {
    /// They are said before their text.
    Said,
    /// Their text is that of a call.
    Dropped,
    /// It depends on what else is going on.
    Open,
}

impl ChoiceNormalizer {
    pub(super) fn new(number: usize) -> Self {
        Self { emitter: CallEmitter::new(number), ..Self::default() }
    }

    /// Says whether text is all that is going on.
    pub(super) fn is_plain(&self) -> bool {
        !self.finished
            && self.natives.is_empty()
            && self.waiting.is_empty()
            && !self.emitter.is_open()
            && !self.emitter.has_made()
            && !self.emitter.has_failed()
    }

    /// Says what would become of log probabilities that come now.
    pub(super) fn token_fate(&self) -> TokenFate {
        if self.is_plain() {
            return TokenFate::Said;
        }
        if self.is_text_call_open() && self.natives.is_empty() && !self.finished && !self.emitter.has_failed() {
            TokenFate::Dropped
        } else {
            TokenFate::Open
        }
    }

    pub(super) fn passes(&mut self, text: &str, shared: &mut SharedByChoices) -> bool {
        self.text_is_over = false;
        self.spoke = true;
        self.text_reader.passes(text, &mut self.emitter, shared)
    }

    pub(super) fn passes_reasoning(&mut self) -> bool {
        self.spoke = true;
        self.text_reader.leave_reasoning();
        true
    }

    /// Says whether nothing is going on but a native call of the server's that the client knows by this number.
    pub(super) fn continues_call(&self, call: usize, number: usize) -> bool {
        let quiet = !self.finished && self.waiting.is_empty() && self.natives.len() == 1;
        let of_call = |native: &NativeCall| native.number == call && native.is_started();
        quiet && self.natives.front().is_some_and(of_call) && self.emitter.is_emitting(number)
    }

    /// Continues the current call; says whether the arguments may be passed on unchanged.
    pub(super) fn passes_arguments(&mut self, text: &str, shared: &mut SharedByChoices) -> bool {
        let Some(native) = self.natives.front_mut() else { return false };
        let passes = native.passes(text);
        if !passes {
            native.speak(&mut self.emitter, shared);
        }
        passes
    }

    pub(super) fn held(&self) -> usize {
        self.text_reader.held() + self.waiting_bytes + self.natives.iter().map(NativeCall::held).sum::<usize>()
    }

    pub(super) fn has_enough(&self) -> bool {
        self.emitter.has_enough()
    }

    pub(super) fn take_fault(&mut self) -> Option<Fault> {
        self.emitter.take_fault()
    }

    /// Takes the next part.
    pub(super) fn part(&mut self, part: Part, shared: &mut SharedByChoices) {
        if self.finished || self.emitter.has_failed() {
            return;
        }
        self.spoke |= matches!(&part, Part::Text(_) | Part::Refusal(_) | Part::Reasoning(_) | Part::CallStart { .. });
        match part {
            Part::Text(text) | Part::Refusal(text) | Part::Reasoning(text) if text.is_empty() => {}
            Part::CallStart { call, id, name, kind } => {
                if !self.emitter.is_open() {
                    self.text_reader.finish(None, &mut self.emitter, shared);
                }
                self.text_is_over = true;
                self.end_native(call);
                // Nobody needs more open calls than an answer may have.
                if self.natives.len() <= shared.wants.limits.calls {
                    self.natives.push_back(NativeCall::new(call, id, &name, kind, shared));
                }
                self.settle(false, shared);
            }
            Part::Arguments { call, text } => {
                if let Some(native) = self.natives.iter_mut().rev().find(|native| native.number == call) {
                    native.push(&text);
                }
                self.settle(!self.waiting.is_empty(), shared);
                let limits = shared.wants.limits;
                let waits = || self.natives.iter().map(NativeCall::held).sum::<usize>();
                if self.natives.len() > 1 && waits() > limits.arguments {
                    self.emitter.give_up(limits.arguments_fault());
                }
            }
            Part::CallEnd { call } => {
                self.end_native(call);
                self.settle(false, shared);
            }
            Part::Finish(finish) if !finish.is_cut() && self.may_go_on() => self.early = Some(finish),
            Part::Finish(finish) => self.finish(finish, shared),
            part => self.interrupt(part, shared),
        }
    }

    /// Handles an event other than a piece of a native call: complete calls end, incomplete ones are awaited.
    fn interrupt(&mut self, part: Part, shared: &mut SharedByChoices) {
        if !matches!(part, Part::Own(_) | Part::Logprobs(_)) {
            self.settle(true, shared);
        }
        // Text continues the open text call, if there is one.
        let text = matches!(part, Part::Text(_) | Part::Logprobs(_));
        let free = if text { self.natives.is_empty() || self.is_text_call_open() } else { !self.emitter.is_open() };
        if !free || !(self.waiting.is_empty() || (text && self.is_text_call_open())) {
            self.waiting_bytes += part.size();
            self.waiting.push(part);
            let limits = shared.wants.limits;
            if shared.wants.streamed && limits.is_too_much_held(self.waiting_bytes) {
                self.emitter.give_up(limits.held_fault());
            }
            return;
        }
        self.pass(part, shared);
        self.settle(false, shared);
    }

    /// Says whether the open call is one that was written as text.
    fn is_text_call_open(&self) -> bool {
        self.emitter.is_open() && !self.natives.front().is_some_and(NativeCall::is_started)
    }

    fn pass(&mut self, part: Part, shared: &mut SharedByChoices) {
        if shared.wants.own_blocks && matches!(part, Part::Own(_)) && !self.emitter.is_open() {
            self.text_reader.finish(None, &mut self.emitter, shared);
        }
        match part {
            Part::Text(text) => {
                self.text_is_over = false;
                if self.text_reader.passes(&text, &mut self.emitter, shared) {
                    self.emitter.push_event(Part::Text(text), shared);
                }
            }
            Part::Reasoning(_) => {
                self.text_reader.leave_reasoning();
                self.emitter.push_event(part, shared);
            }
            part => self.emitter.push_event(part, shared),
        }
    }

    fn end_native(&mut self, number: usize) {
        self.natives.iter_mut().filter(|native| native.number == number).for_each(|native| native.ended = true);
    }

    /// Says what can be said of native calls; `pressed` if something waits for the last of them.
    fn settle(&mut self, pressed: bool, shared: &mut SharedByChoices) {
        while !self.is_text_call_open() {
            let others = self.natives.len() > 1;
            let Some(native) = self.natives.front_mut() else { break };
            native.speak(&mut self.emitter, shared);
            let ended = native.is_over() || (others || pressed) && (native.ended || native.is_whole());
            if !ended {
                break;
            }
            let next = self.natives.pop_front().and_then(|native| native.finish(&mut self.emitter, shared));
            if let Some(next) = next {
                self.natives.push_front(next);
            }
        }
        if self.natives.is_empty() && !self.emitter.is_open() {
            let mut waiting = std::mem::take(&mut self.waiting).into_iter();
            while !self.emitter.is_open()
                && let Some(part) = waiting.next()
            {
                self.pass(part, shared);
            }
            self.waiting = waiting.collect();
            self.waiting_bytes = self.waiting.iter().map(Part::size).sum();
        }
    }

    /// Says whether a call is open, or what may become one.
    pub(super) fn is_inside_call(&self) -> bool {
        !self.finished
            && (self.emitter.is_open()
                || self.text_reader.held() > 0
                || self.natives.iter().any(|native| !native.is_whole()))
    }

    /// Says whether a finish is not to be believed yet: nothing was said, or a native call has begun and is not whole.
    fn may_go_on(&self) -> bool {
        !self.spoke || self.natives.back().is_some_and(|native| !native.ended && !native.is_whole())
    }

    /// Ends the alternative, because the answer ends.
    pub(super) fn end(&mut self, shared: &mut SharedByChoices) {
        if !self.finished && !self.emitter.has_failed() {
            let finish = self.early.take().unwrap_or(Finish::Stop);
            self.finish(finish, shared);
        }
    }

    fn finish(&mut self, finish: Finish, shared: &mut SharedByChoices) {
        if !self.emitter.has_enough() {
            let reason = finish.reason();
            self.text_reader.finish(reason.filter(|_| !self.text_is_over), &mut self.emitter, shared);
            if finish.is_cut() {
                self.natives.back_mut().into_iter().for_each(NativeCall::cut_off);
            }
            self.natives.iter_mut().for_each(|native| native.ended = true);
            self.settle(true, shared);
            while !self.waiting.is_empty() {
                self.text_reader.finish(reason, &mut self.emitter, shared);
                self.settle(false, shared);
            }
            self.text_reader.finish(reason.filter(|_| !self.text_is_over), &mut self.emitter, shared);
        }
        self.emitter.end_cut(finish.is_cut(), shared);
        if self.emitter.has_failed() {
            return;
        }
        self.finished = true;
        let finish = match finish {
            finish if finish.is_cut() => finish,
            _ if self.emitter.has_made() => Finish::ToolCalls,
            _ if self.emitter.was_cut() => Finish::Length,
            Finish::ToolCalls => Finish::Stop,
            other => other,
        };
        if self.emitter.choice == 0 {
            shared.report.finish = Some(finish.clone());
        }
        self.emitter.emit(Part::Finish(finish), shared);
    }

    /// Says what was held back, since nothing more will come.
    pub(super) fn give_up(&mut self, shared: &mut SharedByChoices) {
        if !self.finished && !self.emitter.is_open() {
            self.text_reader.give_up(&mut self.emitter, shared);
        }
    }
}
