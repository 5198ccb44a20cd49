//! A committed call: its body, its closers, and the further calls of its section.

use std::ops::Range;

use super::body::BodyReader;
use super::boundary::{nameless, recover};
use super::call_context::CallContext;
use super::closing::{Closing, close, extra_braces, glued, stray_bracket, wrong_tag};
use super::contest::{Rejection, Start, Trial, TrialContext, Winner, try_call};
use super::engine::{Engine, NameMatch};
use super::head::{Head, HeadText, skip_gap};
use super::leftover::is_over_for_certain;
use super::params::note_head;
use super::wrapper::Wrapper;
use crate::diagnostic::Code;
use crate::dialect::{BodyKind, Pattern};
use crate::event::Outcome;
use crate::json::{Ended, ValueOutcome};
use crate::sink::Sink;
use crate::view::{NotYet, View};

/// Reads a committed call, and all calls of its section after it.
#[derive(Clone, Debug)]
pub(crate) struct CallReader {
    /// The current call.
    pub(super) won: Winner,
    pub(super) phase: CallPhase,
    /// The wrappers around the call, innermost last.
    scopes: Vec<Wrapper>,
    /// Stop after the first call.
    one: bool,
    fenced: bool,
}

/// The part of a call that is being read.
///
/// ```text
///              CallStart         the body's end          CallEnd
///  Committed ────────────► Body ────────────────► Closing ───────► Between ───► Over
///      ▲                                             │    nothing     │ ▲ │    nothing of the section
///      │                                             │    follows     │ └─┘    is open any more
///      │                                             └───────► Over   │ separators, closers of the section
///      └──────────────────────────────────────────────────────────────┘ a further call wins
/// ```
#[derive(Clone, Debug)]
pub(super) enum CallPhase {
    /// Committed, and not yet reported.
    Committed,
    Body(Box<BodyReader>),
    /// The arguments are complete; the closers are being read, including wrong and missing ones.
    Closing(ValueOutcome),
    /// The call is over, and its section may continue.
    Between(usize),
    /// Everything that was opened with the call is closed.
    Over(usize),
}

impl CallReader {
    pub(crate) fn new(won: Winner, one: bool) -> Self {
        let scopes = won.pattern_ref.section.map(|_| Wrapper::Section).into_iter().collect();
        Self { won, phase: CallPhase::Committed, scopes, one, fenced: false }
    }

    /// Returns the call's closers that repeat its name or mark, with these filled in.
    pub(crate) fn named_closers(&self, engine: &Engine) -> Vec<String> {
        let spelled = engine.catalog.unfixed_closers(self.won.pattern_ref.dialect).iter();
        spelled.map(|spelling| spelling.filled(self.won.head.name(), self.won.head.mark.as_deref(), None)).collect()
    }

    /// Returns the place from which bytes are still undecided.
    pub(crate) fn anchor(&self) -> usize {
        match &self.phase {
            CallPhase::Committed => 0,
            CallPhase::Body(body) => body.anchor(),
            CallPhase::Closing(ValueOutcome { at, .. }) | CallPhase::Between(at) | CallPhase::Over(at) => *at,
        }
    }

