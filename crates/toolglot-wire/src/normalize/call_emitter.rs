//! Emits calls to the writer: one after the other, each with its number and id, without failed ones.

use toolglot::{Code, Outcome};
use toolglot_json::Value;

use super::SharedByChoices;
use crate::fault::{Fault, FaultKind};
use crate::response_event::{CallKind, Part, ResponseEvent};

/// Says the parts of one alternative.
#[derive(Default)]
pub(super) struct CallEmitter {
    pub(super) choice: usize,
    /// Calls said so far, the open one included.
    calls: usize,
    /// Calls that are whole.
    made: usize,
    open: Option<EmittedCall>,
    /// Whole calls that were written as text: some servers send them natively, too.
    text_calls: Vec<(String, Value)>,
    /// A call was cut off and has not been said.
    cut: bool,
    /// The last call was cut off after it had been said: the error that this is, unless a limit of the server's did it.
    cut_call: Option<Fault>,
    /// Whether another call or text arrived although only one call was allowed.
    enough: bool,
    /// The limit that ended the open call.
    limit: Option<&'static str>,
    fault: Option<Fault>,
}

/// The call that is open.
struct EmittedCall {
    name: String,
    id: Option<String>,
    /// The arguments so far of a call that is emitted when it is complete.
    kept: Option<String>,
    /// The arguments so far of a call that was written as text.
    text: Option<String>,
    /// The number of events before the call; only useful if all are in one list.
    mark: usize,
    /// It will not be said.
    mute: bool,
}

impl CallEmitter {
    pub(super) fn new(choice: usize) -> Self {
        Self { choice, ..Self::default() }
    }

    /// Emits a part without further checks.
    pub(super) fn emit(&self, part: Part, shared: &mut SharedByChoices) {
        shared.out.push(ResponseEvent::Part { choice: self.choice, part });
    }

    pub(super) fn is_open(&self) -> bool {
        self.open.is_some()
    }

    /// Says whether the open call has this number and its arguments are said as they come.
    pub(super) fn is_emitting(&self, number: usize) -> bool {
        let open = self.open.as_ref().is_some_and(|open| !open.mute && open.kept.is_none());
        open && self.calls == number + 1 && self.fault.is_none()
    }

    pub(super) fn has_made(&self) -> bool {
        self.made > 0
    }

    pub(super) fn was_cut(&self) -> bool {
        self.cut
    }

    /// Says whether the only allowed call is complete and the server continues.
    pub(super) fn has_enough(&self) -> bool {
        self.enough
    }

    /// Says whether no further call would be said: a server cannot make us say ever more of them.
    pub(super) fn is_full(&self, shared: &SharedByChoices) -> bool {
        self.calls >= shared.wants.limits.calls
    }

