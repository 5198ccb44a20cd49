//! Normalizes one alternative: its text and its native calls, in the order in which writers can write them.

use std::collections::VecDeque;

use super::AnswerState;
use super::call_emitter::CallEmitter;
use super::native::NativeCall;
use super::text_reader::TextReader;
use crate::response_event::{Finish, Part};

/// Normalizes one alternative.
#[derive(Default)]
pub(super) struct ChoiceNormalizer {
    pub(super) emitter: CallEmitter,
    text_reader: TextReader,
    /// Native calls that have not ended; only the first is being emitted.
    natives: VecDeque<NativeCall>,
    /// Events received while a call was open that must not be interrupted.
    deferred: Vec<Part>,
    deferred_bytes: usize,
    /// Whether a native call began after the text, so that truncation does not affect the text.
    text_is_over: bool,
    finished: bool,
    /// A finish reason that arrived while a call was incomplete: some servers send one with every piece.
    early_finish: Option<Finish>,
    has_content: bool,
}

/// What happens to the log probabilities of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogprobsFate {
    /// They are emitted before their text.
    Emitted,
    /// They are dropped, because their text is that of a call.
    Dropped,
    /// It depends on events that are still to come.
    Undecided,
}

impl ChoiceNormalizer {
    pub(super) fn new(number: usize) -> Self {
        Self { emitter: CallEmitter::new(number), ..Self::default() }
    }

    /// Returns whether there has been nothing but text, and no call in it.
    pub(super) fn has_only_text(&self) -> bool {
        !self.finished
            && self.natives.is_empty()
            && self.deferred.is_empty()
            && !self.emitter.is_open()
            && !self.emitter.has_completed()
            && self.emitter.fault.is_none()
    }

    /// Returns what would happen to log probabilities that arrive now.
    pub(super) fn logprobs_fate(&self) -> LogprobsFate {
        if self.has_only_text() {
            return LogprobsFate::Emitted;
        }
        if self.is_text_call_open() && self.natives.is_empty() && !self.finished && self.emitter.fault.is_none() {
            LogprobsFate::Dropped
        } else {
            LogprobsFate::Undecided
        }
    }

    /// Reads text; returns whether it can be passed on unchanged, and otherwise emits the result.
    pub(super) fn pass_text(&mut self, text: &str, state: &mut AnswerState) -> bool {
        self.text_is_over = false;
        self.has_content = true;
        self.text_reader.push(text, &mut self.emitter, state)
    }

    /// Records that the server sends reasoning in a field of its own.
    pub(super) fn leave_reasoning(&mut self) {
        self.has_content = true;
        self.text_reader.leave_reasoning();
    }

    /// Returns whether only this native call is open, given by the server's number and the client's.
    pub(super) fn continues_call(&self, call: usize, number: usize) -> bool {
        let is_alone = !self.finished && self.deferred.is_empty() && self.natives.len() == 1;
        let is_it = |native: &NativeCall| native.number == call && native.started;
        is_alone && self.natives.front().is_some_and(is_it) && self.emitter.is_streaming(number)
    }

    /// Reads arguments of the open call; returns whether they can be passed on unchanged, and otherwise emits the
    /// result.
    pub(super) fn pass_arguments(&mut self, text: &str, state: &mut AnswerState) -> bool {
        let Some(native) = self.natives.front_mut() else { return false };
        let is_unchanged = native.pass_arguments(text);
        if !is_unchanged {
            native.emit(&mut self.emitter, state);
        }
        is_unchanged
    }

    pub(super) fn held(&self) -> usize {
        self.text_reader.held() + self.deferred_bytes + self.native_bytes()
    }

    fn native_bytes(&self) -> usize {
        self.natives.iter().map(NativeCall::held).sum()
    }

    /// Normalizes a part.
    pub(super) fn push_part(&mut self, part: Part, state: &mut AnswerState) {
        if self.finished || self.emitter.fault.is_some() {
            return;
        }
        self.has_content |=
            matches!(&part, Part::Text(_) | Part::Refusal(_) | Part::Reasoning(_) | Part::CallStart { .. });
        match part {
            Part::Text(text) | Part::Refusal(text) | Part::Reasoning(text) if text.is_empty() => {}
            Part::CallStart { call, id, name, kind } => {
                // A native call ends the text before it, so nothing in it waits for more.
                if !self.emitter.is_open() {
                    self.text_reader.finish(None, &mut self.emitter, state);
                }
                self.text_is_over = true;
                // Some servers use the number of the last call for the next.
                self.mark_ended(call);
                // The emitter drops calls beyond this limit.
                if self.natives.len() <= state.settings.limits.calls {
                    self.natives.push_back(NativeCall::new(call, id, &name, kind, state));
                }
                self.emit_natives(false, state);
            }
            Part::Arguments { call, text } => {
                if let Some(native) = self.natives.iter_mut().rev().find(|native| native.number == call) {
                    native.push(&text);
                }
                self.emit_natives(!self.deferred.is_empty(), state);
                let limits = state.settings.limits;
                if self.natives.len() > 1 && self.native_bytes() > limits.arguments {
                    self.emitter.fail(limits.arguments_fault());
                }
            }
            Part::CallEnd { call } => {
                self.mark_ended(call);
                self.emit_natives(false, state);
            }
            Part::Finish(finish) if !finish.is_cut() && self.may_continue() => self.early_finish = Some(finish),
            Part::Finish(finish) => self.finish(finish, state),
            part => self.push_other(part, state),
        }
    }

