//! One alternative: its text and its native calls, put in the order in which writers can say them.

use std::collections::VecDeque;

use super::Shared;
use super::native::Native;
use super::speech::Speech;
use super::voice::Voice;
use crate::fault::Fault;
use crate::said::{Finish, Part, Said};

/// One alternative.
pub(super) struct Choice {
    number: usize,
    voice: Voice,
    speech: Speech,
    /// Native calls that are not over; only the first is being said.
    natives: VecDeque<Native>,
    /// What came while a call was open that nothing may interrupt.
    waiting: Vec<Part>,
    /// Bytes of it.
    waiting_bytes: usize,
    finished: bool,
}

impl Choice {
    pub(super) fn new(number: usize) -> Self {
        Self {
            number,
            voice: Voice::new(number),
            speech: Speech::default(),
            natives: VecDeque::new(),
            waiting: Vec::new(),
            waiting_bytes: 0,
            finished: false,
        }
    }

    /// Says whether text is all that is going on.
    pub(super) fn is_plain(&self) -> bool {
        !self.finished
            && self.natives.is_empty()
            && self.waiting.is_empty()
            && !self.voice.is_open()
            && !self.voice.has_made()
            && !self.voice.has_failed()
    }

    pub(super) fn passes(&mut self, text: &str, shared: &mut Shared, out: &mut Vec<Said>) -> bool {
        self.speech.passes(text, &mut self.voice, shared, out)
    }

    pub(super) fn passes_reasoning(&mut self) -> bool {
        self.speech.leave_reasoning();
        true
    }

    /// Says whether nothing is going on but a native call of the server's that the client knows by this number.
    pub(super) fn goes_on(&self, call: usize, number: usize) -> bool {
        let quiet = !self.finished && self.waiting.is_empty() && self.natives.len() == 1;
        let of_call = |native: &Native| native.number == call && native.is_started();
        quiet && self.natives.front().is_some_and(of_call) && self.voice.is_saying(number)
    }

    /// Reads on in the call that is going on; says whether the arguments go on as they came.
    pub(super) fn passes_arguments(&mut self, text: &str, shared: &mut Shared, out: &mut Vec<Said>) -> bool {
        let Some(native) = self.natives.front_mut() else { return false };
        let passes = native.passes(text);
        if !passes {
            native.speak(&mut self.voice, shared, out);
        }
        passes
    }

    pub(super) fn held(&self) -> usize {
        self.speech.held() + self.waiting_bytes + self.natives.iter().map(Native::held).sum::<usize>()
    }

    pub(super) fn has_enough(&self) -> bool {
        self.voice.has_enough()
    }

    pub(super) fn take_fault(&mut self) -> Option<Fault> {
        self.voice.take_fault()
    }

    /// Takes the next part.
    pub(super) fn part(&mut self, part: Part, shared: &mut Shared, out: &mut Vec<Said>) {
        if self.finished || self.voice.has_failed() {
            return;
        }
        match part {
            Part::Text(text) | Part::Refusal(text) | Part::Reasoning(text) if text.is_empty() => {}
            Part::CallStart { call, id, name, kind } => {
                if !self.voice.is_open() {
                    self.speech.finish(None, &mut self.voice, shared, out);
                }
                self.end_native(call);
                // Nobody needs more open calls than an answer may have.
                if self.natives.len() <= shared.wants.limits.calls {
                    self.natives.push_back(Native::new(call, id, &name, kind, shared));
                }
                self.settle(false, shared, out);
            }
            Part::Arguments { call, text } => {
                if let Some(native) = self.natives.iter_mut().rev().find(|native| native.number == call) {
                    native.push(&text);
                }
                self.settle(!self.waiting.is_empty(), shared, out);
                let limits = shared.wants.limits;
                let waits = || self.natives.iter().map(Native::held).sum::<usize>();
                if self.natives.len() > 1 && waits() > limits.arguments {
                    self.voice.give_up(limits.arguments_fault());
                }
            }
            Part::CallEnd { call } => {
                self.end_native(call);
                self.settle(false, shared, out);
            }
            Part::Finish(finish) => self.finish(finish, shared, out),
            part => self.interrupt(part, shared, out),
        }
    }