    pub(super) fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Ends everything with an error.
    pub(super) fn give_up(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    pub(super) fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    /// Takes a diagnostic of the open call: a limit that ends it has to be named.
    pub(super) fn note(&mut self, code: Code) {
        self.limit = match code {
            Code::LimitArguments => Some("longer than `limits.arguments`"),
            Code::LimitDepth => Some("nested deeper than `limits.depth`"),
            _ => self.limit,
        };
    }

    /// Says whether a call may be said now; notes it if it is one too many.
    fn takes_more(&mut self, shared: &SharedByChoices) -> bool {
        // What follows a call says that no limit cut it off.
        self.fault = self.fault.take().or_else(|| self.cut_call.take());
        let full = self.made > 0 && !shared.wants.parallel;
        self.enough |= full;
        !full && self.fault.is_none()
    }

    /// Says a part that is no piece of a call.
    pub(super) fn push_event(&mut self, part: Part, shared: &mut SharedByChoices) {
        let blank = match &part {
            Part::Text(text) => text.trim().is_empty(),
            part => matches!(part, Part::Logprobs(_)),
        };
        // Nobody sees the text of a call, and so none of its tokens.
        if self.is_open() && matches!(part, Part::Logprobs(_)) {
            return;
        }
        let silent = blank || matches!(part, Part::Own(_) | Part::Seal(_));
        if self.cut_call.is_some() && silent {
            return;
        }
        let done = self.made > 0 && !shared.wants.parallel;
        if (done && blank) || !self.takes_more(shared) {
            return;
        }
        self.emit(part, shared);
    }

    /// Begins a call.
    pub(super) fn start(&mut self, id: Option<&str>, name: &str, kind: CallKind, shared: &mut SharedByChoices) {
        let mute = !self.takes_more(shared) || self.is_full(shared) || !shared.wants.calls;
        if mute && self.is_full(shared) {
            shared.count(Code::LimitCalls.name());
        }
        let name = shared.wants.tools.resolve(name).unwrap_or(name).to_owned();
        let kept = (kind == CallKind::Function && shared.wants.custom.contains(&name)).then(String::new);
        if !mute && shared.first.is_none() {
            shared.first = Some(name.clone());
        }
        let id = (!mute).then(|| shared.ids.take(id));
        let mark = shared.out.len();
        if !mute && kept.is_none() {
            let part = Part::CallStart { call: self.calls, id: id.clone(), name: name.clone(), kind };
            self.emit(part, shared);
        }
        self.calls += usize::from(!mute);
        self.open = Some(EmittedCall { name, id, kept, text: None, mark, mute });
    }

    /// Notes that the open call was written as text.
    pub(super) fn is_text(&mut self) {
        if let Some(open) = &mut self.open {
            open.text = Some(String::new());
        }
    }

    /// Says whether a call of this tool was written as text.
    pub(super) fn has_text_call(&self, name: &str) -> bool {
        self.text_calls.iter().any(|(other, _)| other == name)
    }

    /// Says whether this very call was written as text; what is sent once more counts for one of those.
    pub(super) fn takes_text_call(&mut self, name: &str, arguments: &str) -> bool {
        let Ok(arguments) = toolglot_json::from_str(arguments) else { return false };
        let place = self.text_calls.iter().position(|(other, theirs)| other == name && *theirs == arguments);
        place.map(|place| self.text_calls.remove(place)).is_some()
    }

    /// Says the next piece of the open call's arguments.
    pub(super) fn arguments(&mut self, text: &str, shared: &mut SharedByChoices) {
        if let Some(EmittedCall { text: Some(so_far), .. }) = &mut self.open {
            so_far.push_str(text);
        }
        match &mut self.open {
            Some(EmittedCall { mute: false, kept: Some(kept), .. }) => kept.push_str(text),
            Some(EmittedCall { mute: false, .. }) if !text.is_empty() && self.fault.is_none() => {
                self.emit(Part::Arguments { call: self.calls - 1, text: text.to_owned() }, shared);
            }
            _ => {}
        }
    }

    /// Gives the open call free text in place of all arguments so far.
    pub(super) fn free_text(&mut self, text: &str) {
        if let Some(EmittedCall { kept: Some(kept), .. }) = &mut self.open {
            text.clone_into(kept);
        }
    }

    /// Ends the open call; `source` is the text it was written as, where the answer comes whole.
    pub(super) fn end(&mut self, outcome: Outcome, source: Option<&str>, shared: &mut SharedByChoices) {
        let limit = self.limit.take();
        let Some(open) = self.open.take() else { return };
        if open.mute || self.fault.is_some() {
            shared.report.dropped += 1;
        } else if outcome.is_call() {
            self.made += 1;
            if let Some(arguments) = open.text.as_deref().and_then(|text| serde_json::from_str(text).ok()) {
                self.text_calls.push((open.name.clone(), arguments));
            }
            shared.report.calls += 1;
            shared.report.repaired += usize::from(outcome == Outcome::Repaired);
            self.complete(open, shared);
        } else {
            shared.report.dropped += 1;
            if let Some(limit) = limit {
                // Without an error, the text would be lost silently.
                let message = format!("the arguments of the model's call to `{}` are {limit}", open.name);
                self.fault = Some(Fault::new(FaultKind::Upstream, message).with_code("tool_call_too_large"));
                return;
            }
            self.fail(open, outcome, source, shared);
        }
    }

    fn complete(&mut self, open: EmittedCall, shared: &mut SharedByChoices) {
        let call = self.calls - 1;
        if let Some(kept) = open.kept {
            self.emit(Part::CallStart { call, id: open.id, name: open.name, kind: CallKind::Custom }, shared);
            self.emit(Part::Arguments { call, text: free_text(&kept) }, shared);
        }
        self.emit(Part::CallEnd { call }, shared);
    }

    /// Ends the call that was cut off, if one was: it is left open if a limit of the server's did it, and is else an error.
    pub(super) fn end_cut(&mut self, by_limit: bool, shared: &mut SharedByChoices) {
        let Some(fault) = self.cut_call.take() else { return };
        if by_limit {
            self.emit(Part::CallCut { call: self.calls - 1 }, shared);
        } else {
            self.give_up(fault);
        }
    }

    /// Ends a call that is none. What is on its way cannot be taken back. Else it stays unsaid if the answer was cut off
    /// inside it; an unreadable call becomes text again, or an error if it was not text before.
    fn fail(&mut self, open: EmittedCall, outcome: Outcome, source: Option<&str>, shared: &mut SharedByChoices) {
        let (cut, streamed) = (outcome == Outcome::Truncated, shared.wants.streamed);
        self.cut |= cut;
        if open.kept.is_some() || !streamed {
            self.calls -= 1;
            if !streamed {
                let of_call = |said: &mut ResponseEvent| matches!(said, ResponseEvent::Part { choice, .. } if *choice == self.choice);
                shared.out.extract_if(open.mark.min(shared.out.len()).., of_call).for_each(drop);
            }
            match source.filter(|_| !streamed && !cut) {
                Some(text) => return self.emit(Part::Text(text.to_owned()), shared),
                None if cut => return,
                None => {}
            }
        }
        let (code, what) = match outcome {
            Outcome::Truncated => ("tool_call_cut_off", "ended inside"),
            _ => ("tool_call_broken", "cannot be parsed inside"),
        };
        let message = format!("the model's answer {what} a call to `{}`", open.name);
        let fault = Some(Fault::new(FaultKind::Upstream, message).with_code(code));
        if cut { self.cut_call = fault } else { self.fault = fault }
    }
}

/// Returns the free text of a call whose tool the server knew as a function with one string.
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