    /// Handles a part that is not a piece of a native call: it ends complete calls, and waits for incomplete ones.
    fn push_other(&mut self, part: Part, state: &mut AnswerState) {
        if !matches!(part, Part::Own(_) | Part::Logprobs(_)) {
            self.emit_natives(true, state);
        }
        // Text continues the open text call, if there is one.
        let is_text = matches!(part, Part::Text(_) | Part::Logprobs(_));
        let continues_text_call = is_text && self.is_text_call_open();
        let is_free = if is_text { self.natives.is_empty() } else { !self.emitter.is_open() };
        if continues_text_call || (is_free && self.deferred.is_empty()) {
            self.emit_part(part, state);
            return self.emit_natives(false, state);
        }
        self.deferred_bytes += part.size();
        self.deferred.push(part);
        let limits = state.settings.limits;
        if state.settings.streamed && limits.is_too_much_held(self.deferred_bytes) {
            self.emitter.fail(limits.held_fault());
        }
    }

    /// Returns whether the open call was found in text.
    fn is_text_call_open(&self) -> bool {
        self.emitter.is_open() && !self.natives.front().is_some_and(|native| native.started)
    }

    fn emit_part(&mut self, part: Part, state: &mut AnswerState) {
        if state.settings.own_blocks && matches!(part, Part::Own(_)) && !self.emitter.is_open() {
            self.text_reader.finish(None, &mut self.emitter, state);
        }
        match part {
            Part::Text(text) => {
                self.text_is_over = false;
                if self.text_reader.push(&text, &mut self.emitter, state) {
                    self.emitter.push_part(Part::Text(text), state);
                }
            }
            Part::Reasoning(_) => {
                self.text_reader.leave_reasoning();
                self.emitter.push_part(part, state);
            }
            part => self.emitter.push_part(part, state),
        }
    }

    fn mark_ended(&mut self, number: usize) {
        self.natives.iter_mut().filter(|native| native.number == number).for_each(|native| native.ended = true);
    }

    /// Emits native calls as far as possible; `is_followed` if another event waits for the last of them.
    fn emit_natives(&mut self, is_followed: bool, state: &mut AnswerState) {
        while !self.is_text_call_open() {
            let is_followed = is_followed || self.natives.len() > 1;
            let Some(native) = self.natives.front_mut() else { break };
            native.emit(&mut self.emitter, state);
            let is_over = native.is_over() || is_followed && (native.ended || native.is_complete());
            if !is_over {
                break;
            }
            let next = self.natives.pop_front().and_then(|native| native.finish(&mut self.emitter, state));
            if let Some(next) = next {
                self.natives.push_front(next);
            }
        }
        if self.natives.is_empty() && !self.emitter.is_open() {
            let mut deferred = std::mem::take(&mut self.deferred).into_iter();
            while !self.emitter.is_open()
                && let Some(part) = deferred.next()
            {
                self.emit_part(part, state);
            }
            self.deferred = deferred.collect();
            self.deferred_bytes = self.deferred.iter().map(Part::size).sum();
        }
    }

    /// Returns whether a call is open, or text that may become one.
    pub(super) fn is_inside_call(&self) -> bool {
        let is_incomplete = |native: &NativeCall| !native.is_complete();
        !self.finished
            && (self.emitter.is_open() || self.text_reader.held() > 0 || self.natives.iter().any(is_incomplete))
    }

    /// Returns whether a finish reason may be premature: there is no content yet, or a native call is incomplete.
    fn may_continue(&self) -> bool {
        !self.has_content || self.natives.back().is_some_and(|native| !native.ended && !native.is_complete())
    }

    /// Ends the alternative at the end of the answer.
    pub(super) fn end(&mut self, state: &mut AnswerState) {
        if !self.finished && self.emitter.fault.is_none() {
            let finish = self.early_finish.take().unwrap_or(Finish::Stop);
            self.finish(finish, state);
        }
    }

    fn finish(&mut self, finish: Finish, state: &mut AnswerState) {
        if !self.emitter.has_enough {
            let reason = finish.reason();
            self.text_reader.finish(reason.filter(|_| !self.text_is_over), &mut self.emitter, state);
            if finish.is_cut() {
                self.natives.back_mut().into_iter().for_each(NativeCall::mark_truncated);
            }
            self.natives.iter_mut().for_each(|native| native.ended = true);
            self.emit_natives(true, state);
            // Deferred text may open further calls, which defer what follows them.
            while !self.deferred.is_empty() {
                self.text_reader.finish(reason, &mut self.emitter, state);
                self.emit_natives(false, state);
            }
            self.text_reader.finish(reason.filter(|_| !self.text_is_over), &mut self.emitter, state);
        }
        self.emitter.end_truncated(finish.is_cut(), state);
        if self.emitter.fault.is_some() {
            return;
        }
        self.finished = true;
        // Clients decide by the reason whether to run tools, so it must agree with the calls that were emitted.
        let finish = match finish {
            finish if finish.is_cut() => finish,
            _ if self.emitter.has_completed() => Finish::ToolCalls,
            _ if self.emitter.was_truncated => Finish::Length,
            Finish::ToolCalls => Finish::Stop,
            other => other,
        };
        if self.emitter.choice == 0 {
            state.report.finish = Some(finish.clone());
        }
        self.emitter.emit(Part::Finish(finish), state);
    }

    /// Emits text that is held back, because the answer failed.
    pub(super) fn flush_text(&mut self, state: &mut AnswerState) {
        if !self.finished && !self.emitter.is_open() {
            self.text_reader.flush(&mut self.emitter, state);
        }
    }
}