    /// Takes what is no piece of a native call; calls that are whole are over then, others are waited for.
    fn interrupt(&mut self, part: Part, shared: &mut Shared, out: &mut Vec<Said>) {
        if !matches!(part, Part::Own(_) | Part::Logprobs(_)) {
            self.settle(true, shared, out);
        }
        // Text goes on with the text call that is open, if one is.
        let text = matches!(part, Part::Text(_) | Part::Logprobs(_));
        let free = if text { self.natives.is_empty() || self.speaks() } else { !self.voice.is_open() };
        if !free || !(self.waiting.is_empty() || (text && self.speaks())) {
            self.waiting_bytes += part.size();
            self.waiting.push(part);
            let limits = shared.wants.limits;
            if shared.wants.streamed && limits.is_too_much_held(self.waiting_bytes) {
                self.voice.give_up(limits.held_fault());
            }
            return;
        }
        self.pass(part, shared, out);
        self.settle(false, shared, out);
    }

    /// Says whether the open call is one that was written as text.
    fn speaks(&self) -> bool {
        self.voice.is_open() && !self.natives.front().is_some_and(Native::is_started)
    }

    fn pass(&mut self, part: Part, shared: &mut Shared, out: &mut Vec<Said>) {
        if shared.wants.own_blocks && matches!(part, Part::Own(_)) && !self.voice.is_open() {
            self.speech.finish(None, &mut self.voice, shared, out);
        }
        match part {
            Part::Text(text) => self.speech.push(&text, &mut self.voice, shared, out),
            Part::Reasoning(_) => {
                self.speech.leave_reasoning();
                self.voice.say(part, shared, out);
            }
            part => self.voice.say(part, shared, out),
        }
    }

    fn end_native(&mut self, number: usize) {
        self.natives.iter_mut().filter(|native| native.number == number).for_each(|native| native.ended = true);
    }

    /// Says what can be said of native calls; `pressed` if something waits for the last of them.
    fn settle(&mut self, pressed: bool, shared: &mut Shared, out: &mut Vec<Said>) {
        while !self.speaks() {
            let others = self.natives.len() > 1;
            let Some(native) = self.natives.front_mut() else { break };
            native.speak(&mut self.voice, shared, out);
            if !native.ended && !((others || pressed) && native.is_whole()) {
                break;
            }
            let next = self.natives.pop_front().and_then(|native| native.finish(&mut self.voice, shared, out));
            if let Some(next) = next {
                self.natives.push_front(next);
            }
        }
        if self.natives.is_empty() && !self.voice.is_open() {
            let mut waiting = std::mem::take(&mut self.waiting).into_iter();
            while !self.voice.is_open()
                && let Some(part) = waiting.next()
            {
                self.pass(part, shared, out);
            }
            self.waiting = waiting.collect();
            self.waiting_bytes = self.waiting.iter().map(Part::size).sum();
        }
    }

    fn finish(&mut self, finish: Finish, shared: &mut Shared, out: &mut Vec<Said>) {
        if !self.voice.has_enough() {
            let reason = finish.reason();
            self.speech.finish(reason, &mut self.voice, shared, out);
            self.natives.iter_mut().for_each(|native| native.ended = true);
            self.settle(false, shared, out);
            while !self.waiting.is_empty() {
                self.speech.finish(reason, &mut self.voice, shared, out);
                self.settle(false, shared, out);
            }
            self.speech.finish(reason, &mut self.voice, shared, out);
        }
        if self.voice.has_failed() {
            return;
        }
        self.finished = true;
        let finish = match finish {
            Finish::Length | Finish::ContentFilter => finish,
            _ if self.voice.has_made() => Finish::ToolCalls,
            _ if self.voice.was_cut() => Finish::Length,
            Finish::ToolCalls => Finish::Stop,
            other => other,
        };
        if self.number == 0 {
            shared.tally.finish = Some(finish.clone());
        }
        out.push(Said::Part { choice: self.number, part: Part::Finish(finish) });
    }

    /// Says what was held back, since nothing more will come.
    pub(super) fn give_up(&mut self, shared: &mut Shared, out: &mut Vec<Said>) {
        if !self.finished && !self.voice.is_open() {
            self.speech.give_up(&mut self.voice, shared, out);
        }
    }
}