    /// Passes bytes that are certainly data in the middle of a string or a value; false if something needs a decision.
    #[inline]
    pub(crate) fn pass_plain(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> bool {
        let CallPhase::Body(body) = &mut self.phase else { return false };
        body.pass_plain(&self.won.context(engine, view), sink)
    }

    /// Continues reading; returns the end of everything that belongs to the call.
    pub(crate) fn resume(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<usize, NotYet> {
        loop {
            self.phase = match self.phase {
                CallPhase::Committed => self.announce(engine, view, sink),
                CallPhase::Body(_) => {
                    let end = self.read_body(engine, view, sink)?;
                    self.end_body(end, sink)
                }
                CallPhase::Closing(end) => self.close(engine, view, end, sink)?,
                CallPhase::Between(at) => self.between(engine, view, at, sink)?,
                CallPhase::Over(at) => return Ok(at),
            };
        }
    }

    /// Starts the call and its body. A call object starts the call itself, at the beginning of its arguments.
    fn announce(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> CallPhase {
        sink.dialect = Some(engine.dialect(self.won.pattern_ref).name.clone());
        let start = std::mem::replace(&mut self.won.start, Start::Nothing(0));
        self.fenced = matches!(start, Start::Call { fenced: true, .. });
        let at = start.at();
        let place = sink.cursor()..at.max(sink.cursor());
        if !matches!(start, Start::Call { .. }) {
            sink.call_start(&self.won.callee.name, self.won.head.id(), at);
        }
        note_head(&self.won.head, place.clone(), sink);
        if self.won.head.is_unclosed_tag() {
            sink.repair(Code::UnclosedTag, place.clone(), "opening tag without `>`");
        }
        let sections = &engine.dialect(self.won.pattern_ref).sections;
        let own = engine.pattern(self.won.pattern_ref);
        let lacks = |section: &Pattern| !section.head.is_empty() && section.opener() != own.opener();
        // The call stands alone though its dialect always wraps calls, or has lost its own opener.
        let alone = self.won.pattern_ref.section.is_none() && !sections.is_empty();
        let unwrapped = alone && sections.iter().all(lacks);
        if unwrapped || own.is_unopened() {
            let what = match unwrapped {
                true => "call without the opening marker of its section",
                false => "call without its opening marker",
            };
            sink.repair(Code::MissingOpener, place.start..place.start, what);
        }
        if matches!(start, Start::Json(_)) && engine.pattern(self.won.pattern_ref).kind() == Some(BodyKind::Kwargs) {
            sink.repair(Code::DictArgument, place.end..place.end, Code::DictArgument.row().about);
        }
        let place = self.won.head.name.as_ref().map_or(place, |name| name.span.clone());
        match self.won.callee.name_match {
            NameMatch::Declared => {}
            NameMatch::Normalised => {
                let spelled = self.won.head.name().unwrap_or_default();
                let message = format!("read the name `{spelled}` as `{}`", self.won.callee.name);
                sink.diagnose(Code::NameNormalised, place, message);
            }
            NameMatch::Undeclared => {
                sink.diagnose(Code::UnknownTool, place, format!("undeclared tool `{}`", self.won.callee.name));
            }
        }
        if let Start::Call { array: true, .. } = start {
            self.scopes.push(Wrapper::Array { call: self.won.pattern_ref.call, bracket: true });
        }
        let context = self.won.context(engine, view);
        CallPhase::Body(Box::new(BodyReader::new(start, &context, sink)))
    }

    /// Continues reading the body, within the limits.
    fn read_body(&mut self, engine: &Engine, view: View<'_>, sink: &mut Sink) -> Result<ValueOutcome, NotYet> {
        let limits = &engine.options.limits;
        let CallPhase::Body(body) = &mut self.phase else { return Err(NotYet) };
        let context = self.won.context(engine, view);
        loop {
            let cursor = sink.cursor();
            let held = cursor.saturating_add(limits.held);
            let arguments = body.arguments_at().map_or(usize::MAX, |at| at.saturating_add(limits.arguments));
            let limit = held.min(arguments);
            let limited = view.limited(limit);
            if let Ok(end) = body.resume(&CallContext { view: limited, ..context }, sink) {
                return Ok(end);
            }
            if view.end() == limited.end() {
                return Err(NotYet);
            }
            if sink.cursor() > cursor && limit < arguments {
                continue;
            }
            let end = body.resume(&CallContext { view: view.closed_at(limit), ..context }, sink)?;
            let code = if limit == arguments { Code::LimitArguments } else { Code::LimitHeld };
            sink.diagnose(code, end.at..end.at, code.row().about);
            return Ok(ValueOutcome { at: end.at, how: Ended::Truncated });
        }
    }

    fn end_body(&mut self, end: ValueOutcome, sink: &mut Sink) -> CallPhase {
        if sink.written == 0 && matches!(end.how, Ended::Complete | Ended::Cut) {
            sink.arguments(end.at, "{}");
        }
        match end.how {
            Ended::Complete => {}
            Ended::Cut => sink.note(Outcome::Repaired),
            Ended::Truncated => {
                sink.note(Outcome::Truncated);
                let message = format!("call of `{}` cut off by the end of the input", self.won.callee.name);
                sink.diagnose(Code::Truncated, end.at..end.at, message);
            }
            Ended::Broken => {
                let message = format!("call of `{}` cannot be parsed to its end", self.won.callee.name);
                sink.broken(end.at..end.at, message);
            }
        }
        if let CallPhase::Body(body) = &mut self.phase
            && let BodyReader::Call(object) = &mut **body
        {
            self.won.head.id = object.id.take().map(|id| HeadText::new(&id, 0..0));
        }
        CallPhase::Closing(end)
    }

    fn close(
        &mut self,
        engine: &Engine,
        view: View<'_>,
        end: ValueOutcome,
        sink: &mut Sink,
    ) -> Result<CallPhase, NotYet> {
        let ValueOutcome { at, how } = end;
        if matches!(how, Ended::Truncated | Ended::Broken) {
            return self.give_up(engine, view, end, sink);
        }
        let glued = glued(at, &self.won.context(engine, view))?;
        if glued > at {
            sink.repair(Code::GluedObjects, at..glued, "skipped a second object after the arguments");
            self.phase = CallPhase::Closing(ValueOutcome { at: glued, how });
        }
        let at = glued;
        let context = self.won.context(engine, view);
        let array = self.scopes.last().filter(|scope| matches!(scope, Wrapper::Array { .. }));
        let extra =
            array.map_or(Ok(None), |array| extra_braces(at, array.tail(engine, self.won.pattern_ref), &context))?;
        // A wrong closer that ended plain text has been consumed.
        let plain = context.pattern().kind() == Some(BodyKind::Content);
        let closed = array.is_some() || plain && how == Ended::Cut;
        let another = if closed { None } else { another_follows(&context, at)? };
        let closing = if closed || another.is_some() { Closing::none(at) } else { close(at, self.fenced, &context)? };
        let end = extra.unwrap_or(closing.at);
        let bare = context.pattern().kind() == Some(BodyKind::Call) && context.pattern().tail.is_empty();
        let list = array.or(self.scopes.last().filter(|_| bare));
        let lost = list.map_or(Ok(false), |list| lacks_closers(list, &context, end))?;
        let guessed = sink.faults.guessed || extra.is_some() || lost || closing.moves_end();
        let rest = (guessed || sink.faults.lacking) && !is_over_for_certain(&context, end, sink.has_sound_arguments())?;
        sink.faults.guessed |= lost;
        if let Some(after) = extra {
            sink.repair(Code::ExtraCloser, at..after, "dropped unmatched closing brackets");
        }
        if let Some(next) = another {
            sink.repair(Code::SeveralCalls, next..next, "read another call in the same tags");
            self.scopes.push(Wrapper::Array { call: self.won.pattern_ref.call, bracket: false });
        }
        for (code, span, message) in closing.repairs {
            // Servers cut off the closer at which the model was stopped: that moves nothing.
            if closing.cut && code == Code::MissingCloser && engine.stops {
                sink.note(Outcome::Repaired);
                sink.diagnose(code, span, message);
            } else {
                sink.repair(code, span, message);
            }
        }
        let undeclared = self.won.callee.name_match == NameMatch::Undeclared && !engine.tools.is_empty();
        let why = match () {
            () if sink.is_broken() => None,
            () if rest => Some("an end was repaired, but the text that follows looks like the rest of the call"),
            () if guessed && (undeclared || sink.is_misfit()) => {
                Some("an end was repaired, but the call does not match the tool's declaration")
            }
            () => None,
        };
        if let Some(why) = why {
            sink.broken(end..end, why);
        }
        if closing.cut && engine.options.is_cut() {
            sink.note(Outcome::Truncated);
        }
        sink.call_end(self.won.head.id(), end);
        Ok(if self.one { CallPhase::Over(end) } else { CallPhase::Between(end) })
    }

    /// Ends a call that cannot be finished.
    fn give_up(
        &self,
        engine: &Engine,
        view: View<'_>,
        end: ValueOutcome,
        sink: &mut Sink,
    ) -> Result<CallPhase, NotYet> {
        let ValueOutcome { at, how } = end;
        let continues = how == Ended::Broken && !self.one && !self.scopes.is_empty();
        let context = self.won.context(engine, view);
        let next = if continues { recover(&context, at)? } else { None };
        sink.call_end(self.won.head.id(), at);
        if let Some(next) = next {
            sink.text(next);
        }
        Ok(next.map_or(CallPhase::Over(at), CallPhase::Between))
    }

    /// Looks for the section's closers or its next call.
    fn between(&mut self, engine: &Engine, view: View<'_>, at: usize, sink: &mut Sink) -> Result<CallPhase, NotYet> {
        let Some(&scope) = self.scopes.last() else { return Ok(CallPhase::Over(at)) };
        let mut next = skip_gap(view, at)?;
        let context = self.won.context(engine, view);
        if let Some(end) = stray_bracket(next, &context)? {
            sink.diagnose(Code::ExtraCloser, next..end, "a bracket closed the list before the last call");
            sink.markup(end);
            return Ok(CallPhase::Between(end));
        }
        let mut over = at;
        if let Some(separator @ (b',' | b';')) = view.byte(next)? {
            let behind = next + 1;
            next = skip_gap(view, behind)?;
            // Only another call, or the end of the line, can follow a semicolon.
            let ends =
                view.byte(behind)?.is_none_or(|byte| matches!(byte, b'\n' | b'\r')) || view.byte(next)?.is_none();
            over = if separator == b';' && ends { behind } else { at };
        }
        if let Some((end, wrong)) = scope.closers(next, &context)? {
            if let Some((code, span)) = wrong {
                sink.diagnose(code, span, code.row().about);
            }
            sink.markup(end);
            self.scopes.pop();
            return Ok(CallPhase::Between(end));
        }
        let (mut in_vain, frugal) = (0, sink.wasted_lookahead > engine.options.limits.string_ends);
        for pattern_ref in scope.forms(engine, self.won.pattern_ref) {
            let trial = TrialContext { in_section: true, frugal, ..TrialContext::new(engine, view, next, pattern_ref) };
            if self.try_next(&trial, &mut in_vain, sink)? {
                sink.wasted_lookahead += in_vain;
                return Ok(CallPhase::Committed);
            }
        }
        let phase = self.go_on(engine, view, over..next, sink)?;
        // Only now: what is looked at again with more of the message was not read twice.
        sink.wasted_lookahead += in_vain;
        Ok(phase)
    }

    /// No call follows: an object there names no tool, a closer is repeated, or the section is over, perhaps closed by
    /// another tag.
    fn go_on(&self, engine: &Engine, view: View<'_>, gap: Range<usize>, sink: &mut Sink) -> Result<CallPhase, NotYet> {
        let Range { start: over, end: next } = gap;
        let context = self.won.context(engine, view);
        if let Some(end) = self.scopes.last().map_or(Ok(None), |scope| nameless(&context, *scope, next))? {
            sink.diagnose(Code::Broken, next..end, "an object in a list of calls names no tool");
            sink.text(end);
            return Ok(CallPhase::Between(end));
        }
        // The closer of a call that has been closed before.
        let twice = context.any(next, context.pattern().tail.iter().filter(|closer| closer.is_strong()))?;
        if let Some(end) = twice.filter(|_| matches!(self.scopes.last(), Some(Wrapper::Section))) {
            sink.diagnose(Code::DuplicateCloser, next..end, Code::DuplicateCloser.row().about);
            sink.markup(end);
            return Ok(CallPhase::Between(end));
        }
        sink.markup(over);
        let must_close = self.scopes.last().is_some_and(|scope| scope.must_close(engine, self.won.pattern_ref));
        // A bare name says too little to take another's closer for the end of its section.
        let may_close = must_close || !engine.pattern(self.won.pattern_ref).opens_with_name();
        if may_close && let Some(end) = wrong_tag(next, &context)? {
            let message = format!("a different marker closed the section: `{}`", view.slice(next, end));
            sink.diagnose(Code::WrongCloser, next..end, message);
            sink.markup(end);
            return Ok(CallPhase::Over(end));
        }
        if must_close {
            sink.diagnose(Code::MissingCloser, over..over, "section without a closing marker");
        }
        Ok(CallPhase::Over(over))
    }

    /// Commits the call of a trial if one begins there; counts the bytes that were read to find out that none does.
    fn try_next(&mut self, trial: &TrialContext<'_>, in_vain: &mut usize, sink: &mut Sink) -> Result<bool, NotYet> {
        if sink.started >= trial.engine.options.limits.calls {
            return Ok(false);
        }
        let win = match try_call(trial, Head { name: None, ..self.won.head.inner() })? {
            Trial::Ready(win) => win,
            Trial::Dead { read, .. } | Trial::Rejected(Rejection { read, .. }) => {
                *in_vain += read.saturating_sub(trial.at);
                return Ok(false);
            }
        };
        sink.markup(trial.at);
        self.won = *win;
        Ok(true)
    }
}

impl Start {
    /// Returns where the body starts.
    pub(crate) fn at(&self) -> usize {
        match self {
            Self::Kwargs(at) | Self::Lines(at) | Self::Json(at) | Self::Nothing(at) => *at,
            Self::Params { at, .. } | Self::Whole { at, .. } | Self::Call { at, .. } | Self::Content { at, .. } => *at,
        }
    }
}

/// Returns whether the call that ended at `at` is followed neither by the closers of a list of calls nor by the next call.
fn lacks_closers(array: &Wrapper, context: &CallContext<'_>, at: usize) -> Result<bool, NotYet> {
    let next = context.gap(at)?;
    let line = matches!(array, Wrapper::Section) && context.view.slice(at, next).contains('\n');
    let ends = line || matches!(context.view.byte(next)?, None | Some(b',' | b';'));
    Ok(!ends && array.closers(next, context)?.is_none() && context.next_call(next)?.is_none())
}

/// Returns the position of another object in the same pair of tags, whose closers then follow the last object.
fn another_follows(context: &CallContext<'_>, at: usize) -> Result<Option<usize>, NotYet> {
    let pattern = context.pattern();
    if pattern.kind() != Some(BodyKind::Call) || pattern.tail.is_empty() || context.pattern_ref.section.is_some() {
        return Ok(None);
    }
    let next = context.gap(at)?;
    let next = context.behind_separator(next)?.unwrap_or(next);
    Ok((context.view.byte(next)? == Some(b'{')).then_some(next))
}
