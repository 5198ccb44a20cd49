//! Emits the calls of an alternative one after the other, each with its number and id; failed calls are omitted.

use toolglot::{Code, Outcome};
use toolglot_json::Value;

use super::AnswerState;
use crate::fault::{Fault, FaultKind};
use crate::response_event::{CallKind, Part, ResponseEvent};

/// Emits the parts of one alternative.
#[derive(Default)]
pub(super) struct CallEmitter {
    /// The number of the alternative for the client.
    pub(super) choice: usize,
    /// The number of calls emitted so far, including the open one.
    calls: usize,
    /// The number of complete calls.
    completed: usize,
    open: Option<EmittedCall>,
    /// Complete calls found in text; some servers send them natively, too.
    text_calls: Vec<(String, Value)>,
    /// Whether a call was truncated and has not been emitted.
    pub(super) was_truncated: bool,
    /// The error of the last call, which was truncated after it had been emitted. It is not an error if the answer then
    /// ends at a limit.
    truncated_call: Option<Fault>,
    /// Whether another call or text arrived although only one call was allowed.
    pub(super) has_enough: bool,
    /// The limit that ended the open call.
    limit: Option<&'static str>,
    pub(super) fault: Option<Fault>,
}

/// The open call.
struct EmittedCall {
    name: String,
    id: Option<String>,
    /// The arguments so far of a call that is emitted when it is complete.
    buffered: Option<String>,
    /// The arguments so far of a call in text.
    text: Option<String>,
    /// The number of events before the call; only meaningful in a whole answer, whose events stay in one list.
    events_before: usize,
    /// Whether the call is dropped.
    is_dropped: bool,
}

impl CallEmitter {
    pub(super) fn new(choice: usize) -> Self {
        Self { choice, ..Self::default() }
    }

