//! The end of a message. Whatever a truncation leaves half read, a marker or an opener, is not text and not part of a value.

use std::sync::Arc;

use super::call::{CallPhase, CallReader};
use super::engine::Engine;
use super::torn::cut_closer;
use super::{Events, Machine, Parser, State};
use crate::diagnostic::Code;
use crate::options::FinishReason;
use crate::view::{NotYet, View};

impl Parser {
    pub(super) fn end(&mut self) -> Events<'_> {
        let reason = self.finish_reason.1.take().unwrap_or(self.finish_reason.0);
        if reason != self.engine.options.finish_reason {
            Arc::make_mut(&mut self.engine).options.finish_reason = reason;
        }
        if self.engine.options.is_cut() {
            self.end_cut();
        }
        self.input.closed = true;
        self.wake = 0;
        self.advance();
        self.done = true;
        self.events()
    }

    /// Sets the server's finish reason for the current message, which may be known only at its end.
    pub fn set_finish_reason(&mut self, reason: Option<FinishReason>) {
        self.finish_reason.1 = Some(reason);
    }

    /// Ends a message that the server cut off: half a marker is not text, nor is an opener whose call cannot be parsed yet.
    fn end_cut(&mut self) {
        self.wake = 0;
        self.advance();
        // What was lost before may be won with the bytes that do not come.
        while self.scanner.forget_lost() {
            self.wake = 0;
            self.advance();
        }
        let mut machine = self.machine();
        let end = machine.view.end();
        let is_opened = matches!(machine.state, State::Scanning) && machine.scanner.awaits_call(machine.engine);
        let at = if is_opened { machine.scanner.at } else { machine.half_marker().unwrap_or(end) };
        machine.view = machine.view.closed_at(if is_opened { end } else { at });
        machine.run();
        if at < end && (!is_opened || self.sink.take_back(at)) {
            self.sink.diagnose(Code::Truncated, at..end, "the input ended inside a marker; it is not returned as text");
            self.sink.markup(end);
        }
    }
}

impl Machine<'_> {
    /// Returns where an incomplete marker begins, or the head of a section's next call.
    fn half_marker(&mut self) -> Option<usize> {
        match self.state {
            State::Scanning => self.scanner.awaits_marker(self.engine, self.view).then_some(self.scanner.at),
            State::Reading(reading) => reading.half_marker(self.engine, self.view, self.sink.cursor()),
            State::Region(_) | State::Prefilled | State::Done => None,
        }
    }
}

impl CallReader {
    /// Returns where an incomplete marker after `from` begins, or the head of the section's next call.
    fn half_marker(&self, engine: &Engine, view: View<'_>, from: usize) -> Option<usize> {
        let markers = engine.catalog.markers(self.won.pattern_ref.dialect);
        let next = if let CallPhase::Between(at) = self.phase { view.skip_blanks(at).ok() } else { None };
        let dialect = engine.dialect(self.won.pattern_ref);
        let closes = |at: usize| cut_closer(view.slice(at, view.end()), dialect, &self.won.head);
        let half =
            |at: &usize| view.has_letters(*at) && (markers.spelled_kinds(view, *at) == Err(NotYet) || closes(*at));
        next.filter(|next| markers.spelled_kinds(view, *next).is_ok_and(|kinds| kinds != 0))
            .or_else(|| (from..view.end()).filter(|at| view.is_boundary(*at)).find(half))
    }
}
