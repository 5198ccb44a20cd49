//! Assigns the pieces of a message to its calls, although servers send unreliable indices, ids and names.

use serde_json::value::RawValue;
use toolglot_json::{Map, Value};

use crate::chat::fields::text;
use crate::members::json_text;
use crate::response_event::{CallKind, Part};

/// Calls beyond this many are not read. Each piece is looked up among all of them, so a server that counts indices up
/// would cost the square of its pieces.
const MAX_CALLS: usize = 1024;

/// The calls of one alternative, in the order in which they began.
#[derive(Default)]
pub(super) struct ReadCalls(Vec<ReadCall>);

/// A call as the server's pieces have described it so far.
#[derive(Default)]
struct ReadCall {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    input: InputProgress,
    /// Arguments received before the name.
    early: String,
    /// Input for this call or another with the same index that has no arguments yet.
    shared: String,
}

/// The state of a scan of a call's JSON text, which only tracks strings and brackets.
#[derive(Default)]
struct InputProgress {
    depth: usize,
    string: bool,
    escaped: bool,
    begun: bool,
}

impl InputProgress {
    fn push(&mut self, text: &str) {
        for byte in text.bytes() {
            match byte {
                _ if std::mem::take(&mut self.escaped) => {}
                b'\\' if self.string => self.escaped = true,
                b'"' => self.string = !self.string,
                b'{' | b'[' if !self.string => (self.depth, self.begun) = (self.depth + 1, true),
                b'}' | b']' if !self.string => self.depth = self.depth.saturating_sub(1),
                _ => {}
            }
        }
    }
}

/// One element of `tool_calls`, as far as it can be used.
struct CallPiece<'a> {
    index: Option<u64>,
    id: Option<&'a str>,
    name: Option<&'a str>,
    input: String,
    kind: CallKind,
}

impl<'a> CallPiece<'a> {
    fn of(call: &'a Map) -> Self {
        let custom = call["custom"].as_object();
        let function = call["function"].as_object().or(custom).unwrap_or(call);
        let kind = if custom.is_some() { CallKind::Custom } else { CallKind::Function };
        let input = function.get("arguments").or_else(|| function.get("input"));
        Self {
            index: call["index"].as_u64(),
            id: text(call, "id"),
            name: text(function, "name"),
            // Some servers send the object instead of its text.
            input: input.and_then(json_text).unwrap_or_default(),
            kind,
        }
    }
}

impl ReadCalls {
    /// Reads one element; in a whole message each is a call of its own.
    pub(super) fn read(&mut self, call: &Value, whole: bool, emit: &mut impl FnMut(Part)) {
        let Some(call) = call.as_object() else { return };
        let piece = CallPiece::of(call);
        let found = if whole { None } else { self.find(&piece) };
        if found.is_none() && self.0.len() >= MAX_CALLS {
            return;
        }
        let at = found.unwrap_or_else(|| self.begin(&piece));
        self.add(at, piece, emit);
        if whole && !self.0[at].name.is_empty() {
            emit(Part::CallEnd { call: at });
        }
    }

    /// Reads a piece with only arguments; returns the call that it continues, if that has been emitted.
    pub(super) fn continue_call(&mut self, index: u64, input: &str) -> Option<usize> {
        let at = self.0.iter().rposition(|call| call.index == Some(index))?;
        let is_free = !self.shares(at);
        let call = self.0.get_mut(at).filter(|call| is_free && !call.name.is_empty())?;
        call.input.push(input);
        Some(at)
    }

    /// Reads a deprecated `function_call`, of which a message has at most one.
    pub(super) fn read_legacy(&mut self, function: &Map, emit: &mut impl FnMut(Part)) {
        let piece = CallPiece { index: Some(0), ..CallPiece::of(function) };
        let at = if self.0.is_empty() { self.begin(&piece) } else { self.0.len() - 1 };
        self.add(at, piece, emit);
    }