    /// Emits a part without further checks.
    pub(super) fn emit(&self, part: Part, state: &mut AnswerState) {
        state.out.push(ResponseEvent::Part { choice: self.choice, part });
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Returns whether the open call has this number and its arguments are emitted as they arrive.
    pub(super) fn is_streaming(&self, number: usize) -> bool {
        let is_streamed = self.open.as_ref().is_some_and(|open| !open.is_dropped && open.buffered.is_none());
        is_streamed && self.calls == number + 1 && self.fault.is_none()
    }

    pub(super) fn has_completed(&self) -> bool {
        self.completed > 0
    }

    /// Returns whether further calls are dropped; this bounds what a server can make the proxy emit.
    pub(super) fn is_full(&self, state: &AnswerState) -> bool {
        self.calls >= state.settings.limits.calls
    }

    /// Ends the alternative with an error; the first one is kept.
    pub(super) fn fail(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    /// Records a diagnostic of the open call: the error of a call names the limit that ended it.
    pub(super) fn record(&mut self, code: Code) {
        self.limit = match code {
            Code::LimitArguments => Some("longer than `limits.arguments`"),
            Code::LimitDepth => Some("nested deeper than `limits.depth`"),
            _ => self.limit,
        };
    }

    /// Returns whether a part may be emitted, and records that it may not because the only allowed call is complete.
    fn accepts_more(&mut self, state: &AnswerState) -> bool {
        // The server continues after a truncated call, so no limit truncated it.
        self.fault = self.fault.take().or_else(|| self.truncated_call.take());
        let is_done = self.completed > 0 && !state.settings.asked.parallel;
        self.has_enough |= is_done;
        !is_done && self.fault.is_none()
    }

    /// Emits a part that does not belong to a call.
    pub(super) fn push_part(&mut self, part: Part, state: &mut AnswerState) {
        let is_logprobs = matches!(part, Part::Logprobs(_));
        // The client does not see the text of a call, so it does not get its tokens.
        if self.is_open() && is_logprobs {
            return;
        }
        // Blank text does not show that the server continues after a call.
        let is_blank = is_logprobs || matches!(&part, Part::Text(text) if text.trim().is_empty());
        if self.truncated_call.is_some() && (is_blank || matches!(part, Part::Own(_) | Part::Seal(_))) {
            return;
        }
        let is_done = self.completed > 0 && !state.settings.asked.parallel;
        if !(is_done && is_blank) && self.accepts_more(state) {
            self.emit(part, state);
        }
    }

    /// Begins a call.
    pub(super) fn start(&mut self, id: Option<&str>, name: &str, kind: CallKind, state: &mut AnswerState) {
        // The client has its only call, would get too many, or forbids calls.
        let is_dropped = !self.accepts_more(state) || self.is_full(state) || state.settings.asked.none;
        if is_dropped && self.is_full(state) {
            state.count_diagnostic(Code::LimitCalls.name());
        }
        let name = state.settings.asked.tools.resolve(name).unwrap_or(name).to_owned();
        let buffered = (kind == CallKind::Function && state.settings.asked.custom.contains(&name)).then(String::new);
        if !is_dropped && state.first_tool.is_none() {
            state.first_tool = Some(name.clone());
        }
        let id = (!is_dropped).then(|| state.ids.take(id));
        let events_before = state.out.len();
        if !is_dropped && buffered.is_none() {
            self.emit(Part::CallStart { call: self.calls, id: id.clone(), name: name.clone(), kind }, state);
        }
        self.calls += usize::from(!is_dropped);
        self.open = Some(EmittedCall { name, id, buffered, text: None, events_before, is_dropped });
    }

    /// Records that the open call was found in text.
    pub(super) fn mark_as_text_call(&mut self) {
        if let Some(open) = &mut self.open {
            open.text = Some(String::new());
        }
    }

    /// Returns whether a call of this tool was found in text.
    pub(super) fn has_text_call(&self, name: &str) -> bool {
        self.text_calls.iter().any(|(other, _)| other == name)
    }

    /// Returns whether this call was found in text; each of those matches one native call only.
    pub(super) fn take_text_call(&mut self, name: &str, arguments: &str) -> bool {
        let Ok(arguments) = toolglot_json::from_str(arguments) else { return false };
        let place = self.text_calls.iter().position(|(other, theirs)| other == name && *theirs == arguments);
        place.map(|place| self.text_calls.remove(place)).is_some()
    }

    /// Adds a piece to the arguments of the open call.
    pub(super) fn push_arguments(&mut self, piece: &str, state: &mut AnswerState) {
        let Some(open) = &mut self.open else { return };
        if let Some(text) = &mut open.text {
            text.push_str(piece);
        }
        match &mut open.buffered {
            _ if open.is_dropped => {}
            Some(buffered) => buffered.push_str(piece),
            None if piece.is_empty() || self.fault.is_some() => {}
            None => self.emit(Part::Arguments { call: self.calls - 1, text: piece.to_owned() }, state),
        }
    }

    /// Replaces the arguments of the open call with free text.
    pub(super) fn replace_arguments(&mut self, text: &str) {
        if let Some(EmittedCall { buffered: Some(buffered), .. }) = &mut self.open {
            text.clone_into(buffered);
        }
    }

    /// Ends the open call; `source` is its text in a whole answer.
    pub(super) fn end(&mut self, outcome: Outcome, source: Option<&str>, state: &mut AnswerState) {
        let limit = self.limit.take();
        let Some(open) = self.open.take() else { return };
        if open.is_dropped || self.fault.is_some() {
            state.report.dropped += 1;
        } else if outcome.is_call() {
            state.report.calls += 1;
            state.report.repaired += usize::from(outcome == Outcome::Repaired);
            self.complete(open, state);
        } else {
            state.report.dropped += 1;
            match limit {
                Some(limit) => {
                    // Without an error, the text would be lost silently.
                    let message = format!("the arguments of the model's call to `{}` are {limit}", open.name);
                    self.fault = Some(Fault::new(FaultKind::Upstream, message).with_code("tool_call_too_large"));
                }
                None => self.discard(open, outcome, source, state),
            }
        }
    }

    fn complete(&mut self, open: EmittedCall, state: &mut AnswerState) {
        let call = self.calls - 1;
        self.completed += 1;
        // A native call may repeat this one.
        if let Some(arguments) = open.text.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
            self.text_calls.push((open.name.clone(), arguments));
        }
        if let Some(arguments) = open.buffered {
            self.emit(Part::CallStart { call, id: open.id, name: open.name, kind: CallKind::Custom }, state);
            self.emit(Part::Arguments { call, text: free_text(&arguments) }, state);
        }
        self.emit(Part::CallEnd { call }, state);
    }

    /// Ends a call that was truncated after it had been emitted: without an error if a limit ended the answer.
    pub(super) fn end_truncated(&mut self, by_limit: bool, state: &mut AnswerState) {
        match self.truncated_call.take() {
            Some(_) if by_limit => self.emit(Part::CallCut { call: self.calls - 1 }, state),
            Some(fault) => self.fail(fault),
            None => {}
        }
    }

    /// Ends a call that is truncated or broken. Its events are removed if they have not been sent; then a truncated
    /// call is omitted, and a broken one becomes text. In all other cases, the call is an error.
    fn discard(&mut self, open: EmittedCall, outcome: Outcome, source: Option<&str>, state: &mut AnswerState) {
        let (is_truncated, streamed) = (outcome == Outcome::Truncated, state.settings.streamed);
        self.was_truncated |= is_truncated;
        if open.buffered.is_some() || !streamed {
            // The next call takes this number.
            self.calls -= 1;
            if !streamed {
                let is_own = |event: &mut ResponseEvent| matches!(event, ResponseEvent::Part { choice, .. } if *choice == self.choice);
                state.out.extract_if(open.events_before.min(state.out.len()).., is_own).for_each(drop);
            }
            match source.filter(|_| !streamed && !is_truncated) {
                Some(text) => return self.emit(Part::Text(text.to_owned()), state),
                None if is_truncated => return,
                None => {}
            }
        }
        let (code, what) = match outcome {
            Outcome::Truncated => ("tool_call_cut_off", "ended inside"),
            _ => ("tool_call_broken", "cannot be parsed inside"),
        };
        let message = format!("the model's answer {what} a call to `{}`", open.name);
        let fault = Some(Fault::new(FaultKind::Upstream, message).with_code(code));
        if is_truncated { self.truncated_call = fault } else { self.fault = fault }
    }
}

/// Returns the free text in the arguments of a call whose tool the server knows as a function with one string.
fn free_text(arguments: &str) -> String {
    let parsed: Value = toolglot_json::from_str(arguments).unwrap_or_default();
    if let Value::String(text) = parsed {
        return text;
    }
    let members = parsed.as_object();
    let only = || members.filter(|members| members.len() == 1).and_then(|members| members.values().next());
    let found = parsed.get("input").or_else(only).and_then(Value::as_str);
    found.unwrap_or(arguments).to_owned()
}
