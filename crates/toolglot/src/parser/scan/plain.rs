//! Calls that need no contest: they are complete, and in the plain form that most models write.
//!
//! They are emitted as the careful readers would: no other candidate reads the text of a call object, and nothing
//! after its closer can change it.

use super::{ScanFound, Scanner};
use crate::event::Outcome;
use crate::options::Validation;
use crate::parser::catalog::Strength;
use crate::parser::element::opens_element;
use crate::parser::engine::Engine;
use crate::parser::plain_call::{PLAIN, plain_call};
use crate::sink::Sink;
use crate::view::View;

impl Scanner {
    /// Emits the plain call at `at`, if one does.
    pub(super) fn pass_plain_call(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Option<ScanFound> {
        if !self.may_say_at_once(engine, view, sink) {
            return None;
        }
        let limits = &engine.options.limits;
        let bounded = view.limited(self.at.saturating_add(PLAIN.min(limits.held).min(limits.arguments)));
        let (candidate, body) =
            engine.catalog.plain_call(bounded, self.at, || opens_element(engine, bounded, self.at) != Ok(false))?;
        // After a call, those of its dialect come first. Of a dialect with tags of the tools' names `calls_of` says none.
        let mut opened = Vec::new();
        let mut others = |last: usize| {
            engine.catalog.calls_of(last, bounded, self.at, true) != Ok(Vec::new())
                || engine.catalog.opened(bounded, self.at, true, &mut opened).is_err()
                || opened.iter().any(|number| engine.catalog.is_call_of(last, *number))
        };
        if self.last.is_some_and(|last| last != candidate.dialect && others(last)) {
            return None;
        }
        let pattern_ref = candidate.pattern_ref();
        let call = plain_call(engine, bounded, body, pattern_ref)?;
        sink.call_start(call.name, None, call.arguments.start);
        sink.arguments(call.arguments.end, view.slice(call.arguments.start, call.arguments.end));
        sink.call_end(None, call.end);
        (self.seen.tried_call, self.quotes_opener) = (true, false);
        Some(ScanFound::Said { dialect: pattern_ref.dialect, at: call.end })
    }

    /// Returns whether a call here may be emitted before the text before it or around it is examined.
    fn may_say_at_once(&self, engine: &Engine, view: View<'_>, sink: &Sink) -> bool {
        let options = &engine.options;
        let asked = self.contest.is_some()
            || options.careful
            || view.has_marks()
            || self.trace.is_some()
            || self.rejected.is_some();
        let within = sink.started < options.limits.calls && options.limits.depth > 1;
        let judged = options.validation == Validation::Strict
            || self.worst(sink) > Outcome::Repaired
            || self.may_be_draft(engine, Strength::Strong);
        !asked && within && !judged && self.place.is_unquoted()
    }
}