    /// Returns whether a call may share its arguments with the one before it, which has the same index and no arguments
    /// yet. Some gateways send the names of all calls first, and then their arguments one after the other.
    fn shares(&self, at: usize) -> bool {
        self.0[..at].last().is_some_and(|before| {
            before.index.is_some()
                && before.index == self.0[at].index
                && (!before.input.begun || !before.shared.is_empty())
        })
    }

    /// Distributes shared arguments among the calls of one index: an object each, or all to the last if the numbers
    /// differ.
    pub(super) fn share_out(&mut self, emit: &mut impl FnMut(Part)) {
        let mut at = 0;
        while at < self.0.len() {
            let index = self.0[at].index;
            let more = self.0[at + 1..].iter().take_while(|call| index.is_some() && call.index == index).count();
            let group = at..at + more + 1;
            let calls: Vec<usize> = group.clone().filter(|at| !self.0[*at].input.begun || self.shares(*at)).collect();
            let text: String = self.0[group.clone()].iter_mut().map(|call| std::mem::take(&mut call.shared)).collect();
            let objects: Result<Vec<&RawValue>, _> = serde_json::Deserializer::from_str(&text).into_iter().collect();
            match objects {
                _ if text.is_empty() => {}
                Ok(objects) if objects.len() == calls.len() => {
                    for (call, object) in calls.into_iter().zip(objects) {
                        emit(Part::Arguments { call, text: object.get().to_owned() });
                    }
                }
                _ => emit(Part::Arguments { call: group.end - 1, text }),
            }
            at = group.end;
        }
    }

    /// Returns whether there are arguments, but no call has a name.
    pub(super) fn are_nameless(&self) -> bool {
        let calls = &self.0;
        calls.iter().all(|call| call.name.is_empty()) && calls.iter().any(|call| !call.early.trim().is_empty())
    }

    fn begin(&mut self, piece: &CallPiece<'_>) -> usize {
        self.0.push(ReadCall { index: piece.index, ..ReadCall::default() });
        self.0.len() - 1
    }

    /// Returns the call that a piece continues, unless it begins a new one.
    fn find(&self, piece: &CallPiece<'_>) -> Option<usize> {
        let last = |fits: &dyn Fn(&ReadCall) -> bool| self.0.iter().rposition(fits);
        let at = match (piece.index, piece.id) {
            (Some(_), _) => last(&|call| call.index == piece.index)?,
            (None, Some(id)) => {
                let known = last(&|call| call.id.as_deref() == Some(id));
                known.or_else(|| last(&|_| true).filter(|_| piece.name.is_none()))?
            }
            (None, None) => last(&|_| true)?,
        };
        let call = &self.0[at];
        let new = match (piece.name, piece.id, &call.id) {
            // Some servers give each piece an id of its own, so that only a name begins a call.
            (None, ..) => false,
            _ if call.name.is_empty() => false,
            (Some(name), Some(id), Some(known)) => id != known || name != call.name,
            (Some(name), ..) => name != call.name || (call.input.begun && !piece.input.is_empty()),
        };
        // Nothing begins while the object of a call is open: its name and id are only repeated.
        Some(at).filter(|_| !new || call.input.depth > 0)
    }

    /// Adds a piece to its call, which is emitted as soon as it has a name.
    fn add(&mut self, at: usize, piece: CallPiece<'_>, emit: &mut impl FnMut(Part)) {
        let shares = self.shares(at);
        let call = &mut self.0[at];
        if call.id.is_none() {
            call.id = piece.id.map(str::to_owned);
        }
        call.input.push(&piece.input);
        let mut input = piece.input;
        if call.name.is_empty() {
            call.early.push_str(&input);
            let Some(name) = piece.name else { return };
            call.name = name.to_owned();
            emit(Part::CallStart { call: at, id: call.id.clone(), name: call.name.clone(), kind: piece.kind });
            input = std::mem::take(&mut call.early);
        }
        if shares {
            call.shared.push_str(&input);
        } else if !input.is_empty() {
            emit(Part::Arguments { call: at, text: input });
        }
    }
}
